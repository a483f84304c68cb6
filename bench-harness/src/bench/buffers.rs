//! The buffers of a kernel: their allocation, contents and poison.

use std::ops::Range;

use codegen::{CompiledKernel, Slot};

use super::{Bench, KernelBuffers};
use crate::addressing::OutputAddressing;
use crate::device::{Buffer, DeviceError};
use crate::verdict::{guarded_rows, guards_all_rows};

impl Bench<'_> {
    /// Runs `work` with poisoned buffers for all launches of a kernel, then frees them.
    pub(super) fn with_buffers<R>(
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
            let is_result = kernel.results.iter().any(|slot| slot.buffer == position);
            match own.last() {
                // Large outputs are poisoned once the computed rows are known.
                Some(Some(_)) if is_result && !guards_all_rows(self.inputs.problem()) => {}
                Some(Some(buffer)) => self.device.poison(*buffer, 0..bytes)?,
                _ => {}
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
    pub(super) fn prepare(
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

    /// Poisons the `computed` and the guarded rows, if outputs are so large that
    /// [`allocate`](Self::allocate) has poisoned nothing.
    pub(super) fn poison_large(
        &mut self,
        kernel: &CompiledKernel,
        own: &KernelBuffers,
        computed: &[Range<u64>],
    ) -> Result<(), DeviceError> {
        let problem = self.inputs.problem();
        if guards_all_rows(problem) {
            return Ok(());
        }
        let mut rows = guarded_rows(problem, computed);
        rows.extend_from_slice(computed);
        rows.sort_unstable_by_key(|rows| rows.start);
        self.poison_again(kernel, own, &rows)
    }

    /// Poisons a kernel's buffers again after a launch that wrote no rows but the `computed`
    /// ones.
    pub(super) fn poison_again(
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
