//! Evolution: the space's starting points and a random sample first, then generations of
//! neighbours of the best configurations so far.
//!
//! A child is a few steps of [`SearchSpace::neighbours`] away from a parent: one step in half of
//! the cases. A parent is one of the best, with a higher probability for a better one. A part of
//! each generation is random, so that no basin traps the search: a good heuristic on one device
//! misleads on its successor.

use configgen::seeded_random::{self, Random};

use super::generation::{History, ProposalRule};
use crate::space::SearchSpace;

/// The number of configurations in the first generation: the starting points, then random ones.
const FIRST: usize = 16;
/// The number of configurations in each later generation.
const GENERATION: usize = 8;
/// The period of random configurations within a generation.
const RANDOM_EVERY: usize = 8;
/// The maximum number of parents.
const PARENTS: usize = 4;
/// The maximum number of steps between a parent and a child.
const MAX_STEPS: u32 = 4;
/// The number of attempts to find a child that was never tried, before a random configuration
/// replaces it.
const ATTEMPTS: usize = 16;

/// The evolutionary search.
pub(super) struct Evolution {
    generator: Random,
}

impl Evolution {
    pub(super) fn new(seed: u64) -> Evolution {
        Evolution {
            generator: seeded_random::generator(seed, 1),
        }
    }

    /// Returns an untried rank near one of the best.
    fn child(&mut self, history: &History) -> Option<u64> {
        let parents = history.scores.len().min(PARENTS) as u64;
        if parents == 0 {
            return None;
        }
        (0..ATTEMPTS).find_map(|_| {
            // The smaller of two draws favours the best parent.
            let mut draw = || seeded_random::below(&mut self.generator, parents);
            let parent = draw().min(draw());
            let (_, parent) = history.scores[parent as usize];
            let child = self.walk(&*history.space, parent);
            (!history.is_proposed(child)).then_some(child)
        })
    }

    /// Returns the rank of a configuration some random steps away.
    fn walk(&mut self, space: &dyn SearchSpace, from: u64) -> u64 {
        // The number of trailing ones is geometric: each further step is half as likely.
        let coins = seeded_random::below(&mut self.generator, 1 << (MAX_STEPS - 1));
        let mut place = from;
        for _ in 0..=coins.trailing_ones() {
            let neighbours = space.neighbours(place);
            let count = neighbours.len() as u64;
            if count == 0 {
                break;
            }
            place = neighbours[seeded_random::below(&mut self.generator, count) as usize];
        }
        place
    }
}

impl ProposalRule for Evolution {
    fn first(&mut self, history: &mut History) {
        history.propose_starts(FIRST);
    }

    fn breed(&mut self, history: &mut History) {
        for number in 1..=GENERATION {
            let child = match number % RANDOM_EVERY {
                0 => None,
                _ => self.child(history),
            };
            match child {
                Some(child) => history.propose(child),
                None => history.propose_random(),
            };
        }
    }

    fn generation(&self) -> usize {
        GENERATION
    }
}
