//! The classes of comparators: those that look for an extreme of a key, and all others.

use super::super::canonical::{BOTH_NAN, ComparisonDomain, Graph, Relation, X_NAN, Y_NAN, extract};
use super::super::opcode::Opcode;
use super::super::predicate::{EQUAL, GREATER, LESS};
use super::super::region::{Region, Value};

/// How a comparator can be computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// By comparing a key of each value. The extreme key of a row can be found first, without indices, and then who has it.
    Extreme(Extreme),
    /// Only as it is written, for two values.
    Pair,
}

/// A comparator that compares a key of the candidate with the same key of the accumulator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extreme {
    /// Which extreme of the key it looks for.
    pub side: ExtremeKind,
    /// Whether a candidate with an equal key replaces the accumulator.
    pub is_reflexive: bool,
    /// How integer keys are read; false of floats.
    pub is_signed: bool,
    /// What happens to keys that are NaN.
    pub nan: NanBehaviour,
    /// The key as a region of one argument. Without operations the key is the value itself.
    pub key: Region,
    /// The comparison `cmpf` or `cmpi` of the candidate's key (left) with the accumulator's that is the whole comparator;
    /// `None` where there is more to it, as in `argmax_nan`.
    pub comparison: Option<Opcode>,
}

/// An extreme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtremeKind {
    /// The greatest.
    Max,
    /// The least.
    Min,
}

/// What a comparator makes of NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NanBehaviour {
    /// A NaN neither replaces anything nor is replaced.
    Loses,
    /// A NaN replaces nothing, and every number replaces it. So the fold meets one only as its initial value.
    Yields,
    /// A NaN replaces every number, none replaces it, and NaN tie.
    Wins,
    /// Anything else.
    Other,
}

impl Extreme {
    /// Whether the key is the value itself.
    pub fn is_identity(&self) -> bool {
        self.key.operations().is_empty()
    }

    /// Whether the key is the absolute value of a float.
    pub fn is_absolute(&self) -> bool {
        let operations = self.key.operations();
        operations.len() == 1 && operations[0].opcode == Opcode::Absf
    }
}

impl Class {
    /// The class of a canonical region of two arguments.
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

/// For each value, on which of the arguments it depends.
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
