//! The initial values must be the worst value and 0. Other forms are refused.

use super::body::beginning_with;
use super::chain::Chains;
use super::chain::step::{ChainOperand, ChainStep, ChainStepKind, NamedOperation};
use super::fused_reduction::{FusedReduction, dimensions, read};
use super::map::{Iterators, OperandAccess};
use super::terms::{Term, TermIndex, Terms, places};
use crate::Problem;
use crate::comparator::{Comparator, Opcode, Region, ScalarType};
use crate::shape::MAX_RANK;

/// The comparison that an operation makes.
struct Comparison<'s, 'a> {
    /// The compared term.
    element: usize,
    comparator: Comparator,
    reduced: Iterators,
    kept: Vec<usize>,
    values: &'s ChainOperand<'a>,
    indices: &'s ChainOperand<'a>,
    has_indices_first: bool,
}

/// Returns the comparison at the end of these operations, with the others as its function.
///
/// The result is none if they are no problem.
pub(super) fn compared<'a>(
    chains: &Chains<'a>,
    steps: &[&ChainStep<'a>],
) -> Option<FusedReduction<'a>> {
    compared_as(chains, steps, Some)
}

/// Returns the same comparison of i32 indices with indices of i64.
pub(super) fn compared_widely<'a>(
    chains: &Chains<'a>,
    steps: &[&ChainStep<'a>],
) -> Option<FusedReduction<'a>> {
    let wide = |index: ScalarType| (index == ScalarType::I32).then_some(ScalarType::I64);
    compared_as(chains, steps, wide)
}

/// Returns the comparison with indices of the type that `index_type` gives for its own.
fn compared_as<'a>(
    chains: &Chains<'a>,
    steps: &[&ChainStep<'a>],
    index_type: impl Fn(ScalarType) -> Option<ScalarType>,
) -> Option<FusedReduction<'a>> {
    let (&last, before) = steps.split_last()?;
    let mut terms = Terms::of(before);
    let comparison = match &last.kind {
        ChainStepKind::Named(NamedOperation::ArgCompare(dimension, region)) => {
            of_named(&mut terms, last, *dimension, region)?
        }
        ChainStepKind::Generic { .. } => of_generic(&mut terms, last)?,
        _ => return None,
    };
    let Comparison {
        element,
        comparator,
        reduced,
        kept,
        values,
        indices,
        has_indices_first,
    } = comparison;
    let worst = comparator.order().worst?.bits;
    let begins = |used: &ChainOperand<'a>, value: u64| {
        let fill = chains.filling(used).map(|it| &it.kind);
        // A problem's text has no operand for initial values; the fills must be its defaults.
        matches!(fill, Some(ChainStepKind::Fill(bits, scalar)) if (*bits, *scalar) == (value, used.element))
    };
    let is_index = matches!(indices.element, ScalarType::I32 | ScalarType::I64);
    if !is_index || !begins(values, worst) || !begins(indices, 0) {
        return None;
    }
    let (function, inputs) = terms.region(element, None)?;
    let read = read(&inputs, &reduced, &kept)?;
    let function = beginning_with(&function, read.first);
    let function = match function.operations() {
        [] => String::new(),
        _ => format!("({})", function.compact()),
    };
    let index = index_type(indices.element)?;
    let text = format!("arg_compare{function}:{}:{index}", read.inputs);
    Some(FusedReduction {
        problem: Problem::with_comparator(&text, &comparator, false).ok()?,
        inputs: read.sources,
        outputs: match has_indices_first {
            true => vec![Some(1), Some(0)],
            false => vec![Some(0), Some(1)],
        },
    })
}

