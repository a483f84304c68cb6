//! The verifier: types agree, values are defined before their use, and all threads of a workgroup
//! reach each barrier.
//!
//! It also computes the *spread* of each value: the threads that agree on it. A branch or a loop
//! is as uniform as its condition, and its results are no more uniform than that.

use std::collections::HashMap;
use std::fmt::Arguments;

use super::operation::{
    Binary, Block, Conversion, If, IrOperation, Loop, Predicate, Statement, Unary,
};
use super::types::{AddressSpace, Type};
use super::value::{Value, ValueOrigin};
use super::{Id, IrKernel};

/// A defect of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum VerifierError {
    /// An operation on types that it does not take.
    Type(String),
    /// A value that is not defined at this use, or is defined twice.
    Undefined(String),
    /// A barrier that not all threads of a workgroup reach.
    Divergent,
    /// A block that yields other types than its statement has results.
    Yields,
    /// A parameter or LDS allocation that the kernel does not have.
    Foreign(&'static str),
}

/// The threads that have the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spread {
    /// All threads of the workgroup.
    Workgroup,
    /// The lanes of a subgroup.
    Subgroup,
    /// Only the lane itself.
    Lane,
}

/// Checks a kernel.
///
/// # Errors
///
/// The first defect.
pub(crate) fn verify(kernel: &IrKernel) -> Result<(), VerifierError> {
    let mut verifier = Verifier {
        kernel,
        known: HashMap::new(),
        defined: Vec::new(),
        flow: Spread::Workgroup,
    };
    verifier.block(&kernel.body)?;
    Ok(())
}

struct Verifier<'a> {
    kernel: &'a IrKernel,
    /// The type and spread of each value that is defined here.
    known: HashMap<u32, (Type, Spread)>,
    /// The IDs of `known`, in the order of definition.
    defined: Vec<u32>,
    /// The threads that reach this point together.
    flow: Spread,
}

