//! Simulated annealing: each walk moves to an untried neighbour, also to a worse one. The
//! probability of a worse one falls with its distance and with the number of trials.

use std::collections::HashMap;

use configgen::seeded_random::{self, Random};

use super::SearchSetup;
use super::generation::{History, ProposalRule, logarithm};

/// The first temperature, in units of the logarithm of time: a time 1.65 times as long is accepted
/// with a probability of 1/e.
const FIRST_TEMPERATURE: f64 = 0.5;
/// The factor of the temperature per trial.
// After 100 trials the temperature is 0.066: the same 1/e for a time 7 % longer.
const COOLING: f64 = 0.98;
/// Random trials before the walks begin, per walk.
const SAMPLES: usize = 4;

/// Several walks, one for each configuration of a batch.
pub(super) struct AnnealingSearch {
    generator: Random,
    batch: usize,
    /// The places of the walks, and the proposals of the last generation.
    walks: Vec<(u64, u64)>,
}

impl AnnealingSearch {
    pub(super) fn new(setup: SearchSetup) -> AnnealingSearch {
        AnnealingSearch {
            generator: seeded_random::generator(setup.seed, 2),
            batch: setup.batch.max(1),
            walks: Vec::new(),
        }
    }

    fn accepts(&mut self, from: Option<f64>, to: Option<f64>, trials: usize) -> bool {
        let Some(to) = to else { return false };
        let Some(from) = from else { return true };
        let temperature = FIRST_TEMPERATURE * COOLING.powi(trials as i32);
        // The temperature underflows to 0 in the end, and 0 / 0 is no number.
        let probability = ((from - to) / temperature.max(1e-6)).exp();
        let draw = seeded_random::below(&mut self.generator, 1 << 32) as f64 / (1u64 << 32) as f64;
        draw < probability
    }
}

impl ProposalRule for AnnealingSearch {
    fn first(&mut self, history: &mut History) {
        history.propose_starts(SAMPLES * self.batch);
    }

    fn breed(&mut self, history: &mut History) {
        let scores = history.scores.iter();
        // Only looked up, never iterated: the order of a hash map varies between runs.
        let times: HashMap<u64, f64> = scores
            .map(|(merit, rank)| (*rank, logarithm(merit)))
            .collect();
        let mut walks = std::mem::take(&mut self.walks);
        for (place, proposal) in &mut walks {
            let times = (times.get(place).copied(), times.get(proposal).copied());
            if self.accepts(times.0, times.1, history.proposals()) {
                *place = *proposal;
            }
        }
        // Walks from one place would explore the same neighbours, so each has its own start.
        while walks.len() < self.batch {
            let Some(&(_, best)) = history.scores.get(walks.len()) else {
                break;
            };
            walks.push((best, best));
        }
        for (place, proposal) in &mut walks {
            let mut untried = history.space.neighbours(*place);
            untried.retain(|&rank| !history.is_proposed(rank));
            let next = match untried.len() {
                0 => None,
                some => {
                    Some(untried[seeded_random::below(&mut self.generator, some as u64) as usize])
                }
            };
            // A walk without an untried neighbour goes on from the best.
            match next {
                Some(next) => {
                    history.propose(next);
                    *proposal = next;
                }
                None => {
                    history.propose_random();
                    *place = history.scores.first().map_or(*place, |best| best.1);
                    *proposal = *place;
                }
            }
        }
        while history.ready() < self.batch && history.propose_random() {}
        self.walks = walks;
    }

    fn generation(&self) -> usize {
        self.batch
    }
}
