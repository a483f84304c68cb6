//! The bench: takes a kernel, verifies it on every input, and only then times it.

use std::ops::Range;

use codegen::{CompiledKernel, Slot};
use configgen::{Initial, Problem};

use crate::device::{Buffer, Device, DeviceError, Launch};
use crate::inputs::Inputs;
use crate::part::Part;
use crate::verdict::{Difference, Outputs, Verdict, compare};

/// What came of one kernel. Only what is not wrong has a time.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Right on every input, bit by bit.
    Right(Timing),
    /// Right values, but some index among equals is not the fold's.
    Tie(Timing, Difference),
    /// Wrong on some input.
    Wrong(Difference),
    /// It could not be run to its end.
    Failed(DeviceError),
}

/// The time of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// Every sample, in microseconds.
    pub samples_us: Vec<f64>,
}

impl Timing {
    /// The median of the samples, in microseconds.
    pub fn median_us(&self) -> f64 {
        let mut sorted = self.samples_us.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        match sorted.len() % 2 {
            1 => sorted[middle],
            _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
        }
    }
}

/// Instructions that one wave may execute for each element of the input, for each of them and operation of the comparator,
/// and beside them. The slowest legal kernels, one wave for whole rows and an element at a time, take less than a third; a
/// kernel that hangs ends within seconds.
const INSTRUCTIONS_PER_ELEMENT: u64 = 128;
const INSTRUCTIONS_PER_OPERATION: u64 = 64;
const INSTRUCTIONS_BESIDE: u64 = 1 << 20;

fn instruction_limit(problem: &Problem) -> u64 {
    let operations = problem.comparator.region().operations().len() as u64;
    let each = INSTRUCTIONS_PER_ELEMENT + INSTRUCTIONS_PER_OPERATION * operations;
    INSTRUCTIONS_BESIDE + problem.shape.elements() * each
}

/// A device with the inputs of one problem on it.
pub struct Bench<'a> {
    device: Box<dyn Device>,
    inputs: &'a Inputs,
    /// One buffer of elements for each launch of the inputs.
    elements: Vec<Buffer>,
    /// The explicit indices of all launches, where the problem has them.
    explicit_indices: Option<Buffer>,
}

