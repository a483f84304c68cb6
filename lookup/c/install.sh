#!/bin/sh
# Installs libwavetune_lookup below a prefix, with headers, a pkg-config file and a CMake package:
#
#     cargo build --release -p lookup-c
#     sh lookup/c/install.sh target/release /usr/local
#
# Nothing in the files depends on the prefix, so the folder may be moved.
set -eu
if [ $# -ne 2 ]; then
    echo "usage: install.sh FOLDER_OF_THE_LIBRARY PREFIX" >&2
    exit 2
fi
built=$1
prefix=$2
here=$(dirname "$0")
install -d "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/lib/cmake/wavetune-lookup"
install -m 755 "$built/libwavetune_lookup.so" "$prefix/lib"
install -m 644 "$built/libwavetune_lookup.a" "$prefix/lib"
install -m 644 "$here/include/wavetune_lookup.h" "$here/../table/include/wavetune_table.h" "$prefix/include"
install -m 644 "$here/install/wavetune-lookup.pc" "$prefix/lib/pkgconfig"
install -m 644 "$here/install/wavetune-lookup-config.cmake" "$here/install/wavetune-lookup-config-version.cmake" \
    "$prefix/lib/cmake/wavetune-lookup"
