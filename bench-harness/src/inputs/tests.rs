//! Tests of the problems that have inputs.

mod computed;
mod tensors;

use std::convert::Infallible;

use configgen::comparator::ScalarType;
use configgen::reduction::Scalar;

use super::*;

/// Hashes the elements that a launch reads.
pub(crate) fn hash_elements(inputs: &Inputs, launch: &LaunchInput, hasher: &mut blake3::Hasher) {
    let Ok(()) = inputs.write_elements(launch, |offset, bytes| {
        for (at, &byte) in (offset..).zip(bytes).filter(|&(_, &byte)| byte != 0) {
            hasher.update(&at.to_le_bytes());
            hasher.update(&[byte]);
        }
        Ok::<(), Infallible>(())
    });
}

/// Returns an operand as it lies in memory.
pub(crate) fn image(
    inputs: &Inputs,
    set: usize,
    operand: usize,
    scalar: Scalar,
    count: u64,
) -> Vec<u64> {
    let size = scalar.bytes() as usize;
    let mask = match scalar {
        Scalar::Element(element) => ScalarType::from(element).mask(),
        Scalar::Index(_) => u64::MAX,
    };
    let mut bytes = vec![0; count as usize * size];
    let Ok(()) = inputs.write_operand(set, operand, |offset, part| {
        bytes[offset as usize..][..part.len()].copy_from_slice(part);
        Ok::<(), Infallible>(())
    });
    let elements = bytes.chunks_exact(size).map(|bytes| {
        let mut padded = [0; 8];
        padded[..size].copy_from_slice(bytes);
        u64::from_le_bytes(padded) & mask
    });
    elements.collect()
}

/// Returns the elements of the input as they lie in memory.
pub(crate) fn tensor(inputs: &Inputs, launch: &LaunchInput) -> Vec<u64> {
    let size = inputs.problem().element.bytes() as usize;
    let mut bytes = vec![0; inputs.problem().input_bytes() as usize];
    let Ok(()) = inputs.write_elements(launch, |offset, part| {
        bytes[offset as usize..][..part.len()].copy_from_slice(part);
        Ok::<(), Infallible>(())
    });
    let elements = PackedElements::new(&bytes, size as u32);
    (0..bytes.len() / size)
        .filter_map(|number| elements.get(number))
        .collect()
}

/// Returns the coordinates of a column of a row.
pub(crate) fn places(problem: &Problem, row: u64, column: u64) -> Vec<u64> {
    let shape = &problem.shape;
    let mut left = [row, column];
    let mut places = vec![0; shape.rank()];
    for d in (0..shape.rank()).rev() {
        let left = &mut left[usize::from(shape.is_reduced(d))];
        places[d] = *left % u64::from(shape.sizes()[d]);
        *left /= u64::from(shape.sizes()[d]);
    }
    places
}
