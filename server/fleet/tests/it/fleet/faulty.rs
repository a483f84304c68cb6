//! A database that is away for a while costs time, and nothing else.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use server_fleet::{DELIVERIES, FleetStore};
use store::{
    Catalogue, Finals, Ledger, LedgerPosition, Priority, Readable, RecordOutcome, Repeat, Run,
    RunReport, RunState, Runs, StoreError, StoreFault, Study, StudyId, StudyKey, Submission,
    SubmissionOutcome, Task, Ties, TokenId, Trial,
};
use store_sqlite::Sqlite;
use tokio::sync::Notify;

use super::{PROBLEM, undisturbed};
use crate::fleet::bed::{Bed, Does};
use testing_agent::{results, tell};

/// A database that fails some of its calls.
pub(crate) struct Faulty {
    inner: Arc<Sqlite>,
    /// Writes of trials that still fail.
    writes: AtomicU32,
    /// Reads of new trials that still fail.
    looks: AtomicU32,
    /// Reads of a batch's ended trials that still fail.
    reads: AtomicU32,
    /// Opened studies, and submissions.
    pub(crate) opened: AtomicU32,
    pub(crate) submitted: AtomicU32,
    /// Reads of new trials, by study.
    looked: Mutex<HashMap<StudyId, u32>>,
    late: LateReport,
}

/// A report of progress that takes its time: it is stored when its study ends, at the latest after
/// [`LateReport::LONGEST`].
#[derive(Default)]
struct LateReport {
    /// True if the next report is late.
    is_next: AtomicBool,
    /// True while the late report is not stored.
    is_held: AtomicBool,
    released: Notify,
    stored: Notify,
}

impl LateReport {
    /// Less than the patience with a silent director.
    const LONGEST: Duration = Duration::from_millis(600);
}

impl Faulty {
    pub(crate) fn new(inner: Arc<Sqlite>, writes: u32, looks: u32) -> Faulty {
        Faulty {
            inner,
            writes: AtomicU32::new(writes),
            looks: AtomicU32::new(looks),
            reads: AtomicU32::new(0),
            opened: AtomicU32::new(0),
            submitted: AtomicU32::new(0),
            looked: Mutex::default(),
            late: LateReport::default(),
        }
    }

    /// Returns the number of reads of new trials of a study.
    pub(crate) fn looked(&self, study: StudyId) -> u32 {
        let looked = self.looked.lock().unwrap();
        looked.get(&study).copied().unwrap_or_default()
    }
}

impl FleetStore for Faulty {
    fn catalogue(&self) -> &dyn Catalogue {
        self.inner.as_ref()
    }
}

fn fail(left: &AtomicU32) -> Result<(), StoreError> {
    let less = |left: u32| left.checked_sub(1);
    match left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
        Err(_) => Ok(()),
        Ok(_) => Err(StoreError {
            database: "faulty".to_owned(),
            fault: StoreFault::Locked { seconds: 3 },
        }),
    }
}

