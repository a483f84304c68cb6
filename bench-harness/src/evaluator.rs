//! Evaluators: the interface through which a study evaluates kernels, with the device in this
//! process or in another.

use codegen::CompiledKernel;

use crate::bench::{Bench, BenchOutcome};
use crate::device::{DeviceError, Identity, KernelDevice};
use crate::inputs::Inputs;

/// A device without a problem. It may move between threads.
pub trait Rig: Send {
    /// Returns the device's identity.
    fn identity(&self) -> &Identity;

    /// Opens the device with the inputs on it. When the evaluator is dropped, the device can take
    /// the next problem.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if they do not fit, [`DeviceError::Crash`].
    fn open<'a>(&'a mut self, inputs: &'a Inputs) -> Result<Box<dyn Evaluator + 'a>, DeviceError>;
}

/// An evaluator of the kernels of one problem, one after the other.
pub trait Evaluator {
    /// Verifies a kernel on every input and, unless it is wrong, times it.
    ///
    /// # Errors
    /// The device cannot be used any more, for no fault of this kernel. A [`BenchOutcome`]
    /// reports faults of the kernel.
    fn evaluate(&mut self, kernel: &CompiledKernel) -> Result<BenchOutcome, DeviceError>;

    /// Times a kernel, and verifies it if it takes less than `limit_us` microseconds. A device
    /// with varying times verifies every kernel: see [`Bench::evaluate_below`].
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    fn evaluate_below(
        &mut self,
        kernel: &CompiledKernel,
        limit_us: f64,
    ) -> Result<BenchOutcome, DeviceError> {
        let _ = limit_us;
        self.evaluate(kernel)
    }
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

    fn evaluate_below(
        &mut self,
        kernel: &CompiledKernel,
        limit_us: f64,
    ) -> Result<BenchOutcome, DeviceError> {
        Bench::evaluate_below(self, kernel, limit_us)
    }
}