impl Verifier<'_> {
    /// Checks the statements and returns the spreads of the yields. Definitions stay known. The
    /// caller restores the earlier ones if others must not see the block.
    fn block(&mut self, block: &Block) -> Result<Vec<Spread>, VerifierError> {
        for statement in &block.statements {
            self.statement(statement)?;
        }
        block
            .yields
            .iter()
            .map(|&value| self.spread(value, format_args!("yield")))
            .collect()
    }

    /// Checks an inner block like [`Self::block`]. The threads that agree on the condition reach
    /// it together.
    fn inner(&mut self, block: &Block, condition: Spread) -> Result<Vec<Spread>, VerifierError> {
        let (defined, flow) = (self.defined.len(), self.flow);
        self.flow = flow.max(condition);
        let spreads = self.block(block);
        self.forget(defined);
        self.flow = flow;
        spreads
    }

    /// Forgets all definitions but the first `kept`.
    fn forget(&mut self, kept: usize) {
        for id in self.defined.drain(kept..) {
            self.known.remove(&id);
        }
    }

    fn define(&mut self, value: Value, spread: Spread) -> Result<(), VerifierError> {
        match value.origin {
            ValueOrigin::Defined(id) if !self.known.contains_key(&id) => {
                self.known.insert(id, (value.kind, spread));
                self.defined.push(id);
                Ok(())
            }
            _ => Err(VerifierError::Undefined(format!(
                "{value:?} is defined twice"
            ))),
        }
    }

    /// Returns the spread of a value, which must be defined.
    fn spread(&self, value: Value, user: Arguments<'_>) -> Result<Spread, VerifierError> {
        match value.origin {
            ValueOrigin::Constant(_) if value.kind.scalar().is_none() => {
                Err(VerifierError::Type(user.to_string()))
            }
            ValueOrigin::Constant(_) | ValueOrigin::Any => Ok(Spread::Workgroup),
            ValueOrigin::Defined(id) => match self.known.get(&id) {
                Some((kind, spread)) if *kind == value.kind => Ok(*spread),
                Some(_) => Err(VerifierError::Type(user.to_string())),
                None => Err(VerifierError::Undefined(user.to_string())),
            },
            ValueOrigin::Parameter(parameter) => match self.kernel.parameters.contains(&value) {
                true => Ok(Spread::Workgroup),
                false => Err(VerifierError::Foreign(parameter.name())),
            },
            ValueOrigin::Lds(lds) => match self.kernel.lds.iter().any(|(own, _)| *own == lds) {
                true => Ok(Spread::Workgroup),
                false => Err(VerifierError::Foreign(lds.name())),
            },
        }
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), VerifierError> {
        let Statement {
            results, operation, ..
        } = statement;
        match operation {
            IrOperation::If(choice) => return self.choice(choice, results),
            IrOperation::Loop(turns) => return self.turns(turns, results),
            IrOperation::Barrier if self.flow != Spread::Workgroup => {
                return Err(VerifierError::Divergent);
            }
            _ => {}
        }
        let mut spread = Spread::Workgroup;
        for operand in operation.operands() {
            spread = spread.max(self.spread(operand, format_args!("{operation:?}"))?);
        }
        // Operands are checked before types: an undefined value has no reliable type.
        let kinds: Vec<Type> = results.iter().map(|result| result.kind).collect();
        if !self.agrees(operation, &kinds) {
            return Err(VerifierError::Type(format!("{operation:?}")));
        }
        match operation {
            // Threads that have ended reach no barrier.
            IrOperation::ContinueIf(_) => self.flow = self.flow.max(spread),
            _ => {
                let spread = spread_of(operation, spread);
                for &result in results {
                    self.define(result, spread)?;
                }
            }
        }
        Ok(())
    }

    fn choice(&mut self, choice: &If, results: &[Value]) -> Result<(), VerifierError> {
        let condition = self.spread(choice.condition, format_args!("if"))?;
        let then = self.inner(&choice.then, condition)?;
        let otherwise = self.inner(&choice.otherwise, condition)?;
        is_kind(choice.condition, Type::I1, "if")?;
        are_alike(results, &choice.then.yields)?;
        are_alike(results, &choice.otherwise.yields)?;
        for (&result, (a, b)) in results.iter().zip(then.into_iter().zip(otherwise)) {
            // Threads on different branches have different results, even if each branch's result
            // is uniform.
            self.define(result, a.max(b).max(condition))?;
        }
        Ok(())
    }

    /// Checks a loop. Assumes that carried values are as uniform as at the beginning, and repeats
    /// until a turn confirms that.
    fn turns(&mut self, turns: &Loop, results: &[Value]) -> Result<(), VerifierError> {
        are_alike(&turns.carried, &turns.initial)?;
        are_alike(&turns.carried, &turns.body.yields)?;
        are_alike(results, &turns.head.yields)?;
        is_kind(turns.again, Type::I1, "while")?;
        let initial = turns.initial.iter();
        let mut spreads: Vec<Spread> = initial
            .map(|&value| self.spread(value, format_args!("loop")))
            .collect::<Result<_, _>>()?;
        let mut condition = Spread::Workgroup;
        // Terminates, because spreads only grow and have three values.
        loop {
            let (defined, flow) = (self.defined.len(), self.flow);
            for (&carried, &spread) in turns.carried.iter().zip(&spreads) {
                self.define(carried, spread)?;
            }
            self.flow = flow.max(condition);
            let ends = self.block(&turns.head)?;
            let again = self.spread(turns.again, format_args!("while"))?;
            let next = self.inner(&turns.body, again)?;
            self.forget(defined);
            self.flow = flow;
            let before = (spreads.clone(), condition);
            condition = condition.max(again);
            for (spread, next) in spreads.iter_mut().zip(next) {
                *spread = (*spread).max(next).max(condition);
            }
            if before == (spreads.clone(), condition) {
                for (&result, end) in results.iter().zip(ends) {
                    self.define(result, end.max(condition))?;
                }
                return Ok(());
            }
        }
    }

    /// Returns true if an operation takes its operands and has these results.
    fn agrees(&self, operation: &IrOperation, results: &[Type]) -> bool {
        use IrOperation::*;
        let result = results.first().copied();
        let is = |value: &Value, kind: Type| value.kind == kind;
        match operation {
            Comment(_) | Fence(..) | Sleep | Barrier => results.is_empty(),
            Id(_) => results == [Type::I32],
            IrOperation::Unary(unary, a) => takes(*unary, a.kind) && results == [a.kind],
            IrOperation::Binary(binary, a, b) => {
                a.kind == b.kind && has_operands(*binary, a.kind) && results == [a.kind]
            }
            FusedMultiplyAdd(a, b, c) => {
                a.kind.is_float() && b.kind == a.kind && c.kind == a.kind && results == [a.kind]
            }
            Split(x) => x.kind.is_float() && results == [x.kind, Type::I32],
            Scale(x, exponent) => {
                x.kind.is_float() && is(exponent, Type::I32) && results == [x.kind]
            }
            Convert(conversion, a) => result.is_some_and(|to| converts(*conversion, a.kind, to)),
            Compare(predicate, a, b) => {
                let is_number = match predicate {
                    Predicate::Integer(_) => a.kind.is_integer(),
                    Predicate::Float(_) => a.kind.is_float(),
                };
                is_number && a.kind == b.kind && results == [Type::I1]
            }
            Select(condition, yes, no) => {
                is(condition, Type::I1) && yes.kind == no.kind && results == [yes.kind]
            }
            Vector(values) => match result {
                Some(Type::Vector(scalar, count)) => {
                    values.len() == count as usize
                        && values.iter().all(|value| is(value, scalar.into()))
                }
                _ => false,
            },
            Element(vector, number) => match vector.kind {
                Type::Vector(scalar, count) => *number < count && results == [scalar.into()],
                Type::Scalar(_) | Type::Pointer(_) => false,
            },
            Move(_, word) | ReadFirstLane(word) => is(word, Type::I32) && results == [Type::I32],
            Permute(word, other) | ReadLane(word, other) | WriteLane(word, _, other) => {
                is(word, Type::I32) && is(other, Type::I32) && results == [Type::I32]
            }
            Swap(_, word) => is(word, Type::I32) && results == [Type::I32; 2],
            MovePair(low, high) => {
                is(low, Type::I32) && is(high, Type::I32) && results == [Type::I32; 2]
            }
            Ballot(condition) => {
                is(condition, Type::I1)
                    // A ballot has one bit for each lane of the subgroup.
                    && result.is_some_and(|mask| mask.bits() == self.kernel.lanes)
            }
            Offset(pointer, count, _) => {
                // Pointers to LDS have 32 bits.
                let count_kind = match pointer.kind {
                    Type::Pointer(AddressSpace::Global) => Type::I64,
                    _ => Type::I32,
                };
                is_pointer(pointer) && is(count, count_kind) && results == [pointer.kind]
            }
            Apart(pointer, bytes) => {
                is(pointer, Type::GLOBAL) && is(bytes, Type::I32) && results == [Type::GLOBAL]
            }
            Load(pointer, _) => {
                is_pointer(pointer) && result.is_some_and(|kind| !matches!(kind, Type::Pointer(_)))
            }
            Store(value, pointer, _) => {
                is_pointer(pointer) && !is_pointer(value) && results.is_empty()
            }
            AtomicAdd(pointer, value, _) => {
                is(pointer, Type::GLOBAL) && is(value, Type::I32) && results == [Type::I32]
            }
            AtomicLoad(pointer) => is(pointer, Type::GLOBAL) && results == [Type::I32],
            ContinueIf(condition) => is(condition, Type::I1) && results.is_empty(),
            If(_) | Loop(_) => true,
        }
    }
}

