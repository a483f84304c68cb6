//! The operations become one region ([`Terms`]). Its inputs become a problem's inputs ([`read`]).

use super::body::split;
use super::chain::Chains;
use super::chain::module_chains::Users;
use super::chain::step::{ChainOperand, ChainStep, ChainStepKind, NamedOperation, ValueSource};
use super::dimension_order::DimensionOrder;
use super::form::OperationForm;
use super::map::{Iterators, OperandAccess};
use super::product::{self, ProductSyntax};
use super::reduction_reader::{FoldDescription, Inputs};
use super::terms::{Term, TermAccess, TermInput, Terms, places};
use crate::Problem;

/// A problem, with its inputs in their order.
pub(super) struct FusedReduction<'a> {
    pub(super) problem: Problem,
    pub(super) inputs: Vec<ValueSource<'a>>,
    /// The number of the problem's result for each result of the last operation, or none if
    /// nothing reads it.
    pub(super) outputs: Vec<Option<usize>>,
}

impl<'a> FusedReduction<'a> {
    /// Returns the form of these operations, if they have one.
    pub(super) fn form(&self, steps: &[&ChainStep<'a>]) -> Option<OperationForm> {
        OperationForm::of(&self.problem, steps, &self.inputs, (&self.outputs, &[]))
    }
}

/// Returns the reduction at the end of these operations, with the others as its function.
///
/// The reduction may have further results that nothing reads. The result is none if they are no
/// function of a problem.
pub(super) fn computed<'a>(
    chains: &Chains<'a>,
    steps: &[&ChainStep<'a>],
    users: &Users,
) -> Option<FusedReduction<'a>> {
    let (&last, before) = steps.split_last()?;
    let number = match chains.read_results(last, users)[..] {
        [number] => number,
        _ => 0,
    };
    let mut terms = Terms::of(before);
    let CombinedTerm {
        result,
        output,
        access,
        reduced,
    } = match &last.kind {
        ChainStepKind::Named(NamedOperation::Product(syntax)) => {
            of_product(&mut terms, last, syntax)?
        }
        _ => of_generic(&mut terms, last, number)?,
    };
    let (region, inputs) = terms.region(result, Some(output.element))?;
    let combined = split(last.place, &region).ok()?;
    let kept = dimensions(&places(output, &access)?);
    let read = read(&inputs, &reduced, &kept)?;
    let fill = chains.filling(output)?;
    let ChainStepKind::Fill(initial, scalar) = &fill.kind else {
        return None;
    };
    // A fill of another type would mean that a conversion stands between.
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
        outputs: (0..last.results())
            .map(|it| (it == number).then_some(0))
            .collect(),
    })
}

/// The accumulator after one more element.
struct CombinedTerm<'s, 'a> {
    result: usize,
    /// The output, with its access.
    output: &'s ChainOperand<'a>,
    access: OperandAccess,
    reduced: Iterators,
}

fn of_generic<'s, 'a>(
    terms: &mut Terms<'s, 'a>,
    last: &'s ChainStep<'a>,
    number: usize,
) -> Option<CombinedTerm<'s, 'a>> {
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
    let (Some(output), Ok(body)) = (outputs.get(number), body) else {
        return None;
    };
    let mut arguments = terms.elements(last, operands, accesses)?;
    let accumulator = terms.push(Term::Accumulator);
    let accumulators = (0..outputs.len()).map(|it| (it == number).then_some(accumulator));
    arguments.extend(accumulators);
    Some(CombinedTerm {
        result: terms.results(body, arguments)?[number]?,
        output,
        access: accesses[operands.len() + number].clone(),
        reduced: reduced.clone(),
    })
}

fn of_product<'s, 'a>(
    terms: &mut Terms<'s, 'a>,
    last: &'s ChainStep<'a>,
    syntax: &ProductSyntax,
) -> Option<CombinedTerm<'s, 'a>> {
    let (accesses, reduced) = syntax.iteration()?;
    let [one, other, output] = &last.operands[..] else {
        return None;
    };
    let accumulator = output.element;
    let mut factors = Vec::new();
    for (used, access) in [one, other].into_iter().zip(&accesses) {
        let element = terms.element(last, used, places(used, access)?)?;
        factors.push(match used.element == accumulator {
            true => element,
            false => {
                let opcode = product::widening(used.element);
                terms.push(Term::Operation(opcode, vec![element], accumulator))
            }
        });
    }
    let [times, plus] = product::operations(accumulator);
    let factor = terms.push(Term::Operation(times, factors, accumulator));
    let before = terms.push(Term::Accumulator);
    Some(CombinedTerm {
        result: terms.push(Term::Operation(plus, vec![before, factor], accumulator)),
        output,
        access: accesses.get(2)?.clone(),
        reduced,
    })
}

/// The inputs of a fused problem.
pub(super) struct FusedInputs<'a> {
    /// The number of the input that is the problem's first one; the others follow in order.
    pub(super) first: usize,
    pub(super) inputs: Inputs,
    /// The origins of the inputs, in the problem's order.
    pub(super) sources: Vec<ValueSource<'a>>,
}

/// Returns the inputs of an operation that reduces these dimensions and keeps those, in this
/// order.
pub(super) fn read<'a>(
    inputs: &[TermInput<'_, 'a>],
    reduced: &[bool],
    kept: &[usize],
) -> Option<FusedInputs<'a>> {
    // Tensors of one dimension must agree on its size; one may leave it open.
    let mut sizes: Vec<Option<u64>> = vec![None; reduced.len()];
    for (used, places) in inputs {
        for (at, size) in places.iter().zip(&used.sizes) {
            let known = at.map(|at| &mut sizes[at.dimension]);
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
    let sizes = order.sizes(&sizes, reduced).ok()?;
    let others = others.map(|(_, (input, all))| {
        let dimensions = sizes.dimensions(&order.of_input(all))?;
        Some((input.0.element, dimensions))
    });
    Some(FusedInputs {
        first,
        inputs: Inputs {
            element: inputs[first].0.element.element()?,
            operands: others.collect::<Option<_>>()?,
            sizes,
        },
        sources,
    })
}

/// Returns the dimensions of the reduction that a tensor has.
pub(super) fn dimensions(places: &TermAccess) -> Vec<usize> {
    places.iter().flatten().map(|at| at.dimension).collect()
}
