//! The syntax of programs that the parser and the printer share.

use crate::comparator::{FloatPredicate, IntegerPredicate, Opcode, ScalarType};

/// The strength with which an operation binds its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
    Lowest,
    Comparison,
    Sum,
    Product,
    Sign,
    Highest,
}

impl Precedence {
    /// Returns the next tighter one.
    pub(super) fn above(self) -> Precedence {
        match self {
            Precedence::Lowest => Precedence::Comparison,
            Precedence::Comparison => Precedence::Sum,
            Precedence::Sum => Precedence::Product,
            Precedence::Product => Precedence::Sign,
            Precedence::Sign | Precedence::Highest => Precedence::Highest,
        }
    }
}

/// An infix operation: its symbol, the operation, whether that is of floats, its precedence.
type Infix = (&'static str, Opcode, bool, Precedence);

/// The infix operations. A symbol stands before those that it begins with.
pub(super) const INFIX: [Infix; 18] = {
    use Precedence::{Comparison, Product, Sum};
    const fn floats(predicate: FloatPredicate) -> Opcode {
        Opcode::Cmpf(predicate)
    }
    const fn integers(predicate: IntegerPredicate) -> Opcode {
        Opcode::Cmpi(predicate)
    }
    [
        ("+", Opcode::Addf, true, Sum),
        ("-", Opcode::Subf, true, Sum),
        ("*", Opcode::Mulf, true, Product),
        ("/", Opcode::Divf, true, Product),
        ("+", Opcode::Addi, false, Sum),
        ("-", Opcode::Subi, false, Sum),
        ("<=", floats(FloatPredicate::Ole), true, Comparison),
        ("<", floats(FloatPredicate::Olt), true, Comparison),
        (">=", floats(FloatPredicate::Oge), true, Comparison),
        (">", floats(FloatPredicate::Ogt), true, Comparison),
        ("==", floats(FloatPredicate::Oeq), true, Comparison),
        ("!=", floats(FloatPredicate::Une), true, Comparison),
        ("<=", integers(IntegerPredicate::Sle), false, Comparison),
        ("<", integers(IntegerPredicate::Slt), false, Comparison),
        (">=", integers(IntegerPredicate::Sge), false, Comparison),
        (">", integers(IntegerPredicate::Sgt), false, Comparison),
        ("==", integers(IntegerPredicate::Eq), false, Comparison),
        ("!=", integers(IntegerPredicate::Ne), false, Comparison),
    ]
};

/// The operations with a shorter name than MLIR's.
pub(super) const FUNCTIONS: [(&str, Opcode); 5] = [
    ("abs", Opcode::Absf),
    ("max", Opcode::Maximumf),
    ("min", Opcode::Minimumf),
    ("maxnum", Opcode::Maxnumf),
    ("minnum", Opcode::Minnumf),
];

/// Returns the conversion that a type's name stands for.
pub(super) fn usual_cast(from: ScalarType, to: ScalarType) -> Option<Opcode> {
    let is_wider = to.bits() > from.bits();
    Some(match (from.is_float(), to.is_float()) {
        (true, true) if is_wider => Opcode::Extf,
        (true, true) if to.bits() < from.bits() => Opcode::Truncf,
        (true, false) if to == ScalarType::I8 => Opcode::Fptosi,
        (false, true) if from == ScalarType::I1 => Opcode::Uitofp,
        (false, true) => Opcode::Sitofp,
        (false, false) if is_wider && from == ScalarType::I1 => Opcode::Extui,
        (false, false) if is_wider => Opcode::Extsi,
        _ => return None,
    })
}
