//! The answers of calls: HIP's error codes, and the end of a call with one.
//!
//! Numbers and names are those of `hipError_t` in ROCm's `hip_runtime_api.h`. Each thread
//! remembers the last error of its own calls.

use std::cell::Cell;
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The value that a call returns to C.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Status(i32);

/// The result of a call's body.
pub(crate) type Result<T> = std::result::Result<T, Error>;

macro_rules! errors {
    ($($variant:ident = $number:literal, $name:literal, $text:literal;)*) => {
        /// The reason that a call failed.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Error {
            $($variant = $number,)*
        }

        /// The number, name and text of each code.
        const TABLE: &[(i32, &CStr, &CStr)] = &[
            (0, c"hipSuccess", c"no error"),
            $(($number, $name, $text),)*
        ];
    };
}

errors! {
    InvalidValue = 1, c"hipErrorInvalidValue", c"invalid argument";
    OutOfMemory = 2, c"hipErrorOutOfMemory", c"out of memory";
    InvalidConfiguration = 9, c"hipErrorInvalidConfiguration", c"invalid configuration argument";
    InvalidSymbol = 13, c"hipErrorInvalidSymbol", c"invalid device symbol";
    InvalidMemcpyDirection = 21, c"hipErrorInvalidMemcpyDirection", c"invalid copy direction for memcpy";
    MissingConfiguration = 52, c"hipErrorMissingConfiguration", c"no launch was configured";
    InvalidDeviceFunction = 98, c"hipErrorInvalidDeviceFunction", c"invalid device function";
    NoDevice = 100, c"hipErrorNoDevice", c"no ROCm-capable device is detected";
    InvalidDevice = 101, c"hipErrorInvalidDevice", c"invalid device ordinal";
    InvalidImage = 200, c"hipErrorInvalidImage", c"device kernel image is invalid";
    InvalidContext = 201, c"hipErrorInvalidContext", c"invalid device context";
    NoBinaryForGpu = 209, c"hipErrorNoBinaryForGpu", c"no kernel image is available for execution on the device";
    FileNotFound = 301, c"hipErrorFileNotFound", c"file not found";
    InvalidHandle = 400, c"hipErrorInvalidHandle", c"invalid resource handle";
    IllegalState = 401, c"hipErrorIllegalState", c"the operation cannot be performed in the present state";
    NotFound = 500, c"hipErrorNotFound", c"named symbol not found";
    NotReady = 600, c"hipErrorNotReady", c"device not ready";
    IllegalAddress = 700, c"hipErrorIllegalAddress", c"an illegal memory access was encountered";
    LaunchTimeOut = 702, c"hipErrorLaunchTimeOut", c"the launch timed out and was terminated";
    PeerAccessNotEnabled = 705, c"hipErrorPeerAccessNotEnabled", c"peer access has not been enabled";
    HostMemoryAlreadyRegistered = 712, c"hipErrorHostMemoryAlreadyRegistered", c"part or all of the requested memory range is already mapped";
    HostMemoryNotRegistered = 713, c"hipErrorHostMemoryNotRegistered", c"pointer does not correspond to a registered memory region";
    LaunchFailure = 719, c"hipErrorLaunchFailure", c"unspecified launch failure";
    NotSupported = 801, c"hipErrorNotSupported", c"operation not supported";
    StreamCaptureUnsupported = 900, c"hipErrorStreamCaptureUnsupported", c"operation not permitted when stream is capturing";
    StreamCaptureIsolation = 905, c"hipErrorStreamCaptureIsolation", c"a dependency crosses the border of what is captured";
    Unknown = 999, c"hipErrorUnknown", c"unknown error";
}

macro_rules! others {
    ($($number:literal, $name:literal, $text:literal;)*) => {
        /// The codes that no call here returns, for programs that ask for their names.
        const OTHERS: &[(i32, &CStr, &CStr)] = &[$(($number, $name, $text),)*];
    };
}

