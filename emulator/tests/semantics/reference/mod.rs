//! What each operation computes, written from the pseudocode of AMD's instruction set manuals as plain integer and
//! IEEE arithmetic of the host.

pub(crate) mod bits;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod double;
pub(crate) mod float;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod packed;
pub(crate) mod scalar;
pub(crate) mod share;
pub(crate) mod single;
pub(crate) mod special;

use crate::values::Kind;

/// How exact a result is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Match {
    /// Bit by bit; which NaN a NaN is does not matter where the result is a float.
    Exact,
    /// Within so many units in the last place of the result's type.
    Ulp(u64),
    /// Within an absolute error of a single.
    Absolute(f32),
}

/// Operands of one lane: sources, the old destination, the lane's bit of VCC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    pub(crate) from: [u64; 3],
    pub(crate) old: u64,
    pub(crate) vcc: bool,
}

/// What an instruction leaves: the destination, and the lane's bit in VCC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Left {
    pub(crate) to: u64,
    pub(crate) vcc: bool,
}

/// How the operands are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `name to, sources`
    Plain,
    /// `name to, sources, vcc`
    Select,
    /// `name to, vcc, sources`
    CarryOut,
    /// `name to, vcc, sources, vcc`
    CarryInOut,
    /// `name vcc, sources`
    Compare,
    /// `name vcc, sources` and EXEC is written too; where VCC is not written, `name sources`
    CompareExec,
}

/// An operation of the vector unit.
pub(crate) struct Vector {
    /// Every name that instruction sets have for it.
    pub(crate) names: &'static [&'static str],
    pub(crate) form: Form,
    pub(crate) to: Kind,
    pub(crate) from: &'static [Kind],
    pub(crate) accuracy: Match,
    pub(crate) value: fn(&Lane) -> Left,
}

/// Every operation.
pub(crate) fn operations() -> impl Iterator<Item = &'static Vector> {
    [
        bits::OPERATIONS,
        bits::LANES,
        integer::OPERATIONS,
        integer::LANES,
        single::OPERATIONS,
        single::LANES,
        double::OPERATIONS,
        double::LANES,
        half::OPERATIONS,
        half::LANES,
        packed::OPERATIONS,
        packed::LANES,
        special::OPERATIONS,
        special::LANES,
        convert::OPERATIONS,
    ]
    .into_iter()
    .chain(compare::OPERATIONS)
    .flatten()
}

/// A table of operations that leave VCC alone: `TYPE NAME | NAME (TYPES) = |a, b, c| bits;`, where `within Ulp(1)` may
/// stand before the equals sign.
macro_rules! vectors {
    ($($to:ident $($name:literal)|+ ($($from:ident),*) $(within $accuracy:ident($bound:literal))? = |$($p:ident),+| $value:expr;)*) => {
        &[$($crate::reference::Vector {
            names: &[$($name),+],
            form: $crate::reference::Form::Plain,
            to: $crate::values::Kind::$to,
            from: &[$($crate::values::Kind::$from),*],
            accuracy: $crate::reference::accuracy!($($accuracy($bound))?),
            value: |lane| {
                let [$($p,)+ ..] = [lane.from[0], lane.from[1], lane.from[2], lane.old];
                $crate::reference::Left { to: $value, vcc: lane.vcc }
            },
        }),*]
    };
}
pub(crate) use vectors;

/// A table of operations on all that a lane has: `TYPE NAME (TYPES) FORM = |lane| left;`.
macro_rules! lane_vectors {
    ($($to:ident $($name:literal)|+ ($($from:ident),*) $form:ident = |$lane:ident| $value:expr;)*) => {
        &[$($crate::reference::Vector {
            names: &[$($name),+],
            form: $crate::reference::Form::$form,
            to: $crate::values::Kind::$to,
            from: &[$($crate::values::Kind::$from),*],
            accuracy: $crate::reference::Match::Exact,
            value: |$lane| $value,
        }),*]
    };
}
pub(crate) use lane_vectors;

macro_rules! accuracy {
    () => {
        $crate::reference::Match::Exact
    };
    ($accuracy:ident($bound:literal)) => {
        $crate::reference::Match::$accuracy($bound)
    };
}
pub(crate) use accuracy;
