//! The integration tests of lookup, with a module for each suite.

mod asked;
mod constants;
mod known;
mod ladder;
mod merging;
mod near;
mod pairs;
mod rankings;
mod rungs;
mod schemas;
mod tables;
mod tuned;
