//! A process's share of a study: the tasks that it takes in the ledger, the batches that it makes of them, and what others
//! have done meanwhile.

use std::time::{Duration, Instant};

use store::{Finals, Ledger, LedgerPosition, RecordOutcome, StoreError, Study, Task, Trial};

use crate::message::{Batch, BatchContent, BatchId, Candidate, StudySetup};

/// Time between two looks of a process that waits for what others make: at first, and after many looks that found nothing.
///
/// Who looks too seldom comes after all of the next generation is taken; who looks too often disturbs those who write.
const IDLE: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(200)];

/// A process's share of a study.
pub(super) struct StudyShare<'a> {
    ledger: &'a dyn Ledger,
    study: &'a Study,
    owner: &'a str,
    job: StudySetup,
    /// How far the ledger has been read.
    seen: LedgerPosition,
    /// When that was.
    looked: Instant,
    /// Time from there to the next look, for one that waits.
    idle: Duration,
    /// When this process was last heard of.
    heard: Instant,
    /// Other processes that work on the study.
    others: usize,
    /// Batches that there have been.
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

    /// Other processes that worked on the study when this one was last heard of.
    pub(super) fn others(&self) -> usize {
        self.others
    }

    /// The next batch.
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

    /// Takes these candidates; what stays is this process's.
    pub(super) async fn take(&mut self, candidates: &mut Vec<Candidate>) -> Result<(), StoreError> {
        let tasks: Vec<Task> = candidates
            .iter()
            .map(|one| Task::Trial(one.ordinal))
            .collect();
        let taken = self.ledger.take(self.study, self.owner, &tasks).await?;
        candidates.retain(|one| taken.contains(&Task::Trial(one.ordinal)));
        Ok(())
    }

    /// Takes the finals of so many trials; whether they are this process's to hold.
    pub(super) async fn take_finals(&mut self, trials: u32) -> Result<bool, StoreError> {
        let tasks = [Task::Finals(trials)];
        let taken = self.ledger.take(self.study, self.owner, &tasks).await?;
        Ok(!taken.is_empty())
    }

    /// Time between two looks while this process waits for others: longer, the longer nothing has come.
    pub(super) fn idle(&self) -> Duration {
        self.idle
    }

    /// Time until there is something to do, where it is looked every so often.
    pub(super) fn until_due(&self, every: Duration) -> Duration {
        let until_look = every.saturating_sub(self.looked.elapsed());
        until_look.min(self.pause().saturating_sub(self.heard.elapsed()))
    }

    /// Whether it is time to be heard of again.
    pub(super) fn is_silent(&self) -> bool {
        self.heard.elapsed() >= self.pause()
    }

    /// Time between two words of one that lives.
    fn pause(&self) -> Duration {
        self.ledger.patience() / 5
    }

    /// Says that this process is there.
    pub(super) async fn stay(&mut self) -> Result<(), StoreError> {
        let others = self.ledger.stay(self.study, self.owner).await?;
        (self.others, self.heard) = (others as usize, Instant::now());
        Ok(())
    }

    /// The trials that were stored since the last look, by anybody.
    pub(super) async fn look(&mut self) -> Result<Vec<Trial>, StoreError> {
        let (trials, seen) = self.ledger.trials_since(self.study.id, self.seen).await?;
        (self.seen, self.looked) = (seen, Instant::now());
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

    /// How the study ended before, or in another process.
    pub(super) async fn finals(
        &self,
        trials: u32,
        ties: store::Ties,
    ) -> Result<Option<Finals>, StoreError> {
        self.ledger.finals_of(self.study.id, trials, ties).await
    }

    /// All trials of the study.
    pub(super) async fn trials(&self) -> Result<Vec<Trial>, StoreError> {
        self.ledger.trials_of(self.study).await
    }
}
