//! The canonical form: values that the outputs need, operands first, in one order.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::INDEX;
use super::graph::{ProgramGraph, ProgramNode, ProgramValue};
use crate::comparator::Opcode;

/// Returns the graph with these outputs alone, and its outputs.
pub(super) fn canonical(
    graph: &ProgramGraph,
    outputs: &[ProgramValue],
) -> (ProgramGraph, Vec<ProgramValue>) {
    let mut made = CanonicalBuilder {
        from: graph,
        order: ValueOrder {
            graph,
            known: HashMap::new(),
        },
        to: ProgramGraph::new(graph.inputs()),
        known: HashMap::new(),
    };
    let outputs = outputs.iter().map(|&it| made.value(it)).collect();
    (made.to, outputs)
}

struct CanonicalBuilder<'g> {
    from: &'g ProgramGraph,
    order: ValueOrder<'g>,
    to: ProgramGraph,
    known: HashMap<ProgramValue, ProgramValue>,
}

impl CanonicalBuilder<'_> {
    /// Returns the new number of a value. At most as many calls nest as a program has values.
    fn value(&mut self, value: ProgramValue) -> ProgramValue {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let node = match self.from.node(value).clone() {
            ProgramNode::Operation(opcode, _) => {
                let operands = self.order.operands(value).into_iter();
                ProgramNode::Operation(opcode, operands.map(|it| self.value(it)).collect())
            }
            ProgramNode::Fold(combining, element) => {
                ProgramNode::Fold(combining, self.value(element))
            }
            ProgramNode::At(number, position) => {
                ProgramNode::At(number, position.map(|it| self.value(it)))
            }
            leaf => leaf,
        };
        let made = self.to.add(node, self.from.scalar(value));
        self.known.insert(value, made);
        made
    }
}

/// An order of values by their structure. It does not depend on their numbers.
struct ValueOrder<'g> {
    graph: &'g ProgramGraph,
    known: HashMap<(ProgramValue, ProgramValue), Ordering>,
}

impl ValueOrder<'_> {
    /// Returns the operands of a node in their order.
    fn operands(&mut self, value: ProgramValue) -> Vec<ProgramValue> {
        let node = self.graph.node(value);
        let mut operands = node.operands().to_vec();
        if let ProgramNode::Operation(opcode, _) = node
            // Two of the factors of a fused operation commute, but its term does not.
            && opcode.commutes()
            && self.compare(operands[0], operands[1]).is_gt()
        {
            operands.swap(0, 1);
        }
        operands
    }

    fn compare(&mut self, one: ProgramValue, other: ProgramValue) -> Ordering {
        // Equal computations are one value.
        if one == other {
            return Ordering::Equal;
        }
        if let Some(&known) = self.known.get(&(one, other)) {
            return known;
        }
        let order = self.by_kind(one, other);
        self.known.insert((one, other), order);
        order
    }

    fn by_kind(&mut self, one: ProgramValue, other: ProgramValue) -> Ordering {
        let graph = self.graph;
        // Elements come before values of the row, and numbers come last.
        let class = |value: ProgramValue| match graph.node(value) {
            ProgramNode::Operation(..) if graph.varies(value) => 0,
            ProgramNode::Input(_) | ProgramNode::Index(_) => 1,
            ProgramNode::Fold(..) | ProgramNode::At(..) => 2,
            ProgramNode::Operation(..) => 3,
            ProgramNode::Constant(_) => 4,
        };
        let first = (class(one), graph.scalar(one)).cmp(&(class(other), graph.scalar(other)));
        let kind = |value: ProgramValue| match graph.node(value) {
            ProgramNode::Input(number) => (*number as u64, None, None),
            ProgramNode::Index(dimension) => (*dimension as u64, None, Some(INDEX)),
            ProgramNode::Constant(bits) => (*bits, None, None),
            ProgramNode::Operation(opcode, _) => (0, Some(*opcode), None),
            ProgramNode::Fold(combining, _) => (0, None::<Opcode>, Some(combining.name())),
            ProgramNode::At(number, position) => {
                let name = if position.is_some() {
                    "at a position"
                } else {
                    "at"
                };
                (*number as u64, None, Some(name))
            }
        };
        let order = first.then_with(|| kind(one).cmp(&kind(other)));
        if order.is_ne() {
            return order;
        }
        // The operands of the canonical program, so that its own canonical form is the same.
        let pairs = self.operands(one).into_iter().zip(self.operands(other));
        pairs.fold(order, |order, (one, other)| match order {
            Ordering::Equal => self.compare(one, other),
            known => known,
        })
    }
}
