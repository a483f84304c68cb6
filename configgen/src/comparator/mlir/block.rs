//! The block parser: `^bb0(%a: f32, %b: f32):`, operations, and the yield.
//!
//! A comparator is one [`BlockKind`], with two arguments of one type. The other is the body of a
//! reduction. It has an argument per input and one for the output, and yields the output's type.

use std::collections::HashMap;

use arrayvec::ArrayVec;

use super::super::error::ComparatorError;
use super::super::opcode::{Opcode, OpcodeSignature};
use super::super::predicate::{FloatPredicate, IntegerPredicate};
use super::super::region::{MAX_BODY_ARGUMENTS, Region, Value};
use super::super::scalar::ScalarType;
use super::cursor::{Cursor, MlirToken};
use super::flags::skip_flags;
use super::literal::{constant, scalar_type};
use super::short_form::Short;
use super::{MAX_BLOCK_BYTES, generic};

impl Region {
    /// Parses a block of MLIR with two arguments, with or without braces, and nothing else.
    ///
    /// # Errors
    /// Returns an error with its position and the expected text, if the text is no comparator.
    pub fn from_block(text: &str) -> Result<Self, ComparatorError> {
        let mut cursor = Cursor::new(text);
        if text.len() > MAX_BLOCK_BYTES {
            let message = format!(
                "a comparator's text has at most {MAX_BLOCK_BYTES} bytes, not {}",
                text.len()
            );
            return Err(ComparatorError::at(text, 0, message));
        }
        let region = match cursor.peek() {
            MlirToken::Symbol("{") => braced(&mut cursor, BlockKind::Comparator, &|_| None)?,
            _ => block(&mut cursor, BlockKind::Comparator, &|_| None)?,
        };
        match cursor.peek() {
            // A file with more than the block is read by `parse_operations`.
            MlirToken::End => Ok(region),
            _ => Err(cursor.error("the text should end after the block")),
        }
    }
}

/// A lookup of constants that are defined before the operation.
pub(crate) type Lookup<'l, 'a> = dyn Fn(&str) -> Option<Cursor<'a>> + 'l;

/// The owner of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// A comparator.
    Comparator,
    /// The body of a reduction.
    Body,
}

impl BlockKind {
    fn noun(self) -> &'static str {
        match self {
            BlockKind::Comparator => "a comparator",
            BlockKind::Body => "the body of a reduction",
        }
    }

    /// Returns the operation that ends it.
    fn terminator(self) -> &'static str {
        match self {
            BlockKind::Comparator => "iree_linalg_ext.yield",
            BlockKind::Body => "linalg.yield",
        }
    }
}

/// Parses a block in braces.
pub(crate) fn braced<'a>(
    cursor: &mut Cursor<'a>,
    kind: BlockKind,
    outer: &Lookup<'_, 'a>,
) -> Result<Region, ComparatorError> {
    cursor.expect("{", "before the block")?;
    let region = block(cursor, kind, outer)?;
    cursor.expect("}", "after the block")?;
    Ok(region)
}

/// Parses a reduction's body with its arguments before the braces: `(%x: f32, %acc: f32) { … }`.
pub(crate) fn body_with_arguments<'a>(
    cursor: &mut Cursor<'a>,
    outer: &Lookup<'_, 'a>,
) -> Result<Region, ComparatorError> {
    let arguments = arguments(cursor, BlockKind::Body)?;
    cursor.expect("{", "before the operations")?;
    let region = operations(cursor, BlockKind::Body, arguments, outer)?;
    cursor.expect("}", "after the operations")?;
    Ok(region)
}

fn block<'a>(
    cursor: &mut Cursor<'a>,
    kind: BlockKind,
    outer: &Lookup<'_, 'a>,
) -> Result<Region, ComparatorError> {
    let MlirToken::Label(_) = cursor.peek() else {
        return Err(cursor.expected(match kind {
            BlockKind::Comparator => {
                "a block with two arguments, such as \"^bb0(%a: f32, %b: f32):\""
            }
            BlockKind::Body => "a block with arguments, such as \"^bb0(%x: f32, %acc: f32):\"",
        }));
    };
    cursor.next();
    let arguments = arguments(cursor, kind)?;
    cursor.expect(":", "after the arguments of the block")?;
    operations(cursor, kind, arguments, outer)
}

