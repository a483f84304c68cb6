//! Initial values of `arg_compare`.

/// The initial pair of a loop over a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Initial {
    /// The comparator's worst value, with index 0 in every index mode.
    #[default]
    Worst,
    /// This pair in every index mode: the bits of a value, and an index.
    Pair(u64, i64),
    /// The pair that the outputs hold at the launch.
    Outputs,
}