#[async_trait]
impl Ledger for Faulty {
    async fn open_study_as(
        &self,
        key: &StudyKey,
        bound_us: Option<f64>,
        number: Option<StudyId>,
    ) -> Result<Study, StoreError> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        self.inner.open_study_as(key, bound_us, number).await
    }

    async fn record_trial(
        &self,
        study: &Study,
        trial: &Trial,
    ) -> Result<RecordOutcome, StoreError> {
        fail(&self.writes)?;
        self.inner.record_trial(study, trial).await
    }

    async fn record_trials(&self, study: StudyId, trials: &[Trial]) -> Result<u64, StoreError> {
        fail(&self.writes)?;
        self.inner.record_trials(study, trials).await
    }

    async fn ended(&self, study: StudyId, ordinals: &[u32]) -> Result<Vec<u32>, StoreError> {
        fail(&self.reads)?;
        self.inner.ended(study, ordinals).await
    }

    async fn record_finals(&self, study: StudyId, finals: &Finals) -> Result<(), StoreError> {
        self.inner.record_finals(study, finals).await
    }

    async fn trials_of(&self, study: &Study) -> Result<Vec<Trial>, StoreError> {
        self.inner.trials_of(study).await
    }

    async fn trials_since(
        &self,
        study: StudyId,
        seen: LedgerPosition,
    ) -> Result<(Vec<Trial>, LedgerPosition), StoreError> {
        *self.looked.lock().unwrap().entry(study).or_default() += 1;
        fail(&self.looks)?;
        self.inner.trials_since(study, seen).await
    }

    async fn finals_of(
        &self,
        study: StudyId,
        trials: u32,
        ties: Ties,
    ) -> Result<Option<Finals>, StoreError> {
        self.inner.finals_of(study, trials, ties).await
    }

    async fn take(
        &self,
        study: &Study,
        owner: &str,
        tasks: &[Task],
    ) -> Result<Vec<Task>, StoreError> {
        self.inner.take(study, owner, tasks).await
    }

    async fn stay(&self, study: &Study, owner: &str) -> Result<u32, StoreError> {
        self.inner.stay(study, owner).await
    }

    async fn leave(&self, study: Option<&Study>, owner: &str) -> Result<(), StoreError> {
        self.inner.leave(study, owner).await
    }

    fn patience(&self) -> Duration {
        self.inner.patience()
    }

    fn check_place(&self) -> Result<(), StoreError> {
        self.inner.check_place()
    }

    fn name(&self) -> String {
        self.inner.name()
    }
}

#[async_trait]
impl Runs for Faulty {
    async fn submit_runs(
        &self,
        submission: Submission<'_>,
    ) -> Result<SubmissionOutcome, StoreError> {
        self.submitted.fetch_add(1, Ordering::Relaxed);
        self.inner.submit_runs(submission).await
    }

    async fn settle_run(
        &self,
        run: StudyId,
        study: StudyId,
        order: &str,
        priority: Priority,
        director: &str,
    ) -> Result<bool, StoreError> {
        let settled = self.inner.settle_run(run, study, order, priority, director);
        settled.await
    }

    async fn next_run(
        &self,
        patience: Duration,
        full: &[Option<TokenId>],
    ) -> Result<Option<StudyId>, StoreError> {
        self.inner.next_run(patience, full).await
    }

    async fn submitters(&self) -> Result<u64, StoreError> {
        self.inner.submitters().await
    }

    async fn start_run(
        &self,
        study: StudyId,
        order: &str,
        priority: Priority,
    ) -> Result<(), StoreError> {
        self.inner.start_run(study, order, priority).await
    }

    async fn change_run(
        &self,
        study: StudyId,
        from: &[RunState],
        to: RunState,
        reason: Option<&str>,
        director: Option<&str>,
    ) -> Result<bool, StoreError> {
        if to == RunState::Done && self.late.is_held.load(Ordering::SeqCst) {
            self.late.released.notify_one();
            self.late.stored.notified().await;
        }
        let changed = self.inner.change_run(study, from, to, reason, director);
        changed.await
    }

    async fn direct_run(
        &self,
        study: StudyId,
        director: &str,
        patience: Duration,
    ) -> Result<bool, StoreError> {
        self.inner.direct_run(study, director, patience).await
    }

    async fn report_runs(&self, reports: &[RunReport]) -> Result<Vec<StudyId>, StoreError> {
        let is_news = reports.iter().any(|it| it.progress.is_some());
        if !is_news || !self.late.is_next.swap(false, Ordering::SeqCst) {
            return self.inner.report_runs(reports).await;
        }
        self.late.is_held.store(true, Ordering::SeqCst);
        let released = self.late.released.notified();
        tokio::time::timeout(LateReport::LONGEST, released)
            .await
            .ok();
        let reported = self.inner.report_runs(reports).await;
        self.late.is_held.store(false, Ordering::SeqCst);
        self.late.stored.notify_one();
        reported
    }

    async fn leave_run(&self, study: StudyId, director: &str) -> Result<(), StoreError> {
        self.inner.leave_run(study, director).await
    }

