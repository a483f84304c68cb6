//! The text of a canonical region inside a problem's text: one line without spaces.
//!
//! ```text
//! region     = { value "=" operation ";" } operation
//! operation  = name "(" argument { "," argument } ")"
//! argument   = value | predicate | type | bits
//! ```
//!
//! Values are numbers. The arguments have the numbers from 0, and the operations continue. For a
//! comparator, 0 is `a`, the candidate, and 1 is `b`. The last operation is the result. A
//! predicate precedes the operands, and a conversion's result type follows them. A constant is
//! its type and its bits in hexadecimal: `2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)`.

use std::fmt::{self, Display, Formatter};

use arrayvec::ArrayVec;

use super::error::ComparatorError;
use super::mlir::{MAX_BLOCK_BYTES, Short};
use super::opcode::{Opcode, OpcodeSignature};
use super::predicate::{FloatPredicate, IntegerPredicate};
use super::region::{Region, RegionOperation, Value};
use super::scalar::ScalarType;

/// The printer of a region; its last operation must be its result.
pub(super) struct Compact<'a>(pub(super) &'a Region);

impl Display for Compact<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (value, operation) in self.0.definitions() {
            match value == self.0.result() {
                true => print(f, operation)?,
                false => {
                    write!(f, "{}=", value.0)?;
                    print(f, operation)?;
                    f.write_str(";")?;
                }
            }
        }
        Ok(())
    }
}

fn print(f: &mut Formatter<'_>, operation: &RegionOperation) -> fmt::Result {
    let mut arguments: ArrayVec<String, 4> = ArrayVec::new();
    match operation.opcode {
        Opcode::Cmpf(predicate) => arguments.push(predicate.to_string()),
        Opcode::Cmpi(predicate) => arguments.push(predicate.to_string()),
        // A constant has no operand that gives its type.
        Opcode::Constant(bits) => {
            arguments.push(operation.result.to_string());
            arguments.push(format!("{bits:x}"));
        }
        _ => {}
    }
    arguments.extend(
        operation
            .operands
            .iter()
            .map(|operand| operand.0.to_string()),
    );
    if let OpcodeSignature::Cast(..) = operation.opcode.signature() {
        arguments.push(operation.result.to_string());
    }
    write!(f, "{}({})", operation.opcode.name(), arguments.join(","))
}

/// Parses the [`Compact`] text of a comparator with elements of this type.
pub(super) fn comparator(text: &str, element: ScalarType) -> Result<Region, ComparatorError> {
    parse(text, Region::new(element, 2), |result| match result {
        ScalarType::I1 => Ok(()),
        _ => Err("the last operation gives an i1"),
    })
}

/// Parses the [`Compact`] text of a function with arguments of these types.
pub(super) fn function(
    text: &str,
    arguments: impl IntoIterator<Item = ScalarType>,
) -> Result<Region, ComparatorError> {
    parse(text, Region::of(arguments), |_| Ok(()))
}

fn parse(
    text: &str,
    region: Region,
    check: fn(ScalarType) -> Result<(), &'static str>,
) -> Result<Region, ComparatorError> {
    let mut reader = Reader {
        text,
        offset: 0,
        region,
        check,
    };
    // A bound for the work on a text that comes from a request.
    if text.len() > MAX_BLOCK_BYTES {
        return Err(reader.error(
            0,
            format!("a region's text has at most {MAX_BLOCK_BYTES} bytes"),
        ));
    }
    while reader.statement()? {}
    Ok(reader.region)
}

/// Returns the error message for an unknown name of an operation.
fn unknown(name: &str) -> String {
    if name.is_empty() {
        return "expected an operation, such as \"arith.cmpf\"".to_owned();
    }
    if Short::from_name(name).is_some() {
        return format!(
            "only MLIR text may have {name}; write the comparison that replaces it, such as arith.cmpf(uno,0,0) for \
             math.isnan of value 0"
        );
    }
    // Without a dialect, it is a function of `math`.
    let refusal = [name, &format!("math.{name}")];
    let refusal = refusal.into_iter().find_map(Opcode::refusal_of_rounded);
    refusal.unwrap_or_else(|| {
        let all: Vec<&str> = Opcode::names(name).collect();
        format!("unknown operation {name:?}; one of {}", all.join(" "))
    })
}

struct Reader<'a> {
    text: &'a str,
    offset: usize,
    region: Region,
    /// The check of the result's type.
    check: fn(ScalarType) -> Result<(), &'static str>,
}

