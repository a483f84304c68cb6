//! Generations: the shared part of all strategies that look at results.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use lookup::Merit;

use super::{Search, SearchSetup};
use crate::space::SearchSpace;

/// A strategy that proposes a generation from all earlier results.
pub(super) trait ProposalRule: Send {
    /// Proposes the first generation.
    fn first(&mut self, history: &mut History);

    /// Proposes a later generation. The scores of the history are sorted. A strategy that proposes
    /// nothing ends the search.
    fn breed(&mut self, history: &mut History);

    /// Returns the number of configurations of a generation.
    fn generation(&self) -> usize;

    /// Returns the gain that a model expects of the latest generation; see
    /// [`Search::expected_gain`].
    fn expected_gain(&self) -> Option<f32> {
        None
    }
}

/// The logarithm by which another tie-break counts as slower, if a strategy needs a number. All
/// correct times that matter are closer together.
const BEHIND: f64 = 3.0;

/// Returns the logarithm of a score's time, larger for a score behind all correct ones.
pub(super) fn logarithm(score: &Merit) -> f64 {
    score.time_us.ln() + if score.is_behind { BEHIND } else { 0.0 }
}

/// The proposals and results of a search.
pub(super) struct History {
    pub(super) space: Arc<dyn SearchSpace>,
    /// All ranks in random order.
    random: Box<dyn Iterator<Item = u64> + Send>,
    /// The ranks proposed so far.
    proposed: HashSet<u64>,
    /// The number of known ranks. The caller tries them in place of the first proposals.
    known: usize,
    /// The proposed ranks of this generation that nobody has asked for yet.
    ready: VecDeque<u64>,
    /// The number of missing results of this generation.
    missing: usize,
    /// The scores of all scored trials, with their ranks. The best come first, up to the last
    /// generation.
    pub(super) scores: Vec<(Merit, u64)>,
    /// The ranks of all trials without a score, ascending up to the last generation.
    pub(super) failures: Vec<u64>,
}

impl History {
    /// Proposes a rank. Returns false if it was proposed before.
    pub(super) fn propose(&mut self, rank: u64) -> bool {
        let is_new = self.proposed.insert(rank);
        if is_new {
            self.ready.push_back(rank);
            self.missing += 1;
        }
        is_new
    }

    /// Proposes a random rank. Returns false if all were proposed.
    pub(super) fn propose_random(&mut self) -> bool {
        let proposed = &self.proposed;
        let rank = self.random.find(|rank| !proposed.contains(rank));
        rank.is_some_and(|rank| self.propose(rank))
    }

    /// Returns whether the rank was proposed.
    pub(super) fn is_proposed(&self, rank: u64) -> bool {
        self.proposed.contains(&rank)
    }

    /// Returns whether this generation has all results.
    fn is_complete(&self) -> bool {
        self.ready.is_empty() && self.missing == 0
    }

    /// Returns the number of ranks that this generation has proposed.
    pub(super) fn ready(&self) -> usize {
        self.ready.len()
    }

    /// Returns the number of ranks proposed so far.
    pub(super) fn proposals(&self) -> usize {
        self.proposed.len()
    }

    /// Proposes the starts of the space, then random ranks, up to `count` ranks of a generation.
    /// All starts are proposed. A known rank counts as a proposal.
    pub(super) fn propose_starts(&mut self, count: usize) {
        for start in self.space.starts() {
            self.propose(start);
        }
        while self.ready() + self.known < count && self.propose_random() {}
    }
}

/// A search in generations.
pub(super) struct GenerationSearch<B> {
    breeder: B,
    history: History,
}

impl<B: ProposalRule> GenerationSearch<B> {
    /// Starts a search and its first generation.
    pub(super) fn new(
        mut breeder: B,
        space: &Arc<dyn SearchSpace>,
        setup: SearchSetup,
    ) -> GenerationSearch<B> {
        let mut history = History {
            random: space.sample_ranks(setup.seed),
            space: Arc::clone(space),
            proposed: setup.tried_by_caller().collect(),
            known: usize::from(setup.known.is_some()),
            ready: VecDeque::new(),
            // The results of the caller's trials belong to the first generation.
            missing: setup.tried_by_caller().count(),
            scores: Vec::new(),
            failures: Vec::new(),
        };
        breeder.first(&mut history);
        GenerationSearch { breeder, history }
    }
}

impl<B: ProposalRule> Search for GenerationSearch<B> {
    fn ask(&mut self, count: usize) -> Vec<u64> {
        let history = &mut self.history;
        if history.is_complete() {
            // The result must not depend on the order in which results arrive.
            history
                .scores
                .sort_unstable_by(|(a, i), (b, j)| a.compare(b).then(i.cmp(j)));
            history.failures.sort_unstable();
            self.breeder.breed(history);
        }
        let count = count.min(history.ready.len());
        history.ready.drain(..count).collect()
    }

    fn tell(&mut self, rank: u64, score: Option<Merit>) {
        let history = &mut self.history;
        // A result may be of a configuration that this search did not propose: if an earlier
        // trial was deleted and repeated, it proposes others.
        history.proposed.insert(rank);
        history.missing -= 1;
        // A device that reports no positive number has failed.
        match score.filter(|score| score.time_us > 0.0 && score.time_us.is_finite()) {
            Some(score) => history.scores.push((score, rank)),
            None => history.failures.push(rank),
        }
    }

    fn generation(&self) -> usize {
        self.breeder.generation()
    }

    fn begins_generation(&self) -> bool {
        self.history.is_complete()
    }

    fn expected_gain(&self) -> Option<f32> {
        self.breeder.expected_gain()
    }
}
