//! Devices: what runs kernels, behind one trait whether it is a GPU or the emulator.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use codegen::CompiledKernel;
use configgen::{Clock, Device as DeviceRow, RuntimeDevice};
use serde::{Deserialize, Serialize};

use crate::operation::POISON;
use crate::timing::Measurement;

/// What a device is: its part of a measurement's provenance.
#[derive(Debug, Clone)]
pub struct Identity {
    /// Name on the command line, such as `emulated:mi300x`.
    pub name: String,
    /// Facts of the part.
    pub row: &'static DeviceRow,
    /// What its runtime says of it; none of a device that is that row and no more.
    pub part: Option<RuntimeDevice>,
    /// What executes kernels.
    pub driver: Driver,
    /// Whose clock its times are of.
    pub clock: Clock,
    /// What the clock measures: `cold` (caches hold nothing of the problem) or `warm`.
    pub timing_mode: &'static str,
}

/// What executes kernels: a driver, or the emulator. An empty text is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Driver {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Version of the runtime library above it.
    pub runtime_version: String,
    /// Version of the operating system's module below it.
    pub kernel_version: String,
    /// What tells the time where no clock does: a hash of the time model and its figures, or of the library that has both.
    pub model: String,
}

impl Identity {
    /// Whether every sample of a kernel is the same number: what a model computes, and not what a clock measures. Then
    /// nothing drifts, and what is faster once is faster always.
    pub fn is_exact(&self) -> bool {
        self.clock == Clock::Modelled
    }
}

/// A buffer on a device: a number that the device chose, such as its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Buffer(pub u64);

/// One launch of a kernel, and those that follow it.
#[derive(Debug, Clone, Copy)]
pub struct DeviceLaunch<'a> {
    /// The kernel.
    pub kernel: &'a CompiledKernel,
    /// A buffer for each of the kernel's, at least as large.
    pub buffers: &'a [Buffer],
    /// The value of [`Argument::IndexBase`], within its type.
    ///
    /// [`Argument::IndexBase`]: codegen::Argument::IndexBase
    pub index_base: i64,
    /// Instructions that a wave may execute before the kernel counts as hung, on devices that count them.
    pub instruction_limit: u64,
    /// Time that the launch may take before the kernel counts as hung, on devices that do not.
    pub time_limit: Duration,
    /// Linear ids of the workgroups to run, or all of them. Only for devices that [can](Device::runs_parts).
    pub only: Option<&'a [u32]>,
    /// What is launched when this one has ended, with the same buffers. Its time is part of this one's.
    pub then: Option<&'a DeviceLaunch<'a>>,
}

impl<'a> DeviceLaunch<'a> {
    /// The launch and those that follow it, in order.
    pub fn each<'b>(&'b self) -> impl Iterator<Item = &'b DeviceLaunch<'a>> + use<'a, 'b> {
        std::iter::successors(Some(self), |launch| launch.then)
    }
}

/// Why a device could not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum DeviceError {
    /// The code object cannot be loaded.
    #[error("the code object cannot be loaded: {0}")]
    Load(String),
    /// The kernel did something that stops it: an access out of bounds, an unknown instruction. Or
    /// what the emulator's checker finds: see [`emulator::check`].
    #[error("the kernel faulted: {0}")]
    Fault(String),
    /// The kernel did not end in time.
    #[error("the kernel did not end: {0}")]
    Timeout(String),
    /// What runs kernels died or does not work any more: a driver, or the process that uses it.
    #[error("the device failed: {0}")]
    Crash(String),
    /// The device has no room for a buffer.
    #[error("no room for a buffer of {bytes} bytes: {message}")]
    Memory {
        /// Size asked for.
        bytes: u64,
        /// What the device said.
        message: String,
    },
}

/// A device that runs kernels. One thread uses it at a time.
pub trait KernelDevice: Send {
    /// What the device is.
    fn identity(&self) -> &Identity;

    /// Whether [`Launch::only`] is honoured.
    fn runs_parts(&self) -> bool;

    /// How often a launch is repeated on the same input, to see whether the same comes of it; not at all where the
    /// device finds races itself.
    fn repeats(&self) -> u32 {
        0
    }

    /// A new buffer of `bytes` bytes, all zero.
    ///
    /// # Errors
    /// [`DeviceError::Memory`].
    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceError>;

    /// Gives a buffer back. It must not be used any more.
    fn free(&mut self, buffer: Buffer);

    /// Copies `bytes` into a buffer from byte `offset` on; they must fit.
    ///
    /// # Errors
    /// [`DeviceError::Crash`].
    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Fills these bytes of a buffer with what no kernel writes. A device that checks kernels takes them for never written.
    ///
    /// # Errors
    /// [`DeviceError::Crash`].
    fn poison(&mut self, buffer: Buffer, bytes: Range<u64>) -> Result<(), DeviceError> {
        let length = (bytes.end - bytes.start) as usize;
        self.write(buffer, bytes.start, &vec![POISON; length])
    }

    /// These bytes of a buffer, which must be there; a copy where the host cannot see them.
    ///
    /// # Errors
    /// [`DeviceError::Crash`].
    fn read(&self, buffer: Buffer, bytes: Range<u64>) -> Result<Cow<'_, [u8]>, DeviceError>;

    /// Runs a kernel to its end, and what follows it. A device that checks kernels fails with what it finds.
    ///
    /// # Errors
    /// [`DeviceError::Load`], [`DeviceError::Fault`], [`DeviceError::Timeout`] or [`DeviceError::Crash`].
    fn launch(&mut self, launch: &DeviceLaunch<'_>) -> Result<(), DeviceError>;

    /// Times a kernel: the geometric mean over these launches of it, which share their buffers and of which there is one at
    /// least.
    ///
    /// # Errors
    /// As [`Device::launch`].
    fn time(&mut self, launches: &[DeviceLaunch<'_>]) -> Result<Measurement, DeviceError>;
}
