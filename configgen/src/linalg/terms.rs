//! Terms: the operations before a reduction, as expressions of their inputs' elements.
//!
//! The accesses relate each input's elements to the iteration of the reduction. All computations
//! at one iteration index therefore form one region, with one argument per input. An inexact
//! operation, an operation with other users, and an earlier reduction are inputs.

mod copies;

use std::collections::HashMap;

use arrayvec::ArrayVec;

use super::chain::body::{BodyOperation, ChainBody, Instruction};
use super::chain::step::{ChainOperand, ChainStep, ChainStepKind, NamedOperation, ValueSource};
use super::map::OperandAccess;
use crate::comparator::{MAX_ARGUMENTS, MAX_OPERATIONS, Opcode, Region, ScalarType, Value};
use crate::shape::MAX_RANK;

/// The largest number of terms before equal ones are merged.
const MAX_TERMS: usize = 4 * MAX_OPERATIONS;

/// The index along a dimension of a tensor: that along a dimension of the iteration, moved by an
/// offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TermIndex {
    pub(super) dimension: usize,
    /// The summand. It is 0 if no slice is read.
    pub(super) offset: i32,
}

impl TermIndex {
    /// Returns the index along this dimension of the iteration.
    pub(super) fn along(dimension: usize) -> TermIndex {
        TermIndex {
            dimension,
            offset: 0,
        }
    }

    fn moved(self, offset: i32) -> Option<TermIndex> {
        let offset = self.offset.checked_add(offset)?;
        Some(TermIndex { offset, ..self })
    }
}

/// The index along each dimension of a tensor, or none for one of size 1.
pub(super) type TermAccess = ArrayVec<Option<TermIndex>, MAX_RANK>;

/// An input with its access.
pub(super) type TermInput<'s, 'a> = (&'s ChainOperand<'a>, TermAccess);

/// Returns whether an operation may be a part of a function.
pub(super) fn is_function(step: &ChainStep<'_>) -> bool {
    let ChainStepKind::Generic { body: Ok(body), .. } = &step.kind else {
        return false;
    };
    let is_two = |value: usize| {
        let made = value.checked_sub(body.arguments.len());
        let made = made.and_then(|it| body.instructions.get(it));
        made.is_some_and(|it| match (it.what, it.result) {
            (BodyOperation::Constant(bits), Some(scalar)) if scalar.is_float() => {
                scalar.to_f64(bits) == 2.0
            }
            (BodyOperation::Constant(bits), _) => bits == 2,
            _ => false,
        })
    };
    let is_exact = |it: &Instruction<'_>| match it.what {
        BodyOperation::Constant(_) => true,
        // Other powers than squares are operations of row programs alone.
        BodyOperation::Power => is_two(it.operands[1]),
        BodyOperation::Operation(opcode) | BodyOperation::Known(opcode) => opcode.is_exact(),
        _ => false,
    };
    step.is_pointwise() && body.instructions.iter().all(is_exact)
}

/// Returns the access of a tensor, or none if a constant 0 selects one of several indices.
pub(super) fn places(used: &ChainOperand<'_>, access: &OperandAccess) -> Option<TermAccess> {
    // A constant 0 is harmless on a dimension of size 1, which has only one index.
    let is_one = |(at, size): (&Option<usize>, &Option<u64>)| at.is_some() || *size == Some(1);
    let own = || access.iter().map(|at| at.map(TermIndex::along)).collect();
    access.iter().zip(&used.sizes).all(is_one).then(own)
}

/// A value at one index of the iteration.
pub(super) enum Term {
    Input(usize),
    /// The accumulator of the reduction.
    Accumulator,
    /// The index along a dimension of the operation with this body.
    Place(usize),
    Operation(Opcode, Vec<usize>, ScalarType),
}

/// The terms, each behind its operands.
#[derive(Default)]
pub(super) struct Terms<'s, 'a> {
    /// The operations before the reduction, by byte offset.
    steps: HashMap<usize, &'s ChainStep<'a>>,
    /// Their inputs, with accesses.
    inputs: Vec<TermInput<'s, 'a>>,
    terms: Vec<Term>,
    /// The terms of tensor elements.
    known: HashMap<(ValueSource<'a>, TermAccess), usize>,
}

impl<'s, 'a> Terms<'s, 'a> {
    /// Creates the empty list of terms for these operations.
    pub(super) fn of(before: &[&'s ChainStep<'a>]) -> Self {
        Terms {
            steps: before.iter().map(|it| (it.place.offset(), *it)).collect(),
            ..Terms::default()
        }
    }

    pub(super) fn term(&self, term: usize) -> &Term {
        &self.terms[term]
    }

    /// Returns the terms of the operands' elements, for an operation `by` with these accesses.
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

