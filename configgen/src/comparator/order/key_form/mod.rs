//! The key form of a comparator, which proves an order for all values.
//!
//! A comparator has a form if it is composed of two kinds of parts by `and`, `or`, `xor` and
//! `select`. One kind compares a *key* of the candidate with the same key of the accumulator. The
//! other is a truth about one of the two. Only two properties of a value then matter. One is the
//! position of its keys among others. The other is its *profile*: its NaN keys and its truths.
//! Three values can differ in few ways. If the laws hold in all of them, the comparator is an
//! order. Comparisons, chains of keys and winning NaNs therefore need no rules of their own.
//!
//! The proof treats keys as independent. If they are not, an order may stay unproved, but no
//! other comparator becomes an order. Two look-ups make it more precise:
//!
//! - It knows the existing profiles, for numbers of each sign and for NaN. If two keys are always
//!   NaN together, no profile has one of them alone.
//! - For three values that break a law, it asks [`feasible_pairs`] if the type has such values. A
//!   key may be NaN for some numbers only, which also restricts their other keys.
//!
//! A value that is replaced and never replaces is reached only as the initial value of a fold. A
//! weaker law suffices for it ([`KeyForm::starts`]).

mod element_key;
mod feasible_pairs;
mod key_decomposition;

use std::cell::{Cell, OnceCell};

use super::super::region::Region;
use super::super::scalar::ScalarType;
use super::Ties;
use super::range::Range;
use element_key::{ElementKey, ElementKeyKind, Mark};
use feasible_pairs::FeasiblePairs;

/// The largest number of examined ways in which two values can differ.
const MAX_PAIRS: usize = 1 << 13;
/// The largest number of ways in which three can differ.
const MAX_TRIPLES: usize = 1 << 19;
/// The largest number of law-breaking triples that are examined for feasibility.
const MAX_BROKEN: usize = 1 << 12;

/// A set of profiles.
pub(super) type Profiles = Vec<bool>;

/// A comparator as a function of the comparisons of its keys.
pub(super) struct KeyForm {
    keys: Vec<ElementKey>,
    /// The result for each way in which two values can differ.
    holds: Vec<bool>,
    /// The existing profiles.
    possible: Profiles,
    /// For each profile, the profiles that it may replace.
    losers: Vec<Profiles>,
    element: ScalarType,
    /// The feasible pairs, computed when three values first break a law.
    places: OnceCell<FeasiblePairs>,
}

impl KeyForm {
    /// Returns the form of a canonical region with two arguments.
    ///
    /// It is none if the region has no form, or if there are too many ways to differ.
    pub(super) fn of(region: &Region) -> Option<KeyForm> {
        let composed = key_decomposition::of(region)?;
        let product = |count: fn(ElementKeyKind) -> usize, most: usize| {
            let mut counts = composed.keys.iter().map(|key| count(key.kind));
            counts.try_fold(1, |product: usize, count| {
                Some(product * count).filter(|&product| product <= most)
            })
        };
        // The limits are checked before the tables are built.
        let pairs = product(ElementKeyKind::states, MAX_PAIRS)?;
        product(|kind| kind.triples().len(), MAX_TRIPLES)?;
        let profiles = product(ElementKeyKind::profiles, MAX_PAIRS)?;
        let mut form = KeyForm {
            holds: (0..pairs).map(|pair| composed.holds(pair)).collect(),
            possible: possible(&composed.keys, profiles, region.element()),
            losers: vec![vec![false; profiles]; profiles],
            keys: composed.keys,
            element: region.element(),
            places: OnceCell::new(),
        };
        // Only profiles that exist count, because others cannot break a law.
        for (pair, _) in form.holds.iter().enumerate().filter(|(_, holds)| **holds) {
            let (winner, loser) = form.profiles_of(pair);
            form.losers[winner][loser] |= form.possible[winner] && form.possible[loser];
        }
        Some(form)
    }

    /// Returns the profiles that replace others.
    pub(super) fn active(&self) -> Profiles {
        let replaces = |losers: &Profiles| losers.contains(&true);
        self.losers.iter().map(replaces).collect()
    }

    /// Returns the profiles that replace another or are replaced.
    pub(super) fn connected(&self) -> Profiles {
        let is_replaced = |profile: usize| self.losers.iter().any(|losers| losers[profile]);
        let active = self.active().into_iter().enumerate();
        active
            .map(|(profile, active)| active || is_replaced(profile))
            .collect()
    }

