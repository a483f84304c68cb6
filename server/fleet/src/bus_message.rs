//! What replicas of a service tell each other, so that none has to look into the database to know that something happened.
//!
//! A word may be lost: whoever waits for one also looks from time to time.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use store::StudyId;
use tokio::sync::broadcast::error::RecvError;
use tracing::warn;
use tuner::{BatchEvent, BatchEventKind, BatchId};

use crate::Fleet;
use crate::agent_registry::AgentCapabilities;
use crate::lease_registry::SealedLease;

/// A word to all replicas.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BusMessage {
    /// Trials or finals of a study are in the database.
    Stored(i64),
    /// Whether a study goes on, or who directs it, is another than before.
    Changed(i64),
    /// Finals that this director gave out were given up.
    FinalsLost {
        study: i64,
        director: String,
        reason: String,
    },
    /// Somebody could not do what has this digest.
    Failed { digest: String, reason: String },
    /// An agent is there.
    Agent {
        name: String,
        #[serde(flatten)]
        offered: AgentCapabilities,
    },
    /// A lease is held.
    Held(SealedLease),
    /// A lease is over.
    Over { agent: String, digest: String },
    /// A replica that has just come asks who is there.
    Who,
}

impl Fleet {
    /// Tells all replicas, this one too.
    pub(crate) async fn publish(&self, word: &BusMessage) {
        let word = serde_json::to_vec(word).expect("its keys are text");
        self.broker.publish(word.into()).await;
    }

    /// Hears what replicas say.
    pub(crate) async fn follow_bus(self: Arc<Fleet>) {
        let mut words = self.broker.subscribe();
        self.publish(&BusMessage::Who).await;
        loop {
            match words.recv().await {
                Ok(word) => match serde_json::from_slice(&word) {
                    Ok(word) => self.heard(word).await,
                    Err(error) => warn!(%error, "a word of another version"),
                },
                // Whoever waits for one of them looks.
                Err(RecvError::Lagged(missed)) => warn!(missed, "words were missed"),
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
            BusMessage::Failed { digest, reason } => self.failures.note(digest, reason),
            BusMessage::Agent { name, offered } => {
                if self.agents.heard(&name, &offered) {
                    self.wake().await;
                }
            }
            BusMessage::Held(held) => self.leases.heard(held),
            BusMessage::Over { agent, digest } => self.leases.end(&agent, &digest),
            BusMessage::Who => {
                for (name, offered) in self.agents.own() {
                    self.publish(&BusMessage::Agent { name, offered }).await;
                }
            }
        }
    }

    /// Tells the director of a study, where it is one of this replica, and has this name if one is given.
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
