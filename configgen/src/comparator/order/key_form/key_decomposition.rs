//! The decomposition of a comparator into keys and their combination.

use super::super::super::canonical::{ComparisonDomain, Graph, Relation, extract};
use super::super::super::opcode::Opcode;
use super::super::super::region::{Region, Value};
use super::super::class::{ON_A, ON_B, dependence};
use super::digits;
use super::element_key::{ElementKey, ElementKeyKind, STATES};

/// The parts of a comparator.
pub(super) struct KeyDecomposition {
    pub(super) keys: Vec<ElementKey>,
    /// The steps of the needed values, each behind its operands.
    steps: Vec<(Value, DecompositionStep)>,
    values: usize,
    result: Value,
}

enum DecompositionStep {
    Constant(bool),
    /// A test of the keys of candidate and accumulator for one of these states.
    Compared {
        key: usize,
        states: u8,
    },
    /// A truth of one of the two.
    Truth {
        key: usize,
        of_candidate: bool,
    },
    /// An `and`, `or`, `xor` or `select`.
    Joined(Opcode, [Value; 3]),
}

/// Returns the parts of a canonical region with two arguments, if it consists of nothing else.
pub(super) fn of(region: &Region) -> Option<KeyDecomposition> {
    let (graph, result) = Graph::of(region);
    let dependence = dependence(graph.region());
    let mut composed = KeyDecomposition {
        keys: Vec::new(),
        steps: Vec::new(),
        values: graph.region().values(),
        result,
    };
    let mut needed = vec![false; composed.values];
    needed[result.index()] = true;
    let definitions: Vec<_> = graph.region().definitions().collect();
    for (value, _) in definitions.into_iter().rev() {
        if !needed[value.index()] {
            continue;
        }
        let step = composed.step(&graph, &dependence, value)?;
        if let DecompositionStep::Joined(opcode, operands) = &step {
            for operand in &operands[..opcode.arity()] {
                needed[operand.index()] = true;
            }
        }
        composed.steps.push((value, step));
    }
    composed.steps.reverse();
    // Only arguments of one bit could be truths themselves, and no element type has one bit here.
    (!needed[0] && !needed[1]).then_some(composed)
}

impl KeyDecomposition {
    fn step(
        &mut self,
        graph: &Graph,
        dependence: &[u8],
        value: Value,
    ) -> Option<DecompositionStep> {
        let region = graph.region();
        let operation = region.definition(value)?;
        let on = dependence[value.index()];
        if let Opcode::Constant(bits) = operation.opcode {
            return Some(DecompositionStep::Constant(bits != 0));
        }
        if on == ON_A || on == ON_B {
            // Both arguments have the same truth, so it is one key.
            let key = self.key(
                extract(region, value, &[region.element()]),
                ElementKeyKind::Truth,
            );
            let of_candidate = on == ON_A;
            return Some(DecompositionStep::Truth { key, of_candidate });
        }
        if let Some(relation) = graph.relation(value)
            && let Some(step) = self.compared(graph, dependence, relation)
        {
            return Some(step);
        }
        let mut operands = [Value::A; 3];
        operands[..operation.operands.len()].copy_from_slice(&operation.operands);
        match operation.opcode {
            opcode @ (Opcode::Andi | Opcode::Ori | Opcode::Xori | Opcode::Select) => {
                Some(DecompositionStep::Joined(opcode, operands))
            }
            _ => None,
        }
    }

    /// Returns a relation of a key of the candidate with the same key of the accumulator.
    fn compared(
        &mut self,
        graph: &Graph,
        dependence: &[u8],
        relation: Relation,
    ) -> Option<DecompositionStep> {
        let on = |value: Value| dependence[value.index()];
        let relation = match (on(relation.x), on(relation.y)) {
            (ON_A, ON_B) => relation,
            (ON_B, ON_A) => relation.swapped(),
            _ => return None,
        };
        let region = extract(graph.region(), relation.x, &[graph.region().element()]);
        if region != extract(graph.region(), relation.y, &[graph.region().element()]) {
            return None;
        }
        let kind = match relation.domain {
            ComparisonDomain::Integer(signed) => ElementKeyKind::Integer(signed),
            ComparisonDomain::Float => ElementKeyKind::Float,
            ComparisonDomain::Nan => return None,
        };
        let key = self.key(region, kind);
        let states = relation.states;
        Some(DecompositionStep::Compared { key, states })
    }

    /// Returns the number of a key.
    fn key(&mut self, region: Region, kind: ElementKeyKind) -> usize {
        // Equality of integers does not depend on signedness.
        let is_alike = |key: &ElementKey| match (key.kind, kind) {
            (ElementKeyKind::Integer(one), ElementKeyKind::Integer(other)) => {
                one == other || one.is_none() || other.is_none()
            }
            (one, other) => one == other,
        };
        let mut keys = self.keys.iter_mut().enumerate();
        match keys.find(|(_, key)| key.region == region && is_alike(key)) {
            Some((number, key)) => {
                if key.kind == ElementKeyKind::Integer(None) {
                    key.kind = kind;
                }
                number
            }
            None => {
                self.keys.push(ElementKey { region, kind });
                self.keys.len() - 1
            }
        }
    }

    /// Returns the result for two values that differ in this way.
    pub(super) fn holds(&self, pair: usize) -> bool {
        let states: Vec<usize> = digits(&self.keys, pair, ElementKeyKind::states).collect();
        let mut values = vec![false; self.values];
        for (value, step) in &self.steps {
            let of = |value: Value| values[value.index()];
            values[value.index()] = match *step {
                DecompositionStep::Constant(truth) => truth,
                DecompositionStep::Compared { key, states: holds } => {
                    holds & STATES[states[key]] != 0
                }
                DecompositionStep::Truth { key, of_candidate } => {
                    let [candidate, accumulator] = ElementKeyKind::Truth.of_state(states[key]);
                    (if of_candidate { candidate } else { accumulator }) != 0
                }
                DecompositionStep::Joined(Opcode::Andi, [x, y, _]) => of(x) && of(y),
                DecompositionStep::Joined(Opcode::Ori, [x, y, _]) => of(x) || of(y),
                DecompositionStep::Joined(Opcode::Xori, [x, y, _]) => of(x) != of(y),
                DecompositionStep::Joined(_, [condition, x, y]) => {
                    of(if of(condition) { x } else { y })
                }
            };
        }
        values[self.result.index()]
    }
}
