//! Tests of the parts together. `random` makes regions and values; the other files test one
//! property each.

mod canonical;
mod extremes;
mod functions;
mod mlir;
mod mutations;
mod named;
mod operations;
mod oracle;
mod orders;
mod random;
mod rounding;
mod semantics;
mod two_keys;

use super::Comparator;
use super::region::Region;

/// Returns a block of two `f32` arguments `%a` and `%b` with these lines, the last of them the
/// result.
fn block(element: &str, lines: &str, result: &str) -> String {
    let lines: String = lines
        .lines()
        .map(|line| format!("  {}\n", line.trim()))
        .collect();
    format!("^bb0(%a: {element}, %b: {element}):\n{lines}  iree_linalg_ext.yield {result} : i1\n")
}

#[track_caller]
fn parse(element: &str, lines: &str, result: &str) -> Comparator {
    let text = block(element, lines, result);
    Comparator::from_block(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
fn region(element: &str, lines: &str, result: &str) -> Region {
    let text = block(element, lines, result);
    Region::from_block(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
