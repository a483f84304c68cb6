//! Which row operation an expression is: the one whose definition is the same expression.

use super::super::sizes::ProblemSizes;
use super::build::ChainExpression;
use super::candidate::Candidate;
use super::difference::{depth, difference};
use super::dimensions::Leaf;
use super::expression::Expressions;
use super::node::{Id, Node};
use super::step::ValueSource;
use crate::comparator::{ComparatorError, Cursor, Opcode, Region, ScalarType, Value};
use crate::problem::{Problem, ProblemError};
use crate::reduction::{Combining, Extent, Reduce, RowOperation, Rowwise};

/// The most inputs of a row operation.
const MAX_INPUTS: usize = 3;

/// The most numbers from which greatest elements are sought that are tried.
const MAX_BEGINS: usize = 2;

/// The most numbers of a chain that are tried as what is added below a root.
const MAX_EPSILONS: usize = 8;

/// What a chain is.
pub(in crate::linalg) struct RecognisedOperation<'a> {
    pub(in crate::linalg) problem: Problem,
    operation: RowOperation,
    /// What it is computed of, in the order of the problem's inputs.
    pub(in crate::linalg) inputs: Vec<ValueSource<'a>>,
    /// Of results of the last operation, which of the problem's results they are.
    pub(in crate::linalg) outputs: Vec<(usize, usize)>,
    /// Whether all results of the problem are results here.
    has_all: bool,
}

impl RecognisedOperation<'_> {
    /// The problem, if each of its results is one.
    pub(super) fn complete_problem(self, place: Cursor<'_>) -> Result<Problem, ComparatorError> {
        match self.has_all {
            true => Ok(self.problem),
            false => Err(place.error(format!(
                "this is {}, but its second result, the sums, is not a result here",
                self.operation.name()
            ))),
        }
    }
}

/// What a chain is whose result is computed at `place`; `is_result` says of values of it whether they are results, too.
/// `None` where nothing uses what a row gives once more.
pub(super) fn recognise<'a>(
    mut built: ChainExpression<'a>,
    place: Cursor<'a>,
    is_result: impl Fn(&ValueSource<'a>) -> bool,
) -> Option<Result<RecognisedOperation<'a>, ComparatorError>> {
    if !built.expressions.uses_rows_again(built.root) {
        return None;
    }
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
    candidates: Vec<Candidate>,
    within: &[Id],
    place: Cursor<'a>,
    is_result: impl Fn(&ValueSource<'a>) -> bool,
) -> Result<RecognisedOperation<'a>, ComparatorError> {
    let is_it = |candidate: &&Candidate| candidate.outputs[0] == built.root;
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
        return Ok(RecognisedOperation {
            problem: found.problem.clone(),
            operation: found.operation,
            inputs: inputs.collect(),
            outputs,
            has_all,
        });
    }
    // The operation most parts of which are in the chain: of the last ones, which have most parts.
    let likeness = |candidate: &Candidate| {
        let parts = built.expressions.within(candidate.outputs[0]);
        let found = parts.iter().filter(|it| within.binary_search(it).is_ok());
        found.count() * 1000 / parts.len()
    };
    let depth = |candidate: &Candidate| depth(&built.expressions, built.root, candidate);
    match candidates.iter().max_by_key(|it| (likeness(it), depth(it))) {
        Some(nearest) => Err(difference(&built.expressions, built.root, nearest, place)),
        None => Err(place.error(
            "this is not a row operation: no input has all dimensions, in the order of the result",
        )),
    }
}

