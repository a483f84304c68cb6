//! Which part of a kernel a line of an early stage decides: by the words with which the line begins.

use crate::native::Stage;
use crate::native::ir::Part::{self, Fold, Lanes, Lds, Load, Pieces, Place, Steps, Store, Tile};

/// A line of a stage, without its indent, that begins so is about these parts. The first row that fits counts.
const LINES: &[(Stage, &str, &[Part])] = &[
    (Stage::Gridwise, "gridwise", &[]),
    (Stage::Gridwise, "input", &[Load]),
    (Stage::Gridwise, "operand_", &[Load]),
    (Stage::Gridwise, "weight", &[Load]),
    (Stage::Gridwise, "bias", &[Load]),
    (Stage::Gridwise, "residual", &[Load]),
    (Stage::Gridwise, "labels", &[Load]),
    (Stage::Gridwise, "place", &[Load]),
    (Stage::Gridwise, "fold", &[Fold]),
    (Stage::Gridwise, "value of the row", &[Lanes, Lds]),
    (Stage::Gridwise, "values", &[Store]),
    (Stage::Gridwise, "sums", &[Store]),
    (Stage::Gridwise, "indices", &[Store]),
    (Stage::Gridwise, "an index is", &[Store]),
    (Stage::Gridwise, "dimension", &[Tile]),
    // "4 workgroups, a tile each".
    (Stage::Gridwise, "#", &[Tile]),
    (Stage::Gridwise, "nothing is", &[]),
    // What the combiner says of itself.
    (Stage::Gridwise, "", &[Fold]),
    (Stage::Blockwise, "blockwise", &[]),
    (Stage::Blockwise, "dimension", &[Place]),
    (Stage::Blockwise, "reduce dimension", &[Steps]),
    (Stage::Blockwise, "of dimension", &[Steps, Fold]),
    (Stage::Blockwise, "lds", &[Lds]),
    (Stage::Blockwise, "write the states", &[Lds]),
    (Stage::Blockwise, "barrier", &[Lds]),
    (Stage::Blockwise, "threads", &[Lds]),
    (Stage::Blockwise, "every thread", &[Lds]),
    (Stage::Blockwise, "store", &[Store]),
    (Stage::Lanewise, "lanewise", &[]),
    (Stage::Lanewise, "dimension", &[Place]),
    (Stage::Lanewise, "load", &[Load, Store]),
    (Stage::Lanewise, "slots", &[Fold]),
    (Stage::Lanewise, "step", &[Load, Fold]),
    (Stage::Lanewise, "add the lane's", &[Fold]),
    (Stage::Lanewise, "reduce the slots", &[Fold]),
    (Stage::Lanewise, "reduce each row", &[Lanes]),
    (Stage::Lanewise, "after the barrier", &[Lds]),
    (Stage::Final, "final", &[]),
    (Stage::Final, "address", &[Load]),
    (Stage::Final, "step", &[Load]),
    (Stage::Final, "operand_", &[Load]),
    (Stage::Final, "weight", &[Load]),
    (Stage::Final, "bias", &[Load]),
    (Stage::Final, "residual", &[Load]),
    (Stage::Final, "labels", &[Load]),
    (Stage::Final, "place", &[Load]),
    (Stage::Final, "loaded", &[Load]),
    (Stage::Final, "values", &[Store]),
    (Stage::Final, "sums", &[Store]),
    (Stage::Final, "#", &[Fold]),
    (Stage::Final, "lanes", &[Lanes]),
    (Stage::Final, "readlane", &[Lanes]),
    (Stage::Final, "one", &[Lanes]),
    (Stage::Final, "least index", &[Lanes]),
    (Stage::Final, "the lane with", &[Lanes]),
    (Stage::Final, "partials", &[Lds]),
    (Stage::Final, "pieces", &[Pieces]),
    (Stage::Layout, "layout", &[]),
    (Stage::Layout, "#iree_vector_ext", &[Place]),
    (Stage::Layout, "dimension", &[Place, Steps]),
    (Stage::Layout, "workgroup 0", &[Steps]),
    (Stage::Layout, "subgroup, ", &[Lanes]),
    (Stage::Layout, "subgroup", &[Load]),
    (Stage::Layout, "and", &[Load]),
    (Stage::Layout, "after the steps", &[Load]),
    (Stage::Layout, "lanes", &[]),
    (Stage::Layout, "workgroup, ", &[Lds]),
    (Stage::Layout, "grid, ", &[Pieces]),
    (Stage::Layout, "#", &[Pieces]),
];

/// The parts that a line of an early stage is about; `None` of a line that is not in the table.
pub(super) fn parts(stage: Stage, line: &str) -> Option<&'static [Part]> {
    let line = line.trim_start();
    let is_number = line.starts_with(|letter: char| letter.is_ascii_digit());
    let begins = |begin: &str| line.starts_with(begin) || begin == "#" && is_number;
    let row = LINES
        .iter()
        .find(|(of, begin, _)| *of == stage && begins(begin));
    row.map(|(_, _, parts)| *parts)
}
