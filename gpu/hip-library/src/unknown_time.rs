//! Unknown times of launches, with their lower bounds.

use std::sync::Arc;

/// A time that is unknown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UnknownTime {
    pub(crate) reason: Arc<str>,
    /// A lower bound in microseconds, if there is one.
    pub(crate) least_us: Option<f64>,
}
