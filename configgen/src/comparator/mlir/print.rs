//! Printing a region as MLIR text.

use std::fmt::{self, Display, Formatter};

use super::super::opcode::{Opcode, OpcodeSignature};
use super::super::region::{Region, RegionOperation, Value};
use super::super::scalar::ScalarType;

/// A region as a block in MLIR, each line with a newline at its end:
///
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
    /// The block of this region, not indented.
    pub fn new(region: &'a Region) -> Self {
        Block {
            region,
            indent: 0,
            prefix: "",
            yields: "iree_linalg_ext.yield",
        }
    }

    /// The block of the body of a `linalg.generic`.
    pub fn of_body(region: &'a Region) -> Self {
        Block {
            yields: "linalg.yield",
            ..Block::new(region)
        }
    }

    /// The same with so many spaces before each line.
    pub fn indented(self, indent: usize) -> Self {
        Block { indent, ..self }
    }

    /// The same with this before the name of every value, for texts in which the names must differ from others'. It is
    /// empty, or letters and underscores.
    pub fn prefixed(self, prefix: &'a str) -> Self {
        Block { prefix, ..self }
    }

    /// The name of a value. Names that begin with a digit are all digits in MLIR.
    fn name(self, value: Value) -> String {
        match value.0.checked_sub(self.region.arguments()) {
            // There are few arguments.
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

/// The bits of a constant and its type, as MLIR writes them: a decimal where it is short and exact, the bits otherwise.
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
