//! The printer of regions as MLIR text.

use std::fmt::{self, Display, Formatter};

use super::super::opcode::{Opcode, OpcodeSignature};
use super::super::region::{Region, RegionOperation, Value};
use super::super::scalar::ScalarType;

/// A region as an MLIR block, each line with a newline at its end:
/// ```text
/// ^bb0(%a: f32, %b: f32):
///   %0 = arith.cmpf ogt, %a, %b : f32
///   iree_linalg_ext.yield %0 : i1
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    region: &'a Region,
    indent: usize,
    prefix: &'a str,
    yields: &'a str,
}

impl<'a> Block<'a> {
    /// Returns the block of this region, without indentation.
    pub fn new(region: &'a Region) -> Self {
        Block {
            region,
            indent: 0,
            prefix: "",
            yields: "iree_linalg_ext.yield",
        }
    }

    /// Returns the block of a `linalg.generic`'s body.
    pub fn of_body(region: &'a Region) -> Self {
        Block {
            yields: "linalg.yield",
            ..Block::new(region)
        }
    }

    /// Returns the block with this number of spaces before each line.
    pub fn indented(self, indent: usize) -> Self {
        Block { indent, ..self }
    }

    /// Returns the block with a prefix of every value's name.
    ///
    /// A prefix keeps its names apart from others in the text. It must be empty, or letters and
    /// underscores.
    pub fn prefixed(self, prefix: &'a str) -> Self {
        Block { prefix, ..self }
    }

    /// Returns the name of a value. An MLIR name that begins with a digit has only digits.
    fn name(self, value: Value) -> String {
        match value.0.checked_sub(self.region.arguments()) {
            // There are at most 9 arguments, so letters suffice.
            None => format!("%{}{}", self.prefix, char::from(b'a' + value.0 as u8)),
            Some(place) => format!("%{}{place}", self.prefix),
        }
    }

    fn operation(self, f: &mut Formatter<'_>, operation: &RegionOperation) -> fmt::Result {
        f.write_str(operation.opcode.name())?;
        let scalar = operation.result;
        match operation.opcode {
            Opcode::Constant(bits) => return write!(f, " {}", Constant(bits, scalar)),
            Opcode::Cmpf(predicate) => write!(f, " {predicate},")?,
            Opcode::Cmpi(predicate) => write!(f, " {predicate},")?,
            _ => {}
        }
        for (place, &operand) in operation.operands.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma} {}", self.name(operand))?;
        }
        match operation.opcode.signature() {
            OpcodeSignature::Compare(_) => {
                write!(f, " : {}", self.region.type_of(operation.operands[0]))
            }
            OpcodeSignature::Cast(..) => write!(
                f,
                " : {} to {scalar}",
                self.region.type_of(operation.operands[0])
            ),
            _ => write!(f, " : {scalar}"),
        }
    }
}

impl Display for Block<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (region, indent) = (self.region, self.indent);
        let arguments: Vec<String> = (0..region.arguments())
            .map(Value)
            .map(|argument| format!("{}: {}", self.name(argument), region.type_of(argument)))
            .collect();
        writeln!(f, "{:indent$}^bb0({}):", "", arguments.join(", "))?;
        for (value, operation) in region.definitions() {
            write!(f, "{:indent$}  {} = ", "", self.name(value))?;
            self.operation(f, operation)?;
            writeln!(f)?;
        }
        // The yield has the type of the result: i1 for a comparator.
        let result = region.result();
        let scalar = region.type_of(result);
        writeln!(
            f,
            "{:indent$}  {} {} : {scalar}",
            "",
            self.yields,
            self.name(result)
        )
    }
}

/// A constant in MLIR's syntax: its bits and type.
///
/// It prints a decimal if that is short and exact, and the bits otherwise.
#[derive(Debug, Clone, Copy)]
pub struct Constant(pub u64, pub ScalarType);

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Constant(bits, scalar) = *self;
        if scalar == ScalarType::I1 {
            return f.write_str(if bits == 0 { "false" } else { "true" });
        }
        if scalar.is_integer() {
            return write!(f, "{} : {scalar}", scalar.signed(bits));
        }
        // MLIR's parser needs a decimal point, and its short decimals are exact.
        let decimal = format!("{:?}", scalar.to_f64(bits));
        let is_short = decimal.len() <= 8 && decimal.contains('.') && !decimal.contains('e');
        let digits = scalar.bits() as usize / 4;
        match is_short
            && decimal
                .parse()
                .is_ok_and(|value| scalar.round(value) == bits)
        {
            true => write!(f, "{decimal} : {scalar}"),
            false => write!(f, "0x{bits:0digits$X} : {scalar}"),
        }
    }
}
