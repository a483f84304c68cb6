//! The service over a real socket: properties of all addresses and all kinds of database.

use testing_sqlite as support;

use testing::json_mutation;
use testing_agent as agent;

mod access;
mod admission;
mod audit;
mod away;
mod book;
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
pub(crate) mod place;
mod problems;
mod reading;
mod reference;
mod rows;
pub(crate) mod service;
mod texts;
mod unparsed;
mod visitors;

/// A question that has an answer in a database with `support::key`'s study.
const ASK: &str = "/api/v1/configurations?problem=argmax:4x[32000]xf32&target=gfx942";
