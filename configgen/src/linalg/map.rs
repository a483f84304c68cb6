//! Affine maps of operands, and lists of iterators and dimensions.

use std::collections::HashMap;

use arrayvec::ArrayVec;

use crate::comparator::{ComparatorError, Cursor, MlirToken, natural};
use crate::shape::MAX_RANK;

/// The positions of the maps by their alias, `#map`.
pub(super) type Maps<'a> = HashMap<&'a str, Cursor<'a>>;

/// The dimensions of an operand, outermost first, with the position of its map.
pub(super) struct OperandMap<'a> {
    pub(super) place: Cursor<'a>,
    pub(super) dimensions: ArrayVec<usize, MAX_RANK>,
    /// The operand's dimensions with a constant 0 in the map: only their first index is read.
    pub(super) zeros: ArrayVec<usize, MAX_RANK>,
}

/// The reduced dimensions of an iteration, as flags.
pub(super) type Iterators = ArrayVec<bool, MAX_RANK>;

/// Parses `["parallel", "reduction"]` to flags of the reduced dimensions.
pub(super) fn iterators(mut cursor: Cursor<'_>) -> Result<Iterators, ComparatorError> {
    let mut reduced = ArrayVec::new();
    cursor.expect("[", "before the iterators")?;
    loop {
        let place = cursor;
        if cursor.accept("#") {
            cursor.expect("linalg.iterator_type", "as the type of an iterator")?;
            cursor.expect("<", "before an iterator")?;
        }
        let is_reduced = match cursor.next() {
            MlirToken::Quoted("parallel") | MlirToken::Word("parallel") => false,
            MlirToken::Quoted("reduction") | MlirToken::Word("reduction") => true,
            _ => return Err(place.expected("\"parallel\" or \"reduction\"")),
        };
        cursor.accept(">");
        reduced.try_push(is_reduced).map_err(|_| too_many(place))?;
        if !cursor.accept(",") {
            cursor.expect("]", "after the iterators")?;
            return Ok(reduced);
        }
    }
}

fn too_many(place: Cursor<'_>) -> ComparatorError {
    place.error(format!("a problem has at most {MAX_RANK} dimensions"))
}

/// Parses the maps of `count` operands: `[#map, affine_map<…>]`.
///
/// `takes_zeros` allows constants: `(d0, d1) -> (d0, 0)`.
pub(super) fn maps<'a>(
    cursor: Cursor<'a>,
    count: usize,
    rank: usize,
    named: &Maps<'a>,
    takes_zeros: bool,
) -> Result<Vec<OperandMap<'a>>, ComparatorError> {
    each(cursor, count, named, |cursor| {
        map(cursor, rank, takes_zeros)
    })
}

/// The iteration dimension of each dimension of an operand, or none for a constant 0.
pub(super) type OperandAccess = ArrayVec<Option<usize>, MAX_RANK>;

/// Parsed maps, by position and rank, each with its end.
///
/// A map with an alias is thus parsed once, however often the module uses it.
pub(super) type MapCache = HashMap<(usize, usize), Result<(OperandAccess, usize), ComparatorError>>;

/// Parses maps like [`maps`], with constants 0: `(d0, d1) -> (d0, 0)`.
pub(super) fn accesses<'a>(
    cursor: Cursor<'a>,
    count: usize,
    rank: usize,
    named: &Maps<'a>,
    read: &mut MapCache,
) -> Result<Vec<OperandAccess>, ComparatorError> {
    each(cursor, count, named, |cursor| {
        let start = *cursor;
        // A module uses few maps in thousands of operations.
        let found = read.entry((start.offset(), rank)).or_insert_with(|| {
            let access = access(cursor, rank, true)?.1;
            Ok((access, cursor.offset()))
        });
        let (access, end) = found.clone()?;
        *cursor = start.at(end);
        Ok(access)
    })
}

/// Parses a list of maps, each with `one` at its definition.
fn each<'a, T>(
    mut cursor: Cursor<'a>,
    count: usize,
    named: &Maps<'a>,
    mut one: impl FnMut(&mut Cursor<'a>) -> Result<T, ComparatorError>,
) -> Result<Vec<T>, ComparatorError> {
    let start = cursor;
    let mut maps = Vec::new();
    cursor.expect("[", "before the maps")?;
    loop {
        let place = cursor;
        if cursor.accept("#") {
            let name = cursor.word("the name of a map")?;
            let found = named.get(name);
            let mut found = *found.ok_or_else(|| {
                place.error(format!(
                    "#{name} is no map that is defined before this place"
                ))
            })?;
            maps.push(one(&mut found)?);
        } else {
            maps.push(one(&mut cursor)?);
        }
        // One map too many suffices for the error, so a long list is not read to its end.
        if maps.len() > count || !cursor.accept(",") {
            break;
        }
    }
    match maps.len() == count {
        true => cursor.expect("]", "after the maps")?,
        false => return Err(start.error(format!("{count} operands have {count} maps"))),
    }
    Ok(maps)
}

