//! The bench: it verifies a kernel on every input, and only then times it.

use std::ops::Range;
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
use crate::verdict::{Outputs, Verdict, compare, instability};

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
        let inputs = self.inputs;
        for number in 0..inputs.launches().len() {
            self.fill_launch(number)?;
        }
        let device = &mut self.device;
        for (set, buffers) in self.operands.iter().enumerate() {
            for (operand, &buffer) in buffers.iter().enumerate() {
                let write = |offset, bytes: &[u8]| device.write(buffer, offset, bytes);
                inputs.write_operand(set, operand, write)?;
            }
        }
        self.filled = true;
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
        if !self.filled {
            self.fill()?;
        }
        // Closures share one set of buffers, so that a failure on any path still frees them.
        let outcome = self.with_buffers(kernel, |bench, own| {
            Ok(match bench.try_verify(kernel, own)? {
                Verdict::Right(error) => BenchOutcome::Right(bench.time(kernel, own)?, error),
                Verdict::SignOfZeroDiffers(difference) => {
                    BenchOutcome::SignOfZero(bench.time(kernel, own)?, difference)
                }
                Verdict::TieIndexDiffers(difference) => {
                    BenchOutcome::Tie(bench.time(kernel, own)?, difference)
                }
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
            // The allocation has already poisoned the buffers for the first launch.
            if number > 0 {
                self.poison_again(kernel, own, &part.rows)?;
            }
            let outputs = self.run(kernel, own, &part, number)?;
            let found = compare(inputs, launch, &outputs, &part.rows);
            let is_wrong = matches!(found, Verdict::Wrong(_));
            let is_last = number + 1 == inputs.launches().len();
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
        let all = LaunchPart::whole(inputs.problem().shape.rows());
        self.poison_again(&launched, own, &all.rows)?;
        let rows = inputs.problem().at_count(count).shape.rows();
        let part = LaunchPart::of(&launched, inputs, rows, self.device.runs_parts());
        let outputs = self.run(&launched, own, &part, number)?;
        let found = compare(inputs, &inputs.launches()[number], &outputs, &part.rows);
        Ok(found.with_input(&format!("count {count}")))
    }

    /// Runs a part of launch `number` and returns its outputs. The caller has poisoned the
    /// buffers.
    fn run(
        &mut self,
        kernel: &CompiledKernel,
        own: &KernelBuffers,
        part: &LaunchPart,
        number: usize,
    ) -> Result<Outputs<'_>, DeviceError> {
        let buffers = self.prepare(kernel, own, number, &part.rows)?;
        // A split reduction has a second kernel, which merges the pieces of rows.
        let merging = kernel.merge_kernel();
        let merge = merging
            .as_ref()
            .map(|kernel| self.launch(kernel, &buffers, number, part.merging.as_deref()));
        let launch = self.launch(kernel, &buffers, number, part.workgroups.as_deref());
        self.device.launch(&DeviceLaunch {
            then: merge.as_ref(),
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
            let outputs = self.run(kernel, own, part, number)?;
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

    /// Runs `work` with poisoned buffers for all launches of a kernel, then frees them.
    fn with_buffers<R>(
        &mut self,
        kernel: &CompiledKernel,
        work: impl FnOnce(&mut Self, &KernelBuffers) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let mut own = Vec::new();
        let allocated = self.allocate(kernel, &mut own);
        let result = allocated.and_then(|()| work(self, &own));
        for buffer in own.into_iter().flatten() {
            self.device.free(buffer);
        }
        result
    }

    fn allocate(
        &mut self,
        kernel: &CompiledKernel,
        own: &mut Vec<Option<Buffer>>,
    ) -> Result<(), DeviceError> {
        for (position, &bytes) in kernel.buffers.iter().enumerate() {
            let resident = self.resident(kernel, position, 0).is_some();
            own.push(match resident {
                true => None,
                false => Some(self.device.allocate(bytes)?),
            });
            if let Some(Some(buffer)) = own.last() {
                self.device.poison(*buffer, 0..bytes)?;
            }
        }
        Ok(())
    }

    /// Returns the input or operand buffer that serves as the kernel's buffer `position` in
    /// launch `number`. It must cover the whole buffer.
    fn resident(&self, kernel: &CompiledKernel, position: usize, number: usize) -> Option<Buffer> {
        let problem = self.inputs.problem();
        let elements = (kernel.input, self.elements[number], problem.input_bytes());
        let operands = &self.operands[self.inputs.set_of(number)];
        let operands = kernel.operands.iter().zip(operands);
        let operands = operands.zip(self.inputs.operand_bytes());
        let operands = operands.map(|((&slot, &at), bytes)| (slot, at, bytes));
        let mut read = std::iter::once(elements).chain(operands);
        let whole = |&(slot, _, size): &(Slot, Buffer, u64)| {
            slot.buffer == position && slot.offset == 0 && kernel.buffers[position] <= size
        };
        read.find(whole).map(|(_, buffer, _)| buffer)
    }

    /// Fills the buffers for launch `number` and returns them. This writes elements, operands and
    /// zeroed counters, and the initial pairs of the `computed` rows if the fold begins at its
    /// results.
    fn prepare(
        &mut self,
        kernel: &CompiledKernel,
        own: &KernelBuffers,
        number: usize,
        computed: &[Range<u64>],
    ) -> Result<Vec<Buffer>, DeviceError> {
        let inputs = self.inputs;
        let (problem, launch) = (inputs.problem(), &inputs.launches()[number]);
        // Buffers of inputs differ between launches; the kernel's own buffers stay the same.
        let ready = |position| self.resident(kernel, position, number);
        let results = self.results(kernel);
        let all = own.iter().enumerate();
        let all: Vec<Buffer> = all
            .filter_map(|(position, own)| own.or_else(|| ready(position)))
            .collect();
        let device = &mut *self.device;
        let mut write = |slot: Slot, offset: u64, bytes: &[u8]| {
            device.write(all[slot.buffer], slot.offset + offset, bytes)
        };
        // A kernel whose elements share a buffer with something else gets a copy of them.
        if own[kernel.input.buffer].is_some() {
            inputs.write_elements(launch, |offset, bytes| write(kernel.input, offset, bytes))?;
        }
        for (operand, &slot) in kernel.operands.iter().enumerate() {
            if own[slot.buffer].is_some() {
                let set = inputs.set_of(number);
                inputs.write_operand(set, operand, |offset, bytes| write(slot, offset, bytes))?;
            }
        }
        if let Some(workspace) = kernel.workspace {
            // The counters reach to the end of the workspace. The split reduction's last
            // workgroup is found by them, so they begin at 0.
            let bytes = kernel.buffers[workspace.buffer] - workspace.counters;
            let counters = Slot {
                buffer: workspace.buffer,
                offset: workspace.counters,
            };
            write(counters, 0, &vec![0; bytes as usize])?;
        }
        if problem.reduction.begins_at_results() {
            for rows in computed {
                let outputs = results.iter();
                for (&(slot, output), bytes) in outputs.zip(inputs.initial(launch, rows)) {
                    write(slot, rows.start * u64::from(output.size), &bytes)?;
                }
            }
        }
        Ok(all)
    }

    /// Poisons a kernel's buffers again after a launch that wrote no rows but the `computed`
    /// ones.
    fn poison_again(
        &mut self,
        kernel: &CompiledKernel,
        own: &KernelBuffers,
        computed: &[Range<u64>],
    ) -> Result<(), DeviceError> {
        let outputs = self.results(kernel);
        for (position, &buffer) in own.iter().enumerate() {
            let Some(buffer) = buffer else { continue };
            let here = |(slot, _): &&(Slot, &OutputAddressing)| slot.buffer == position;
            // Without a result in it, a buffer may be written anywhere, as a workspace. Otherwise
            // only the computed rows can have lost their poison: the verdict has checked the
            // others.
            if !outputs.iter().any(|output| here(&output)) {
                self.device.poison(buffer, 0..kernel.buffers[position])?;
            }
            for (slot, output) in outputs.iter().filter(here) {
                output.spans(computed, |span| {
                    let bytes = slot.offset + span.start..slot.offset + span.end;
                    self.device.poison(buffer, bytes)
                })?;
            }
        }
        Ok(())
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
