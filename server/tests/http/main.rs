//! The service over a real socket.

#[path = "../../../store/sqlite/tests/support/mod.rs"]
#[allow(unreachable_pub, dead_code)]
mod support;

#[path = "../../../tuner/tests/log/mod.rs"]
mod log;

#[path = "../../fleet/tests/fleet/agent.rs"]
#[allow(dead_code)]
mod agent;

mod access;
mod answers;
mod audit;
mod batch;
mod database;
mod end;
mod exports;
mod faulty;
mod fuzz;
mod hostile;
mod lists;
mod metrics;
mod openapi;
mod problems;
mod reading;
mod service;
mod studies;
mod ties;
mod unreadable;
mod visitors;

/// A question that a database with `support::key`'s study answers.
const ASK: &str = "/api/v1/configurations?problem=argmax:4x[32000]xf32&target=gfx942";
