//! The types of all JSON that programs read: output of the commands, answers of the service, and
//! the files beside exported kernels.
//!
//! Each output has a module with its types, and a row in the table of [`schema`], which names its
//! committed JSON schema. [`line()`] and [`pretty`] print only types with a row, so all output
//! has a schema. [`openapi`] puts the schemas into the description of the service.
//! `foreign_schema` describes the JSON forms of types of `configgen` and `store`.
//!
//! A field with `skip_serializing_if` may be absent, and is then never `null`. Every other field
//! is always present; an `Option` without a value is `null`. The schemas close every object, so
//! the tests find any field without a description.
//!
//! This crate does not compute answers. The crate that owns a report, a finding or a row converts
//! it into one of these types.
//!
//! # Invariants
//!
//! - `cli` and `server/client` read an answer as the type that prints it.
//! - The crate uses only names of `configgen` and `store`.
//! - All printed JSON has a schema: the print functions take only types in the table of
//!   `schema.rs`.
//! - The packages `cli` and `server` define no JSON of their own.
//! - The committed schemas match the types.
//! - The real output of every subcommand and endpoint matches its schema and has no other field.

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
pub mod models;
pub mod openapi;
pub mod problems;
pub mod profile;
pub mod records;
pub mod regressions;
pub mod replay;
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