    async fn undirected_runs(
        &self,
        silence: Duration,
        limit: u32,
    ) -> Result<Vec<StudyId>, StoreError> {
        self.inner.undirected_runs(silence, limit).await
    }

    async fn runs(
        &self,
        state: Option<RunState>,
        after: Option<StudyId>,
        limit: u32,
    ) -> Result<Readable<Run>, StoreError> {
        self.inner.runs(state, after, limit).await
    }

    async fn count_runs(&self) -> Result<Vec<(RunState, u64)>, StoreError> {
        self.inner.count_runs().await
    }

    async fn running(&self) -> Result<u64, StoreError> {
        self.inner.running().await
    }

    async fn run(&self, study: StudyId) -> Result<Option<Run>, StoreError> {
        self.inner.run(study).await
    }

    async fn repeat(&self, key: &str, digest: &str) -> Result<Repeat, StoreError> {
        self.inner.repeat(key, digest).await
    }
}

/// Trials that were not stored are not done: another agent gets them.
#[test]
async fn unstored_trials_are_repeated() {
    let bed = Bed::with_faults(1, 0).await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 30).await;
    let lease = bed.leased("one").await;
    let told = bed.fleet.record_report(tell(&lease, results(&lease))).await;
    assert!(told.is_err());
    assert_eq!(bed.trials(study).await, []);
    let told = bed.work("two", |_| Does::All).await;
    assert_eq!(told, (0..30).collect());
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(30).await);
}

/// A director that cannot read begins again, and its new batches are done.
#[test]
async fn a_director_begins_again() {
    let bed = Bed::with_faults(0, 2).await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 30).await;
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(30).await);
}

/// A batch that an agent asks for again and again while the database is away is not given up.
#[test]
async fn no_trial_is_given_up_while_the_database_is_away() {
    let (bed, faulty) = Bed::counted().await;
    bed.agent_comes().await;
    let study = bed.submit(PROBLEM, 30).await;
    for _ in 0..2 {
        // Once as a batch, and once as a candidate alone.
        faulty.reads.store(DELIVERIES as u32, Ordering::Relaxed);
        while faulty.reads.load(Ordering::Relaxed) > 0 {
            bed.ask("one").await.ok();
        }
    }
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    assert_eq!(bed.trials(study).await, undisturbed(30).await);
}

/// The last report of a study is the last one that is stored, even if an older one is slow.
#[test]
async fn an_older_report_is_not_the_last() {
    let (bed, faulty) = Bed::counted().await;
    bed.agent_comes().await;
    faulty.late.is_next.store(true, Ordering::SeqCst);
    let study = bed.submit(PROBLEM, 30).await;
    let lease = bed.leased("one").await;
    let told = bed.fleet.record_report(tell(&lease, results(&lease))).await;
    told.unwrap();
    while !faulty.late.is_held.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    bed.work("one", |_| Does::All).await;
    assert_eq!(bed.ended(study).await, RunState::Done);
    let progress = bed.fleet.study(study).await.unwrap().progress;
    assert_eq!(progress.map(|it| it.done), Some(30));
}

/// While a study waits, no task writes for it. A pause or a cancellation is a write, and ends the
/// trouble.
#[test]
async fn pausing_or_cancelling_clears_the_fault() {
    for is_paused in [true, false] {
        let bed = Bed::with_faults(0, u32::MAX).await;
        bed.agent_comes().await;
        let study = bed.submit(PROBLEM, 30).await;
        let begin = Instant::now();
        let trouble = loop {
            if let Some(trouble) = bed.fleet.trouble() {
                break trouble;
            }
            assert!(begin.elapsed() < Duration::from_secs(60));
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        assert!(trouble.contains("faulty"), "{trouble}");
        let (left, state) = match is_paused {
            true => (bed.fleet.pause(study).await, RunState::Paused),
            false => (bed.fleet.cancel(study).await, RunState::Cancelled),
        };
        left.unwrap();
        assert_eq!(bed.state(study).await, state);
        assert_eq!(bed.fleet.trouble(), None);
    }
}
