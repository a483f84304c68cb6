//! The director's end: what it gives out goes into the queue.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::mpsc;
use tuner::{Batch, BatchContent, BatchDispatcher, BatchEvent, Toolchain, TuneError};

use crate::Fleet;
use crate::directed_study::DirectedStudy;
use crate::queue_payload::BatchPayload;
use crate::study_request::OfferedStudy;

/// Batches for each agent that may be under way, so that it finds the next one when it has done one.
const AHEAD: usize = 2;

pub(crate) struct QueueDispatcher {
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) study: i64,
    pub(crate) active: Arc<DirectedStudy>,
    pub(crate) events: mpsc::UnboundedReceiver<BatchEvent>,
}

impl QueueDispatcher {
    /// Those who build what this study tries, for the devices of others.
    fn builders(&self) -> usize {
        let made = &self.active.order.offer.provenance;
        self.fleet.agents.building(&Toolchain::from(made))
    }

    /// This study's share of the agents, where these are directed here.
    fn agents_of(&self, active: &HashMap<i64, Arc<DirectedStudy>>) -> usize {
        let offer = &self.active.order.offer;
        let studies = active.values().filter(|one| one.order.offer == *offer);
        let studies = studies.count().max(1);
        let agents = self.fleet.agents.offering(offer) + self.builders();
        agents.div_ceil(studies).max(1)
    }
}

/// The place of a study among those of its submitter: what is urgent first, then what was submitted first.
fn place(study: i64, order: &OfferedStudy) -> (bool, i64) {
    (!order.is_urgent, study)
}

#[async_trait]
impl BatchDispatcher for QueueDispatcher {
    /// This study's share of those that are there now, at least one: agents that other studies keep busy need no pieces of
    /// this one's work, and the fewer share it, the larger the pieces can be. Who builds counts, too: a piece is built while
    /// another one is tried.
    fn agents(&self) -> usize {
        self.agents_of(&self.fleet.active())
    }

    /// None where enough other studies of the same submitter come before this one: each submitter has so many batches in the
    /// queue, however many studies it has, and so its share of the agents.
    fn slots(&self) -> usize {
        let order = &self.active.order;
        let agents = self.fleet.agents.offering(&order.offer) + self.builders();
        let mine = place(self.study, order);
        let active = self.fleet.active();
        let before = active.iter().filter(|(study, one)| {
            one.order.offer == order.offer
                && one.order.submitter == order.submitter
                && place(**study, &one.order) < mine
        });
        match before.count() < AHEAD * agents.max(1) {
            true => AHEAD * self.agents_of(&active),
            false => 0,
        }
    }

    /// Where somebody is there to build it, trials are built before they wait for a device. Finals are not: their kernels are
    /// few, and whoever holds them has built most of them.
    async fn give(&mut self, batch: Batch) -> Result<(), TuneError> {
        let is_built = matches!(batch.work, BatchContent::Try(_)) && self.builders() > 0;
        let letter = BatchPayload::of(batch, is_built);
        self.active.note_dispatch();
        let sent = self.fleet.enqueue(&self.active.order, &letter).await;
        sent.map_err(|error| TuneError::Dispatch(error.to_string()))
    }

    async fn next(&mut self) -> Option<BatchEvent> {
        self.events.recv().await
    }
}
