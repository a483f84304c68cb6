//! Leases: an agent holds a batch for a while. Any replica leases batches and receives their
//! results.

use std::sync::Arc;
use std::time::Duration;

use server_dispatch::{AckHandle, Delivery, QueueError, Topic};
use tokio::time::Instant;
use tracing::warn;
use tuner::{Batch, BatchContent, Offer, Toolchain};

use crate::Fleet;
use crate::agent_registry::AgentCapabilities;
use crate::bus_message::BusMessage;
use crate::checks;
use crate::counters::LeaseFailure;
use crate::error::{FleetError, was_there};
use crate::keys::{SignedKernels, digest};
use crate::lease_registry::{LeaseSummary, SealedLease};
use crate::queue_payload::BatchPayload;
use crate::study_cache::CachedStudy;
use crate::study_request::{build_topic, topic};
use crate::wire::{Condition, Lease, LeaseReference, LeaseReply, LeaseRequest};

/// Most leases of one candidate. A candidate without a result by then is given up.
pub const DELIVERIES: u64 = 3;

/// Longest wait for a batch: shorter than any client waits for an answer, and short enough that
/// an agent that is gone blocks little.
pub const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// Pause before a batch goes to another agent, after one that could not do it.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);

/// Time for which an idle device waits for kernels of build agents, before it takes batches that
/// nobody has built.
const HEAD_START: Duration = Duration::from_secs(1);

/// The decision about a delivery.
enum LeaseDecision {
    /// The agent leases it, with kernels from a build agent if there are some.
    Leased(Box<Batch>, Option<SignedKernels>),
    /// Nothing of it is left to do.
    Over,
    /// The queue delivers it again, until its director knows that it is given up.
    Again,
}

impl Fleet {
    /// Leases a batch to an agent. Returns none after the agent's wait, when this replica
    /// dismisses all that wait, or if the agent reports a quarantined device.
    ///
    /// # Errors
    ///
    /// `Said` if its name or an offer is invalid; `Queue`; `Store`.
    pub async fn lease(&self, ask: LeaseRequest) -> Result<Option<Lease>, FleetError> {
        checks::agent(&ask.agent)?;
        checks::offers(&ask.offers)?;
        let is_left_alone = ask.devices.iter().any(Condition::is_left_alone);
        let offered = AgentCapabilities {
            offers: ask.offers.clone(),
            builds: Vec::new(),
            devices: ask.devices,
        };
        // Note the agent before the quarantine check: operators see its devices also while they
        // rest.
        self.is_there(&ask.agent, offered).await;
        if is_left_alone {
            return Ok(None);
        }
        let wait = Duration::from_secs(ask.wait_s.into()).min(LONGEST_WAIT);
        let end = Instant::now() + wait;
        loop {
            let taken = self.unless_dismissed(self.taken(&ask.offers, end));
            let Some(delivery) = taken.await? else {
                return Ok(None);
            };
            let receipt = &delivery.ack_handle;
            match self.fate(&delivery).await {
                Ok(LeaseDecision::Leased(batch, kernels)) => {
                    return Ok(Some(Lease {
                        token: self
                            .given(
                                &ask.agent,
                                receipt,
                                digest(&batch),
                                LeaseSummary::of(&batch, false),
                            )
                            .await,
                        batch: *batch,
                        kernels,
                        patience_s: self.patience_s(),
                    }));
                }
                Ok(LeaseDecision::Over) => _ = was_there(self.broker.acknowledge(receipt).await)?,
                Ok(LeaseDecision::Again) => {
                    was_there(self.broker.give_back(receipt, PAUSE).await)?;
                }
                Err(error) => {
                    // If that fails, too, the item comes back after the queue's patience.
                    self.broker.give_back(receipt, PAUSE).await.ok();
                    return Err(error);
                }
            }
        }
    }

    /// Awaits a delivery; returns none as soon as this replica dismisses all that wait.
    pub(crate) async fn unless_dismissed(
        &self,
        taking: impl Future<Output = Result<Option<Delivery>, QueueError>>,
    ) -> Result<Option<Delivery>, QueueError> {
        let mut dismissed = self.is_dismissing.subscribe();
        tokio::select! {
            // The dismissal goes first: a delivery taken now would reach a client that is told to
            // leave.
            biased;
            _ = dismissed.wait_for(|is_set| *is_set) => Ok(None),
            taken = taking => taken,
        }
    }

