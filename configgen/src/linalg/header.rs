//! Operation headers: the positions of an operation's operands, attributes and body in a text.
//!
//! The reader finds the parts by their brackets, and parses them later.

use std::collections::HashMap;

use crate::comparator::{ComparatorError, Cursor, MlirToken, tensor_type};

/// The name of a reducing linalg operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum LinalgName {
    Generic,
    Reduce,
}

impl LinalgName {
    pub(super) fn of(name: &str) -> Option<LinalgName> {
        match name {
            "linalg.generic" => Some(LinalgName::Generic),
            "linalg.reduce" => Some(LinalgName::Reduce),
            _ => None,
        }
    }
}

/// The positions of the attributes that describe a reduction.
#[derive(Default, Clone, Copy)]
pub(super) struct Attributes<'a> {
    pub(super) maps: Option<Cursor<'a>>,
    pub(super) iterators: Option<Cursor<'a>>,
    pub(super) dimensions: Option<Cursor<'a>>,
    /// Set if one of the iterators is a reduction.
    reduces: bool,
}

/// The attributes of whole operations by their alias, `#trait`.
pub(super) type Traits<'a> = HashMap<&'a str, Attributes<'a>>;

/// The positions of the operands.
#[derive(Clone, Copy)]
pub(super) enum Operands<'a> {
    /// `ins(%a : …) outs(%init : …)`. A `linalg.generic` may have no inputs.
    Clauses {
        inputs: Option<Cursor<'a>>,
        outputs: Cursor<'a>,
    },
    /// `(%a, %init)`, and their types: `(…) -> …`.
    List {
        values: Cursor<'a>,
        types: Cursor<'a>,
    },
}

/// The position and the form of the body.
#[derive(Clone, Copy)]
pub(super) enum BodySyntax<'a> {
    /// `{ ^bb0(…): … }`.
    Block(Cursor<'a>),
    /// `(%x: f32, %acc: f32) { … }`.
    Arguments(Cursor<'a>),
    /// `{ arith.addf }`, behind the brace.
    Payload(Cursor<'a>),
}

/// The parts of an operation, each as a position in a text that ends with the operation.
pub(super) struct OperationHeader<'a> {
    pub(super) name: LinalgName,
    /// The position of its name.
    pub(super) start: Cursor<'a>,
    pub(super) attributes: Attributes<'a>,
    pub(super) operands: Operands<'a>,
    pub(super) body: BodySyntax<'a>,
}

/// Parses attributes in braces.
pub(super) fn attributes<'a>(cursor: &mut Cursor<'a>) -> Result<Attributes<'a>, ComparatorError> {
    let start = *cursor;
    cursor.expect("{", "before the attributes")?;
    let mut found = Attributes::default();
    loop {
        let place = *cursor;
        match cursor.next() {
            MlirToken::Symbol("}") => break,
            // Other attributes may contain the same words in their brackets, so brackets are
            // skipped whole.
            MlirToken::Symbol("(" | "[" | "{" | "<") => {
                *cursor = place;
                cursor.skip_brackets()?;
            }
            MlirToken::Word(name) => {
                let mut value = *cursor;
                let slot = match name {
                    "indexing_maps" => &mut found.maps,
                    "iterator_types" => &mut found.iterators,
                    "dimensions" => &mut found.dimensions,
                    _ => continue,
                };
                if value.accept("=") {
                    *slot = Some(value);
                }
            }
            MlirToken::End => return Err(start.error("attributes that never end")),
            _ => {}
        }
    }
    // The cursors end with the attributes, so that a broken list cannot read on.
    let end = cursor.offset();
    for part in [&mut found.maps, &mut found.iterators, &mut found.dimensions] {
        *part = part.map(|it| it.until(end));
    }
    found.reduces = found.iterators.is_some_and(has_reduction);
    Ok(found)
}

/// Returns whether a list of iterators at this position has a reduction.
fn has_reduction(mut cursor: Cursor<'_>) -> bool {
    loop {
        match cursor.next() {
            MlirToken::Quoted("reduction") | MlirToken::Word("reduction") => return true,
            MlirToken::Symbol("]") | MlirToken::End => return false,
            _ => {}
        }
    }
}

