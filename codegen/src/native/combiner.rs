//! Combiners: what a reduction keeps (its state) and how two states become one.
//!
//! The distribution over workgroups, subgroups, lanes and steps is written for any [`Combiner`]; what is special about
//! one, such as that the winner of a comparison can be found by ballot, is its own affair ([`super::emit`]'s `lanes`).
//! A *slot* is the state that a lane accumulates in the loop: it may be narrower than the state that is exchanged between
//! lanes, and positions in it are relative. [`ArgCompare`] is the combiner of argmax and argmin.
//!
//! This module knows nothing of distribution.

use std::fmt;

use configgen::comparator::order::{Class, Side};
use configgen::{ElementType, Problem};

use super::ir::{Ir, Value};

/// A register type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// IEEE 754 binary16.
    F16,
    /// IEEE 754 binary32.
    F32,
    /// 32-bit integer.
    I32,
}

impl Scalar {
    /// LLVM's name.
    pub(crate) fn llvm(self) -> &'static str {
        match self {
            Scalar::F16 => "half",
            Scalar::F32 => "float",
            Scalar::I32 => "i32",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        self != Scalar::I32
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::I32 => "i32",
        })
    }
}

/// The values of a state or a slot, one per scalar.
pub(crate) type State = Vec<Value>;

/// One element for one slot.
pub(crate) struct Accumulation<'a> {
    /// The slot, which is replaced.
    pub(crate) slot: &'a mut State,
    /// A value of the first scalar's type.
    pub(crate) element: &'a Value,
    /// Its relative position, of type [`Combiner::position`].
    pub(crate) position: &'a Value,
}

/// A reduction.
///
/// Loads at the end of a row may read an element twice, so a combiner must be idempotent (`combine(a, a) = a`); one that
/// is not (a sum) needs masked loads, which do not exist yet.
pub(crate) trait Combiner {
    /// The scalars of a slot.
    fn slot(&self) -> Vec<Scalar>;
    /// The type of positions.
    fn position(&self) -> Scalar;
    /// The slot before the first element.
    fn initial(&self) -> State;
    /// Some slots, each after one more element. Several at once, so that what is independent can stand side by side.
    fn accumulate(&self, ir: &mut Ir, steps: &mut [Accumulation<'_>]);
    /// The scalars of a state; each has 32 bits.
    fn state(&self) -> Vec<Scalar>;
    /// The state that a slot stands for, its positions moved by `distance`.
    fn settle(&self, ir: &mut Ir, slot: &[Value], distance: u64) -> State;
    /// `state` with its positions moved by `distance`, of type [`Combiner::position`].
    fn displace(&self, ir: &mut Ir, state: &[Value], distance: &Value) -> State;
    /// Two states in one, whichever comes first.
    fn combine(&self, ir: &mut Ir, a: &[Value], b: &[Value]) -> State;
    /// The results, in the order of the output buffers: LLVM type, size in bytes, value.
    fn finish(&self, ir: &mut Ir, state: &[Value]) -> Vec<(&'static str, u32, Value)>;
}

/// argmax and argmin: the state is the best value so far and its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArgCompare {
    /// Which value is the best.
    pub side: Side,
    /// Type of the elements and of the returned values.
    pub element: ElementType,
}

impl ArgCompare {
    /// The combiner of argmax and argmin; none of other comparators.
    pub fn of(problem: &Problem) -> Option<ArgCompare> {
        match &problem.comparator.order().class {
            Class::Extreme(extreme) => Some(ArgCompare {
                side: extreme.side,
                element: problem.element,
            }),
            Class::Pair => None,
        }
    }

    /// The register type of the values in the loop. bf16 is compared as the f32 whose upper half it is.
    pub(crate) fn loop_value(&self) -> Scalar {
        match self.element {
            ElementType::F16 => Scalar::F16,
            ElementType::I32 => Scalar::I32,
            _ => Scalar::F32,
        }
    }

    /// The register type of the values of a state. f16 widens exactly.
    pub(crate) fn state_value(&self) -> Scalar {
        match self.element {
            ElementType::I32 => Scalar::I32,
            _ => Scalar::F32,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self.side {
            Side::Max => "argmax",
            Side::Min => "argmin",
        }
    }

    /// The comparison under which an element replaces the value: strict and ordered, so that the first of equal
    /// elements stays and NaN never wins.
    pub fn comparison(&self) -> &'static str {
        match (self.side, self.element.is_float()) {
            (Side::Max, true) => "ogt",
            (Side::Min, true) => "olt",
            (Side::Max, false) => "sgt",
            (Side::Min, false) => "slt",
        }
    }

    /// The value of the initial pair, which every other value but NaN beats or equals.
    pub fn worst(&self) -> &'static str {
        match (self.side, self.element.is_float()) {
            (Side::Max, true) => "-inf",
            (Side::Min, true) => "+inf",
            (Side::Max, false) => "-2147483648",
            (Side::Min, false) => "2147483647",
        }
    }

    fn worst_in_llvm(&self) -> Value {
        Value::text(match (self.side, self.loop_value()) {
            (Side::Max, Scalar::F32) => "0xFFF0000000000000",
            (Side::Min, Scalar::F32) => "0x7FF0000000000000",
            (Side::Max, Scalar::F16) => "0xHFC00",
            (Side::Min, Scalar::F16) => "0xH7C00",
            (_, Scalar::I32) => self.worst(),
        })
    }

    /// `i1`: whether `a` beats `b`, both of type `kind`.
    pub(crate) fn beats(&self, ir: &mut Ir, kind: Scalar, a: &Value, b: &Value) -> Value {
        let instruction = if kind.is_float() { "fcmp" } else { "icmp" };
        let (comparison, kind) = (self.comparison(), kind.llvm());
        ir.value(format_args!("{instruction} {comparison} {kind} {a}, {b}"))
    }

    /// `i1`: whether two values of states are equal; +0 and -0 are.
    pub(crate) fn equal(&self, ir: &mut Ir, a: &Value, b: &Value) -> Value {
        match self.state_value() {
            Scalar::I32 => ir.value(format_args!("icmp eq i32 {a}, {b}")),
            _ => ir.value(format_args!("fcmp oeq float {a}, {b}")),
        }
    }

    /// The better of two values of states, of either sign if both are zeros. States hold no NaN, which `nnan` tells LLVM
    /// so that it does not quiet the operands first.
    pub(crate) fn best(&self, ir: &mut Ir, a: &Value, b: &Value) -> Value {
        match (self.state_value(), self.side) {
            (Scalar::I32, Side::Max) => {
                ir.value(format_args!("call i32 @llvm.smax.i32(i32 {a}, i32 {b})"))
            }
            (Scalar::I32, Side::Min) => {
                ir.value(format_args!("call i32 @llvm.smin.i32(i32 {a}, i32 {b})"))
            }
            (_, Side::Max) => ir.value(format_args!(
                "call nnan float @llvm.maxnum.f32(float {a}, float {b})"
            )),
            (_, Side::Min) => ir.value(format_args!(
                "call nnan float @llvm.minnum.f32(float {a}, float {b})"
            )),
        }
    }
}

impl Combiner for ArgCompare {
    fn slot(&self) -> Vec<Scalar> {
        vec![self.loop_value(), Scalar::I32]
    }

