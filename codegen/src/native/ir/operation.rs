//! Operations, statements and blocks.

use configgen::comparator::{FloatPredicate, IntegerPredicate};

use super::kernel_part::KernelPart;
use super::value::Value;
use crate::native::isa::cross_lane::Move;

/// An id of a thread or workgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Id {
    /// The number of the thread in its workgroup.
    Thread,
    /// The numbers of the workgroup along x and y.
    WorkgroupX,
    WorkgroupY,
}

/// An operation on two values of the result's type. Integers wrap around. A shift must be by less
/// than the width, and a divisor must not be 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    DivUnsigned,
    DivSigned,
    RemUnsigned,
    RemSigned,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightUnsigned,
    ShiftRightSigned,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
    /// An unsigned sum that stops at the greatest number.
    AddSaturating,
    AddFloat,
    SubFloat,
    MulFloat,
    DivFloat,
    /// The smaller or larger operand. Ignores a NaN; returns either of two zeros.
    MinNumber,
    MaxNumber,
    /// The same for operands that are no NaN.
    MinNumberNoNan,
    MaxNumberNoNan,
    /// The smaller or larger operand, or NaN if either is a NaN.
    Minimum,
    Maximum,
    /// The first operand with the sign of the second.
    CopySign,
}

/// An operation on one value of the result's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    Negate,
    AbsFloat,
    /// The same number, with a NaN made quiet.
    Canonicalize,
    SquareRoot,
    /// The power of two, the logarithm to base two and the inverse square root of an f32. The
    /// error is at most 1 ULP. Denormals count as zeros, as results too.
    PowerOfTwo,
    LogarithmOfTwo,
    InverseRoot,
    /// Roundings to an integer, in order: down, up, towards zero, to nearest with ties away from
    /// zero, to nearest with ties to even.
    Floor,
    Ceiling,
    Whole,
    RoundAway,
    RoundEven,
    /// The absolute value; the least integer is unchanged.
    AbsInteger,
    CountOnes,
    /// The number of the lowest set bit. The operand must not be 0.
    LowestOne,
    /// The number of zeros above the highest set bit; all bits for zero.
    LeadingZeros,
    /// The number of zeros below the lowest set bit; all bits for zero.
    TrailingZeros,
    /// The same value, equal in all lanes, in a scalar register. The compiler must not recompute
    /// any part of it at its uses.
    Pin,
    /// The same value, in a vector register, with its origin hidden from the compiler.
    Opaque,
}

/// A conversion from one type to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Conversion {
    /// The low bits.
    Truncate,
    ZeroExtend,
    SignExtend,
    /// To a narrower float, rounded to nearest even.
    Round,
    /// To a wider float.
    Extend,
    /// The same bits.
    Bits,
    FromSigned,
    FromUnsigned,
    /// Rounded towards zero and clamped to the type's limits; 0 for NaN.
    ToSigned,
    ToUnsigned,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Predicate {
    Integer(IntegerPredicate),
    Float(FloatPredicate),
}

impl From<IntegerPredicate> for Predicate {
    fn from(predicate: IntegerPredicate) -> Predicate {
        Predicate::Integer(predicate)
    }
}

impl From<FloatPredicate> for Predicate {
    fn from(predicate: FloatPredicate) -> Predicate {
        Predicate::Float(predicate)
    }
}

/// The threads whose memory accesses a fence orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FenceScope {
    Subgroup,
    Workgroup,
    Device,
}

/// The direction of a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FenceOrder {
    Acquire,
    Release,
    Both,
}

