//! The preparation of a study: everything that decides it, before it is opened.

use std::sync::Arc;

use answers::tune::SearchEnd;
use bench_harness::Inputs;
use configgen::{Configuration, Device, Generator, Space, Target, default_configuration};
use store::{Ledger, StoreError, Study, StudyId, StudyKey, Trial};

use super::finals::FinishedFinals;
use crate::build::Choice;
use crate::error::TuneError;
use crate::identity::study_key;
use crate::kernel_search::{KernelContext, KernelSearch};
use crate::offer::Offer;
use crate::plan::{Plan, is_at_bound};
use crate::report::{Report, StudyTally, TallyResult, faster_tie};

/// A plan that agents with this offer can carry out.
#[derive(Debug)]
pub struct PreparedStudy {
    pub(super) plan: Plan,
    pub(super) offer: Offer,
    pub(super) row: &'static Device,
    pub(super) default: Choice,
    pub(super) space: Arc<Space>,
    pub(super) bound_us: f64,
    /// The number of trials: the budget, or the whole space with the default.
    pub(super) total: u64,
    /// The configuration that lookups served before the study, unless it is the default.
    known: Option<Configuration>,
    key: StudyKey,
}

/// The generator's untuned choice for a problem, and the device's row.
type CheckedPlan = (Choice, &'static Device);

impl PreparedStudy {
    /// Checks that a device with this target and a builder for this generator can carry out the
    /// plan. It is fast.
    ///
    /// # Errors
    ///
    /// As [`PreparedStudy::new`].
    pub fn check(
        plan: &Plan,
        target: &'static Target,
        generator: Generator,
    ) -> Result<(), TuneError> {
        default_choice(plan, target, generator).map(drop)
    }

    /// Computes the space and the lower bound on a blocking thread, because this takes a while.
    ///
    /// # Errors
    ///
    /// - [`TuneError::Problem`] if the generator does not support the problem.
    /// - [`TuneError::Inputs`] if it cannot be verified.
    /// - [`TuneError::UnknownDevice`] if this build lacks the offered device.
    pub async fn new(plan: Plan, offer: Offer) -> Result<PreparedStudy, TuneError> {
        let (default, row) = checked(&plan, &offer)?;
        let (target, generator) = (offer.provenance.target, offer.provenance.generator);
        let problem = plan.problem.clone();
        let work = move || {
            let space = Arc::new(Space::new(&problem, target, generator));
            (space, bench_harness::bound_us(&problem, row))
        };
        let worked_out = tokio::task::spawn_blocking(work).await;
        let (space, bound_us) =
            worked_out.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        let known = default.configuration();
        // IREE's default may lie outside of the space. It is then one trial more.
        let inside = known.is_some_and(|known| space.rank_of(known).is_some());
        Ok(PreparedStudy {
            total: u64::from(plan.budget).min(space.len() + u64::from(!inside)),
            key: study_key(&plan, &offer, &space),
            plan,
            offer,
            row,
            default,
            space,
            bound_us,
            known: None,
        })
    }

    /// Sets the configuration that lookups serve before the study. A new study tries it right
    /// after the default, with any budget. No study therefore makes an answer worse.
    #[must_use]
    pub fn with_known(mut self, known: Option<Configuration>) -> PreparedStudy {
        let rank = |one: &Configuration| self.space.rank_of(one);
        let default = self.default.configuration();
        let is_default = |known: &Configuration| {
            // A rank stands for all spellings of a configuration.
            default == Some(known)
                || rank(known).is_some_and(|it| Some(it) == default.and_then(rank))
        };
        self.known = known.filter(|known| !is_default(known));
        if self.known.is_some() {
            self.total = self.total.max(2);
        }
        self
    }

    /// Returns the number of trials.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Opens the study, which may exist already.
    ///
    /// # Errors
    ///
    /// As [`Ledger::open_study`].
    pub async fn open(&self, ledger: &dyn Ledger) -> Result<Study, StoreError> {
        ledger.open_study(&self.key, Some(self.bound_us)).await
    }

    /// Opens the study. A new study gets this number, unless another study has it.
    ///
    /// # Errors
    ///
    /// As [`Ledger::open_study_as`].
    pub async fn open_as(&self, ledger: &dyn Ledger, number: StudyId) -> Result<Study, StoreError> {
        let bound_us = Some(self.bound_us);
        ledger
            .open_study_as(&self.key, bound_us, Some(number))
            .await
    }

    /// Creates the report of a study. `resumed` is the number of trials from earlier runs.
    pub(super) fn report(
        &self,
        standing: StudyTally,
        finished: Option<FinishedFinals>,
        resumed: u64,
    ) -> Report {
        let (plan, made) = (&self.plan, &self.offer.provenance);
        let (finals, best_of_finals) = finished.unzip();
        let TallyResult {
            counts,
            default,
            best,
            tie,
        } = standing.end();
        let found_us = best.as_ref().and_then(|best| best.time_us);
        let end = match counts.total >= self.total {
            true if self.total < u64::from(plan.budget) => SearchEnd::Space,
            true => SearchEnd::Budget,
            false if found_us.is_some_and(|us| is_at_bound(us, self.bound_us)) => SearchEnd::Bound,
            false => SearchEnd::Gain,
        };
        let best = best_of_finals.flatten().or(best);
        Report {
            study: self.key.clone(),
            problem: plan.problem.clone(),
            target: made.target,
            device: made.device.clone(),
            generator: made.generator,
            clock: made.clock,
            strategy: plan.strategy.name(),
            space: self.space.len(),
            counts,
            resumed,
            ties: plan.ties,
            faster_tie: faster_tie(best.as_ref(), tie),
            best,
            default,
            finals,
            checked_rows: bench_harness::checked_rows(&plan.problem).len() as u64,
            bound_us: self.bound_us,
            dram_peak_us: self.row.dram_peak_us(&plan.problem),
            end,
        }
    }

    /// Starts the plan's search. `second` is the second trial of a study that has one.
    ///
    /// A resumed study proposes that configuration in place of the known one. Its other proposals
    /// then stay the same.
    pub(super) fn search(&self, second: Option<&Trial>) -> KernelSearch {
        let default = self.default.configuration();
        let Plan { strategy, seed, .. } = self.plan;
        let known = match second {
            Some(second) => second.configuration.as_ref(),
            None => self.known.as_ref(),
        };
        let context = KernelContext {
            problem: self.plan.problem.clone(),
            device: self.row,
            generator: self.offer.provenance.generator,
        };
        KernelSearch::new(strategy, &self.space, &context, seed, default, known)
    }
}

fn checked(plan: &Plan, offer: &Offer) -> Result<CheckedPlan, TuneError> {
    let made = &offer.provenance;
    let unknown = || TuneError::UnknownDevice(made.device.clone());
    let row = offer.row().ok_or_else(unknown)?;
    Ok((default_choice(plan, made.target, made.generator)?, row))
}

/// Returns the generator's default for a problem whose kernels can be verified.
fn default_choice(
    plan: &Plan,
    target: &'static Target,
    generator: Generator,
) -> Result<Choice, TuneError> {
    let problem = &plan.problem;
    let default = default_configuration(problem, target, generator);
    let default = default.map_err(|rejection| TuneError::Problem {
        problem: Box::new(problem.clone()),
        rejection,
    })?;
    Inputs::bytes_of(problem)?;
    Ok(Choice::Default(default))
}
