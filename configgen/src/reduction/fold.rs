//! Plain folds: combine the elements of a row, two values at a time.

use super::{Extent, Scalar, Tensor};
use crate::ElementType;
use crate::comparator::semantics::apply;
use crate::comparator::{Opcode, ScalarType};
use crate::literal::Literal;

/// An operation that combines two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Combining {
    /// The sum; integers wrap modulo two to the number of bits.
    Sum,
    /// The product, likewise.
    Product,
    /// The greater. NaN if either is; +0 is greater than -0.
    Max,
    /// The lesser. NaN if either is; -0 is less than +0.
    Min,
    /// The greater; prefers a number to a NaN, and either of two zeros. Floats only.
    MaxNumber,
    /// The lesser, likewise. Floats only.
    MinNumber,
    /// Bitwise and. Integers only, as the following ones.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

impl Combining {
    /// Every operation, in the order in which error messages list them.
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

    /// Returns the name in a problem's text.
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

    /// Returns the operation with this name; the flag is set for a `u` before it (unsigned
    /// integers).
    pub(crate) fn from_name(name: &str) -> Option<(Combining, bool)> {
        let named = |name: &str| Self::ALL.into_iter().find(|it| it.name() == name);
        let signed = named(name).map(|it| (it, false));
        signed.or_else(|| Some((named(name.strip_prefix('u')?)?, true)))
    }

    /// Returns whether the result always fits the element type, as that of all but sum and
    /// product does.
    fn keeps_type(self) -> bool {
        !matches!(self, Self::Sum | Self::Product)
    }

    /// Returns whether equal values combine to the same value, so that an element may be taken
    /// twice.
    pub fn is_idempotent(self) -> bool {
        !matches!(self, Self::Sum | Self::Product | Self::Xor)
    }

    /// Returns whether the order of combination never changes the result, in this type.
    pub fn is_exact(self, accumulator: ElementType) -> bool {
        self.keeps_type() || !accumulator.is_float()
    }

