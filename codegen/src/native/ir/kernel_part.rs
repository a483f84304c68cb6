//! The parts of a kernel, for the source map.

/// A part of a kernel: the construct that the builder lowered when it made a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KernelPart {
    /// The thread's ids and the coordinates of its elements.
    Place,
    /// The tile of the workgroup.
    Tile,
    /// The loops over the steps.
    Steps,
    /// Addresses of the input, and loads.
    Load,
    /// The accumulation of elements in slots, and of slots in a state.
    Fold,
    /// The reduction from the states of lanes to those of rows.
    Lanes,
    /// The exchange of states through LDS.
    Lds,
    /// The exchange of states through memory.
    Pieces,
    /// The stores of the results.
    Store,
}
