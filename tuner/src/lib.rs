//! The search: studies, their strategies and budgets.
//!
//! A [study](run) tries the default first and then the configurations of a [`Strategy`], until
//! the budget or the space is spent.
//!
//! ```text
//! strategy ─▶ director ─▶ batches ─▶ transport ─▶ agent ─▶ builder, evaluator
//!                ▲  │                                │
//!                │  └───────▶ ledger                 │
//!                └─────────────────── events ◀───────┘
//! ```
//!
//! - A *director* decides: it asks the strategy, dispatches batches, stores trials and chooses
//!   the finalists.
//! - An *agent* has a device. It builds and evaluates the configurations of a batch.
//! - Their messages are JSON, name their sender and the number of a batch, and may arrive twice.
//! - A [`Pool`] is the transport within one process. Its agents serve the directors of several
//!   studies, so that no device waits for the last results of a generation.
//! - A *builder* (`build/`) makes the kernels of a generator. Compiler and generator with their
//!   versions are its *toolchain*. A *pack* contains kernels that another builder of the same
//!   toolchain made.
//!
//! Several processes may tune one study. Each has a director with the same candidates, and takes
//! a candidate in the ledger before it tries it. Five seconds after the death of a process or an
//! agent, others get its candidates.
//!
//! The default strategy, `auto`, begins with estimated times and the starts of the space, and
//! proceeds in generations by a model of the results. On a device with varying times, agents watch
//! for drift, and the study ends with finals: the best few and the default in turn. The winner is
//! significantly faster than the default, or it is the default.
//!
//! Start reading at [`run`]. This crate knows generators, benches, the store and the strategies of
//! the crate `search`. It does not know the caller.
//!
//! # Invariants
//!
//! - A study's order follows from its space, strategy, seed and earlier results. It never follows
//!   from the budget, the number of agents and processes, or their speed. A killed study
//!   therefore resumes to the same result.
//! - No two living processes try the same configuration of a study, and all of them report the
//!   same best.
//! - An agent knows no strategy, no plan and no director; the table of modules puts it below
//!   them.
//! - A kernel from another machine counts if it is correct. Otherwise the kernel that the agent
//!   builds itself counts.
//! - A fault of the machine, such as a full disk, ends the study and is no trial.

mod agent;
mod build;
mod director;
mod error;
mod identity;
mod kernel_search;
mod message;
mod offer;
mod owner;
mod pack;
mod plan;
mod pool;
mod report;
mod report_text;
mod served_configuration;
mod single_trial;
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
pub use plan::{Effort, Plan, TuneProgress};
pub use pool::Pool;
pub use report::{FinalsOutcome, Report, Summary, TuneCounts};
pub use report_text::refusal;
pub use search::strategy::Strategy;
pub use served_configuration::{PriorAnswer, served_configuration};
pub use single_trial::try_configuration;
pub use transport::{
    AssignedBatch, BatchDispatcher, BatchKernels, BatchSource, ControlMeasurement, DriftStatus,
};