others! {
    3, c"hipErrorNotInitialized", c"not initialized";
    4, c"hipErrorDeinitialized", c"deinitialized";
    5, c"hipErrorProfilerDisabled", c"profiler disabled";
    6, c"hipErrorProfilerNotInitialized", c"profiler not initialized";
    7, c"hipErrorProfilerAlreadyStarted", c"profiler already started";
    8, c"hipErrorProfilerAlreadyStopped", c"profiler already stopped";
    12, c"hipErrorInvalidPitchValue", c"invalid pitch value";
    17, c"hipErrorInvalidDevicePointer", c"invalid device pointer";
    35, c"hipErrorInsufficientDriver", c"insufficient driver";
    53, c"hipErrorPriorLaunchFailure", c"prior launch failure";
    202, c"hipErrorContextAlreadyCurrent", c"context already current";
    205, c"hipErrorMapFailed", c"map failed";
    206, c"hipErrorUnmapFailed", c"unmap failed";
    207, c"hipErrorArrayIsMapped", c"array is mapped";
    208, c"hipErrorAlreadyMapped", c"already mapped";
    210, c"hipErrorAlreadyAcquired", c"already acquired";
    211, c"hipErrorNotMapped", c"not mapped";
    212, c"hipErrorNotMappedAsArray", c"not mapped as array";
    213, c"hipErrorNotMappedAsPointer", c"not mapped as pointer";
    214, c"hipErrorECCNotCorrectable", c"ecc not correctable";
    215, c"hipErrorUnsupportedLimit", c"unsupported limit";
    216, c"hipErrorContextAlreadyInUse", c"context already in use";
    217, c"hipErrorPeerAccessUnsupported", c"peer access unsupported";
    218, c"hipErrorInvalidKernelFile", c"invalid kernel file";
    219, c"hipErrorInvalidGraphicsContext", c"invalid graphics context";
    300, c"hipErrorInvalidSource", c"invalid source";
    302, c"hipErrorSharedObjectSymbolNotFound", c"shared object symbol not found";
    303, c"hipErrorSharedObjectInitFailed", c"shared object init failed";
    304, c"hipErrorOperatingSystem", c"operating system";
    701, c"hipErrorLaunchOutOfResources", c"launch out of resources";
    704, c"hipErrorPeerAccessAlreadyEnabled", c"peer access already enabled";
    708, c"hipErrorSetOnActiveProcess", c"set on active process";
    709, c"hipErrorContextIsDestroyed", c"context is destroyed";
    710, c"hipErrorAssert", c"assert";
    720, c"hipErrorCooperativeLaunchTooLarge", c"cooperative launch too large";
    901, c"hipErrorStreamCaptureInvalidated", c"stream capture invalidated";
    902, c"hipErrorStreamCaptureMerge", c"stream capture merge";
    903, c"hipErrorStreamCaptureUnmatched", c"stream capture unmatched";
    904, c"hipErrorStreamCaptureUnjoined", c"stream capture unjoined";
    906, c"hipErrorStreamCaptureImplicit", c"stream capture implicit";
    907, c"hipErrorCapturedEvent", c"captured event";
    908, c"hipErrorStreamCaptureWrongThread", c"stream capture wrong thread";
    910, c"hipErrorGraphExecUpdateFailure", c"graph exec update failure";
    911, c"hipErrorInvalidChannelDescriptor", c"invalid channel descriptor";
    912, c"hipErrorInvalidTexture", c"invalid texture";
    1052, c"hipErrorRuntimeMemory", c"runtime memory";
    1053, c"hipErrorRuntimeOther", c"runtime other";
}

thread_local! {
    static LAST: Cell<Status> = const { Cell::new(Status(0)) };
}

/// Runs a call's body. A panic is an error, too, because it must not reach C.
pub(crate) fn enter(body: impl FnOnce() -> Result<()>) -> Status {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Error::Unknown));
    let status = Status(result.err().map_or(0, |error| error as i32));
    // "Not ready" is an answer and no error.
    if !matches!(result, Ok(()) | Err(Error::NotReady)) {
        LAST.set(status);
    }
    status
}

/// The largest number of explanations of a process. A program that makes one mistake in a loop
/// would otherwise fill the screen.
const EXPLANATIONS: u32 = 100;

/// Prints the details of an error, which its code does not tell, to standard error.
pub(crate) fn explain(message: impl std::fmt::Display) {
    static GIVEN: AtomicU32 = AtomicU32::new(0);
    match GIVEN.fetch_add(1, Relaxed) {
        ..EXPLANATIONS => eprintln!("libwavetune_hip: {message}"),
        EXPLANATIONS => eprintln!("libwavetune_hip: further errors are not explained"),
        // This keeps the count from wrapping around.
        _ => GIVEN.store(EXPLANATIONS + 1, Relaxed),
    }
}

/// Returns the number, name and text of an error.
pub(crate) fn row(number: i32) -> Option<&'static (i32, &'static CStr, &'static CStr)> {
    TABLE.iter().chain(OTHERS).find(|row| row.0 == number)
}

/// Returns the last error of this thread's calls.
pub(crate) fn last() -> Status {
    LAST.get()
}

/// Returns the same as [`last`], and clears it.
pub(crate) fn take_last() -> Status {
    LAST.replace(Status(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_unknown_error() {
        assert_eq!(enter(|| panic!("a test")), Status(999));
        assert_eq!(take_last(), Status(999));
        assert_eq!(take_last(), Status(0));
        assert_eq!(enter(|| Err(Error::NotReady)), Status(600));
        assert_eq!(last(), Status(0));
    }

    #[test]
    fn numbers_ascend() {
        for table in [TABLE, OTHERS] {
            assert!(table.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
        assert!(
            OTHERS
                .iter()
                .all(|row| TABLE.iter().all(|one| one.0 != row.0))
        );
    }
}
