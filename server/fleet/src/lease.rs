//! Leases: an agent has a batch for a while.

use std::sync::Arc;
use std::time::Duration;

use dispatch::{Delivery, Line, Receipt};
use serde::{Deserialize, Serialize};
use store::Trial;
use tokio::time::Instant;
use tracing::{info, warn};
use tuner::{Batch, BatchId, Event, Failure, News, Work};

use crate::Fleet;
use crate::active::Active;
use crate::error::FleetError;
use crate::letters::Letter;
use crate::order::line;
use crate::wire::{Ask, Heard, Hold, Lease, Tell};

/// Leases of one candidate at most: what nobody has brought to an end by then is given up.
pub const DELIVERIES: u64 = 3;

/// Longest wait for work: shorter than any client waits for an answer, and an agent that is gone is not waited for long.
pub const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// Pause before work goes to another agent whose last one could not do it.
const PAUSE: Duration = Duration::from_secs(1);

/// Offers of one agent at most.
const OFFERS: usize = 64;

/// What a lease is of; sealed into its token.
#[derive(Serialize, Deserialize)]
struct Held {
    agent: String,
    /// Hash of what is to be done, which the holder shows with what came of it.
    digest: String,
}

impl Fleet {
    /// Work for an agent, when there is some; none when it has waited as long as it wanted.
    ///
    /// # Errors
    ///
    /// `Said` where it offers nothing or too much; `Queue`; `Store`.
    pub async fn lease(&self, ask: Ask) -> Result<Option<Lease>, FleetError> {
        if ask.offers.is_empty() || ask.offers.len() > OFFERS {
            let count = ask.offers.len();
            let message = format!("{count} offers; an agent makes 1 to {OFFERS}");
            return Err(FleetError::Said(message));
        }
        self.agents.asked(&ask.agent, &ask.offers);
        let lines: Vec<Line> = ask.offers.iter().map(line).collect();
        let wait = Duration::from_secs(ask.wait_s.into()).min(LONGEST_WAIT);
        let end = Instant::now() + wait;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Some(delivery) = self.queue.next(&lines, left).await? else {
                return Ok(None);
            };
            if let Some(lease) = self.leased(&ask.agent, delivery).await? {
                return Ok(Some(lease));
            }
        }
    }

    /// The lease of what the queue has delivered, where it is still to be done.
    async fn leased(&self, agent: &str, delivery: Delivery) -> Result<Option<Lease>, FleetError> {
        let Some(batch) = self.to_do(&delivery).await? else {
            self.queue.done(&delivery.receipt).await?;
            return Ok(None);
        };
        let held = Held {
            agent: agent.to_owned(),
            digest: digest(&batch),
        };
        let held = serde_json::to_vec(&held).expect("its keys are text");
        Ok(Some(Lease {
            token: self.key.seal(&delivery.receipt, &held),
            batch,
            patience_s: self.queue.patience().as_secs() as u32,
        }))
    }

    /// What is still to be done of a delivery; none where nobody wants it any more, where it was delivered too often, and
    /// where it was sent again in parts.
    async fn to_do(&self, delivery: &Delivery) -> Result<Option<Batch>, FleetError> {
        let letter: Option<Letter> = serde_json::from_slice(&delivery.payload).ok();
        let wanted = letter.and_then(|letter| Some((self.wanted(&letter.batch.id)?, letter)));
        let Some((active, letter)) = wanted else {
            return Ok(None);
        };
        if delivery.deliveries > DELIVERIES {
            let reason = active.reason(&digest(&letter.batch), delivery.deliveries - 1);
            warn!(study = letter.batch.id.study, reason, "work given up");
            self.give_up(&active, &letter.batch, &reason).await?;
            return Ok(None);
        }
        // Somebody died with it, or lost it: whatever did that stands alone from now on.
        if delivery.deliveries > 1
            && let Some(parts) = letter.parts(&active)
        {
            for part in &parts {
                self.send(&active, part).await?;
            }
            return Ok(None);
        }
        let mut batch = letter.batch;
        if let Work::Try(candidates) = &mut batch.work {
            *candidates = active.missing(candidates);
            if candidates.is_empty() {
                return Ok(None);
            }
        }
        Ok(Some(batch))
    }

    /// The study that wants this done, if it is under way here.
    fn wanted(&self, id: &BatchId) -> Option<Arc<Active>> {
        let active = self.active().get(&id.study).cloned()?;
        (id.owner == active.owner).then_some(active)
    }

    /// Whose lease a token is, and of what.
    fn held(&self, token: &str) -> Result<(Receipt, Held), FleetError> {
        let (receipt, held) = self.key.open(token).map_err(|_| FleetError::NoLease)?;
        let held = serde_json::from_slice(&held).map_err(|_| FleetError::NoLease)?;
        Ok((receipt, held))
    }

    /// The holder of a lease is still at it.
    ///
    /// # Errors
    ///
    /// `NoLease`; `Queue`.
    pub async fn stay(&self, hold: Hold) -> Result<Heard, FleetError> {
        let (receipt, held) = self.held(&hold.token)?;
        self.agents.worked(&held.agent);
        let is_wanted = self.wanted(&hold.batch).is_some();
        if is_wanted {
            self.queue.stay(&receipt).await?;
        }
        Ok(Heard { is_wanted })
    }

    /// The holder of a lease will not do it.
    ///
    /// # Errors
    ///
    /// `NoLease`; `Queue`.
    pub async fn give_back(&self, hold: Hold) -> Result<(), FleetError> {
        let (receipt, _) = self.held(&hold.token)?;
        Ok(self.queue.give_back(&receipt, Duration::ZERO).await?)
    }

    /// The holder of a lease tells what came of it. When this returns, its trials are in the database.
    ///
    /// # Errors
    ///
    /// `NoLease`; `Said` where what is told is not of this lease; `Store`; `Queue`.
    pub async fn tell(&self, tell: Tell) -> Result<Heard, FleetError> {
        let (receipt, held) = self.held(&tell.token)?;
        self.agents.worked(&held.agent);
        let batch = &tell.batch;
        if digest(batch) != held.digest {
            return Err(FleetError::NoLease);
        }
        let Some(active) = self.wanted(&batch.id) else {
            return Ok(Heard { is_wanted: false });
        };
        let mut is_any_stored = false;
        let mut finals = None;
        let mut end = None;
        for news in tell.news {
            match news {
                News::Trial(trial) => {
                    check(batch, &trial)?;
                    is_any_stored |= self.store(&active, &trial).await?;
                }
                News::Finals(held) => match &batch.work {
                    Work::Finals { .. } => finals = Some(News::Finals(held)),
                    Work::Try(_) => return Err(said("finals of a lease of trials")),
                },
                News::Done => end = Some(Ok(())),
                News::Failed(failure) => end = Some(Err(failure)),
                News::Stored | News::Died => return Err(said("news that an agent has none of")),
            }
        }
        let stored = is_any_stored.then_some(News::Stored);
        for news in stored.into_iter().chain(finals) {
            let batch = batch.id.clone();
            active.tell(Event { batch, news });
        }
        let is_wanted = end.is_none();
        match end {
            None => self.queue.stay(&receipt).await?,
            // Who ends without having told all has lost some of it.
            Some(Ok(())) if is_any_missing(&active, batch) => {
                self.queue.give_back(&receipt, Duration::ZERO).await?;
            }
            Some(Ok(())) => self.queue.done(&receipt).await?,
            Some(Err(failure)) => {
                let reason = format!("{}: {}", held.agent, told(&failure));
                info!(
                    study = batch.id.study,
                    reason, "an agent could not do its work"
                );
                active.failed(held.digest, reason);
                self.queue.give_back(&receipt, PAUSE).await?;
            }
        }
        Ok(Heard { is_wanted })
    }
}

/// Whether something of a batch has not ended.
fn is_any_missing(active: &Active, batch: &Batch) -> bool {
    match &batch.work {
        Work::Try(candidates) => !active.missing(candidates).is_empty(),
        Work::Finals { .. } => false,
    }
}

/// What tells one batch from another.
fn digest(batch: &Batch) -> String {
    let text = serde_json::to_vec(batch).expect("its keys are text");
    blake3::hash(&text).to_hex().to_string()
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

/// A failure in words.
fn told(failure: &Failure) -> String {
    match failure {
        Failure::Device(error) => error.to_string(),
        Failure::Environment(message) => message.clone(),
        Failure::Builder(has) => format!("it builds kernels of {has}"),
    }
}
