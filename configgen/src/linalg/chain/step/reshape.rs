//! The parser of reshapes, which add or drop dimensions of size 1.

use super::super::product_origin::is_behind_product;
use super::{ChainOperand, ChainRefusal, ChainStep, ChainStepKind, MAX_OPERANDS, ValueSource};
use crate::comparator::{ComparatorError, Cursor, MlirToken, OperandType, Scopes, natural};

/// Parses a `tensor.collapse_shape` or `tensor.expand_shape` behind its name.
pub(in crate::linalg) fn reshape<'a>(
    start: Cursor<'a>,
    cursor: Cursor<'a>,
    scopes: &Scopes<'a>,
) -> ChainStep<'a> {
    let (operands, kind) = match reshaped(cursor, scopes) {
        Ok((operand, groups, to)) => (vec![operand], ChainStepKind::Reshape { to, groups }),
        Err(error) => (
            Vec::new(),
            ChainStepKind::Refused(ChainRefusal::Error(error)),
        ),
    };
    ChainStep {
        place: start,
        operands,
        filled: None,
        kind,
        is_of_indices: false,
    }
}

/// The dimensions of the longer type, by dimension of the shorter one.
type Groups = Vec<Vec<usize>>;

/// The operand of a reshape, its groups, and the sizes of the result.
type ReshapeOperands<'a> = (ChainOperand<'a>, Option<Groups>, Vec<Option<u64>>);

fn reshaped<'a>(
    mut cursor: Cursor<'a>,
    scopes: &Scopes<'a>,
) -> Result<ReshapeOperands<'a>, ComparatorError> {
    let is_generic = cursor.accept("(");
    let place = cursor;
    let MlirToken::Value(name) = cursor.next() else {
        return Err(place.expected("a value, such as \"%x\""));
    };
    let groups = groups(&mut { cursor });
    // Dynamic sizes are operands too, and the groups come in brackets.
    while !cursor.accept(":") {
        match cursor.peek() {
            MlirToken::Symbol("[" | "{" | "<") => cursor.skip_brackets()?,
            MlirToken::End => return Err(cursor.expected("\":\" and types")),
            _ => {
                cursor.next();
            }
        }
    }
    if is_generic {
        cursor.expect("(", "before the types")?;
    }
    let (_, from) = super::super::super::operands::typed_place(&mut cursor)?;
    while is_generic && !cursor.accept("->") {
        if cursor.next() == MlirToken::End {
            return Err(cursor.expected("\"->\""));
        }
    }
    if !is_generic {
        cursor.expect("into", "and the type of the result")?;
    }
    let (_, to) = super::super::super::operands::typed_place(&mut cursor)?;
    let longer = |sizes: &[Option<u64>]| -> Vec<Option<u64>> {
        sizes.iter().copied().filter(|it| *it != Some(1)).collect()
    };
    let OperandType::Scalar(element) = from.element else {
        return Err(place.error("elements must be integers or floats, not indices"));
    };
    // Merged or split dimensions would change the axes.
    if longer(&from.sizes) != longer(&to.sizes) || from.element != to.element {
        let message = "a row operation may add or drop only dimensions of size 1, and this collapses or splits others";
        return Err(place.error(message));
    }
    let used = ChainOperand {
        source: ValueSource::of(name, scopes),
        name,
        place,
        sizes: from.sizes,
        element,
        is_empty: false,
        is_product: false,
        is_behind_product: is_behind_product(name, scopes),
    };
    Ok((used, groups, to.sizes))
}

/// Parses `[[0, 1], [2]]`.
fn groups(cursor: &mut Cursor<'_>) -> Option<Groups> {
    let mut groups = Groups::new();
    if !cursor.accept("[") {
        return None;
    }
    while !cursor.accept("]") {
        cursor.accept("[").then_some(())?;
        let mut group = vec![natural(cursor).ok()?];
        while cursor.accept(",") && group.len() < MAX_OPERANDS {
            group.push(natural(cursor).ok()?);
        }
        cursor.accept("]").then_some(())?;
        groups.push(group);
        if !cursor.accept(",") && cursor.peek() != MlirToken::Symbol("]")
            || groups.len() > MAX_OPERANDS
        {
            return None;
        }
    }
    Some(groups)
}