    fn position(&self) -> Scalar {
        Scalar::I32
    }

    fn initial(&self) -> State {
        vec![self.worst_in_llvm(), Value::Int(0)]
    }

    fn accumulate(&self, ir: &mut Ir, steps: &mut [Accumulation<'_>]) {
        let kind = self.loop_value();
        // All comparisons first: a select may not follow its comparison at once.
        let better: Vec<Value> = steps
            .iter()
            .map(|step| self.beats(ir, kind, step.element, &step.slot[0]))
            .collect();
        for (step, better) in steps.iter_mut().zip(&better) {
            step.slot[0] = select(ir, better, kind, step.element, &step.slot[0]);
        }
        for (step, better) in steps.iter_mut().zip(&better) {
            step.slot[1] = select(ir, better, Scalar::I32, step.position, &step.slot[1]);
        }
    }

    fn state(&self) -> Vec<Scalar> {
        vec![self.state_value(), Scalar::I32]
    }

    fn settle(&self, ir: &mut Ir, slot: &[Value], distance: u64) -> State {
        let value = match self.loop_value() {
            Scalar::F16 => ir.value(format_args!("fpext half {} to float", slot[0])),
            _ => slot[0].clone(),
        };
        let index = ir.add("i32", &slot[1], &distance.into());
        vec![value, index]
    }

    fn displace(&self, ir: &mut Ir, state: &[Value], distance: &Value) -> State {
        let index = ir.add("i32", &state[1], distance);
        vec![state[0].clone(), index]
    }

    fn combine(&self, ir: &mut Ir, a: &[Value], b: &[Value]) -> State {
        let kind = self.state_value();
        let better = self.beats(ir, kind, &b[0], &a[0]);
        let equal = self.equal(ir, &b[0], &a[0]);
        let earlier = ir.value(format_args!("icmp slt i32 {}, {}", b[1], a[1]));
        let tie = ir.value(format_args!("and i1 {equal}, {earlier}"));
        let take = ir.value(format_args!("or i1 {better}, {tie}"));
        let value = select(ir, &take, kind, &b[0], &a[0]);
        let index = select(ir, &take, Scalar::I32, &b[1], &a[1]);
        vec![value, index]
    }

    fn finish(&self, ir: &mut Ir, state: &[Value]) -> Vec<(&'static str, u32, Value)> {
        let value = &state[0];
        let value = match self.element {
            ElementType::F16 => {
                let narrow = ir.value(format_args!("fptrunc float {value} to half"));
                ("half", 2, narrow)
            }
            ElementType::Bf16 => {
                let bits = ir.value(format_args!("bitcast float {value} to i32"));
                let upper = ir.value(format_args!("lshr i32 {bits}, 16"));
                let narrow = ir.value(format_args!("trunc i32 {upper} to i16"));
                ("i16", 2, narrow)
            }
            _ => (self.state_value().llvm(), 4, value.clone()),
        };
        vec![value, ("i32", 4, state[1].clone())]
    }
}

fn select(ir: &mut Ir, condition: &Value, kind: Scalar, yes: &Value, no: &Value) -> Value {
    let kind = kind.llvm();
    ir.value(format_args!(
        "select i1 {condition}, {kind} {yes}, {kind} {no}"
    ))
}

impl fmt::Display for ArgCompare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "state (value {} = {}, index i32 = 0); an element that is {} the value replaces it",
            self.element,
            self.worst(),
            self.comparison()
        )
    }
}
