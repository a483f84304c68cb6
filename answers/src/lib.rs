//! All JSON that programs read: what the command line prints, what the service says, what lies beside exported kernels.
//!
//! Each of them has a module here with its types, and a row in the table of [`schema`], which gives it the name of its
//! committed JSON schema. [`line()`] and [`pretty`] take what has a row and nothing else, so that nothing is printed that has
//! no schema; [`openapi`] puts the schemas into the description of the service. `words` says what the types of `configgen` and `store` are in JSON.
//!
//! A field that is left out where there is nothing to say says so with `skip_serializing_if`; any other is always there, and
//! `null` where it may be. Every object is closed in the schema: a field that is not in it is noticed by the tests.
//!
//! This crate does not know how an answer comes about. Who has a report, a finding or a row makes an answer of it.

pub mod attempt;
pub mod check;
pub mod columns;
pub mod db;
pub mod devices;
pub mod doctor;
pub mod emulate;
pub mod explanations;
mod foreign_schema;
pub mod http;
pub mod iree_kernels;
pub mod kernels;
pub mod lookup;
pub mod model;
pub mod openapi;
pub mod problems;
pub mod records;
pub mod regressions;
pub mod runs;
pub mod schema;
pub mod space;
pub mod stages;
pub mod status;
pub mod tables;
pub mod tokens;
pub mod tune;
pub mod tuned_list;
pub mod wishes;

pub use foreign_schema::{Configuration as ConfigurationSchema, time, time_ms};
pub use schema::{AnswerSchema, line, pretty};
