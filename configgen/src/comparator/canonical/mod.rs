//! The canonical form: one region per class of regions that are found to compute the same.
//!
//! The code rebuilds operations one by one in a [`graph`] that stores each operation once. It
//! simplifies each operation at that time; its operands are simple already. The rules change no
//! bit of a result, for any bits of the arguments:
//!
//! - Operations on constants are computed, unused operations dropped, and equal ones merged.
//! - Commutative operands are in structural order, arguments first and constants last. So are a
//!   comparison's, with the predicate swapped ([`compare`]).
//! - A truth value may depend only on a comparison of two values and on NaN tests of them. It has
//!   one form per truth table ([`relation`]), for any composition ([`logic`]): `a > b or a == b`
//!   is `a >= b`.
//! - A comparison loses exact conversions and negations of both sides, and a difference that is
//!   compared with zero.
//! - Signs, conversions and integer operations that cancel are removed ([`arithmetic`]).
//!
//! No rule changes only the bits of a NaN (`x + -0.0`).

mod arithmetic;
mod compare;
mod graph;
mod logic;
mod relation;

pub(super) use graph::Graph;
pub(super) use relation::{BOTH_NAN, ComparisonDomain, Relation, X_NAN, Y_NAN};

use super::region::{Region, Value};
use super::scalar::ScalarType;

/// The largest number of passes over a region that still changes. One suffices for most regions.
const MAX_PASSES: usize = 8;

/// Returns the canonical form. Its result is its last operation.
pub(super) fn canonical(region: &Region) -> Region {
    let mut region = pass(region);
    // A rewrite may enable another one further up, which only the next pass sees.
    for _ in 1..MAX_PASSES {
        let next = pass(&region);
        if next == region {
            break;
        }
        region = next;
    }
    region
}

fn pass(region: &Region) -> Region {
    let (graph, result) = Graph::of(region);
    extract(graph.region(), result, region.types())
}

/// Returns the part of a region that a value needs, in depth-first order, with these arguments.
///
/// With a single argument, the value must depend on one only, which becomes the single one.
pub(super) fn extract(region: &Region, result: Value, arguments: &[ScalarType]) -> Region {
    let mut extracted = Region::of(arguments.iter().copied());
    let mut places: Vec<Option<Value>> = vec![None; region.values()];
    for argument in 0..region.arguments() {
        places[argument as usize] = Some(Value(argument.min(extracted.arguments() - 1)));
    }
    // A value stays on the stack until its operands are done, so that it follows them.
    let mut stack = vec![result];
    while let Some(&value) = stack.last() {
        let operation = match region.definition(value) {
            Some(operation) if places[value.index()].is_none() => operation,
            _ => {
                stack.pop();
                continue;
            }
        };
        let waiting = operation
            .operands
            .iter()
            .rev()
            .filter(|operand| places[operand.index()].is_none());
        let before = stack.len();
        stack.extend(waiting);
        if stack.len() > before {
            continue;
        }
        let mut moved = operation.clone();
        for operand in &mut moved.operands {
            *operand = places[operand.index()].unwrap_or(Value::A);
        }
        places[value.index()] = Some(extracted.push(moved));
        stack.pop();
    }
    extracted.set_result(places[result.index()].unwrap_or(Value::A));
    extracted
}
