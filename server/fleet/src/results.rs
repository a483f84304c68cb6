//! Results: what an agent tells of a lease is in the database before the agent, its director or the queue hear of it.

use std::time::{Duration, SystemTime};

use dispatch::Receipt;
use store::{Finals, StudyId, Trial};
use tracing::info;
use tuner::{Batch, Failure, News, Work};

use crate::Fleet;
use crate::checks;
use crate::counters::LeaseFailure;
use crate::error::{FleetError, was_there};
use crate::keys::digest;
use crate::lease::PAUSE;
use crate::leases::Held;
use crate::wire::{Heard, Tell};
use crate::words::Word;

/// What an agent told of a batch, and how it ended with it.
struct Told {
    trials: Vec<Trial>,
    finals: Option<Finals>,
    end: Option<Result<(), String>>,
}

impl Fleet {
    /// The holder of a lease tells what came of it. When this returns, its trials are in the database: also where the study
    /// does not go on, or somebody else has them made by now, for they are trials of the study.
    ///
    /// # Errors
    ///
    /// `NoLease`; `Said` where what is told is not of this lease; `Store`; `Queue`.
    pub async fn tell(&self, tell: Tell) -> Result<Heard, FleetError> {
        let (receipt, held) = self.held(&tell.token)?;
        self.is_at_it(&held).await;
        let batch = &tell.batch;
        if digest(batch) != held.digest {
            return Err(FleetError::NoLease);
        }
        let told = Told::of(batch, tell.news)?;
        let study = StudyId(batch.id.study);
        let Some(known) = self.known(study).await? else {
            // It was deleted.
            self.let_go(held).await;
            return Ok(Heard { is_wanted: false });
        };
        checks::bound(&told.trials, &known.order)?;
        let stored = self.store.record_trials(study, &told.trials).await?;
        self.counters.told(&told.trials);
        if stored > 0 {
            self.stall.restart();
        }
        let is_wanted = self.wanted(&batch.id).await?.is_some();
        let finals = told.finals.as_ref().filter(|_| is_wanted);
        if let Some(finals) = finals {
            self.store.record_finals(study, finals).await?;
        }
        if stored > 0 || finals.is_some() {
            self.say(&Word::Stored(study.0)).await;
        }
        if !is_wanted {
            self.let_go(held).await;
            return Ok(Heard { is_wanted });
        }
        // The trials are stored, whatever the queue still has. Of what it has lost the director gives out the rest again.
        let is_there = self.end_lease(batch, &told, &held, &receipt).await?;
        if !is_there {
            self.counters.failed(LeaseFailure::Lost);
        }
        let is_wanted = is_there && told.end.is_none();
        if !is_wanted {
            self.let_go(held).await;
        }
        Ok(Heard { is_wanted })
    }

    /// Tells the queue what becomes of a lease. Returns whether the queue still had its work.
    async fn end_lease(
        &self,
        batch: &Batch,
        told: &Told,
        held: &Held,
        receipt: &Receipt,
    ) -> Result<bool, FleetError> {
        let heard = match &told.end {
            None => self.carrier.stay(receipt).await,
            Some(Ok(())) if self.is_all_there(batch, told).await? => {
                self.carrier.done(receipt).await
            }
            // Who ends without having told all has lost some of it.
            Some(Ok(())) => {
                self.counters.failed(LeaseFailure::Incomplete);
                self.carrier.give_back(receipt, Duration::ZERO).await
            }
            Some(Err(reason)) => {
                let (study, digest) = (batch.id.study, held.digest.clone());
                let reason = format!("{}: {reason}", held.agent);
                info!(study, reason, "an agent could not do its work");
                self.counters.failed(LeaseFailure::Failed);
                self.say(&Word::Failed { digest, reason }).await;
                self.carrier.give_back(receipt, PAUSE).await
            }
        };
        Ok(was_there(heard)?)
    }

    /// Whether all that a batch asks for is in the database.
    async fn is_all_there(&self, batch: &Batch, told: &Told) -> Result<bool, FleetError> {
        match &batch.work {
            Work::Try(candidates) if told.trials.len() >= candidates.len() => Ok(true),
            Work::Try(candidates) => Ok(self.missing(batch, candidates).await?.is_empty()),
            Work::Finals { .. } if told.finals.is_some() => Ok(true),
            Work::Finals { terms, .. } => {
                let study = StudyId(batch.id.study);
                let finals = self
                    .store
                    .finals_of(study, terms.trials, terms.ties)
                    .await?;
                Ok(finals.is_some())
            }
        }
    }
}

impl Told {
    /// What was told, where it is of this batch.
    fn of(batch: &Batch, news: Vec<News>) -> Result<Told, FleetError> {
        let mut told = Told {
            trials: Vec::new(),
            finals: None,
            end: None,
        };
        for news in news {
            match news {
                News::Trial(trial) => {
                    check(batch, &trial)?;
                    checks::trial(&trial, SystemTime::now())?;
                    told.trials.retain(|known| known.ordinal != trial.ordinal);
                    told.trials.push(*trial);
                }
                News::Finals(_) if matches!(batch.work, Work::Try(_)) => {
                    return Err(said("finals of a lease of trials"));
                }
                News::Finals(Ok(finals)) => {
                    let written = tuner::written(&batch.work, &finals);
                    let written = written.ok_or_else(|| said("finals of another lease"))?;
                    checks::finals(&written)?;
                    told.finals = Some(written);
                }
                // The first failure is how it ended, whatever is said after it.
                News::Finals(Err(reason)) => {
                    told.end = told.end.or(Some(Err(checks::reason(reason))));
                }
                News::Failed(failure) => {
                    let reason = checks::reason(in_words(&failure));
                    told.end = told.end.or(Some(Err(reason)));
                }
                News::Done => told.end = told.end.or(Some(Ok(()))),
                News::Stored | News::Died => return Err(said("news that an agent has none of")),
            }
        }
        Ok(told)
    }
}

fn said(what: &str) -> FleetError {
    FleetError::Said(what.to_owned())
}

/// Whether a trial is one that this batch asks for.
fn check(batch: &Batch, trial: &Trial) -> Result<(), FleetError> {
    let Work::Try(candidates) = &batch.work else {
        return Err(said("a trial of a lease of finals"));
    };
    let ordinal = trial.ordinal;
    let mut candidates = candidates.iter();
    let candidate = candidates.find(|candidate| candidate.ordinal == ordinal);
    let is_it = candidate.is_some_and(|candidate| {
        candidate.choice.configuration() == trial.configuration.as_ref()
            && candidate.choice.role() == trial.role
            && batch.job.input_seed == trial.input_seed
    });
    match is_it {
        true => Ok(()),
        false => Err(FleetError::Said(format!(
            "trial {ordinal} is not what the lease asks for"
        ))),
    }
}

fn in_words(failure: &Failure) -> String {
    match failure {
        Failure::Device(error) => error.to_string(),
        Failure::Environment(message) | Failure::Job(message) => message.clone(),
        Failure::Builder(has) => format!("it builds kernels of {has}"),
    }
}