/// The operation of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum IrOperation {
    /// A comment for people: a step of the kernel begins.
    Comment(&'static str),
    /// An id, as an i32.
    Id(Id),
    Unary(Unary, Value),
    Binary(Binary, Value, Value),
    /// The product of the first two plus the third, rounded once.
    FusedMultiplyAdd(Value, Value, Value),
    /// Mantissa in [1/2, 1) and exponent (i32): two results.
    Split(Value),
    /// The first times two to the power of the second (i32).
    Scale(Value, Value),
    /// A conversion to the type of the result.
    Convert(Conversion, Value),
    /// A comparison with an i1 as result.
    Compare(Predicate, Value, Value),
    /// The second operand if the first (i1) is true, else the third.
    Select(Value, Value, Value),
    /// A vector of these scalars.
    Vector(Vec<Value>),
    /// One scalar of a vector.
    Element(Value, u32),

    /// A register (i32) of another lane, by a move that needs no memory.
    Move(Move, Value),
    /// The register of the lane at this byte number (i32), 4 bytes per lane.
    Permute(Value, Value),
    /// The lane's own register and that of its partner, in the same order in both lanes: two
    /// results.
    Swap(u32, Value),
    /// Two words (i32) that all lanes share, moved to vector registers by one instruction: two
    /// results.
    MovePair(Value, Value),
    /// The mask of the lanes for which a condition (i1) holds.
    Ballot(Value),
    /// The register (i32) of a lane (i32).
    ReadLane(Value, Value),
    /// The register of the first active lane.
    ReadFirstLane(Value),
    /// The third operand (i32) in all lanes but one: the lane with this number gets the first
    /// operand.
    WriteLane(Value, u32, Value),

    /// A pointer, moved by a count times a number of bytes.
    Offset(Value, Value, u32),
    /// A pinned pointer to global memory, moved by bytes (i32) that differ between lanes. A load
    /// uses the two separately, as scalar base and vector offset.
    Apart(Value, Value),
    /// The value at a pointer, with its alignment in bytes.
    Load(Value, u32),
    /// Stores a value at a pointer, with its alignment in bytes.
    Store(Value, Value, u32),
    /// Atomically adds to a word in memory, for the whole device, and returns the earlier word.
    /// With an order, it is a fence, too.
    AtomicAdd(Value, Value, Option<FenceOrder>),
    /// Atomically loads a word in memory, for the whole device. Orders no other access.
    AtomicLoad(Value),
    /// Pauses for a moment, so that other waves proceed.
    Sleep,
    Fence(FenceScope, FenceOrder),
    /// Waits for all threads of the workgroup.
    Barrier,

    If(If),
    Loop(Loop),
    /// Ends the thread unless this condition (i1) holds.
    ContinueIf(Value),
}

/// A choice of two blocks; the results are the values that the block yields.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct If {
    pub(crate) condition: Value,
    pub(crate) then: Block,
    pub(crate) otherwise: Block,
}

/// A loop. Each turn runs `head`. If `again` (i1) is true, it runs `body`, whose yields are
/// carried to the next turn. Otherwise the loop ends with the yields of the head.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Loop {
    /// The values that the loop carries from turn to turn, and those of the first turn.
    pub(crate) carried: Vec<Value>,
    pub(crate) initial: Vec<Value>,
    pub(crate) head: Block,
    pub(crate) again: Value,
    pub(crate) body: Block,
}

/// An operation and its results.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Statement {
    /// The statement's number, unique in the kernel, from 1.
    pub(crate) number: u32,
    pub(crate) part: KernelPart,
    pub(crate) results: Vec<Value>,
    pub(crate) operation: IrOperation,
}

/// Statements, and the values that they yield to the owner of the block.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Block {
    pub(crate) statements: Vec<Statement>,
    pub(crate) yields: Vec<Value>,
}

impl IrOperation {
    /// Returns true if the only result depends on the operands alone, lane by lane. Equal
    /// operations can then share one result.
    pub(crate) fn is_of_operands(&self) -> bool {
        use IrOperation::*;
        match self {
            // A pin or an opaque value exists to be computed at its own place.
            Unary(operation, _) => !matches!(operation, self::Unary::Pin | self::Unary::Opaque),
            Binary(..) | FusedMultiplyAdd(..) | Scale(..) | Convert(..) | Compare(..)
            | Select(..) | Element(..) => true,
            _ => false,
        }
    }

    /// Returns the operands, without those inside of blocks.
    pub(crate) fn operands(&self) -> Vec<Value> {
        use IrOperation::*;
        match self {
            Comment(_) | Id(_) | Fence(..) | Sleep | Barrier => vec![],
            Unary(_, a)
            | Split(a)
            | Convert(_, a)
            | Element(a, _)
            | Move(_, a)
            | Swap(_, a)
            | Ballot(a)
            | ReadFirstLane(a)
            | Load(a, _)
            | AtomicLoad(a)
            | ContinueIf(a) => vec![*a],
            Binary(_, a, b)
            | Scale(a, b)
            | Compare(_, a, b)
            | Permute(a, b)
            | ReadLane(a, b)
            | MovePair(a, b)
            | WriteLane(a, _, b)
            | Offset(a, b, _)
            | Apart(a, b)
            | Store(a, b, _)
            | AtomicAdd(a, b, _) => {
                vec![*a, *b]
            }
            FusedMultiplyAdd(a, b, c) | Select(a, b, c) => vec![*a, *b, *c],
            Vector(values) => values.clone(),
            If(choice) => vec![choice.condition],
            Loop(turns) => turns.initial.clone(),
        }
    }
}