    /// Returns whether no element of a part is worse than `than`, an element with a place in the
    /// order.
    ///
    /// No value of these profiles may be replaced by `than` without replacing it. A NaN that
    /// replaces nothing does not count, because it is never reached.
    pub(super) fn is_not_worse(&self, part: Range, than: Range, profiles: &Profiles) -> bool {
        let mut pairs = vec![(0, 0)];
        let mut stride = 1;
        for key in &self.keys {
            let states = key.states(than, part);
            let more = |&(there, back): &(usize, usize)| {
                let turned = |&state: &usize| {
                    let [x, y] = key.kind.of_state(state);
                    (there + state * stride, back + key.kind.state(y, x) * stride)
                };
                states.iter().map(turned).collect::<Vec<_>>()
            };
            pairs = pairs.iter().flat_map(more).collect();
            stride *= key.kind.states();
        }
        let is_worse = |&(there, back): &(usize, usize)| {
            self.holds[there] && !self.holds[back] && profiles[self.profiles_of(there).1]
        };
        !pairs.iter().any(is_worse) || part.numbers.is_none() && !self.is_active(part)
    }

    /// Returns whether some of these elements may replace others.
    fn is_active(&self, elements: Range) -> bool {
        let active = self.active();
        (0..active.len()).any(|profile| {
            let mut of_keys =
                self.keys
                    .iter()
                    .zip(digits(&self.keys, profile, ElementKeyKind::profiles));
            active[profile] && of_keys.all(|(key, profile)| key.can_be(profile, elements))
        })
    }

    /// Returns the profile of an element.
    pub(super) fn profile(&self, element: u64) -> usize {
        let marks: Vec<Mark> = self.keys.iter().map(|key| key.mark(element)).collect();
        self.profile_of(&marks)
    }

    fn profile_of(&self, marks: &[Mark]) -> usize {
        let keys = self.keys.iter().zip(marks).rev();
        keys.fold(0, |profile, (key, &mark)| {
            profile * key.kind.profiles() + key.kind.profile(mark)
        })
    }

    /// Returns the profiles of two values that differ in this way.
    fn profiles_of(&self, pair: usize) -> (usize, usize) {
        let marks = |element: usize| -> Vec<Mark> {
            let states = digits(&self.keys, pair, ElementKeyKind::states);
            let keys = self.keys.iter().zip(states);
            keys.map(|(key, state)| key.kind.of_state(state)[element])
                .collect()
        };
        (self.profile_of(&marks(0)), self.profile_of(&marks(1)))
    }

    /// Returns the tie-break, if the comparator orders all values of these profiles.
    pub(super) fn ties(&self, profiles: &Profiles) -> Option<Ties> {
        let ties = self.uniform(profiles)?;
        let holds = self.holds_of_all(
            |triple| triple.profiles.into_iter().all(|profile| profiles[profile]),
            |pairs| is_lawful(pairs, ties),
        );
        holds.then_some(ties)
    }

    /// Returns whether a fold from a value that is not [`active`](Self::active) is correct.
    ///
    /// It must end at the best value of the row if that replaces the start, and otherwise at the
    /// start. The active values must be ordered with these ties.
    ///
    /// The first element x that replaces the start z becomes the accumulator. The fold then ends
    /// at the best of the following values. That is the best of all if every value no worse than
    /// x replaces z too. The best value does, and the values before x do not.
    pub(super) fn starts(&self, ties: Ties) -> bool {
        let active = self.active();
        self.holds_of_all(
            |triple| {
                let [x, y, z] = triple.profiles;
                active[x] && active[y] && !active[z]
            },
            |[xy, yx, yz, _, xz, _]| {
                let is_no_worse = match ties {
                    Ties::First => !yx,
                    Ties::Last => xy,
                };
                !(is_no_worse && yz) || xz
            },
        )
    }

    /// Returns the tie-break for equal values of these profiles, if it is the same for all.
    fn uniform(&self, profiles: &Profiles) -> Option<Ties> {
        let (mut reflexive, mut irreflexive) = (false, false);
        for (pair, &holds) in self.holds.iter().enumerate() {
            let is_equal = digits(&self.keys, pair, ElementKeyKind::states)
                .zip(&self.keys)
                .all(|(state, key)| {
                    // Equal values have equal keys.
                    let [x, y] = key.kind.of_state(state);
                    x == y
                });
            if is_equal && profiles[self.profiles_of(pair).0] {
                reflexive |= holds;
                irreflexive |= !holds;
            }
        }
        match (reflexive, irreflexive) {
            (true, true) => None,
            (true, false) => Some(Ties::Last),
            (false, _) => Some(Ties::First),
        }
    }

