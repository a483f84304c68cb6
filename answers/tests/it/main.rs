//! The integration tests of answers: a module each suite.

mod committed;
mod words;