/// All operations that have the inputs of the chain, and those that have more.
fn candidates<'a>(
    built: &mut ChainExpression<'a>,
    within: &[Id],
    place: Cursor<'a>,
) -> Result<Vec<Candidate>, ComparatorError> {
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
        if mask(&built.leaves[own]) != axes || reduced & !axes != 0 {
            continue;
        }
        let text = text(&built.leaves[own], reduced, place)?;
        for operation in RowOperation::ALL {
            // No chain has a place in a row.
            if operation.has_labels() || !fits(built, operation, own, reduced) {
                continue;
            }
            let epsilons: Vec<Option<u64>> = match operation.has_epsilon() {
                true => numbers.iter().map(|&it| Some(it)).collect(),
                false => Vec::new(),
            };
            let before = found.len();
            for epsilon in epsilons.into_iter().chain([None]) {
                // The usual one is only there to say what differs.
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
                    &problem,
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

/// Whether the result of the operation has the dimensions of the chain's.
fn fits(built: &ChainExpression<'_>, operation: RowOperation, own: usize, reduced: u64) -> bool {
    let is_of_rows = operation == RowOperation::LogSumExp;
    let elements = built.leaves[own].dimensions.iter().flatten();
    let expected = elements.filter(|&&it| !is_of_rows || reduced & 1 << it == 0);
    expected.eq(built.dimensions.iter().flatten())
}

/// The dimensions and elements of a problem: `64x[768]xf32`.
fn text(leaf: &Leaf<'_>, reduced: u64, place: Cursor<'_>) -> Result<String, ComparatorError> {
    let is_reduced = |d: usize| leaf.dimensions[d].is_some_and(|it| reduced & 1 << it != 0);
    let sizes = ProblemSizes::of(&leaf.sizes, is_reduced);
    let sizes = sizes.map_err(|it| place.error(it.message(&format!(" of %{}", leaf.name))))?;
    Ok(sizes.text + leaf.element.name())
}

/// Every way in which inputs of the chain may be the operands of a problem.
fn all_of(
    built: &mut ChainExpression<'_>,
    problem: &Problem,
    (own, inputs): (usize, &[usize]),
    (reduced, begins): (u64, &[u64]),
    found: &mut Vec<Candidate>,
) {
    let Some(rowwise) = problem.reduction.rowwise() else {
        return;
    };
    let operands = rowwise.operands();
    let leaves = &built.leaves;
    let dimensions =
        |of: &Leaf<'_>| -> Vec<u32> { of.dimensions.iter().flatten().copied().collect() };
    let all = dimensions(&leaves[own]);
    let others: Vec<usize> = inputs.iter().copied().filter(|&it| it != own).collect();
    // Of each operand the inputs that it may be.
    let may_be = operands.iter().map(|operand| -> Vec<Option<usize>> {
        let expected = all.iter().copied().filter(|axis| match operand.extent {
            Extent::Elements => true,
            Extent::Rows => reduced & 1 << axis == 0,
            Extent::Columns => reduced & 1 << axis != 0,
        });
        let expected: Vec<u32> = expected.collect();
        let fitting = others.iter().copied().filter(|&it| {
            dimensions(&leaves[it]) == expected && leaves[it].element == leaves[own].element
        });
        // Or none of them, to say what is missing.
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
            let ids: Vec<Id> = ids.collect();
            let begin = begins.get(begin).copied();
            if let Some(outputs) = define(expressions, rowwise, &ids, reduced, begin) {
                let names = ["the elements"]
                    .into_iter()
                    .chain(operands.iter().map(|it| it.name));
                found.push(Candidate {
                    operation: rowwise.row_operation(),
                    problem: problem.clone(),
                    inputs: names.zip(ids).collect(),
                    outputs,
                });
            }
        }
    }
}

/// The outputs of an operation of these inputs.
fn define(
    expressions: &mut Expressions<'_>,
    rowwise: &Rowwise,
    inputs: &[Id],
    reduced: u64,
    begin: Option<u64>,
) -> Option<Vec<Id>> {
    let mut rows: Vec<Id> = Vec::new();
    for fold in rowwise.folds() {
        let arguments = [inputs, &rows[..]].concat();
        let element = apply(expressions, &fold.element, &arguments)?;
        let combining = fold.fold.combining();
        let identity = fold.fold.identity();
        // The search for a greatest element may begin at the least number. A row of -inf alone finds another one then, and
        // gives the same results: NaN for softmax and log_softmax, -inf for log_sum_exp.
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
    let outputs = rowwise.outputs().iter();
    outputs
        .map(|output| apply(expressions, &output.element, &arguments))
        .collect()
}

/// What a region computes of these values.
fn apply(expressions: &mut Expressions<'_>, region: &Region, arguments: &[Id]) -> Option<Id> {
    // An output of a row has no argument for what it does not use.
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
