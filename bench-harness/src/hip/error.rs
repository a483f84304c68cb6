//! Errors of HIP functions, and the faults that they mean for a kernel.

use super::api;
use crate::device::DeviceError;

/// The error of a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{call} returned {name} ({code}){meaning}", meaning = self.meaning())]
pub(super) struct HipError {
    /// The function.
    pub(super) call: &'static str,
    /// The code, a `hipError_t`.
    pub(super) code: api::Code,
    /// The error's name. Empty if the library does not know the code.
    pub(super) name: String,
    /// The library's description of the error.
    pub(super) meaning: String,
}

impl HipError {
    /// Returns the library's description, unless it only repeats the name, as older libraries do.
    fn meaning(&self) -> String {
        match self.meaning == self.name {
            true => String::new(),
            false => format!(": {}", self.meaning),
        }
    }

    /// Returns true if the device has no memory left.
    pub(super) fn is_out_of_memory(&self) -> bool {
        self.code == api::OUT_OF_MEMORY
    }
}

/// Assigns the fault to the code object, the kernel or else the driver.
impl From<HipError> for DeviceError {
    fn from(error: HipError) -> DeviceError {
        let message = error.to_string();
        match error.code {
            // The launch parameters or the code object are invalid.
            api::INVALID_VALUE if error.call.starts_with("hipModule") => DeviceError::Load(message),
            api::INVALID_IMAGE
            | api::NO_BINARY_FOR_GPU
            | api::INVALID_KERNEL_FILE
            | api::NOT_FOUND
            | api::INVALID_DEVICE_FUNCTION
            | api::INVALID_CONFIGURATION
            | api::LAUNCH_OUT_OF_RESOURCES => DeviceError::Load(message),
            api::ILLEGAL_ADDRESS | api::ASSERT | api::LAUNCH_FAILURE => DeviceError::Fault(message),
            api::LAUNCH_TIME_OUT => DeviceError::Timeout(message),
            _ => DeviceError::Crash(message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: api::Code, expected: fn(String) -> DeviceError) {
        let error = HipError {
            call: "hipModuleLoadData",
            code,
            name: "hipErrorName".to_owned(),
            meaning: "what it means".to_owned(),
        };
        let text = format!("hipModuleLoadData returned hipErrorName ({code}): what it means");
        assert_eq!(DeviceError::from(error), expected(text));
    }

    #[test]
    fn errors_name_the_party_at_fault() {
        check(api::NO_BINARY_FOR_GPU, DeviceError::Load);
        check(api::NOT_FOUND, DeviceError::Load);
        check(api::ILLEGAL_ADDRESS, DeviceError::Fault);
        check(api::LAUNCH_FAILURE, DeviceError::Fault);
        check(api::LAUNCH_TIME_OUT, DeviceError::Timeout);
        check(999, DeviceError::Crash);
        check(api::INVALID_VALUE, DeviceError::Load);
    }
}
