//! What a statement is for.

/// A part of a kernel: what was lowered where the statement was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KernelPart {
    /// Who the thread is, and where its elements are.
    Place,
    /// Which tile is the workgroup's.
    Tile,
    /// The loops over the steps.
    Steps,
    /// Addresses of the input, and loads.
    Load,
    /// Elements into slots, and slots into a state.
    Fold,
    /// From the states of lanes to those of rows.
    Lanes,
    /// States through LDS.
    Lds,
    /// States through memory.
    Pieces,
    /// The results.
    Store,
}
