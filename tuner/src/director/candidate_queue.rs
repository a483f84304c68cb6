//! The candidate queue of a study: its candidates in order, without those of known trials.

use std::collections::{BTreeMap, HashMap};

use configgen::Configuration;
use lookup::Merit;

use super::stop_rule::StopRule;
use super::verification_rule::VerificationRule;
use crate::build::Choice;
use crate::kernel_search::KernelSearch;
use crate::message::Candidate;

/// The remaining candidates.
pub(super) struct CandidateQueue {
    default: Option<Choice>,
    search: KernelSearch,
    /// The configurations and scores of trials that ended before the search proposed them, from
    /// an earlier run or another process. If an earlier trial was repeated since, the search may
    /// propose another configuration for the ordinal.
    early: HashMap<u32, (Option<Configuration>, Option<Merit>)>,
    /// The proposed candidates without a result.
    open: BTreeMap<u32, Candidate>,
    /// The rule that spares slow trials their verification. `None` if all trials are verified.
    rule: Option<VerificationRule>,
    /// The rule that ends the queue early.
    stop: Option<StopRule>,
    /// The ordinal of the next candidate.
    next: u32,
    total: u64,
}

impl CandidateQueue {
    /// Creates a queue of `total` candidates, beginning with the default. Without a rule, all
    /// trials are verified.
    pub(super) fn new(
        default: Choice,
        search: KernelSearch,
        total: u64,
        rule: Option<VerificationRule>,
    ) -> CandidateQueue {
        CandidateQueue {
            default: Some(default),
            search,
            early: HashMap::new(),
            open: BTreeMap::new(),
            rule,
            stop: None,
            next: 0,
            total,
        }
    }

    /// Ends the queue early by this rule, if there is one.
    #[must_use]
    pub(super) fn stopped_by(mut self, stop: Option<StopRule>) -> CandidateQueue {
        self.stop = stop;
        self
    }

    /// Returns the number of candidates, with those that ended.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of configurations that the search proposes before it waits.
    pub(super) fn generation(&self) -> usize {
        self.search.generation()
    }

    /// Proposes up to `count` more candidates. The default is a batch of its own, so that it
    /// waits for no other kernel. Empty while the strategy waits for results, and at the end.
    pub(super) fn propose(&mut self, count: usize) -> Vec<Candidate> {
        loop {
            let asked = self.ask(count);
            if asked.is_empty() {
                return asked;
            }
            let mut new = Vec::with_capacity(asked.len());
            for candidate in asked {
                match self.early.remove(&candidate.ordinal) {
                    // Results of known trials may complete a generation, so the loop asks again.
                    Some((tried, score)) => self.tell(tried.as_ref(), score),
                    None => new.push(candidate),
                }
            }
            if !new.is_empty() {
                let open = new.iter().cloned();
                self.open.extend(open.map(|one| (one.ordinal, one)));
                return new;
            }
        }
    }

    /// Iterates over the proposed candidates without a result.
    pub(super) fn open(&self) -> impl Iterator<Item = Candidate> {
        self.open.values().cloned()
    }

    /// Records the result of the trial with this ordinal, once per trial.
    ///
    /// The result is its score for the search, and its merit if it is verified and correct.
    pub(super) fn record_result(
        &mut self,
        ordinal: u32,
        configuration: Option<&Configuration>,
        score: Option<Merit>,
        verified: Option<Merit>,
    ) {
        if let Some(rule) = &mut self.rule {
            rule.record(ordinal, verified.map(|merit| merit.time_us));
        }
        if let (Some(stop), Some(verified)) = (&mut self.stop, &verified) {
            stop.record(verified);
        }
        match self.open.remove(&ordinal) {
            // The search expects results of its own proposals only. Others wait until it proposes
            // them.
            Some(_) => self.tell(configuration, score),
            None => {
                self.early.insert(ordinal, (configuration.cloned(), score));
            }
        }
    }

    fn tell(&mut self, configuration: Option<&Configuration>, score: Option<Merit>) {
        if let Some(configuration) = configuration {
            self.search.tell(configuration, score);
        }
    }

    /// Asks the search, unless the rule ends the queue before the next generation.
    fn continued(&mut self, count: usize) -> Vec<Configuration> {
        let begins = self.search.begins_generation();
        let is_at_bound = self.stop.as_ref().is_some_and(StopRule::is_at_bound);
        let asked = match begins && is_at_bound {
            true => Vec::new(),
            false => self.search.ask(count),
        };
        let gain = self.search.expected_gain();
        let is_too_small = (self.stop.as_ref()).is_some_and(|stop| stop.is_too_small(gain));
        if begins && (is_at_bound || is_too_small) {
            self.total = u64::from(self.next);
            return Vec::new();
        }
        asked
    }

    fn ask(&mut self, count: usize) -> Vec<Candidate> {
        // The budget limits the ordinals and not the search, so a larger budget continues the
        // same order.
        let left = self.total - u64::from(self.next);
        let room = self.rule.as_mut().map(|rule| rule.room(self.next));
        let choices = match self.default.take() {
            Some(default) if left > 0 => vec![default],
            _ => {
                let count = count.min(usize::try_from(left).unwrap_or(usize::MAX));
                let count = count.min(room.unwrap_or(usize::MAX));
                let asked = self.continued(count).into_iter();
                asked.map(Choice::Configured).collect()
            }
        };
        let first = self.next;
        let candidates: Vec<Candidate> = (first..)
            .zip(choices)
            .map(|(ordinal, choice)| Candidate {
                ordinal,
                choice,
                verified_below_us: self.rule.as_ref().and_then(|rule| rule.limit_us(ordinal)),
            })
            .collect();
        self.next += candidates.len() as u32;
        candidates
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use configgen::{Generator, Space, Target};
    use search::strategy::Search;

    use super::*;

    /// A search with fixed proposals, which records its results.
    struct RecordingSearch(Vec<u64>, Arc<Mutex<Vec<u64>>>);

    impl Search for RecordingSearch {
        fn ask(&mut self, count: usize) -> Vec<u64> {
            self.0.drain(..count.min(self.0.len())).collect()
        }

        fn tell(&mut self, rank: u64, _: Option<Merit>) {
            self.1.lock().unwrap().push(rank);
        }

        fn generation(&self) -> usize {
            1
        }
    }

    /// Checks a repeated trial: the search may propose another configuration for an ordinal than
    /// the one that was tried, and must learn the tried one.
    #[test]
    fn a_search_learns_of_earlier_trials() {
        let target: &'static Target = "gfx942".parse().unwrap();
        let problem = "argmax:4x[4096]xf32".parse().unwrap();
        let space = Arc::new(Space::new(&problem, target, Generator::NATIVE));
        let all: Vec<Configuration> = (0..4).map(|rank| space.nth(rank).unwrap()).collect();
        let told = Arc::default();
        let search = RecordingSearch(vec![1, 2], Arc::clone(&told));
        let default = Choice::Configured(all[0].clone());
        let search = KernelSearch::of(&space, Box::new(search));
        let mut queue = CandidateQueue::new(default, search, 3, None);
        queue.record_result(0, Some(&all[0]), None, None);
        queue.record_result(1, Some(&all[3]), None, None);
        let left = queue.propose(9);
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].choice.configuration(), Some(&all[2]));
        queue.record_result(2, Some(&all[2]), None, None);
        let told = told.lock().unwrap();
        assert_eq!(*told, [0, 3, 2]);
    }
}
