# Targets of wavetune's library for tables: wavetune::lookup is shared, wavetune::lookup_static is not, and wavetune::table is the reader
# that is a header alone and needs xxhash.h.
include_guard()
find_package(Threads REQUIRED)

get_filename_component(_wavetune_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

add_library(wavetune::lookup SHARED IMPORTED)
set_target_properties(wavetune::lookup PROPERTIES
    IMPORTED_LOCATION "${_wavetune_prefix}/lib/libwavetune_lookup.so"
    IMPORTED_SONAME libwavetune_lookup.so
    INTERFACE_INCLUDE_DIRECTORIES "${_wavetune_prefix}/include")

add_library(wavetune::lookup_static STATIC IMPORTED)
set_target_properties(wavetune::lookup_static PROPERTIES
    IMPORTED_LOCATION "${_wavetune_prefix}/lib/libwavetune_lookup.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES C
    INTERFACE_LINK_LIBRARIES "gcc_s;Threads::Threads;${CMAKE_DL_LIBS};m"
    INTERFACE_INCLUDE_DIRECTORIES "${_wavetune_prefix}/include")

add_library(wavetune::table INTERFACE IMPORTED)
set_target_properties(wavetune::table PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_wavetune_prefix}/include")

unset(_wavetune_prefix)
