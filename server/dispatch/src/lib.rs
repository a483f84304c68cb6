//! The queue of a fleet, the bus between replicas, and two brokers that implement both.
//!
//! [`Queue`] and [`Bus`] are the interfaces. [`MemoryBroker`] implements them for one machine.
//! [`JetStream`] implements them for a fleet, with the storage, the delivery, the redelivery and
//! the acknowledgement of NATS. Payloads are bytes to this crate: it knows no problem, no agent
//! and no database.
//!
//! - A [`QueueItem`] is a payload with a name, an [`Urgency`] (urgent or normal) and a [`Topic`]:
//!   a kind of work for a class of devices.
//! - A [`Delivery`] is an item that a taker holds, with an [`AckHandle`] that acknowledges it,
//!   renews it or gives it back.
//! - The queue delivers an item at least once, with a count. Its taker reports within
//!   [`Queue::patience`], or another taker gets it, too.
//! - The bus carries messages between replicas and may lose them.
//!
//! NATS may lose its data, and an operator may delete its stream. A broker then creates the
//! stream and its consumers again. A consumer has the name of its stream's identity, a random
//! number. A new stream counts from 1 again, and nats-server acknowledges by number alone. The
//! caller puts lost items again.
//!
//! # Invariants
//!
//! - This crate knows none of the other crates; its payloads are bytes.
//! - Both brokers keep one contract, a suite of tests.
//! - A taker that disappears loses no work, and neither does a killed NATS. Work that was finished
//!   a moment before the kill may be delivered once more.
//! - A broker reports an ack handle of a lost stream as lost at once, and changes nothing in the
//!   new stream.
//! - An agent holds its delivery by a sealed ack handle: one with a changed bit, or from elsewhere,
//!   opens nothing.
//! - No error and no log prints a user, a password or a key.

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
