//! The integration tests of kernel-export: a module each suite.

mod linalg;
mod seen;
mod selection;
mod torn;
mod weighed;
