//! Adaptive tabu search by grey wolves.
//!
//! The three best configurations lead (Mirjalili, Mirjalili and Lewis, "Grey wolf optimizer",
//! 2014). A wolf takes each feature from a random leader, with noise, and hunts at the untried
//! candidate nearest to that point. Candidates are the leaders' neighbours and random
//! configurations. Every tried configuration is tabu. The noise grows while the search stagnates,
//! and falls after an improvement.

use configgen::seeded_random::{self, Random};

use super::SearchSetup;
use super::generation::{History, ProposalRule};

/// Random trials before the hunt begins.
const SAMPLES: usize = 12;
const LEADERS: usize = 3;
/// Random candidates of a hunt.
const CANDIDATES: usize = 64;
/// The share of noise in a feature's range: at first, at least and at most.
const NOISE: (f64, f64, f64) = (0.3, 0.05, 0.6);
/// The factors of the noise after an improvement and without one.
// Eight generations without an improvement undo one with it: 0.8 * 1.03^8 = 1.01.
const ADAPTATION: (f64, f64) = (0.8, 1.03);

/// The pack's state.
pub(super) struct GreyWolf {
    generator: Random,
    batch: usize,
    noise: f64,
    best_us: f64,
}

impl GreyWolf {
    pub(super) fn new(setup: SearchSetup) -> GreyWolf {
        GreyWolf {
            generator: seeded_random::generator(setup.seed, 3),
            batch: setup.batch.max(1),
            noise: NOISE.0,
            best_us: f64::INFINITY,
        }
    }

    /// Returns a number from 0 to 1.
    fn draw(&mut self) -> f64 {
        seeded_random::below(&mut self.generator, 1 << 32) as f64 / (1u64 << 32) as f64
    }

    /// Returns the untried candidate nearest to a mixture of the leaders.
    pub(super) fn hunt(&mut self, history: &History, leaders: &[u64]) -> Option<u64> {
        let space = &history.space;
        let mut candidates: Vec<u64> = leaders
            .iter()
            .flat_map(|&rank| space.neighbours(rank))
            .collect();
        for _ in 0..CANDIDATES {
            candidates.push(seeded_random::below(&mut self.generator, space.len()));
        }
        candidates.retain(|&rank| !history.is_proposed(rank));
        // In ascending order, the smallest rank wins a tie of distances.
        candidates.sort_unstable();
        candidates.dedup();
        let features: Vec<Vec<f32>> = candidates
            .iter()
            .map(|&rank| space.features(rank))
            .collect();
        let lead: Vec<Vec<f32>> = leaders.iter().map(|&rank| space.features(rank)).collect();
        let count = lead.first()?.len();
        let mut distances = vec![0.0; candidates.len()];
        for feature in 0..count {
            let column = features
                .iter()
                .chain(&lead)
                .map(|row| f64::from(row[feature]));
            let (low, high) = column.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
                (low.min(it), high.max(it))
            });
            // The range is 0 if all rows agree.
            let range = (high - low).max(1e-9);
            let leader = seeded_random::below(&mut self.generator, lead.len() as u64) as usize;
            // The difference of two draws has the mean 0, and small values are most likely.
            let noise = (self.draw() - self.draw()) * self.noise;
            let wanted = f64::from(lead[leader][feature]) / range + noise;
            for (distance, row) in distances.iter_mut().zip(&features) {
                *distance += (f64::from(row[feature]) / range - wanted).abs();
            }
        }
        let nearest = candidates.iter().zip(&distances);
        nearest
            .min_by(|a, b| a.1.total_cmp(b.1))
            .map(|(&rank, _)| rank)
    }
}

impl ProposalRule for GreyWolf {
    fn first(&mut self, history: &mut History) {
        history.propose_starts(SAMPLES.max(self.batch));
    }

    fn breed(&mut self, history: &mut History) {
        let leaders = self.lead(history);
        for _ in 0..self.batch {
            let next = self.hunt(history, &leaders);
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

impl GreyWolf {
    /// Adapts the noise to the last results, and returns the leaders.
    pub(super) fn lead(&mut self, history: &History) -> Vec<u64> {
        let best_us = history
            .scores
            .first()
            .map_or(f64::INFINITY, |best| best.0.time_us);
        let factor = match best_us < self.best_us {
            true => ADAPTATION.0,
            false => ADAPTATION.1,
        };
        self.noise = (self.noise * factor).clamp(NOISE.1, NOISE.2);
        self.best_us = self.best_us.min(best_us);
        history
            .scores
            .iter()
            .take(LEADERS)
            .map(|one| one.1)
            .collect()
    }
}
