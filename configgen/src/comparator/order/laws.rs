//! The laws of an order on a set of values: compares all pairs once, then checks with bit
//! operations.

use super::super::evaluator::Evaluator;
use super::super::region::Region;
use super::{Law, Ties};

/// A set of indices of a list of at most 256 values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Set([u128; 2]);

impl Set {
    fn with(self, place: usize) -> Set {
        let mut set = self;
        set.0[place / 128] |= 1 << (place % 128);
        set
    }

    fn has(self, place: usize) -> bool {
        self.0[place / 128] >> (place % 128) & 1 == 1
    }

    fn and(self, other: Set) -> Set {
        Set([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }

    fn or(self, other: Set) -> Set {
        Set([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }

    fn without(self, other: Set) -> Set {
        Set([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }

    fn count(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones()
    }

    fn first(self) -> Option<usize> {
        match self.0 {
            [0, 0] => None,
            [0, high] => Some(128 + high.trailing_zeros() as usize),
            [low, _] => Some(low.trailing_zeros() as usize),
        }
    }

    fn places(self) -> impl Iterator<Item = usize> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let place = rest.first()?;
            rest = rest.without(Set::default().with(place));
            Some(place)
        })
    }
}

/// The comparator on all pairs of some values.
pub(super) struct Matrix {
    /// The values that replace each value.
    winners: Vec<Set>,
    /// The values that each value replaces.
    losers: Vec<Set>,
}

/// A broken law, with the indices of the values that break it.
pub(super) type BrokenLaw = (Law, Vec<usize>);

impl Matrix {
    /// Compares at most 256 values with each other.
    pub(super) fn new(region: &Region, values: &[u64]) -> Matrix {
        let mut evaluator = Evaluator::new(region);
        let mut matrix = Matrix {
            winners: vec![Set::default(); values.len()],
            losers: vec![Set::default(); values.len()],
        };
        for (y, &accumulator) in values.iter().enumerate() {
            for (x, &candidate) in values.iter().enumerate() {
                if evaluator.compare(candidate, accumulator) {
                    matrix.winners[y] = matrix.winners[y].with(x);
                    matrix.losers[x] = matrix.losers[x].with(y);
                }
            }
        }
        matrix
    }

    /// Returns the values that replace another or are replaced.
    pub(super) fn connected(&self) -> Set {
        let alone = |place: &usize| {
            let others = self.winners[*place].or(self.losers[*place]);
            others == Set::default()
        };
        (0..self.winners.len())
            .filter(|place| !alone(place))
            .fold(Set::default(), Set::with)
    }

    /// Returns the tie-break of equal values at this index.
    pub(super) fn ties_at(&self, place: usize) -> Ties {
        match self.winners[place].has(place) {
            true => Ties::Last,
            false => Ties::First,
        }
    }

    /// Returns the values that an accumulator can have after the one at this index.
    pub(super) fn reachable(&self, start: usize) -> Set {
        let mut reached = Set::default().with(start);
        let mut waiting = reached;
        while let Some(place) = waiting.first() {
            let new = self.winners[place].without(reached);
            reached = reached.or(new);
            waiting = waiting.or(new).without(Set::default().with(place));
        }
        reached
    }

    /// Returns the index from which most values can be reached; of several, a smallest value.
    pub(super) fn start(&self) -> usize {
        let reachable: Vec<Set> = (0..self.winners.len())
            .map(|place| self.reachable(place))
            .collect();
        let most = reachable.iter().map(|set| set.count()).max().unwrap_or(0);
        let mut best = (0..reachable.len()).filter(|&place| reachable[place].count() == most);
        let fallback = best.clone().next().unwrap_or(0);
        best.find(|&place| self.is_least(place, reachable[place]))
            .unwrap_or(fallback)
    }

    /// Returns whether the value at `place` replaces none of `set` that does not replace it.
    pub(super) fn is_least(&self, place: usize, set: Set) -> bool {
        self.losers[place].and(set).without(self.winners[place]) == Set::default()
    }

    /// Returns the tie-break, if the comparator orders these values.
    pub(super) fn ties(&self, set: Set) -> Result<Ties, BrokenLaw> {
        let reflexive = set.places().find(|&x| self.winners[x].has(x));
        let irreflexive = set.places().find(|&x| !self.winners[x].has(x));
        let ties = match (reflexive, irreflexive) {
            (Some(x), Some(y)) => return Err((Law::Uniform, vec![x, y])),
            (Some(_), None) => Ties::Last,
            _ => Ties::First,
        };
        for y in set.places() {
            let (winners, losers) = (self.winners[y].and(set), self.losers[y]);
            let (broken, law) = match ties {
                Ties::First => (winners.and(losers), Law::Asymmetric),
                Ties::Last => (set.without(winners).without(losers), Law::Total),
            };
            if let Some(x) = broken.first() {
                return Err((law, vec![x, y]));
            }
        }
        self.transitive(set)?;
        match ties {
            Ties::First => self.transitive_ties(set)?,
            // In a total preorder, tied values replace each other, so transitivity covers them.
            Ties::Last => {}
        }
        Ok(ties)
    }

    /// Returns the tie-break, if a fold from any value ends at the best one with `expected` ties.
    ///
    /// If not all values are ordered, those that replace others must be. Each other value must be
    /// replaced by every value that is no worse than one that replaces it.
    pub(super) fn ties_from_anywhere(&self, expected: Ties) -> Result<Ties, BrokenLaw> {
        let connected = self.connected();
        let all = self.ties(connected);
        if all.is_ok() {
            return all;
        }
        let active = connected
            .places()
            .filter(|&place| self.losers[place] != Set::default())
            .fold(Set::default(), Set::with);
        if self.ties(active)? != expected {
            return all;
        }
        for z in connected.without(active).places() {
            let unmoved = active.without(self.winners[z]);
            for y in self.winners[z].places() {
                let no_worse = match expected {
                    Ties::First => unmoved.without(self.losers[y]),
                    Ties::Last => unmoved.and(self.winners[y]),
                };
                if let Some(x) = no_worse.first() {
                    return Err((Law::Start, vec![x, y, z]));
                }
            }
        }
        Ok(expected)
    }

    fn transitive(&self, set: Set) -> Result<(), BrokenLaw> {
        for z in set.places() {
            for y in self.winners[z].and(set).places() {
                if let Some(x) = self.winners[y].and(set).without(self.winners[z]).first() {
                    return Err((Law::Transitive, vec![x, y, z]));
                }
            }
        }
        Ok(())
    }

    fn transitive_ties(&self, set: Set) -> Result<(), BrokenLaw> {
        let tied = |place: usize| set.without(self.winners[place]).without(self.losers[place]);
        for z in set.places() {
            let with_z = tied(z);
            for y in with_z.places() {
                if let Some(x) = tied(y).without(with_z).first() {
                    return Err((Law::TransitiveTies, vec![x, y, z]));
                }
            }
        }
        Ok(())
    }
}
