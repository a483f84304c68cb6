//! The integration tests of search: one module per suite.

mod spaces;
