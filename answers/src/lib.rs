//! All JSON for programs: the output of the command line, the answers of the service, the files
//! beside exported kernels.
//!
//! Each has a module here with its types, and a row in the table of [`schema`], which names its
//! committed JSON schema. [`line()`] and [`pretty`] take only types with a row, so that all output
//! has a schema. [`openapi`] puts the schemas into the description of the service. `words` gives
//! the JSON forms of types of `configgen` and `store`.
//!
//! A field with `skip_serializing_if` may be absent. Any other field is always present, and is
//! `null` if it may be. Every object is closed in the schema, so tests notice a field without a
//! description.
//!
//! This crate does not know the origin of an answer. The owner of a report, a finding or a row
//! makes an answer of it.
//!
//! # Invariants
//!
//! - The types are printed and never read.
//! - The types know the words of `configgen` and `store` alone.
//! - All printed JSON has a schema: the functions that print take only types in the table of
//!   `schema.rs`.
//! - The packages `cli` and `server` make no JSON of their own.
//! - The committed schemas are those of the types.
//! - The real output of every subcommand and endpoint matches its schema, with no field more.

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
