//! In which places of the type three values can lie, given how they differ.
//!
//! Taken alone, the keys of a form leave ways to differ that no three values have: a key that is NaN of the infinities only
//! is not so of a number whose other key is finite. So the type is cut into places (a NaN, the zeros, what is finite and
//! the infinities, of each sign), and of each two it is known, by the `range` of every key, in which states they can be. What
//! three values in no three places can be, does not occur.

use super::super::range::Range;
use super::element_key::ElementKey;
use super::{ElementKeyKind, digits};
use crate::comparator::scalar::ScalarType;

/// A set of pairs of places: a bit for each.
type Pairs = u128;

/// For each key and each of its states, the pairs of places whose values can be in it.
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

    /// The pairs of places in which two values can differ in this way.
    fn of_pair(&self, keys: &[ElementKey], pair: usize) -> Pairs {
        let states = digits(keys, pair, ElementKeyKind::states).zip(&self.states);
        states.fold(Pairs::MAX, |pairs, (state, of_key)| pairs & of_key[state])
    }

    /// Whether three values x, y, z can differ so: x from y, y from z, and x from z.
    pub(super) fn occurs(&self, keys: &[ElementKey], differ: [usize; 3]) -> bool {
        let [xy, yz, xz] = differ.map(|pair| self.of_pair(keys, pair));
        let row =
            |pairs: Pairs, place: usize| pairs >> (place * self.count) & ((1 << self.count) - 1);
        (0..self.count).any(|x| {
            let from_x = row(xz, x);
            (0..self.count).any(|y| row(xy, x) >> y & 1 == 1 && row(yz, y) & from_x != 0)
        })
    }
}