    fn takes(self, element: ElementType) -> bool {
        match self {
            // Most targets have no arithmetic on 8-bit floats.
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

    /// Returns the combination of this opcode; the flag is set if it reads integers as unsigned.
    pub(crate) fn from_opcode(opcode: Opcode) -> Option<(Combining, bool)> {
        let all = Self::ALL
            .into_iter()
            .flat_map(|it| [(it, false), (it, true)]);
        // `Combining::opcode` ignores signedness for most operations, so the unsigned flag comes
        // second.
        let mut all = all.filter(|&(it, unsigned)| {
            [true, false]
                .map(|is_float| it.opcode(is_float, unsigned))
                .contains(&opcode)
        });
        all.next()
    }
}

/// A fold of each row: `acc = initial; for each element: acc = combining(acc, element as acc's
/// type)`.
///
/// A kernel may use any order and any grouping; the results of all of them are correct. Sums of
/// floats are an exception: their number of consecutive additions is limited
/// ([`crate::summation_depth`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fold {
    combining: Combining,
    element: ElementType,
    /// Set if integers are unsigned; unset if that does not matter.
    is_unsigned: bool,
    accumulator: ElementType,
    initial: u64,
}

impl Fold {
    /// Creates the fold of these elements, with the neutral value as the initial one.
    ///
    /// The accumulator is one of [`Self::accumulators`], by default the first.
    ///
    /// # Errors
    ///
    /// Returns a message if the operation does not take the element type.
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
        // Signedness is normalised, because equal folds must have one text.
        let is_unsigned = match combining {
            // A truth value counts as 1, so its widening is unsigned.
            Combining::Sum | Combining::Product if element == ElementType::I1 => true,
            // Signedness changes only the widening of a sum or product, not its low bits.
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

    /// Returns the types that may accumulate these elements, the default one first.
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

    /// Returns the same fold with another initial value, in bits of the accumulator's type.
    pub fn beginning_at(self, initial: u64) -> Fold {
        Fold { initial, ..self }
    }

    /// Returns the combining operation.
    pub fn combining(&self) -> Combining {
        self.combining
    }

    /// Returns the type of the elements.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// Returns whether the signedness of integers changes the result.
    pub(crate) fn reads_sign(&self) -> bool {
        !self.accumulator.is_float() && !self.keeps_no_sign()
    }

    /// Returns whether integers are unsigned, if that matters.
    pub fn is_unsigned(&self) -> bool {
        self.is_unsigned
    }

    /// Returns the type in which values are combined, which is that of the results.
    pub fn accumulator(&self) -> ElementType {
        self.accumulator
    }

    /// Returns the bits of the initial value.
    pub fn initial(&self) -> u64 {
        self.initial
    }

    /// Returns the neutral value of the accumulator, in bits.
    ///
    /// Combining with it may change the sign of a zero. `maxnum` and `minnum` also turn a NaN
    /// into it.
    pub fn identity(&self) -> u64 {
        self.neutral_of(self.accumulator)
    }

    /// Returns the neutral value of the element type, in bits.
    pub fn neutral(&self) -> u64 {
        self.neutral_of(self.element)
    }

    fn neutral_of(&self, element: ElementType) -> u64 {
        let kind = ScalarType::from(element);
        let (sign, is_float) = (kind.sign_bit(), kind.is_float());
        match (self.combining, is_float) {
            // 0 is +0.0 for floats, which turns a sum of -0.0 into +0.0; `identity` documents
            // that.
            (Combining::Sum | Combining::Or | Combining::Xor, _) => 0,
            (Combining::Product, true) => kind.round(1.0),
            (Combining::Product, false) => 1,
            (Combining::And, _) => kind.mask(),
            // `greatest` is infinity in a type that has it, and otherwise its largest finite
            // number.
            (Combining::Max | Combining::MaxNumber, true) => kind.greatest() | sign,
            (Combining::Min | Combining::MinNumber, true) => kind.greatest(),
            (Combining::Max | Combining::MaxNumber, false) if self.is_unsigned => 0,
            (Combining::Max | Combining::MaxNumber, false) => sign,
            (Combining::Min | Combining::MinNumber, false) if self.is_unsigned => kind.mask(),
            (Combining::Min | Combining::MinNumber, false) => sign - 1,
        }
    }

    /// Returns the opcode of the combination.
    pub(crate) fn opcode(&self) -> Opcode {
        let is_float = self.accumulator.is_float();
        self.combining.opcode(is_float, self.is_unsigned)
    }

    /// Combines two values of the accumulator's type, as bits.
    pub fn combine(&self, a: u64, b: u64) -> u64 {
        let kind = ScalarType::from(self.accumulator);
        apply(self.opcode(), kind, kind, [a, b, 0])
    }

    /// Returns the conversion from the element type to the accumulator's, if they differ.
    pub(crate) fn widening(&self) -> Option<Opcode> {
        let is_same = self.element == self.accumulator;
        match (is_same, self.element.is_float(), self.is_unsigned) {
            (true, ..) => None,
            (false, true, _) => Some(Opcode::Extf),
            (false, false, true) => Some(Opcode::Extui),
            (false, false, false) => Some(Opcode::Extsi),
        }
    }

    /// Returns an element in the accumulator's type, as bits. The conversion is exact.
    pub fn widened(&self, element: u64) -> u64 {
        let [from, to] = [self.element, self.accumulator].map(ScalarType::from);
        match self.widening() {
            Some(opcode) => apply(opcode, from, to, [element, 0, 0]),
            None => element,
        }
    }
}

impl Fold {
    /// Returns the text before the sizes of a problem, such as `usum`.
    pub fn name(&self) -> String {
        // Truth values have no sign, so their text needs no `u`.
        let unsigned = match self.is_unsigned && self.element != ElementType::I1 {
            true => "u",
            false => "",
        };
        format!("{unsigned}{}", self.combining.name())
    }

    /// Returns the text behind the element type.
    pub(super) fn options(&self) -> String {
        let usual = Fold::accumulators(self.combining, self.element)[0];
        let mut options = match self.accumulator == usual {
            true => String::new(),
            false => format!(":{}", self.accumulator),
        };
        // A problem has one canonical text, so it omits the neutral initial value.
        if self.initial != self.identity() {
            let initial = Literal(self.accumulator.into(), self.initial);
            options += &format!(":initial={initial}");
        }
        options
    }

    /// Returns whether it adds floats.
    pub(super) fn adds_floats(&self) -> bool {
        self.combining == Combining::Sum && self.accumulator.is_float()
    }

    /// Returns the tensor of the results, if they are an output.
    pub(super) fn output(&self) -> Tensor {
        Tensor {
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
        }
    }

    /// Returns sentences about the results of a row.
    pub(super) fn meaning(&self) -> String {
        let (accumulator, initial) = (
            self.accumulator,
            Literal(self.accumulator.into(), self.initial),
        );
        let what = match self.combining {
            Combining::Sum if self.accumulator.is_float() => "their sum, rounded at each addition",
            // Integer arithmetic wraps, so only the low bits stay.
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

    /// Returns whether the bits of the result do not depend on the signedness of integers.
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
