//! The integration tests of tuner: a module each suite.

mod measured;
mod study;
mod ties;
