//! Plain reductions: the elements of a row, two values at a time made one.

use super::{Extent, Reduce, ReductionState, Scalar, Tensor};
use crate::ElementType;
use crate::comparator::semantics::apply;
use crate::comparator::{Opcode, ScalarType};
use crate::literal::Literal;

/// What is made of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Combining {
    /// Their sum; of integers modulo two to the number of bits.
    Sum,
    /// Their product, likewise.
    Product,
    /// The greater. NaN if either is; +0 is greater than -0.
    Max,
    /// The lesser. NaN if either is; -0 is less than +0.
    Min,
    /// The greater, of a NaN and a number the number, and of two zeros either. Floats only.
    MaxNumber,
    /// The lesser, likewise. Floats only.
    MinNumber,
    /// The bits that both have. Integers only, as those below.
    And,
    /// The bits that one has.
    Or,
    /// The bits that one has and the other has not.
    Xor,
}

impl Combining {
    /// Every one, in the order in which error messages list them.
    pub const ALL: [Combining; 9] = [
        Self::Sum,
        Self::Product,
        Self::Max,
        Self::Min,
        Self::MaxNumber,
        Self::MinNumber,
        Self::And,
        Self::Or,
        Self::Xor,
    ];

    /// The name in a problem's text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Max => "max",
            Self::Min => "min",
            Self::MaxNumber => "maxnum",
            Self::MinNumber => "minnum",
            Self::And => "and",
            Self::Or => "or",
            Self::Xor => "xor",
        }
    }

    /// The one with this name, and whether a `u` before it says that integers are read without a sign.
    pub(crate) fn from_name(name: &str) -> Option<(Combining, bool)> {
        let named = |name: &str| Self::ALL.into_iter().find(|it| it.name() == name);
        let signed = named(name).map(|it| (it, false));
        signed.or_else(|| Some((named(name.strip_prefix('u')?)?, true)))
    }

    /// Whether the result is one of the values, or has no bit that none has: then its type is that of the elements.
    fn keeps_type(self) -> bool {
        !matches!(self, Self::Sum | Self::Product)
    }

    /// Whether two of one value make that value, so that an element may be taken twice.
    pub fn is_idempotent(self) -> bool {
        !matches!(self, Self::Sum | Self::Product | Self::Xor)
    }

    /// Whether values of this type may be combined in any order, with one result.
    pub fn is_exact(self, accumulator: ElementType) -> bool {
        self.keeps_type() || !accumulator.is_float()
    }

    fn takes(self, element: ElementType) -> bool {
        match self {
            // The floats of 8 bits have no arithmetic of their own on most targets.
            _ if element.is_float() && element.bits() == 8 => false,
            Self::Sum | Self::Product => true,
            Self::Max | Self::Min => element != ElementType::I1,
            Self::MaxNumber | Self::MinNumber => element.is_float(),
            Self::And | Self::Or | Self::Xor => !element.is_float(),
        }
    }

    fn opcode(self, is_float: bool, is_unsigned: bool) -> Opcode {
        match (self, is_float, is_unsigned) {
            (Self::Sum, true, _) => Opcode::Addf,
            (Self::Sum, false, _) => Opcode::Addi,
            (Self::Product, true, _) => Opcode::Mulf,
            (Self::Product, false, _) => Opcode::Muli,
            (Self::Max, true, _) => Opcode::Maximumf,
            (Self::Max, false, false) => Opcode::Maxsi,
            (Self::Max, false, true) => Opcode::Maxui,
            (Self::Min, true, _) => Opcode::Minimumf,
            (Self::Min, false, false) => Opcode::Minsi,
            (Self::Min, false, true) => Opcode::Minui,
            (Self::MaxNumber, ..) => Opcode::Maxnumf,
            (Self::MinNumber, ..) => Opcode::Minnumf,
            (Self::And, ..) => Opcode::Andi,
            (Self::Or, ..) => Opcode::Ori,
            (Self::Xor, ..) => Opcode::Xori,
        }
    }

    /// The one that this operation is, and whether it reads integers without a sign.
    pub(crate) fn from_opcode(opcode: Opcode) -> Option<(Combining, bool)> {
        let all = Self::ALL
            .into_iter()
            .flat_map(|it| [(it, false), (it, true)]);
        let mut all = all.filter(|&(it, unsigned)| {
            [true, false]
                .map(|is_float| it.opcode(is_float, unsigned))
                .contains(&opcode)
        });
        all.next()
    }
}

/// For every row `acc = initial; for each element in order: acc = combining(acc, the element in
/// acc's type)`, in any order and any grouping: the results of all of them are right, but for sums
/// of floats, of which those are right that have few additions one after the other
/// ([`crate::summation_depth`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fold {
    combining: Combining,
    element: ElementType,
    /// How integers are read, where that matters.
    is_unsigned: bool,
    accumulator: ElementType,
    initial: u64,
}

