//! The integration tests of kernel-export.

mod selection;
