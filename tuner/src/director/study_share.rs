//! A process's share of a study: the tasks that it takes in the ledger, its batches, and the
//! results of other processes.

use std::time::{Duration, Instant};

use store::{Finals, Ledger, LedgerPosition, RecordOutcome, StoreError, Study, Task, Trial};

use crate::message::{Batch, BatchContent, BatchId, Candidate, StudySetup};

/// The times between two reads of the ledger by a process that waits for others: at first, and
/// after many reads without news.
///
/// After a longer pause, other processes would have taken the whole next generation. A shorter
/// one would disturb their writes.
const IDLE: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(200)];

/// A process's share of a study.
pub(super) struct StudyShare<'a> {
    ledger: &'a dyn Ledger,
    study: &'a Study,
    owner: &'a str,
    job: StudySetup,
    /// The position up to which the ledger has been read.
    seen: LedgerPosition,
    /// The time of the last read.
    looked: Instant,
    /// The time from the last read to the next, for a waiting process.
    idle: Duration,
    /// The time of the last heartbeat.
    heard: Instant,
    /// The number of other processes that work on the study.
    others: usize,
    /// The number of batches so far.
    batches: u64,
}

impl<'a> StudyShare<'a> {
    pub(super) fn new(
        ledger: &'a dyn Ledger,
        study: &'a Study,
        owner: &'a str,
        job: StudySetup,
    ) -> StudyShare<'a> {
        StudyShare {
            ledger,
            study,
            owner,
            job,
            seen: LedgerPosition::default(),
            looked: Instant::now(),
            idle: IDLE[0],
            heard: Instant::now(),
            others: 0,
            batches: 0,
        }
    }

    /// Returns the number of other processes at the last heartbeat.
    pub(super) fn others(&self) -> usize {
        self.others
    }

    /// Creates the next batch.
    pub(super) fn batch(&mut self, work: BatchContent) -> Batch {
        self.batches += 1;
        Batch {
            id: BatchId {
                owner: self.owner.to_owned(),
                study: self.study.id.0,
                number: self.batches,
            },
            job: self.job.clone(),
            work,
        }
    }

    /// Takes these candidates in the ledger and removes those that another process has.
    pub(super) async fn take(&mut self, candidates: &mut Vec<Candidate>) -> Result<(), StoreError> {
        let tasks: Vec<Task> = candidates
            .iter()
            .map(|one| Task::Trial(one.ordinal))
            .collect();
        let taken = self.ledger.take(self.study, self.owner, &tasks).await?;
        candidates.retain(|one| taken.contains(&Task::Trial(one.ordinal)));
        Ok(())
    }

    /// Takes the finals after `trials` trials. Returns true if this process must run them.
    pub(super) async fn take_finals(&mut self, trials: u32) -> Result<bool, StoreError> {
        let tasks = [Task::Finals(trials)];
        let taken = self.ledger.take(self.study, self.owner, &tasks).await?;
        Ok(!taken.is_empty())
    }

    /// Returns the time between two reads while this process waits for others. It grows while
    /// nothing new arrives.
    pub(super) fn idle(&self) -> Duration {
        self.idle
    }

    /// Returns the time until the next read or heartbeat, with a read every `every`.
    pub(super) fn until_due(&self, every: Duration) -> Duration {
        let until_look = every.saturating_sub(self.looked.elapsed());
        until_look.min(self.pause().saturating_sub(self.heard.elapsed()))
    }

    /// Returns true if a heartbeat is due.
    pub(super) fn is_silent(&self) -> bool {
        self.heard.elapsed() >= self.pause()
    }

    /// Returns the time between two heartbeats.
    fn pause(&self) -> Duration {
        // Four heartbeats may be late before other processes take the candidates.
        self.ledger.patience() / 5
    }

    /// Sends a heartbeat.
    pub(super) async fn stay(&mut self) -> Result<(), StoreError> {
        let others = self.ledger.stay(self.study, self.owner).await?;
        (self.others, self.heard) = (others as usize, Instant::now());
        Ok(())
    }

    /// Returns the trials stored since the last read, by any process.
    pub(super) async fn look(&mut self) -> Result<Vec<Trial>, StoreError> {
        let (trials, seen) = self.ledger.trials_since(self.study.id, self.seen).await?;
        (self.seen, self.looked) = (seen, Instant::now());
        // The pause doubles while nothing arrives, so that waiting processes rarely disturb the
        // writers.
        self.idle = match trials.is_empty() {
            true => IDLE[1].min(2 * self.idle),
            false => IDLE[0],
        };
        Ok(trials)
    }

    pub(super) async fn record(&self, trial: &Trial) -> Result<RecordOutcome, StoreError> {
        self.ledger.record_trial(self.study, trial).await
    }

    pub(super) async fn record_finals(&self, finals: &Finals) -> Result<(), StoreError> {
        self.ledger.record_finals(self.study.id, finals).await
    }

    /// Returns the stored finals of the study, from an earlier run or another process.
    pub(super) async fn finals(
        &self,
        trials: u32,
        ties: store::Ties,
    ) -> Result<Option<Finals>, StoreError> {
        self.ledger.finals_of(self.study.id, trials, ties).await
    }

    /// Returns all trials of the study.
    pub(super) async fn trials(&self) -> Result<Vec<Trial>, StoreError> {
        self.ledger.trials_of(self.study).await
    }
}
