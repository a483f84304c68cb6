//! The integration tests of tuner: a module each suite.

mod kernel;
mod measured;
mod study;
mod ties;
