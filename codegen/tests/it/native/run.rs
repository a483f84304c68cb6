//! A kernel in the emulator with its checker, against the fold on the host.

use codegen::{CompiledKernel, Kernarg};
use configgen::reduction::Combiner;
use configgen::{IndexMode, Initial, Problem};
use emulator::{Address, CodeObject, EmulatedMemory, KernelLaunch};
use testing::Failed;

use crate::native::fold::{Fold, Row};
use crate::native::inputs::{KINDS, Random, Values};
use crate::native::{computed, plain, rowwise};

/// The fill byte of outputs: no result of any type consists of it.
const POISON: u8 = 0xa5;

/// Instructions that a wave may execute; the longest row here takes a millionth of it.
const LIMIT: u64 = 1 << 32;

/// Runs `kernel` on inputs of every kind. Row `r` has kind `first + r`, until every kind has been
/// in some row.
pub(crate) fn check(problem: &Problem, kernel: &CompiledKernel, seed: u64) -> Result<(), Failed> {
    let code = CodeObject::load(&kernel.code_object)?;
    let rows = problem.shape.rows() as usize;
    let reduction = &problem.reduction;
    let check_once = match (reduction.sole_combiner(), &problem.function) {
        (None, _) if !reduction.keeps_elements() => rowwise::check_once,
        (None, _) | (_, Some(_)) => computed::check_once,
        (Some(Combiner::Pairwise(_)), None) => plain::check_once,
        (Some(Combiner::Comparison(_)), None) => check_once,
    };
    for first in (0..KINDS.len()).step_by(rows) {
        check_once(&problem.at_count(u32::MAX), kernel, &code, first, seed)?;
    }
    for count in counts(problem) {
        let mut launched = kernel.at_count(count).ok_or("the kernel takes no count")?;
        // Every other count has buffers without further rows, so that a read beyond them is found,
        // too.
        if count % 2 == 1 {
            cut_buffers(&problem.at_count(count), &mut launched);
        }
        let first = count as usize % KINDS.len();
        check_once(&problem.at_count(count), &launched, &code, first, seed)
            .map_err(|error| format!("count {count}: {}", error.message().unwrap_or("failed")))?;
    }
    Ok(())
}

/// Shrinks the buffers of a kernel to the sizes that the problem needs, except for the workspace.
fn cut_buffers(problem: &Problem, kernel: &mut CompiledKernel) {
    kernel.buffers[kernel.input.buffer] = problem.input_bytes();
    for (slot, operand) in kernel.operands.iter().zip(problem.operands()) {
        kernel.buffers[slot.buffer] = operand.bytes(&problem.shape);
    }
    let results = problem.results();
    for (slot, tensor) in kernel.results.iter().zip(results) {
        kernel.buffers[slot.buffer] = tensor.bytes(&problem.shape);
    }
}

/// Returns counts below the largest, if the count is known only at launch: 1, and a few below, at
/// and above every power of two that a tile may be.
fn counts(problem: &Problem) -> Vec<u32> {
    let Some(counts) = problem.shape.counts() else {
        return Vec::new();
    };
    let largest = *counts.end();
    let mut all = vec![1, largest - 1];
    all.extend((1..10).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 1]));
    all.retain(|&count| count < largest);
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the launch of all workgroups of a kernel.
pub(crate) fn launch<'a>(
    code: &'a CodeObject,
    kernel: &CompiledKernel,
    kernarg: &'a [u8],
) -> Result<KernelLaunch<'a>, Failed> {
    Ok(KernelLaunch {
        kernel: code
            .kernel(&kernel.symbol)
            .ok_or("the code object lacks its kernel")?,
        workgroups: kernel.workgroups,
        workgroup_size: kernel.workgroup_size,
        dynamic_lds_bytes: 0,
        kernarg,
        workgroup_subset: None,
        instruction_limit: LIMIT,
        resident_workgroups: 0,
        threads: 0,
    })
}

/// Returns the arguments of a launch with these buffers.
pub(crate) fn kernarg(kernel: &CompiledKernel, buffers: &[Address], index_base: i64) -> Vec<u8> {
    let mut kernarg = Vec::new();
    for argument in &kernel.arguments {
        kernarg.resize(kernarg.len().next_multiple_of(argument.bytes()), 0);
        match argument {
            Kernarg::Buffer(buffer) => kernarg.extend(buffers[*buffer].get().to_le_bytes()),
            Kernarg::IndexBase(_) => {
                kernarg.extend(&index_base.to_le_bytes()[..argument.bytes()]);
            }
            Kernarg::Count(count) | Kernarg::Word(count) => kernarg.extend(count.to_le_bytes()),
        }
    }
    kernarg
}

