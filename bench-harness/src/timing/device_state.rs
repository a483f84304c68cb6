//! What a device says of itself beside its times.

use serde::{Deserialize, Serialize};

/// The state of a device at a moment. It explains times; nothing is decided by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceState {
    /// Engine clock in MHz.
    pub clock_mhz: Option<u32>,
    /// Temperature in degrees Celsius.
    pub temperature_c: Option<i32>,
}
