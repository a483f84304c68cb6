//! What elements are computed of: operations before a reduction, as terms over the places of their inputs.
//!
//! Of each input it is known which of its places belongs to a place of the reduction, so that what is computed is one region of as many
//! arguments. What is not exact, or is used elsewhere, is an input. So is a reduction before: it has no element at a place.

use std::collections::HashMap;

use arrayvec::ArrayVec;

use super::chain::body::{BodyOperation, ChainBody, Instruction};
use super::chain::step::{ChainOperand, ChainStep, ChainStepKind, ValueSource};
use super::map::OperandAccess;
use crate::comparator::{MAX_ARGUMENTS, MAX_OPERATIONS, Opcode, Region, ScalarType, Value};
use crate::shape::MAX_RANK;

/// The most that is computed at a place, before what is the same is made one.
const MAX_TERMS: usize = 4 * MAX_OPERATIONS;

/// Of each dimension of a tensor that of the reduction; `None` of one of size 1.
pub(super) type TermAccess = ArrayVec<Option<usize>, MAX_RANK>;

/// An input, and which places of it.
pub(super) type TermInput<'s, 'a> = (&'s ChainOperand<'a>, TermAccess);

/// Whether what an operation gives at a place may be a part of a function.
pub(super) fn is_function(step: &ChainStep<'_>) -> bool {
    let ChainStepKind::Generic { body: Ok(body), .. } = &step.kind else {
        return false;
    };
    let is_exact = |it: &Instruction<'_>| match it.what {
        BodyOperation::Constant(_) | BodyOperation::Power => true,
        BodyOperation::Operation(opcode) | BodyOperation::Known(opcode) => opcode.is_exact(),
        BodyOperation::Index(_) | BodyOperation::IndexCast | BodyOperation::Other(_) => false,
    };
    step.is_pointwise() && body.instructions.iter().all(is_exact)
}

/// The places of a tensor that is accessed so. `None` where one of several places is always the first.
pub(super) fn places(used: &ChainOperand<'_>, access: &OperandAccess) -> Option<TermAccess> {
    let is_one = |(at, size): (&Option<usize>, &Option<u64>)| at.is_some() || *size == Some(1);
    access
        .iter()
        .zip(&used.sizes)
        .all(is_one)
        .then(|| access.clone())
}

/// What is computed at one place.
pub(super) enum Term {
    Input(usize),
    /// What was found before.
    Accumulator,
    /// The place in a dimension, as the operation has them whose body asks for it.
    Place(usize),
    Operation(Opcode, Vec<usize>, ScalarType),
}

/// All that is computed, each after what it is computed of.
#[derive(Default)]
pub(super) struct Terms<'s, 'a> {
    /// The operations before the reduction, by where they begin.
    steps: HashMap<usize, &'s ChainStep<'a>>,
    /// What they are computed of, and which places of it.
    inputs: Vec<TermInput<'s, 'a>>,
    terms: Vec<Term>,
    /// The elements that are among them.
    known: HashMap<(ValueSource<'a>, TermAccess), usize>,
}

impl<'s, 'a> Terms<'s, 'a> {
    /// None yet, of what these operations compute.
    pub(super) fn of(before: &[&'s ChainStep<'a>]) -> Self {
        Terms {
            steps: before.iter().map(|it| (it.place.offset(), *it)).collect(),
            ..Terms::default()
        }
    }

    pub(super) fn term(&self, term: usize) -> &Term {
        &self.terms[term]
    }

    /// The elements of these tensors that are used by an operation which accesses them so.
    pub(super) fn elements(
        &mut self,
        by: &ChainStep<'a>,
        operands: &'s [ChainOperand<'a>],
        accesses: &[OperandAccess],
    ) -> Option<Vec<Option<usize>>> {
        let operands = operands.iter().zip(accesses);
        let elements = operands.map(|(used, access)| {
            let places = places(used, access)?;
            Some(Some(self.element(by, used, places)?))
        });
        elements.collect()
    }

    pub(super) fn push(&mut self, term: Term) -> usize {
        self.terms.push(term);
        self.terms.len() - 1
    }

