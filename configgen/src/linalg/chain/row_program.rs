//! Row programs of a module: chains of operations over the rows of one reduction.
//!
//! A program grows from its last operation to the operations before it. Its reductions reduce
//! the same dimensions, and all its operations iterate over dimensions of these reductions. An
//! operation with anything else is cut: its result is an input of the program. Without a reduction,
//! the dimensions are those of the last operation. A program has the
//! module's operations exactly, except that a narrow accumulator is an f32 that is rounded once.

mod index_element;
mod position;
mod power;

use std::collections::{BTreeSet, HashMap};

use super::super::sizes::ProblemSizes;
use super::body::{BodyOperation, ChainBody, Instruction};
use super::dimensions::{ChainDimensions, Leaf, first, result};
use super::recognition::ChainProblem;
use super::step::{ChainStep, ChainStepKind, ValueSource};
use crate::comparator::{MAX_ANGLE, Opcode, ScalarType};
use crate::reduction::program::{Program, ProgramGraph, ProgramInput, ProgramValue};
use crate::reduction::{Combining, Extent, Fold, Reduction};
use crate::{ElementType, IndexMap, Problem};
use index_element::IndexElement;

/// The properties of operations that decide about programs.
#[derive(Clone, Copy)]
pub(in crate::linalg) struct ProgramRules {
    /// Returns whether a matcher can compare an operation.
    pub(in crate::linalg) is_matched: fn(&ChainStep<'_>) -> bool,
    /// Returns whether an operation can be a part of a plain reduction's function.
    pub(in crate::linalg) is_function: fn(&ChainStep<'_>) -> bool,
}

/// The reason why operations are no program.
#[derive(Debug)]
pub(super) enum NoProgram {
    /// The numbers of steps without which there may be a program.
    Culprits(Vec<usize>),
    /// A part of the steps may be a program.
    TooLarge,
}
use NoProgram::Culprits;

/// Returns the program of these steps. The last step gives its results, and `kept` are further
/// ones.
///
/// `space` is the reduction with the program's dimensions, or none for a pointwise program.
///
/// # Errors
/// Returns the reason if they are no program.
pub(super) fn program<'a>(
    steps: &[&ChainStep<'a>],
    space: Option<usize>,
    kept: &[ValueSource<'a>],
) -> Result<ChainProblem<'a>, NoProgram> {
    let found = ChainDimensions::of(steps);
    let last = steps.len() - 1;
    // An operation with other dimensions than those before may fit without it.
    if let Some(other) = found.iterations.iter().position(Result::is_err) {
        return Err(Culprits(vec![other]));
    }
    let axes = |step: usize| -> BTreeSet<usize> {
        let iteration = found.iterations[step].iter().flatten().flatten();
        iteration.map(|&it| found.axes.of(it)).collect()
    };
    let reduced = |step: usize| -> BTreeSet<usize> {
        let ChainStepKind::Generic { reduced, .. } = &steps[step].kind else {
            return BTreeSet::new();
        };
        let iteration = found.iterations[step].iter().flatten();
        let over = iteration.zip(reduced).filter(|it| *it.1);
        over.filter_map(|it| it.0.map(|it| found.axes.of(it)))
            .collect()
    };
    let all = axes(space.unwrap_or(last));
    let over = space.map(reduced).unwrap_or_default();
    let is_outside = |step: &usize| {
        let own = axes(*step);
        match steps[*step].reduces() {
            true => own != all || reduced(*step) != over,
            false => !own.is_subset(&all),
        }
    };
    let outside: Vec<usize> = (0..steps.len()).filter(is_outside).collect();
    if !outside.is_empty() || over.is_empty() != space.is_none() {
        return Err(Culprits(outside));
    }
    let mut builder = ProgramBuilder::new(&found, steps, (&all, &over));
    for (number, step) in steps.iter().enumerate() {
        let iteration = found.iterations[number].as_ref().map_or(&[][..], |it| it);
        builder.step(step, iteration).map_err(|source| {
            // The step whose result is missing is cut, so that the result is an input.
            let is_missing = |step: &&ChainStep<'a>| match builder.unknown {
                Some(unknown) => std::ptr::eq(*step, unknown),
                None => source.is_some_and(|it| makes(step, it)),
            };
            let missing = steps.iter().position(is_missing);
            Culprits(vec![missing.unwrap_or(number)])
        })?;
    }
    let problem = builder.problem((steps[last], kept), &all, &over);
    problem.map_err(|leaves| {
        let Some(leaves) = leaves else {
            return NoProgram::TooLarge;
        };
        let uses = |step: &&ChainStep<'a>| {
            let mut operands = step.operands.iter();
            operands.any(|it| leaves.contains(&it.source))
        };
        let users = (0..steps.len()).filter(|&it| uses(&steps[it]));
        Culprits(users.collect())
    })
}

