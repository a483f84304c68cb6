//! Reductions with what is computed before: operations that give each element, and whose results nobody else uses, as the function of
//! one problem.
//!
//! ```text
//! reduction ◀── pointwise operations, dimensions of size 1 that come and go ◀── inputs
//! ```
//!
//! Of each input it is known which of its places belongs to a place of the reduction, so that what is computed is one region of as many
//! arguments. What is not exact, or is used elsewhere, is an input. So is a reduction before: it has no element at a place.

use std::collections::HashMap;

use arrayvec::ArrayVec;

use super::body::split;
use super::chain::Chains;
use super::chain::body::{Body, Instruction, What};
use super::chain::step::{Kind, Source, Step, Used};
use super::map::Access;
use super::order::Order;
use super::reading::Written;
use crate::Problem;
use crate::comparator::{MAX_ARGUMENTS, MAX_OPERATIONS, Opcode, Region, ScalarType, Value};
use crate::shape::MAX_RANK;

/// A problem, and its inputs in their order.
pub(super) struct Computed<'a> {
    pub(super) problem: Problem,
    pub(super) inputs: Vec<Source<'a>>,
}

/// The most that is computed at a place, before what is the same is made one.
const MAX_TERMS: usize = 4 * MAX_OPERATIONS;

/// Of each dimension of a tensor that of the reduction; `None` of one of size 1.
type Places = ArrayVec<Option<usize>, MAX_RANK>;