impl Fold {
    /// The reduction of these elements in one of [`Self::accumulators`], the usual one where none is given, from the value
    /// that changes nothing on.
    ///
    /// # Errors
    ///
    /// There is none: what stands in the way.
    pub fn new(
        combining: Combining,
        element: ElementType,
        is_unsigned: bool,
        accumulator: Option<ElementType>,
    ) -> Result<Fold, String> {
        let name = combining.name();
        if !combining.takes(element) {
            let takes = ElementType::ALL
                .into_iter()
                .filter(|it| combining.takes(*it));
            let takes: Vec<&str> = takes.map(ElementType::name).collect();
            let instead = match combining {
                Combining::Max if element == ElementType::I1 => {
                    "; the maximum of truth values is called \"or\"".to_owned()
                }
                Combining::Min if element == ElementType::I1 => {
                    "; the minimum of truth values is called \"and\"".to_owned()
                }
                Combining::MaxNumber => "; write \"max\", because integers have no NaN".to_owned(),
                Combining::MinNumber => "; write \"min\", because integers have no NaN".to_owned(),
                Combining::And | Combining::Or | Combining::Xor => {
                    format!(
                        "; read their bits as integers first, as in {name}(arith.bitcast(0,i{}))",
                        element.bits()
                    )
                }
                _ => format!("; extend them first, as in {name}(arith.extf(0,f32))"),
            };
            let unsigned = if is_unsigned { "u" } else { "" };
            return Err(format!(
                "{unsigned}{name} takes {}, and these are {element}{instead}",
                takes.join(", ")
            ));
        }
        let usual = Fold::accumulators(combining, element)[0];
        let accumulator = accumulator.unwrap_or(usual);
        let is_unsigned = match combining {
            // A truth value counts as 1.
            Combining::Sum | Combining::Product if element == ElementType::I1 => true,
            Combining::Sum | Combining::Product => is_unsigned && accumulator != element,
            Combining::Max | Combining::Min => is_unsigned,
            _ => false,
        };
        let mut fold = Fold {
            combining,
            element,
            is_unsigned,
            accumulator,
            initial: 0,
        };
        fold.initial = fold.identity();
        Ok(fold)
    }

    /// The types that may accumulate these elements, the usual one first.
    pub fn accumulators(combining: Combining, element: ElementType) -> &'static [ElementType] {
        use ElementType::*;
        match (combining.keeps_type(), element) {
            (_, F64) => &[F64],
            (_, I64) => &[I64],
            (true, F32) => &[F32],
            (true, F16) => &[F16],
            (true, Bf16) => &[Bf16],
            (true, I32) => &[I32],
            (true, I16) => &[I16],
            (true, I8) => &[I8],
            (true, I1) => &[I1],
            (false, F32 | F16 | Bf16) => &[F32, F64],
            (false, I32 | I16 | I8 | I1) => &[I32, I64],
            (_, F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ) => &[F32],
        }
    }

    /// The same from these bits of the accumulator's type on.
    pub fn beginning_at(self, initial: u64) -> Fold {
        Fold { initial, ..self }
    }

    /// What is made of two values.
    pub fn combining(&self) -> Combining {
        self.combining
    }

    /// Type of the elements.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// Whether it matters how integers are read.
    pub(crate) fn reads_sign(&self) -> bool {
        !self.accumulator.is_float() && !self.keeps_no_sign()
    }

    /// Whether integers are read without a sign, where that matters.
    pub fn is_unsigned(&self) -> bool {
        self.is_unsigned
    }

    /// The type in which values are combined, and of the results.
    pub fn accumulator(&self) -> ElementType {
        self.accumulator
    }

    /// The bits at which the fold begins.
    pub fn initial(&self) -> u64 {
        self.initial
    }

    /// Bits of the accumulator that change nothing, but for the sign of a zero and, of the greater and the lesser number, a NaN.
    pub fn identity(&self) -> u64 {
        self.neutral_of(self.accumulator)
    }

    /// Bits of an element that changes as little.
    pub fn neutral(&self) -> u64 {
        self.neutral_of(self.element)
    }

    fn neutral_of(&self, element: ElementType) -> u64 {
        let kind = ScalarType::from(element);
        let (sign, is_float) = (kind.sign_bit(), kind.is_float());
        match (self.combining, is_float) {
            (Combining::Sum | Combining::Or | Combining::Xor, _) => 0,
            (Combining::Product, true) => kind.round(1.0),
            (Combining::Product, false) => 1,
            (Combining::And, _) => kind.mask(),
            (Combining::Max | Combining::MaxNumber, true) => kind.greatest() | sign,
            (Combining::Min | Combining::MinNumber, true) => kind.greatest(),
            (Combining::Max | Combining::MaxNumber, false) if self.is_unsigned => 0,
            (Combining::Max | Combining::MaxNumber, false) => sign,
            (Combining::Min | Combining::MinNumber, false) if self.is_unsigned => kind.mask(),
            (Combining::Min | Combining::MinNumber, false) => sign - 1,
        }
    }

    /// The operation that makes one of two values.
    pub(crate) fn opcode(&self) -> Opcode {
        let is_float = self.accumulator.is_float();
        self.combining.opcode(is_float, self.is_unsigned)
    }

    /// What is made of two values of the accumulator's type: bits of it.
    pub fn combine(&self, a: u64, b: u64) -> u64 {
        let kind = ScalarType::from(self.accumulator);
        apply(self.opcode(), kind, kind, [a, b, 0])
    }

    /// What makes an element one of the accumulator's type, where these differ.
    pub(crate) fn widening(&self) -> Option<Opcode> {
        let is_same = self.element == self.accumulator;
        match (is_same, self.element.is_float(), self.is_unsigned) {
            (true, ..) => None,
            (false, true, _) => Some(Opcode::Extf),
            (false, false, true) => Some(Opcode::Extui),
            (false, false, false) => Some(Opcode::Extsi),
        }
    }

    /// An element in the accumulator's type, which is exact: its bits.
    pub fn widened(&self, element: u64) -> u64 {
        let [from, to] = [self.element, self.accumulator].map(ScalarType::from);
        match self.widening() {
            Some(opcode) => apply(opcode, from, to, [element, 0, 0]),
            None => element,
        }
    }
}

