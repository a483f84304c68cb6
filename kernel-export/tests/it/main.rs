//! The integration tests of kernel-export: one module per suite.

mod linalg;
mod missed;
mod seen;
mod selection;
mod torn;
mod weighed;
