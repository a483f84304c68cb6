//! The classes of comparators: those that find an extreme of a key, and all others.

use super::super::canonical::{BOTH_NAN, ComparisonDomain, Graph, Relation, X_NAN, Y_NAN, extract};
use super::super::opcode::Opcode;
use super::super::predicate::{EQUAL, GREATER, LESS};
use super::super::region::{Region, Value};

/// A method of computing a comparator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// A comparison of a key of each value.
    ///
    /// A kernel can find the extreme key of a row first, without indices, and then its holder.
    Extreme(Extreme),
    /// The comparator itself, for two values.
    Pair,
}

/// A comparator that compares a key of the candidate with the same key of the accumulator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extreme {
    /// The extreme of the key that it finds.
    pub side: ExtremeKind,
    /// Set if a candidate with an equal key replaces the accumulator.
    pub is_reflexive: bool,
    /// Set if integer keys are signed; unset for floats.
    pub is_signed: bool,
    /// The treatment of NaN keys.
    pub nan: NanBehaviour,
    /// The key as a region of one argument. Without operations, the key is the value itself.
    pub key: Region,
    /// The comparison `cmpf` or `cmpi` of the candidate's key with the accumulator's, if that is
    /// all.
    ///
    /// `argmax_nan`, for example, has more operations.
    pub comparison: Option<Opcode>,
}

/// An extreme of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtremeKind {
    /// The greatest.
    Max,
    /// The smallest.
    Min,
}

/// A comparator's treatment of NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NanBehaviour {
    /// A NaN neither replaces anything nor is replaced.
    Loses,
    /// A NaN replaces nothing, and every number replaces it. A fold meets one only as its initial
    /// value.
    Yields,
    /// A NaN replaces every number, no number replaces it, and NaNs tie.
    Wins,
    /// Anything else.
    Other,
}

impl Extreme {
    /// Returns whether the key is the value itself.
    pub fn is_identity(&self) -> bool {
        self.key.operations().is_empty()
    }

    /// Returns whether the key is the absolute value of a float.
    pub fn is_absolute(&self) -> bool {
        let operations = self.key.operations();
        operations.len() == 1 && operations[0].opcode == Opcode::Absf
    }
}

impl Class {
    /// Returns the class of a canonical region with two arguments.
    pub(in super::super) fn of(region: &Region) -> Class {
        let (graph, result) = Graph::of(region);
        let extreme = graph
            .relation(result)
            .and_then(|relation| extreme(&graph, result, relation));
        extreme.map_or(Class::Pair, Class::Extreme)
    }
}

fn extreme(graph: &Graph, result: Value, relation: Relation) -> Option<Extreme> {
    let dependence = dependence(graph.region());
    let of = |value: Value| dependence[value.index()];
    let (relation, is_swapped) = match (of(relation.x), of(relation.y)) {
        (ON_A, ON_B) => (relation, false),
        (ON_B, ON_A) => (relation.swapped(), true),
        _ => return None,
    };
    // Both sides must compute the same key, each of its own argument.
    let key = extract(graph.region(), relation.x, &[graph.region().element()]);
    if key != extract(graph.region(), relation.y, &[graph.region().element()]) {
        return None;
    }
    let is_signed = match relation.domain {
        ComparisonDomain::Float => false,
        ComparisonDomain::Integer(signed) => signed?,
        ComparisonDomain::Nan => return None,
    };
    let states = relation.states;
    let side = match (states & GREATER != 0, states & LESS != 0) {
        (true, false) => ExtremeKind::Max,
        (false, true) => ExtremeKind::Min,
        _ => return None,
    };
    let is_reflexive = states & EQUAL != 0;
    let nan = match (
        states & X_NAN != 0,
        states & Y_NAN != 0,
        states & BOTH_NAN != 0,
    ) {
        (false, false, false) => NanBehaviour::Loses,
        (false, true, false) => NanBehaviour::Yields,
        (true, false, both) if both == is_reflexive => NanBehaviour::Wins,
        _ => NanBehaviour::Other,
    };
    let opcode = graph.region().definition(result)?.opcode;
    let is_whole = matches!(opcode, Opcode::Cmpf(_) | Opcode::Cmpi(_)) && !is_swapped;
    Some(Extreme {
        side,
        is_reflexive,
        is_signed,
        nan,
        key,
        comparison: is_whole.then_some(opcode),
    })
}

pub(super) const ON_A: u8 = 1;
pub(super) const ON_B: u8 = 2;

/// Returns the arguments that each value depends on.
pub(super) fn dependence(region: &Region) -> Vec<u8> {
    let mut dependence = vec![ON_A, ON_B];
    for operation in region.operations() {
        let on = operation
            .operands
            .iter()
            .map(|operand| dependence[operand.index()]);
        dependence.push(on.fold(0, |all, on| all | on));
    }
    dependence
}
