//! The queue of a study: its candidates in order, without those whose trials are known.

use std::collections::{BTreeMap, HashMap};

use configgen::Configuration;
use lookup::Merit;

use crate::build::Choice;
use crate::message::Candidate;
use crate::strategy::Search;

/// What is still to be tried.
pub(super) struct Queue {
    default: Option<Choice>,
    search: Box<dyn Search>,
    /// The scores of trials that ended before the search proposed them: an earlier run or another process made them.
    early: HashMap<u32, Option<Merit>>,
    /// What was proposed and has not ended.
    open: BTreeMap<u32, Choice>,
    /// Ordinal of the next candidate.
    next: u32,
    total: u64,
}

impl Queue {
    /// The queue of `total` candidates, the first of which is the default.
    pub(super) fn new(default: Choice, search: Box<dyn Search>, total: u64) -> Queue {
        Queue {
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
                    Some(score) => self.tell(candidate.choice.configuration(), score),
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
    pub(super) fn ended(
        &mut self,
        ordinal: u32,
        configuration: Option<&Configuration>,
        score: Option<Merit>,
    ) {
        match self.open.remove(&ordinal) {
            Some(_) => self.tell(configuration, score),
            None => {
                self.early.insert(ordinal, score);
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
