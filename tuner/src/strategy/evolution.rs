//! Evolution: the space's starts and a random sample first, then generations of neighbours of the best configurations
//! so far.
//!
//! A child is a few steps of [`Space::neighbours`] away from a parent, one step as often as all other numbers together;
//! a parent is one of the best, the better the likelier. A part of each generation is random, so that no basin holds
//! the search: a heuristic that is right on one device misleads on its successor.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use configgen::seeded_random::{self, Random};
use configgen::{Configuration, Space};
use lookup::Merit;

use super::Search;

/// Configurations of the first generation: the starts, the others random.
const FIRST: usize = 16;
/// Configurations of each other generation.
const GENERATION: usize = 8;
/// Of a generation one in so many is random.
const RANDOM_EVERY: usize = 8;
/// Parents at most.
const PARENTS: usize = 4;
/// Steps between a parent and a child at most.
const MAX_STEPS: u32 = 4;
/// Children of which all were tried before, after which a random configuration is taken.
const ATTEMPTS: usize = 16;

/// The search.
pub(super) struct Evolution {
    space: Arc<Space>,
    generator: Random,
    /// All ranks in random order.
    random: Box<dyn Iterator<Item = u64> + Send>,
    /// Ranks that were proposed.
    proposed: HashSet<u64>,
    /// Ranks of this generation that were not asked for.
    ready: VecDeque<u64>,
    /// Results of this generation that are missing.
    missing: usize,
    /// Scores of all that have one, with their ranks; the best first, up to the last generation.
    scores: Vec<(Merit, u64)>,
}

impl Evolution {
    /// A search of `space`. What has the rank `default` is tried by the caller.
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

    /// The next generation: empty when everything was proposed.
    fn breed(&mut self) {
        // The order in which results came must not matter.
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

    /// Something new near one of the best.
    fn child(&mut self) -> Option<u64> {
        let parents = self.scores.len().min(PARENTS) as u64;
        if parents == 0 {
            return None;
        }
        (0..ATTEMPTS).find_map(|_| {
            // The smaller of two draws: the best is the likeliest.
            let mut draw = || seeded_random::below(&mut self.generator, parents);
            let parent = draw().min(draw());
            let (_, parent) = self.scores[parent as usize];
            let child = self.walk(self.space.nth(parent)?)?;
            (!self.proposed.contains(&child)).then_some(child)
        })
    }

    /// The rank of what is some random steps away.
    fn walk(&mut self, from: Configuration) -> Option<u64> {
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
        // The default may be of no space.
        let Some(rank) = self.space.rank_of(configuration) else {
            return;
        };
        // It may be another than was proposed, where a trial before it was forgotten and made again.
        self.proposed.insert(rank);
        self.missing -= 1;
        self.scores.extend(score.map(|score| (score, rank)));
    }

    fn generation(&self) -> usize {
        GENERATION
    }
}
