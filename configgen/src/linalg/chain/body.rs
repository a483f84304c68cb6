//! The parser of a body in a chain; unused instructions may be anything.
//!
//! The block parser of `comparator` reads the bodies of plain reductions and knows exact
//! operations alone. Bodies in a chain have exponentials, roots and others. The greatest element
//! of a row, for example, often comes with its index. An unknown operation is therefore refused
//! only if its result is used.

use std::collections::HashMap;

use super::super::header::BodySyntax as Place;
use crate::comparator::{
    ComparatorError, Cursor, FloatPredicate, IntegerPredicate, MlirToken, OTHER_ROUNDING, Opcode,
    ScalarType, constant, function_type, natural, payload, scalar_type, skip_flags, skip_location,
    with_attributes,
};

/// The largest number of instructions of a body.
const MAX_INSTRUCTIONS: usize = 64;

/// The limit of the arguments and results of a body, and of the operands of an unknown operation.
pub(in crate::linalg) const MAX_OPERANDS: usize = 16;

/// The operation of an instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::linalg) enum BodyOperation<'a> {
    Constant(u64),
    Operation(Opcode),
    /// The first operand to the power of the second one.
    Power,
    /// An operation that no row operation has: of integers, truth values, or several types.
    Known(Opcode),
    /// The index along a dimension.
    Index(usize),
    /// A conversion of an index to an integer.
    IndexCast,
    /// An unknown operation of this name.
    Other(&'a str),
}

/// One operation of a body.
#[derive(Debug, Clone)]
pub(in crate::linalg) struct Instruction<'a> {
    /// The position of its name.
    pub(in crate::linalg) place: Cursor<'a>,
    pub(in crate::linalg) what: BodyOperation<'a>,
    /// The operand values: the arguments first, then one per instruction.
    pub(in crate::linalg) operands: Vec<usize>,
    /// The type of the result if it is known; none for an index.
    pub(in crate::linalg) result: Option<ScalarType>,
}

/// A parsed body.
#[derive(Debug, Clone)]
pub(in crate::linalg) struct ChainBody<'a> {
    pub(in crate::linalg) arguments: Vec<ScalarType>,
    pub(in crate::linalg) instructions: Vec<Instruction<'a>>,
    /// The results.
    pub(in crate::linalg) yields: Vec<usize>,
}

impl<'a> ChainBody<'a> {
    /// Parses a body with `inputs` inputs and operands of these types.
    ///
    /// `constant` finds constants that are defined outside.
    pub(in crate::linalg) fn read(
        place: Place<'a>,
        inputs: usize,
        types: Vec<ScalarType>,
        constant: &mut dyn FnMut(&str) -> Option<(u64, ScalarType)>,
    ) -> Result<ChainBody<'a>, ComparatorError> {
        let (mut cursor, is_block) = match place {
            Place::Block(cursor) => (cursor, true),
            Place::Arguments(cursor) => (cursor, false),
            Place::Payload(cursor) => {
                let opcode = payload(&mut { cursor })?;
                // A payload is one operation on the accumulator and the input.
                let result = types.get(inputs).copied();
                return Ok(ChainBody {
                    instructions: vec![Instruction {
                        place: cursor,
                        what: BodyOperation::Operation(opcode),
                        operands: vec![inputs, 0],
                        result,
                    }],
                    yields: vec![types.len()],
                    arguments: types,
                });
            }
        };
        if is_block {
            cursor.expect("{", "before the block")?;
            cursor.next();
        }
        let start = cursor;
        let mut reader = Reader {
            cursor,
            names: HashMap::new(),
            body: ChainBody {
                arguments: Vec::new(),
                instructions: Vec::new(),
                yields: Vec::new(),
            },
            constant,
        };
        reader.arguments()?;
        reader
            .cursor
            .expect(if is_block { ":" } else { "{" }, "after the arguments")?;
        if reader.body.arguments != types {
            return Err(
                start.error("the body must have one argument per operand, of the operand's type")
            );
        }
        while reader.instruction()? {}
        Ok(reader.body)
    }

    /// Returns whether the yielded values depend on this argument.
    pub(in crate::linalg) fn uses(&self, argument: usize) -> bool {
        let mut yields = self.yields.iter();
        yields.any(|&it| self.needed(it).any(|it| it == argument))
    }

    /// Returns the arguments on which a value depends.
    pub(super) fn needed(&self, value: usize) -> impl Iterator<Item = usize> + use<> {
        // Unused instructions may be anything, so uses are traced back from the value.
        let mut used: Vec<bool> = vec![false; self.arguments.len() + self.instructions.len()];
        used[value] = true;
        for (place, instruction) in self.instructions.iter().enumerate().rev() {
            if used[self.arguments.len() + place] {
                instruction.operands.iter().for_each(|&it| used[it] = true);
            }
        }
        let arguments = self.arguments.len();
        (0..arguments).filter(move |&it| used[it])
    }
}