impl<'a> Bench<'a> {
    /// Puts the inputs on the device.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if they do not fit.
    pub fn new(mut device: Box<dyn Device>, inputs: &'a Inputs) -> Result<Bench<'a>, DeviceError> {
        let problem = inputs.problem();
        let mut elements = Vec::with_capacity(inputs.launches().len());
        for _ in inputs.launches() {
            elements.push(device.allocate(problem.input_bytes())?);
        }
        let explicit_indices = match problem.explicit_index_bytes() {
            0 => None,
            bytes => Some(device.allocate(bytes)?),
        };
        let mut bench = Bench {
            device,
            inputs,
            elements,
            explicit_indices,
        };
        bench.fill();
        Ok(bench)
    }

    /// Writes the inputs to the device.
    fn fill(&mut self) {
        let (inputs, device) = (self.inputs, &mut self.device);
        for (launch, &buffer) in inputs.launches().iter().zip(&self.elements) {
            inputs.write_elements(launch, |offset, bytes| device.write(buffer, offset, bytes));
        }
        if let Some(buffer) = self.explicit_indices {
            inputs.write_explicit_indices(|offset, bytes| device.write(buffer, offset, bytes));
        }
    }

    /// Verifies a kernel on every input and, unless it is wrong, times it.
    pub fn evaluate(&mut self, kernel: &CompiledKernel) -> Outcome {
        let outcome = self.try_evaluate(kernel).unwrap_or_else(Outcome::Failed);
        if let Outcome::Wrong(_) | Outcome::Failed(_) = outcome {
            // It may have written to its input as well, which the next kernel would be blamed for.
            self.fill();
        }
        outcome
    }

    fn try_evaluate(&mut self, kernel: &CompiledKernel) -> Result<Outcome, DeviceError> {
        Ok(match self.verify(kernel)? {
            Verdict::Right => Outcome::Right(self.time(kernel)?),
            Verdict::TieIndexDiffers(difference) => Outcome::Tie(self.time(kernel)?, difference),
            Verdict::Wrong(difference) => Outcome::Wrong(difference),
        })
    }

    fn time(&mut self, kernel: &CompiledKernel) -> Result<Timing, DeviceError> {
        let (inputs, whole) = (self.inputs, Part::whole(self.inputs));
        let samples_us = self.with_buffers(kernel, 0, &whole.rows, |device, buffers| {
            device.time(&Launch {
                kernel,
                buffers,
                index_base: inputs.launches()[0].index_base,
                instruction_limit: instruction_limit(inputs.problem()),
                only: None,
            })
        })?;
        Ok(Timing { samples_us })
    }

    /// Verifies a kernel on every input; stops at the first launch that is wrong.
    ///
    /// # Errors
    /// As [`Device::launch`].
    pub fn verify(&mut self, kernel: &CompiledKernel) -> Result<Verdict, DeviceError> {
        let inputs = self.inputs;
        let part = Part::of(kernel, inputs, self.device.runs_parts());
        let mut verdict = Verdict::Right;
        for (number, launch) in inputs.launches().iter().enumerate() {
            let only = part.workgroups.as_deref();
            let found = self.with_buffers(kernel, number, &part.rows, |device, buffers| {
                device.launch(&Launch {
                    kernel,
                    buffers,
                    index_base: launch.index_base,
                    instruction_limit: instruction_limit(inputs.problem()),
                    only,
                })?;
                let problem = inputs.problem();
                let rows = problem.shape.rows();
                let read = |slot: Slot, bytes: u32| {
                    let mut output = vec![0; (rows * u64::from(bytes)) as usize];
                    device.read(buffers[slot.buffer], slot.offset, &mut output);
                    output
                };
                let values = read(kernel.values, problem.element.bytes());
                let indices = read(kernel.indices, problem.index.bytes());
                let outputs = Outputs {
                    values: &values,
                    indices: &indices,
                    computed: &part.rows,
                };
                Ok(compare(inputs, launch, &outputs))
            })?;
            match found {
                Verdict::Right => {}
                Verdict::Wrong(_) => return Ok(found),
                Verdict::TieIndexDiffers(_) if verdict == Verdict::Right => verdict = found,
                Verdict::TieIndexDiffers(_) => {}
            }
        }
        Ok(verdict)
    }

    /// Runs `work` with the kernel's buffers: what launch `number` reads, the initial pairs of the rows that it computes,
    /// where the problem has them, and poison for the rest.
    fn with_buffers<R>(
        &mut self,
        kernel: &CompiledKernel,
        number: usize,
        computed: &[Range<u64>],
        work: impl FnOnce(&mut dyn Device, &[Buffer]) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let (inputs, device) = (self.inputs, self.device.as_mut());
        let (problem, launch) = (inputs.problem(), &inputs.launches()[number]);
        let elements = (kernel.input, self.elements[number], problem.input_bytes());
        let explicit = kernel.explicit_indices.zip(self.explicit_indices);
        let explicit = explicit.map(|(slot, at)| (slot, at, problem.explicit_index_bytes()));
        // What a kernel only reads lies ready, if it is the whole buffer.
        let resident = |position: usize, bytes: u64| {
            let mut read = std::iter::once(elements).chain(explicit);
            let whole = |&(slot, _, size): &(Slot, Buffer, u64)| {
                slot.buffer == position && slot.offset == 0 && bytes <= size
            };
            read.find(whole).map(|(_, buffer, _)| buffer)
        };
        let (mut buffers, mut own) = (Vec::new(), Vec::new());
        for (position, &bytes) in kernel.buffers.iter().enumerate() {
            if let Some(buffer) = resident(position, bytes) {
                buffers.push(buffer);
                continue;
            }
            let buffer = device.allocate(bytes)?;
            device.poison(buffer, bytes);
            if position == kernel.input.buffer {
                inputs.write_elements(launch, |offset, bytes| {
                    device.write(buffer, kernel.input.offset + offset, bytes);
                });
            }
            if let Some(slot) = kernel
                .explicit_indices
                .filter(|slot| slot.buffer == position)
            {
                inputs.write_explicit_indices(|offset, bytes| {
                    device.write(buffer, slot.offset + offset, bytes);
                });
            }
            if let Some(workspace) = kernel.workspace.filter(|w| w.buffer == position) {
                let counters = vec![0; (bytes - workspace.counters) as usize];
                device.write(buffer, workspace.counters, &counters);
            }
            buffers.push(buffer);
            own.push(buffer);
        }
        if problem.initial == Initial::Outputs {
            let sizes = [problem.element.bytes(), problem.index.bytes()];
            for rows in computed {
                let outputs = [kernel.values, kernel.indices].into_iter().zip(sizes);
                for ((slot, size), bytes) in outputs.zip(inputs.initial(launch, rows)) {
                    let offset = slot.offset + rows.start * u64::from(size);
                    device.write(buffers[slot.buffer], offset, &bytes);
                }
            }
        }
        let result = work(device, &buffers);
        own.into_iter().for_each(|buffer| device.free(buffer));
        result
    }
}
