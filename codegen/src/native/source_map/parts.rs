//! The table from lines of the early stages to parts of a kernel, by the words with which a line
//! begins.

use crate::native::NativeStage;
use crate::native::ir::KernelPart::{
    self, Fold, Lanes, Lds, Load, Pieces, Place, Steps, Store, Tile,
};

/// The parts for each beginning of a line, without its indent. The first matching row counts.
const LINES: &[(NativeStage, &str, &[KernelPart])] = &[
    (NativeStage::Gridwise, "gridwise", &[]),
    (NativeStage::Gridwise, "input", &[Load]),
    (NativeStage::Gridwise, "operand_", &[Load]),
    (NativeStage::Gridwise, "weight", &[Load]),
    (NativeStage::Gridwise, "bias", &[Load]),
    (NativeStage::Gridwise, "residual", &[Load]),
    (NativeStage::Gridwise, "labels", &[Load]),
    (NativeStage::Gridwise, "element of the row", &[Load]),
    (NativeStage::Gridwise, "fold", &[Fold]),
    (NativeStage::Gridwise, "value of the row", &[Lanes, Lds]),
    (NativeStage::Gridwise, "values", &[Store]),
    (NativeStage::Gridwise, "sums", &[Store]),
    (NativeStage::Gridwise, "indices", &[Store]),
    (NativeStage::Gridwise, "an index is", &[Store]),
    (NativeStage::Gridwise, "dimension", &[Tile]),
    // For example "4 workgroups, a tile each".
    (NativeStage::Gridwise, "#", &[Tile]),
    (NativeStage::Gridwise, "nothing is", &[]),
    // The combiner's description of itself.
    (NativeStage::Gridwise, "", &[Fold]),
    (NativeStage::Blockwise, "blockwise", &[]),
    (NativeStage::Blockwise, "dimension", &[Place]),
    (NativeStage::Blockwise, "reduce dimension", &[Steps]),
    (NativeStage::Blockwise, "of dimension", &[Steps, Fold]),
    (NativeStage::Blockwise, "lds", &[Lds]),
    (NativeStage::Blockwise, "write the states", &[Lds]),
    (NativeStage::Blockwise, "barrier", &[Lds]),
    (NativeStage::Blockwise, "threads", &[Lds]),
    (NativeStage::Blockwise, "every thread", &[Lds]),
    (NativeStage::Blockwise, "store", &[Store]),
    (NativeStage::Lanewise, "lanewise", &[]),
    (NativeStage::Lanewise, "dimension", &[Place]),
    (NativeStage::Lanewise, "load", &[Load, Store]),
    (NativeStage::Lanewise, "slots", &[Fold]),
    (NativeStage::Lanewise, "step", &[Load, Fold]),
    (NativeStage::Lanewise, "add the lane's", &[Fold]),
    (NativeStage::Lanewise, "reduce the slots", &[Fold]),
    (NativeStage::Lanewise, "reduce each row", &[Lanes]),
    (NativeStage::Lanewise, "after the barrier", &[Lds]),
    (NativeStage::Final, "final", &[]),
    (NativeStage::Final, "address", &[Load]),
    (NativeStage::Final, "step", &[Load]),
    (NativeStage::Final, "operand_", &[Load]),
    (NativeStage::Final, "weight", &[Load]),
    (NativeStage::Final, "bias", &[Load]),
    (NativeStage::Final, "residual", &[Load]),
    (NativeStage::Final, "labels", &[Load]),
    (NativeStage::Final, "loaded", &[Load]),
    (NativeStage::Final, "values", &[Store]),
    (NativeStage::Final, "sums", &[Store]),
    (NativeStage::Final, "#", &[Fold]),
    (NativeStage::Final, "lanes", &[Lanes]),
    (NativeStage::Final, "readlane", &[Lanes]),
    (NativeStage::Final, "one", &[Lanes]),
    (NativeStage::Final, "least index", &[Lanes]),
    (NativeStage::Final, "the lane with", &[Lanes]),
    (NativeStage::Final, "partials", &[Lds]),
    (NativeStage::Final, "pieces", &[Pieces]),
    (NativeStage::Layout, "layout", &[]),
    (NativeStage::Layout, "#iree_vector_ext", &[Place]),
    (NativeStage::Layout, "dimension", &[Place, Steps]),
    (NativeStage::Layout, "workgroup 0", &[Steps]),
    (NativeStage::Layout, "subgroup, ", &[Lanes]),
    (NativeStage::Layout, "subgroup", &[Load]),
    (NativeStage::Layout, "and", &[Load]),
    (NativeStage::Layout, "after the steps", &[Load]),
    (NativeStage::Layout, "lanes", &[]),
    (NativeStage::Layout, "workgroup, ", &[Lds]),
    (NativeStage::Layout, "grid, ", &[Pieces]),
    (NativeStage::Layout, "#", &[Pieces]),
];

/// Returns the parts that a line of an early stage is about, or `None` if the table has no row
/// for it.
pub(super) fn parts(stage: NativeStage, line: &str) -> Option<&'static [KernelPart]> {
    let line = line.trim_start();
    let is_number = line.starts_with(|letter: char| letter.is_ascii_digit());
    let begins = |begin: &str| line.starts_with(begin) || begin == "#" && is_number;
    let row = LINES
        .iter()
        .find(|(of, begin, _)| *of == stage && begins(begin));
    row.map(|(_, _, parts)| *parts)
}
