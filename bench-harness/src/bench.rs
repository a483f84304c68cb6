//! The bench: it verifies a kernel on every input, and only then times it.

mod buffers;

use std::time::Duration;

use codegen::{CompiledKernel, Slot};
use serde::{Deserialize, Serialize};

use crate::addressing::OutputAddressing;
use crate::device::{Buffer, DeviceError, DeviceLaunch, KernelDevice};
use crate::hang_limit;
use crate::inputs::Inputs;
use crate::launch_counts;
use crate::launch_part::LaunchPart;
use crate::operation::Difference;
use crate::timing::Measurement;
use crate::verdict::{Outputs, Verdict, compare, guards_all_rows, instability};

/// The outcome of one kernel. Only a kernel that is not wrong has a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum BenchOutcome {
    /// Correct on every input, with the largest error as in [`Verdict::Right`].
    Right(Measurement, f64),
    /// Correct indices, but some value is a zero of the other sign.
    SignOfZero(Measurement, Difference),
    /// Correct values, but some index among equal elements differs from the reference's
    /// tie-break.
    Tie(Measurement, Difference),
    /// Wrong on some input.
    Wrong(Difference),
    /// Two launches on the same input gave different results. The difference is of the first
    /// wrong launch.
    Unstable(Difference),
    /// The device could not run the kernel to its end.
    Failed(DeviceError),
    /// Timed and not verified, because it was too slow: see [`Bench::evaluate_below`].
    Timed(Measurement),
}

/// The buffers that the bench allocated for a kernel, one per kernel buffer, for all of its
/// launches. `None` stands for a buffer of inputs that already lies on the device.
type KernelBuffers = [Option<Buffer>];

/// A device with the inputs of one problem on it. Dropping the bench frees their buffers.
pub struct Bench<'a> {
    device: &'a mut dyn KernelDevice,
    inputs: &'a Inputs,
    /// The elements, one buffer for each launch of the inputs.
    elements: Vec<Buffer>,
    /// The operands: for each set of operands, one buffer per operand.
    operands: Vec<Vec<Buffer>>,
    /// True if the inputs on the device are intact. The last kernel may have written to them.
    filled: bool,
    /// The time limit of one launch, computed once: its lower bound needs a search.
    time_limit: Duration,
}