/// Parses `affine_map<(d0, d1) -> (d1)>`.
fn map<'a>(
    cursor: &mut Cursor<'a>,
    rank: usize,
    takes_zeros: bool,
) -> Result<OperandMap<'a>, ComparatorError> {
    let (place, access) = access(cursor, rank, takes_zeros)?;
    // Only a constant 0 has no dimension.
    let zeros = access.iter().enumerate().filter(|it| it.1.is_none());
    Ok(OperandMap {
        place,
        zeros: zeros.map(|it| it.0).collect(),
        dimensions: access.into_iter().flatten().collect(),
    })
}

/// Parses `affine_map<(d0, d1) -> (d1)>`, with constants 0 if they are allowed.
fn access<'a>(
    cursor: &mut Cursor<'a>,
    rank: usize,
    takes_zeros: bool,
) -> Result<(Cursor<'a>, OperandAccess), ComparatorError> {
    let place = *cursor;
    cursor.expect("affine_map", "as the map of an operand")?;
    cursor.expect("<", "after \"affine_map\"")?;
    let mut names: ArrayVec<&str, MAX_RANK> = ArrayVec::new();
    list(cursor, |cursor| {
        let start = *cursor;
        let name = cursor.word("the name of a dimension, such as d0")?;
        if names.contains(&name) {
            return Err(start.error(format!("{name} is defined already")));
        }
        names.try_push(name).map_err(|_| too_many(start))
    })?;
    if names.len() != rank {
        let found = names.len();
        return Err(place.error(format!(
            "the operation has {rank} iterators, and a map as many dimensions; this one has {found}"
        )));
    }
    cursor.expect(
        "->",
        "after the dimensions; a map of an operand has no symbols",
    )?;
    let mut dimensions = OperandAccess::new();
    list(cursor, |cursor| {
        let start = *cursor;
        let found = match cursor.next() {
            MlirToken::Word(name) => names.iter().position(|it| *it == name).map(Some),
            MlirToken::Number("0") if takes_zeros && !dimensions.is_full() => Some(None),
            _ => None,
        };
        // A sum or a product begins with a dimension too, so the next token must end the entry.
        let is_alone = matches!(cursor.peek(), MlirToken::Symbol("," | ")"));
        let found = found.filter(|it| is_alone && (it.is_none() || !dimensions.contains(it)));
        match found.filter(|_| !dimensions.is_full()) {
            Some(dimension) => {
                dimensions.push(dimension);
                Ok(())
            }
            None => Err(start.error(
                "an operand has dimensions of the iteration, such as d0, each once at most, and 0; other constants, sums and \
                 products are not taken",
            )),
        }
    })?;
    cursor.expect(">", "after the map")?;
    Ok((place, dimensions))
}

/// Parses a list in parentheses, each entry with `read`.
pub(super) fn list<'a>(
    cursor: &mut Cursor<'a>,
    mut read: impl FnMut(&mut Cursor<'a>) -> Result<(), ComparatorError>,
) -> Result<(), ComparatorError> {
    cursor.expect("(", "before a list")?;
    if cursor.accept(")") {
        return Ok(());
    }
    loop {
        read(cursor)?;
        if !cursor.accept(",") {
            return cursor.expect(")", "or \",\" in a list");
        }
    }
}

/// Parses the reduced dimensions of an input of this rank: `[1, 2]` or `array<i64: 1, 2>`.
pub(super) fn dimensions(
    mut cursor: Cursor<'_>,
    rank: usize,
) -> Result<ArrayVec<bool, MAX_RANK>, ComparatorError> {
    let start = cursor;
    // `reduced` has a fixed capacity, so the rank is checked before it is filled.
    if rank > MAX_RANK {
        return Err(too_many(start));
    }
    let mut reduced = ArrayVec::from_iter(std::iter::repeat_n(false, rank));
    let close = match cursor.accept("array") {
        true => {
            cursor.expect("<", "after \"array\"")?;
            cursor.expect("i64", "as the type of dimensions")?;
            cursor.expect(":", "and the dimensions")?;
            ">"
        }
        false => {
            cursor.expect("[", "before the dimensions")?;
            "]"
        }
    };
    loop {
        let place = cursor;
        let dimension = natural(&mut cursor)?;
        match reduced.get_mut(dimension) {
            Some(entry) if !*entry => *entry = true,
            _ => {
                return Err(place.error(format!(
                    "the input has {rank} dimensions, counted from 0, and each is reduced once"
                )));
            }
        }
        if !cursor.accept(",") {
            cursor.expect(close, "after the dimensions")?;
            return Ok(reduced);
        }
    }
}

/// Parses the number of this name in attributes, `{dimension = 1 : i64}`, and returns its
/// position too.
pub(super) fn named_number<'a>(
    mut cursor: Cursor<'a>,
    name: &str,
) -> Result<(Cursor<'a>, usize), ComparatorError> {
    let start = cursor;
    cursor.expect("{", "before the attributes")?;
    loop {
        let is_it = cursor.peek() == MlirToken::Word(name);
        match cursor.next() {
            _ if is_it && cursor.accept("=") => {
                let place = cursor;
                return Ok((place, natural(&mut cursor)?));
            }
            MlirToken::Symbol("}") | MlirToken::End => {
                return Err(start.expected(format_args!("the attribute {name:?}")));
            }
            _ => {}
        }
    }
}
