//! Directors: one for each study. It asks the strategy, gives candidates to agents, stores the trials, and chooses who
//! meets in finals.
//!
//! Which trial is which (its ordinal) depends on problem, generator, strategy, seed and earlier results alone, never on who
//! was faster, on how many agents there are, or on the budget. So an interrupted study, a resumed one, and one that several
//! processes share have the same trials. Each of these processes has a director of its own, and they all come to the same
//! candidates; what has ended, and who tries what, the ledger says. What is in the ledger is what counts.

mod candidate_queue;
mod finals;
mod ledger_report;
mod prepared_study;
mod study_share;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use lookup::Merit;
use store::{Ledger, RecordOutcome, Study, Trial};
use tracing::{Instrument as _, debug, error, error_span, info, trace};

use crate::error::TuneError;
use crate::message::{
    BatchContent, BatchEvent, BatchEventKind, Candidate, Failure, INPUT_SEED, StudySetup,
};
use crate::plan::{Plan, TuneProgress};
use crate::pool::Pool;
use crate::report::{Report, StudyTally};
use crate::transport::BatchDispatcher;
use candidate_queue::CandidateQueue;
use finals::FinishedFinals;
pub use finals::stored_finals;
pub use ledger_report::ledger_report;
pub use prepared_study::PreparedStudy;
use study_share::StudyShare;

/// Time between two looks at what other processes have done, while this one has something to do.
const LOOK: Duration = Duration::from_secs(1);

/// Time between two looks whether there is room for a batch, while the study has none under way.
const ROOM: Duration = Duration::from_millis(200);

/// Runs a study to the end of its budget, or goes on with one that was interrupted or that another process works on, too.
///
/// Of two calls with one pool for the same study the second waits for the first.
///
/// # Errors
///
/// [`TuneError`]. What was stored before stays stored.
pub async fn run(
    plan: &Plan,
    pool: &Pool,
    ledger: &dyn Ledger,
    progress: impl FnMut(&TuneProgress),
) -> Result<Report, TuneError> {
    let prepared = PreparedStudy::new(plan.clone(), pool.offer().clone()).await?;
    let study = prepared.open(ledger).await?;
    let mut channel = pool.channel(study.id.0).await;
    let owner = pool.owner();
    direct(&prepared, &study, owner, ledger, &mut channel, progress).await
}

/// Directs a study that is open, under the name of an owner, until its budget is spent: what is to be done goes out by
/// `dispatch`, what came of it is in the ledger.
///
/// # Errors
///
/// [`TuneError`]. What was stored before stays stored.
pub async fn direct(
    prepared: &PreparedStudy,
    study: &Study,
    owner: &str,
    ledger: &dyn Ledger,
    dispatch: &mut impl BatchDispatcher,
    progress: impl FnMut(&TuneProgress),
) -> Result<Report, TuneError> {
    let PreparedStudy { plan, offer, .. } = prepared;
    let (problem, made) = (&plan.problem, &offer.provenance);
    let job = StudySetup {
        problem: problem.clone(),
        generator: made.generator.name().to_owned(),
        input_seed: INPUT_SEED,
        default: prepared.default.clone(),
    };
    // At the level of errors, so that whoever sees an event sees the study that it belongs to.
    let span = error_span!(
        "study",
        number = study.id.0,
        %problem,
        target = made.target.name,
        device = made.device,
        generator = made.generator.name(),
    );
    let (strategy, seed, total) = (plan.strategy.name(), plan.seed, prepared.total);
    info!(parent: &span, strategy, seed, total, space = prepared.space.len(), "study opened");
    let mut director = Director {
        plan,
        batch: offer.batch,
        is_exact: offer.is_exact(),
        share: StudyShare::new(ledger, study, owner, job),
        dispatch,
        queue: CandidateQueue::new(prepared.default.clone(), prepared.search(), total),
        standing: StudyTally::new(made.generator, plan.ties),
        ended: HashSet::new(),
        made: 0,
        flights: HashMap::new(),
        total,
        progress,
    };
    let done = director.work().instrument(span.clone()).await;
    let left = ledger.leave(Some(study), owner).await;
    let finals = done.inspect_err(|error| error!(parent: &span, %error, "study given up"))?;
    left?;
    let made_here = director.made;
    let resumed = director.standing.counts.total - made_here;
    let report = prepared.report(director.standing, finals, resumed);
    let best_us = report.best.as_ref().and_then(|best| best.time_us);
    info!(parent: &span, trials = report.counts.total, made = made_here, best_us, "study ended");
    Ok(report)
}

