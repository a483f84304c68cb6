//! Predicates of comparisons, as sets of the outcomes for which they hold.

use std::fmt;

/// The outcome "equal" of a comparison; predicates are sets of outcomes.
pub(crate) const EQUAL: u8 = 1;
/// The outcome "the left one is greater".
pub(crate) const GREATER: u8 = 2;
/// The outcome "the left one is less".
pub(crate) const LESS: u8 = 4;
/// The outcome "one is NaN".
pub(crate) const UNORDERED: u8 = 8;

/// Exchanges "less" and "greater": `outcomes` of (x, y) become those of (y, x).
pub(crate) fn swap(outcomes: u8) -> u8 {
    let swapped = (outcomes & GREATER) << 1 | (outcomes & LESS) >> 1;
    outcomes & !(GREATER | LESS) | swapped
}

/// A predicate of `arith.cmpf`. Its discriminant is its set of outcomes, which is LLVM's number
/// too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are LLVM's and MLIR's")]
pub enum FloatPredicate {
    False = 0,
    Oeq = EQUAL,
    Ogt = GREATER,
    Oge = GREATER | EQUAL,
    Olt = LESS,
    Ole = LESS | EQUAL,
    One = LESS | GREATER,
    Ord = LESS | GREATER | EQUAL,
    Uno = UNORDERED,
    Ueq = UNORDERED | EQUAL,
    Ugt = UNORDERED | GREATER,
    Uge = UNORDERED | GREATER | EQUAL,
    Ult = UNORDERED | LESS,
    Ule = UNORDERED | LESS | EQUAL,
    Une = UNORDERED | LESS | GREATER,
    True = 15,
}

impl FloatPredicate {
    /// Every predicate with its name, in the order of the sets of outcomes.
    pub const ALL: [(FloatPredicate, &'static str); 16] = [
        (Self::False, "false"),
        (Self::Oeq, "oeq"),
        (Self::Ogt, "ogt"),
        (Self::Oge, "oge"),
        (Self::Olt, "olt"),
        (Self::Ole, "ole"),
        (Self::One, "one"),
        (Self::Ord, "ord"),
        (Self::Uno, "uno"),
        (Self::Ueq, "ueq"),
        (Self::Ugt, "ugt"),
        (Self::Uge, "uge"),
        (Self::Ult, "ult"),
        (Self::Ule, "ule"),
        (Self::Une, "une"),
        (Self::True, "true"),
    ];

    /// Returns the name in MLIR and LLVM IR.
    pub fn name(self) -> &'static str {
        Self::ALL[usize::from(self.outcomes())].1
    }

    /// Returns the predicate with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Returns the predicate that holds for these outcomes.
    pub(crate) fn from_outcomes(outcomes: u8) -> Self {
        Self::ALL[usize::from(outcomes & 15)].0
    }

    /// Returns the outcomes for which it holds.
    pub fn outcomes(self) -> u8 {
        self as u8
    }
}

/// A predicate of `arith.cmpi`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are LLVM's and MLIR's")]
pub enum IntegerPredicate {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

impl IntegerPredicate {
    /// Every predicate, in MLIR's order, with its name and its outcomes.
    const TABLE: [(IntegerPredicate, &'static str, u8); 10] = [
        (Self::Eq, "eq", EQUAL),
        (Self::Ne, "ne", LESS | GREATER),
        (Self::Slt, "slt", LESS),
        (Self::Sle, "sle", LESS | EQUAL),
        (Self::Sgt, "sgt", GREATER),
        (Self::Sge, "sge", GREATER | EQUAL),
        (Self::Ult, "ult", LESS),
        (Self::Ule, "ule", LESS | EQUAL),
        (Self::Ugt, "ugt", GREATER),
        (Self::Uge, "uge", GREATER | EQUAL),
    ];

    /// Returns every predicate, in the order of MLIR's numbers.
    pub fn all() -> impl Iterator<Item = IntegerPredicate> {
        Self::TABLE.iter().map(|row| row.0)
    }

    /// Returns the name in MLIR and LLVM IR.
    pub fn name(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// Returns the predicate with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::TABLE
            .iter()
            .find(|row| row.1 == name)
            .map(|row| row.0)
    }

    /// Returns the outcomes for which it holds.
    pub fn outcomes(self) -> u8 {
        Self::TABLE[self as usize].2
    }

    /// Returns whether it reads its operands as signed, or none if that does not matter.
    pub fn signed(self) -> Option<bool> {
        match self {
            Self::Eq | Self::Ne => None,
            Self::Slt | Self::Sle | Self::Sgt | Self::Sge => Some(true),
            Self::Ult | Self::Ule | Self::Ugt | Self::Uge => Some(false),
        }
    }

    /// Returns the predicate with these outcomes. No predicate has none or all of them.
    pub(crate) fn from_outcomes(outcomes: u8, signed: bool) -> Option<Self> {
        let fits = |predicate: Self| predicate.signed().is_none_or(|s| s == signed);
        Self::TABLE
            .iter()
            .find(|row| row.2 == outcomes && fits(row.0))
            .map(|row| row.0)
    }
}

impl fmt::Display for FloatPredicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for IntegerPredicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
