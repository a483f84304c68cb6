//! The queue of a study: its candidates in order, without those whose trials are known.

use std::collections::{BTreeMap, HashMap};

use configgen::Configuration;
use lookup::Merit;

use crate::build::Choice;
use crate::message::Candidate;
use crate::strategy::Search;

/// What is still to be tried.
pub(super) struct CandidateQueue {
    default: Option<Choice>,
    search: Box<dyn Search>,
    /// Configurations and scores of trials that ended before the search proposed them: an earlier run or another process made
    /// them. Where one before was tried again since, the search may propose another than was tried.
    early: HashMap<u32, (Option<Configuration>, Option<Merit>)>,
    /// What was proposed and has not ended.
    open: BTreeMap<u32, Choice>,
    /// Ordinal of the next candidate.
    next: u32,
    total: u64,
}

impl CandidateQueue {
    /// The queue of `total` candidates, the first of which is the default.
    pub(super) fn new(default: Choice, search: Box<dyn Search>, total: u64) -> CandidateQueue {
        CandidateQueue {
            default: Some(default),
            search,
            early: HashMap::new(),
            open: BTreeMap::new(),
            next: 0,
            total,
        }
    }

    /// Configurations that the search proposes before it waits.
    pub(super) fn generation(&self) -> usize {
        self.search.generation()
    }

    /// Up to `count` candidates more; the default is a batch of its own, so that it waits for no other kernel. None while
    /// the strategy waits for results, and none at the end.
    pub(super) fn propose(&mut self, count: usize) -> Vec<Candidate> {
        loop {
            let asked = self.ask(count);
            if asked.is_empty() {
                return asked;
            }
            let mut new = Vec::with_capacity(asked.len());
            for candidate in asked {
                match self.early.remove(&candidate.ordinal) {
                    Some((tried, score)) => self.tell(tried.as_ref(), score),
                    None => new.push(candidate),
                }
            }
            if !new.is_empty() {
                let open = new.iter().cloned();
                self.open.extend(open.map(|one| (one.ordinal, one.choice)));
                return new;
            }
        }
    }

    /// What was proposed and has not ended.
    pub(super) fn open(&self) -> impl Iterator<Item = Candidate> {
        self.open.iter().map(|(&ordinal, choice)| Candidate {
            ordinal,
            choice: choice.clone(),
        })
    }

    /// What came of the trial with this ordinal, once for each.
    pub(super) fn record_result(
        &mut self,
        ordinal: u32,
        configuration: Option<&Configuration>,
        score: Option<Merit>,
    ) {
        match self.open.remove(&ordinal) {
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

    fn ask(&mut self, count: usize) -> Vec<Candidate> {
        let left = self.total - u64::from(self.next);
        let choices = match self.default.take() {
            Some(default) if left > 0 => vec![default],
            _ => {
                let count = count.min(usize::try_from(left).unwrap_or(usize::MAX));
                let asked = self.search.ask(count).into_iter();
                asked.map(Choice::Configured).collect()
            }
        };
        let first = self.next;
        let candidates: Vec<Candidate> = (first..)
            .zip(choices)
            .map(|(ordinal, choice)| Candidate { ordinal, choice })
            .collect();
        self.next += candidates.len() as u32;
        candidates
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use configgen::{Generator, Space, Target};

    use super::*;

    /// A search that proposes this, and remembers what it was told.
    struct RecordingSearch(Vec<Configuration>, Arc<Mutex<Vec<Configuration>>>);

    impl Search for RecordingSearch {
        fn ask(&mut self, count: usize) -> Vec<Configuration> {
            self.0.drain(..count.min(self.0.len())).collect()
        }

        fn tell(&mut self, configuration: &Configuration, _: Option<Merit>) {
            self.1.lock().unwrap().push(configuration.clone());
        }

        fn generation(&self) -> usize {
            1
        }
    }

    /// After a trial was forgotten and made again a search may propose something else for a place than was tried there.
    #[test]
    fn a_search_is_told_what_was_tried() {
        let target: &'static Target = "gfx942".parse().unwrap();
        let problem = "argmax:4x[4096]xf32".parse().unwrap();
        let space = Space::new(&problem, target, Generator::NATIVE);
        let all: Vec<Configuration> = (0..4).map(|rank| space.nth(rank).unwrap()).collect();
        let told = Arc::default();
        let search = RecordingSearch(all[1..3].to_vec(), Arc::clone(&told));
        let default = Choice::Configured(all[0].clone());
        let mut queue = CandidateQueue::new(default, Box::new(search), 3);
        queue.record_result(0, Some(&all[0]), None);
        queue.record_result(1, Some(&all[3]), None);
        let left = queue.propose(9);
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].choice.configuration(), Some(&all[2]));
        queue.record_result(2, Some(&all[2]), None);
        let told = told.lock().unwrap();
        assert_eq!(*told, [&all[0], &all[3], &all[2]].map(Clone::clone));
    }
}