/// Returns the spread of an operation's result, given that of its operands.
fn spread_of(operation: &IrOperation, operands: Spread) -> Spread {
    match operation {
        IrOperation::Id(Id::Thread) => Spread::Lane,
        IrOperation::Id(_) => Spread::Workgroup,
        IrOperation::Ballot(_) | IrOperation::ReadLane(..) | IrOperation::ReadFirstLane(_) => {
            // All lanes of the subgroup get one value; it is not less uniform than the operands.
            operands.min(Spread::Subgroup)
        }
        IrOperation::Move(..)
        | IrOperation::Permute(..)
        | IrOperation::Swap(..)
        | IrOperation::WriteLane(..)
        | IrOperation::AtomicAdd(..)
        | IrOperation::AtomicLoad(_) => Spread::Lane,
        _ => operands,
    }
}

fn is_pointer(value: &Value) -> bool {
    matches!(value.kind, Type::Pointer(_))
}

fn is_kind(value: Value, kind: Type, user: &str) -> Result<(), VerifierError> {
    match value.kind == kind {
        true => Ok(()),
        false => Err(VerifierError::Type(user.to_owned())),
    }
}

fn are_alike(results: &[Value], yields: &[Value]) -> Result<(), VerifierError> {
    let kinds = |values: &[Value]| values.iter().map(|value| value.kind).collect::<Vec<_>>();
    match kinds(results) == kinds(yields) {
        true => Ok(()),
        false => Err(VerifierError::Yields),
    }
}

