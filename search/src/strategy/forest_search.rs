//! Forest search: the largest expected improvement by a forest, over the valid set.

use super::SearchSetup;
use super::generation::{History, ProposalRule};
use super::model_guide::{ModelGuide, largest_gain};

/// Random trials before the model.
const SAMPLES: usize = 12;

/// The maximum number of configurations in the pool of a proposal.
// A larger space is sampled, so that the duration of a proposal has a bound.
const MAX_POOL: usize = 10_000;

/// A search by expected improvement.
pub(super) struct ForestSearch {
    guide: ModelGuide,
    batch: usize,
    /// The expected gain of the latest generation.
    gain: Option<f32>,
}

impl ForestSearch {
    pub(super) fn new(setup: SearchSetup) -> ForestSearch {
        ForestSearch {
            guide: ModelGuide::new(setup.seed, MAX_POOL),
            batch: setup.batch.max(1),
            gain: None,
        }
    }
}

impl ProposalRule for ForestSearch {
    fn first(&mut self, history: &mut History) {
        history.propose_starts(SAMPLES);
    }

    fn breed(&mut self, history: &mut History) {
        let mut candidates = self.guide.predict(history, &[]);
        self.gain = largest_gain(&candidates);
        candidates.sort_unstable_by(|a, b| {
            let by_gain = b.improvement.total_cmp(&a.improvement);
            // An unstable sort may swap equal gains, so the rank decides.
            by_gain.then(a.rank.cmp(&b.rank))
        });
        for candidate in candidates.iter().take(self.batch) {
            history.propose(candidate.rank);
        }
        // Before the first success there is no model, and the pool may be nearly exhausted.
        while history.ready() < self.batch && history.propose_random() {}
    }

    fn generation(&self) -> usize {
        self.batch
    }

    fn expected_gain(&self) -> Option<f32> {
        self.gain
    }
}
