//! Sums in the emulator, compared with the host.

use configgen::Problem;
use emulator::{CodeObject, EmulatedMemory, KernelLaunch};

use crate::{CompiledKernel, Kernarg};

/// The fill byte of outputs and of the gaps between rows.
const POISON: u8 = 0xa5;

/// Runs a kernel in the emulator, with the checker. Returns an error if a row's sum is wrong or
/// the checker finds something.
pub(super) fn run(problem: &Problem, kernel: &CompiledKernel) -> Result<(), String> {
    let code = CodeObject::load(&kernel.code_object).map_err(|error| error.to_string())?;
    let mut memory = EmulatedMemory::new();
    let mut addresses = Vec::new();
    for &size in &kernel.buffers {
        let address = memory.allocate(size).map_err(|error| error.to_string())?;
        // A kernel must not depend on the contents of outputs and gaps.
        memory.bytes_mut(address).fill(POISON);
        addresses.push(address);
    }
    // A kernel relies on counters that are 0 before its launch; all other bytes may be anything.
    if let Some(workspace) = kernel.workspace {
        memory.bytes_mut(addresses[workspace.buffer])[workspace.counters as usize..].fill(0);
    }
    let expected = fill(problem, memory.bytes_mut(addresses[kernel.input.buffer]));
    let mut kernarg = Vec::new();
    for argument in &kernel.arguments {
        match argument {
            Kernarg::Buffer(buffer) => kernarg.extend(addresses[*buffer].get().to_le_bytes()),
            Kernarg::IndexBase(_) => return Err("a sum has no index".to_owned()),
            Kernarg::Count(_) | Kernarg::Word(_) => {
                return Err("the tests' sums have known sizes".to_owned());
            }
        }
    }
    let launch = KernelLaunch {
        kernel: code.kernel(&kernel.symbol).ok_or("no kernel")?,
        workgroups: kernel.workgroups,
        workgroup_size: kernel.workgroup_size,
        dynamic_lds_bytes: 0,
        kernarg: &kernarg,
        workgroup_subset: None,
        instruction_limit: 1 << 32,
        resident_workgroups: 0,
        threads: 0,
    };
    let checked = emulator::check(&code, &mut memory, &launch);
    checked.result.map_err(|error| error.to_string())?;
    if let Some(finding) = checked.findings.first() {
        return Err(format!("the checker finds: {finding}"));
    }
    let [result] = kernel.results.as_slice() else {
        return Err(format!("{} results", kernel.results.len()));
    };
    let found = memory.bytes(addresses[result.buffer]).chunks_exact(4);
    let found = found.map(|bytes| bytes.try_into().map(u32::from_le_bytes).unwrap_or(0));
    for (row, (found, expected)) in found.zip(expected).enumerate() {
        if found != expected {
            return Err(format!("row {row}: {found:#x}, not {expected:#x}"));
        }
    }
    Ok(())
}

/// Fills the elements of a problem and returns the sum of each row. No two subsets of the numbers
/// are likely to have the same sum.
fn fill(problem: &Problem, elements: &mut [u8]) -> Vec<u32> {
    let (shape, strides) = (&problem.shape, problem.shape.strides());
    let mut sums = vec![0u32; shape.rows() as usize];
    for number in 0..shape.elements() {
        let (mut rest, mut place) = (number, 0);
        let (mut row, mut rows) = (0, 1);
        for (d, &size) in shape.sizes().iter().enumerate().rev() {
            let along = rest % u64::from(size);
            rest /= u64::from(size);
            place += along * strides[d];
            if !shape.is_reduced(d) {
                row += along * rows;
                rows *= u64::from(size);
            }
        }
        let element = (number as u32).wrapping_mul(0x9e37_79b9).rotate_left(11) ^ 0x5bd1_e995;
        elements[place as usize * 4..][..4].copy_from_slice(&element.to_le_bytes());
        let sum = &mut sums[row as usize];
        *sum = sum.wrapping_add(element);
    }
    sums
}
