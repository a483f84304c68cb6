//! Looking after a database file: what is in it, whether it is whole, copies of it.
//!
//! All of this is SQLite's alone: a database that is a server has tools of its own for it.

mod backup;
mod info;
mod restore;
mod texts;
mod verify;

pub use info::Info;
