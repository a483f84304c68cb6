//! Operations, statements and blocks.

use configgen::comparator::{FloatPredicate, IntegerPredicate};

use super::kernel_part::KernelPart;
use super::value::Value;
use crate::native::isa::cross_lane::Move;

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Id {
    /// Number of the thread in its workgroup.
    Thread,
    /// Numbers of the workgroup along x and y.
    WorkgroupX,
    WorkgroupY,
}

/// An operation on two values of one type, which is the result's. Integers wrap around; shifts are by less than the bits
/// there are, and divisors are not 0.
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
    /// At most the greatest number.
    AddSaturating,
    AddFloat,
    SubFloat,
    MulFloat,
    DivFloat,
    /// A NaN is ignored. Of two zeros either.
    MinNumber,
    MaxNumber,
    /// The same of operands that are no NaN.
    MinNumberNoNan,
    MaxNumberNoNan,
    /// NaN if either is.
    Minimum,
    Maximum,
    /// The first with the sign of the second.
    CopySign,
}

/// An operation on one value, of the result's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    Negate,
    AbsFloat,
    /// The same number, a NaN made quiet.
    Canonicalize,
    SquareRoot,
    /// Two to the power of it, its logarithm to base two, and one over its root, of f32: within 1 ULP, and of denormals, which
    /// are zeros, as results too.
    PowerOfTwo,
    LogarithmOfTwo,
    InverseRoot,
    /// To an integer: the next below, the next above, the next towards zero, the nearest and of two the one away from zero, the
    /// nearest and of two the even one.
    Floor,
    Ceiling,
    Whole,
    RoundAway,
    RoundEven,
    /// Of the least integer it is the integer itself.
    AbsInteger,
    CountOnes,
    /// The number of the lowest bit that is set; there is one.
    LowestOne,
    /// Above the highest bit that is set: of zero all.
    LeadingZeros,
    /// Below the lowest: of zero all.
    TrailingZeros,
    /// The same, known to be the same in all lanes, in a register of which no part is computed anew where it is used.
    Pin,
    /// The same, in a register of each lane, of which the compiler knows nothing.
    Opaque,
}

/// From one type to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Conversion {
    /// The low bits.
    Truncate,
    ZeroExtend,
    SignExtend,
    /// Rounded to nearest even.
    Round,
    /// To a wider float.
    Extend,
    /// The same bits.
    Bits,
    FromSigned,
    FromUnsigned,
    /// Rounded to zero, within the type's limits; 0 of NaN.
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

/// Whose memory accesses a fence orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FenceScope {
    Subgroup,
    Workgroup,
    Device,
}

/// In which direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FenceOrder {
    Acquire,
    Release,
    Both,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum IrOperation {
    /// A step of the kernel begins, for people.
    Comment(&'static str),
    /// i32.
    Id(Id),
    Unary(Unary, Value),
    Binary(Binary, Value, Value),
    /// The product of the first two and the third, rounded once.
    FusedMultiplyAdd(Value, Value, Value),
    /// Mantissa in [1/2, 1) and exponent (i32): two results.
    Split(Value),
    /// The first times two to the power of the second (i32).
    Scale(Value, Value),
    /// To the type of the result.
    Convert(Conversion, Value),
    /// i1.
    Compare(Predicate, Value, Value),
    /// The second where the first (i1) holds, else the third.
    Select(Value, Value, Value),
    /// A vector of these.
    Vector(Vec<Value>),
    /// One scalar of a vector.
    Element(Value, u32),

    /// A register (i32) of another lane. Of moves that need no memory.
    Move(Move, Value),
    /// That of the lane at this number (i32) of bytes, 4 a lane.
    Permute(Value, Value),
    /// Own and other register of a pair of lanes, in the same order in both: two results.
    Swap(u32, Value),
    /// Two words (i32) that all lanes share, moved to vector registers by one instruction: two results.
    MovePair(Value, Value),
    /// The lanes in which a condition (i1) holds, as bits.
    Ballot(Value),
    /// The register (i32) of a lane (i32).
    ReadLane(Value, Value),
    /// Of the first active lane.
    ReadFirstLane(Value),
    /// The last (i32), but in lane number so much the first.
    WriteLane(Value, u32, Value),

    /// A pointer so many times so many bytes further on.
    Offset(Value, Value, u32),
    /// A pointer to global memory, pinned, so many bytes (i32) further on, which are each lane's own: a load takes the two apart.
    Apart(Value, Value),
    /// What lies at a pointer, which is a multiple of so many bytes.
    Load(Value, u32),
    /// Stores a value at a pointer, which is a multiple of so many bytes.
    Store(Value, Value, u32),
    /// Adds to a word in memory in one step, for the whole device, of which it is a fence, too, where it has an order; what was
    /// there before.
    AtomicAdd(Value, Value, Option<FenceOrder>),
    /// What a word in memory is for the whole device, in one step; no access is ordered by it.
    AtomicLoad(Value),
    /// Does nothing for a moment, in which others get on.
    Sleep,
    Fence(FenceScope, FenceOrder),
    /// Waits for all threads of the workgroup.
    Barrier,

    If(If),
    Loop(Loop),
    /// The thread goes on only where this (i1) holds.
    ContinueIf(Value),
}

/// Either of two blocks; its results are what the block yields.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct If {
    pub(crate) condition: Value,
    pub(crate) then: Block,
    pub(crate) otherwise: Block,
}

/// A loop. Each turn does `head`; where `again` (i1) holds then, it does `body` and goes on with what that yields, and
/// otherwise ends with what the head yields.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Loop {
    /// What it carries from turn to turn, and that of the first turn.
    pub(crate) carried: Vec<Value>,
    pub(crate) initial: Vec<Value>,
    pub(crate) head: Block,
    pub(crate) again: Value,
    pub(crate) body: Block,
}

/// An operation and its results.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Statement {
    /// No other statement of the kernel has it; from 1 on.
    pub(crate) number: u32,
    pub(crate) part: KernelPart,
    pub(crate) results: Vec<Value>,
    pub(crate) operation: IrOperation,
}

/// Statements, and what they yield to whoever holds the block.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Block {
    pub(crate) statements: Vec<Statement>,
    pub(crate) yields: Vec<Value>,
}

impl IrOperation {
    /// Whether its only result depends on its operands alone, lane by lane, and it may be used for every operation that is equal.
    pub(crate) fn is_of_operands(&self) -> bool {
        use IrOperation::*;
        match self {
            Unary(operation, _) => !matches!(operation, self::Unary::Pin | self::Unary::Opaque),
            Binary(..) | FusedMultiplyAdd(..) | Scale(..) | Convert(..) | Compare(..)
            | Select(..) | Element(..) => true,
            _ => false,
        }
    }

    /// The operands, without those inside of blocks.
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