fn check_once(
    problem: &Problem,
    kernel: &CompiledKernel,
    code: &CodeObject,
    first: usize,
    seed: u64,
) -> Result<(), Failed> {
    let (values, mut fold) = (Values::of(problem), Fold::of(problem));
    let (rows, length) = (
        problem.shape.rows() as usize,
        problem.shape.reduced_size() as usize,
    );
    let (bytes, index_bytes) = (
        problem.element.bytes() as usize,
        problem.arg_compare().unwrap().index.bytes() as usize,
    );
    let mut random = Random(seed);
    let kind = |row: usize| KINDS[(first + row) % KINDS.len()];
    let input: Vec<Vec<u64>> = (0..rows)
        .map(|row| values.row(kind(row), length, &mut random))
        .collect();
    let base = match problem.arg_compare().unwrap().index_mode {
        IndexMode::Based => {
            random.next() as i64 >> 8 >> (64 - problem.arg_compare().unwrap().index.bits())
        }
        IndexMode::Position | IndexMode::Explicit => 0,
    };
    let indices: Vec<Vec<u64>> = (0..rows)
        .map(|_| match problem.arg_compare().unwrap().index_mode {
            IndexMode::Explicit => (0..length).map(|_| random.next()).collect(),
            _ => (0..length as u64)
                .map(|n| n.wrapping_add_signed(base))
                .collect(),
        })
        .collect();
    let index_mask = u64::MAX >> (64 - problem.arg_compare().unwrap().index.bits());
    let initial: Vec<Option<(u64, u64)>> = (input.iter().zip(&indices))
        .map(
            |(row, indices)| match problem.arg_compare().unwrap().initial {
                Initial::Worst => None,
                Initial::Pair(value, index) => Some((value, index as u64 & index_mask)),
                Initial::Outputs => {
                    let (elements, initial) = (row.as_slice(), None);
                    let (best, _) = fold.row(&Row {
                        elements,
                        initial,
                        indices,
                    });
                    let value = values.initial(row, best, &mut random);
                    Some((value, random.next() & index_mask))
                }
            },
        )
        .collect();

    // The gaps between the rows hold a winner, in case a kernel reads them.
    let mut buffers = Buffers::new(problem, kernel, values.top, &input)?;
    if let Some(slot) = kernel.operands.first() {
        let explicit = buffers.bytes_mut(slot.buffer);
        put(problem, &dense(problem), explicit, index_bytes, &indices);
    }
    for (row, pair) in initial.iter().enumerate() {
        if let Some((value, index)) = pair {
            let values = buffers.bytes_mut(kernel.results[0].buffer);
            values[row * bytes..][..bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
            let indices = buffers.bytes_mut(kernel.results[1].buffer);
            indices[row * index_bytes..][..index_bytes]
                .copy_from_slice(&index.to_le_bytes()[..index_bytes]);
        }
    }
    buffers.launch(kernel, code, base)?;
    let [found_values, found_indices] =
        [0, 1].map(|result| buffers.bytes(kernel.results[result].buffer));
    let found_values = found_values.chunks_exact(bytes);
    let found_indices = found_indices.chunks_exact(index_bytes);
    for (row, (value, index)) in found_values.zip(found_indices).enumerate() {
        if row >= rows {
            // The buffers are those of the largest count.
            is_untouched(row, value)?;
            is_untouched(row, index)?;
            continue;
        }
        let found = (bits(value), bits(index));
        let expected = fold.row(&Row {
            elements: &input[row],
            initial: initial[row],
            indices: &indices[row],
        });
        if found != expected {
            return Err(format!(
                "row {row} of {:?} from {:x?}: value {:#x} at {}, not {:#x} at {}",
                kind(row),
                initial[row],
                found.0,
                found.1,
                expected.0,
                expected.1
            )
            .into());
        }
    }
    Ok(())
}

/// The buffers of one launch.
pub(crate) struct Buffers {
    memory: EmulatedMemory,
    addresses: Vec<Address>,
}

impl Buffers {
    /// Creates buffers with these rows in the input, and the bits `between` in all gaps.
    pub(crate) fn new(
        problem: &Problem,
        kernel: &CompiledKernel,
        between: u64,
        rows: &[Vec<u64>],
    ) -> Result<Buffers, Failed> {
        let mut memory = EmulatedMemory::new();
        let mut addresses = Vec::new();
        for &size in &kernel.buffers {
            let address = memory.allocate(size)?;
            memory.bytes_mut(address).fill(POISON);
            addresses.push(address);
        }
        if let Some(workspace) = kernel.workspace {
            let workspace_bytes = memory.bytes_mut(addresses[workspace.buffer]);
            workspace_bytes[workspace.counters as usize..].fill(0);
        }
        let bytes = problem.element.bytes() as usize;
        let elements = memory.bytes_mut(addresses[kernel.input.buffer]);
        for place in elements.chunks_exact_mut(bytes) {
            place.copy_from_slice(&between.to_le_bytes()[..bytes]);
        }
        put(problem, &problem.shape.strides(), elements, bytes, rows);
        Ok(Buffers { memory, addresses })
    }

    pub(crate) fn bytes(&self, buffer: usize) -> &[u8] {
        self.memory.bytes(self.addresses[buffer])
    }

    pub(crate) fn bytes_mut(&mut self, buffer: usize) -> &mut [u8] {
        self.memory.bytes_mut(self.addresses[buffer])
    }

    /// Launches the kernel. Returns an error if the checker finds anything, or a counter has
    /// changed.
    pub(crate) fn launch(
        &mut self,
        kernel: &CompiledKernel,
        code: &CodeObject,
        index_base: i64,
    ) -> Result<(), Failed> {
        let kernarg = kernarg(kernel, &self.addresses, index_base);
        let launch = launch(code, kernel, &kernarg)?;
        let checked = emulator::check(code, &mut self.memory, &launch);
        checked.result?;
        if !checked.findings.is_empty() {
            let findings: Vec<String> = checked.findings.iter().map(|f| f.to_string()).collect();
            return Err(format!("the checker finds: {}", findings.join("; ")).into());
        }
        if let Some(workspace) = kernel.workspace {
            let counters = &self.bytes(workspace.buffer)[workspace.counters as usize..];
            if counters.iter().any(|&byte| byte != 0) {
                return Err("a counter is not as it was before the launch".into());
            }
        }
        Ok(())
    }
}

/// Checks that a row beyond the count is as it was before the launch.
pub(crate) fn is_untouched(row: usize, result: &[u8]) -> Result<(), Failed> {
    match result.iter().all(|&byte| byte == POISON) {
        true => Ok(()),
        false => Err(format!("row {row}, beyond the count, is written").into()),
    }
}

pub(crate) fn bits(bytes: &[u8]) -> u64 {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(padded)
}

/// Returns the distance of neighbours along each dimension of a dense tensor, in elements.
pub(crate) fn dense(problem: &Problem) -> Vec<u64> {
    let sizes = problem.shape.sizes();
    (0..sizes.len())
        .map(|d| sizes[d + 1..].iter().map(|&size| u64::from(size)).product())
        .collect()
}

/// Returns the elements of rows as a dense tensor.
pub(crate) fn tensor(problem: &Problem, rows: &[Vec<u64>]) -> Vec<u64> {
    let mut tensor = vec![0; problem.shape.elements() as usize];
    let offsets = |reduced| offsets(problem, &dense(problem), reduced);
    let (rows_at, elements_at) = (offsets(false), offsets(true));
    for (row, row_at) in rows.iter().zip(&rows_at) {
        for (&bits, element_at) in row.iter().zip(&elements_at) {
            tensor[(row_at + element_at) as usize] = bits;
        }
    }
    tensor
}

/// Writes rows to their places.
fn put(problem: &Problem, strides: &[u64], buffer: &mut [u8], bytes: usize, rows: &[Vec<u64>]) {
    let offsets = |reduced| offsets(problem, strides, reduced);
    let (rows_at, elements_at) = (offsets(false), offsets(true));
    for (row, row_at) in rows.iter().zip(&rows_at) {
        for (bits, element_at) in row.iter().zip(&elements_at) {
            let place = (row_at + element_at) as usize * bytes;
            buffer[place..][..bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
        }
    }
}

/// Returns the starts of rows, or the places of elements in a row: elements from the first, in
/// order.
pub(crate) fn offsets(problem: &Problem, strides: &[u64], reduced: bool) -> Vec<u64> {
    let shape = &problem.shape;
    let mut offsets = vec![0];
    for d in (0..shape.rank()).filter(|&d| shape.is_reduced(d) == reduced) {
        let (size, stride) = (u64::from(shape.sizes()[d]), strides[d]);
        let along = |&offset: &u64| (0..size).map(move |n| offset + n * stride);
        offsets = offsets.iter().flat_map(along).collect();
    }
    offsets
}
