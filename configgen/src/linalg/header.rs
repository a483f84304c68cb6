//! Where the parts of an operation stand: its operands, its attributes and its body.
//!
//! The parts are found by their brackets, and read later.

use std::collections::HashMap;

use crate::comparator::{ComparatorError, Cursor, Token, tensor_type};

/// Which operation it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Name {
    Generic,
    Reduce,
}

impl Name {
    pub(super) fn of(name: &str) -> Option<Name> {
        match name {
            "linalg.generic" => Some(Name::Generic),
            "linalg.reduce" => Some(Name::Reduce),
            _ => None,
        }
    }
}

/// Where the attributes stand that say what is reduced.
#[derive(Default, Clone, Copy)]
pub(super) struct Attributes<'a> {
    pub(super) maps: Option<Cursor<'a>>,
    pub(super) iterators: Option<Cursor<'a>>,
    pub(super) dimensions: Option<Cursor<'a>>,
    /// Whether one of the iterators is a reduction.
    reduces: bool,
}

/// The attributes of whole operations that have a name, `#trait`.
pub(super) type Traits<'a> = HashMap<&'a str, Attributes<'a>>;

/// Where the operands stand.
#[derive(Clone, Copy)]
pub(super) enum Operands<'a> {
    /// `ins(%a : …) outs(%init : …)`.
    Clauses {
        inputs: Cursor<'a>,
        outputs: Cursor<'a>,
    },
    /// `(%a, %init)`, and their types: `(…) -> …`.
    List {
        values: Cursor<'a>,
        types: Cursor<'a>,
    },
}

/// Where the body stands.
#[derive(Clone, Copy)]
pub(super) enum Body<'a> {
    /// `{ ^bb0(…): … }`.
    Block(Cursor<'a>),
    /// `(%x: f32, %acc: f32) { … }`.
    Arguments(Cursor<'a>),
    /// `{ arith.addf }`, behind the brace.
    Payload(Cursor<'a>),
}

/// An operation. Each part is a place in a text that ends with the operation.
pub(super) struct Header<'a> {
    pub(super) name: Name,
    /// Where its name stands.
    pub(super) start: Cursor<'a>,
    pub(super) attributes: Attributes<'a>,
    pub(super) operands: Operands<'a>,
    pub(super) body: Body<'a>,
}

/// Reads attributes in braces.
pub(super) fn attributes<'a>(cursor: &mut Cursor<'a>) -> Result<Attributes<'a>, ComparatorError> {
    let start = *cursor;
    cursor.expect("{", "before the attributes")?;
    let mut found = Attributes::default();
    loop {
        let place = *cursor;
        match cursor.next() {
            Token::Symbol("}") => break,
            Token::Symbol("(" | "[" | "{" | "<") => {
                *cursor = place;
                cursor.skip_brackets()?;
            }
            Token::Word(name) => {
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
            Token::End => return Err(start.error("attributes that never end")),
            _ => {}
        }
    }
    let end = cursor.offset();
    for part in [&mut found.maps, &mut found.iterators, &mut found.dimensions] {
        *part = part.map(|it| it.until(end));
    }
    found.reduces = found.iterators.is_some_and(has_reduction);
    Ok(found)
}

/// Whether a list of iterators that begins here has a reduction.
fn has_reduction(mut cursor: Cursor<'_>) -> bool {
    loop {
        match cursor.next() {
            Token::Quoted("reduction") | Token::Word("reduction") => return true,
            Token::Symbol("]") | Token::End => return false,
            _ => {}
        }
    }
}

