//! Results: a lease report is in the database before the agent, its director or the queue learn
//! of it.

use std::time::{Duration, SystemTime};

use server_dispatch::{AckHandle, QueueError};
use store::{Finals, StudyId, Trial};
use tracing::info;
use tuner::{Batch, BatchContent, BatchEventKind, Failure};

use crate::Fleet;
use crate::bus_message::BusMessage;
use crate::checks;
use crate::counters::LeaseFailure;
use crate::error::{FleetError, was_there};
use crate::keys::digest;
use crate::lease::PAUSE;
use crate::lease_registry::SealedLease;
use crate::wire::{LeaseReply, LeaseReport};

/// The content of a lease report: results, and the end of the batch if it has ended.
struct BatchReport {
    trials: Vec<Trial>,
    finals: Option<Finals>,
    end: Option<Result<(), String>>,
}

impl Fleet {
    /// Stores a lease report. When this returns, its trials are in the database. This holds also
    /// if the study has stopped, or another agent holds the batch by now, because they are trials
    /// of the study.
    ///
    /// # Errors
    ///
    /// `NoLease`; `Said` if the report does not belong to this lease; `Store`; `Queue`.
    pub async fn record_report(&self, tell: LeaseReport) -> Result<LeaseReply, FleetError> {
        let (receipt, held) = self.open_lease(&tell.token)?;
        self.note_heartbeat(&held).await;
        let batch = &tell.batch;
        if digest(batch) != held.digest {
            return Err(FleetError::NoLease);
        }
        let told = BatchReport::of(batch, tell.news)?;
        let study = StudyId(batch.id.study);
        let Some(known) = self.known(study).await? else {
            // The study was deleted.
            self.release_lease(held, false).await;
            return Ok(LeaseReply { is_wanted: false });
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
        // A repeated report stores nothing, so the other replicas need no message.
        if stored > 0 || finals.is_some() {
            self.publish(&BusMessage::Stored(study.0)).await;
        }
        if !is_wanted {
            self.release_lease(held, false).await;
            return Ok(LeaseReply { is_wanted });
        }
        // The trials are stored, whether or not the queue still has the item. If it lost the
        // item, the director gives out the remaining candidates again.
        let is_complete = told.end == Some(Ok(())) && self.is_all_there(batch, &told).await?;
        let is_there = match &told.end {
            Some(Ok(())) if is_complete => self.broker.acknowledge(&receipt).await,
            Some(end) => self.give_up_lease(batch, end, &held, &receipt).await,
            None => self.broker.renew(&receipt).await,
        };
        let is_there = was_there(is_there)?;
        if !is_there {
            self.counters.failed(LeaseFailure::Lost);
        }
        let is_wanted = is_there && told.end.is_none();
        if !is_wanted {
            self.release_lease(held, !is_complete).await;
        }
        Ok(LeaseReply { is_wanted })
    }

    /// Gives back the queue item of a lease that ends without all results.
    async fn give_up_lease(
        &self,
        batch: &Batch,
        end: &Result<(), String>,
        held: &SealedLease,
        receipt: &AckHandle,
    ) -> Result<(), QueueError> {
        match end {
            // The agent has lost some of them.
            Ok(()) => {
                self.counters.failed(LeaseFailure::Incomplete);
                self.broker.give_back(receipt, Duration::ZERO).await
            }
            Err(reason) => {
                let (study, digest) = (batch.id.study, held.digest.clone());
                let reason = format!("{}: {reason}", held.agent);
                info!(study, reason, "an agent could not finish its lease");
                self.counters.failed(LeaseFailure::Failed);
                self.publish(&BusMessage::Failed { digest, reason }).await;
                self.broker.give_back(receipt, PAUSE).await
            }
        }
    }

    /// Returns true if the database has every result of a batch.
    async fn is_all_there(&self, batch: &Batch, told: &BatchReport) -> Result<bool, FleetError> {
        match &batch.work {
            // A report with every trial needs no query.
            BatchContent::Try(candidates) if told.trials.len() >= candidates.len() => Ok(true),
            BatchContent::Try(candidates) => Ok(self.missing(batch, candidates).await?.is_empty()),
            BatchContent::Finals { .. } if told.finals.is_some() => Ok(true),
            BatchContent::Finals { terms, .. } => {
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

impl BatchReport {
    /// Reads a report, and checks that it belongs to this batch.
    fn of(batch: &Batch, news: Vec<BatchEventKind>) -> Result<BatchReport, FleetError> {
        let mut told = BatchReport {
            trials: Vec::new(),
            finals: None,
            end: None,
        };
        for news in news {
            match news {
                BatchEventKind::Trial(trial) => {
                    check(batch, &trial)?;
                    checks::trial(&trial, SystemTime::now())?;
                    // A repeated trial replaces the earlier one of the same report.
                    told.trials.retain(|known| known.ordinal != trial.ordinal);
                    told.trials.push(*trial);
                }
                BatchEventKind::Finals(_) if matches!(batch.work, BatchContent::Try(_)) => {
                    return Err(said("finals of a lease of trials"));
                }
                BatchEventKind::Finals(Ok(finals)) => {
                    let written = tuner::stored_finals(&batch.work, &finals);
                    let written = written.ok_or_else(|| said("finals of another lease"))?;
                    checks::finals(&written)?;
                    told.finals = Some(written);
                }
                // The first failure is the outcome, whatever follows it.
                BatchEventKind::Finals(Err(reason)) => {
                    told.end = told.end.or(Some(Err(checks::reason(reason))));
                }
                BatchEventKind::Failed(failure) => {
                    let reason = checks::reason(in_words(&failure));
                    told.end = told.end.or(Some(Err(reason)));
                }
                BatchEventKind::Done => told.end = told.end.or(Some(Ok(()))),
                BatchEventKind::Stored | BatchEventKind::Died => {
                    return Err(said("an event that agents do not report"));
                }
            }
        }
        Ok(told)
    }
}

fn said(what: &str) -> FleetError {
    FleetError::Said(what.to_owned())
}

/// Checks that this batch asks for a trial.
fn check(batch: &Batch, trial: &Trial) -> Result<(), FleetError> {
    let BatchContent::Try(candidates) = &batch.work else {
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
            "trial {ordinal} is not part of the lease"
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
