//! Reductions with what is computed before: operations that give each element, and whose results nobody else uses, as the function of
//! one problem.
//!
//! ```text
//! reduction ◀── pointwise operations, dimensions of size 1 that come and go ◀── inputs
//! ```
//!
//! What they compute is one region ([`Terms`]), of inputs in the words of problems ([`read`]).

use super::body::split;
use super::chain::Chains;
use super::chain::step::{ChainStep, ChainStepKind, ValueSource};
use super::dimension_order::DimensionOrder;
use super::reduction_reader::{FoldDescription, Inputs};
use super::terms::{Term, TermAccess, TermInput, Terms, places};
use crate::Problem;

/// A problem, and its inputs in their order.
pub(super) struct FusedReduction<'a> {
    pub(super) problem: Problem,
    pub(super) inputs: Vec<ValueSource<'a>>,
    /// Which of the problem's results each result of the last operation is.
    pub(super) outputs: Vec<usize>,
}

/// The reduction that these operations end with, computed of the others. `None` where they are no function of a problem.
pub(super) fn computed<'a>(
    chains: &Chains<'a>,
    steps: &[&ChainStep<'a>],
) -> Option<FusedReduction<'a>> {
    let (&last, before) = steps.split_last()?;
    let (
        ChainStepKind::Generic {
            inputs,
            accesses,
            reduced,
            body,
            ..
        },
        true,
    ) = (&last.kind, last.reduces())
    else {
        return None;
    };
    let (operands, outputs) = last.operands.split_at(*inputs);
    let ([output], Ok(body)) = (outputs, body) else {
        return None;
    };
    let mut terms = Terms::of(before);
    let mut arguments = terms.elements(last, operands, accesses)?;
    arguments.push(Some(terms.push(Term::Accumulator)));
    let result = terms.results(body, arguments)?[0]?;
    let (region, inputs) = terms.region(result, Some(output.element))?;
    let combined = split(last.place, &region).ok()?;
    let kept = dimensions(&places(output, &accesses[operands.len()])?);
    let read = read(&inputs, reduced, &kept)?;
    let fill = chains.fill_of(last)?;
    let ChainStepKind::Fill(initial, scalar) = &fill.kind else {
        return None;
    };
    if *scalar != output.element {
        return None;
    }
    let written = FoldDescription {
        body: combined.beginning_with(read.first),
        inputs: read.inputs,
        accumulator: output.element.element()?,
        initial: *initial,
    };
    Some(FusedReduction {
        problem: written.problem().ok()?,
        inputs: read.sources,
        outputs: vec![0],
    })
}

/// What is read, in words of problems.
pub(super) struct FusedInputs<'a> {
    /// Which of the inputs is the first one of the problem; the others follow in their order.
    pub(super) first: usize,
    pub(super) inputs: Inputs,
    /// Where they come from, in the problem's order.
    pub(super) sources: Vec<ValueSource<'a>>,
}

/// These inputs of an operation that reduces these dimensions and keeps those, in this order.
pub(super) fn read<'a>(
    inputs: &[TermInput<'_, 'a>],
    reduced: &[bool],
    kept: &[usize],
) -> Option<FusedInputs<'a>> {
    let mut sizes: Vec<Option<u64>> = vec![None; reduced.len()];
    for (used, places) in inputs {
        for (at, size) in places.iter().zip(&used.sizes) {
            let known = at.map(|at| &mut sizes[at]);
            match (known, *size) {
                (Some(Some(known)), Some(size)) if *known != size => return None,
                (Some(known), Some(size)) => *known = Some(size),
                _ => {}
            }
        }
    }
    let all: Vec<Vec<usize>> = inputs.iter().map(|it| dimensions(&it.1)).collect();
    let read: Vec<&[usize]> = all.iter().map(|it| &it[..]).collect();
    let order = DimensionOrder::of(&sizes, reduced, &read, kept)?;
    let first = order.first;
    let others = inputs.iter().zip(&all).enumerate();
    let others = others.filter(|it| it.0 != first);
    let mut sources: Vec<ValueSource<'a>> = inputs.iter().map(|it| it.0.source).collect();
    sources[..=first].rotate_right(1);
    Some(FusedInputs {
        first,
        inputs: Inputs {
            sizes: order.sizes(&sizes, reduced).ok()?,
            element: inputs[first].0.element.element()?,
            operands: others
                .map(|(_, (input, all))| (input.0.element, order.of_input(all)))
                .collect(),
        },
        sources,
    })
}

/// The dimensions of the reduction that a tensor has.
pub(super) fn dimensions(places: &TermAccess) -> Vec<usize> {
    places.iter().copied().flatten().collect()
}
