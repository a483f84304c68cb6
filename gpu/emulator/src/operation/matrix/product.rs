//! The arithmetic of a product: a tile of sums in host memory, one addition for each k.

use super::layout::{MatrixPlace, MatrixSide};
use super::number::{ElementForm, MatrixNumber};
use super::{MatrixElement, MatrixOperation, MatrixShape};
use crate::operation::Lanes;
use crate::operation::host::for_host;

/// The operands of a product, as the first registers of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatrixOperands {
    pub(crate) to: u16,
    pub(crate) a: u16,
    pub(crate) b: u16,
    pub(crate) c: MatrixAddend,
    /// The register with the indices of a sparse A.
    pub(crate) index: Option<u16>,
}

/// C of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatrixAddend {
    Register(u16),
    /// The bits of a constant of D's type.
    Constant(u64),
}

/// The values of the sources.
#[derive(Clone, Copy)]
struct Sources<'a> {
    a: &'a [Lanes],
    b: &'a [Lanes],
    c: &'a [Lanes],
    /// True if `c` has the same value in all places.
    constant: bool,
    index: Option<&'a Lanes>,
    /// The exponents of the factors of A and B in each lane.
    factors: Option<&'a [Lanes; 2]>,
}

for_host! {
    /// Computes a product of registers of a wave, with factors for A and B if there are any. EXEC
    /// has no effect.
    pub(crate) fn multiply(
        operation: &MatrixOperation,
        operands: &MatrixOperands,
        registers: &mut [Lanes],
        factors: Option<&[Lanes; 2]>,
    ) {
        let MatrixShape { rows, to, .. } = operation.shape;
        // A constant size for each lets the compiler unroll and vectorize the loops.
        match (to, rows) {
            (MatrixElement::F64, 16) => product::<f64, 16>(operation, operands, registers, None),
            (MatrixElement::F64, _) => product::<f64, 4>(operation, operands, registers, None),
            (MatrixElement::I32, 32) => product::<i32, 32>(operation, operands, registers, None),
            (MatrixElement::I32, 16) => product::<i32, 16>(operation, operands, registers, None),
            (MatrixElement::I32, _) => product::<i32, 4>(operation, operands, registers, None),
            (_, 32) => product::<f32, 32>(operation, operands, registers, factors),
            (_, 16) => product::<f32, 16>(operation, operands, registers, factors),
            _ => product::<f32, 4>(operation, operands, registers, None),
        }
    }
}

/// The largest number of rows of all blocks.
const ROWS: usize = 64;

/// Computes a product of `N` rows and columns.
#[inline(always)]
fn product<T: MatrixNumber, const N: usize>(
    operation: &MatrixOperation,
    operands: &MatrixOperands,
    registers: &mut [Lanes],
    factors: Option<&[Lanes; 2]>,
) {
    // On the stack: at most 8 KiB, as 64 x 32 words or 64 x 16 doubles.
    let mut sums = [[T::ZERO; N]; ROWS];
    let sums = &mut sums[..N * operation.shape.blocks as usize];
    // The sources may share registers with D, so they are read before the first write.
    add_products(operation, operands, registers, factors, sums);
    let form = ElementForm::of_result(operation);
    for (number, row) in sums.iter().enumerate() {
        let place = operation.result((number / N) as u32, (number % N) as u32);
        T::write(form, &mut registers[operands.to.into()..], place, row);
    }
}

/// Sets `sums` to the rows of D, block after block.
#[inline(always)]
fn add_products<T: MatrixNumber, const N: usize>(
    operation: &MatrixOperation,
    operands: &MatrixOperands,
    registers: &[Lanes],
    factors: Option<&[Lanes; 2]>,
    sums: &mut [[T; N]],
) {
    let constant = match operands.c {
        // A double is read from two registers, so its constant has two words.
        MatrixAddend::Constant(bits) => [bits as u32, (bits >> 32) as u32],
        MatrixAddend::Register(_) => [0; 2],
    };
    let constant = constant.map(|word| Lanes([word; 64]));
    let from = |register: u16| &registers[register.into()..];
    let b = from(operands.b);
    // It outlives the branch below, because `sources` borrows it.
    let patterned: Vec<Lanes>;
    let sources = Sources {
        a: from(operands.a),
        b: if operation.modifiers.pattern == 0 {
            b
        } else {
            // The pattern may divide a row, so the lanes move first.
            let moved =
                |one: &Lanes| Lanes(std::array::from_fn(|lane| one.0[operation.patterned(lane)]));
            let count = operation.source_registers(MatrixSide::B) as usize;
            patterned = b[..count].iter().map(moved).collect();
            &patterned
        },
        c: match operands.c {
            MatrixAddend::Register(register) => from(register),
            MatrixAddend::Constant(_) => &constant,
        },
        constant: matches!(operands.c, MatrixAddend::Constant(_)),
        index: operands
            .index
            .map(|register| &registers[usize::from(register)]),
        factors: factors.filter(|_| operation.has_factors()),
    };
    // AMD publishes no order of additions; sums of floats begin with C here.
    if !T::ADDS_LAST {
        for (number, row) in sums.iter_mut().enumerate() {
            *row = addend(operation, &sources, number);
        }
    }
    for (block, sums) in sums.as_chunks_mut::<N>().0.iter_mut().enumerate() {
        match sources.index {
            Some(index) => add_sparse(operation, &sources, index, sums),
            None => add_dense(operation, &sources, block as u32, sums),
        }
    }
    if T::ADDS_LAST {
        for (number, row) in sums.iter_mut().enumerate() {
            let c = addend::<T, N>(operation, &sources, number);
            for (sum, c) in row.iter_mut().zip(c) {
                *sum = T::add_last(*sum, c, operation.modifiers.clamp);
            }
        }
    }
}

