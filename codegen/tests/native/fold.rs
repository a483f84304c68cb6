//! The meaning of argmax and argmin, on the host: the fold from the initial pair in index order.

use configgen::{ElementType, Problem};
use half::{bf16, f16};

/// The comparators of these tests.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Operation {
    Argmax,
    Argmin,
}

impl Operation {
    pub(crate) fn of(problem: &Problem) -> Operation {
        match problem.comparator.name() {
            Some("argmax") => Operation::Argmax,
            Some("argmin") => Operation::Argmin,
            _ => panic!("{problem}"),
        }
    }
}

/// A row as the bits of its elements, and what is to come of it: the bits of the value, and the index.
pub(crate) fn fold(operation: Operation, element: ElementType, row: &[u32]) -> (u32, u32) {
    let mut best = (worst(operation, element), 0);
    for (index, &bits) in (0u32..).zip(row) {
        if beats(operation, element, bits, best.0) {
            best = (bits, index);
        }
    }
    best
}

/// The bits of the initial value.
pub(crate) fn worst(operation: Operation, element: ElementType) -> u32 {
    match (operation, element) {
        (Operation::Argmax, ElementType::I32) => i32::MIN as u32,
        (Operation::Argmin, ElementType::I32) => i32::MAX as u32,
        (Operation::Argmax, _) => from_f32(element, f32::NEG_INFINITY),
        (Operation::Argmin, _) => from_f32(element, f32::INFINITY),
    }
}

fn beats(operation: Operation, element: ElementType, a: u32, b: u32) -> bool {
    match (operation, element) {
        (Operation::Argmax, ElementType::I32) => a as i32 > b as i32,
        (Operation::Argmin, ElementType::I32) => (a as i32) < b as i32,
        (Operation::Argmax, _) => to_f32(element, a) > to_f32(element, b),
        (Operation::Argmin, _) => to_f32(element, a) < to_f32(element, b),
    }
}

fn to_f32(element: ElementType, bits: u32) -> f32 {
    match element {
        ElementType::F16 => f16::from_bits(bits as u16).to_f32(),
        ElementType::Bf16 => bf16::from_bits(bits as u16).to_f32(),
        _ => f32::from_bits(bits),
    }
}

/// The bits of the nearest value.
pub(crate) fn from_f32(element: ElementType, value: f32) -> u32 {
    match element {
        ElementType::F16 => f16::from_f32(value).to_bits().into(),
        ElementType::Bf16 => bf16::from_f32(value).to_bits().into(),
        ElementType::I32 => (value as i32) as u32,
        _ => value.to_bits(),
    }
}
