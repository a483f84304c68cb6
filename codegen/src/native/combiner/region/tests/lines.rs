//! Regions as the lines of a block.

use std::fmt::Write as _;

use configgen::comparator::{Region, ScalarType};

pub(super) const FLOAT_BINARY: [&str; 10] = [
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.remf",
    "arith.maximumf",
    "arith.minimumf",
    "arith.maxnumf",
    "arith.minnumf",
    "math.copysign",
];

pub(super) const FLOAT_UNARY: [&str; 3] = ["arith.negf", "math.absf", "math.sqrt"];

/// Roundings of a float to an integer.
pub(super) const FLOAT_ROUNDING: [&str; 5] = [
    "math.floor",
    "math.ceil",
    "math.trunc",
    "math.round",
    "math.roundeven",
];

pub(super) const INTEGER_UNARY: [&str; 4] = ["math.absi", "math.ctpop", "math.ctlz", "math.cttz"];

pub(super) const INTEGER_BINARY: [&str; 20] = [
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.divsi",
    "arith.divui",
    "arith.ceildivsi",
    "arith.ceildivui",
    "arith.floordivsi",
    "arith.remsi",
    "arith.remui",
    "arith.maxsi",
    "arith.maxui",
    "arith.minsi",
    "arith.minui",
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "arith.shli",
    "arith.shrsi",
    "arith.shrui",
];

/// The lines of a block with two arguments, `%a` and `%b`.
pub(super) struct Lines {
    text: String,
    count: usize,
}

impl Lines {
    pub(super) fn new(element: ScalarType) -> Lines {
        Lines {
            text: format!("^bb0(%a: {element}, %b: {element}):\n"),
            count: 0,
        }
    }

    /// Appends an operation and returns its result's name.
    pub(super) fn add(&mut self, operation: &str) -> String {
        self.count += 1;
        let name = format!("%v{}", self.count);
        writeln!(self.text, "{name} = {operation}").unwrap();
        name
    }

    pub(super) fn constant(&mut self, scalar: ScalarType, bits: u64) -> String {
        let digits = scalar.bits() as usize / 4;
        self.add(&match scalar {
            ScalarType::I1 => format!("arith.constant {}", bits == 1),
            _ if scalar.is_integer() => {
                format!("arith.constant {} : {scalar}", scalar.signed(bits))
            }
            _ => format!("arith.constant 0x{bits:0digits$X} : {scalar}"),
        })
    }

    pub(super) fn cast(&mut self, name: &str, x: &str, from: ScalarType, to: ScalarType) -> String {
        self.add(&format!("arith.{name} {x} : {from} to {to}"))
    }

    /// Makes every bit of a float visible.
    pub(super) fn see(&mut self, float: &str, scalar: ScalarType) {
        let bits = scalar.bits();
        self.add(&format!("arith.bitcast {float} : {scalar} to i{bits}"));
    }

    /// Returns the region of these lines. All of its values are checked, so the yielded one does
    /// not matter.
    pub(super) fn region(mut self) -> Region {
        let truth = self.add("arith.constant true");
        self.yielding(&truth)
    }

    pub(super) fn yielding(mut self, result: &str) -> Region {
        writeln!(self.text, "iree_linalg_ext.yield {result} : i1").unwrap();
        Region::from_block(&self.text).unwrap_or_else(|error| panic!("{error}\n{}", self.text))
    }
}
