//! Where a fold begins.

/// Where the fold begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Initial {
    /// At the comparator's worst value, and index 0 whatever the index mode.
    #[default]
    Worst,
    /// At this pair, whatever the index mode: the bits of a value, and an index.
    Pair(u64, i64),
    /// At the pair that the outputs hold when the kernel is launched.
    Outputs,
}
