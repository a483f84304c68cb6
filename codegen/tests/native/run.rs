//! A kernel in the emulator with its checker on, against the fold on the host.

use codegen::{Argument, CompiledKernel};
use configgen::Problem;
use emulator::{CodeObject, Launch, Memory};
use libtest_mimic::Failed;

use crate::fold::{Operation, fold};
use crate::inputs::{self, KINDS, Random};

/// What outputs are filled with: no result, whatever the type.
const POISON: u8 = 0xa5;

/// Instructions that a wave may execute; the longest row here takes a millionth of it.
const LIMIT: u64 = 1 << 32;

/// Runs `kernel` on inputs of every kind, row `r` on kind `first + r` and so on, until every kind has been in some row.
pub(crate) fn check(problem: &Problem, kernel: &CompiledKernel, seed: u64) -> Result<(), Failed> {
    let code = CodeObject::load(&kernel.code_object)?;
    let rows = problem.shape.rows() as usize;
    for first in (0..KINDS.len()).step_by(rows) {
        check_once(problem, kernel, &code, first, seed)?;
    }
    Ok(())
}

fn check_once(
    problem: &Problem,
    kernel: &CompiledKernel,
    code: &CodeObject,
    first: usize,
    seed: u64,
) -> Result<(), Failed> {
    let (operation, element) = (Operation::of(problem), problem.element);
    let (rows, length) = (
        problem.shape.rows() as usize,
        problem.shape.reduced_size() as usize,
    );
    let bytes = element.bytes() as usize;
    let mut random = Random(seed);
    let kind = |row: usize| KINDS[(first + row) % KINDS.len()];
    let input: Vec<Vec<u32>> = (0..rows)
        .map(|row| inputs::row(kind(row), operation, element, length, &mut random))
        .collect();

    let mut memory = Memory::new();
    let mut addresses = Vec::new();
    for &size in &kernel.buffers {
        let address = memory.allocate(size)?;
        memory.bytes_mut(address).fill(POISON);
        addresses.push(address);
    }
    let elements = memory.bytes_mut(addresses[kernel.input.buffer]);
    // What lies between the rows wins, should anyone read it.
    let between = inputs::top(operation, element).to_le_bytes();
    for place in elements.chunks_exact_mut(bytes) {
        place.copy_from_slice(&between[..bytes]);
    }
    let (rows_at, elements_at) = (offsets(problem, false), offsets(problem, true));
    for (row, row_at) in input.iter().zip(&rows_at) {
        for (bits, element_at) in row.iter().zip(&elements_at) {
            let place = (row_at + element_at) as usize * bytes;
            elements[place..][..bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
        }
    }
    let mut kernarg = Vec::new();
    for Argument::Buffer(buffer) in &kernel.arguments {
        kernarg.extend(addresses[*buffer].get().to_le_bytes());
    }
    let launch = Launch {
        kernel: code
            .kernel(&kernel.symbol)
            .ok_or("the code object lacks its kernel")?,
        workgroups: kernel.workgroups,
        workgroup_size: kernel.workgroup_size,
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        only: None,
        instruction_limit: LIMIT,
        threads: 0,
    };
    let checked = emulator::check(code, &mut memory, &launch);
    checked.result?;
    if !checked.findings.is_empty() {
        let findings: Vec<String> = checked.findings.iter().map(|f| f.to_string()).collect();
        return Err(format!("the checker finds: {}", findings.join("; ")).into());
    }

    let values = memory
        .bytes(addresses[kernel.values.buffer])
        .chunks_exact(bytes);
    let indices = memory
        .bytes(addresses[kernel.indices.buffer])
        .chunks_exact(4);
    for (row, (value, index)) in values.zip(indices).enumerate() {
        let mut bits = [0; 4];
        bits[..bytes].copy_from_slice(value);
        let got = (
            u32::from_le_bytes(bits),
            u32::from_le_bytes([index[0], index[1], index[2], index[3]]),
        );
        let expected = fold(operation, element, &input[row]);
        if got != expected {
            return Err(format!(
                "row {row} of {:?}: value {:#x} at {}, not {:#x} at {}",
                kind(row),
                got.0,
                got.1,
                expected.0,
                expected.1
            )
            .into());
        }
    }
    Ok(())
}

/// Where each row begins, or where in a row each element is: elements from the first, in order.
fn offsets(problem: &Problem, reduced: bool) -> Vec<u64> {
    let shape = &problem.shape;
    let mut offsets = vec![0];
    for d in (0..shape.rank()).filter(|&d| shape.is_reduced(d) == reduced) {
        let (size, stride) = (u64::from(shape.sizes()[d]), shape.strides()[d]);
        let along = |&offset: &u64| (0..size).map(move |n| offset + n * stride);
        offsets = offsets.iter().flat_map(along).collect();
    }
    offsets
}
