//! Leases: an agent has a batch for a while. Any replica gives them out and hears of them.

use std::sync::Arc;
use std::time::Duration;

use dispatch::{Delivery, Line, Receipt};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use tracing::warn;
use tuner::{Batch, Work};

use crate::Fleet;
use crate::error::FleetError;
use crate::known::Known;
use crate::letters::Letter;
use crate::order::line;
use crate::wire::{Ask, Heard, Hold, Lease};
use crate::words::Word;

/// Leases of one candidate at most: what nobody has brought to an end by then is given up.
pub const DELIVERIES: u64 = 3;

/// Longest wait for work: shorter than any client waits for an answer, and an agent that is gone is not waited for long.
pub const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// Pause before work goes to another agent whose last one could not do it.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);

/// Offers of one agent at most.
const OFFERS: usize = 64;

/// What a lease is of; sealed into its token.
#[derive(Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) agent: String,
    /// Hash of what is to be done, which the holder shows with what came of it.
    pub(crate) digest: String,
}

/// What is to become of a delivery.
enum Fate {
    /// It is leased.
    Leased(Box<Batch>),
    /// There is nothing to be done about it any more.
    Over,
    /// It comes again, until its director knows that it is given up.
    Again,
}

impl Fleet {
    /// Work for an agent, when there is some; none when it has waited as long as it wanted, or nobody is to wait any longer.
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
        if self.agents.asked(&ask.agent, &ask.offers) {
            let (name, offers) = (ask.agent.clone(), ask.offers.clone());
            self.say(&Word::Agent { name, offers }).await;
        }
        let lines: Vec<Line> = ask.offers.iter().map(line).collect();
        let wait = Duration::from_secs(ask.wait_s.into()).min(LONGEST_WAIT);
        let end = Instant::now() + wait;
        let mut dismissed = self.is_dismissing.subscribe();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let taken = tokio::select! {
                biased;
                _ = dismissed.wait_for(|is_set| *is_set) => None,
                taken = self.carrier.next(&lines, left) => taken?,
            };
            let Some(delivery) = taken else {
                return Ok(None);
            };
            let receipt = &delivery.receipt;
            match self.fate(&delivery).await {
                Ok(Fate::Leased(batch)) => {
                    return Ok(Some(self.sealed(&ask.agent, receipt, *batch)));
                }
                Ok(Fate::Over) => self.carrier.done(receipt).await?,
                Ok(Fate::Again) => self.carrier.give_back(receipt, PAUSE).await?,
                Err(error) => {
                    // If that fails, too, it comes back by itself.
                    self.carrier.give_back(receipt, PAUSE).await.ok();
                    return Err(error);
                }
            }
        }
    }

    fn sealed(&self, agent: &str, receipt: &Receipt, batch: Batch) -> Lease {
        let held = Held {
            agent: agent.to_owned(),
            digest: digest(&batch),
        };
        let held = serde_json::to_vec(&held).expect("its keys are text");
        Lease {
            token: self.key.seal(receipt, &held),
            batch,
            patience_s: self.carrier.patience().as_secs() as u32,
        }
    }

    /// What is still to be done of a delivery: nothing where nobody wants it any more, where it was delivered too often, and
    /// where it was sent again in parts.
    async fn fate(&self, delivery: &Delivery) -> Result<Fate, FleetError> {
        let Ok(letter) = serde_json::from_slice::<Letter>(&delivery.payload) else {
            return Ok(Fate::Over);
        };
        let Some(known) = self.wanted(&letter.batch.id).await? else {
            return Ok(Fate::Over);
        };
        let missing = match &letter.batch.work {
            Work::Try(candidates) => Some(self.missing(&letter.batch, candidates).await?),
            Work::Finals { .. } => None,
        };
        if missing.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Fate::Over);
        }
        let leases = delivery.deliveries - 1;
        if leases >= DELIVERIES {
            let reason = self.failures.reason(&digest(&letter.batch), leases);
            warn!(study = letter.batch.id.study, reason, "work given up");
            let Some(missing) = missing else {
                return Ok(self.lose_finals(&letter.batch, reason).await);
            };
            self.give_up(&letter.batch, &missing, &reason).await?;
            return Ok(Fate::Over);
        }
        let Some(missing) = missing else {
            return Ok(Fate::Leased(Box::new(letter.batch)));
        };
        // Somebody died with it, or lost it: whatever did that stands alone from now on.
        if leases > 0 && letter.is_of_several() {
            return self.split(&known, &letter, missing).await;
        }
        Ok(Fate::Leased(Box::new(Batch {
            work: Work::Try(missing),
            ..letter.batch
        })))
    }

    async fn split(
        &self,
        known: &Arc<Known>,
        letter: &Letter,
        missing: Vec<tuner::Candidate>,
    ) -> Result<Fate, FleetError> {
        for part in letter.parts(missing) {
            self.send(&known.order, &part).await?;
        }
        Ok(Fate::Over)
    }

    /// Finals are given up when their director knows it: no row of a database says so.
    async fn lose_finals(&self, batch: &Batch, reason: String) -> Fate {
        let (study, director) = (batch.id.study, batch.id.owner.clone());
        let lost = Word::FinalsLost {
            study,
            director,
            reason,
        };
        self.say(&lost).await;
        Fate::Again
    }

    /// Whose lease a token is, and of what.
    pub(crate) fn held(&self, token: &str) -> Result<(Receipt, Held), FleetError> {
        let (receipt, held) = self.key.open(token).map_err(|_| FleetError::NoLease)?;
        let held = serde_json::from_slice(&held).map_err(|_| FleetError::NoLease)?;
        Ok((receipt, held))
    }

    /// The agent that has a lease is at it.
    pub(crate) async fn is_at_it(&self, agent: &str) {
        if let Some(offers) = self.agents.worked(agent) {
            let name = agent.to_owned();
            self.say(&Word::Agent { name, offers }).await;
        }
    }

    /// The holder of a lease is still at it.
    ///
    /// # Errors
    ///
    /// `NoLease`; `Queue`; `Store`.
    pub async fn stay(&self, hold: Hold) -> Result<Heard, FleetError> {
        let (receipt, held) = self.held(&hold.token)?;
        self.is_at_it(&held.agent).await;
        let is_wanted = self.wanted(&hold.batch).await?.is_some();
        if is_wanted {
            self.carrier.stay(&receipt).await?;
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
        Ok(self.carrier.give_back(&receipt, Duration::ZERO).await?)
    }
}

/// What tells one batch from another.
pub(crate) fn digest(batch: &Batch) -> String {
    let text = serde_json::to_vec(batch).expect("its keys are text");
    blake3::hash(&text).to_hex().to_string()
}