/// Parses the operations behind the arguments, up to the yield.
fn operations<'a>(
    cursor: &mut Cursor<'a>,
    kind: BlockKind,
    (types, names): BlockArguments<'a>,
    outer: &Lookup<'_, 'a>,
) -> Result<Region, ComparatorError> {
    let mut parser = Parser {
        cursor: *cursor,
        kind,
        region: Region::of(types),
        names,
        outer,
    };
    while !parser.operation()? {}
    *cursor = parser.cursor;
    Ok(parser.region)
}

type BlockValues<'a> = HashMap<&'a str, Value>;
type BlockArguments<'a> = (ArrayVec<ScalarType, MAX_BODY_ARGUMENTS>, BlockValues<'a>);

/// Parses `(%a: f32, %b: f32)`.
fn arguments<'a>(
    cursor: &mut Cursor<'a>,
    kind: BlockKind,
) -> Result<BlockArguments<'a>, ComparatorError> {
    cursor.expect("(", "before the arguments of the block")?;
    let mut types = ArrayVec::new();
    let mut names = BlockValues::new();
    loop {
        let start = *cursor;
        let MlirToken::Value(name) = cursor.next() else {
            return Err(start.expected("an argument, such as \"%a\""));
        };
        if types.is_full() {
            return Err(start.error(format!("at most {MAX_BODY_ARGUMENTS} arguments")));
        }
        if names.insert(name, Value(types.len() as u32)).is_some() {
            return Err(start.error(format!("%{name} is an argument already")));
        }
        cursor.expect(":", "after an argument")?;
        let start = *cursor;
        let scalar = scalar_type(cursor)?;
        skip_location(cursor)?;
        types.push(scalar);
        // A comparator has exactly two arguments, and a body any number.
        let has_more = match (kind, types.len()) {
            (BlockKind::Comparator, 1) => {
                cursor.expect(",", "and the second argument")?;
                true
            }
            (BlockKind::Comparator, _) if scalar != types[0] => {
                return Err(start.error(format!(
                    "both arguments are of one type, and the first is {}",
                    types[0]
                )));
            }
            (BlockKind::Comparator, _) => false,
            (BlockKind::Body, _) => cursor.accept(","),
        };
        if !has_more {
            break;
        }
    }
    cursor.expect(
        ")",
        match kind {
            BlockKind::Comparator => "after two arguments",
            BlockKind::Body => "or \",\" after an argument",
        },
    )?;
    Ok((types, names))
}

/// Skips `loc(…)`.
pub(crate) fn skip_location(cursor: &mut Cursor<'_>) -> Result<(), ComparatorError> {
    match cursor.accept("loc") {
        true => cursor.skip_brackets(),
        false => Ok(()),
    }
}

/// The operation that a name stands for.
#[derive(Clone, Copy)]
pub(super) enum OperationName {
    Operation(Opcode),
    Short(Short),
}

/// An operation before the check of its types.
pub(super) struct UntypedOperation {
    pub(super) named: OperationName,
    pub(super) operands: ArrayVec<Value, 3>,
    pub(super) result: ScalarType,
}

pub(super) struct Parser<'l, 'a> {
    pub(super) cursor: Cursor<'a>,
    kind: BlockKind,
    pub(super) region: Region,
    names: BlockValues<'a>,
    outer: &'l Lookup<'l, 'a>,
}

