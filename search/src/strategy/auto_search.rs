//! The default: a model, local search and grey wolves by turns.
//!
//! 1. The configurations with the shortest estimates and the starts of the space, by turns. A space
//!    without estimates has the starts and a random sample.
//! 2. Then by turns: the largest expected improvement over the pool, and the untried neighbour of
//!    the best few with the shortest predicted time. Each batch has one of the remaining starts.
//! 3. After [`EARLY`] trials, hunts of the grey wolves in place of the neighbours. A hunt needs no
//!    model, so a wrong model does not stop it.

use std::collections::{HashSet, VecDeque};

use super::SearchSetup;
use super::generation::{History, ProposalRule};
use super::grey_wolf::GreyWolf;
use super::model_guide::{ModelGuide, RankedCandidate, largest_gain};

/// Random trials before the first turn.
const SAMPLES: usize = 10;
/// Configurations with the shortest estimates before the first turn, and as many starts.
const ESTIMATED: usize = 4;
/// The configurations with the shortest estimates in every pool.
const SHORTEST: usize = 256;
/// The number of best configurations that contribute their neighbours as candidates.
const PARENTS: usize = 3;
/// The number of random configurations of the pool, unless the space is smaller.
const POOL: usize = 1000;
/// The number of trials after which hunts replace neighbours.
// On four synthetic spaces and an own one, with six seeds, hunts from the start reached 1.028 at
// 100 trials and 1.007 at 200. Neighbours reached 1.018 and 1.011.
const EARLY: usize = 100;

#[derive(Clone, Copy)]
enum Turn {
    Improvement,
    Neighbour,
    Hunt,
}

/// The search of the default strategy.
pub(super) struct AutoSearch {
    guide: ModelGuide,
    wolves: GreyWolf,
    batch: usize,
    /// The number of turns so far.
    turns: usize,
    /// The configurations with the shortest estimates.
    shortest: Vec<u64>,
    /// The starts that no generation has proposed yet.
    starts: VecDeque<u64>,
    /// The expected gain of the latest generation.
    gain: Option<f32>,
}

impl AutoSearch {
    pub(super) fn new(setup: SearchSetup) -> AutoSearch {
        AutoSearch {
            guide: ModelGuide::new(setup.seed, POOL),
            wolves: GreyWolf::new(setup),
            batch: setup.batch.max(1),
            turns: 0,
            shortest: Vec::new(),
            starts: VecDeque::new(),
            gain: None,
        }
    }

    /// Proposes the first generation of a space with estimates or starts.
    fn propose_estimated(&mut self, history: &mut History) {
        self.shortest = history.space.shortest_estimates();
        self.shortest.truncate(SHORTEST);
        self.starts = history.space.starts().into();
        for place in 0..ESTIMATED.min(self.shortest.len()) {
            history.propose(self.shortest[place]);
            self.propose_start(history);
        }
    }

    fn propose_start(&mut self, history: &mut History) {
        while let Some(start) = self.starts.pop_front() {
            if history.propose(start) {
                return;
            }
        }
    }

    /// Returns whether a turn of the next generation needs the model. A fit is expensive.
    fn needs_model(&self) -> bool {
        self.batch > 1 || !matches!(turn(self.turns), Turn::Hunt)
    }
}

impl ProposalRule for AutoSearch {
    fn first(&mut self, history: &mut History) {
        self.propose_estimated(history);
        if self.shortest.is_empty() {
            history.propose_starts(SAMPLES);
        }
    }

    fn breed(&mut self, history: &mut History) {
        let leaders = self.wolves.lead(history);
        let best = history.scores.iter().take(PARENTS);
        let near: HashSet<u64> = best
            .flat_map(|one| history.space.neighbours(one.1))
            .collect();
        let extra: Vec<u64> = near.iter().chain(&self.shortest).copied().collect();
        let mut candidates = match self.needs_model() {
            true => self.guide.predict(history, &extra),
            false => Vec::new(),
        };
        self.gain = largest_gain(&candidates);
        if self.batch > 1 {
            self.propose_start(history);
        }
        candidates.retain(|one| !history.is_proposed(one.rank));
        while history.ready() < self.batch {
            let turn = turn(self.turns);
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
            // A later turn of this batch must not choose it again.
            candidates.retain(|one| Some(one.rank) != next);
            let is_new = match next {
                Some(next) => history.propose(next),
                None => history.propose_random(),
            };
            if !is_new && next.is_none() {
                break;
            }
        }
    }

    fn generation(&self) -> usize {
        self.batch
    }

    fn expected_gain(&self) -> Option<f32> {
        self.gain
    }
}

/// Returns the choice of a turn.
fn turn(turns: usize) -> Turn {
    match turns % 2 {
        0 => Turn::Improvement,
        // The samples before the first turn are trials, too.
        _ if turns + SAMPLES < EARLY => Turn::Neighbour,
        _ => Turn::Hunt,
    }
}

/// Orders the shortest predicted time first.
fn by_mean(a: &&RankedCandidate, b: &&RankedCandidate) -> std::cmp::Ordering {
    // The rank breaks ties, so that a resumed study makes the same proposals.
    a.mean.total_cmp(&b.mean).then(a.rank.cmp(&b.rank))
}

/// Orders the largest expected improvement first.
fn by_improvement(a: &RankedCandidate, b: &RankedCandidate) -> std::cmp::Ordering {
    let by_improvement = b.improvement.total_cmp(&a.improvement);
    by_improvement.then(a.rank.cmp(&b.rank))
}
