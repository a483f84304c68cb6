//! Code that several suites share.

pub(crate) mod bed;
pub(crate) mod needing;
pub(crate) mod on_file;
pub(crate) mod running;
pub(crate) mod states;