fn of_named<'s, 'a>(
    terms: &mut Terms<'s, 'a>,
    last: &'s ChainStep<'a>,
    dimension: usize,
    region: &Region,
) -> Option<Comparison<'s, 'a>> {
    let [input, values, indices] = &last.operands[..] else {
        return None;
    };
    let rank = input.sizes.len();
    // The operation in a form has no constants in its body, because IREE hoists them.
    if rank > MAX_RANK || region.has_constants() {
        return None;
    }
    Some(Comparison {
        element: terms.element(
            last,
            input,
            (0..rank).map(|it| Some(TermIndex::along(it))).collect(),
        )?,
        comparator: Comparator::new(region).ok()?,
        reduced: (0..rank).map(|d| d == dimension).collect(),
        kept: (0..rank).filter(|d| *d != dimension).collect(),
        values,
        indices,
        has_indices_first: false,
    })
}

fn of_generic<'s, 'a>(
    terms: &mut Terms<'s, 'a>,
    last: &'s ChainStep<'a>,
) -> Option<Comparison<'s, 'a>> {
    let ChainStepKind::Generic {
        inputs,
        accesses,
        reduced,
        body: Ok(body),
        ..
    } = &last.kind
    else {
        return None;
    };
    let (operands, outputs) = last.operands.split_at(*inputs);
    let [first, second] = outputs else {
        return None;
    };
    let along: Vec<usize> = (0..reduced.len()).filter(|&d| reduced[d]).collect();
    let &[dimension] = &along[..] else {
        return None;
    };
    let kept =
        |used: &ChainOperand<'a>, access: &OperandAccess| Some(dimensions(&places(used, access)?));
    let (of_first, of_second) = (&accesses[*inputs], &accesses[inputs + 1]);
    let kept = kept(first, of_first).filter(|it| kept(second, of_second).as_ref() == Some(it))?;
    let mut arguments = terms.elements(last, operands, accesses)?;
    let found = [(); 2].map(|()| terms.push(Term::Accumulator));
    arguments.extend(found.map(Some));
    let &[Some(one), Some(other)] = &terms.results(body, arguments)?[..] else {
        return None;
    };
    // The two results may come in either order, so both assignments are tried.
    let forms = [
        ([one, other], found, [first, second]),
        ([other, one], [found[1], found[0]], [second, first]),
    ];
    forms.into_iter().zip([false, true]).find_map(
        |((results, found, [values, indices]), has_indices_first)| {
            let scalar = values.element;
            let (element, comparator) = better(terms, results, found, dimension, scalar)?;
            Some(Comparison {
                element,
                comparator,
                reduced: reduced.clone(),
                kept: kept.clone(),
                values,
                indices,
                has_indices_first,
            })
        },
    )
}

/// Returns the element and the comparator of a selection of the better value and its index.
///
/// The operands are the terms of a new value and index, and of those found so far.
fn better(
    terms: &Terms<'_, '_>,
    [value, place]: [usize; 2],
    [found_value, found_place]: [usize; 2],
    dimension: usize,
    scalar: ScalarType,
) -> Option<(usize, Comparator)> {
    let Term::Operation(Opcode::Select, of, _) = terms.term(place) else {
        return None;
    };
    let &[is_better, index, else_place] = &of[..] else {
        return None;
    };
    let is_index = matches!(terms.term(index), Term::Place(d) if *d == dimension);
    if !is_index || else_place != found_place {
        return None;
    }
    let Term::Operation(opcode, of, _) = terms.term(value) else {
        return None;
    };
    let element = match (opcode, &of[..]) {
        (Opcode::Select, &[by, element, found]) if (by, found) == (is_better, found_value) => {
            element
        }
        (_, &[element, found]) if found == found_value => element,
        _ => return None,
    };
    let region = terms.of_two(is_better, [element, found_value], scalar)?;
    let comparator = Comparator::new(&region).ok()?;
    // MLIR folds a comparison and a selection of integers to a maximum or minimum. Floats differ
    // for NaN.
    let is_extreme = || scalar.is_integer() && comparator.extreme() == Some(*opcode);
    (*opcode == Opcode::Select || is_extreme()).then_some((element, comparator))
}
