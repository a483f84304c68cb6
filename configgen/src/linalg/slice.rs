//! Slices: `tensor.extract_slice`, `tensor.insert_slice` and `tensor.concat`.
//!
//! They copy elements to other positions and compute nothing. All sizes are known, and the
//! elements of a slice are side by side.

use super::operands::{LinalgOperand, LocatedName, typed_place, value};
use crate::comparator::{Cursor, natural};
use crate::shape::MAX_RANK;

/// The largest number of tensors in a concatenation.
const MAX_PIECES: usize = 8;

/// An operation that copies elements to other positions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum SliceOperation {
    /// `tensor.extract_slice`, with the first index of the slice.
    Extract(Vec<u64>),
    /// `tensor.insert_slice` of the first operand into the second one, with its first index there.
    Insert(Vec<u64>),
    /// `tensor.concat` along a dimension.
    Concat(usize),
}

impl SliceOperation {
    /// The names of the operations.
    const NAMES: [&'static str; 3] = [
        "tensor.extract_slice",
        "tensor.insert_slice",
        "tensor.concat",
    ];

    /// Returns whether this is the name of such an operation.
    pub(super) fn is_name(name: &str) -> bool {
        Self::NAMES.contains(&name)
    }
}

/// A parsed operation.
pub(super) struct Slice<'a> {
    pub(super) operation: SliceOperation,
    /// The sizes of the result.
    pub(super) sizes: Vec<u64>,
    pub(super) operands: Vec<LinalgOperand<'a>>,
}

/// Parses the custom form of an operation behind its name; returns none if it has another form.
pub(super) fn slice<'a>(name: &str, cursor: &mut Cursor<'a>) -> Option<Slice<'a>> {
    // The caller goes on from the same place, so the cursor moves only on success.
    let mut ahead = *cursor;
    let found = match name {
        "tensor.extract_slice" => extract(&mut ahead)?,
        "tensor.insert_slice" => insert(&mut ahead)?,
        _ => concat(&mut ahead)?,
    };
    *cursor = ahead;
    Some(found)
}

/// Parses `%x[0, 64] [8, 64] [1, 1] : tensor<8x128xf32> to tensor<8x64xf32>`.
fn extract<'a>(cursor: &mut Cursor<'a>) -> Option<Slice<'a>> {
    let name = value(cursor).ok()?;
    let (offsets, sizes) = place(cursor)?;
    cursor.accept(":").then_some(())?;
    let from = operand(name, cursor)?;
    cursor.accept("to").then_some(())?;
    let to = operand(name, cursor)?;
    is_within(&offsets, &sizes, &from).then_some(())?;
    let is_whole = from.element == to.element && has_sizes(&to, &sizes);
    is_whole.then_some(Slice {
        operation: SliceOperation::Extract(offsets),
        sizes,
        operands: vec![from],
    })
}

/// Parses `%x into %y[0, 64] [8, 64] [1, 1] : tensor<8x64xf32> into tensor<8x128xf32>`.
fn insert<'a>(cursor: &mut Cursor<'a>) -> Option<Slice<'a>> {
    let part = value(cursor).ok()?;
    cursor.accept("into").then_some(())?;
    let into = value(cursor).ok()?;
    let (offsets, sizes) = place(cursor)?;
    cursor.accept(":").then_some(())?;
    let part = operand(part, cursor)?;
    cursor.accept("into").then_some(())?;
    let into = operand(into, cursor)?;
    is_within(&offsets, &sizes, &into).then_some(())?;
    let is_whole = part.element == into.element && has_sizes(&part, &sizes);
    is_whole.then_some(())?;
    Some(Slice {
        operation: SliceOperation::Insert(offsets),
        sizes: into.sizes.iter().copied().collect::<Option<_>>()?,
        operands: vec![part, into],
    })
}

/// Parses `dim(1) %x, %y : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x128xf32>`.
fn concat<'a>(cursor: &mut Cursor<'a>) -> Option<Slice<'a>> {
    cursor.accept_all(&["dim", "("]).then_some(())?;
    let along = natural(cursor).ok()?;
    cursor.accept(")").then_some(())?;
    let mut names = vec![value(cursor).ok()?];
    while names.len() < MAX_PIECES && cursor.accept(",") {
        names.push(value(cursor).ok()?);
    }
    cursor.accept_all(&[":", "("]).then_some(())?;
    let mut operands = Vec::new();
    for (number, name) in names.into_iter().enumerate() {
        (number == 0 || cursor.accept(",")).then_some(())?;
        operands.push(operand(name, cursor)?);
    }
    cursor.accept_all(&[")", "->"]).then_some(())?;
    let whole = operand((operands[0].place, operands[0].name), cursor)?;
    let sizes = joined(&operands, along)?;
    let is_whole = operands[0].element == whole.element && has_sizes(&whole, &sizes);
    is_whole.then_some(Slice {
        operation: SliceOperation::Concat(along),
        sizes,
        operands,
    })
}

/// Returns the sizes of the tensors side by side along a dimension; none if they do not fit.
fn joined(pieces: &[LinalgOperand<'_>], along: usize) -> Option<Vec<u64>> {
    let known = |it: &LinalgOperand<'_>| it.sizes.iter().copied().collect::<Option<Vec<u64>>>();
    let mut sizes = known(pieces.first()?)?;
    sizes.get(along)?;
    for piece in &pieces[1..] {
        let mut own = known(piece)?;
        let end = sizes[along].checked_add(*own.get(along)?)?;
        own[along] = sizes[along];
        (own == sizes && piece.element == pieces[0].element).then_some(())?;
        sizes[along] = end;
    }
    Some(sizes)
}

/// Parses the type of the operand with this name.
fn operand<'a>(name: LocatedName<'a>, cursor: &mut Cursor<'a>) -> Option<LinalgOperand<'a>> {
    let operand = LinalgOperand::of(name, typed_place(cursor).ok()?).ok()?;
    (operand.sizes.len() <= MAX_RANK).then_some(operand)
}

/// Parses `[0, 64] [8, 64] [1, 1]`: the first index of a slice and its sizes. The strides must be
/// 1.
fn place(cursor: &mut Cursor<'_>) -> Option<(Vec<u64>, Vec<u64>)> {
    let [offsets, sizes, strides] = [numbers(cursor)?, numbers(cursor)?, numbers(cursor)?];
    let fits = offsets.len() == sizes.len() && strides.len() == sizes.len();
    (fits && strides.iter().all(|it| *it == 1)).then_some((offsets, sizes))
}

fn numbers(cursor: &mut Cursor<'_>) -> Option<Vec<u64>> {
    cursor.accept("[").then_some(())?;
    let mut all = Vec::new();
    while !cursor.accept("]") {
        let is_next = all.is_empty() || cursor.accept(",");
        (is_next && all.len() < MAX_RANK).then_some(())?;
        all.push(natural(cursor).ok()? as u64);
    }
    Some(all)
}

fn has_sizes(operand: &LinalgOperand<'_>, sizes: &[u64]) -> bool {
    operand
        .sizes
        .iter()
        .copied()
        .eq(sizes.iter().copied().map(Some))
}

fn is_within(offsets: &[u64], sizes: &[u64], whole: &LinalgOperand<'_>) -> bool {
    let mut each = offsets.iter().zip(sizes).zip(&whole.sizes);
    offsets.len() == whole.sizes.len()
        && each.all(|((offset, size), whole)| {
            let end = offset.checked_add(*size);
            end.zip(*whole).is_some_and(|(end, whole)| end <= whole)
        })
}
