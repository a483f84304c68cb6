//! A device as its runtime describes it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A runtime's description of a device: the properties that decide its times, in whole units.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RuntimeDevice {
    /// The name.
    pub name: String,
    /// The instruction set, with features.
    pub isa: String,
    /// The compute units, or workgroup processors.
    pub multiprocessors: u32,
    /// The peak clock in MHz.
    pub clock_mhz: u32,
    /// The memory in MiB.
    pub memory_mib: u64,
    /// The peak clock of the memory in MHz.
    pub memory_clock_mhz: u32,
    /// The width of the memory bus in bits.
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