impl<'a> OperationHeader<'a> {
    /// Parses the custom form behind the name.
    pub(super) fn custom(
        start: Cursor<'a>,
        cursor: &mut Cursor<'a>,
        name: LinalgName,
        traits: &Traits<'a>,
    ) -> Result<OperationHeader<'a>, ComparatorError> {
        // The clauses may come in several orders, so their words decide, not their positions.
        let is_reduce = name == LinalgName::Reduce;
        let (mut inputs, mut outputs, mut arguments, mut payload) = (None, None, None, None);
        let mut found = Attributes::default();
        let body = loop {
            let clause = *cursor;
            match cursor.next() {
                MlirToken::Word("ins") => {
                    inputs = Some(*cursor);
                    cursor.skip_brackets()?;
                }
                MlirToken::Word("outs") => {
                    outputs = Some(*cursor);
                    cursor.skip_brackets()?;
                }
                // Discardable attributes do not change the result.
                MlirToken::Word("attrs") => {
                    cursor.expect("=", "and attributes")?;
                    cursor.skip_brackets()?;
                }
                MlirToken::Word("dimensions") if is_reduce => {
                    cursor.expect("=", "and the reduced dimensions")?;
                    found.dimensions = Some(*cursor);
                    cursor.skip_brackets()?;
                }
                MlirToken::Symbol("#") => {
                    let place = *cursor;
                    let name = cursor.word("the name of attributes")?;
                    let named = traits.get(name);
                    found = *named.ok_or_else(|| {
                        place.error(format!("#{name} is not defined before this position"))
                    })?;
                }
                // Only the custom form of `linalg.reduce` has its body arguments in front of the
                // braces.
                MlirToken::Symbol("(") if is_reduce && found.dimensions.is_some() => {
                    *cursor = clause;
                    arguments = Some(clause);
                    cursor.skip_brackets()?;
                }
                MlirToken::Symbol("{") if arguments.is_some() => {
                    *cursor = clause;
                    cursor.skip_brackets()?;
                    break arguments.map(BodySyntax::Arguments);
                }
                // A block begins with a label, which distinguishes it from attributes in braces.
                MlirToken::Symbol("{") if matches!(cursor.peek(), MlirToken::Label(_)) => {
                    *cursor = clause;
                    cursor.skip_brackets()?;
                    break Some(BodySyntax::Block(clause));
                }
                MlirToken::Symbol("{") if is_reduce && inputs.is_none() && payload.is_none() => {
                    payload = Some(BodySyntax::Payload(*cursor));
                    *cursor = clause;
                    cursor.skip_brackets()?;
                }
                MlirToken::Symbol("{") => {
                    *cursor = clause;
                    let read = attributes(cursor)?;
                    // An attribute of the operation itself takes precedence over that of its
                    // alias.
                    found.maps = read.maps.or(found.maps);
                    found.reduces |= read.reduces;
                    found.iterators = read.iterators.or(found.iterators);
                }
                // The short form of `linalg.reduce` has its body first, so it ends after the
                // dimensions.
                _ if payload.is_some() && outputs.is_some() && found.dimensions.is_some() => {
                    *cursor = clause;
                    break payload;
                }
                _ => {
                    let clauses = match name {
                        LinalgName::Generic => "attributes, \"ins\", \"outs\"",
                        LinalgName::Reduce => "\"ins\", \"outs\", \"dimensions\"",
                    };
                    return Err(clause.expected(format_args!("{clauses} or the body in braces")));
                }
            }
        };
        let has_inputs = inputs.is_some() || !is_reduce && !found.reduces;
        let (true, Some(outputs), Some(body)) = (has_inputs, outputs, body) else {
            return Err(start.error("a reduction needs \"ins(…)\", \"outs(…)\" and a body"));
        };
        let end = cursor.offset();
        Ok(OperationHeader {
            name,
            start,
            attributes: found,
            operands: Operands::Clauses {
                inputs: inputs.map(|it: Cursor<'a>| it.until(end)),
                outputs: outputs.until(end),
            },
            body,
        }
        .until(end))
    }

    /// Parses the generic form behind the name: `(%a, %init) <{…}> ({ ^bb0(…): … }) : (…) -> …`.
    pub(super) fn generic(
        start: Cursor<'a>,
        cursor: &mut Cursor<'a>,
        name: LinalgName,
    ) -> Result<OperationHeader<'a>, ComparatorError> {
        let values = *cursor;
        cursor.skip_brackets()?;
        cursor.expect("<", "and the attributes")?;
        let attributes = attributes(cursor)?;
        cursor.expect(">", "after the attributes")?;
        cursor.expect("(", "before the body")?;
        let body = *cursor;
        cursor.skip_brackets()?;
        cursor.expect(")", "after the body")?;
        // Discardable attributes may stand behind the body.
        if cursor.peek() == MlirToken::Symbol("{") {
            cursor.skip_brackets()?;
        }
        cursor.expect(":", "and the types of the operands")?;
        let types = *cursor;
        cursor.skip_brackets()?;
        // A single result type may stand without parentheses.
        let mut ahead = *cursor;
        if ahead.accept("->") && ahead.peek() == MlirToken::Symbol("(") {
            ahead.skip_brackets()?;
            *cursor = ahead;
        } else if ahead.accept("tensor") && ahead.skip_brackets().is_ok() {
            *cursor = ahead;
        }
        let end = cursor.offset();
        Ok(OperationHeader {
            name,
            start,
            attributes,
            operands: Operands::List {
                values: values.until(end),
                types: types.until(end),
            },
            body: BodySyntax::Block(body),
        }
        .until(end))
    }

    fn until(self, end: usize) -> Self {
        // A body that never ends must not read the next operation.
        let body = match self.body {
            BodySyntax::Block(cursor) => BodySyntax::Block(cursor.until(end)),
            BodySyntax::Arguments(cursor) => BodySyntax::Arguments(cursor.until(end)),
            BodySyntax::Payload(cursor) => BodySyntax::Payload(cursor.until(end)),
        };
        OperationHeader { body, ..self }
    }

    /// Returns the number of results of an operation in the generic form.
    pub(super) fn results(&self) -> Result<usize, ComparatorError> {
        let Operands::List { mut types, .. } = self.operands else {
            return Ok(1);
        };
        // The operand types come first: `(…) -> …`.
        types.skip_brackets()?;
        types.expect("->", "and the types of the results")?;
        if !types.accept("(") {
            return Ok(1);
        }
        let mut results = 0;
        while !types.accept(")") {
            tensor_type(&mut types)?;
            results += 1;
            types.accept(",");
        }
        Ok(results)
    }

    /// Returns whether the operation reduces a dimension.
    pub(super) fn reduces(&self) -> bool {
        self.name == LinalgName::Reduce || self.attributes.reduces
    }
}
