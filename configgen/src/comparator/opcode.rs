//! The operations a comparator may consist of: names, operand types, and which exchange their operands freely.

use super::predicate::{FloatPredicate, IntegerPredicate};
use super::scalar::ScalarType;

/// What an operation computes. The names are those of MLIR's dialects `arith` and `math`; what they leave undefined is
/// defined in [`semantics`](super::semantics).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are MLIR's")]
pub enum Opcode {
    /// `arith.constant` with these bits.
    Constant(u64),
    Addf,
    Subf,
    Mulf,
    Divf,
    Remf,
    Maximumf,
    Minimumf,
    Maxnumf,
    Minnumf,
    Copysign,
    Addi,
    Subi,
    Muli,
    Divsi,
    Divui,
    Ceildivsi,
    Ceildivui,
    Floordivsi,
    Remsi,
    Remui,
    Maxsi,
    Maxui,
    Minsi,
    Minui,
    Andi,
    Ori,
    Xori,
    Shli,
    Shrsi,
    Shrui,
    Negf,
    Absf,
    Sqrt,
    Exp,
    Log,
    Rsqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    Roundeven,
    Absi,
    Ctpop,
    Ctlz,
    Cttz,
    Fma,
    Cmpf(FloatPredicate),
    Cmpi(IntegerPredicate),
    Select,
    Extf,
    Truncf,
    Extsi,
    Extui,
    Trunci,
    Sitofp,
    Uitofp,
    Fptosi,
    Fptoui,
    Bitcast,
}

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Float,
    Integer,
    Any,
}

impl Class {
    pub(crate) fn holds(self, scalar: ScalarType) -> bool {
        match self {
            Self::Float => scalar.is_float(),
            Self::Integer => scalar.is_integer(),
            Self::Any => true,
        }
    }

    /// What an operand of it is called in messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Float => "a floating-point type",
            Self::Integer => "an integer type",
            Self::Any => "a type",
        }
    }
}

/// How the size of a conversion's result compares with its operand's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Wider,
    Narrower,
    Equal,
    Free,
}

/// Which operands an operation takes and what type its result has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpcodeSignature {
    /// No operands.
    Constant,
    /// So many operands, of one type that is the result's.
    Same(Class, usize),
    /// Two operands of one type; the result is `i1`.
    Compare(Class),
    /// An `i1` and two operands of the result's type.
    Select,
    /// One operand, of another type than the result.
    Cast(Class, Class, Width),
}

use Class::{Any, Float, Integer};
use OpcodeSignature::{Cast, Compare, Same};