    /// The element of a tensor that is used by an operation, at these places.
    pub(super) fn element(
        &mut self,
        by: &ChainStep<'a>,
        used: &'s ChainOperand<'a>,
        places: TermAccess,
    ) -> Option<usize> {
        let key = (used.source, places);
        if self.terms.len() > MAX_TERMS {
            return None;
        }
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let step = match used.source {
            // What stands behind is no operand in any text of MLIR.
            ValueSource::Defined(place, _) if place >= by.place.offset() => return None,
            ValueSource::Defined(place, _) => self.steps.get(&place).copied(),
            ValueSource::Argument(_) => None,
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
        step: &'s ChainStep<'a>,
        source: ValueSource<'a>,
        places: &TermAccess,
    ) -> Option<usize> {
        match &step.kind {
            ChainStepKind::Fill(bits, scalar) | ChainStepKind::Splat(bits, scalar, _) => {
                let opcode = Opcode::Constant(*bits);
                Some(self.push(Term::Operation(opcode, Vec::new(), *scalar)))
            }
            ChainStepKind::Reshape { to, .. } => {
                let operand = step.operands.first()?;
                let longer = to.iter().zip(places).filter(|it| *it.0 != Some(1));
                let mut longer = longer.map(|it| *it.1);
                let places = operand.sizes.iter().map(|size| match size {
                    Some(1) => Some(None),
                    _ => longer.next(),
                });
                let places = places.collect::<Option<TermAccess>>()?;
                self.element(step, operand, places)
            }
            ChainStepKind::Generic {
                inputs,
                accesses,
                reduced,
                body,
                ..
            } => {
                let ValueSource::Defined(_, number) = source else {
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
            ChainStepKind::Named(_) | ChainStepKind::Refused(_) => None,
        }
    }

    /// What a body yields for these arguments, as far as these and all that it does are known.
    pub(super) fn results(
        &mut self,
        body: &ChainBody<'a>,
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
        match (instruction.what, &of[..]) {
            (BodyOperation::Index(dimension), _) => return Some(self.push(Term::Place(dimension))),
            (BodyOperation::IndexCast, &[index]) => return Some(index),
            _ => {}
        }
        let result = instruction.result?;
        let (opcode, of) = match instruction.what {
            BodyOperation::Constant(bits) => (Opcode::Constant(bits), Vec::new()),
            BodyOperation::Operation(opcode) | BodyOperation::Known(opcode) => (opcode, of),
            // A square is a product; of other powers there is no exact one.
            BodyOperation::Power if self.is_two(of[1]) => (Opcode::Mulf, vec![of[0]; 2]),
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

    /// The region that gives a term, whose arguments are the inputs that it is computed of, and then an accumulator, if one of this type is
    /// given; and these inputs. `None` where it is computed of something else.
    pub(super) fn region(
        &self,
        result: usize,
        accumulator: Option<ScalarType>,
    ) -> Option<(Region, Vec<TermInput<'s, 'a>>)> {
        let is_used = self.used(result, |_| false);
        let used = self.terms.iter().zip(is_used);
        let used = used.filter_map(|(term, is_used)| match term {
            Term::Input(input) if is_used => Some(*input),
            _ => None,
        });
        let mut arguments: Vec<usize> = used.collect();
        arguments.sort_unstable();
        arguments.dedup();
        if arguments.is_empty() || arguments.len() > MAX_ARGUMENTS {
            return None;
        }
        let types = arguments.iter().map(|&it| self.inputs[it].0.element);
        let region = self.region_of(result, types.chain(accumulator), |term| {
            let argument = match &self.terms[term] {
                Term::Input(input) => arguments.binary_search(input).ok()?,
                Term::Accumulator if accumulator.is_some() => arguments.len(),
                _ => return None,
            };
            Some(Value(argument as u32))
        })?;
        let inputs = arguments.into_iter().map(|it| self.inputs[it].clone());
        Some((region, inputs.collect()))
    }

    /// The region that gives a term of two others of this type, which are its arguments. `None` where it is computed of something else.
    pub(super) fn of_two(
        &self,
        result: usize,
        arguments: [usize; 2],
        scalar: ScalarType,
    ) -> Option<Region> {
        self.region_of(result, [scalar; 2], |term| {
            let argument = arguments.iter().position(|it| *it == term)?;
            Some(Value(argument as u32))
        })
    }

    /// The terms that a term is computed of, and those of which some are that are no arguments.
    fn used(&self, result: usize, is_argument: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut is_used = vec![false; self.terms.len()];
        is_used[result] = true;
        for (number, term) in self.terms.iter().enumerate().rev() {
            if let Term::Operation(_, of, _) = term
                && is_used[number]
                && !is_argument(number)
            {
                of.iter().for_each(|&it| is_used[it] = true);
            }
        }
        is_used
    }

    fn region_of(
        &self,
        result: usize,
        types: impl IntoIterator<Item = ScalarType>,
        argument: impl Fn(usize) -> Option<Value>,
    ) -> Option<Region> {
        let mut region = Region::of(types);
        let mut values = vec![Value(0); self.terms.len()];
        let is_used = self.used(result, |term| argument(term).is_some());
        let used = (0..self.terms.len()).filter(|&term| is_used[term]);
        for number in used {
            values[number] = match (argument(number), &self.terms[number]) {
                (Some(value), _) => value,
                (None, Term::Operation(opcode, of, result)) => {
                    let of: Vec<Value> = of.iter().map(|&it| values[it]).collect();
                    let of = ArrayVec::try_from(&of[..]).ok()?;
                    region.append(*opcode, of, *result).ok()?
                }
                (None, _) => return None,
            };
        }
        region.set_result(values[result]);
        Some(region)
    }
}