/// Returns true if a unary operation takes a value of this type.
fn takes(unary: Unary, kind: Type) -> bool {
    match unary {
        Unary::Negate | Unary::AbsFloat | Unary::Canonicalize | Unary::SquareRoot => {
            kind.is_float()
        }
        Unary::Floor | Unary::Ceiling | Unary::Whole | Unary::RoundAway | Unary::RoundEven => {
            kind.is_float()
        }
        Unary::AbsInteger
        | Unary::CountOnes
        | Unary::LowestOne
        | Unary::LeadingZeros
        | Unary::TrailingZeros => kind.is_integer(),
        Unary::Pin => kind == Type::GLOBAL,
        Unary::Opaque => kind == Type::I32,
        Unary::PowerOfTwo | Unary::LogarithmOfTwo | Unary::InverseRoot => kind == Type::F32,
    }
}

/// Returns true if a binary operation takes values of this type.
fn has_operands(binary: Binary, kind: Type) -> bool {
    match binary {
        Binary::AddFloat
        | Binary::SubFloat
        | Binary::MulFloat
        | Binary::DivFloat
        | Binary::MinNumber
        | Binary::MaxNumber
        | Binary::MinNumberNoNan
        | Binary::MaxNumberNoNan
        | Binary::Minimum
        | Binary::Maximum
        | Binary::CopySign => kind.is_float(),
        _ => kind.is_integer(),
    }
}

/// Returns true if a conversion leads from one type to the other.
fn converts(conversion: Conversion, from: Type, to: Type) -> bool {
    let (integers, floats) = (
        from.is_integer() && to.is_integer(),
        from.is_float() && to.is_float(),
    );
    match conversion {
        Conversion::Truncate => integers && to.bits() < from.bits(),
        Conversion::ZeroExtend | Conversion::SignExtend => integers && to.bits() > from.bits(),
        Conversion::Round => floats && to.bits() < from.bits(),
        Conversion::Extend => floats && to.bits() > from.bits(),
        Conversion::Bits => from.bits() == to.bits() && from.bits() > 0,
        Conversion::FromSigned | Conversion::FromUnsigned => from.is_integer() && to.is_float(),
        Conversion::ToSigned | Conversion::ToUnsigned => from.is_float() && to.is_integer(),
    }
}
