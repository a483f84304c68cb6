//! The integration tests of tuner: one module per suite.

mod kernel;
mod measured;
mod study;
mod ties;
