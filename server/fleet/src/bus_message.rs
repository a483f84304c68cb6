//! Messages between the replicas of a service, so that none polls the database to learn of an
//! event.
//!
//! The bus may lose a message: every task that waits for one also looks from time to time.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use store::StudyId;
use tokio::sync::broadcast::error::RecvError;
use tracing::warn;
use tuner::{BatchEvent, BatchEventKind, BatchId};

use crate::Fleet;
use crate::agent_registry::AgentCapabilities;
use crate::lease_registry::SealedLease;

/// A message to all replicas.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BusMessage {
    /// The database has new trials or finals of a study.
    Stored(i64),
    /// A study has another state or another director.
    Changed(i64),
    /// A replica gave up the finals that this director gave out.
    FinalsLost {
        study: i64,
        director: String,
        reason: String,
    },
    /// An agent could not do the batch or the build with this digest.
    Failed { digest: String, reason: String },
    /// An agent is present.
    Agent {
        name: String,
        #[serde(flatten)]
        offered: AgentCapabilities,
    },
    /// An agent holds a lease.
    Held(SealedLease),
    /// A lease is over.
    Over {
        #[serde(flatten)]
        held: SealedLease,
        /// True if it speaks against its batch.
        is_failure: bool,
    },
    /// A replica that has just started asks for the present agents.
    Who,
}

impl Fleet {
    /// Publishes a message to all replicas, including this one.
    pub(crate) async fn publish(&self, word: &BusMessage) {
        let word = serde_json::to_vec(word).expect("its keys are text");
        self.broker.publish(word.into()).await;
    }

    /// Handles the messages of all replicas.
    pub(crate) async fn follow_bus(self: Arc<Fleet>) {
        let mut words = self.broker.subscribe();
        // Other replicas answer with their agents; without it the list would stay empty for 15 s.
        self.publish(&BusMessage::Who).await;
        loop {
            match words.recv().await {
                Ok(word) => match serde_json::from_slice(&word) {
                    Ok(word) => self.heard(word).await,
                    Err(error) => warn!(%error, "a bus message of another version"),
                },
                // Every task that waits for a message also reads the database from time to time.
                Err(RecvError::Lagged(missed)) => warn!(missed, "bus messages were missed"),
                Err(RecvError::Closed) => return,
            }
        }
    }

    async fn heard(self: &Arc<Fleet>, word: BusMessage) {
        match word {
            BusMessage::Stored(study) => {
                self.stall.restart();
                self.tell_director(study, None, BatchEventKind::Stored);
                self.ring(StudyId(study));
            }
            BusMessage::Changed(study) => {
                self.runs.forget(study);
                self.ring(StudyId(study));
                self.check_director(StudyId(study)).await;
            }
            BusMessage::FinalsLost {
                study,
                director,
                reason,
            } => self.tell_director(study, Some(&director), BatchEventKind::Finals(Err(reason))),
            BusMessage::Failed { digest, reason } => self.history.failed(&digest, reason),
            BusMessage::Agent { name, offered } => {
                if self.agents.heard(&name, &offered) {
                    self.wake().await;
                }
            }
            BusMessage::Held(held) => {
                self.history.began(&held);
                self.leases.heard(held);
            }
            BusMessage::Over { held, is_failure } => self.forget_lease(&held, is_failure),
            BusMessage::Who => {
                // Each replica answers for the agents that contacted it, so no agent appears once
                // per replica.
                for (name, offered) in self.agents.own() {
                    self.publish(&BusMessage::Agent { name, offered }).await;
                }
            }
        }
    }

    /// Sends an event to the director of a study, if this replica runs it. If `name` is given,
    /// the director must have that name.
    fn tell_director(&self, study: i64, name: Option<&str>, news: BatchEventKind) {
        let active = self.active().get(&study).cloned();
        let is_it = |owner: &str| name.is_none_or(|name| name == owner);
        if let Some(active) = active.filter(|active| is_it(&active.owner)) {
            let batch = BatchId {
                owner: active.owner.clone(),
                study,
                number: 0,
            };
            active.tell(BatchEvent { batch, news });
        }
    }
}
