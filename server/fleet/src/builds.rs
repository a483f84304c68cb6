//! Builds: agents without a device build kernels for batches that wait for one. Any replica gives
//! out the builds and receives the kernels.
//!
//! A batch of trials waits in one topic at a time: first for build agents, and then, with its
//! kernels, for agents with the device. If nothing waits for these, they also take from the build
//! topic. If a build fails, the batch reaches a device without kernels, and the agent there
//! builds them.

use std::time::Duration;

use server_dispatch::{Delivery, QueueError, QueueFault};
use tokio::time::Instant;
use tracing::{debug, warn};
use tuner::{Batch, BatchContent, Pack, Toolchain};

use crate::Fleet;
use crate::agent_registry::AgentCapabilities;
use crate::checks;
use crate::error::{FleetError, was_there};
use crate::keys::{PublicKey, Purpose, digest};
use crate::lease::{LONGEST_WAIT, PAUSE};
use crate::lease_registry::LeaseSummary;
use crate::queue_payload::BatchPayload;
use crate::wire::{BuildLease, BuildRequest, BuiltKernels, LeaseReply};

/// Time between two looks for devices, while no agent offers one.
const LOOK: Duration = Duration::from_millis(500);

/// Returns the digest that a build token seals. It differs from that of the batch, so that the
/// token cannot report results.
fn to_build(batch: &Batch) -> String {
    format!("build {}", digest(batch))
}

impl Fleet {
    /// Leases a batch to a build agent. Returns none after the agent's wait, or when this replica
    /// dismisses all that wait.
    ///
    /// # Errors
    ///
    /// `Said` if its name or a toolchain is invalid; `Queue`; `Store`.
    pub async fn lease_build(&self, ask: BuildRequest) -> Result<Option<BuildLease>, FleetError> {
        checks::agent(&ask.agent)?;
        checks::toolchains(&ask.builds)?;
        let offered = AgentCapabilities {
            builds: ask.builds.clone(),
            ..AgentCapabilities::default()
        };
        self.is_there(&ask.agent, offered).await;
        let wait = Duration::from_secs(ask.wait_s.into()).min(LONGEST_WAIT);
        let end = Instant::now() + wait;
        loop {
            let taken = self.unless_dismissed(self.taken_to_build(&ask.builds, end));
            let Some(delivery) = taken.await? else {
                return Ok(None);
            };
            match self.build_of(&ask.agent, &delivery).await {
                Ok(Some(build)) => return Ok(Some(build)),
                Ok(None) => _ = was_there(self.broker.acknowledge(&delivery.ack_handle).await)?,
                Err(error) => {
                    // If that fails, too, the item comes back after the queue's patience.
                    self.broker
                        .give_back(&delivery.ack_handle, PAUSE)
                        .await
                        .ok();
                    return Err(error);
                }
            }
        }
    }

    /// Takes the next delivery for these toolchains, until `end`.
    async fn taken_to_build(
        &self,
        builds: &[Toolchain],
        end: Instant,
    ) -> Result<Option<Delivery>, QueueError> {
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let lines = self.agents.lines_to_build(builds);
            if !lines.is_empty() {
                return self.broker.next(&lines, left).await;
            }
            if left.is_zero() {
                return Ok(None);
            }
            tokio::time::sleep(left.min(LOOK)).await;
        }
    }

    /// Returns the build of a delivery. Returns none if no director wants it any more. Also
    /// returns none after an earlier lease of it: then the batch goes to a device.
    async fn build_of(
        &self,
        agent: &str,
        delivery: &Delivery,
    ) -> Result<Option<BuildLease>, FleetError> {
        let Ok(letter) = serde_json::from_slice::<BatchPayload>(&delivery.payload) else {
            return Ok(None);
        };
        let Some(known) = self.wanted(&letter.batch.id).await? else {
            return Ok(None);
        };
        // The earlier builder died or gave up. A second one could, too, and the agent with the
        // device can always build.
        if delivery.deliveries > 1 {
            self.counters.redelivered();
            self.enqueue(&known.order, &letter.for_device(None)).await?;
            return Ok(None);
        }
        let BatchContent::Try(candidates) = &letter.batch.work else {
            return Ok(None);
        };
        let missing = self.missing(&letter.batch, candidates).await?;
        if missing.is_empty() {
            return Ok(None);
        }
        let batch = Batch {
            work: BatchContent::Try(missing),
            ..letter.batch
        };
        let made = &known.order.offer.provenance;
        Ok(Some(BuildLease {
            token: self
                .given(
                    agent,
                    &delivery.ack_handle,
                    to_build(&batch),
                    LeaseSummary::of(&batch, true),
                )
                .await,
            batch,
            toolchain: Toolchain::from(made),
            target: made.target,
            patience_s: self.patience_s(),
        }))
    }

    /// Receives the kernels of a build lease, or the report that none could be built. When this
    /// returns, the batch waits for a device. The agent may repeat it.
    ///
    /// # Errors
    ///
    /// `NoLease`; `Said` if the content is no pack of kernels; `Store`; `Queue`.
    pub async fn hand_in(&self, built: BuiltKernels) -> Result<LeaseReply, FleetError> {
        let (receipt, held) = self.open_lease(&built.token)?;
        self.note_heartbeat(&held).await;
        if held.digest != to_build(&built.batch) {
            return Err(FleetError::NoLease);
        }
        // Refuse an unreadable pack here: only signed content reaches a device's agent.
        if let Some(Err(error)) = built.kernels.as_deref().map(Pack::read) {
            warn!(agent = held.agent, %error, "built kernels are refused");
            return Err(FleetError::Said(error.to_string()));
        }
        let study = built.batch.id.study;
        let Some(known) = self.wanted(&built.batch.id).await? else {
            self.release_lease(held, false).await;
            return Ok(LeaseReply { is_wanted: false });
        };
        let made = &known.order.offer.provenance;
        let toolchain = Toolchain::from(made);
        let signed = built.kernels.map(|kernels| {
            let purpose = Purpose {
                batch: &built.batch,
                toolchain: &toolchain,
                target: made.target,
            };
            self.keys.sign(purpose, kernels)
        });
        debug!(
            study,
            batch = built.batch.id.number,
            built = signed.is_some(),
            "handed in"
        );
        let letter = BatchPayload::of(built.batch, false);
        let with = letter.clone().for_device(signed);
        // Kernels larger than an item of the queue stay out: the agent with the device builds
        // them again.
        match self.enqueue(&known.order, &with).await {
            Err(QueueError {
                fault: QueueFault::TooLarge { .. },
                ..
            }) => self.enqueue(&known.order, &letter).await?,
            sent => sent?,
        }
        self.release_lease(held, false).await;
        was_there(self.broker.acknowledge(&receipt).await)?;
        Ok(LeaseReply { is_wanted: true })
    }

    /// Returns the key by which agents verify that kernels come from this service.
    pub fn public_key(&self) -> PublicKey {
        self.keys.public()
    }
}