    /// Returns the term of a tensor's element for an operation `by` with this access.
    pub(super) fn element(
        &mut self,
        by: &ChainStep<'a>,
        used: &'s ChainOperand<'a>,
        places: TermAccess,
    ) -> Option<usize> {
        let key = (used.source, places);
        // The limit holds before equal terms are merged, so that a text cannot make the work
        // explode.
        if self.terms.len() > MAX_TERMS {
            return None;
        }
        if let Some(&known) = self.known.get(&key) {
            return Some(known);
        }
        let step = match used.source {
            // A value behind its use is invalid in MLIR; without this check such a text could
            // loop forever.
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

    /// Returns the term of an operation's result.
    pub(super) fn computed(
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
                if operand.sizes.len() > MAX_RANK {
                    return None;
                }
                // A reshape of these chains only adds or removes dimensions of size 1, so the
                // others correspond.
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
                let mut along: Vec<Option<Option<TermIndex>>> = vec![None; reduced.len()];
                for (at, place) in accesses.get(inputs + number)?.iter().zip(places) {
                    if let Some(at) = at {
                        along[*at] = Some(*place);
                    }
                }
                // Every dimension of the producer's iteration must be known, or its element has
                // no index.
                let along = along.into_iter().collect::<Option<Vec<_>>>()?;
                let mut arguments = Vec::new();
                for (operand, access) in step.operands[..*inputs].iter().zip(accesses) {
                    let places = self::places(operand, access)?;
                    let places = places
                        .iter()
                        .map(|at| at.and_then(|at| along[at.dimension]));
                    arguments.push(Some(self.element(step, operand, places.collect())?));
                }
                // Pointwise bodies do not read their outputs.
                arguments.resize(step.operands.len(), None);
                self.results(body.as_ref().ok()?, arguments)?
                    .get(number)
                    .copied()?
            }
            ChainStepKind::Named(NamedOperation::Slice(operation, _)) => {
                self.copied(step, operation, places)
            }
            ChainStepKind::Named(_) | ChainStepKind::Refused(_) => None,
        }
    }

    /// Returns the terms that a body yields for these arguments; a value may be unknown.
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
            // A square is a product. Other powers have no exact operation.
            BodyOperation::Power if self.is_two(of[1]) => (Opcode::Mulf, vec![of[0]; 2]),
            _ => return None,
        };
        Some(self.push(Term::Operation(opcode, of, result)))
    }

    fn is_two(&self, term: usize) -> bool {
        // `math.fpowi` has an integer exponent, `math.powf` a float.
        match &self.terms[term] {
            Term::Operation(Opcode::Constant(bits), _, scalar) if scalar.is_float() => {
                *bits == scalar.round(2.0)
            }
            Term::Operation(Opcode::Constant(bits), ..) => *bits == 2,
            _ => false,
        }
    }

    /// Returns the region of a term, with the inputs that it needs.
    ///
    /// The arguments are those inputs, then an accumulator if `accumulator` gives its type. The
    /// result is none if the term needs anything else.
    pub(super) fn region(
        &self,
        result: usize,
        accumulator: Option<ScalarType>,
    ) -> Option<(Region, Vec<TermInput<'s, 'a>>)> {
        // The order of first use would depend on the spelling of the module, so the inputs' order
        // decides.
        let arguments = self.used_inputs(result);
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

    /// Returns the region of a term that may select by indices, with the inputs and then the
    /// dimensions of the indices that it needs.
    ///
    /// The inputs that `is_first` selects are its first arguments.
    pub(super) fn region_along(
        &self,
        result: usize,
        is_first: impl Fn(&TermInput<'s, 'a>) -> bool,
    ) -> Option<(Region, Vec<TermInput<'s, 'a>>, Vec<usize>)> {
        let mut inputs = self.used_inputs(result);
        let is_used = self.used(result, |_| false);
        let along = self.terms.iter().zip(is_used).filter(|it| it.1);
        let along: Vec<usize> = along
            .filter_map(|(term, _)| match term {
                Term::Place(dimension) => Some(*dimension),
                _ => None,
            })
            .collect();
        inputs.sort_by_key(|it| !is_first(&self.inputs[*it]));
        if inputs.is_empty() || inputs.len() + along.len() > MAX_ARGUMENTS {
            return None;
        }
        let types = inputs.iter().map(|it| self.inputs[*it].0.element);
        let types = types.chain(along.iter().map(|_| ScalarType::I32));
        let region = self.region_of(result, types, |term| {
            let argument = match &self.terms[term] {
                Term::Input(input) => inputs.iter().position(|it| it == input)?,
                Term::Place(dimension) => {
                    inputs.len() + along.iter().position(|it| it == dimension)?
                }
                _ => return None,
            };
            Some(Value(argument as u32))
        })?;
        let inputs = inputs.into_iter().map(|it| self.inputs[it].clone());
        Some((region, inputs.collect(), along))
    }

    /// Returns the region of a term with two other terms as arguments, both of this type.
    ///
    /// The result is none if the term needs anything else.
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

    /// Returns whether a term needs another one.
    pub(super) fn needs(&self, result: usize, other: usize) -> bool {
        self.used(result, |_| false)[other]
    }

    /// Returns the inputs that a term needs, in ascending order.
    fn used_inputs(&self, result: usize) -> Vec<usize> {
        let used = self.terms.iter().zip(self.used(result, |_| false));
        let used = used.filter_map(|(term, is_used)| match term {
            Term::Input(input) if is_used => Some(*input),
            _ => None,
        });
        let mut inputs: Vec<usize> = used.collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// Returns the terms that a term needs, and stops at arguments.
    fn used(&self, result: usize, is_argument: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut is_used = vec![false; self.terms.len()];
        is_used[result] = true;
        // Operands precede their users, so one pass from the end suffices.
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
