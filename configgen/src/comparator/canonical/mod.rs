//! The canonical form of a region: of those found to compute the same, one.
//!
//! Operations are rebuilt one by one into a [`graph`] that holds each operation once, and each is simplified as it is
//! built, given operands that are simple already. The rules change no bit of a result, for no bits of the arguments:
//!
//! - operations on constants are computed; operations that the result does not need are dropped; equal ones are one;
//! - operands that may be exchanged are in structural order, arguments first and constants last, and so are a
//!   comparison's, with the predicate turned round ([`compare`]);
//! - truth values that depend only on how two values compare, and which of them is NaN, have one form per truth table
//!   ([`relation`]), however they are composed ([`logic`]): `a > b or a == b` is `a >= b`;
//! - comparisons do without exact conversions and negations of both sides, and without a difference that is compared with
//!   zero;
//! - signs, conversions and integers: what cancels out ([`arithmetic`]).
//!
//! Rules that would change the bits of a NaN alone (`x + -0.0`) are left out.

mod arithmetic;
mod compare;
mod graph;
mod logic;
mod relation;

pub(super) use graph::Graph;
pub(super) use relation::{BOTH_NAN, ComparisonDomain, Relation, X_NAN, Y_NAN};

use super::region::{Region, Value};
use super::scalar::ScalarType;

/// The passes after which a region that still changes is taken as it is. One is enough for all but a few.
const MAX_PASSES: usize = 8;

/// The canonical form. Its result is its last operation.
pub(super) fn canonical(region: &Region) -> Region {
    let mut region = pass(region);
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

/// What a value needs, in the order of a depth-first walk, as a region of its own, of these arguments. With one of two, the
/// value must not depend on both; the one that it depends on becomes the only one.
pub(super) fn extract(region: &Region, result: Value, arguments: &[ScalarType]) -> Region {
    let mut extracted = Region::of(arguments.iter().copied());
    let mut places: Vec<Option<Value>> = vec![None; region.values()];
    for argument in 0..region.arguments() {
        places[argument as usize] = Some(Value(argument.min(extracted.arguments() - 1)));
    }
    // Values whose operands are still to be seen, and, once those are done, the value again.
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
