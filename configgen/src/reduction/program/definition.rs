//! The named row operations as programs.

use super::{Program, ProgramGraph, ProgramInput, ProgramValue};
use crate::Shape;
use crate::comparator::{Opcode, Region, ScalarType};
use crate::reduction::{RowElement, RowFold, RowOutput};

impl Program {
    /// Returns the program of some elements at positions, folds and outputs; none if no program
    /// computes the same.
    pub(in crate::reduction) fn of_definition(
        (inputs, indices): (&[ProgramInput], &[usize]),
        at: &[RowElement],
        folds: &[RowFold],
        outputs: &[RowOutput],
    ) -> Option<Program> {
        let mut graph = ProgramGraph::new(inputs);
        let elements = (0..inputs.len()).map(|it| graph.input(it));
        let mut elements: Vec<ProgramValue> = elements.collect();
        elements.extend(indices.iter().map(|it| graph.index(*it)));
        let mut rows: Vec<ProgramValue> = Vec::new();
        for RowElement { input, position } in at {
            let position = match position {
                Some(position) => Some(apply(&mut graph, position, &rows)?),
                None => None,
            };
            rows.push(graph.at(elements[*input], position).ok()?);
        }
        for fold in folds {
            let element = apply(&mut graph, &fold.element, &[&elements[..], &rows].concat())?;
            let folded = graph
                .fold(fold.combiner.pairwise()?.combining(), element)
                .ok()?;
            rows.push(apply(
                &mut graph,
                &fold.value,
                &[&[folded], &rows[..]].concat(),
            )?);
        }
        let arguments = [elements, rows].concat();
        let outputs = outputs.iter();
        let outputs = outputs.map(|it| apply(&mut graph, &it.element, &arguments));
        let outputs = outputs.collect::<Option<Vec<_>>>()?;
        Program::new(&graph, &outputs).ok()
    }

    /// Returns whether two programs compute the same for a shape. Its dimensions of size 1 may be
    /// there or not: the elements of one row are its columns, too.
    pub(in crate::reduction) fn is_same_in(&self, other: &Program, shape: &Shape) -> bool {
        let long = |input: &ProgramInput| -> Vec<usize> {
            let is_long = |d: &usize| shape.sizes()[*d] != 1 || shape.is_counted(*d);
            input
                .extent
                .map(shape)
                .dimensions()
                .filter(is_long)
                .collect()
        };
        let mut inputs = self.inputs().iter().zip(other.inputs());
        self.inputs().len() == other.inputs().len()
            && inputs.all(|(a, b)| a.element == b.element && long(a) == long(b))
            && self.to_string() == other.to_string()
    }

    /// Returns the f32 constants, by their bits.
    pub(in crate::reduction) fn numbers(&self) -> impl Iterator<Item = u64> {
        let values = self.graph.values();
        values.filter_map(|it| match self.graph.scalar(it) {
            ScalarType::F32 => self.graph.constant_bits(it),
            _ => None,
        })
    }

    /// Returns the inputs.
    pub(in crate::reduction) fn inputs(&self) -> &[ProgramInput] {
        self.graph.inputs()
    }
}

/// Adds the operations of a region with these arguments, and returns its result.
fn apply(
    graph: &mut ProgramGraph,
    region: &Region,
    arguments: &[ProgramValue],
) -> Option<ProgramValue> {
    let mut values = arguments.to_vec();
    for operation in region.operations() {
        let operands = operation.operands.iter().map(|it| values[it.index()]);
        let operands: Vec<ProgramValue> = operands.collect();
        values.push(match operation.opcode {
            Opcode::Constant(bits) => graph.constant(bits, operation.result),
            opcode => graph.operation(opcode, &operands, operation.result).ok()?,
        });
    }
    values.get(region.result().index()).copied()
}
