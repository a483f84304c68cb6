//! Opcodes: the operations of comparators, with names, operand types and commutativity.

use super::predicate::{FloatPredicate, IntegerPredicate};
use super::scalar::ScalarType;

/// The operation of MLIR's dialects `arith` or `math`, by its name there.
///
/// [`semantics`](super::semantics) also defines the cases that MLIR leaves undefined.
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
    Exp2,
    Expm1,
    Log,
    Log2,
    Log1p,
    Rsqrt,
    Tanh,
    Erf,
    Sin,
    Cos,
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

    /// Returns the noun for such an operand in messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Float => "a floating-point type",
            Self::Integer => "an integer type",
            Self::Any => "a type",
        }
    }
}

/// The width of a conversion's result relative to its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Wider,
    Narrower,
    Equal,
    Free,
}

/// The operands and the result type of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpcodeSignature {
    /// No operands.
    Constant,
    /// This number of operands, all of the result's type.
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

/// Every operation, with its MLIR name and signature. Constants and predicates stand for all of a
/// kind.
const TABLE: [(Opcode, &str, OpcodeSignature); 68] = [
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
    (Opcode::Exp2, "math.exp2", Same(Float, 1)),
    (Opcode::Expm1, "math.expm1", Same(Float, 1)),
    (Opcode::Log, "math.log", Same(Float, 1)),
    (Opcode::Log2, "math.log2", Same(Float, 1)),
    (Opcode::Log1p, "math.log1p", Same(Float, 1)),
    (Opcode::Rsqrt, "math.rsqrt", Same(Float, 1)),
    (Opcode::Tanh, "math.tanh", Same(Float, 1)),
    (Opcode::Erf, "math.erf", Same(Float, 1)),
    (Opcode::Sin, "math.sin", Same(Float, 1)),
    (Opcode::Cos, "math.cos", Same(Float, 1)),
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

/// The rounded functions of `math` without an operation that rise or stay with their argument.
const RISING: [&str; 4] = ["log10", "sinh", "atan", "cbrt"];

/// The other rounded functions of `math` without an operation.
const OTHER_ROUNDED: [&str; 12] = [
    "acos", "acosh", "asin", "asinh", "atan2", "atanh", "cosh", "erfc", "fpowi", "powf", "sincos",
    "tan",
];

impl Opcode {
    /// Returns the exact operation with this MLIR name.
    ///
    /// For constants and comparisons, it returns the first of the kind in the table.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::exact().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Returns the operation with this name, as [`Self::from_name`], but also an inexact one.
    pub(crate) fn of_any_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Returns whether its operands and result are floats, of any values.
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

    /// Returns whether every kernel gives the same bits. An inexact result is only near the exact
    /// one.
    pub fn is_exact(self) -> bool {
        self.rounded().is_none()
    }

    /// Returns the reason for refusing a rounded function, with a replacement.
    ///
    /// It is none if the name is no rounded function of MLIR's `math`.
    pub(crate) fn refusal_of_rounded(name: &str) -> Option<String> {
        let function = name.strip_prefix("math.")?;
        let known = Self::of_any_name(name).and_then(Self::rounded);
        // `rsqrt` has an exact replacement, unlike the other functions.
        let instead = match function {
            "rsqrt" => "write arith.divf of 1.0 by math.sqrt, which are exact",
            _ if RISING.contains(&function) || known.is_some_and(|it| it.rises) => {
                "compare its argument, because the function never decreases; otherwise compute it in an operation \
                 before or after"
            }
            _ if OTHER_ROUNDED.contains(&function) || known.is_some() => {
                "compute it in an operation before or after"
            }
            _ => return None,
        };
        Some(format!(
            "{name} is not exact to the bit: each implementation rounds it differently. Comparators, maps and functions \
             before a reduction take exact operations only; row programs use functions within error bounds. Instead: {instead}"
        ))
    }

    /// Returns the names that `name` may stand for: those that begin so after their dialect if
    /// it has none, those of its dialect, else all.
    pub(crate) fn names(name: &str) -> impl Iterator<Item = &'static str> {
        let (dialect, wanted) = match name.split_once('.') {
            Some((dialect, _)) => (Some(dialect.to_owned()), String::new()),
            None => (None, name.to_owned()),
        };
        let is_meant = move |name: &str| {
            let of_dialect = |dialect: &String| name.split('.').next() == Some(dialect);
            let function = name.split_once('.').map_or(name, |(_, function)| function);
            dialect.as_ref().is_none_or(of_dialect) && function.starts_with(&wanted)
        };
        let names = || Self::exact().map(|row| row.1);
        let is_any = names().any(&is_meant);
        names().filter(move |name| !is_any || is_meant(name))
    }

    /// Returns all exact operations; of constants and comparisons, the first of the kind in the
    /// table.
    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Opcode> {
        Self::exact().map(|row| row.0)
    }

    fn row(self) -> &'static (Opcode, &'static str, OpcodeSignature) {
        // The rows of constants and comparisons stand for all bits and predicates.
        let kind = std::mem::discriminant(&self);
        let is_row =
            |row: &&(Opcode, &str, OpcodeSignature)| std::mem::discriminant(&row.0) == kind;
        TABLE.iter().find(is_row).unwrap_or(&TABLE[0])
    }

    /// Returns the name in MLIR, with its dialect.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Returns its signature.
    pub(crate) fn signature(self) -> OpcodeSignature {
        self.row().2
    }

    /// Returns the number of operands.
    pub(crate) fn arity(self) -> usize {
        match self.signature() {
            OpcodeSignature::Constant => 0,
            OpcodeSignature::Same(_, operands) => operands,
            OpcodeSignature::Compare(_) => 2,
            OpcodeSignature::Select => 3,
            OpcodeSignature::Cast(..) => 1,
        }
    }

    /// Returns whether it rounds a float to an integral float.
    pub(crate) fn rounds(self) -> bool {
        use Opcode::*;
        matches!(self, Floor | Ceil | Trunc | Round | Roundeven)
    }

    /// Returns whether exchanging the first two operands changes no bit of the result.
    pub(crate) fn commutes(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            // A NaN result is canonical, so float operations commute to the bit.
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
