//! The service over a real socket.

#[path = "../../../store/tests/support/mod.rs"]
#[allow(unreachable_pub, dead_code)]
mod support;

mod answers;
mod end;
mod hostile;
mod service;
mod ties;
mod unreadable;

/// A question that a database with `support::key`'s study answers.
const ASK: &str = "/api/v1/configurations?problem=argmax:4x[32000]xf32&target=gfx942";