impl Reduce for Fold {
    fn operation(&self) -> &'static str {
        "reduce"
    }

    fn name(&self) -> String {
        let unsigned = match self.is_unsigned && self.element != ElementType::I1 {
            true => "u",
            false => "",
        };
        format!("{unsigned}{}", self.combining.name())
    }

    fn options(&self) -> String {
        let usual = Fold::accumulators(self.combining, self.element)[0];
        let mut options = match self.accumulator == usual {
            true => String::new(),
            false => format!(":{}", self.accumulator),
        };
        if self.initial != self.identity() {
            let initial = Literal(self.accumulator.into(), self.initial);
            options += &format!(":initial={initial}");
        }
        options
    }

    fn symbol(&self) -> String {
        self.name()
    }

    fn adds_floats(&self) -> bool {
        self.combining == Combining::Sum && self.accumulator.is_float()
    }

    fn state(&self, _: ElementType) -> ReductionState {
        ReductionState {
            words: self.accumulator.bits().div_ceil(32),
            has_position: false,
        }
    }

    fn results(&self, _: ElementType) -> Vec<Tensor> {
        vec![Tensor {
            name: "values",
            scalar: Scalar::Element(self.accumulator),
            what: match self.combining {
                Combining::Sum => "the sum",
                Combining::Product => "the product",
                Combining::Max | Combining::MaxNumber => "the greatest",
                Combining::Min | Combining::MinNumber => "the least",
                Combining::And => "the bits that all have",
                Combining::Or => "the bits that any has",
                Combining::Xor => "the bits that an odd number has",
            },
            extent: Extent::Rows,
        }]
    }

    fn operations(&self) -> u64 {
        1
    }

    fn meaning(&self) -> String {
        let (accumulator, initial) = (
            self.accumulator,
            Literal(self.accumulator.into(), self.initial),
        );
        let what = match self.combining {
            Combining::Sum if self.accumulator.is_float() => "their sum, rounded at each addition",
            Combining::Sum => "their sum, of which the low bits stay",
            Combining::Product if self.accumulator.is_float() => {
                "their product, rounded at each multiplication"
            }
            Combining::Product => "their product, of which the low bits stay",
            Combining::Max => "the greatest of them, NaN if one is",
            Combining::Min => "the least of them, NaN if one is",
            Combining::MaxNumber => "the greatest of them that is a number",
            Combining::MinNumber => "the least of them that is a number",
            Combining::And => "the bits that all of them have",
            Combining::Or => "the bits that any of them has",
            Combining::Xor => "the bits that an odd number of them has",
        };
        let what = match self.reads_sign() {
            false => what.to_owned(),
            true if self.is_unsigned => format!("{what}; integers are read without a sign"),
            true => format!("{what}; integers are read with a sign"),
        };
        format!(
            "The result of a row is made of {initial} and of its elements as {accumulator}, two at a time, in an order that is\n\
             the same in every launch: {what}."
        )
    }
}

impl Fold {
    /// Whether the bits of the result are the same however integers are read.
    fn keeps_no_sign(&self) -> bool {
        match self.combining {
            Combining::And | Combining::Or | Combining::Xor => true,
            Combining::Sum | Combining::Product => self.accumulator == self.element,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
