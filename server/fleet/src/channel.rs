//! The director's end: what it gives out goes into the queue.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::mpsc;
use tuner::{Batch, Dispatch, Event, TuneError};

use crate::Fleet;
use crate::active::Active;
use crate::letters::Letter;

/// Batches for each agent that may be under way, so that it finds the next one when it has done one.
const AHEAD: usize = 2;

pub(crate) struct Channel {
    pub(crate) fleet: Arc<Fleet>,
    pub(crate) active: Arc<Active>,
    pub(crate) events: mpsc::UnboundedReceiver<Event>,
}

#[async_trait]
impl Dispatch for Channel {
    /// Those that are there now; one where there is none, which may come.
    fn agents(&self) -> usize {
        let offer = &self.active.order.offer;
        self.fleet.agents.offering(offer).max(1)
    }

    fn slots(&self) -> usize {
        AHEAD * self.agents()
    }

    async fn give(&mut self, batch: Batch) -> Result<(), TuneError> {
        let letter = Letter::of(batch);
        let sent = self.fleet.send(&self.active.order, &letter).await;
        sent.map_err(|error| TuneError::Dispatch(error.to_string()))
    }

    async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }
}