fn makes(step: &ChainStep<'_>, source: ValueSource<'_>) -> bool {
    matches!(source, ValueSource::Defined(place, _) if place == step.place.offset())
}

/// The builder of a program's graph.
struct ProgramBuilder<'f, 'a> {
    found: &'f ChainDimensions<'a>,
    /// The operations on indices alone, by byte offset.
    of_indices: HashMap<usize, &'f ChainStep<'a>>,
    /// Their results at indices along these axes.
    at_indices: HashMap<IndexElement<'a>, Option<ProgramValue>>,
    /// The first of these operations without a value in a program.
    unknown: Option<&'f ChainStep<'a>>,
    graph: ProgramGraph,
    values: HashMap<ValueSource<'a>, ProgramValue>,
    /// The reduced axis, if it is one.
    along: Option<usize>,
}

impl<'f, 'a> ProgramBuilder<'f, 'a> {
    fn new(
        found: &'f ChainDimensions<'a>,
        steps: &[&'f ChainStep<'a>],
        (all, over): (&BTreeSet<usize>, &BTreeSet<usize>),
    ) -> Self {
        let inputs = found.leaves.iter().map(|leaf| {
            let axes = leaf.axes.iter().flatten();
            let axes: BTreeSet<usize> = axes.map(|&it| found.axes.of(it)).collect();
            let is_of_rows = !over.is_empty() && axes.iter().eq(all.difference(over));
            ProgramInput {
                // A leaf of another type is no element, and `graph` gives no value for it.
                element: leaf.element.element().unwrap_or(ElementType::I1),
                // The exact extent follows with the shape.
                extent: match is_of_rows {
                    true => Extent::Rows,
                    false => Extent::Elements,
                },
            }
        });
        ProgramBuilder {
            graph: ProgramGraph::new(&inputs.collect::<Vec<_>>()),
            values: HashMap::new(),
            along: over.first().copied().filter(|_| over.len() == 1),
            of_indices: (steps.iter())
                .map(|it| (it.place.offset(), *it))
                .filter(|it| found.of_indices.contains(&it.0))
                .collect(),
            at_indices: HashMap::new(),
            unknown: None,
            found,
        }
    }

