//! Feasible pairs: the parts of a type in which three values with given differences can lie.
//!
//! The keys of a form allow differences that no three values have. A key that is NaN only for
//! infinities, for example, is a number if another key is finite. The type is therefore divided
//! into parts: NaN, and the zeros, finite numbers and infinities of each sign. The `range` of
//! every key gives the states that each pair of parts allows. A difference that no three parts
//! allow does not occur.

use super::super::range::Range;
use super::element_key::ElementKey;
use super::{ElementKeyKind, digits};
use crate::comparator::scalar::ScalarType;

/// A set of pairs of parts, one bit each.
type Pairs = u128;

/// For each key and each of its states, the pairs of parts that allow the state.
pub(super) struct FeasiblePairs {
    count: usize,
    states: Vec<Vec<Pairs>>,
}

impl FeasiblePairs {
    pub(super) fn of(keys: &[ElementKey], element: ScalarType) -> FeasiblePairs {
        let ranges = Range::places(element);
        let mut states: Vec<Vec<Pairs>> =
            keys.iter().map(|key| vec![0; key.kind.states()]).collect();
        for (x, of_x) in ranges.iter().enumerate() {
            for (y, of_y) in ranges.iter().enumerate() {
                for (key, states) in keys.iter().zip(&mut states) {
                    for state in key.states(*of_x, *of_y) {
                        states[state] |= 1 << (x * ranges.len() + y);
                    }
                }
            }
        }
        FeasiblePairs {
            count: ranges.len(),
            states,
        }
    }

    /// Returns the pairs of parts in which two values can differ in this way.
    fn of_pair(&self, keys: &[ElementKey], pair: usize) -> Pairs {
        let states = digits(keys, pair, ElementKeyKind::states).zip(&self.states);
        states.fold(Pairs::MAX, |pairs, (state, of_key)| pairs & of_key[state])
    }

    /// Returns whether three values x, y, z can differ so: x from y, y from z, and x from z.
    pub(super) fn occurs(&self, keys: &[ElementKey], differ: [usize; 3]) -> bool {
        let [xy, yz, xz] = differ.map(|pair| self.of_pair(keys, pair));
        let row =
            // A row of bits: the parts that may follow `place`.
            |pairs: Pairs, place: usize| pairs >> (place * self.count) & ((1 << self.count) - 1);
        (0..self.count).any(|x| {
            let from_x = row(xz, x);
            (0..self.count).any(|y| row(xy, x) >> y & 1 == 1 && row(yz, y) & from_x != 0)
        })
    }
}