    /// Takes the next delivery for these offers until `end`. Batches that no build agent has
    /// built come last.
    async fn taken(&self, offers: &[Offer], end: Instant) -> Result<Option<Delivery>, QueueError> {
        let lines: Vec<Topic> = offers.iter().map(topic).collect();
        let all = offers.iter().map(build_topic);
        let all: Vec<Topic> = lines.iter().cloned().chain(all).collect();
        let toolchains = offers.iter().map(|one| Toolchain::from(&one.provenance));
        let toolchains: Vec<Toolchain> = toolchains.collect();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                // A caller that does not wait leaves unbuilt batches to build agents.
                return self.broker.next(&lines, left).await;
            }
            let is_any_built = toolchains.iter().any(|one| self.agents.building(one) > 0);
            let pause = if is_any_built { HEAD_START } else { left };
            let mut taken = self.broker.next(&lines, left.min(pause)).await?;
            if taken.is_none() {
                taken = self.broker.next(&all, Duration::ZERO).await?;
            }
            if taken.is_some() || Instant::now() >= end {
                return Ok(taken);
            }
        }
    }

    /// Notes that an agent asks for work, tells the other replicas if that is due, and begins the
    /// studies that waited for it.
    pub(crate) async fn is_there(&self, name: &str, offered: AgentCapabilities) {
        let arrival = self.agents.asked(name, &offered);
        if arrival.is_to_be_told {
            let name = name.to_owned();
            self.publish(&BusMessage::Agent { name, offered }).await;
        }
        if arrival.is_new {
            self.wake().await;
        }
    }

    /// Creates the token of a new lease, and tells the other replicas of it.
    pub(crate) async fn given(
        &self,
        agent: &str,
        receipt: &AckHandle,
        digest: String,
        task: LeaseSummary,
    ) -> String {
        let held = SealedLease {
            agent: agent.to_owned(),
            digest,
            task,
        };
        let token = serde_json::to_vec(&held).expect("its keys are text");
        let token = self.keys.leases.seal(receipt, &token);
        self.counters.granted();
        self.history.began(&held);
        self.tell_lease(&held).await;
        token
    }

    /// Tells all replicas of a lease, if a message is due.
    async fn tell_lease(&self, held: &SealedLease) {
        if self.leases.worked(held) {
            self.publish(&BusMessage::Held(held.clone())).await;
        }
    }

    /// Notes that a lease is over, and tells all replicas. It speaks against its batch if it is a
    /// failure.
    pub(crate) async fn release_lease(&self, held: SealedLease, is_failure: bool) {
        self.forget_lease(&held, is_failure);
        self.publish(&BusMessage::Over { held, is_failure }).await;
    }

    pub(crate) fn forget_lease(&self, held: &SealedLease, is_failure: bool) {
        self.leases.end(&held.agent, &held.digest);
        if !is_failure {
            self.history.forget(&held.digest, held.task.since);
        }
    }

    /// Returns the seconds for which the holder of a lease may be silent.
    pub(crate) fn patience_s(&self) -> u32 {
        self.broker.patience().as_secs() as u32
    }

    /// Decides about a delivery. Nothing is left to do if no director wants it, after too many
    /// leases, or after it was split into parts.
    async fn fate(&self, delivery: &Delivery) -> Result<LeaseDecision, FleetError> {
        let Ok(letter) = serde_json::from_slice::<BatchPayload>(&delivery.payload) else {
            return Ok(LeaseDecision::Over);
        };
        let Some(known) = self.wanted(&letter.batch.id).await? else {
            return Ok(LeaseDecision::Over);
        };
        let missing = match &letter.batch.work {
            BatchContent::Try(candidates) => Some(self.missing(&letter.batch, candidates).await?),
            BatchContent::Finals { .. } => None,
        };
        if missing.as_ref().is_some_and(Vec::is_empty) {
            return Ok(LeaseDecision::Over);
        }
        let is_again = delivery.deliveries > 1;
        if is_again {
            self.counters.redelivered();
        }
        // The earlier holder may have been a build agent, so that the lease says nothing about
        // the trials.
        if letter.is_to_build && is_again {
            self.enqueue(&known.order, &letter.for_device(None)).await?;
            return Ok(LeaseDecision::Over);
        }
        let is_several = letter.is_of_several();
        let alone = (!is_several).then(|| digest(&letter.batch));
        let given_up = alone.filter(|digest| self.history.leases(digest) >= DELIVERIES);
        if let Some(digest) = given_up {
            let reason = self.history.reason(&digest);
            warn!(study = letter.batch.id.study, reason, "work given up");
            let Some(missing) = missing else {
                return Ok(self.lose_finals(&letter.batch, reason).await);
            };
            self.give_up(&letter.batch, &missing, &reason).await?;
            return Ok(LeaseDecision::Over);
        }
        let Some(missing) = missing else {
            return Ok(LeaseDecision::Leased(Box::new(letter.batch), None));
        };
        // An agent died with it, or lost it: from now on each candidate stands alone, so that the
        // guilty one is found.
        if is_again && is_several {
            return self.split(&known, &letter, missing).await;
        }
        let batch = Batch {
            work: BatchContent::Try(missing),
            ..letter.batch.clone()
        };
        // After a lost lease the agent builds the kernels itself, and likewise if only a part of
        // the built batch is left.
        let is_whole = !is_again && batch == letter.batch;
        let kernels = letter.kernels.filter(|_| is_whole);
        Ok(LeaseDecision::Leased(Box::new(batch), kernels))
    }

    async fn split(
        &self,
        known: &Arc<CachedStudy>,
        letter: &BatchPayload,
        missing: Vec<tuner::Candidate>,
    ) -> Result<LeaseDecision, FleetError> {
        for part in letter.parts(missing) {
            self.enqueue(&known.order, &part).await?;
        }
        Ok(LeaseDecision::Over)
    }

    /// Tells the director that its finals are given up. The item comes again until then, because
    /// no row of a database says so.
    async fn lose_finals(&self, batch: &Batch, reason: String) -> LeaseDecision {
        let (study, director) = (batch.id.study, batch.id.owner.clone());
        let lost = BusMessage::FinalsLost {
            study,
            director,
            reason,
        };
        self.publish(&lost).await;
        LeaseDecision::Again
    }

    /// Opens a token: returns its ack handle and its sealed lease.
    pub(crate) fn open_lease(&self, token: &str) -> Result<(AckHandle, SealedLease), FleetError> {
        let (receipt, held) = self
            .keys
            .leases
            .open(token)
            .map_err(|_| FleetError::NoLease)?;
        let held = serde_json::from_slice(&held).map_err(|_| FleetError::NoLease)?;
        Ok((receipt, held))
    }

    /// Notes that the holder of a lease works.
    pub(crate) async fn note_heartbeat(&self, held: &SealedLease) {
        if let Some(offered) = self.agents.worked(&held.agent) {
            let name = held.agent.clone();
            self.publish(&BusMessage::Agent { name, offered }).await;
        }
        self.tell_lease(held).await;
    }

    /// Renews a lease.
    ///
    /// # Errors
    ///
    /// `NoLease`; `Queue`; `Store`.
    pub async fn renew_lease(&self, hold: LeaseReference) -> Result<LeaseReply, FleetError> {
        let (receipt, held) = self.open_lease(&hold.token)?;
        self.note_heartbeat(&held).await;
        let is_wanted = self.wanted(&hold.batch).await?.is_some();
        if is_wanted && was_there(self.broker.renew(&receipt).await)? {
            return Ok(LeaseReply { is_wanted });
        }
        if is_wanted {
            self.counters.failed(LeaseFailure::Lost);
        }
        self.release_lease(held, is_wanted).await;
        Ok(LeaseReply { is_wanted: false })
    }

    /// Gives back a lease that its holder will not finish.
    ///
    /// # Errors
    ///
    /// `NoLease`; `Queue`.
    pub async fn give_back(&self, hold: LeaseReference) -> Result<(), FleetError> {
        let (receipt, held) = self.open_lease(&hold.token)?;
        self.release_lease(held, false).await;
        let given = self.broker.give_back(&receipt, Duration::ZERO).await;
        was_there(given)?;
        Ok(())
    }
}
