//! The queue of a study: its candidates in order, without those whose trials are known.

use std::collections::HashMap;

use lookup::Merit;
use store::Trial;

use crate::build::Choice;
use crate::strategy::Search;

/// One candidate, with its place in the study.
pub(crate) struct Candidate {
    pub(crate) ordinal: u32,
    pub(crate) choice: Choice,
}

/// What is still to be tried.
pub(crate) struct Queue {
    default: Option<Choice>,
    search: Box<dyn Search>,
    /// The scores of the trials that an earlier run made, by ordinal.
    known: HashMap<u32, Option<Merit>>,
    /// Ordinal of the next candidate.
    next: u32,
    total: u64,
}

impl Queue {
    /// The queue of `total` candidates, the first of which is the default.
    pub(crate) fn new(
        default: Choice,
        search: Box<dyn Search>,
        known: HashMap<u32, Option<Merit>>,
        total: u64,
    ) -> Queue {
        Queue {
            default: Some(default),
            search,
            known,
            next: 0,
            total,
        }
    }

    /// Up to `count` candidates; the default is a batch of its own, so that it waits for no other kernel. None while the
    /// strategy waits for results, and none at the end.
    pub(crate) fn next(&mut self, count: usize) -> Vec<Candidate> {
        loop {
            let asked = self.ask(count);
            if asked.is_empty() {
                return asked;
            }
            let (known, new): (Vec<_>, Vec<_>) = (asked.into_iter())
                .partition(|candidate| self.known.contains_key(&candidate.ordinal));
            for Candidate { ordinal, choice } in known {
                if let Some(configuration) = choice.configuration() {
                    self.search.tell(configuration, self.known[&ordinal]);
                }
            }
            if !new.is_empty() {
                return new;
            }
        }
    }

    /// What came of a candidate.
    pub(crate) fn tell(&mut self, trial: &Trial, score: Option<Merit>) {
        if let Some(configuration) = &trial.configuration {
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
