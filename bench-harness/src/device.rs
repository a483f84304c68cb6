//! Devices: one trait for everything that runs kernels, a GPU or the emulator.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use codegen::CompiledKernel;
use configgen::{Clock, Device as DeviceRow, RuntimeDevice};
use serde::{Deserialize, Serialize};

use crate::operation::POISON;
use crate::timing::Measurement;

/// The identity of a device: its part of a measurement's provenance.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The name on the command line, such as `emulated:mi300x`.
    pub name: String,
    /// The row of the device table.
    pub row: &'static DeviceRow,
    /// The runtime's description of the device. `None` for a device that is only a row of the
    /// table.
    pub part: Option<RuntimeDevice>,
    /// The driver or emulator that executes kernels.
    pub driver: Driver,
    /// The clock of its times, measured or modelled.
    pub clock: Clock,
    /// The cache state that the clock measures: `cold` (caches hold nothing of the problem) or
    /// `warm`.
    pub timing_mode: &'static str,
}

/// The driver or emulator that executes kernels. An absent part is empty text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Driver {
    /// The driver's name.
    pub name: String,
    /// The driver's version.
    pub version: String,
    /// The version of the runtime library above it.
    pub runtime_version: String,
    /// The version of the operating system's module below it.
    pub kernel_version: String,
    /// The source of modelled times: a hash of the time model and its figures, or of the library
    /// that contains both.
    pub model: String,
}

impl Identity {
    /// Returns true if every sample of a kernel is the same number, because a model computes it.
    /// Such times do not drift, and one comparison suffices.
    pub fn is_exact(&self) -> bool {
        self.clock == Clock::Modelled
    }
}

/// A buffer on a device: a number that the device chose, such as its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Buffer(pub u64);

/// One launch of a kernel, and the launches that follow it.
#[derive(Debug, Clone, Copy)]
pub struct DeviceLaunch<'a> {
    /// The kernel.
    pub kernel: &'a CompiledKernel,
    /// One buffer for each of the kernel's buffers, at least as large.
    pub buffers: &'a [Buffer],
    /// The value of [`Kernarg::IndexBase`], within its type.
    ///
    /// [`Kernarg::IndexBase`]: codegen::Kernarg::IndexBase
    pub index_base: i64,
    /// The number of instructions per wave after which the kernel counts as hung, on devices that
    /// count them.
    pub instruction_limit: u64,
    /// The time after which the launch counts as hung, on devices that do not count instructions.
    pub time_limit: Duration,
    /// The linear ids of the workgroups to run, or `None` for all. Only devices that [run
    /// parts](KernelDevice::runs_parts) honour it.
    pub only: Option<&'a [u32]>,
    /// False if the results alone matter, because the kernel was checked before. A device that
    /// checks kernels may then run it faster.
    pub is_checked: bool,
    /// The next launch, with the same buffers. Its time is part of this one's.
    pub then: Option<&'a DeviceLaunch<'a>>,
}

impl<'a> DeviceLaunch<'a> {
    /// Iterates over the launch and those that follow it, in order.
    pub fn each<'b>(&'b self) -> impl Iterator<Item = &'b DeviceLaunch<'a>> + use<'a, 'b> {
        std::iter::successors(Some(self), |launch| launch.then)
    }
}

/// The reason why a device could not perform a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum DeviceError {
    /// The device cannot load the code object.
    #[error("the code object cannot be loaded: {0}")]
    Load(String),
    /// The kernel faulted: an access out of bounds, an unknown instruction, or a finding of the
    /// emulator's checker (see [`emulator::check`]).
    #[error("the kernel faulted: {0}")]
    Fault(String),
    /// The kernel did not end in time.
    #[error("the kernel did not finish: {0}")]
    Timeout(String),
    /// The driver, or the process that uses it, died or does not work any more.
    #[error("the device failed: {0}")]
    Crash(String),
    /// The device has no room for a buffer.
    #[error("no memory for a buffer of {bytes} bytes: {message}")]
    Memory {
        /// The requested size in bytes.
        bytes: u64,
        /// The device's message.
        message: String,
    },
}

/// A device that runs kernels. One thread uses it at a time.
pub trait KernelDevice: Send {
    /// Returns the device's identity.
    fn identity(&self) -> &Identity;

    /// Returns true if the device honours [`DeviceLaunch::only`].
    fn runs_parts(&self) -> bool;

    /// Returns how many times the bench repeats a launch on the same input, to see if the results
    /// are stable. A device that finds races itself needs none.
    fn repeats(&self) -> u32 {
        0
    }

    /// Allocates a buffer of `bytes` bytes, all zero.
    ///
    /// # Errors
    /// [`DeviceError::Memory`].
    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceError>;

    /// Frees a buffer. The caller must not use it any more.
    fn free(&mut self, buffer: Buffer);

    /// Copies `bytes` into a buffer from byte `offset` on; they must fit.
    ///
    /// # Errors
    /// [`DeviceError::Crash`].
    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Fills these bytes of a buffer with a pattern that no kernel writes. A device that checks
    /// kernels counts them as never written.
    ///
    /// # Errors
    /// [`DeviceError::Crash`].
    fn poison(&mut self, buffer: Buffer, bytes: Range<u64>) -> Result<(), DeviceError> {
        let length = (bytes.end - bytes.start) as usize;
        self.write(buffer, bytes.start, &vec![POISON; length])
    }

    /// Returns these bytes of a buffer, which must lie in it. The result is a copy if the host
    /// cannot see them.
    ///
    /// # Errors
    /// [`DeviceError::Crash`].
    fn read(&self, buffer: Buffer, bytes: Range<u64>) -> Result<Cow<'_, [u8]>, DeviceError>;

    /// Runs a kernel and its following launches to their end. A device that checks kernels fails
    /// with its findings, unless a launch [asks for none](DeviceLaunch::is_checked).
    ///
    /// # Errors
    /// [`DeviceError::Load`], [`DeviceError::Fault`], [`DeviceError::Timeout`] or
    /// [`DeviceError::Crash`].
    fn launch(&mut self, launch: &DeviceLaunch<'_>) -> Result<(), DeviceError>;

    /// Times a kernel: the geometric mean over `launches`. There is at least one, and all share
    /// their buffers.
    ///
    /// # Errors
    /// As [`KernelDevice::launch`].
    fn time(&mut self, launches: &[DeviceLaunch<'_>]) -> Result<Measurement, DeviceError>;
}