    /// Adds the results of a step with these axes of its iteration. The error is an operand without
    /// a value, or none if the step itself has none.
    fn step(
        &mut self,
        step: &ChainStep<'a>,
        iteration: &[Option<usize>],
    ) -> Result<(), Option<ValueSource<'a>>> {
        // Its users compute these elements.
        if self.of_indices.contains_key(&step.place.offset()) {
            return Ok(());
        }
        match &step.kind {
            ChainStepKind::Fill(bits, scalar) | ChainStepKind::Splat(bits, scalar, _) => {
                let constant = self.graph.constant(*bits, *scalar);
                self.values.insert(first(step), constant);
            }
            ChainStepKind::Reshape { .. } => {
                let source = step.operands[0].source;
                let value = self.operand(source).ok_or(Some(source))?;
                self.values.insert(first(step), value);
            }
            ChainStepKind::Generic {
                inputs,
                accesses,
                body: Ok(body),
                ..
            } => {
                let reduces = step.reduces();
                let used = body.yields.iter().flat_map(|it| body.needed(*it));
                let used: BTreeSet<usize> = used.collect();
                let mut arguments = Vec::new();
                for (number, operand) in step.operands.iter().enumerate() {
                    let value = self.element(operand, &accesses[number], iteration);
                    let is_read = used.contains(&number) && (number < *inputs || !reduces);
                    if is_read && value.is_none() {
                        return Err(Some(operand.source));
                    }
                    // An accumulator has no value but that of the fold.
                    arguments.push(value.filter(|_| number < *inputs || !reduces));
                }
                let values = self.body((step, iteration), body, arguments);
                for (number, &yielded) in body.yields.iter().enumerate() {
                    let output = inputs + number;
                    let value = match reduces {
                        true => self.fold(step, body, (yielded, output), &values),
                        false => values[yielded],
                    };
                    let element = step.operands[output].element;
                    let value = value.filter(|it| self.graph.scalar(*it) == element);
                    // A result without a value may be unused.
                    self.values
                        .extend(value.map(|it| (result(step, number), it)));
                }
                let has_any = (0..body.yields.len())
                    .any(|number| self.values.contains_key(&result(step, number)));
                if !has_any {
                    return Err(None);
                }
            }
            _ => return Err(None),
        }
        Ok(())
    }

    fn operand(&mut self, source: ValueSource<'a>) -> Option<ProgramValue> {
        if let Some(&value) = self.values.get(&source) {
            return Some(value);
        }
        let &number = self.found.inputs.get(&source)?;
        self.found.leaves[number].element.element()?;
        Some(self.graph.input(number))
    }

    /// Returns the values of a body: the arguments, then the result of each instruction.
    fn body(
        &mut self,
        (step, iteration): (&ChainStep<'a>, &[Option<usize>]),
        body: &ChainBody<'a>,
        arguments: Vec<Option<ProgramValue>>,
    ) -> Vec<Option<ProgramValue>> {
        let mut values = arguments;
        for instruction in &body.instructions {
            match (instruction.what, instruction.result) {
                // An integer as an index is a position.
                (BodyOperation::IndexCast, None) => {
                    values.push(values[instruction.operands[0]]);
                    continue;
                }
                (BodyOperation::IndexCast, Some(result)) => {
                    let index = self.index_as(values[instruction.operands[0]], result);
                    values.push(index);
                    continue;
                }
                (BodyOperation::Index(dimension), _) => {
                    let index = self.index(iteration.get(dimension).copied());
                    values.push(index);
                    continue;
                }
                (BodyOperation::Known(opcode), None) => {
                    let limited = self.limited(opcode, body, &instruction.operands, &values);
                    values.push(limited);
                    continue;
                }
                (BodyOperation::Extract, _) => {
                    let element = self.extracted(step, instruction, &values);
                    values.push(element);
                    continue;
                }
                _ => {}
            }
            let operands = instruction.operands.iter().map(|&it| values[it]);
            let operands: Option<Vec<ProgramValue>> = operands.collect();
            values.push(operands.and_then(|it| self.instruction(instruction, &it)));
        }
        values
    }

    fn instruction(
        &mut self,
        instruction: &Instruction<'a>,
        operands: &[ProgramValue],
    ) -> Option<ProgramValue> {
        let result = instruction.result?;
        match instruction.what {
            BodyOperation::Constant(bits) => Some(self.graph.constant(bits, result)),
            BodyOperation::Operation(opcode) | BodyOperation::Known(opcode) => {
                // A conversion out of range is no value in MLIR. Compilers of unsigned types need
                // the bits that IREE then gives, and a program saturates.
                if (opcode, result) == (Opcode::Fptosi, ScalarType::I8) {
                    let [least, most] = self.graph.range(operands[0]);
                    (least > -129.0 && most < 128.0).then_some(())?;
                }
                // Beyond its greatest angle, a wave of a program has no bound but its range.
                if matches!(opcode, Opcode::Sin | Opcode::Cos) {
                    let [least, most] = self.graph.range(operands[0]);
                    (least >= -MAX_ANGLE && most <= MAX_ANGLE).then_some(())?;
                }
                self.graph.operation(opcode, operands, result).ok()
            }
            BodyOperation::Power => self.power(operands, result),
            _ => None,
        }
    }

    /// Returns the fold that a body yields.
    fn fold(
        &mut self,
        step: &ChainStep<'a>,
        body: &ChainBody<'a>,
        (yielded, output): (usize, usize),
        values: &[Option<ProgramValue>],
    ) -> Option<ProgramValue> {
        let last = body
            .instructions
            .get(yielded.checked_sub(body.arguments.len())?)?;
        let (BodyOperation::Operation(opcode) | BodyOperation::Known(opcode)) = last.what else {
            return None;
        };
        let (combining, _) = Combining::from_opcode(opcode)?;
        let taken = match last.operands[..] {
            [one, other] if one == output => other,
            [other, one] if one == output => other,
            _ => return None,
        };
        let (taken, element) = (values[taken]?, step.operands[output].element);
        let initial = self.operand(step.operands[output].source)?;
        let initial = self.graph.number(initial)?;
        let wide = match self.graph.scalar(taken) {
            ScalarType::F32 => taken,
            _ => self
                .graph
                .operation(Opcode::Extf, &[taken], ScalarType::F32)
                .ok()?,
        };
        let fold = Fold::new(combining, ElementType::F32, false, None).ok()?;
        let mut folded = self.graph.fold(combining, wide).ok()?;
        let identity = ScalarType::F32.to_f64(fold.identity());
        if initial != identity {
            // Only a greatest or least value may begin at another number.
            fold.combining().is_idempotent().then_some(())?;
            let bits = ScalarType::F32.round(initial);
            let initial = self.graph.constant(bits, ScalarType::F32);
            folded = self
                .graph
                .operation(opcode, &[folded, initial], ScalarType::F32)
                .ok()?;
        }
        match element {
            ScalarType::F32 => Some(folded),
            _ => self
                .graph
                .operation(Opcode::Truncf, &[folded], element)
                .ok(),
        }
    }

    /// Returns the problem of the last step's results and the kept ones. The error has the inputs
    /// that fit no problem; it is empty if the results do not, and none if the program is too
    /// large.
    fn problem(
        self,
        (last, kept): (&ChainStep<'a>, &[ValueSource<'a>]),
        all: &BTreeSet<usize>,
        over: &BTreeSet<usize>,
    ) -> Result<ChainProblem<'a>, Option<Vec<ValueSource<'a>>>> {
        let ProgramBuilder {
            found,
            mut graph,
            values,
            ..
        } = self;
        let count = last.results();
        let results = (0..count).map(|number| result(last, number));
        let results: Vec<ValueSource<'a>> = results.chain(kept.iter().copied()).collect();
        let outputs = results.iter().map(|it| values.get(it).copied());
        let mut outputs: Vec<ProgramValue> =
            outputs.collect::<Option<_>>().ok_or(Some(Vec::new()))?;
        let axes = |dimensions: &[Option<usize>]| -> Vec<usize> {
            dimensions
                .iter()
                .flatten()
                .map(|&it| found.axes.of(it))
                .collect()
        };
        // A result of the row has the row's elements of its inputs.
        for (source, output) in results.iter().zip(&mut outputs) {
            let dimensions = axes(found.tensors.get(source).map_or(&[][..], |it| &it[..]));
            let is_of_row = !over.is_empty() && dimensions.iter().all(|it| !over.contains(it));
            if is_of_row {
                *output = graph.at(*output, None).map_err(|_| Some(Vec::new()))?;
            }
        }
        let (used, indices) = graph.inputs_of(&outputs);
        let is_whole =
            |leaf: &Leaf<'a>| leaf.element.is_row_float() && axes(&leaf.axes).len() == all.len();
        let Some(own) = used.iter().copied().find(|&it| is_whole(&found.leaves[it])) else {
            return Err(Some(Vec::new()));
        };
        let own_leaf = &found.leaves[own];
        let order = axes(&own_leaf.axes);
        let is_reduced = |d: usize| {
            let axis = own_leaf.axes[d].map(|it| found.axes.of(it));
            axis.is_some_and(|it| over.contains(&it))
        };
        for (source, output) in results.iter().zip(&outputs) {
            let varies = graph.varies(*output);
            let expected = order.iter().filter(|it| varies || !over.contains(it));
            let dimensions = found.tensors.get(source);
            let dimensions = axes(dimensions.map_or(&[], |it| it));
            if !dimensions.iter().eq(expected) {
                return Err(Some(Vec::new()));
            }
        }
        let sizes =
            ProblemSizes::joined(&own_leaf.sizes, is_reduced).map_err(|_| Some(Vec::new()))?;
        let kind = if over.is_empty() { "copy" } else { "sum" };
        let text = format!("{kind}:{}{}", sizes.text, own_leaf.element);
        let frame: Problem = text.parse().map_err(|_| Some(Vec::new()))?;
        let shape = frame.shape;
        let mut inputs = vec![(own, own_leaf)];
        let others = used.iter().filter(|it| **it != own);
        inputs.extend(others.map(|&it| (it, &found.leaves[it])));
        let mut taken = Vec::new();
        let problem_dimensions = |axes: &[usize]| -> Option<Vec<usize>> {
            let dimension = |axis: &usize| {
                let mut own = own_leaf.axes.iter();
                own.position(|it| it.is_some_and(|it| found.axes.of(it) == *axis))
            };
            let dimensions: Vec<usize> = axes.iter().map(dimension).collect::<Option<_>>()?;
            sizes.dimensions(&dimensions)
        };
        for &(number, leaf) in &inputs {
            let dimensions = problem_dimensions(&axes(&leaf.axes));
            let extent = dimensions.and_then(|it| extent(&it, &shape));
            let element = leaf.element.element();
            let Some((extent, element)) = extent.zip(element) else {
                return Err(Some(vec![leaf.source]));
            };
            taken.push((number, ProgramInput { element, extent }));
        }
        // The dimension of an index must not be a part of a joined one.
        let indices = indices
            .into_iter()
            .map(|axis| match problem_dimensions(&[axis])?[..] {
                [dimension] => Some((axis, dimension)),
                _ => None,
            });
        let indices: Vec<(usize, usize)> =
            indices.collect::<Option<_>>().ok_or(Some(Vec::new()))?;
        let graph = graph.with_inputs(&taken, &indices);
        let program = Program::new(&graph, &outputs).map_err(|_| None)?;
        program.check_positions(&shape).map_err(|_| None)?;
        let problem = Problem {
            reduction: Reduction::of_program(&program, &shape),
            shape,
            element: taken[0].1.element,
            function: None,
        };
        Ok(ChainProblem {
            problem,
            inputs: inputs.iter().map(|it| it.1.source).collect(),
            outputs: (0..count).map(|it| (it, it)).collect(),
            kept: kept.to_vec(),
        })
    }
}

/// Returns the extent of a tensor with these dimensions. Those of size 1 may be there or not.
fn extent(dimensions: &[usize], shape: &crate::Shape) -> Option<Extent> {
    let ones = (0..shape.rank()).filter(|&d| shape.sizes()[d] == 1 && !shape.is_counted(d));
    let ones: Vec<usize> = ones.collect();
    let parallel = ones.iter().copied().filter(|&d| !shape.is_reduced(d));
    let with = |added: Vec<usize>| {
        let mut all = dimensions.to_vec();
        all.extend(added.into_iter().filter(|d| !dimensions.contains(d)));
        // Only dimensions of size 1 move.
        all.sort_unstable();
        Extent::of(&IndexMap::new(&all, shape.rank())?, shape)
    };
    if !dimensions.is_sorted() {
        return None;
    }
    let all = [Vec::new(), parallel.collect(), ones].map(with);
    let is_named = |it: &&Option<Extent>| !matches!(it, Some(Extent::Dimensions(_)) | None);
    all.iter().find(is_named).copied().flatten().or(all[0])
}
