//! Directors: one for each study. It asks the strategy, gives candidates to agents, stores the trials, and chooses who
//! meets in finals.
//!
//! Which trial is which (its ordinal) depends on problem, generator, strategy, seed and earlier results alone, never on who
//! was faster, on how many agents there are, or on the budget. So an interrupted study, a resumed one, and one that several
//! processes share have the same trials. Each of these processes has a director of its own, and they all come to the same
//! candidates; what has ended, and who tries what, the ledger says. What is in the ledger is what counts.

mod finals;
mod queue;
mod sharing;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use bench_harness::{Identity, Inputs};
use configgen::{Problem, Space, Target, default_configuration};
use lookup::Merit;
use store::{Ledger, Recorded, Trial};
use tracing::{Instrument as _, debug, error, error_span, info, trace};

use crate::build::{Builder, Choice};
use crate::carrier::Dispatch;
use crate::error::TuneError;
use crate::identity::study_key;
use crate::message::{Candidate, Event, Failure, Job, News, Work};
use crate::plan::{Plan, Progress};
use crate::pool::Pool;
use crate::report::{Ended, Report, Standing, faster_tie};
use finals::Finished;
use queue::Queue;
use sharing::Share;

/// Seed of the inputs. The same for every study, so that the times of all studies are of the same inputs.
const INPUT_SEED: u64 = 0;

/// Time between two looks at what other processes have done: while this one has something to do, and while it waits for them.
const LOOK: [Duration; 2] = [Duration::from_secs(1), Duration::from_millis(50)];

/// Runs a study to the end of its budget, or goes on with one that was interrupted or that another process works on, too.
///
/// `progress` is called at the start, after every trial, when it is stored, and before finals. Of two calls with one pool
/// for the same study the second waits for the first.
///
/// # Errors
///
/// [`TuneError`]. What was stored before stays stored.
pub async fn run(
    plan: &Plan,
    pool: &Pool,
    ledger: &dyn Ledger,
    progress: impl FnMut(&Progress),
) -> Result<Report, TuneError> {
    let (identity, builder) = (pool.identity(), pool.builder());
    let (target, generator) = (identity.row.target(), builder.generator());
    let problem = &plan.problem;
    let rejected = |rejection| TuneError::Problem {
        problem: problem.clone(),
        rejection,
    };
    let default = default_configuration(problem, target, generator).map_err(rejected)?;
    Inputs::bytes_of(problem)?;
    let (space, bound_us) = prepared(problem, target, identity, builder).await;
    let default = Choice::Default(default);
    let total = total(&space, &default, plan.budget);
    let key = study_key(plan, identity, builder, &space);
    let study = ledger.open_study(&key, Some(bound_us)).await?;
    let search = (plan.strategy).search(&space, plan.seed, default.configuration());
    let (owner, mut channel) = (pool.owner(), pool.channel(study.id.0).await);
    let job = Job {
        problem: problem.clone(),
        generator: generator.name().to_owned(),
        input_seed: INPUT_SEED,
        default: default.clone(),
    };
    // At the level of errors, so that whoever sees an event sees the study that it belongs to.
    let span = error_span!(
        "study",
        number = study.id.0,
        %problem,
        target = target.name,
        device = identity.name,
        generator = generator.name(),
    );
    let (strategy, seed) = (plan.strategy.name(), plan.seed);
    info!(parent: &span, strategy, seed, total, space = space.len(), "study opened");
    let mut director = Director {
        plan,
        batch: builder.batch(),
        is_exact: identity.is_exact(),
        share: Share::new(ledger, &study, owner, job),
        dispatch: &mut channel,
        queue: Queue::new(default, search, total),
        standing: Standing::new(generator, plan.ties),
        ended: HashSet::new(),
        made: 0,
        flights: HashMap::new(),
        total,
        progress,
    };
    let done = director.work().instrument(span.clone()).await;
    let left = ledger.leave(Some(&study), owner).await;
    let finals = done.inspect_err(|error| error!(parent: &span, %error, "study given up"))?;
    left?;
    let made = director.made;
    let (finals, best_of_finals) = finals.unzip();
    let Ended {
        counts,
        default,
        best,
        tie,
    } = director.standing.end();
    let best = best_of_finals.flatten().or(best);
    let best_us = best.as_ref().and_then(|best| best.time_us);
    info!(parent: &span, trials = counts.total, made, best_us, "study ended");
    Ok(Report {
        study: key,
        problem: problem.clone(),
        target,
        device: identity.name.clone(),
        generator,
        clock: identity.clock,
        strategy: plan.strategy.name(),
        space: space.len(),
        counts,
        resumed: counts.total - made,
        ties: plan.ties,
        faster_tie: faster_tie(best.as_ref(), tie),
        best,
        default,
        finals,
        checked_rows: bench_harness::checked_rows(problem).len() as u64,
        bound_us,
        dram_peak_us: identity.row.dram_peak_us(problem),
    })
}