impl<'a> Parser<'_, 'a> {
    /// Parses one operation; returns true for the yield at the end of the block.
    fn operation(&mut self) -> Result<bool, ComparatorError> {
        let start = self.cursor;
        let MlirToken::Value(name) = self.cursor.peek() else {
            return self.terminator();
        };
        self.cursor.next();
        // MLIR values are defined once.
        if self.names.contains_key(name) {
            return Err(start.error(format!("%{name} is defined already")));
        }
        self.cursor.expect("=", "after the name of a value")?;
        let place = self.cursor;
        let parts = match self.cursor.peek() {
            MlirToken::Quoted(_) => generic::operation(self)?,
            _ => self.custom()?,
        };
        skip_location(&mut self.cursor)?;
        let UntypedOperation {
            named,
            operands,
            result,
        } = parts;
        let appended = match named {
            OperationName::Operation(opcode) => self.region.append(opcode, operands, result),
            OperationName::Short(short) => short.append(&mut self.region, &operands, result),
        };
        // The error points at the operation, because its name or its types are wrong.
        let value = appended.map_err(|message| place.error(message))?;
        self.names.insert(name, value);
        Ok(false)
    }

    fn terminator(&mut self) -> Result<bool, ComparatorError> {
        let name = self.kind.terminator();
        let generic = self.cursor.peek() == MlirToken::Quoted(name);
        if generic {
            self.cursor.next();
            self.cursor.expect("(", "before the operand")?;
        } else if !self.cursor.accept(name) {
            let example = match self.kind {
                BlockKind::Comparator => "%c = arith.cmpf ogt, %a, %b : f32",
                BlockKind::Body => "%0 = arith.addf %acc, %x : f32",
            };
            let what = format!("an operation, such as {example:?}, or {name:?}");
            return Err(self.cursor.expected(what));
        }
        let place = self.cursor;
        let result = self.operand()?;
        if generic {
            self.cursor.expect(")", "after the operand")?;
        }
        self.cursor.expect(":", "after the yielded value")?;
        let scalar = match generic {
            true => generic::function_type(&mut self.cursor)?.0.first().copied(),
            false => Some(scalar_type(&mut self.cursor)?),
        };
        let found = self.region.type_of(result);
        match self.kind {
            BlockKind::Comparator if (scalar, found) != (Some(ScalarType::I1), ScalarType::I1) => {
                return Err(place.error(format!(
                    "a comparator yields an i1, and this value is {found}"
                )));
            }
            BlockKind::Body if scalar != Some(found) => {
                return Err(place.error(format!("this value is {found}")));
            }
            _ => {}
        }
        skip_location(&mut self.cursor)?;
        self.region.set_result(result);
        Ok(true)
    }

    /// Returns the operation of this name, which a comparator must allow.
    pub(super) fn named(&self, name: &str) -> Result<OperationName, ComparatorError> {
        let operation = Opcode::from_name(name).map(OperationName::Operation);
        let named = operation.or_else(|| Short::from_name(name).map(OperationName::Short));
        named.ok_or_else(|| {
            if let Some(message) = Opcode::refusal_of_rounded(name) {
                return self.cursor.error(message);
            }
            let is_of_arith = name.starts_with("arith.");
            let short = Short::names().filter(|_| !is_of_arith);
            let all: Vec<&str> = Opcode::names(name).chain(short).collect();
            let all = all.join(" ");
            let noun = self.kind.noun();
            self.cursor.error(format!(
                "{name:?} is no operation that {noun} may have; it has {all}"
            ))
        })
    }

    fn custom(&mut self) -> Result<UntypedOperation, ComparatorError> {
        let MlirToken::Word(name) = self.cursor.peek() else {
            return Err(self.cursor.expected("an operation, such as \"arith.cmpf\""));
        };
        let named = self.named(name)?;
        self.cursor.next();
        let mut opcode = match named {
            OperationName::Operation(opcode) => opcode,
            OperationName::Short(short) => return self.short(short),
        };
        match opcode.signature() {
            OpcodeSignature::Constant => {
                let (bits, result) = constant(&mut self.cursor)?;
                return Ok(UntypedOperation {
                    named: OperationName::Operation(Opcode::Constant(bits)),
                    operands: ArrayVec::new(),
                    result,
                });
            }
            OpcodeSignature::Compare(_) => {
                opcode = self.predicate(opcode)?;
                self.cursor.expect(",", "after the predicate")?;
            }
            _ => {}
        }
        let operands = self.operands(opcode.arity())?;
        skip_flags(&mut self.cursor)?;
        self.cursor.expect(":", "and the type after the operands")?;
        let place = self.cursor;
        let scalar = scalar_type(&mut self.cursor)?;
        let result = match opcode.signature() {
            OpcodeSignature::Compare(_) => ScalarType::I1,
            OpcodeSignature::Cast(..) => {
                self.cursor.expect("to", "and the type of the result")?;
                scalar_type(&mut self.cursor)?
            }
            _ => scalar,
        };
        // Comparisons and conversions state the operand's type, which the appended operation does
        // not check.
        if matches!(
            opcode.signature(),
            OpcodeSignature::Compare(_) | OpcodeSignature::Cast(..)
        ) {
            let found = self.region.type_of(operands[0]);
            if found != scalar {
                return Err(place.error(format!("the operand is {found}, not {scalar}")));
            }
        }
        Ok(UntypedOperation {
            named: OperationName::Operation(opcode),
            operands,
            result,
        })
    }

    /// Parses a short form behind its name: `%x : f32`, or `%x to [%low, %high] : f32`.
    fn short(&mut self, short: Short) -> Result<UntypedOperation, ComparatorError> {
        let mut operands = self.operands(1)?;
        if short.arity() > 1 {
            self.cursor.expect("to", "and the limits")?;
            self.cursor.expect("[", "before the limits")?;
            operands.extend(self.operands(2)?);
            self.cursor.expect("]", "after the limits")?;
        }
        skip_flags(&mut self.cursor)?;
        self.cursor.expect(":", "and the type after the operands")?;
        let place = self.cursor;
        let scalar = scalar_type(&mut self.cursor)?;
        // All operands of a short form have the stated type.
        for &operand in &operands {
            let found = self.region.type_of(operand);
            if found != scalar {
                return Err(place.error(format!("the operand is {found}, not {scalar}")));
            }
        }
        Ok(UntypedOperation {
            named: OperationName::Short(short),
            operands,
            result: short.result(scalar),
        })
    }

    /// Parses the predicate of a comparison.
    fn predicate(&mut self, comparison: Opcode) -> Result<Opcode, ComparatorError> {
        let (what, float) = match comparison {
            Opcode::Cmpf(_) => (
                "a predicate: oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno false true",
                true,
            ),
            _ => ("a predicate: eq ne slt sle sgt sge ult ule ugt uge", false),
        };
        let start = self.cursor;
        let name = self.cursor.word(what)?;
        let found = match float {
            true => FloatPredicate::from_name(name).map(Opcode::Cmpf),
            false => IntegerPredicate::from_name(name).map(Opcode::Cmpi),
        };
        found.ok_or_else(|| start.expected(what))
    }

    fn operands(&mut self, count: usize) -> Result<ArrayVec<Value, 3>, ComparatorError> {
        let mut operands = ArrayVec::new();
        for place in 0..count {
            if place > 0 {
                self.cursor.expect(",", "before the next operand")?;
            }
            operands.push(self.operand()?);
        }
        Ok(operands)
    }

    pub(super) fn operand(&mut self) -> Result<Value, ComparatorError> {
        let start = self.cursor;
        let MlirToken::Value(name) = self.cursor.next() else {
            return Err(start.expected("a value, such as \"%a\""));
        };
        if let Some(value) = self.names.get(name) {
            return Ok(*value);
        }
        // MLIR's canonicaliser hoists constants out of the block, so an outer constant becomes
        // one of it.
        let Some(mut literal) = (self.outer)(name) else {
            return Err(start.error(format!("%{name} is not defined before this place")));
        };
        let (bits, result) = constant(&mut literal)?;
        let appended = self
            .region
            .append(Opcode::Constant(bits), ArrayVec::new(), result);
        let value = appended.map_err(|message| start.error(message))?;
        self.names.insert(name, value);
        Ok(value)
    }
}
