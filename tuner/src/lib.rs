//! Where to look next: studies, their strategies and budgets.
//!
//! A [`Study`](run) tries the default first and then the configurations that a [`Strategy`] orders, until the budget is
//! spent or the space is. Its *director* decides what is tried and stores what came of it; *agents*, which have the
//! devices, build and evaluate. They speak in messages. The agents of a [`Pool`] work for the directors of several studies
//! at once, and several processes may share a study. One that is started again goes on where it stood.
//!
//! Start reading at [`run`]. This crate knows generators, benches and the store; it knows nothing of who asked.

mod agent;
mod build;
mod carrier;
mod director;
mod error;
mod identity;
mod message;
mod offer;
mod owner;
mod pack;
mod plan;
mod pool;
mod report;
mod strategy;
mod told;
mod trying;

pub use agent::{Agent, Shelf};
pub use build::{BuildError, Builder, Choice, NoBuilder, Toolchain, builder};
pub use carrier::{Built, Carrier, Control, Dispatch, Given, Watched};
pub use director::{Prepared, direct, found, run, written};
pub use error::TuneError;
pub use message::{Batch, BatchId, Candidate, Event, Failure, Job, News, Terms, Work};
pub use offer::Offer;
pub use owner::{machine, owner};
pub use pack::{NoPack, Pack};
pub use plan::{Plan, Progress};
pub use pool::Pool;
pub use report::{Counts, Final, Report, Summary};
pub use strategy::Strategy;
pub use told::refusal;
pub use trying::try_one;
