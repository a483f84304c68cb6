//! Evaluators: what a study gives its kernels to, whether the device behind it is used by this process or by another.

use codegen::CompiledKernel;

use crate::bench::{Bench, BenchOutcome};
use crate::device::{DeviceError, Identity, KernelDevice};
use crate::inputs::Inputs;

/// A device that waits for a problem. Threads may hand it on.
pub trait Rig: Send {
    /// What the device is.
    fn identity(&self) -> &Identity;

    /// The device with the inputs on it, until the evaluator is dropped; then it waits for the next problem.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if they do not fit, [`DeviceError::Crash`].
    fn open<'a>(&'a mut self, inputs: &'a Inputs) -> Result<Box<dyn Evaluator + 'a>, DeviceError>;
}

/// Evaluates kernels of one problem, one after the other.
pub trait Evaluator {
    /// Verifies a kernel on every input and, unless it is wrong, times it.
    ///
    /// # Errors
    /// The device cannot be used any more, for no fault of this kernel: what happens to a kernel is an [`Outcome`].
    fn evaluate(&mut self, kernel: &CompiledKernel) -> Result<BenchOutcome, DeviceError>;
}

/// A device that this process uses itself.
impl<D: KernelDevice> Rig for D {
    fn identity(&self) -> &Identity {
        KernelDevice::identity(self)
    }

    fn open<'a>(&'a mut self, inputs: &'a Inputs) -> Result<Box<dyn Evaluator + 'a>, DeviceError> {
        Ok(Box::new(Bench::new(self, inputs)?))
    }
}

impl Evaluator for Bench<'_> {
    fn evaluate(&mut self, kernel: &CompiledKernel) -> Result<BenchOutcome, DeviceError> {
        Bench::evaluate(self, kernel)
    }
}
