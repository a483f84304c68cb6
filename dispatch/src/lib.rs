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

mod ack_handle;
mod bus;
mod error;
mod jetstream;
mod memory;
mod queue;
mod subject_token;

pub use ack_handle::{AckHandle, InvalidSeal, SealingKey};
pub use bus::{Broker, Bus};
pub use error::{QueueError, QueueFault};
pub use jetstream::{JetStream, JetStreamSettings};
pub use memory::MemoryBroker;
pub use queue::{Delivery, Queue, QueueItem, Topic, Urgency};
pub use subject_token::{SubjectToken, SubjectTokenError};