/// Every operation, with its name in MLIR and its form. Constants and predicates stand for all of their kind.
const TABLE: [(Opcode, &str, OpcodeSignature); 60] = [
    (
        Opcode::Constant(0),
        "arith.constant",
        OpcodeSignature::Constant,
    ),
    (Opcode::Addf, "arith.addf", Same(Float, 2)),
    (Opcode::Subf, "arith.subf", Same(Float, 2)),
    (Opcode::Mulf, "arith.mulf", Same(Float, 2)),
    (Opcode::Divf, "arith.divf", Same(Float, 2)),
    (Opcode::Remf, "arith.remf", Same(Float, 2)),
    (Opcode::Maximumf, "arith.maximumf", Same(Float, 2)),
    (Opcode::Minimumf, "arith.minimumf", Same(Float, 2)),
    (Opcode::Maxnumf, "arith.maxnumf", Same(Float, 2)),
    (Opcode::Minnumf, "arith.minnumf", Same(Float, 2)),
    (Opcode::Copysign, "math.copysign", Same(Float, 2)),
    (Opcode::Addi, "arith.addi", Same(Integer, 2)),
    (Opcode::Subi, "arith.subi", Same(Integer, 2)),
    (Opcode::Muli, "arith.muli", Same(Integer, 2)),
    (Opcode::Divsi, "arith.divsi", Same(Integer, 2)),
    (Opcode::Divui, "arith.divui", Same(Integer, 2)),
    (Opcode::Ceildivsi, "arith.ceildivsi", Same(Integer, 2)),
    (Opcode::Ceildivui, "arith.ceildivui", Same(Integer, 2)),
    (Opcode::Floordivsi, "arith.floordivsi", Same(Integer, 2)),
    (Opcode::Remsi, "arith.remsi", Same(Integer, 2)),
    (Opcode::Remui, "arith.remui", Same(Integer, 2)),
    (Opcode::Maxsi, "arith.maxsi", Same(Integer, 2)),
    (Opcode::Maxui, "arith.maxui", Same(Integer, 2)),
    (Opcode::Minsi, "arith.minsi", Same(Integer, 2)),
    (Opcode::Minui, "arith.minui", Same(Integer, 2)),
    (Opcode::Andi, "arith.andi", Same(Integer, 2)),
    (Opcode::Ori, "arith.ori", Same(Integer, 2)),
    (Opcode::Xori, "arith.xori", Same(Integer, 2)),
    (Opcode::Shli, "arith.shli", Same(Integer, 2)),
    (Opcode::Shrsi, "arith.shrsi", Same(Integer, 2)),
    (Opcode::Shrui, "arith.shrui", Same(Integer, 2)),
    (Opcode::Negf, "arith.negf", Same(Float, 1)),
    (Opcode::Absf, "math.absf", Same(Float, 1)),
    (Opcode::Sqrt, "math.sqrt", Same(Float, 1)),
    (Opcode::Exp, "math.exp", Same(Float, 1)),
    (Opcode::Log, "math.log", Same(Float, 1)),
    (Opcode::Rsqrt, "math.rsqrt", Same(Float, 1)),
    (Opcode::Floor, "math.floor", Same(Float, 1)),
    (Opcode::Ceil, "math.ceil", Same(Float, 1)),
    (Opcode::Trunc, "math.trunc", Same(Float, 1)),
    (Opcode::Round, "math.round", Same(Float, 1)),
    (Opcode::Roundeven, "math.roundeven", Same(Float, 1)),
    (Opcode::Absi, "math.absi", Same(Integer, 1)),
    (Opcode::Ctpop, "math.ctpop", Same(Integer, 1)),
    (Opcode::Ctlz, "math.ctlz", Same(Integer, 1)),
    (Opcode::Cttz, "math.cttz", Same(Integer, 1)),
    (Opcode::Fma, "math.fma", Same(Float, 3)),
    (
        Opcode::Cmpf(FloatPredicate::False),
        "arith.cmpf",
        Compare(Float),
    ),
    (
        Opcode::Cmpi(IntegerPredicate::Eq),
        "arith.cmpi",
        Compare(Integer),
    ),
    (Opcode::Select, "arith.select", OpcodeSignature::Select),
    (Opcode::Extf, "arith.extf", Cast(Float, Float, Width::Wider)),
    (
        Opcode::Truncf,
        "arith.truncf",
        Cast(Float, Float, Width::Narrower),
    ),
    (
        Opcode::Extsi,
        "arith.extsi",
        Cast(Integer, Integer, Width::Wider),
    ),
    (
        Opcode::Extui,
        "arith.extui",
        Cast(Integer, Integer, Width::Wider),
    ),
    (
        Opcode::Trunci,
        "arith.trunci",
        Cast(Integer, Integer, Width::Narrower),
    ),
    (
        Opcode::Sitofp,
        "arith.sitofp",
        Cast(Integer, Float, Width::Free),
    ),
    (
        Opcode::Uitofp,
        "arith.uitofp",
        Cast(Integer, Float, Width::Free),
    ),
    (
        Opcode::Fptosi,
        "arith.fptosi",
        Cast(Float, Integer, Width::Free),
    ),
    (
        Opcode::Fptoui,
        "arith.fptoui",
        Cast(Float, Integer, Width::Free),
    ),
    (
        Opcode::Bitcast,
        "arith.bitcast",
        Cast(Any, Any, Width::Equal),
    ),
];

/// Functions of `math` that are rounded and rise, or stay, with their argument.
const RISING: [&str; 12] = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "tanh", "sinh", "erf", "atan", "cbrt",
];

/// The other rounded functions of `math`.
const OTHER_ROUNDED: [&str; 14] = [
    "acos", "acosh", "asin", "asinh", "atan2", "atanh", "cos", "cosh", "erfc", "fpowi", "powf",
    "sin", "sincos", "tan",
];

