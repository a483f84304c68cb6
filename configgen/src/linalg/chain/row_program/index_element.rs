//! Elements computed from their indices alone, such as those of a causal mask.
//!
//! A module computes them once, as tensors. A program computes each at the indices of its user, so
//! one such tensor may be read along several dimensions.

use super::super::dimensions::result;
use super::super::step::{ChainOperand, ChainStep, ChainStepKind, ValueSource};
use super::ProgramBuilder;
use crate::linalg::map::OperandAccess;
use crate::reduction::program::ProgramValue;

/// The largest number of such elements in one program.
const MAX_ELEMENTS: usize = 256;

/// An element of a tensor at an index along an axis for each dimension, or at 0.
pub(super) type IndexElement<'a> = (ValueSource<'a>, Vec<Option<usize>>);

impl<'f, 'a> ProgramBuilder<'f, 'a> {
    /// Returns the element of an operand in an iteration along these axes.
    pub(super) fn element(
        &mut self,
        operand: &ChainOperand<'a>,
        access: &OperandAccess,
        iteration: &[Option<usize>],
    ) -> Option<ProgramValue> {
        let ValueSource::Defined(place, _) = operand.source else {
            return self.operand(operand.source);
        };
        let Some(&step) = self.of_indices.get(&place) else {
            return self.operand(operand.source);
        };
        let axis = |(at, size): (&Option<usize>, &Option<u64>)| {
            let is_one = *size == Some(1);
            at.filter(|_| !is_one)
                .and_then(|it| iteration.get(it).copied().flatten())
        };
        let axes = access.iter().zip(&operand.sizes).map(axis);
        self.at_indices(step, (operand.source, axes.collect()))
    }

    /// Returns an element of an operation on indices alone. At most as many calls nest as a program
    /// has operations.
    fn at_indices(
        &mut self,
        step: &'f ChainStep<'a>,
        element: IndexElement<'a>,
    ) -> Option<ProgramValue> {
        if let Some(&known) = self.at_indices.get(&element) {
            return known;
        }
        (self.at_indices.len() < MAX_ELEMENTS).then_some(())?;
        let computed = self.computed(step, &element);
        if computed.is_none() {
            self.unknown.get_or_insert(step);
        }
        self.at_indices.insert(element, computed);
        computed
    }

    fn computed(
        &mut self,
        step: &'f ChainStep<'a>,
        (source, axes): &IndexElement<'a>,
    ) -> Option<ProgramValue> {
        match &step.kind {
            ChainStepKind::Reshape { to, .. } => {
                let [from] = &step.operands[..] else {
                    return None;
                };
                let long = |it: &(&Option<u64>, &Option<usize>)| *it.0 != Some(1);
                let mut kept = to.iter().zip(axes).filter(long).map(|it| *it.1);
                let axes: Vec<Option<usize>> = (from.sizes.iter())
                    .map(|size| match size {
                        Some(1) => None,
                        _ => kept.next().flatten(),
                    })
                    .collect();
                let access: OperandAccess = (0..axes.len()).map(Some).collect();
                self.element(from, &access, &axes)
            }
            ChainStepKind::Generic {
                inputs,
                accesses,
                reduced,
                body: Ok(body),
                ..
            } => {
                let number = (0..step.results()).find(|it| result(step, *it) == *source)?;
                let mut iteration = vec![None; reduced.len()];
                for (at, axis) in accesses[inputs + number].iter().zip(axes) {
                    *iteration.get_mut((*at)?)? = *axis;
                }
                let mut arguments: Vec<Option<ProgramValue>> = Vec::new();
                for (operand, access) in step.operands.iter().zip(accesses).take(*inputs) {
                    arguments.push(self.element(operand, access, &iteration));
                }
                // Nothing reads what the outputs held.
                arguments.resize(step.operands.len(), None);
                let values = self.body((step, &iteration), body, arguments);
                let value = values[*body.yields.get(number)?]?;
                let is_typed = self.graph.scalar(value) == step.operands[inputs + number].element;
                is_typed.then_some(value)
            }
            _ => None,
        }
    }
}
