//! Where to look next: studies, their strategies and budgets.
//!
//! A [`Study`](run) tries the default first and then the configurations that a [`Strategy`] orders, until the budget is
//! spent or the space is. Each is built by a [`Builder`], evaluated by a bench, and stored the moment it ends; a study
//! that is started again goes on where it stood.
//!
//! Start reading at [`run`]. This crate knows generators, benches and the store; it knows nothing of who asked.

mod build;
mod finals;
mod identity;
mod queue;
mod report;
mod steady;
mod strategy;
mod study;
mod worker;

pub use build::{BuildError, Builder, Choice, NoBuilder, builder};
pub use report::{Counts, Final, Report, Summary};
pub use strategy::{Strategy, UnknownStrategy};
pub use study::{Plan, Progress, TuneError, run};
