//! Element keys: functions of one element, and the differences of two or three elements in them.

use super::super::super::canonical::{BOTH_NAN, X_NAN, Y_NAN};
use super::super::super::evaluator::Evaluator;
use super::super::super::predicate::{EQUAL, GREATER, LESS};
use super::super::super::region::Region;
use super::super::range::{self, Range};

/// A function of one element.
pub(super) struct ElementKey {
    pub(super) region: Region,
    pub(super) kind: ElementKeyKind,
}

/// The relevant property of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementKeyKind {
    /// Its position among others; signed, unsigned, or either.
    Integer(Option<bool>),
    /// Its position among others, or that it is NaN.
    Float,
    /// Its truth.
    Truth,
}

/// The value of a key for an element: a position, a truth or [`NAN`].
pub(super) type Mark = u8;
pub(super) const NAN: Mark = 3;

/// The states of two keys, as in [`Relation`](super::super::super::canonical::Relation).
pub(super) const STATES: [u8; 6] = [EQUAL, GREATER, LESS, X_NAN, Y_NAN, BOTH_NAN];

impl ElementKeyKind {
    fn marks(self) -> &'static [Mark] {
        match self {
            Self::Integer(_) => &[0, 1, 2],
            Self::Float => &[0, 1, 2, NAN],
            Self::Truth => &[0, 1],
        }
    }

    /// Returns the number of ways in which two values can differ.
    pub(super) fn states(self) -> usize {
        match self {
            Self::Integer(_) => 3,
            Self::Float => 6,
            Self::Truth => 4,
        }
    }

    /// Returns the way in which two marks differ.
    ///
    /// For positions and floats it is an index of [`STATES`]. For truths it is twice the first
    /// plus the second.
    pub(super) fn state(self, x: Mark, y: Mark) -> usize {
        match (x == NAN, y == NAN, x.cmp(&y)) {
            _ if self == Self::Truth => usize::from(2 * x + y),
            (true, true, _) => 5,
            (true, false, _) => 3,
            (false, true, _) => 4,
            (.., std::cmp::Ordering::Equal) => 0,
            (.., std::cmp::Ordering::Greater) => 1,
            (.., std::cmp::Ordering::Less) => 2,
        }
    }

    /// Returns two marks that differ in this way.
    pub(super) fn of_state(self, state: usize) -> [Mark; 2] {
        match (self, state) {
            (Self::Truth, state) => [state as Mark >> 1, state as Mark & 1],
            (_, 0) => [0, 0],
            (_, 1) => [1, 0],
            (_, 2) => [0, 1],
            (_, 3) => [NAN, 0],
            (_, 4) => [0, NAN],
            _ => [NAN, NAN],
        }
    }

    /// Returns the number of profiles.
    pub(super) fn profiles(self) -> usize {
        match self {
            Self::Integer(_) => 1,
            Self::Float | Self::Truth => 2,
        }
    }

    pub(super) fn profile(self, mark: Mark) -> usize {
        match self {
            Self::Integer(_) => 0,
            Self::Float => usize::from(mark == NAN),
            Self::Truth => usize::from(mark),
        }
    }

    /// Returns the marks of three values, once per way in which they can differ.
    pub(super) fn triples(self) -> Vec<[Mark; 3]> {
        let marks = self.marks();
        let mut triples = Vec::new();
        for &x in marks {
            for &y in marks {
                for &z in marks {
                    let has = |mark: Mark| [x, y, z].contains(&mark);
                    // Positions count from 0 without gaps.
                    let is_dense = (has(1) || !has(2)) && (has(0) || !has(1));
                    if self == Self::Truth || is_dense {
                        triples.push([x, y, z]);
                    }
                }
            }
        }
        triples
    }
}

impl ElementKey {
    /// Returns the mark of an element, with 0 for any position.
    pub(super) fn mark(&self, element: u64) -> Mark {
        let bits = Evaluator::new(&self.region).value(element);
        let ty = self.region.type_of(self.region.result());
        match self.kind {
            ElementKeyKind::Truth => Mark::from(bits != 0),
            _ if ty.is_nan(bits) => NAN,
            _ => 0,
        }
    }

    /// Returns the ways in which the key of this element can differ from those of others.
    pub(super) fn states(&self, element: Range, others: Range) -> Vec<usize> {
        let ty = self.region.type_of(self.region.result());
        let [x, y] = [element, others].map(|range| range::result(&self.region, &[range]));
        let can_be = |state: &usize| match (self.kind, STATES.get(*state)) {
            (ElementKeyKind::Truth, _) => {
                let [of_x, of_y] = self.kind.of_state(*state);
                x.can_be(of_x != 0) && y.can_be(of_y != 0)
            }
            (ElementKeyKind::Integer(signed), Some(outcome)) => {
                range::integer_outcomes(ty, signed == Some(true), x, y) & outcome != 0
            }
            (_, Some(&X_NAN)) => x.nan && y.numbers.is_some(),
            (_, Some(&Y_NAN)) => y.nan && x.numbers.is_some(),
            (_, Some(&BOTH_NAN)) => x.nan && y.nan,
            (_, outcome) => {
                let outcomes = range::float_outcomes(ty, x, y, false);
                outcome.is_some_and(|outcome| outcomes & outcome != 0)
            }
        };
        (0..self.kind.states()).filter(can_be).collect()
    }

    /// Returns whether some of these elements can have this profile.
    pub(super) fn can_be(&self, profile: usize, elements: Range) -> bool {
        let range = range::result(&self.region, &[elements]);
        match (self.kind, profile) {
            (ElementKeyKind::Integer(_), _) => true,
            (ElementKeyKind::Float, 0) => range.numbers.is_some(),
            (ElementKeyKind::Float, _) => range.nan,
            (ElementKeyKind::Truth, profile) => range.can_be(profile == 1),
        }
    }
}
