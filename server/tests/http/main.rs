//! The service over a real socket: what holds for all addresses, whatever they say and wherever the database is.

#[path = "../../../store/sqlite/tests/support/mod.rs"]
#[allow(unreachable_pub, dead_code)]
mod support;

#[path = "../../fleet/tests/fleet/agent.rs"]
#[allow(dead_code)]
mod agent;
#[path = "../../fleet/tests/fleet/changed.rs"]
mod changed;
#[path = "../../../tuner/tests/log/mod.rs"]
mod log;

mod access;
mod admission;
mod audit;
mod away;
mod database;
mod end;
mod faulty;
mod fuzz;
mod garbled;
mod hostile;
mod metrics;
mod openapi;
mod pages;
mod panics;
#[allow(dead_code)]
mod place;
mod problems;
mod reading;
mod rows;
#[allow(dead_code)]
mod service;
mod texts;
mod unparsed;
mod visitors;

/// A question that a database with `support::key`'s study answers.
const ASK: &str = "/api/v1/configurations?problem=argmax:4x[32000]xf32&target=gfx942";