/// Returns row `number` of C, counted over all blocks.
#[inline(always)]
fn addend<T: MatrixNumber, const N: usize>(
    operation: &MatrixOperation,
    sources: &Sources<'_>,
    number: usize,
) -> [T; N] {
    let place = operation.result((number / N) as u32, (number % N) as u32);
    let form = ElementForm::of_result(operation);
    let modifiers = &operation.modifiers;
    // A constant is the same in all lanes, so no layout applies to it.
    let place = if sources.constant {
        MatrixPlace::start()
    } else {
        place
    };
    let mut row = T::read(form, sources.c, place);
    // NEG_HI takes the magnitude of C, and NEG comes after it (RDNA 3 manual, WMMA).
    if modifiers.negate_high & 4 != 0 {
        row = row.map(T::magnitude);
    }
    if modifiers.negate & 4 != 0 {
        row = row.map(T::negate);
    }
    row
}

/// Returns the elements of a source with number `k`.
#[inline(always)]
fn elements<T: MatrixNumber, const N: usize>(
    operation: &MatrixOperation,
    sources: &Sources<'_>,
    side: MatrixSide,
    block: u32,
    k: u32,
) -> [T; N] {
    let registers = match side {
        MatrixSide::A => sources.a,
        MatrixSide::B => sources.b,
    };
    let modifiers = &operation.modifiers;
    let place = operation.source(side, block, k);
    // NEG has a bit for the lower halves of registers, and NEG_HI one for the upper.
    let negated = if place.bit >= 16 {
        modifiers.negate_high
    } else {
        modifiers.negate
    };
    let form = ElementForm {
        element: operation.element(side),
        flushes: operation.flushes,
        // For bytes and nibbles the same bit is no negation but marks a signed source.
        signed: (modifiers.negate >> side as u32) & 1 != 0,
    };
    let mut row = T::read(form, registers, place);
    if let Some(factors) = sources.factors {
        // Each run of lanes has the factors of 32 elements along k.
        let first = operation.shape.rows * (k / 32);
        let lanes = &factors[side as usize].0[first as usize..];
        for (element, exponent) in row.iter_mut().zip(lanes) {
            *element = element.scale(*exponent);
        }
    }
    if (negated >> side as u32) & 1 != 0 {
        row.map(T::negate)
    } else {
        row
    }
}

/// Adds the products of a block.
#[inline(always)]
fn add_dense<T: MatrixNumber, const N: usize>(
    operation: &MatrixOperation,
    sources: &Sources<'_>,
    block: u32,
    sums: &mut [[T; N]; N],
) {
    let modifiers = &operation.modifiers;
    // 2^CBSZ blocks share a block of A, and ABID is its number among them.
    let group = block >> modifiers.broadcast << modifiers.broadcast;
    let shared = match modifiers.broadcast {
        0 => block,
        _ => group + modifiers.broadcast_block,
    };
    for k in 0..operation.shape.inner {
        let a = elements::<T, N>(operation, sources, MatrixSide::A, shared, k);
        let b = elements::<T, N>(operation, sources, MatrixSide::B, block, k);
        for (row, a) in sums.iter_mut().zip(a) {
            for (sum, b) in row.iter_mut().zip(b) {
                *sum = T::multiply_add(a, b, *sum);
            }
        }
    }
}

/// Adds the products of a sparse A. Its indices select rows of B.
#[inline(always)]
fn add_sparse<T: MatrixNumber, const N: usize>(
    operation: &MatrixOperation,
    sources: &Sources<'_>,
    index: &Lanes,
    sums: &mut [[T; N]; N],
) {
    for quad in 0..operation.shape.inner / 4 {
        // Each row may select any of the four, so all four are read before.
        let b: [[T; N]; 4] = std::array::from_fn(|row| {
            elements(operation, sources, MatrixSide::B, 0, 4 * quad + row as u32)
        });
        // A stores two of each four columns.
        for half in 0..2 {
            let k = 2 * quad + half;
            let a = elements::<T, N>(operation, sources, MatrixSide::A, 0, k);
            let [first, bit] = operation.index(k);
            for (row, (sums, a)) in sums.iter_mut().zip(a).enumerate() {
                let selected = (index.0[first as usize + row] >> bit) & 3;
                for (sum, b) in sums.iter_mut().zip(b[selected as usize]) {
                    *sum = T::multiply_add(a, b, *sum);
                }
            }
        }
    }
}
