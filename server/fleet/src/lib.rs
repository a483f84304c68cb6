//! The studies that a service carries on, and the agents that try what they want.
//!
//! A [`Fleet`] has a director for each study that is under way. What a director wants to be tried waits in a queue; an agent
//! on another machine *leases* it, says from time to time that it is still at it, and tells what came of it. A result is in
//! the ledger before the agent hears that it was taken, and the queue before it forgets the work. What nobody could do, in
//! as many leases as [`DELIVERIES`], ends as a trial that was given up.
//!
//! [`wire`] has what agent and service say to each other. This crate knows nothing of HTTP, and not which database or queue
//! it has.

mod active;
mod again;
mod agents;
mod channel;
mod error;
mod events;
mod lease;
mod letters;
mod list;
mod order;
mod studies;
pub mod wire;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dispatch::{Queue, SealingKey};
use store::{Ledger, Runs};
use tokio::sync::Semaphore;

pub use agents::Present;
pub use error::FleetError;
pub use events::{Found, Moment, News, Note, Watch};
pub use lease::{DELIVERIES, LONGEST_WAIT};
pub use list::Listed;
pub use order::{Asked, Order};
pub use tuner::{Offer, Plan, Progress, Strategy};

use active::Active;
use agents::Agents;
use events::Board;
use studies::DIRECTORS;

/// A database in which studies and what is to be done about them are kept.
pub trait Store: Ledger + Runs {}

impl<T: Ledger + Runs> Store for T {}

/// The studies of a service, and who works on them.
pub struct Fleet {
    store: Arc<dyn Store>,
    queue: Arc<dyn Queue>,
    key: SealingKey,
    agents: Agents,
    /// Turns of directors.
    turns: Semaphore,
    active: Mutex<HashMap<i64, Arc<Active>>>,
    /// What happened in those that ended last.
    over: Mutex<VecDeque<(i64, Arc<Board>)>>,
}

impl Fleet {
    /// A fleet with no study under way; [`Fleet::resume_all`] goes on with those that the database has.
    pub fn new(store: Arc<dyn Store>, queue: Arc<dyn Queue>, key: SealingKey) -> Arc<Fleet> {
        Arc::new(Fleet {
            store,
            queue,
            key,
            agents: Agents::default(),
            turns: Semaphore::new(DIRECTORS),
            active: Mutex::default(),
            over: Mutex::default(),
        })
    }

    /// Nothing under this lock panics or waits.
    fn active(&self) -> MutexGuard<'_, HashMap<i64, Arc<Active>>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
