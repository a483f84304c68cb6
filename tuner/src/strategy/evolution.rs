//! Evolution: the space's starting points and a random sample first, then generations of
//! neighbours of the best configurations so far.
//!
//! A child is a few steps of [`Space::neighbours`] away from a parent: one step in half of the
//! cases. A parent is one of the best, with a higher probability for a better one. A part of each
//! generation is random, so that no basin traps the search: a good heuristic on one device
//! misleads on its successor.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use configgen::seeded_random::{self, Random};
use configgen::{Configuration, Space};
use lookup::Merit;

use super::Search;

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
    space: Arc<Space>,
    generator: Random,
    /// All ranks in random order.
    random: Box<dyn Iterator<Item = u64> + Send>,
    /// The ranks proposed so far.
    proposed: HashSet<u64>,
    /// The proposed ranks of this generation that nobody has asked for yet.
    ready: VecDeque<u64>,
    /// The number of missing results of this generation.
    missing: usize,
    /// The scores of all scored trials, with their ranks. The best come first, up to the last
    /// generation.
    scores: Vec<(Merit, u64)>,
}

impl Evolution {
    /// Starts a search of `space`. The caller tries the configuration with the rank `default`.
    pub(super) fn new(space: Arc<Space>, seed: u64, default: Option<u64>) -> Evolution {
        let mut search = Evolution {
            generator: seeded_random::generator(seed, 1),
            random: Box::new(space.sample_ranks(seed)),
            space,
            proposed: default.into_iter().collect(),
            ready: VecDeque::new(),
            missing: usize::from(default.is_some()),
            scores: Vec::new(),
        };
        for start in search.space.start_ranks() {
            let new = Some(start).filter(|rank| !search.proposed.contains(rank));
            search.propose(new);
        }
        while search.ready.len() < FIRST {
            let Some(random) = search.random() else { break };
            search.propose(Some(random));
        }
        search
    }

    fn propose(&mut self, rank: Option<u64>) {
        if let Some(rank) = rank {
            self.proposed.insert(rank);
            self.ready.push_back(rank);
            self.missing += 1;
        }
    }

    /// Proposes the next generation, which is empty if everything was proposed.
    fn breed(&mut self) {
        // The result must not depend on the order in which results arrive.
        self.scores
            .sort_unstable_by(|(a, i), (b, j)| a.compare(b).then(i.cmp(j)));
        for number in 1..=GENERATION {
            let child = match number % RANDOM_EVERY {
                0 => None,
                _ => self.child(),
            };
            let next = child.or_else(|| self.random());
            self.propose(next);
        }
    }

    fn random(&mut self) -> Option<u64> {
        let proposed = &self.proposed;
        self.random.find(|rank| !proposed.contains(rank))
    }

    /// Returns an untried rank near one of the best.
    fn child(&mut self) -> Option<u64> {
        let parents = self.scores.len().min(PARENTS) as u64;
        if parents == 0 {
            return None;
        }
        (0..ATTEMPTS).find_map(|_| {
            // The smaller of two draws favours the best parent.
            let mut draw = || seeded_random::below(&mut self.generator, parents);
            let parent = draw().min(draw());
            let (_, parent) = self.scores[parent as usize];
            let child = self.walk(self.space.nth(parent)?)?;
            (!self.proposed.contains(&child)).then_some(child)
        })
    }

    /// Returns the rank of a configuration some random steps away.
    fn walk(&mut self, from: Configuration) -> Option<u64> {
        // The number of trailing ones is geometric: each further step is half as likely.
        let coins = seeded_random::below(&mut self.generator, 1 << (MAX_STEPS - 1));
        let mut place = from;
        for _ in 0..=coins.trailing_ones() {
            let mut neighbours = self.space.neighbours(&place);
            let count = neighbours.len() as u64;
            if count == 0 {
                break;
            }
            place =
                neighbours.swap_remove(seeded_random::below(&mut self.generator, count) as usize);
        }
        self.space.rank_of(&place)
    }
}

impl Search for Evolution {
    fn ask(&mut self, count: usize) -> Vec<Configuration> {
        if self.ready.is_empty() && self.missing == 0 {
            self.breed();
        }
        let ranks = self.ready.drain(..count.min(self.ready.len()));
        ranks.filter_map(|rank| self.space.nth(rank)).collect()
    }

    fn tell(&mut self, configuration: &Configuration, score: Option<Merit>) {
        // The default may lie outside of the space.
        let Some(rank) = self.space.rank_of(configuration) else {
            return;
        };
        // A result may be of a configuration that this search did not propose: if an earlier
        // trial was deleted and repeated, it proposes others.
        self.proposed.insert(rank);
        self.missing -= 1;
        self.scores.extend(score.map(|score| (score, rank)));
    }

    fn generation(&self) -> usize {
        GENERATION
    }
}
