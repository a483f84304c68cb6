//! The table of the HIP functions that the bench calls, with their types.
//!
//! Types and numbers are those of `hip/hip_runtime_api.h` (github.com/ROCm/HIP at c5e11fc, and at
//! 4d014ce for ROCm 5).

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::path::Path;

use libloading::Library;

/// `hipError_t`.
pub(super) type Code = c_int;
/// `hipModule_t`, `hipFunction_t`, `hipStream_t`, `hipEvent_t`: opaque handles of the library.
pub(super) type Handle = *mut c_void;
/// The address of a device.
pub(super) type Pointer = *mut c_void;

/// `hipSuccess`, and the errors that the bench distinguishes.
pub(super) const SUCCESS: Code = 0;
pub(super) const INVALID_VALUE: Code = 1;
pub(super) const OUT_OF_MEMORY: Code = 2;
pub(super) const INVALID_CONFIGURATION: Code = 9;
pub(super) const INVALID_DEVICE_FUNCTION: Code = 98;
pub(super) const NO_DEVICE: Code = 100;
pub(super) const INVALID_DEVICE: Code = 101;
pub(super) const INVALID_IMAGE: Code = 200;
pub(super) const NO_BINARY_FOR_GPU: Code = 209;
pub(super) const INVALID_KERNEL_FILE: Code = 218;
pub(super) const NOT_FOUND: Code = 500;
pub(super) const ILLEGAL_ADDRESS: Code = 700;
pub(super) const LAUNCH_OUT_OF_RESOURCES: Code = 701;
pub(super) const LAUNCH_TIME_OUT: Code = 702;
pub(super) const ASSERT: Code = 710;
pub(super) const LAUNCH_FAILURE: Code = 719;

/// `hipMemcpyKind`.
pub(super) const HOST_TO_DEVICE: c_int = 1;
pub(super) const DEVICE_TO_HOST: c_int = 2;
pub(super) const DEVICE_TO_DEVICE: c_int = 3;

/// `HIP_LAUNCH_PARAM_*`: the keys by which a launch passes its argument block.
pub(super) const LAUNCH_BUFFER_POINTER: usize = 1;
pub(super) const LAUNCH_BUFFER_SIZE: usize = 2;
pub(super) const LAUNCH_END: usize = 3;

/// A size in bytes above that of every version's `hipDeviceProp_t`: 792 before ROCm 6, 1472
/// since.
pub(super) const PROPERTIES_BYTES: usize = 4096;

/// Defines the struct of functions, with a loader that looks them up by their names.
macro_rules! table {
    ($($name:ident: fn($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions. Callers may use them while the library is loaded, that is, until the
        /// process ends.
        #[allow(non_snake_case, reason = "the names are the library's")]
        pub(super) struct Api {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> $result,)*
            /// `hipGetDevicePropertiesR0600` or, before ROCm 6, `hipGetDeviceProperties`.
            pub(super) properties: Properties,
        }

        impl Api {
            /// Looks up all functions.
            pub(super) fn load(library: &Library, path: &Path) -> Result<Api, MissingHipFunction> {
                Ok(Api {
                    $($name: symbol(library, path, stringify!($name))?,)*
                    properties: properties(library, path)?,
                })
            }
        }
    };
}

table! {
    hipInit: fn(c_uint) -> Code;
    hipDriverGetVersion: fn(*mut c_int) -> Code;
    hipRuntimeGetVersion: fn(*mut c_int) -> Code;
    hipGetDeviceCount: fn(*mut c_int) -> Code;
    hipSetDevice: fn(c_int) -> Code;
    hipDeviceSynchronize: fn() -> Code;
    hipMalloc: fn(*mut Pointer, usize) -> Code;
    hipFree: fn(Pointer) -> Code;
    hipMemcpy: fn(Pointer, *const c_void, usize, c_int) -> Code;
    hipMemset: fn(Pointer, c_int, usize) -> Code;
    hipMemsetAsync: fn(Pointer, c_int, usize, Handle) -> Code;
    hipModuleLoadData: fn(*mut Handle, *const c_void) -> Code;
    hipModuleUnload: fn(Handle) -> Code;
    hipModuleGetFunction: fn(*mut Handle, Handle, *const c_char) -> Code;
    hipModuleLaunchKernel: fn(
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut Pointer, *mut Pointer
    ) -> Code;
    hipEventCreate: fn(*mut Handle) -> Code;
    hipEventRecord: fn(Handle, Handle) -> Code;
    hipEventElapsedTime: fn(*mut f32, Handle, Handle) -> Code;
    hipGetErrorName: fn(Code) -> *const c_char;
    hipGetErrorString: fn(Code) -> *const c_char;
}

type ReadProperties = unsafe extern "C" fn(*mut c_void, c_int) -> Code;

/// The version of `hipDeviceProp_t` that a library fills.
#[derive(Clone, Copy)]
pub(super) enum Properties {
    /// The version of ROCm 6 and later.
    R0600(ReadProperties),
    /// The version of ROCm 5.
    R0000(ReadProperties),
}

/// The error for a library that is not a HIP library, or too old.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{library} is not a usable HIP library: it has no {function}")]
pub(super) struct MissingHipFunction {
    library: String,
    function: &'static str,
}

fn symbol<T: Copy>(
    library: &Library,
    path: &Path,
    name: &'static str,
) -> Result<T, MissingHipFunction> {
    // SAFETY: the table states the type of each function as the header does, and `Library` is
    // never unloaded.
    let found = unsafe { library.get::<T>(name.as_bytes()) };
    found.map(|symbol| *symbol).map_err(|_| MissingHipFunction {
        library: path.display().to_string(),
        function: name,
    })
}

fn properties(library: &Library, path: &Path) -> Result<Properties, MissingHipFunction> {
    // The function without a suffix exists in ROCm 6, too, with the old layout. The newer one
    // comes first.
    let newer = symbol(library, path, "hipGetDevicePropertiesR0600");
    newer
        .map(Properties::R0600)
        .or_else(|_| symbol(library, path, "hipGetDeviceProperties").map(Properties::R0000))
}
