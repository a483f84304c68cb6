//! The recogniser: finds the row operation with the same expression as its definition.

use super::super::sizes::ProblemSizes;
use super::build::ChainExpression;
use super::candidate::FormCandidate;
use super::difference::{depth, difference};
use super::dimensions::Leaf;
use super::expression::Expressions;
use super::node::{Id, Node};
use super::step::ValueSource;
use crate::comparator::{ComparatorError, Cursor, Opcode, Region, ScalarType, Value};
use crate::problem::{Problem, ProblemError};
use crate::reduction::{Combining, Extent, Reduction, RowOperation};

/// The largest number of inputs of a row operation.
const MAX_INPUTS: usize = 3;

/// The largest number of initial values that are tried for the greatest element.
const MAX_BEGINS: usize = 2;

/// The largest number of constants of a chain that are tried as ε.
const MAX_EPSILONS: usize = 8;

/// The problem of a chain.
pub(in crate::linalg) struct ChainProblem<'a> {
    pub(in crate::linalg) problem: Problem,
    /// The inputs, in the order of the problem's inputs.
    pub(in crate::linalg) inputs: Vec<ValueSource<'a>>,
    /// The results of the last operation, each with the number of the problem's result.
    pub(in crate::linalg) outputs: Vec<(usize, usize)>,
    /// The results of earlier operations that are the problem's last results, in their order.
    pub(in crate::linalg) kept: Vec<ValueSource<'a>>,
}

/// A recognised row operation.
pub(in crate::linalg) struct RecognisedOperation<'a> {
    pub(super) chain: ChainProblem<'a>,
    operation: RowOperation,
    /// Set if all results of the problem are results of the chain.
    has_all: bool,
}

impl RecognisedOperation<'_> {
    /// Returns the problem, if the module uses each of its results.
    pub(super) fn complete_problem(self, place: Cursor<'_>) -> Result<Problem, ComparatorError> {
        match self.has_all {
            true => Ok(self.chain.problem),
            false => Err(place.error(format!(
                "this is {}, but its second result, the sums, is not a result here",
                self.operation.name()
            ))),
        }
    }
}

/// Recognises a chain with its result at `place`.
///
/// `is_result` tells if a value is another result of the chain. The function returns none if
/// nothing uses a row's result on the row again.
pub(super) fn recognise<'a>(
    mut built: ChainExpression<'a>,
    place: Cursor<'a>,
    is_result: impl Fn(&ValueSource<'a>) -> bool,
) -> Option<Result<RecognisedOperation<'a>, ComparatorError>> {
    if !built.expressions.uses_rows_again(built.root) {
        return None;
    }
    // A refused operation matters only if the result depends on it.
    let within = built.expressions.within(built.root);
    let refused = within.iter().find_map(|&id| built.expressions.refusal(id));
    if let Some(error) = refused {
        return Some(Err(error));
    }
    Some(match candidates(&mut built, &within, place) {
        Ok(candidates) => chosen(&built, candidates, &within, place, is_result),
        Err(error) => Err(error),
    })
}

fn chosen<'a>(
    built: &ChainExpression<'a>,
    candidates: Vec<FormCandidate>,
    within: &[Id],
    place: Cursor<'a>,
    is_result: impl Fn(&ValueSource<'a>) -> bool,
) -> Result<RecognisedOperation<'a>, ComparatorError> {
    // The first output alone identifies the operation; further outputs follow from it.
    let is_it = |candidate: &&FormCandidate| candidate.outputs[0] == built.root;
    if let Some(found) = candidates.iter().find(is_it) {
        let mut others = found.outputs[1..].iter();
        let has_all = others.all(|output| {
            let mut results = built.results.iter();
            results.any(|(source, id)| id == output && is_result(source))
        });
        let own = |(source, id): (&ValueSource<'a>, &Id)| {
            let is_own = matches!(source, ValueSource::Defined(at, _) if *at == place.offset());
            is_own && is_result(source) && !found.outputs.contains(id)
        };
        if built.results.iter().any(own) {
            return Err(place.error(format!(
                "this is {} with another result, which that operation does not have",
                found.operation.name()
            )));
        }
        let leaf = |id: &Id| match built.expressions.node(*id) {
            Node::Input(number) => built.leaves.get(*number).map(|leaf| leaf.source),
            _ => None,
        };
        let inputs = found.inputs.iter().filter_map(|(_, id)| leaf(id));
        let output = |(source, id): (&ValueSource<'a>, &Id)| match source {
            ValueSource::Defined(at, number) if *at == place.offset() => {
                let output = found.outputs.iter().position(|it| it == id)?;
                Some((*number, output))
            }
            _ => None,
        };
        let mut outputs: Vec<(usize, usize)> = built.results.iter().filter_map(output).collect();
        outputs.sort_unstable();
        let chain = ChainProblem {
            problem: found.problem.clone(),
            inputs: inputs.collect(),
            outputs,
            kept: Vec::new(),
        };
        return Ok(RecognisedOperation {
            chain,
            operation: found.operation,
            has_all,
        });
    }
    match nearest(built, &candidates, within) {
        Some((_, nearest)) => Err(difference(&built.expressions, built.root, nearest, place)),
        None => Err(place.error(
            "this is not a row operation: no input has all dimensions, in the order of the result",
        )),
    }
}