    /// Returns the ways in which the keys of three values differ, per key.
    fn triples(&self) -> Vec<Vec<Triple>> {
        let (mut pairs, mut profiles) = (1, 1);
        let mut all = Vec::new();
        for ElementKey { kind, .. } in &self.keys {
            let triple = |[x, y, z]: [Mark; 3]| Triple {
                pairs: [[x, y], [y, x], [y, z], [z, y], [x, z], [z, x]]
                    .map(|[x, y]| kind.state(x, y) * pairs),
                profiles: [x, y, z].map(|mark| kind.profile(mark) * profiles),
            };
            all.push(kind.triples().into_iter().map(triple).collect());
            pairs *= kind.states();
            profiles *= kind.profiles();
        }
        all
    }

    /// Returns whether a law holds for all triples that `is_among` selects.
    ///
    /// The law gets the comparator's results in the order xy, yx, yz, zy, xz, zx.
    fn holds_of_all(
        &self,
        is_among: impl Fn(&Triple) -> bool,
        law: impl Fn([bool; 6]) -> bool,
    ) -> bool {
        let left = Cell::new(MAX_BROKEN);
        let holds = |triple: Triple| {
            let possible = triple
                .profiles
                .iter()
                .all(|&profile| self.possible[profile]);
            // A broken law matters only if the type has three such values.
            if !possible || !is_among(&triple) || law(triple.pairs.map(|pair| self.holds[pair])) {
                return true;
            }
            let [xy, _, yz, _, xz, _] = triple.pairs;
            let places = || FeasiblePairs::of(&self.keys, self.element);
            left.set(left.get().saturating_sub(1));
            left.get() > 0
                && !self
                    .places
                    .get_or_init(places)
                    .occurs(&self.keys, [xy, yz, xz])
        };
        each(&self.triples(), Triple::default(), &holds)
    }
}

/// Returns whether a predicate holds for all ways to differ in these keys.
///
/// `before` is the difference in the keys before.
fn each(keys: &[Vec<Triple>], before: Triple, holds: &impl Fn(Triple) -> bool) -> bool {
    match keys.split_first() {
        Some((first, rest)) => first
            .iter()
            .all(|triple| each(rest, before.and(triple), holds)),
        None => holds(before),
    }
}

/// Three values x, y, z: their differences, in the order xy, yx, yz, zy, xz, zx, and their
/// profiles.
#[derive(Clone, Copy, Default)]
struct Triple {
    pairs: [usize; 6],
    profiles: [usize; 3],
}

impl Triple {
    fn and(mut self, other: &Triple) -> Triple {
        for (pair, more) in self.pairs.iter_mut().zip(other.pairs) {
            *pair += more;
        }
        for (profile, more) in self.profiles.iter_mut().zip(other.profiles) {
            *profile += more;
        }
        self
    }
}

/// Returns whether the laws hold for three values in this order; callers pass every order.
fn is_lawful([xy, yx, yz, zy, xz, zx]: [bool; 6], ties: Ties) -> bool {
    let is_transitive = !(xy && yz) || xz;
    let tied = |there: bool, back: bool| there == back;
    let rest = match ties {
        Ties::First => !(xy && yx),
        Ties::Last => xy || yx,
    };
    is_transitive && rest && (!(tied(xy, yx) && tied(yz, zy)) || tied(xz, zx))
}

/// Returns the digits of a number, one per key.
fn digits(
    keys: &[ElementKey],
    number: usize,
    count: fn(ElementKeyKind) -> usize,
) -> impl Iterator<Item = usize> + '_ {
    keys.iter().scan(number, move |rest, key| {
        let count = count(key.kind);
        let digit = *rest % count;
        *rest /= count;
        Some(digit)
    })
}

/// Returns the profiles that elements of this type can have.
fn possible(keys: &[ElementKey], profiles: usize, element: ScalarType) -> Profiles {
    let mut possible = vec![false; profiles];
    for elements in Range::parts(element) {
        for (profile, possible) in possible.iter_mut().enumerate() {
            let mut of_keys = keys
                .iter()
                .zip(digits(keys, profile, ElementKeyKind::profiles));
            *possible |= of_keys.all(|(key, profile)| key.can_be(profile, elements));
        }
    }
    possible
}