impl Opcode {
    /// The operation with this name in MLIR that is exact; of a constant or a comparison, the first of its kind in the table.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::exact().find(|row| row.1 == name).map(|row| row.0)
    }

    /// As [`Self::from_name`], of those too that are not exact.
    pub(crate) fn of_any_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Whether it makes a float of nothing but floats of any values.
    pub(crate) fn is_of_floats(self) -> bool {
        matches!(
            self.signature(),
            OpcodeSignature::Same(Class::Float, _)
                | OpcodeSignature::Cast(Class::Float, Class::Float, _)
        )
    }

    fn exact() -> impl Iterator<Item = &'static (Opcode, &'static str, OpcodeSignature)> {
        TABLE.iter().filter(|row| row.0.is_exact())
    }

    /// Whether it has one result, which every kernel gives to the bit. Of the others a kernel gives one near the exact one.
    pub fn is_exact(self) -> bool {
        !matches!(self, Opcode::Exp | Opcode::Log | Opcode::Rsqrt)
    }

    /// Why no comparator and no function takes the operation with this name, and what to write instead; `None` of a name
    /// that is no rounded function of MLIR's `math`.
    pub(crate) fn refusal_of_rounded(name: &str) -> Option<String> {
        let function = name.strip_prefix("math.")?;
        let instead = match function {
            "rsqrt" => "write arith.divf of 1.0 by math.sqrt, which are exact",
            _ if RISING.contains(&function) => {
                "compare its argument, because the function never decreases; otherwise compute it in an operation \
                 before or after"
            }
            _ if OTHER_ROUNDED.contains(&function) => "compute it in an operation before or after",
            _ => return None,
        };
        Some(format!(
            "{name} is not exact to the bit: each implementation rounds it differently. Comparators, maps and functions \
             before a reduction take exact operations only; row operations, such as softmax, use exp, log and rsqrt, within \
             error bounds. Instead: {instead}"
        ))
    }

    /// The names that `name` may have been meant to be: those of its dialect, else all.
    pub(crate) fn names(name: &str) -> impl Iterator<Item = &'static str> {
        let dialect = |name: &str| name.split_once('.').map(|(dialect, _)| dialect.to_owned());
        let wanted = dialect(name);
        let is_known = Self::exact().any(|row| dialect(row.1) == wanted);
        let names = Self::exact().map(|row| row.1);
        names.filter(move |name| !is_known || dialect(name) == wanted)
    }

    /// All exact operations; of constants and comparisons the first of their kind in the table.
    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Opcode> {
        Self::exact().map(|row| row.0)
    }

    fn row(self) -> &'static (Opcode, &'static str, OpcodeSignature) {
        let kind = std::mem::discriminant(&self);
        let is_row =
            |row: &&(Opcode, &str, OpcodeSignature)| std::mem::discriminant(&row.0) == kind;
        TABLE.iter().find(is_row).unwrap_or(&TABLE[0])
    }

    /// The name in MLIR, with its dialect.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What it takes and gives.
    pub(crate) fn signature(self) -> OpcodeSignature {
        self.row().2
    }

    /// The number of operands.
    pub(crate) fn arity(self) -> usize {
        match self.signature() {
            OpcodeSignature::Constant => 0,
            OpcodeSignature::Same(_, operands) => operands,
            OpcodeSignature::Compare(_) => 2,
            OpcodeSignature::Select => 3,
            OpcodeSignature::Cast(..) => 1,
        }
    }

    /// Whether it rounds a float to an integer that is one.
    pub(crate) fn rounds(self) -> bool {
        use Opcode::*;
        matches!(self, Floor | Ceil | Trunc | Round | Roundeven)
    }

    /// Whether exchanging the first two operands changes no bit of the result.
    pub(crate) fn commutes(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            Addf | Mulf
                | Maximumf
                | Minimumf
                | Maxnumf
                | Minnumf
                | Fma
                | Addi
                | Muli
                | Maxsi
                | Maxui
                | Minsi
                | Minui
                | Andi
                | Ori
                | Xori
        )
    }
}