/// Returns the candidate that shares most parts with the chain, and that share in thousandths. The
/// last of equal ones wins, because it has most parts.
fn nearest<'c>(
    built: &ChainExpression<'_>,
    candidates: &'c [FormCandidate],
    within: &[Id],
) -> Option<(usize, &'c FormCandidate)> {
    let likeness = |candidate: &FormCandidate| {
        let parts = built.expressions.within(candidate.outputs[0]);
        let found = parts.iter().filter(|it| within.binary_search(it).is_ok());
        found.count() * 1000 / parts.len()
    };
    let depth = |candidate: &FormCandidate| depth(&built.expressions, built.root, candidate);
    let all = candidates.iter().map(|it| (likeness(it), it));
    all.max_by_key(|(likeness, it)| (*likeness, depth(it)))
}

/// The reason why a chain is no row operation.
pub(super) struct Departure {
    /// The share that the chain has of the nearest row operation, in thousandths, and the number
    /// of nested parts that the two have in common.
    pub(super) likeness: (usize, usize),
    pub(super) reason: ComparatorError,
}

/// Returns the reason why a chain with its result at `place` is no row operation.
///
/// The result is none if the chain is a row operation, or if nothing uses a row's result on the
/// row again.
pub(super) fn departure<'a>(
    mut built: ChainExpression<'a>,
    place: Cursor<'a>,
) -> Option<Departure> {
    if !built.expressions.uses_rows_again(built.root) {
        return None;
    }
    let within = built.expressions.within(built.root);
    let refused = within.iter().find_map(|&id| built.expressions.refusal(id));
    let candidates = match candidates(&mut built, &within, place) {
        Ok(candidates) => candidates,
        Err(error) => {
            return Some(Departure {
                likeness: (0, 0),
                reason: refused.unwrap_or(error),
            });
        }
    };
    if candidates.iter().any(|it| it.outputs[0] == built.root) {
        return None;
    }
    let (likeness, nearest) = nearest(&built, &candidates, &within)?;
    let depth = depth(&built.expressions, built.root, nearest);
    let reason = match refused {
        Some(error) => ComparatorError {
            message: format!(
                "{}; the nearest row operation is {}",
                error.message,
                nearest.operation.name()
            ),
            ..error
        },
        None => difference(&built.expressions, built.root, nearest, place),
    };
    Some(Departure {
        likeness: (likeness, depth),
        reason,
    })
}