impl<'a> Bench<'a> {
    /// Creates a bench and writes the inputs to the device.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if they do not fit, [`DeviceError::Crash`].
    pub fn new(
        device: &'a mut dyn KernelDevice,
        inputs: &'a Inputs,
    ) -> Result<Bench<'a>, DeviceError> {
        let problem = inputs.problem();
        let time_limit = hang_limit::time(problem, device.identity());
        let mut bench = Bench {
            device,
            inputs,
            elements: Vec::with_capacity(inputs.launches().len()),
            operands: Vec::new(),
            filled: false,
            time_limit,
        };
        for _ in inputs.launches() {
            let buffer = bench.device.allocate(problem.input_bytes())?;
            bench.elements.push(buffer);
        }
        for _ in 0..inputs.operand_sets() {
            bench.operands.push(Vec::new());
            for bytes in inputs.operand_bytes() {
                let buffer = bench.device.allocate(bytes)?;
                bench
                    .operands
                    .last_mut()
                    .expect("it was pushed")
                    .push(buffer);
            }
        }
        bench.fill()?;
        Ok(bench)
    }

    /// Writes the inputs to the device.
    fn fill(&mut self) -> Result<(), DeviceError> {
        for number in 0..self.inputs.launches().len() {
            self.fill_launch(number)?;
        }
        self.fill_operands()?;
        self.filled = true;
        Ok(())
    }

    fn fill_operands(&mut self) -> Result<(), DeviceError> {
        let (inputs, device) = (self.inputs, &mut self.device);
        for (set, buffers) in self.operands.iter().enumerate() {
            for (operand, &buffer) in buffers.iter().enumerate() {
                let write = |offset, bytes: &[u8]| device.write(buffer, offset, bytes);
                inputs.write_operand(set, operand, write)?;
            }
        }
        Ok(())
    }

    fn fill_launch(&mut self, number: usize) -> Result<(), DeviceError> {
        let (launch, buffer) = (&self.inputs.launches()[number], self.elements[number]);
        let device = &mut self.device;
        let write = |offset, bytes: &[u8]| device.write(buffer, offset, bytes);
        self.inputs.write_elements(launch, write)
    }

    /// Verifies a kernel on every input and, unless it is wrong, times it.
    ///
    /// # Errors
    /// [`DeviceError::Crash`] if the device cannot take the inputs, which is no fault of the
    /// kernel. A [`BenchOutcome`] reports faults of the kernel.
    pub fn evaluate(&mut self, kernel: &CompiledKernel) -> Result<BenchOutcome, DeviceError> {
        self.verify_and_time(kernel, None)
    }

    /// Times a kernel on a device with exact times, and verifies it if it takes less than
    /// `limit_us` microseconds. On other devices, it does the same as
    /// [`evaluate`](Self::evaluate): their times vary, and finals need verified kernels.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn evaluate_below(
        &mut self,
        kernel: &CompiledKernel,
        limit_us: f64,
    ) -> Result<BenchOutcome, DeviceError> {
        if !self.device.identity().is_exact() {
            return self.evaluate(kernel);
        }
        match self.time_first(kernel)? {
            Some(time) if time.median_us() >= limit_us => Ok(BenchOutcome::Timed(time)),
            time => self.verify_and_time(kernel, time),
        }
    }

    /// Verifies a kernel and times it, unless its `time` is known.
    fn verify_and_time(
        &mut self,
        kernel: &CompiledKernel,
        mut time: Option<Measurement>,
    ) -> Result<BenchOutcome, DeviceError> {
        if !self.filled {
            self.fill()?;
        }
        // Closures share one set of buffers, so that a failure on any path still frees them.
        let outcome = self.with_buffers(kernel, |bench, own| {
            let verdict = bench.try_verify(kernel, own)?;
            let mut time = || match time.take() {
                Some(time) => Ok(time),
                None => bench.time(kernel, own),
            };
            Ok(match verdict {
                Verdict::Right(error) => BenchOutcome::Right(time()?, error),
                Verdict::SignOfZeroDiffers(difference) => {
                    BenchOutcome::SignOfZero(time()?, difference)
                }
                Verdict::TieIndexDiffers(difference) => BenchOutcome::Tie(time()?, difference),
                Verdict::Wrong(difference) => BenchOutcome::Wrong(difference),
                Verdict::Unstable(difference) => BenchOutcome::Unstable(difference),
            })
        });
        let outcome = outcome.unwrap_or_else(BenchOutcome::Failed);
        // A kernel that failed or is wrong may have written to its input. The next kernel would
        // be blamed for that, so the inputs are written again.
        self.filled = matches!(
            outcome,
            BenchOutcome::Right(..) | BenchOutcome::SignOfZero(..) | BenchOutcome::Tie(..)
        );
        Ok(outcome)
    }

    /// Times a kernel that is not verified. Returns `None` if it fails: its verification finds the
    /// reason.
    fn time_first(&mut self, kernel: &CompiledKernel) -> Result<Option<Measurement>, DeviceError> {
        if !self.filled {
            self.fill_launch(0)?;
            self.fill_operands()?;
        }
        // An unverified kernel may have written to its input.
        self.filled = false;
        Ok(self
            .with_buffers(kernel, |bench, own| bench.time(kernel, own))
            .ok())
    }

    /// Verifies a kernel on every input, up to the first launch with a wrong result.
    ///
    /// # Errors
    /// As [`KernelDevice::launch`].
    pub fn verify(&mut self, kernel: &CompiledKernel) -> Result<Verdict, DeviceError> {
        self.with_buffers(kernel, |bench, own| bench.try_verify(kernel, own))
    }

    fn try_verify(
        &mut self,
        kernel: &CompiledKernel,
        own: &KernelBuffers,
    ) -> Result<Verdict, DeviceError> {
        let inputs = self.inputs;
        let rows = inputs.problem().shape.rows();
        let part = LaunchPart::of(kernel, inputs, rows, self.device.runs_parts());
        let repeats = self.device.repeats();
        let mut verdict = Verdict::Right(0.0);
        for (number, launch) in inputs.launches().iter().enumerate() {
            // The allocation has already poisoned small buffers for the first launch.
            match number {
                0 => self.poison_large(kernel, own, &part.rows)?,
                _ => self.poison_again(kernel, own, &part.rows)?,
            }
            // The checker's findings depend on addresses and not on values, so further launches
            // need no checker. The last one may have other operands, which gather.
            let is_last = number + 1 == inputs.launches().len();
            let is_checked = number == 0 || is_last;
            let outputs = self.run(kernel, own, (&part, is_checked), number)?;
            let found = compare(inputs, launch, &outputs, &part.rows);
            let is_wrong = matches!(found, Verdict::Wrong(_));
            // Repeats cost device time. One input suffices to see a race, and a wrong result
            // needs them to tell `Unstable` from `Wrong`.
            if (is_wrong || is_last) && repeats > 0 {
                let before = outputs.into_owned();
                if let Some(difference) = self.repeat(kernel, own, &part, number, &before)? {
                    return Ok(Verdict::Unstable(difference));
                }
            }
            if is_wrong {
                return Ok(found);
            }
            verdict = verdict.of_both(found);
        }
        // Smaller counts reuse the launches' inputs in turn, so that several index bases and
        // initial pairs occur.
        for (turn, &count) in launch_counts::verified_counts(inputs.problem(), kernel)
            .iter()
            .enumerate()
        {
            let found = self.try_count(kernel, own, count, turn % inputs.launches().len())?;
            if matches!(found, Verdict::Wrong(_)) {
                return Ok(found);
            }
            verdict = verdict.of_both(found);
        }
        Ok(verdict)
    }

    /// Verifies a kernel with a count below the largest, on the first rows of launch `number`.
    fn try_count(
        &mut self,
        kernel: &CompiledKernel,
        own: &KernelBuffers,
        count: u32,
        number: usize,
    ) -> Result<Verdict, DeviceError> {
        let inputs = self.inputs;
        let launched = launch_counts::kernels_with_counts(kernel, &[count])?.remove(0);
        // The part is smaller than the buffers: rows behind the count must keep their poison, so
        // all rows are poisoned.
        let rows = inputs.problem().at_count(count).shape.rows();
        let part = LaunchPart::of(&launched, inputs, rows, self.device.runs_parts());
        if guards_all_rows(inputs.problem()) {
            let all = LaunchPart::whole(inputs.problem().shape.rows());
            self.poison_again(&launched, own, &all.rows)?;
        }
        self.poison_large(&launched, own, &part.rows)?;
        let outputs = self.run(&launched, own, (&part, true), number)?;
        let found = compare(inputs, &inputs.launches()[number], &outputs, &part.rows);
        Ok(found.with_input(&format!("count {count}")))
    }

    /// Runs a part of launch `number` and returns its outputs. The caller has poisoned the
    /// buffers. Unless `is_checked`, a device that checks kernels need not do so.
    fn run(
        &mut self,
        kernel: &CompiledKernel,
        own: &KernelBuffers,
        (part, is_checked): (&LaunchPart, bool),
        number: usize,
    ) -> Result<Outputs<'_>, DeviceError> {
        let buffers = self.prepare(kernel, own, number, &part.rows)?;
        // A split reduction has a second kernel, which merges the pieces of rows.
        let merging = kernel.merge_kernel();
        let merge = merging
            .as_ref()
            .map(|kernel| self.launch(kernel, &buffers, number, part.merging.as_deref()));
        let merge = merge.map(|launch| DeviceLaunch {
            is_checked,
            ..launch
        });
        let launch = self.launch(kernel, &buffers, number, part.workgroups.as_deref());
        self.device.launch(&DeviceLaunch {
            then: merge.as_ref(),
            is_checked,
            ..launch
        })?;
        self.outputs(kernel, &buffers)
    }

    /// Returns the slot of each result, with the addressing of its rows.
    fn results(&self, kernel: &CompiledKernel) -> Vec<(Slot, &'a OutputAddressing)> {
        let slots = kernel.results.iter().copied();
        slots.zip(self.inputs.outputs()).collect()
    }

    fn outputs(
        &self,
        kernel: &CompiledKernel,
        buffers: &[Buffer],
    ) -> Result<Outputs<'_>, DeviceError> {
        let read = |(slot, output): (Slot, &OutputAddressing)| {
            self.device.read(
                buffers[slot.buffer],
                slot.offset..slot.offset + output.bytes,
            )
        };
        let tensors: Result<_, _> = self.results(kernel).into_iter().map(read).collect();
        Ok(Outputs(tensors?))
    }

    fn launch<'b>(
        &self,
        kernel: &'b CompiledKernel,
        buffers: &'b [Buffer],
        number: usize,
        only: Option<&'b [u32]>,
    ) -> DeviceLaunch<'b> {
        DeviceLaunch {
            kernel,
            buffers,
            index_base: self.inputs.launches()[number].index_base,
            instruction_limit: hang_limit::instructions(self.inputs.problem()),
            time_limit: self.time_limit,
            only,
            is_checked: true,
            then: None,
        }
    }

    /// Repeats launch `number` as often as the device requests, until its results change.
    fn repeat(
        &mut self,
        kernel: &CompiledKernel,
        own: &KernelBuffers,
        part: &LaunchPart,
        number: usize,
        before: &Outputs<'static>,
    ) -> Result<Option<Difference>, DeviceError> {
        let inputs = self.inputs;
        let launch = &inputs.launches()[number];
        for _ in 0..self.device.repeats() {
            // The kernel may have overwritten its input, and each repeat needs the same input.
            self.fill_launch(number)?;
            self.poison_again(kernel, own, &part.rows)?;
            let outputs = self.run(kernel, own, (part, true), number)?;
            let difference = instability(inputs, launch, before, &outputs);
            if difference.is_some() {
                return Ok(difference);
            }
        }
        Ok(None)
    }

    fn time(
        &mut self,
        kernel: &CompiledKernel,
        own: &KernelBuffers,
    ) -> Result<Measurement, DeviceError> {
        let whole = LaunchPart::whole(self.inputs.problem().shape.rows());
        let buffers = self.prepare(kernel, own, 0, &whole.rows)?;
        // A kernel with an open count is timed at several counts. Other problems have none, and
        // the kernel runs as it is.
        let counts = self.inputs.problem().timed_counts();
        let launched = launch_counts::kernels_with_counts(kernel, &counts)?;
        let kernels = match launched.as_slice() {
            [] => std::slice::from_ref(kernel),
            several => several,
        };
        let merging: Vec<_> = kernels.iter().map(CompiledKernel::merge_kernel).collect();
        let merges = merging.iter().map(|kernel| {
            let kernel = kernel.as_ref();
            kernel.map(|kernel| self.launch(kernel, &buffers, 0, None))
        });
        let merges: Vec<Option<DeviceLaunch<'_>>> = merges.collect();
        let launches = kernels.iter().zip(&merges);
        let launches = launches.map(|(kernel, merge)| DeviceLaunch {
            then: merge.as_ref(),
            ..self.launch(kernel, &buffers, 0, None)
        });
        let launches: Vec<DeviceLaunch<'_>> = launches.collect();
        self.device.time(&launches)
    }
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        let operands = self.operands.drain(..).flatten();
        for buffer in self.elements.drain(..).chain(operands) {
            self.device.free(buffer);
        }
    }
}