/// A batch that an agent has, or that waits for one.
struct OutstandingBatch {
    /// What is still to be told of it, in the order in which it was given.
    candidates: Vec<Candidate>,
    /// Whether an agent died with it.
    died: bool,
}

struct Director<'a, D: BatchDispatcher, P: FnMut(&TuneProgress)> {
    plan: &'a Plan,
    /// Candidates that are best built at once.
    batch: usize,
    is_exact: bool,
    share: StudyShare<'a>,
    dispatch: &'a mut D,
    queue: CandidateQueue,
    standing: StudyTally,
    /// Ordinals of the trials that have ended, whoever made them.
    ended: HashSet<u32>,
    /// Of them, those that agents of this process made.
    made: u64,
    flights: HashMap<u64, OutstandingBatch>,
    total: u64,
    progress: P,
}

impl<D: BatchDispatcher, P: FnMut(&TuneProgress)> Director<'_, D, P> {
    /// Makes all trials and holds the finals, where there are any; who is to be taken after them.
    async fn work(&mut self) -> Result<Option<FinishedFinals>, TuneError> {
        self.share.stay().await?;
        for trial in self.share.look().await? {
            self.count(&trial);
        }
        if self.standing.counts.total > 0 {
            info!(trials = self.standing.counts.total, "study resumed");
        }
        self.report(false);
        while self.missing() > 0 {
            self.hand_out().await?;
            self.next().await?;
        }
        match self.is_exact {
            true => Ok(None),
            false => self.finish().await,
        }
    }

    fn missing(&self) -> u64 {
        self.total - self.standing.counts.total
    }

    fn report(&mut self, finals: bool) {
        let default = self.standing.default.as_ref();
        (self.progress)(&TuneProgress {
            done: self.standing.counts.total,
            others: self.standing.counts.total - self.made,
            total: self.total,
            default_us: default.and_then(|default| default.time_us),
            best_us: self.standing.best_us(),
            finals,
        });
    }

    /// Gives as many batches as can be under way.
    async fn hand_out(&mut self) -> Result<(), TuneError> {
        while self.flights.len() < self.dispatch.slots() {
            let candidates = self.queue.propose(self.batch_size());
            if candidates.is_empty() {
                return Ok(());
            }
            self.take(candidates).await?;
        }
        Ok(())
    }

    /// How many candidates are built at once: what the builder likes, if everybody who works on the study has something to do.
    fn batch_size(&self) -> usize {
        let agents = self.dispatch.agents() * (1 + self.share.others());
        let share = self.missing().div_ceil(2 * agents as u64);
        let share = usize::try_from(share).unwrap_or(usize::MAX);
        let side_by_side = self.queue.generation().div_ceil(agents);
        self.batch.min(share).min(side_by_side).max(1)
    }

    /// Gives agents those of the candidates that nobody else has; how many these are.
    async fn take(&mut self, mut candidates: Vec<Candidate>) -> Result<usize, TuneError> {
        self.share.take(&mut candidates).await?;
        for candidates in candidates.chunks(self.batch_size()) {
            let candidates = candidates.to_vec();
            let died = false;
            self.give(OutstandingBatch { candidates, died }).await?;
        }
        Ok(candidates.len())
    }

    async fn give(&mut self, flight: OutstandingBatch) -> Result<(), TuneError> {
        let batch = self
            .share
            .batch(BatchContent::Try(flight.candidates.clone()));
        let (candidates, again) = (flight.candidates.len(), flight.died);
        let first = flight.candidates.first().map(|one| one.ordinal);
        debug!(
            batch = batch.id.number,
            candidates, first, again, "batch given"
        );
        self.flights.insert(batch.id.number, flight);
        self.dispatch.give(batch).await
    }

    /// Waits for what happens next, here or elsewhere.
    async fn next(&mut self) -> Result<(), TuneError> {
        let is_idle = self.flights.is_empty() && self.share.others() == 0;
        if is_idle && self.dispatch.slots() == 0 {
            // Nobody tries anything of this study, so the ledger has nothing new. Why it matters: of 64 studies that share an
            // agent nearly all wait like this, and each asked the database seven times a second.
            return self.hear(ROOM).await;
        }
        let pause = match self.flights.is_empty() {
            true => self.share.idle(),
            false => LOOK,
        };
        if self.share.is_silent() {
            self.share.stay().await?;
            self.take_over().await?;
        }
        let until_due = self.share.until_due(pause);
        if until_due.is_zero() {
            return self.look().await;
        }
        self.hear(until_due).await
    }

    /// Waits so long for what agents tell.
    async fn hear(&mut self, limit: Duration) -> Result<(), TuneError> {
        match tokio::time::timeout(limit, self.dispatch.next()).await {
            Ok(Some(event)) => self.happened(event).await,
            Ok(None) => Err(TuneError::Lost(self.missing())),
            Err(_) => Ok(()),
        }
    }

    /// Takes what others had who are gone.
    async fn take_over(&mut self) -> Result<(), TuneError> {
        let flights = self.flights.values();
        let here: HashSet<u32> = flights
            .flat_map(|flight| flight.candidates.iter().map(|one| one.ordinal))
            .collect();
        let open = self.queue.open();
        let open: Vec<Candidate> = open.filter(|one| !here.contains(&one.ordinal)).collect();
        if open.is_empty() || self.flights.len() >= self.dispatch.slots() {
            return Ok(());
        }
        let taken = self.take(open).await?;
        if taken > 0 {
            info!(candidates = taken, "taken over from a process that is gone");
        }
        Ok(())
    }

    /// As one that waits does it: is heard of in time, and looks at what others have done.
    async fn keep_up(&mut self) -> Result<(), TuneError> {
        if self.share.is_silent() {
            self.share.stay().await?;
        }
        self.look().await
    }

    /// Looks at what others have done.
    async fn look(&mut self) -> Result<(), TuneError> {
        let mut is_any_new = false;
        for trial in self.share.look().await? {
            is_any_new |= self.count(&trial);
        }
        if is_any_new {
            // Who carries batches may tell the ledger alone what came of them.
            for flight in self.flights.values_mut() {
                flight
                    .candidates
                    .retain(|one| !self.ended.contains(&one.ordinal));
            }
            self.flights
                .retain(|_, flight| !flight.candidates.is_empty());
            self.report(false);
        }
        Ok(())
    }

    /// Takes a stored trial into account; whether it is told for the first time.
    fn count(&mut self, trial: &Trial) -> bool {
        let is_new = u64::from(trial.ordinal) < self.total && self.ended.insert(trial.ordinal);
        if is_new {
            let score = Merit::of(trial, self.standing.generator, self.plan.ties);
            let configuration = trial.configuration.as_ref();
            self.queue
                .record_result(trial.ordinal, configuration, score);
            self.standing.add(trial);
        }
        is_new
    }

    async fn happened(&mut self, event: BatchEvent) -> Result<(), TuneError> {
        let number = event.batch.number;
        match event.news {
            BatchEventKind::Trial(trial) => {
                if let Some(flight) = self.flights.get_mut(&number) {
                    flight.candidates.retain(|one| one.ordinal != trial.ordinal);
                }
                if self.ended.contains(&trial.ordinal) {
                    return Ok(());
                }
                match self.share.record(&trial).await? {
                    RecordOutcome::Stored => {
                        let status = trial.outcome.status().name();
                        let time_us = trial.outcome.timing().map(|timing| timing.time_us);
                        trace!(
                            batch = number,
                            ordinal = trial.ordinal,
                            status,
                            time_us,
                            "trial stored"
                        );
                        self.made += 1;
                        self.count(&trial);
                        self.report(false);
                        Ok(())
                    }
                    // What is stored is another one's.
                    RecordOutcome::AlreadyThere => self.look().await,
                }
            }
            BatchEventKind::Stored => self.look().await,
            BatchEventKind::Done => {
                debug!(batch = number, "batch told");
                self.flights.remove(&number);
                Ok(())
            }
            BatchEventKind::Died => {
                let flight = self.flights.remove(&number);
                match flight.filter(|flight| !flight.candidates.is_empty()) {
                    Some(OutstandingBatch { died: true, .. }) => {
                        Err(TuneError::Lost(self.missing()))
                    }
                    Some(OutstandingBatch { candidates, .. }) => {
                        let died = true;
                        self.give(OutstandingBatch { candidates, died }).await
                    }
                    None => Ok(()),
                }
            }
            BatchEventKind::Failed(failure) => Err(self.failed(failure)),
            // Told again.
            BatchEventKind::Finals(_) => Ok(()),
        }
    }

    fn failed(&self, failure: Failure) -> TuneError {
        failure.error(self.standing.generator.name())
    }
}
