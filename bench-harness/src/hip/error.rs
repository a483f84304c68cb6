//! Errors of HIP's functions, and what they say of a kernel.

use super::api;
use crate::device::DeviceError;

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{call} returned {name} ({code}){meaning}", meaning = self.meaning())]
pub(super) struct HipError {
    /// The function.
    pub(super) call: &'static str,
    /// `hipError_t`.
    pub(super) code: api::Code,
    /// Its name; empty where the library does not know it.
    pub(super) name: String,
    /// What the library says of it.
    pub(super) meaning: String,
}

impl HipError {
    /// What the library says beyond the name, which older ones repeat.
    fn meaning(&self) -> String {
        match self.meaning == self.name {
            true => String::new(),
            false => format!(": {}", self.meaning),
        }
    }

    /// Whether the device has no room.
    pub(super) fn is_out_of_memory(&self) -> bool {
        self.code == api::OUT_OF_MEMORY
    }
}

/// Whose fault it is: the code object's, the kernel's, or else the driver's.
impl From<HipError> for DeviceError {
    fn from(error: HipError) -> DeviceError {
        let message = error.to_string();
        match error.code {
            // What the launch asks for, or the code object.
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
    fn whose_fault_it_is() {
        check(api::NO_BINARY_FOR_GPU, DeviceError::Load);
        check(api::NOT_FOUND, DeviceError::Load);
        check(api::ILLEGAL_ADDRESS, DeviceError::Fault);
        check(api::LAUNCH_FAILURE, DeviceError::Fault);
        check(api::LAUNCH_TIME_OUT, DeviceError::Timeout);
        check(999, DeviceError::Crash);
        check(api::INVALID_VALUE, DeviceError::Load);
    }
}