/// The operation, its operand values, and the type of its result.
type ReadOperation<'a> = (BodyOperation<'a>, Vec<usize>, Option<ScalarType>);

struct Reader<'r, 'a> {
    cursor: Cursor<'a>,
    names: HashMap<&'a str, usize>,
    body: ChainBody<'a>,
    constant: &'r mut dyn FnMut(&str) -> Option<(u64, ScalarType)>,
}

impl<'a> Reader<'_, 'a> {
    /// Parses `(%x: f32, %acc: f32)`.
    fn arguments(&mut self) -> Result<(), ComparatorError> {
        self.cursor
            .expect("(", "before the arguments of the block")?;
        loop {
            let start = self.cursor;
            let MlirToken::Value(name) = self.cursor.next() else {
                return Err(start.expected("an argument, such as \"%a\""));
            };
            let number = self.body.arguments.len();
            if number == MAX_OPERANDS || self.names.insert(name, number).is_some() {
                return Err(start.error(format!(
                    "at most {MAX_OPERANDS} arguments, each with its own name"
                )));
            }
            self.cursor.expect(":", "after an argument")?;
            self.body.arguments.push(scalar_type(&mut self.cursor)?);
            skip_location(&mut self.cursor)?;
            if !self.cursor.accept(",") {
                return self.cursor.expect(")", "or \",\" after an argument");
            }
        }
    }

    /// Parses one operation; returns false for the yield at the end of the block.
    fn instruction(&mut self) -> Result<bool, ComparatorError> {
        let start = self.cursor;
        if self.body.instructions.len() >= MAX_INSTRUCTIONS {
            return Err(start.error(format!(
                "the body of a row operation may have at most {MAX_INSTRUCTIONS} operations"
            )));
        }
        let name = match self.cursor.next() {
            MlirToken::Value(name) => Some(name),
            MlirToken::Word("linalg.yield") | MlirToken::Quoted("linalg.yield") => {
                self.body.yields = self.values_until_type()?;
                return Ok(false);
            }
            MlirToken::Symbol("}") | MlirToken::End => {
                return Err(start.expected("an operation or \"linalg.yield\""));
            }
            // An operation without results, such as an assertion.
            _ => None,
        };
        if name.is_some() {
            if self.cursor.accept(":") {
                self.cursor.next();
            }
            self.cursor.expect("=", "after the name of a value")?;
        } else {
            self.cursor = start;
        }
        let place = self.cursor;
        let (operation, is_generic) = match self.cursor.next() {
            MlirToken::Word(operation) => (operation, false),
            MlirToken::Quoted(operation) => (operation, true),
            _ => return Err(place.expected("an operation")),
        };
        let (what, operands, result) = self.operation(operation, is_generic)?;
        skip_location(&mut self.cursor)?;
        let value = self.push(Instruction {
            place,
            what,
            operands,
            result,
        });
        if let Some(name) = name
            && self.names.insert(name, value).is_some()
        {
            return Err(start.error(format!("%{name} is defined already")));
        }
        Ok(true)
    }

    fn push(&mut self, instruction: Instruction<'a>) -> usize {
        self.body.instructions.push(instruction);
        self.body.arguments.len() + self.body.instructions.len() - 1
    }

    /// Parses the operands and the type behind an operation's name.
    fn operation(
        &mut self,
        name: &'a str,
        is_generic: bool,
    ) -> Result<ReadOperation<'a>, ComparatorError> {
        let what = match name {
            "arith.constant" => return self.own_constant(is_generic),
            "math.powf" | "math.fpowi" => BodyOperation::Power,
            _ => match Opcode::of_any_name(name) {
                Some(opcode) if opcode.is_of_floats() => BodyOperation::Operation(opcode),
                opcode => {
                    let start = self.cursor;
                    let known = match is_generic {
                        true => opcode.and_then(|opcode| self.known_generic(opcode)),
                        false => self.known(name, opcode),
                    };
                    if let Some(known) = known {
                        return Ok(known);
                    }
                    // An unreadable known operation counts as an unknown one, which may be
                    // unused.
                    self.cursor = start;
                    return Ok((BodyOperation::Other(name), self.rest()?, None));
                }
            },
        };
        if is_generic {
            self.cursor.expect("(", "before the operands")?;
        }
        let mut operands = vec![self.operand()?];
        while operands.len() < 3 && self.cursor.accept(",") {
            operands.push(self.operand()?);
        }
        let arity = match what {
            BodyOperation::Operation(opcode) => opcode.arity(),
            _ => 2,
        };
        if operands.len() != arity {
            return Err(self.cursor.error(format!("{name} takes {arity} operands")));
        }
        if is_generic {
            self.cursor.expect(")", "after the operands")?;
            self.attributes()?;
            self.cursor.expect(":", "and the types")?;
            let result = function_type(&mut self.cursor)?.1;
            return Ok((what, operands, result));
        }
        skip_flags(&mut self.cursor)?;
        self.cursor.expect(":", "and the type after the operands")?;
        let mut result = scalar_type(&mut self.cursor)?;
        if self.cursor.accept("to") {
            result = scalar_type(&mut self.cursor)?;
        } else if self.cursor.accept(",") {
            // The type of the exponent of `math.fpowi`.
            scalar_type(&mut self.cursor)?;
        }
        Ok((what, operands, Some(result)))
    }

    /// Parses an operation that no row operation has; returns none if it cannot.
    fn known(&mut self, name: &str, opcode: Option<Opcode>) -> Option<ReadOperation<'a>> {
        let cursor = &mut self.cursor;
        match (name, opcode) {
            ("linalg.index", _) => {
                let dimension = natural(cursor).ok()?;
                let is_index = cursor.accept(":") && cursor.accept("index");
                is_index.then_some((BodyOperation::Index(dimension), Vec::new(), None))
            }
            ("arith.index_cast", _) => {
                let operand = self.operand().ok()?;
                let cursor = &mut self.cursor;
                let is_cast = [":", "index", "to"].iter().all(|it| cursor.accept(it));
                let result = is_cast.then(|| scalar_type(cursor).ok()).flatten()?;
                Some((BodyOperation::IndexCast, vec![operand], Some(result)))
            }
            (_, Some(opcode)) => {
                let opcode = match opcode {
                    Opcode::Cmpf(_) => Opcode::Cmpf(FloatPredicate::from_name(self.predicate()?)?),
                    Opcode::Cmpi(_) => {
                        Opcode::Cmpi(IntegerPredicate::from_name(self.predicate()?)?)
                    }
                    other => other,
                };
                let mut operands = vec![self.operand().ok()?];
                while operands.len() < opcode.arity() && self.cursor.accept(",") {
                    operands.push(self.operand().ok()?);
                }
                // Flags are not parsed, so an operation with flags counts as unknown.
                let is_typed = operands.len() == opcode.arity() && self.cursor.accept(":");
                let first = is_typed
                    .then(|| scalar_type(&mut self.cursor).ok())
                    .flatten()?;
                let result = match self.cursor.accept("to") {
                    true => scalar_type(&mut self.cursor).ok()?,
                    false if matches!(opcode, Opcode::Cmpf(_) | Opcode::Cmpi(_)) => ScalarType::I1,
                    false => first,
                };
                Some((BodyOperation::Known(opcode), operands, Some(result)))
            }
            _ => None,
        }
    }

    /// Parses the same in the generic form.
    fn known_generic(&mut self, opcode: Opcode) -> Option<ReadOperation<'a>> {
        if !self.cursor.accept("(") {
            return None;
        }
        let mut operands = vec![self.operand().ok()?];
        while operands.len() < opcode.arity() && self.cursor.accept(",") {
            operands.push(self.operand().ok()?);
        }
        if operands.len() != opcode.arity() || !self.cursor.accept(")") {
            return None;
        }
        let opcode = with_attributes(&mut self.cursor, opcode).ok()?;
        let result = self
            .cursor
            .accept(":")
            .then(|| function_type(&mut self.cursor));
        Some((
            BodyOperation::Known(opcode),
            operands,
            Some(result?.ok()?.1?),
        ))
    }

    /// Parses `ogt,`.
    fn predicate(&mut self) -> Option<&'a str> {
        let word = self.cursor.word("a predicate").ok()?;
        self.cursor.accept(",").then_some(word)
    }

    /// Skips attributes of the generic form, and refuses fastmath flags.
    fn attributes(&mut self) -> Result<(), ComparatorError> {
        if !matches!(self.cursor.peek(), MlirToken::Symbol("<" | "{")) {
            return Ok(());
        }
        let mut inside = self.cursor;
        self.cursor.skip_brackets()?;
        // Fastmath flags permit other results than the definition's.
        while inside.offset() < self.cursor.offset() {
            let place = inside;
            match inside.next() {
                MlirToken::Word("arith.fastmath") => {
                    inside.expect("<", "and flags")?;
                    if !inside.accept("none") {
                        return Err(place.error(FASTMATH));
                    }
                }
                // Number 0 is the usual mode, to the nearest even number.
                MlirToken::Word("roundingmode")
                    if !inside.accept("=") || inside.next() != MlirToken::Number("0") =>
                {
                    return Err(place.error(OTHER_ROUNDING));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn own_constant(&mut self, is_generic: bool) -> Result<ReadOperation<'a>, ComparatorError> {
        if is_generic {
            for token in ["(", ")", "<", "{"] {
                self.cursor.expect(token, "in a constant")?;
            }
            self.cursor.expect("value", "and a constant")?;
            self.cursor.expect("=", "and a constant")?;
        }
        // An index constant has no bits of an element, and its users are unknown operations.
        let mut index = self.cursor;
        index.accept("-");
        let is_index = matches!(index.next(), MlirToken::Number(_))
            && index.accept(":")
            && index.accept("index");
        let (what, result) = match is_index {
            true => (BodyOperation::Other("an index"), None),
            false => {
                let (bits, scalar) = constant(&mut self.cursor)?;
                (BodyOperation::Constant(bits), Some(scalar))
            }
        };
        self.rest()?;
        Ok((what, Vec::new(), result))
    }

    fn operand(&mut self) -> Result<usize, ComparatorError> {
        let start = self.cursor;
        let MlirToken::Value(name) = self.cursor.next() else {
            return Err(start.expected("a value, such as \"%a\""));
        };
        self.value(start, name)
    }

    fn value(&mut self, place: Cursor<'a>, name: &'a str) -> Result<usize, ComparatorError> {
        let base = name.split('#').next().unwrap_or(name);
        if let Some(&value) = self.names.get(base) {
            return Ok(value);
        }
        let Some((bits, scalar)) = (self.constant)(name) else {
            return Err(place.error(format!(
                "%{name} is neither defined in this block nor a constant"
            )));
        };
        let value = self.push(Instruction {
            place,
            what: BodyOperation::Constant(bits),
            operands: Vec::new(),
            result: Some(scalar),
        });
        self.names.insert(name, value);
        Ok(value)
    }

    /// Parses `%a, %b : f32, f32`, or the values alone in parentheses.
    fn values_until_type(&mut self) -> Result<Vec<usize>, ComparatorError> {
        let is_generic = self.cursor.accept("(");
        let mut values = vec![self.operand()?];
        while values.len() < MAX_OPERANDS && self.cursor.accept(",") {
            values.push(self.operand()?);
        }
        self.cursor.expect(
            if is_generic { ")" } else { ":" },
            "after the yielded values",
        )?;
        Ok(values)
    }

    /// Skips to the next operation, and returns the values that it passes.
    fn rest(&mut self) -> Result<Vec<usize>, ComparatorError> {
        let mut found = Vec::new();
        let mut depth = 0usize;
        loop {
            if depth == 0 && begins_operation(self.cursor) {
                return Ok(found);
            }
            let place = self.cursor;
            match self.cursor.next() {
                MlirToken::Symbol("(" | "[" | "{" | "<") => depth += 1,
                MlirToken::Symbol(")" | "]" | "}" | ">") => depth = depth.saturating_sub(1),
                MlirToken::End => return Err(place.expected("\"linalg.yield\"")),
                // These are the operands of the unknown operation.
                MlirToken::Value(name) if found.len() < MAX_OPERANDS => {
                    let base = name.split('#').next().unwrap_or(name);
                    found.extend(self.names.get(base));
                }
                _ => {}
            }
        }
    }
}

const FASTMATH: &str = "fastmath flags allow several results for the same values, and a row operation must have one: \
                        remove them";

/// Returns whether an operation with results begins here, or the yield, or the end of the block.
fn begins_operation(mut cursor: Cursor<'_>) -> bool {
    match cursor.next() {
        MlirToken::Word("linalg.yield") | MlirToken::Quoted("linalg.yield") => true,
        MlirToken::Symbol("}") => true,
        MlirToken::Value(_) => {
            if cursor.accept(":") {
                cursor.next();
            }
            cursor.accept("=")
        }
        _ => false,
    }
}
