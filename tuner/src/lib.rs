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
mod report_text;
mod single_trial;
mod strategy;
mod transport;

pub use agent::{Agent, InputCache};
pub use build::{BuildError, Builder, Choice, NoBuilder, Toolchain, builder};
pub use director::{PreparedStudy, direct, ledger_report, run, stored_finals};
pub use error::TuneError;
pub use message::{
    Batch, BatchContent, BatchEvent, BatchEventKind, BatchId, Candidate, Failure, StudySetup, Terms,
};
pub use offer::Offer;
pub use owner::{machine, owner};
pub use pack::{Pack, PackError};
pub use plan::{Plan, TuneProgress};
pub use pool::Pool;
pub use report::{FinalsOutcome, Report, Summary, TuneCounts};
pub use report_text::refusal;
pub use single_trial::try_configuration;
pub use strategy::Strategy;
pub use transport::{
    AssignedBatch, BatchDispatcher, BatchKernels, BatchSource, ControlMeasurement, DriftStatus,
};