/// Returns the candidate operations: those with the inputs of the chain, and those with more.
fn candidates<'a>(
    built: &mut ChainExpression<'a>,
    within: &[Id],
    place: Cursor<'a>,
) -> Result<Vec<FormCandidate>, ComparatorError> {
    let expressions = &built.expressions;
    let mut inputs: Vec<usize> = Vec::new();
    let mut numbers: Vec<u64> = Vec::new();
    let (mut reduced, mut begins) = (0, Vec::new());
    for &id in within {
        match expressions.node(id) {
            Node::Input(number) => inputs.push(*number),
            Node::Sum(x, y) => {
                let constants = [x, y].map(|&it| expressions.node(it));
                numbers.extend(constants.into_iter().filter_map(|it| match *it {
                    Node::Constant(bits, ScalarType::F32) => Some(bits),
                    _ => None,
                }));
            }
            Node::Fold(combining, initial, _, over) => {
                reduced |= over;
                if *combining == Combining::MaxNumber && !begins.contains(initial) {
                    begins.push(*initial);
                }
            }
            _ => {}
        }
    }
    // Sorted, so that the choice does not depend on the order of operations in the text.
    numbers.sort_unstable();
    numbers.dedup();
    numbers.truncate(MAX_EPSILONS);
    begins.truncate(MAX_BEGINS);
    if inputs.len() > MAX_INPUTS {
        let names: Vec<String> = inputs
            .iter()
            .take(8)
            .map(|&it| format!("%{}", built.leaves[it].name))
            .collect();
        return Err(place.error(format!(
            "a row operation may have at most {MAX_INPUTS} inputs, and this has {}: {}",
            inputs.len(),
            names.join(", ")
        )));
    }
    let axes: u64 = inputs
        .iter()
        .map(|&it| mask(&built.leaves[it]))
        .fold(0, |all, it| all | it);
    let mut found = Vec::new();
    let mut refused = None;
    for &own in &inputs {
        // The problem's own input must have every axis, since the others repeat along some.
        if mask(&built.leaves[own]) != axes || reduced & !axes != 0 {
            continue;
        }
        let text = text(&built.leaves[own], reduced, place)?;
        for operation in RowOperation::ALL {
            // Chains have no index of an element, which labels need.
            if operation.has_labels() || !fits(built, operation, own, reduced) {
                continue;
            }
            let epsilons: Vec<Option<u64>> = match operation.has_epsilon() {
                true => numbers.iter().map(|&it| Some(it)).collect(),
                false => Vec::new(),
            };
            let before = found.len();
            for epsilon in epsilons.into_iter().chain([None]) {
                // The default ε serves only to explain the difference.
                if epsilon.is_none() && found.len() > before {
                    break;
                }
                let option = epsilon.map_or(String::new(), |bits| format!(":epsilon=0x{bits:08x}"));
                let text = format!("{}:{text}{option}", operation.name());
                let problem: Problem = match text.parse() {
                    Ok(problem) => problem,
                    Err(error) => {
                        let error: ProblemError = error;
                        refused.get_or_insert(place.error(error.to_string()));
                        continue;
                    }
                };
                all_of(
                    built,
                    (operation, &problem),
                    (own, &inputs),
                    (reduced, &begins),
                    &mut found,
                );
            }
        }
    }
    match (found.is_empty(), refused) {
        (true, Some(error)) => Err(error),
        _ => Ok(found),
    }
}

fn mask(leaf: &Leaf<'_>) -> u64 {
    leaf.dimensions
        .iter()
        .flatten()
        .fold(0, |all, it| all | 1 << it)
}

/// Returns whether the operation's result has the dimensions of the chain's result.
fn fits(built: &ChainExpression<'_>, operation: RowOperation, own: usize, reduced: u64) -> bool {
    let is_of_rows = operation == RowOperation::LogSumExp;
    let elements = built.leaves[own].dimensions.iter().flatten();
    let expected = elements.filter(|&&it| !is_of_rows || reduced & 1 << it == 0);
    expected.eq(built.dimensions.iter().flatten())
}

/// Returns the dimensions and the element type of a problem: `64x[768]xf32`.
fn text(leaf: &Leaf<'_>, reduced: u64, place: Cursor<'_>) -> Result<String, ComparatorError> {
    let is_reduced = |d: usize| leaf.dimensions[d].is_some_and(|it| reduced & 1 << it != 0);
    let sizes = ProblemSizes::of(&leaf.sizes, is_reduced);
    let sizes = sizes.map_err(|it| place.error(it.message(&format!(" of %{}", leaf.name))))?;
    Ok(sizes.text + leaf.element.name())
}