impl<'a> Reader<'a> {
    /// Parses one operation; returns false after the last one.
    fn statement(&mut self) -> Result<bool, ComparatorError> {
        let start = self.offset;
        let next = self.region.values();
        let is_named = self.text[start..].starts_with(|c: char| c.is_ascii_digit());
        if is_named {
            let word = self.word();
            if word != next.to_string() {
                // A user may have written a value where an operation is needed; the message then
                // suggests one.
                let known = word.parse().is_ok_and(|number: usize| number < next);
                let message = match known && !self.text[self.offset..].starts_with('=') {
                    true => format!(
                        "{word} is a value; write an operation here, such as math.absf({word})"
                    ),
                    false => format!(
                        "values are numbered in order, after the arguments: the next value is {next}"
                    ),
                };
                return Err(self.error(start, message));
            }
            self.expect('=', "after the number of a value")?;
        }
        let value = self.operation()?;
        if is_named {
            self.expect(';', "after an operation with a number")?;
            return Ok(true);
        }
        (self.check)(self.region.type_of(value)).map_err(|message| self.error(start, message))?;
        match self.offset == self.text.len() {
            true => {
                self.region.set_result(value);
                Ok(false)
            }
            false => Err(self.error(
                self.offset,
                "the text should end after the operation without a number",
            )),
        }
    }

    fn operation(&mut self) -> Result<Value, ComparatorError> {
        let start = self.offset;
        let name = self.word();
        let Some(mut opcode) = Opcode::from_name(name) else {
            return Err(self.error(start, unknown(name)));
        };
        self.expect('(', "after the name of an operation")?;
        let mut result = None;
        match opcode {
            Opcode::Cmpf(_) => {
                opcode =
                    Opcode::Cmpf(self.named(FloatPredicate::from_name, "a predicate, such as ogt")?)
            }
            Opcode::Cmpi(_) => {
                opcode = Opcode::Cmpi(
                    self.named(IntegerPredicate::from_name, "a predicate, such as sgt")?,
                )
            }
            Opcode::Constant(_) => result = Some(self.named(ScalarType::from_name, "a type")?),
            _ => {}
        }
        if let (Opcode::Constant(_), Some(scalar)) = (opcode, result) {
            self.expect(',', "after the type")?;
            let fits = |word: &str| {
                // Constants with bits beyond their type would break the invariant of
                // `ScalarType::mask`.
                u64::from_str_radix(word, 16)
                    .ok()
                    .filter(|bits| *bits <= scalar.mask())
            };
            opcode = Opcode::Constant(self.named(fits, "the bits of a constant, in hexadecimal")?);
        }
        let mut operands = ArrayVec::new();
        for place in 0..opcode.arity() {
            if place > 0 || matches!(opcode.signature(), OpcodeSignature::Compare(_)) {
                self.expect(',', "before an operand")?;
            }
            operands.push(self.operand()?);
        }
        let result = match (opcode.signature(), result) {
            (_, Some(scalar)) => scalar,
            (OpcodeSignature::Cast(..), _) => {
                self.expect(',', "before the type of the result")?;
                self.named(ScalarType::from_name, "a type")?
            }
            (OpcodeSignature::Compare(_), _) => ScalarType::I1,
            // The type of the result is that of the last operand, also for a select.
            _ => self.region.type_of(operands[opcode.arity() - 1]),
        };
        self.expect(')', "after the operands")?;
        let appended = self.region.append(opcode, operands, result);
        appended.map_err(|message| self.error(start, message))
    }

    fn operand(&mut self) -> Result<Value, ComparatorError> {
        let known = self.region.values();
        let find = |word: &str| {
            let number = word
                .parse::<u32>()
                .ok()
                .filter(|number| (*number as usize) < known)?;
            Some(Value(number))
        };
        self.named(find, "the number of a value that is defined before")
    }

    /// Parses a word that `find` knows.
    fn named<T>(
        &mut self,
        find: impl Fn(&str) -> Option<T>,
        what: &str,
    ) -> Result<T, ComparatorError> {
        let start = self.offset;
        let word = self.word();
        find(word).ok_or_else(|| self.error(start, format!("expected {what}")))
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.offset..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '_'));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.offset += word.len();
        word
    }

    fn expect(&mut self, symbol: char, place: &str) -> Result<(), ComparatorError> {
        if !self.text[self.offset..].starts_with(symbol) {
            return Err(self.error(self.offset, format!("expected {symbol:?} {place}")));
        }
        self.offset += symbol.len_utf8();
        Ok(())
    }

    fn error(&self, offset: usize, message: impl Into<String>) -> ComparatorError {
        ComparatorError::at(self.text, offset, message)
    }
}
