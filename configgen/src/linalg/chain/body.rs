//! The parser of a body in a chain; unused instructions may be anything.
//!
//! The block parser of `comparator` reads the bodies of plain reductions and knows exact
//! operations alone. Bodies in a chain have exponentials, roots and others. The greatest element
//! of a row, for example, often comes with its index. An unknown operation is therefore refused
//! only if its result is used.

mod integer_operation;
mod table;

use std::collections::HashMap;

use super::super::header::BodySyntax as Place;
use crate::comparator::{
    ComparatorError, Cursor, MlirToken, OTHER_ROUNDING, Opcode, ScalarType, constant,
    function_type, payload, scalar_type, skip_flags, skip_location,
};

pub(in crate::linalg) use table::{ASSERTIONS, BodyTable};

/// The largest number of instructions of a body.
const MAX_INSTRUCTIONS: usize = 64;

/// The limit of the arguments and results of a body, and of the operands of an unknown operation.
pub(in crate::linalg) const MAX_OPERANDS: usize = 16;

/// The operation of an instruction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::linalg) enum BodyOperation<'a> {
    Constant(u64),
    /// A constant index.
    IndexConstant(u64),
    Operation(Opcode),
    /// The first operand to the power of the second one.
    Power,
    /// An operation that no row operation has: of integers, truth values, or several types.
    Known(Opcode),
    /// The index along a dimension.
    Index(usize),
    /// A conversion between an index and an integer.
    IndexCast,
    /// An element of a tensor around the body: the argument of the tensor, then the indices.
    Extract,
    /// The assertion with this number in [`ASSERTIONS`]. It has no result.
    Assert(usize),
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
    /// The number of arguments, before those of the outputs, that are tensors around the body.
    pub(in crate::linalg) tables: usize,
    pub(in crate::linalg) instructions: Vec<Instruction<'a>>,
    /// The results.
    pub(in crate::linalg) yields: Vec<usize>,
}

impl<'a> ChainBody<'a> {
    /// Parses a body with `inputs` inputs and operands of these types.
    ///
    /// `constant` finds constants that are defined outside; one without a type is an index. The
    /// result has the tensors around the body, too.
    pub(in crate::linalg) fn read(
        place: Place<'a>,
        inputs: usize,
        types: Vec<ScalarType>,
        constant: &mut dyn FnMut(&str) -> Option<ReadConstant>,
    ) -> Result<(ChainBody<'a>, Vec<BodyTable<'a>>), ComparatorError> {
        let (mut cursor, is_block) = match place {
            Place::Block(cursor) => (cursor, true),
            Place::Arguments(cursor) => (cursor, false),
            Place::Payload(cursor) => {
                let opcode = payload(&mut { cursor })?;
                // A payload is one operation on the accumulator and the input.
                let result = types.get(inputs).copied();
                let body = ChainBody {
                    instructions: vec![Instruction {
                        place: cursor,
                        what: BodyOperation::Operation(opcode),
                        operands: vec![inputs, 0],
                        result,
                    }],
                    yields: vec![types.len()],
                    arguments: types,
                    tables: 0,
                };
                return Ok((body, Vec::new()));
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
                tables: 0,
                instructions: Vec::new(),
                yields: Vec::new(),
            },
            tables: Vec::new(),
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
        let Reader {
            mut body, tables, ..
        } = reader;
        body.insert_tables(inputs, &tables);
        Ok((body, tables))
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

/// The bits of a constant with its type; none for an index.
type ReadConstant = (u64, Option<ScalarType>);

/// The operation, its operand values, and the type of its result.
type ReadOperation<'a> = (BodyOperation<'a>, Vec<usize>, Option<ScalarType>);

struct Reader<'r, 'a> {
    cursor: Cursor<'a>,
    names: HashMap<&'a str, usize>,
    body: ChainBody<'a>,
    tables: Vec<BodyTable<'a>>,
    constant: &'r mut dyn FnMut(&str) -> Option<ReadConstant>,
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
            "tensor.extract" | "cf.assert" if !is_generic => {
                let start = self.cursor;
                let read = match name {
                    "cf.assert" => self.assertion(),
                    _ => self.extract(),
                };
                if let Some(read) = read {
                    return Ok(read);
                }
                self.cursor = start;
                return Ok((BodyOperation::Other(name), self.rest()?, None));
            }
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
        let mut index = self.cursor;
        let is_negative = index.accept("-");
        let number = match index.next() {
            MlirToken::Number(number) if index.accept(":") && index.accept("index") => Some(number),
            _ => None,
        };
        let positive = number.filter(|_| !is_negative);
        let (what, result) = match (positive.and_then(|it| it.parse().ok()), number) {
            (Some(number), _) => (BodyOperation::IndexConstant(number), None),
            (None, Some(_)) => (BodyOperation::Other("an index"), None),
            (None, None) => {
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
        let what = match scalar {
            Some(_) => BodyOperation::Constant(bits),
            None => BodyOperation::IndexConstant(bits),
        };
        let value = self.push(Instruction {
            place,
            what,
            operands: Vec::new(),
            result: scalar,
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
