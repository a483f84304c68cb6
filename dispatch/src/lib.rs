//! What waits to be done: a queue of work, which agents take from, and its two carriers.
//!
//! [`Queue`] is the interface. [`Memory`] carries it for one machine, [`JetStream`] for a fleet, where NATS does the storing,
//! the delivery, the redelivery and the acknowledgement. What is put in and what is made of it are bytes to this crate: it
//! knows no problem, no agent and no database.
//!
//! - *Work* is a payload with a name, in a [`Lane`] of a [`Line`].
//! - A *delivery* is work in the hands of who took it, with a [`Receipt`] by which it is finished, extended or given back.
//! - Work is delivered at least once. Who has it must be heard of within [`Queue::patience`], or another gets it too.

mod error;
mod jetstream;
mod memory;
mod queue;
mod receipt;
mod token;

pub use error::{Fault, QueueError};
pub use jetstream::{JetStream, Settings};
pub use memory::Memory;
pub use queue::{Delivery, Lane, Line, Queue, Work};
pub use receipt::{Forged, Receipt, SealingKey};
pub use token::{Token, TokenError};
