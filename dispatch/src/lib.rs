//! What waits to be done: a queue of work, which is taken from, a bus on which replicas of a service hear of each other, and
//! two carriers of both.
//!
//! [`Queue`] and [`Bus`] are the interfaces. [`Memory`] carries them for one machine, [`JetStream`] for a fleet, where NATS does
//! the storing, the delivery, the redelivery and the acknowledgement. What is put in and what is made of it are bytes to this crate: it
//! knows no problem, no agent and no database.
//!
//! - *Work* is a payload with a name, in a [`Lane`] of a [`Line`].
//! - A *delivery* is work in the hands of who took it, with a [`Receipt`] by which it is finished, extended or given back.
//! - Work is delivered at least once. Who has it must be heard of within [`Queue::patience`], or another gets it too.

mod bus;
mod error;
mod jetstream;
mod memory;
mod queue;
mod receipt;
mod token;

pub use bus::{Bus, Carrier};
pub use error::{Fault, QueueError};
pub use jetstream::{JetStream, Settings};
pub use memory::Memory;
pub use queue::{Delivery, Lane, Line, Queue, Work};
pub use receipt::{Forged, Receipt, SealingKey};
pub use token::{Token, TokenError};
