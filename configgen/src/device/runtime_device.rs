//! A device in the words of the runtime that found it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a runtime says of a device: what decides its times, in whole units.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RuntimeDevice {
    /// Its name.
    pub name: String,
    /// Its instruction set, with features.
    pub isa: String,
    /// Compute units, or workgroup processors.
    pub multiprocessors: u32,
    /// Peak clock in MHz.
    pub clock_mhz: u32,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Peak clock of the memory in MHz.
    pub memory_clock_mhz: u32,
    /// Width of the memory bus in bits.
    pub memory_bits: u32,
}

impl fmt::Display for RuntimeDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuntimeDevice {
            name,
            isa,
            multiprocessors,
            clock_mhz,
            memory_mib,
            memory_clock_mhz,
            memory_bits,
        } = self;
        write!(
            f,
            "{name}, {isa}, {multiprocessors} multiprocessors at {clock_mhz} MHz, {memory_mib} MiB at \
             {memory_clock_mhz} MHz and {memory_bits} bits"
        )
    }
}