impl<'a> Header<'a> {
    /// Reads what follows the name in the custom form.
    pub(super) fn custom(
        start: Cursor<'a>,
        cursor: &mut Cursor<'a>,
        name: Name,
        traits: &Traits<'a>,
    ) -> Result<Header<'a>, ComparatorError> {
        let is_reduce = name == Name::Reduce;
        let (mut inputs, mut outputs, mut arguments, mut payload) = (None, None, None, None);
        let mut found = Attributes::default();
        let body = loop {
            let clause = *cursor;
            match cursor.next() {
                Token::Word("ins") => {
                    inputs = Some(*cursor);
                    cursor.skip_brackets()?;
                }
                Token::Word("outs") => {
                    outputs = Some(*cursor);
                    cursor.skip_brackets()?;
                }
                Token::Word("attrs") => {
                    cursor.expect("=", "and attributes")?;
                    cursor.skip_brackets()?;
                }
                Token::Word("dimensions") if is_reduce => {
                    cursor.expect("=", "and the reduced dimensions")?;
                    found.dimensions = Some(*cursor);
                    cursor.skip_brackets()?;
                }
                Token::Symbol("#") => {
                    let place = *cursor;
                    let name = cursor.word("the name of attributes")?;
                    let named = traits.get(name);
                    found = *named.ok_or_else(|| {
                        place.error(format!("#{name} is not defined before this place"))
                    })?;
                }
                Token::Symbol("(") if is_reduce && found.dimensions.is_some() => {
                    *cursor = clause;
                    arguments = Some(clause);
                    cursor.skip_brackets()?;
                }
                Token::Symbol("{") if arguments.is_some() => {
                    *cursor = clause;
                    cursor.skip_brackets()?;
                    break arguments.map(Body::Arguments);
                }
                Token::Symbol("{") if matches!(cursor.peek(), Token::Label(_)) => {
                    *cursor = clause;
                    cursor.skip_brackets()?;
                    break Some(Body::Block(clause));
                }
                Token::Symbol("{") if is_reduce && inputs.is_none() && payload.is_none() => {
                    payload = Some(Body::Payload(*cursor));
                    *cursor = clause;
                    cursor.skip_brackets()?;
                }
                Token::Symbol("{") => {
                    *cursor = clause;
                    let read = attributes(cursor)?;
                    found.maps = read.maps.or(found.maps);
                    found.reduces |= read.reduces;
                    found.iterators = read.iterators.or(found.iterators);
                }
                _ if payload.is_some() && outputs.is_some() && found.dimensions.is_some() => {
                    *cursor = clause;
                    break payload;
                }
                _ => {
                    let clauses = match name {
                        Name::Generic => "attributes, \"ins\", \"outs\"",
                        Name::Reduce => "\"ins\", \"outs\", \"dimensions\"",
                    };
                    return Err(clause.expected(format_args!("{clauses} or the body in braces")));
                }
            }
        };
        let (Some(inputs), Some(outputs), Some(body)) = (inputs, outputs, body) else {
            return Err(start.error("a reduction has \"ins(…)\", \"outs(…)\" and a body"));
        };
        let end = cursor.offset();
        Ok(Header {
            name,
            start,
            attributes: found,
            operands: Operands::Clauses {
                inputs: inputs.until(end),
                outputs: outputs.until(end),
            },
            body,
        }
        .until(end))
    }

    /// Reads what follows the name in the generic form: `(%a, %init) <{…}> ({ ^bb0(…): … }) : (…) -> …`.
    pub(super) fn generic(
        start: Cursor<'a>,
        cursor: &mut Cursor<'a>,
        name: Name,
    ) -> Result<Header<'a>, ComparatorError> {
        let values = *cursor;
        cursor.skip_brackets()?;
        cursor.expect("<", "and the attributes")?;
        let attributes = attributes(cursor)?;
        cursor.expect(">", "after the attributes")?;
        cursor.expect("(", "before the body")?;
        let body = *cursor;
        cursor.skip_brackets()?;
        cursor.expect(")", "after the body")?;
        if cursor.peek() == Token::Symbol("{") {
            cursor.skip_brackets()?;
        }
        cursor.expect(":", "and the types of the operands")?;
        let types = *cursor;
        cursor.skip_brackets()?;
        let mut ahead = *cursor;
        if ahead.accept("->") && ahead.peek() == Token::Symbol("(") {
            ahead.skip_brackets()?;
            *cursor = ahead;
        } else if ahead.accept("tensor") && ahead.skip_brackets().is_ok() {
            *cursor = ahead;
        }
        let end = cursor.offset();
        Ok(Header {
            name,
            start,
            attributes,
            operands: Operands::List {
                values: values.until(end),
                types: types.until(end),
            },
            body: Body::Block(body),
        }
        .until(end))
    }

    fn until(self, end: usize) -> Self {
        let body = match self.body {
            Body::Block(cursor) => Body::Block(cursor.until(end)),
            Body::Arguments(cursor) => Body::Arguments(cursor.until(end)),
            Body::Payload(cursor) => Body::Payload(cursor.until(end)),
        };
        Header { body, ..self }
    }

    /// The number of results, of an operation in the generic form.
    pub(super) fn results(&self) -> Result<usize, ComparatorError> {
        let Operands::List { mut types, .. } = self.operands else {
            return Ok(1);
        };
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

    /// Whether something is reduced.
    pub(super) fn reduces(&self) -> bool {
        self.name == Name::Reduce || self.attributes.reduces
    }
}
