//! Upkeep of a database file: its content, its checks, and its copies.
//!
//! Only SQLite needs it: a database server has its own tools.

mod backup;
mod info;
mod restore;
mod texts;
mod verify;

pub use info::Info;
