//! Builds: agents without a device build what waits for one. Any replica gives them out, and takes in what was built.
//!
//! What is to be tried waits in one place at a time: first where those look who build, and then, with its kernels, where those
//! look who have the device. These take from the first place, too, when nothing waits for them in the second. Whatever goes
//! wrong with building, a batch comes to a device without kernels, and is built there.

use std::time::Duration;

use dispatch::{Delivery, QueueError, QueueFault};
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

/// Time between two looks which devices are there, while none is.
const LOOK: Duration = Duration::from_millis(500);

/// What is sealed into the token of a build: no results can be told with it.
fn to_build(batch: &Batch) -> String {
    format!("build {}", digest(batch))
}

impl Fleet {
    /// Something to build, when there is something; none when the agent has waited as long as it wanted, or
    /// nobody is to wait any longer.
    ///
    /// # Errors
    ///
    /// `Said` where its name or what it builds with cannot be; `Queue`; `Store`.
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
                    // If that fails, too, it comes back by itself.
                    self.broker
                        .give_back(&delivery.ack_handle, PAUSE)
                        .await
                        .ok();
                    return Err(error);
                }
            }
        }
    }

    /// What waits for those who build with this, until then.
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

    /// What is to be built of a delivery. Nothing where nobody wants it any more; and nothing where somebody has had it before,
    /// and it goes to a device.
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

    /// The holder of a build hands in what it has built, or that it could build nothing. When this returns, the batch waits for
    /// a device. It may be said twice.
    ///
    /// # Errors
    ///
    /// `NoLease`; `Said` where what is handed in are no kernels; `Store`; `Queue`.
    pub async fn hand_in(&self, built: BuiltKernels) -> Result<LeaseReply, FleetError> {
        let (receipt, held) = self.open_lease(&built.token)?;
        self.note_heartbeat(&held).await;
        if held.digest != to_build(&built.batch) {
            return Err(FleetError::NoLease);
        }
        if let Some(Err(error)) = built.kernels.as_deref().map(Pack::read) {
            warn!(agent = held.agent, %error, "what was built is refused");
            return Err(FleetError::Said(error.to_string()));
        }
        let study = built.batch.id.study;
        let Some(known) = self.wanted(&built.batch.id).await? else {
            self.release_lease(held).await;
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
        match self.enqueue(&known.order, &with).await {
            Err(QueueError {
                fault: QueueFault::TooLarge { .. },
                ..
            }) => self.enqueue(&known.order, &letter).await?,
            sent => sent?,
        }
        self.release_lease(held).await;
        was_there(self.broker.acknowledge(&receipt).await)?;
        Ok(LeaseReply { is_wanted: true })
    }

    /// By what agents know that kernels come from this service.
    pub fn public_key(&self) -> PublicKey {
        self.keys.public()
    }
}
