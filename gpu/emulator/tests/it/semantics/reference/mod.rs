//! The computation of each operation, from the pseudocode of AMD's instruction set manuals, as
//! plain integer and IEEE arithmetic of the host.

pub(crate) mod angle;
pub(crate) mod atomics;
pub(crate) mod bits;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod division;
pub(crate) mod dot;
pub(crate) mod double;
pub(crate) mod extremum;
pub(crate) mod float;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod lds;
pub(crate) mod modified;
pub(crate) mod packed;
pub(crate) mod scalar;
pub(crate) mod scalar_float;
pub(crate) mod single;
pub(crate) mod small;
pub(crate) mod special;
pub(crate) mod unfused;

use emulator::Isa;

pub(crate) use crate::semantics::closeness::Match;
use crate::semantics::values::Kind;

/// Operands of one lane: sources, the old destination, the lane's bit of VCC; and the instruction
/// set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    pub(crate) from: [u64; 3],
    pub(crate) old: u64,
    pub(crate) vcc: bool,
    pub(crate) isa: Isa,
}

/// The results of an instruction: the destination, and the lane's bit in VCC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Left {
    pub(crate) to: u64,
    pub(crate) vcc: bool,
}

/// The syntax of the operands.
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
    /// `name vcc, sources`, with EXEC as another result; without VCC, `name sources`
    CompareExec,
    /// Several instructions on v2, v4 and v6 into v10, with `VCC` for the lane mask and
    /// temporaries from v14 on. They preserve VCC.
    Sequence(&'static [&'static str]),
}

/// An operation of the vector unit.
pub(crate) struct Vector {
    /// All names of the operation in instruction sets.
    pub(crate) names: &'static [&'static str],
    pub(crate) form: Form,
    pub(crate) to: Kind,
    pub(crate) from: &'static [Kind],
    /// The modifiers after the operands.
    pub(crate) with: &'static str,
    pub(crate) accuracy: Match,
    pub(crate) value: fn(&Lane) -> Left,
}

/// Returns every operation of the scalar unit.
pub(crate) fn scalar_operations() -> impl Iterator<Item = &'static scalar::Scalar> {
    [scalar::OPERATIONS, scalar_float::OPERATIONS]
        .into_iter()
        .chain(scalar_float::COMPARISONS)
        .flatten()
}

/// Returns every operation of the vector unit.
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
        modified::OPERATIONS,
        packed::OPERATIONS,
        packed::LANES,
        special::OPERATIONS,
        special::LANES,
        convert::OPERATIONS,
        angle::OPERATIONS,
        division::OPERATIONS,
        division::QUOTIENTS,
        dot::OPERATIONS,
        extremum::OPERATIONS,
        small::OPERATIONS,
        small::LANES,
        unfused::OPERATIONS,
        unfused::LANES,
    ]
    .into_iter()
    .chain(compare::OPERATIONS)
    .flatten()
}

/// Defines operations that do not write VCC: `TYPE NAME | NAME (TYPES) = |a, b, c| bits;`.
/// `with " modifiers"` and `within Ulp(1)` may precede the equals sign.
macro_rules! vectors {
    ($($to:ident $($name:literal)|+ ($($from:ident),*) $(with $with:literal)? $(within $accuracy:ident($bound:literal))? = |$($p:ident),+| $value:expr;)*) => {
        $crate::semantics::reference::lane_vectors! {
            $($to $($name)|+ ($($from),*) Plain $(with $with)? $(within $accuracy($bound))? = |lane| {
                let [$($p,)+ ..] = [lane.from[0], lane.from[1], lane.from[2], lane.old];
                $crate::semantics::reference::Left { to: $value, vcc: lane.vcc }
            };)*
        }
    };
}
pub(crate) use vectors;

/// Defines operations on the whole lane: `TYPE NAME (TYPES) FORM = |lane| left;`.
macro_rules! lane_vectors {
    ($($to:ident $($name:literal)|+ ($($from:ident),*) $form:ident $(with $with:literal)? $(within $accuracy:ident($bound:literal))? = |$lane:ident| $value:expr;)*) => {
        &[$($crate::semantics::reference::Vector {
            names: &[$($name),+],
            form: $crate::semantics::reference::Form::$form,
            to: $crate::semantics::values::Kind::$to,
            from: &[$($crate::semantics::values::Kind::$from),*],
            with: concat!($($with)?),
            accuracy: $crate::semantics::reference::accuracy!($($accuracy($bound))?),
            value: |$lane| $value,
        }),*]
    };
}
pub(crate) use lane_vectors;

/// Defines operations by lines of assembly:
/// `TYPE NAME (TYPES) by [LINES] = |a, b, c, old| bits;`.
macro_rules! sequences {
    ($($to:ident $($name:literal)|+ ($($from:ident),*) by [$($line:literal),+ $(,)?] = |$($p:ident),+| $value:expr;)*) => {
        &[$($crate::semantics::reference::Vector {
            names: &[$($name),+],
            form: $crate::semantics::reference::Form::Sequence(&[$($line),+]),
            to: $crate::semantics::values::Kind::$to,
            from: &[$($crate::semantics::values::Kind::$from),*],
            with: "",
            accuracy: $crate::semantics::reference::Match::Exact,
            value: |lane| {
                let [$($p,)+ ..] = [lane.from[0], lane.from[1], lane.from[2], lane.old];
                $crate::semantics::reference::Left { to: $value, vcc: lane.vcc }
            },
        }),*]
    };
}
pub(crate) use sequences;

macro_rules! accuracy {
    () => {
        $crate::semantics::reference::Match::Exact
    };
    ($accuracy:ident($bound:literal)) => {
        $crate::semantics::reference::Match::$accuracy($bound)
    };
}
pub(crate) use accuracy;
