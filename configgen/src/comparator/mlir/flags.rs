//! The flags between an operation's operands and its type.

use super::super::error::ComparatorError;
use super::cursor::Cursor;

/// Parses flags.
///
/// Promises that something does not happen (`overflow<nsw>`, `exact`, `nneg`) are dropped,
/// because [`semantics`](super::super::semantics) defines these cases. Flags that permit another
/// result are refused.
pub(crate) fn skip_flags(cursor: &mut Cursor<'_>) -> Result<(), ComparatorError> {
    loop {
        let start = *cursor;
        if cursor.accept("exact") || cursor.accept("nneg") || cursor.accept("to_nearest_even") {
            continue;
        }
        if cursor.accept("overflow") {
            list(cursor, &["none", "nsw", "nuw"])?;
        } else if cursor.accept("fastmath") {
            fastmath(start, cursor)?;
        } else {
            // Anything else ends the flags, unless it is a rounding mode.
            return refuse_rounding(cursor);
        }
    }
}

/// Parses `<none>`, the only value of `fastmath` with one result. Errors point at `start`.
pub(super) fn fastmath(start: Cursor<'_>, cursor: &mut Cursor<'_>) -> Result<(), ComparatorError> {
    cursor.expect("<", "after \"fastmath\"")?;
    match cursor.angled()?.trim() {
        "none" => Ok(()),
        _ => Err(start.error(
            "fastmath flags allow several results for the same values, and a block must have one: remove them",
        )),
    }
}

/// The reason that another rounding mode is refused.
pub(crate) const OTHER_ROUNDING: &str = "the only rounding mode is to_nearest_even";

fn refuse_rounding(cursor: &Cursor<'_>) -> Result<(), ComparatorError> {
    let mut ahead = *cursor;
    let modes = ["downward", "upward", "toward_zero", "to_nearest_away"];
    match modes.into_iter().any(|mode| ahead.accept(mode)) {
        true => Err(cursor.error(OTHER_ROUNDING)),
        false => Ok(()),
    }
}

fn list(cursor: &mut Cursor<'_>, allowed: &[&str]) -> Result<(), ComparatorError> {
    cursor.expect("<", "after \"overflow\"")?;
    loop {
        if !allowed.iter().any(|flag| cursor.accept(flag)) {
            return Err(cursor.expected(format_args!("one of {}", allowed.join(", "))));
        }
        if !cursor.accept(",") {
            return cursor.expect(">", "after the flags");
        }
    }
}
