//! The default of replays: a model, local search and grey wolves by turns.
//!
//! 1. The starts of the space and a random sample.
//! 2. Then by turns ([`TURNS`]): the largest expected improvement over the pool, the untried
//!    neighbour of the best few with the shortest predicted time, and a hunt of the grey wolves. The
//!    hunt needs no model, so it goes on in regions about which the model is wrong.

use std::collections::HashSet;

use super::SearchSetup;
use super::generation::{Breed, History};
use super::grey_wolf::GreyWolf;
use super::model_guide::{ModelGuide, RankedCandidate};

/// Random trials before the first turn.
const SAMPLES: usize = 10;
/// The number of best configurations whose neighbours are candidates.
const PARENTS: usize = 3;
/// The number of random configurations of the pool, unless the space is smaller.
const POOL: usize = 1000;
/// The choices of proposals, by turns. On nine synthetic and two own spaces, other mixtures were
/// worse before 100 trials (more hunts) or at 200 (no hunt).
const TURNS: [Turn; 4] = [
    Turn::Improvement,
    Turn::Neighbour,
    Turn::Improvement,
    Turn::Hunt,
];

#[derive(Clone, Copy)]
enum Turn {
    Improvement,
    Neighbour,
    Hunt,
}

/// The search of the default strategy.
pub(super) struct Auto {
    guide: ModelGuide,
    wolves: GreyWolf,
    batch: usize,
    /// The number of turns so far.
    turns: usize,
}

impl Auto {
    pub(super) fn new(setup: SearchSetup) -> Auto {
        Auto {
            guide: ModelGuide::new(setup.seed, POOL),
            wolves: GreyWolf::new(setup),
            batch: setup.batch.max(1),
            turns: 0,
        }
    }

    /// Returns whether a turn of the next generation needs the model, which is expensive.
    fn needs_model(&self) -> bool {
        let turns = self.turns..self.turns + self.batch;
        turns
            .into_iter()
            .any(|turn| !matches!(TURNS[turn % TURNS.len()], Turn::Hunt))
    }
}

impl Breed for Auto {
    fn first(&mut self, history: &mut History) {
        history.propose_starts(SAMPLES);
    }

    fn breed(&mut self, history: &mut History) {
        let leaders = self.wolves.lead(history);
        let best = history.scores.iter().take(PARENTS);
        let near: Vec<u64> = best
            .flat_map(|one| history.space.neighbours(one.1))
            .collect();
        let mut candidates = match self.needs_model() {
            true => self.guide.predict(history, &near),
            false => Vec::new(),
        };
        let near: HashSet<u64> = near.into_iter().collect();
        for _ in 0..self.batch {
            let turn = TURNS[self.turns % TURNS.len()];
            self.turns += 1;
            let local = candidates.iter().filter(|one| near.contains(&one.rank));
            let most_improving = || candidates.iter().min_by(|a, b| by_improvement(a, b));
            let next = match turn {
                Turn::Improvement => most_improving().map(|one| one.rank),
                Turn::Neighbour => local
                    .min_by(by_mean)
                    .or_else(most_improving)
                    .map(|one| one.rank),
                Turn::Hunt => self.wolves.hunt(history, &leaders),
            };
            candidates.retain(|one| Some(one.rank) != next);
            match next {
                Some(next) => history.propose(next),
                None => history.propose_random(),
            };
        }
    }

    fn generation(&self) -> usize {
        self.batch
    }
}

/// Orders the shortest predicted time first.
fn by_mean(a: &&RankedCandidate, b: &&RankedCandidate) -> std::cmp::Ordering {
    a.mean.total_cmp(&b.mean).then(a.rank.cmp(&b.rank))
}

/// Orders the largest expected improvement first.
fn by_improvement(a: &RankedCandidate, b: &RankedCandidate) -> std::cmp::Ordering {
    let by_improvement = b.improvement.total_cmp(&a.improvement);
    by_improvement.then(a.rank.cmp(&b.rank))
}