/// The reduction that these operations end with, computed of the others. `None` where they are no function of a problem.
pub(super) fn computed<'a>(chains: &Chains<'a>, steps: &[&Step<'a>]) -> Option<Computed<'a>> {
    let (&last, before) = steps.split_last()?;
    let (
        Kind::Generic {
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
    let mut terms = Terms {
        steps: before.iter().map(|it| (it.place.offset(), *it)).collect(),
        ..Terms::default()
    };
    let mut arguments = Vec::new();
    for (operand, access) in operands.iter().zip(accesses) {
        arguments.push(Some(terms.element(
            last,
            operand,
            places(operand, access)?,
        )?));
    }
    arguments.push(Some(terms.push(Term::Accumulator)));
    let result = terms.results(body, arguments)?[0]?;
    let (region, inputs) = terms.region(result, output.element)?;
    let dimensions = |places: &Places| -> Vec<usize> { places.iter().copied().flatten().collect() };
    let all: Vec<Vec<usize>> = inputs.iter().map(|it| dimensions(&it.1)).collect();
    let combined = split(last.place, &region).ok()?;
    let mut sizes: Vec<Option<u64>> = vec![None; reduced.len()];
    for (used, places) in &inputs {
        for (at, size) in places.iter().zip(&used.sizes) {
            let known = at.map(|at| &mut sizes[at]);
            match (known, *size) {
                (Some(Some(known)), Some(size)) if *known != size => return None,
                (Some(known), Some(size)) => *known = Some(size),
                _ => {}
            }
        }
    }
    let read: Vec<&[usize]> = all.iter().map(|it| &it[..]).collect();
    let kept = dimensions(&places(output, &accesses[operands.len()])?);
    let order = Order::of(&sizes, reduced, &read, &kept)?;
    let first = order.first;
    let fill = chains.fill_of(last)?;
    let (Kind::Fill(initial, scalar), element) = (&fill.kind, inputs[first].0.element) else {
        return None;
    };
    if *scalar != output.element {
        return None;
    }
    let others = inputs
        .iter()
        .zip(&all)
        .enumerate()
        .filter(|it| it.0 != first);
    let written = Written {
        body: combined.beginning_with(first),
        sizes: order.sizes(&sizes, reduced).ok()?,
        element: element.element()?,
        operands: others
            .map(|(_, (input, all))| (input.0.element, order.of_input(all)))
            .collect(),
        accumulator: output.element.element()?,
        initial: *initial,
    };
    let problem = written.problem().ok()?;
    let mut sources: Vec<Source<'a>> = inputs.iter().map(|it| it.0.source).collect();
    sources[..=first].rotate_right(1);
    Some(Computed {
        problem,
        inputs: sources,
    })
}

/// Whether what an operation gives at a place may be a part of a function.
pub(super) fn is_function(step: &Step<'_>) -> bool {
    let Kind::Generic { body: Ok(body), .. } = &step.kind else {
        return false;
    };
    let is_exact = |it: &Instruction<'_>| match it.what {
        What::Constant(_) | What::Power => true,
        What::Operation(opcode) | What::Known(opcode) => opcode.is_exact(),
        What::Index(_) | What::IndexCast | What::Other(_) => false,
    };
    step.is_pointwise() && body.instructions.iter().all(is_exact)
}

/// The places of a tensor that is accessed so. `None` where one of several places is always the first.
fn places(used: &Used<'_>, access: &Access) -> Option<Places> {
    let is_one = |(at, size): (&Option<usize>, &Option<u64>)| at.is_some() || *size == Some(1);
    access
        .iter()
        .zip(&used.sizes)
        .all(is_one)
        .then(|| access.clone())
}

/// What is computed at one place.
enum Term {
    Input(usize),
    Accumulator,
    Operation(Opcode, Vec<usize>, ScalarType),
}

/// All that is computed, each after what it is computed of.
#[derive(Default)]
struct Terms<'s, 'a> {
    /// The operations before the reduction, by where they begin.
    steps: HashMap<usize, &'s Step<'a>>,
    /// What they are computed of, and which places of it.
    inputs: Vec<(&'s Used<'a>, Places)>,
    terms: Vec<Term>,
    /// The elements that are among them.
    known: HashMap<(Source<'a>, Places), usize>,
}

impl<'s, 'a> Terms<'s, 'a> {
    fn push(&mut self, term: Term) -> usize {
        self.terms.push(term);
        self.terms.len() - 1
    }

    /// The element of a tensor that is used by an operation, at these places.
    fn element(&mut self, by: &Step<'a>, used: &'s Used<'a>, places: Places) -> Option<usize> {
        let key = (used.source, places);
        if self.terms.len() > MAX_TERMS {
            return None;
        }
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let step = match used.source {
            // What stands behind is no operand in any text of MLIR.
            Source::Defined(place, _) if place >= by.place.offset() => return None,
            Source::Defined(place, _) => self.steps.get(&place).copied(),
            Source::Argument(_) => None,
        };
        let term = match step {
            Some(step) => self.computed(step, used.source, &key.1)?,
            None => {
                self.inputs.push((used, key.1.clone()));
                self.push(Term::Input(self.inputs.len() - 1))
            }
        };
        self.known.insert(key, term);
        Some(term)
    }

    /// The element of a result of an operation at these places.
    fn computed(
        &mut self,
        step: &'s Step<'a>,
        source: Source<'a>,
        places: &Places,
    ) -> Option<usize> {
        match &step.kind {
            Kind::Fill(bits, scalar) => {
                let opcode = Opcode::Constant(*bits);
                Some(self.push(Term::Operation(opcode, Vec::new(), *scalar)))
            }
            Kind::Reshape { to, .. } => {
                let operand = step.operands.first()?;
                let longer = to.iter().zip(places).filter(|it| *it.0 != Some(1));
                let mut longer = longer.map(|it| *it.1);
                let places = operand.sizes.iter().map(|size| match size {
                    Some(1) => Some(None),
                    _ => longer.next(),
                });
                let places = places.collect::<Option<Places>>()?;
                self.element(step, operand, places)
            }
            Kind::Generic {
                inputs,
                accesses,
                reduced,
                body,
                ..
            } => {
                let Source::Defined(_, number) = source else {
                    return None;
                };
                let mut along: Vec<Option<Option<usize>>> = vec![None; reduced.len()];
                for (at, place) in accesses.get(inputs + number)?.iter().zip(places) {
                    if let Some(at) = at {
                        along[*at] = Some(*place);
                    }
                }
                let along = along.into_iter().collect::<Option<Vec<_>>>()?;
                let mut arguments = Vec::new();
                for (operand, access) in step.operands[..*inputs].iter().zip(accesses) {
                    let places = self::places(operand, access)?;
                    let places = places.iter().map(|at| at.and_then(|at| along[at]));
                    arguments.push(Some(self.element(step, operand, places.collect())?));
                }
                // Of outputs nothing is read.
                arguments.resize(step.operands.len(), None);
                self.results(body.as_ref().ok()?, arguments)?
                    .get(number)
                    .copied()?
            }
            Kind::Named(_) | Kind::Refused(_) => None,
        }
    }

    /// What a body yields for these arguments, as far as these and all that it does are known.
    fn results(
        &mut self,
        body: &Body<'a>,
        arguments: Vec<Option<usize>>,
    ) -> Option<Vec<Option<usize>>> {
        let mut values = arguments;
        for instruction in &body.instructions {
            let of: Option<Vec<usize>> =
                instruction.operands.iter().map(|&it| values[it]).collect();
            values.push(of.and_then(|of| self.instruction(instruction, of)));
        }
        Some(body.yields.iter().map(|&it| values[it]).collect())
    }

    fn instruction(&mut self, instruction: &Instruction<'a>, of: Vec<usize>) -> Option<usize> {
        let result = instruction.result?;
        let (opcode, of) = match instruction.what {
            What::Constant(bits) => (Opcode::Constant(bits), Vec::new()),
            What::Operation(opcode) | What::Known(opcode) => (opcode, of),
            // A square is a product; of other powers there is no exact one.
            What::Power if self.is_two(of[1]) => (Opcode::Mulf, vec![of[0]; 2]),
            _ => return None,
        };
        Some(self.push(Term::Operation(opcode, of, result)))
    }

    fn is_two(&self, term: usize) -> bool {
        match &self.terms[term] {
            Term::Operation(Opcode::Constant(bits), _, scalar) if scalar.is_float() => {
                *bits == scalar.round(2.0)
            }
            Term::Operation(Opcode::Constant(bits), ..) => *bits == 2,
            _ => false,
        }
    }

    /// The region that gives a term, whose arguments are the inputs that it is computed of and then an accumulator; and these inputs.
    fn region(
        self,
        result: usize,
        accumulator: ScalarType,
    ) -> Option<(Region, Vec<(&'s Used<'a>, Places)>)> {
        let mut is_used = vec![false; self.terms.len()];
        is_used[result] = true;
        let mut arguments: Vec<usize> = Vec::new();
        for (number, term) in self.terms.iter().enumerate().rev() {
            match term {
                Term::Operation(_, of, _) if is_used[number] => {
                    of.iter().for_each(|&it| is_used[it] = true);
                }
                Term::Input(input) if is_used[number] => arguments.push(*input),
                _ => {}
            }
        }
        arguments.sort_unstable();
        arguments.dedup();
        if arguments.is_empty() || arguments.len() > MAX_ARGUMENTS {
            return None;
        }
        let types = arguments.iter().map(|&it| self.inputs[it].0.element);
        let mut region = Region::of(types.chain([accumulator]));
        let mut values: Vec<Value> = Vec::new();
        for (term, is_used) in self.terms.iter().zip(is_used) {
            values.push(match term {
                _ if !is_used => Value(0),
                Term::Input(input) => Value(arguments.binary_search(input).ok()? as u32),
                Term::Accumulator => Value(arguments.len() as u32),
                Term::Operation(opcode, of, result) => {
                    let of: Vec<Value> = of.iter().map(|&it| values[it]).collect();
                    let of = ArrayVec::try_from(&of[..]).ok()?;
                    region.append(*opcode, of, *result).ok()?
                }
            });
        }
        region.set_result(values[result]);
        let inputs = arguments.into_iter().map(|it| self.inputs[it].clone());
        Some((region, inputs.collect()))
    }
}
