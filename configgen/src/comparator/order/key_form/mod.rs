//! The form of a comparator, and what it proves: whether it is an order, whatever the values are.
//!
//! A comparator has a form if it is composed, by `and`, `or`, `xor` and choice, of two kinds of parts: how a *key* of the
//! candidate compares with the same key of the accumulator, and truths about one of the two. Then nothing matters of a
//! value but where its keys lie among others' and its *profile*: which of its keys are NaN and which truths hold. Three
//! values can differ in that in few ways, and a comparator for which the laws hold in all of them is an order. So no shape
//! needs a rule of its own: a comparison, a chain of keys and a NaN that wins are all found in this one way.
//!
//! Keys are taken as independent. Should they not be, an order may stay unproved, and nothing else becomes one. But which
//! profiles there are is looked up, for the numbers of each sign and for NaN: of two keys that are NaN together neither is
//! NaN alone. And of three values that break a law it is asked whether there are such, by the `places` of the type in which
//! they would have to lie: a key that is NaN of some numbers is so of these, whose other keys lie where theirs do.
//!
//! What is replaced and never replaces is never reached but as the value at which a fold starts, and needs less than a place
//! in the order ([`Form::starts`]).

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

/// Most ways in which two values can differ that are looked at.
const MAX_PAIRS: usize = 1 << 13;
/// Most ways in which three can.
const MAX_TRIPLES: usize = 1 << 19;
/// Most of these that break a law and are looked at, until one is found that occurs.
const MAX_BROKEN: usize = 1 << 12;

/// A set of profiles.
pub(super) type Profiles = Vec<bool>;

/// A comparator as a function of how keys compare.
pub(super) struct KeyForm {
    keys: Vec<ElementKey>,
    /// The result for each way in which two values can differ.
    holds: Vec<bool>,
    /// The profiles that there are.
    possible: Profiles,
    /// For each profile those whose values its values may replace.
    losers: Vec<Profiles>,
    element: ScalarType,
    /// Made when three values break a law.
    places: OnceCell<FeasiblePairs>,
}

impl KeyForm {
    /// The form of a canonical region of two arguments; `None` where it has none, or too many ways to differ.
    pub(super) fn of(region: &Region) -> Option<KeyForm> {
        let composed = key_decomposition::of(region)?;
        let product = |count: fn(ElementKeyKind) -> usize, most: usize| {
            let mut counts = composed.keys.iter().map(|key| count(key.kind));
            counts.try_fold(1, |product: usize, count| {
                Some(product * count).filter(|&product| product <= most)
            })
        };
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
        for (pair, _) in form.holds.iter().enumerate().filter(|(_, holds)| **holds) {
            let (winner, loser) = form.profiles_of(pair);
            form.losers[winner][loser] |= form.possible[winner] && form.possible[loser];
        }
        Some(form)
    }

    /// Those whose values replace others.
    pub(super) fn active(&self) -> Profiles {
        let replaces = |losers: &Profiles| losers.contains(&true);
        self.losers.iter().map(replaces).collect()
    }

    /// All but those whose values neither replace another nor are replaced.
    pub(super) fn connected(&self) -> Profiles {
        let is_replaced = |profile: usize| self.losers.iter().any(|losers| losers[profile]);
        let active = self.active().into_iter().enumerate();
        active
            .map(|(profile, active)| active || is_replaced(profile))
            .collect()
    }

    /// Whether no element of a part of the type is worse than this one, which has a place in the order: none of these
    /// profiles is replaced by it that does not replace it. A NaN that replaces nothing is not asked, as it is never
    /// reached.
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

    /// Whether some of these elements may replace others.
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

    /// That of an element's bits.
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

    /// The profiles of two values that differ in this way.
    fn profiles_of(&self, pair: usize) -> (usize, usize) {
        let marks = |element: usize| -> Vec<Mark> {
            let states = digits(&self.keys, pair, ElementKeyKind::states);
            let keys = self.keys.iter().zip(states);
            keys.map(|(key, state)| key.kind.of_state(state)[element])
                .collect()
        };
        (self.profile_of(&marks(0)), self.profile_of(&marks(1)))
    }

    /// Which of equal values wins, if the comparator orders all values of these profiles.
    pub(super) fn ties(&self, profiles: &Profiles) -> Option<Ties> {
        let ties = self.uniform(profiles)?;
        let holds = self.holds_of_all(
            |triple| triple.profiles.into_iter().all(|profile| profiles[profile]),
            |pairs| is_lawful(pairs, ties),
        );
        holds.then_some(ties)
    }

    /// Whether a fold that starts at a value that is no [`active`](Self::active) one ends at the best of the row, if that
    /// replaces the start, and at the start if it does not. The active ones must be ordered, with these ties.
    ///
    /// The first element x that replaces the start z is the accumulator then, and the best one that follows is what the fold
    /// ends at. It is the best one of all, provided that whatever is no worse than x replaces z, too: the best one does, and
    /// what comes before x does not.
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

    /// What the comparator gives of equal values of these profiles, if that is the same for all.
    fn uniform(&self, profiles: &Profiles) -> Option<Ties> {
        let (mut reflexive, mut irreflexive) = (false, false);
        for (pair, &holds) in self.holds.iter().enumerate() {
            let is_equal = digits(&self.keys, pair, ElementKeyKind::states)
                .zip(&self.keys)
                .all(|(state, key)| {
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

    /// For each key the ways in which those of three values differ.
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

    /// Whether a law holds of all three values that there are among some. It is given what the comparator gives of them, in
    /// the order xy, yx, yz, zy, xz, zx.
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

/// Whether something holds of three values that differ so in the keys before, in whatever way they differ in these.
fn each(keys: &[Vec<Triple>], before: Triple, holds: &impl Fn(Triple) -> bool) -> bool {
    match keys.split_first() {
        Some((first, rest)) => first
            .iter()
            .all(|triple| each(rest, before.and(triple), holds)),
        None => holds(before),
    }
}

/// Three values x, y, z: how they differ, in the order xy, yx, yz, zy, xz, zx, and their profiles.
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

/// The laws, for three values in this order; in others they are looked at, too.
fn is_lawful([xy, yx, yz, zy, xz, zx]: [bool; 6], ties: Ties) -> bool {
    let is_transitive = !(xy && yz) || xz;
    let tied = |there: bool, back: bool| there == back;
    let rest = match ties {
        Ties::First => !(xy && yx),
        Ties::Last => xy || yx,
    };
    is_transitive && rest && (!(tied(xy, yx) && tied(yz, zy)) || tied(xz, zx))
}

/// The digits of a number, one for each key.
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

/// The profiles that elements of this type can have.
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
