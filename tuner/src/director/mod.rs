//! Directors: one for each study. It asks the strategy, dispatches candidates to agents, stores
//! the trials and chooses the finalists.
//!
//! The trial of an ordinal depends only on problem, generator, strategy, seed and earlier
//! results. It does not depend on the speed or the number of agents, or on the budget. An
//! interrupted study, a resumed one and a shared one therefore have the same trials. Each process
//! of a shared study has its own director, and all directors find the same candidates. The
//! ledger, which alone counts, says which trials have ended and which process tries a candidate.

mod candidate_queue;
mod finals;
mod ledger_report;
mod prepared_study;
mod stop_rule;
mod study_share;
mod verification_rule;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use configgen::Configuration;
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
use stop_rule::StopRule;
use study_share::StudyShare;
use verification_rule::VerificationRule;

/// The time between two reads of the ledger while this process has batches.
const LOOK: Duration = Duration::from_secs(1);

/// The time between two checks for room for a batch, while the study has none.
const ROOM: Duration = Duration::from_millis(200);

/// Runs a study to the end of its budget. It resumes an interrupted study, and shares one that
/// another process works on.
///
/// If two callers of one pool run the same study, the second waits for the first. A new study
/// tries `known` right after the default: the configuration that lookups served before.
///
/// # Errors
///
/// [`TuneError`]. Trials stored before remain stored.
pub async fn run(
    plan: &Plan,
    known: Option<Configuration>,
    pool: &Pool,
    ledger: &dyn Ledger,
    progress: impl FnMut(&TuneProgress),
) -> Result<Report, TuneError> {
    let prepared = PreparedStudy::new(plan.clone(), pool.offer().clone()).await?;
    let prepared = prepared.with_known(known);
    let study = prepared.open(ledger).await?;
    let mut channel = pool.channel(study.id.0).await;
    let owner = pool.owner();
    direct(&prepared, &study, owner, ledger, &mut channel, progress).await
}

/// Directs an open study under an owner's name, until its budget is spent. It dispatches batches
/// through `dispatch` and stores the results in the ledger.
///
/// # Errors
///
/// [`TuneError`]. Trials stored before remain stored.
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
    // The span has the level of errors, so that every visible event shows its study.
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
    // Another generator's kernel may have another tie-break, which ranks behind all others. Only
    // its verification tells.
    let spares_slow_trials = offer.is_exact() && made.generator.promises_fold();
    let rule = spares_slow_trials.then(VerificationRule::default);
    let trials = ledger.trials_of(study).await?;
    let search = prepared.search(trials.iter().find(|trial| trial.ordinal == 1));
    let mut director = Director {
        plan,
        batch: offer.batch,
        is_exact: offer.is_exact(),
        share: StudyShare::new(ledger, study, owner, job),
        dispatch,
        queue: CandidateQueue::new(prepared.default.clone(), search, total, rule)
            .stopped_by(StopRule::new(plan.effort, prepared.bound_us)),
        standing: StudyTally::new(made.generator, plan.ties),
        ended: HashSet::new(),
        made: 0,
        flights: HashMap::new(),
        progress,
    };
    let done = director.work().instrument(span.clone()).await;
    // Also after an error, so that other processes get the candidates at once.
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
    /// The candidates without a result, in their order in the batch.
    candidates: Vec<Candidate>,
    /// True if an agent died with the batch before.
    died: bool,
}

struct Director<'a, D: BatchDispatcher, P: FnMut(&TuneProgress)> {
    plan: &'a Plan,
    /// The best number of candidates for one build.
    batch: usize,
    is_exact: bool,
    share: StudyShare<'a>,
    dispatch: &'a mut D,
    queue: CandidateQueue,
    standing: StudyTally,
    /// The ordinals of all finished trials, from any process.
    ended: HashSet<u32>,
    /// The number of them that agents of this process made.
    made: u64,
    flights: HashMap<u64, OutstandingBatch>,
    progress: P,
}

impl<D: BatchDispatcher, P: FnMut(&TuneProgress)> Director<'_, D, P> {
    /// Makes all trials and runs the finals, if there are any. Returns their end.
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
        // An earlier run may have made more trials than this one would.
        let total = self.queue.total();
        total.saturating_sub(self.standing.counts.total)
    }

    fn report(&mut self, finals: bool) {
        let default = self.standing.default.as_ref();
        (self.progress)(&TuneProgress {
            done: self.standing.counts.total,
            others: self.standing.counts.total - self.made,
            total: self.queue.total(),
            default_us: default.and_then(|default| default.time_us),
            best_us: self.standing.best_us(),
            finals,
        });
    }

    /// Dispatches batches until all agents are busy.
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

    /// Returns the number of candidates per batch: the builder's preference, unless other agents
    /// of the study would then be idle.
    fn batch_size(&self) -> usize {
        let agents = self.dispatch.agents() * (1 + self.share.others());
        // Half of an equal share, so that the last batches end at about the same time.
        let share = self.missing().div_ceil(2 * agents as u64);
        let share = usize::try_from(share).unwrap_or(usize::MAX);
        let side_by_side = self.queue.generation().div_ceil(agents);
        self.batch.min(share).min(side_by_side).max(1)
    }

    /// Takes candidates in the ledger and dispatches those that no other process has. Returns
    /// their number.
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

    /// Waits for the next event, from an agent or another process.
    async fn next(&mut self) -> Result<(), TuneError> {
        let is_idle = self.flights.is_empty() && self.share.others() == 0;
        if is_idle && self.dispatch.slots() == 0 {
            // No agent works on this study, so the ledger has nothing new. This matters if many
            // studies share an agent: of 64 studies, nearly all wait here, and each would query
            // the database seven times a second.
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

    /// Waits for an event of an agent, up to a limit.
    async fn hear(&mut self, limit: Duration) -> Result<(), TuneError> {
        match tokio::time::timeout(limit, self.dispatch.next()).await {
            Ok(Some(event)) => self.happened(event).await,
            Ok(None) => Err(TuneError::Lost(self.missing())),
            Err(_) => Ok(()),
        }
    }

    /// Takes over candidates of processes that are gone.
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

    /// Sends a heartbeat if one is due and reads other processes' results, as a waiting director
    /// must.
    async fn keep_up(&mut self) -> Result<(), TuneError> {
        if self.share.is_silent() {
            self.share.stay().await?;
        }
        self.look().await
    }

    /// Reads other processes' results.
    async fn look(&mut self) -> Result<(), TuneError> {
        let mut is_any_new = false;
        for trial in self.share.look().await? {
            is_any_new |= self.count(&trial);
        }
        if is_any_new {
            // The transport may have stored the results without telling the director.
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

    /// Counts a stored trial. Returns true if it is new.
    fn count(&mut self, trial: &Trial) -> bool {
        let is_new =
            u64::from(trial.ordinal) < self.queue.total() && self.ended.insert(trial.ordinal);
        if is_new {
            let (generator, ties) = (self.standing.generator, self.plan.ties);
            let score = Merit::for_search(trial, generator, ties);
            let verified = Merit::of(trial, generator, ties);
            let configuration = trial.configuration.as_ref();
            self.queue
                .record_result(trial.ordinal, configuration, score, verified);
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
                // The event may be a repeated one, or another process may have stored the trial.
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
                    // Another process stored a trial for this ordinal first.
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
                    // A second death suggests that the batch kills agents, so the study stops.
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
            // A repeated event.
            BatchEventKind::Finals(_) => Ok(()),
        }
    }

    fn failed(&self, failure: Failure) -> TuneError {
        failure.error(self.standing.generator.name())
    }
}
