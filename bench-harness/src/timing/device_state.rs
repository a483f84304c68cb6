//! The state that a device reports beside its times.

use serde::{Deserialize, Serialize};

/// The state of a device at one moment. It explains times; no decision depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceState {
    /// The engine clock in MHz.
    pub clock_mhz: Option<u32>,
    /// The temperature in degrees Celsius.
    pub temperature_c: Option<i32>,
}