/// Appends every assignment of the chain's inputs to a problem's operands.
fn all_of(
    built: &mut ChainExpression<'_>,
    (operation, problem): (RowOperation, &Problem),
    (own, inputs): (usize, &[usize]),
    (reduced, begins): (u64, &[u64]),
    found: &mut Vec<FormCandidate>,
) {
    let operands = problem.reduction.operands();
    let leaves = &built.leaves;
    let dimensions =
        |of: &Leaf<'_>| -> Vec<u32> { of.dimensions.iter().flatten().copied().collect() };
    let all = dimensions(&leaves[own]);
    let others: Vec<usize> = inputs.iter().copied().filter(|&it| it != own).collect();
    // The inputs that each operand may be.
    let may_be = operands.iter().map(|operand| -> Vec<Option<usize>> {
        let expected = all.iter().copied().filter(|axis| match operand.extent {
            Extent::Elements => true,
            Extent::Rows => reduced & 1 << axis == 0,
            Extent::Columns => reduced & 1 << axis != 0,
            Extent::Dimensions(_) => false,
        });
        let expected: Vec<u32> = expected.collect();
        let fitting = others.iter().copied().filter(|&it| {
            dimensions(&leaves[it]) == expected && leaves[it].element == leaves[own].element
        });
        // None of them is an option too, to report a missing operand.
        fitting.map(Some).chain([None]).collect()
    });
    let may_be: Vec<Vec<Option<usize>>> = may_be.collect();
    let mut chosen: Vec<Vec<Option<usize>>> = vec![Vec::new()];
    for options in may_be {
        let longer = |chosen: &Vec<Option<usize>>| {
            let free = options
                .iter()
                .filter(|it| it.is_none() || !chosen.contains(it));
            let longer = free.map(|&it| [&chosen[..], &[it]].concat());
            longer.collect::<Vec<_>>()
        };
        chosen = chosen.iter().flat_map(longer).collect();
    }
    let element = built.leaves[own].element;
    for operands_are in chosen {
        for begin in 0..begins.len().max(1) {
            let expressions = &mut built.expressions;
            if expressions.is_full() {
                return;
            }
            expressions.place = None;
            let ids = [Some(own)].into_iter().chain(operands_are.iter().copied());
            let ids = ids.enumerate().map(|(number, input)| match input {
                Some(input) => expressions.input(input, element, mask(&built.leaves[input])),
                None => expressions.input(built.leaves.len() + number, element, 0),
            });
            // Numbers behind the leaves stand for missing operands, so they equal no input.
            let ids: Vec<Id> = ids.collect();
            let begin = begins.get(begin).copied();
            if let Some(outputs) = define(expressions, &problem.reduction, &ids, reduced, begin) {
                let names = ["the elements"]
                    .into_iter()
                    .chain(operands.iter().map(|it| it.name));
                found.push(FormCandidate {
                    operation,
                    problem: problem.clone(),
                    inputs: names.zip(ids).collect(),
                    outputs,
                });
            }
        }
    }
}

/// Returns the outputs of an operation with these inputs.
fn define(
    expressions: &mut Expressions<'_>,
    reduction: &Reduction,
    inputs: &[Id],
    reduced: u64,
    begin: Option<u64>,
) -> Option<Vec<Id>> {
    let mut rows: Vec<Id> = Vec::new();
    for fold in reduction.folds() {
        let arguments = [inputs, &rows[..]].concat();
        let element = apply(expressions, &fold.element, &arguments)?;
        let combiner = fold.combiner.pairwise()?;
        let (combining, identity) = (combiner.combining(), combiner.identity());
        // The initial value of a greatest element may be the smallest number. Only a row of -inf
        // then gives another greatest element. The results are the same: NaN for softmax and
        // log_softmax, -inf for log_sum_exp.
        let least = u64::from(f32::MIN.to_bits());
        let initial = match begin {
            Some(bits) if combining == Combining::MaxNumber && bits == least => bits,
            _ => identity,
        };
        let folded = expressions.fold(combining, initial, element, reduced, 1.0);
        let arguments = [&[folded], &rows[..]].concat();
        rows.push(apply(expressions, &fold.value, &arguments)?);
    }
    let arguments = [inputs, &rows[..]].concat();
    let outputs = reduction.outputs().iter();
    outputs
        .map(|output| apply(expressions, &output.element, &arguments))
        .collect()
}

/// Returns the expression of a region with these arguments.
fn apply(expressions: &mut Expressions<'_>, region: &Region, arguments: &[Id]) -> Option<Id> {
    // A row's output has no arguments for the inputs, which it does not use.
    let mut values = arguments.to_vec();
    for operation in region.operations() {
        let of: Vec<Id> = operation
            .operands
            .iter()
            .map(|it: &Value| values[it.index()])
            .collect();
        values.push(match operation.opcode {
            Opcode::Constant(bits) => expressions.constant(bits, operation.result),
            opcode => expressions.operation(opcode, &of, operation.result)?,
        });
    }
    values.get(region.result().index()).copied()
}
