//! Positions in programs: indices of tensors around a body, and the elements there.

use super::super::body::{BodyOperation, ChainBody, Instruction};
use super::super::step::{ChainStep, ChainStepKind};
use super::ProgramBuilder;
use crate::comparator::{Opcode, ScalarType};
use crate::reduction::program::ProgramValue;

impl<'a> ProgramBuilder<'_, 'a> {
    /// Returns the index along a dimension of the iteration with this axis. The result is none if
    /// there is no such dimension.
    pub(super) fn index(&mut self, dimension: Option<Option<usize>>) -> Option<ProgramValue> {
        Some(match dimension? {
            Some(axis) => self.graph.index(self.found.axes.of(axis)),
            // The size is 1.
            None => self.graph.constant(0, ScalarType::I32),
        })
    }

    /// Returns an index as an integer of this type.
    pub(super) fn index_as(
        &mut self,
        index: Option<ProgramValue>,
        result: ScalarType,
    ) -> Option<ProgramValue> {
        let index = index.filter(|it| self.graph.scalar(*it) == ScalarType::I32)?;
        match result {
            ScalarType::I32 => Some(index),
            ScalarType::I64 => self.graph.operation(Opcode::Extsi, &[index], result).ok(),
            _ => None,
        }
    }

    /// Returns the lesser or the greater of an index and a constant, as a clamp has them.
    ///
    /// Other operations could leave the range of the integer that the index was.
    pub(super) fn limited(
        &mut self,
        opcode: Opcode,
        body: &ChainBody<'a>,
        operands: &[usize],
        values: &[Option<ProgramValue>],
    ) -> Option<ProgramValue> {
        matches!(opcode, Opcode::Maxsi | Opcode::Minsi).then_some(())?;
        let scalar = self
            .graph
            .scalar(operands.iter().find_map(|&it| values[it])?);
        let operands = operands.iter().map(|&it| {
            let made = it.checked_sub(body.arguments.len());
            match made.map(|it| body.instructions[it].what) {
                Some(BodyOperation::IndexConstant(number)) => {
                    let is_known = number < scalar.sign_bit();
                    is_known.then(|| self.graph.constant(number, scalar))
                }
                _ => values[it],
            }
        });
        let operands: Vec<ProgramValue> = operands.collect::<Option<_>>()?;
        self.graph.operation(opcode, &operands, scalar).ok()
    }

    /// Returns the element of a tensor at a position along the reduced dimension, or that of the
    /// row.
    pub(super) fn extracted(
        &mut self,
        step: &ChainStep<'a>,
        instruction: &Instruction<'a>,
        values: &[Option<ProgramValue>],
    ) -> Option<ProgramValue> {
        let ChainStepKind::Generic { accesses, .. } = &step.kind else {
            return None;
        };
        let (&table, indices) = instruction.operands.split_first()?;
        let source = step.operands[table].source;
        let found = self.found;
        let leaf = || found.inputs.get(&source).map(|&it| &found.leaves[it].axes);
        let axes = found.tensors.get(&source).or_else(leaf)?;
        let mut position = None;
        for ((access, axis), index) in accesses[table].iter().zip(axes).zip(indices) {
            let axis = axis.map(|it| found.axes.of(it));
            match access {
                Some(_) => {}
                // An index along a dimension of size 1 is 0.
                None if axis.is_none() => {}
                None if axis == self.along && position.is_none() => {
                    position = Some(values[*index]?);
                }
                None => return None,
            }
        }
        let value = values[table]?;
        match position {
            Some(position) => self.graph.at(value, Some(position)).ok(),
            None => Some(value),
        }
    }
}