/// The space and the bound, which take a while to work out: meanwhile others of this thread go on.
async fn prepared(
    problem: &Problem,
    target: &'static Target,
    identity: &Identity,
    builder: &dyn Builder,
) -> (Arc<Space>, f64) {
    let (problem, row, generator) = (problem.clone(), identity.row, builder.generator());
    let work = move || {
        let space = Arc::new(Space::new(&problem, target, generator));
        (space, bench_harness::bound_us(&problem, row))
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(prepared) => prepared,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// Trials of a plan: its budget, or the whole space and the default.
fn total(space: &Space, default: &Choice, budget: u32) -> u64 {
    let inside = default
        .configuration()
        .is_some_and(|known| space.rank_of(known).is_some());
    u64::from(budget).min(space.len() + u64::from(!inside))
}

/// A batch that an agent has, or that waits for one.
struct Flight {
    /// What is still to be told of it, in the order in which it was given.
    candidates: Vec<Candidate>,
    /// Whether an agent died with it.
    died: bool,
}

struct Director<'a, D: Dispatch, P: FnMut(&Progress)> {
    plan: &'a Plan,
    /// Candidates that are best built at once.
    batch: usize,
    is_exact: bool,
    share: Share<'a>,
    dispatch: &'a mut D,
    queue: Queue,
    standing: Standing,
    /// Ordinals of the trials that have ended, whoever made them.
    ended: HashSet<u32>,
    /// Of them, those that agents of this process made.
    made: u64,
    flights: HashMap<u64, Flight>,
    total: u64,
    progress: P,
}

impl<D: Dispatch, P: FnMut(&Progress)> Director<'_, D, P> {
    /// Makes all trials and holds the finals, where there are any; who is to be taken after them.
    async fn work(&mut self) -> Result<Option<Finished>, TuneError> {
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
        (self.progress)(&Progress {
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
            self.give(Flight {
                candidates: candidates.to_vec(),
                died: false,
            });
        }
        Ok(candidates.len())
    }

    fn give(&mut self, flight: Flight) {
        let batch = self.share.batch(Work::Try(flight.candidates.clone()));
        let (candidates, again) = (flight.candidates.len(), flight.died);
        let first = flight.candidates.first().map(|one| one.ordinal);
        debug!(
            batch = batch.id.number,
            candidates, first, again, "batch given"
        );
        self.flights.insert(batch.id.number, flight);
        self.dispatch.give(batch);
    }

    /// Waits for what happens next, here or elsewhere.
    async fn next(&mut self) -> Result<(), TuneError> {
        let pause = LOOK[usize::from(self.flights.is_empty())];
        if self.share.is_silent() {
            self.share.stay().await?;
            self.take_over().await?;
        }
        let until_due = self.share.until_due(pause);
        if until_due.is_zero() {
            return self.look().await;
        }
        match tokio::time::timeout(until_due, self.dispatch.next()).await {
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
            self.queue.ended(trial.ordinal, configuration, score);
            self.standing.add(trial);
        }
        is_new
    }

    async fn happened(&mut self, event: Event) -> Result<(), TuneError> {
        let number = event.batch.number;
        match event.news {
            News::Trial(trial) => {
                if let Some(flight) = self.flights.get_mut(&number) {
                    flight.candidates.retain(|one| one.ordinal != trial.ordinal);
                }
                if self.ended.contains(&trial.ordinal) {
                    return Ok(());
                }
                match self.share.record(&trial).await? {
                    Recorded::Stored => {
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
                    Recorded::AlreadyThere => self.look().await,
                }
            }
            News::Done => {
                debug!(batch = number, "batch told");
                self.flights.remove(&number);
                Ok(())
            }
            News::Died => {
                let flight = self.flights.remove(&number);
                match flight.filter(|flight| !flight.candidates.is_empty()) {
                    Some(Flight { died: true, .. }) => Err(TuneError::Lost(self.missing())),
                    Some(Flight { candidates, .. }) => {
                        let died = true;
                        self.give(Flight { candidates, died });
                        Ok(())
                    }
                    None => Ok(()),
                }
            }
            News::Failed(failure) => Err(self.failed(failure)),
            // Told again.
            News::Finals(_) => Ok(()),
        }
    }

    fn failed(&self, failure: Failure) -> TuneError {
        match failure {
            Failure::Device(error) => TuneError::Device(error),
            Failure::Environment(message) => TuneError::Environment(message),
            Failure::Builder(has) => TuneError::Builder {
                has,
                wanted: self.standing.generator.name().to_owned(),
            },
        }
    }
}
