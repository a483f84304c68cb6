//! The integration tests of iree-export: one module per suite.

mod linalg;
mod missed;
mod ranges;
mod seen;
mod torn;
mod weighed;
