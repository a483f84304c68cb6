//! A decoded instruction: an operation with its operands, the same for every family.

use std::fmt;

use crate::families;
use crate::isa::Isa;
use crate::operation::scalar::ExecOperation;
use crate::operation::{MemoryOperation, ScalarOperation, VectorOperation};

/// One instruction of a program. Its text is LLVM's assembly, as `llvm-objdump` prints it.
#[derive(Clone)]
pub struct Instruction {
    /// Address in the code object.
    pub address: u64,
    pub(crate) isa: Isa,
    /// The instruction's words, at most three of them; those after its end are zero.
    pub(crate) words: [u32; 3],
    /// Number of words.
    pub(crate) length: u8,
    /// Name without suffix; empty where the encoding is not known.
    pub(crate) name: &'static str,
    pub(crate) action: Action,
}

impl Instruction {
    /// Decodes the instruction whose first words are `words` (those after its end are not looked at).
    /// Never fails: what is not known is refused when it is executed.
    pub fn decode(isa: Isa, address: u64, words: [u32; 3]) -> Instruction {
        families::decode(isa, address, words)
    }

    /// Mnemonic without an encoding's suffix, such as `v_add_f32`; empty if the encoding is not known.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        4 * u64::from(self.length)
    }

    /// Why the emulator would refuse to execute the instruction, if it would.
    pub fn refusal(&self) -> Option<String> {
        match &self.action {
            Action::Refused(reason) => Some(self.refused(reason)),
            _ => None,
        }
    }

    pub(crate) fn refused(&self, reason: &str) -> String {
        let words = &self.words[..usize::from(self.length).min(3)];
        let hex: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
        format!("{reason} (encoding {})", hex.join(" "))
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        families::write_text(self, f)
    }
}

impl fmt::Debug for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}: {self}", self.address)
    }
}

/// What an instruction does.
#[derive(Clone)]
pub(crate) enum Action {
    /// The scalar unit computes.
    Scalar {
        operation: &'static ScalarOperation,
        to: u8,
        from: [Operand; 2],
    },
    /// EXEC is combined with a source; `to` receives the old or the new EXEC.
    Exec {
        operation: &'static ExecOperation,
        to: u8,
        from: Operand,
    },
    /// A scalar register from a number of the program's place: `s_getpc`, and jumps through registers.
    Jump {
        kind: JumpKind,
        to: u8,
        from: Operand,
    },
    /// A branch by a signed number of words from the next instruction.
    Branch { condition: Condition, words: i16 },
    /// Reads (`to`) or writes (`from`) a field of a hardware register.
    HardwareRegister {
        number: u8,
        offset: u8,
        bits: u8,
        access: RegisterAccess,
    },
    /// Relative addressing of scalar registers by M0.
    MoveRelative {
        to: u8,
        from: Operand,
        wide: bool,
        relative_source: bool,
    },
    /// The vector unit computes.
    Vector(Box<VectorAction>),
    /// Values cross between lanes and scalar registers.
    Lane {
        operation: LaneOperation,
        to: u16,
        from: [Operand; 2],
    },
    /// Scalar loads.
    ScalarMemory(ScalarMemory),
    /// Vector loads, stores and atomics.
    Memory(Box<MemoryAction>),
    /// LDS and lane permutations.
    Share(Box<ShareAction>),
    /// The wave ends.
    End,
    /// The wave waits for the others of its workgroup.
    Barrier,
    /// `s_trap`.
    Trap { id: u8 },
    /// `s_waitcnt` and its kin.
    Wait(Wait),
    /// The time of the device: counted instructions.
    Time { to: u8 },
    /// No effect on values.
    Nothing,
    /// Known or not, but not executed; the reason names it.
    Refused(String),
}

/// The operations of each counter that may remain outstanding; [`Wait::ANY`] where a counter is not waited for.
///
/// A family with fewer counters names one of them twice: gfx9's `vmcnt` counts `load` and `store` together,
/// `lgkmcnt` counts `share` and `scalar`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) load: u8,
    pub(crate) store: u8,
    pub(crate) share: u8,
    pub(crate) scalar: u8,
}

impl Wait {
    /// No wait.
    pub(crate) const ANY: u8 = u8::MAX;
}

/// The scalar register of a destination that is discarded; no source names it.
pub(crate) const NULL: u8 = 128;

/// Jumps through registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JumpKind {
    /// The address of the next instruction goes to a register.
    Here,
    /// Jump.
    Set,
    /// Both.
    Swap,
    /// The address of the next instruction plus a signed number of words goes to a register; the branch is taken.
    Call(i16),
}

/// When a branch is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    Always,
    Never,
    Scc(bool),
    VccZero(bool),
    ExecZero(bool),
}

/// Access to a hardware register.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RegisterAccess {
    Read { to: u8 },
    Write { from: Operand },
}

/// A source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operand {
    /// Not used.
    None,
    /// The scalar register file, by index: general registers, VCC, M0, EXEC and so on.
    Scalar(u8),
    /// A vector register; accumulation registers follow from 256 on.
    Vector(u16),
    /// A constant, as the operand's type makes it (64-bit types: both halves).
    Constant(u64),
    /// A condition or an address aperture.
    Special(Special),
}

/// Sources that are no registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    VccZero,
    ExecZero,
    Scc,
    SharedBase,
    SharedLimit,
    PrivateBase,
    PrivateLimit,
}

/// An instruction of the vector unit.
#[derive(Clone)]
pub(crate) struct VectorAction {
    pub(crate) operation: &'static VectorOperation,
    /// Destination register, where the operation has one.
    pub(crate) to: u16,
    /// Scalar register pair for a bit of each lane: the result of a comparison, or a carry out.
    pub(crate) to_mask: u8,
    /// Scalar register pair with a bit for each lane that the operation reads.
    pub(crate) from_mask: u8,
    pub(crate) from: [Operand; 3],
    /// Complement of the comparison.
    pub(crate) negated: bool,
    /// The comparison also sets EXEC.
    pub(crate) sets_exec: bool,
    pub(crate) modifiers: Modifiers,
}

/// What modifies sources and result. A bit for each source, first source lowest.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Modifiers {
    pub(crate) negate: u8,
    pub(crate) absolute: u8,
    /// Takes the high half of a 16-bit source (bit 3: writes the high half); of packed sources, for the low result.
    pub(crate) select: u8,
    /// Takes the high half of a packed source for the high result.
    pub(crate) select_high: u8,
    /// Negates the packed source for the high result.
    pub(crate) negate_high: u8,
    /// Packed selection is in effect.
    pub(crate) packed: bool,
    /// Sources are singles or halves as `select_high` says (mixed precision).
    pub(crate) mixed: bool,
    /// Saturates.
    pub(crate) clamp: bool,
    /// 0: none, 1: times 2, 2: times 4, 3: times 1/2.
    pub(crate) output: u8,
    pub(crate) dpp: Option<Dpp>,
    pub(crate) sdwa: Option<Sdwa>,
}

/// The first source comes from another lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dpp {
    pub(crate) pattern: LanePattern,
    /// Rows (16 lanes) that are written.
    pub(crate) row_mask: u8,
    /// Banks (4 lanes of each row) that are written.
    pub(crate) bank_mask: u8,
    /// An absent source lane gives 0; otherwise the destination is left as it was.
    pub(crate) bound_zero: bool,
}

/// Which lane a lane reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LanePattern {
    /// Two bits for each lane of a quad.
    Quad(u8),
    /// From the lane that is so much higher (negative: lower) in the row; outside is absent.
    RowShift(i8),
    /// From the lane that is so much lower in the row, cyclically.
    RowRotate(u8),
    /// From the next lane of the wave (`-1`: the previous one), cyclically or not.
    WaveShift {
        by: i8,
        cyclic: bool,
    },
    RowMirror,
    RowHalfMirror,
    /// From the last lane of the row before.
    RowBroadcast15,
    /// Lanes 32 to 63 from lane 31.
    RowBroadcast31,
    /// From this lane of the row.
    RowLane(u8),
}

/// Parts of 32-bit words as sources and result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sdwa {
    pub(crate) from: [Selection; 2],
    /// Sign extension of each source.
    pub(crate) sign_extend: [bool; 2],
    pub(crate) to: Selection,
    pub(crate) unused: Unused,
}

/// A part of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Selection {
    Byte(u8),
    Half(u8),
    Whole,
}

/// What happens to the rest of the destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unused {
    Zero,
    SignExtend,
    Preserve,
}

/// Values that cross lanes through scalar registers or the lane number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneOperation {
    ReadFirstLane,
    ReadLane,
    WriteLane,
    /// Counts the bits of a mask below the own lane.
    CountBelowLow,
    CountBelowHigh,
    Swap,
}

/// A scalar load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScalarMemory {
    /// Registers loaded; 0 for cache operations.
    pub(crate) registers: u8,
    pub(crate) to: u8,
    pub(crate) base: u8,
    /// The base is a buffer resource with a range.
    pub(crate) buffer: bool,
    pub(crate) offset: i32,
    pub(crate) offset_register: Option<u8>,
}

/// The address of a vector memory access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// 64-bit address in a register pair; apertures lead to LDS and private memory.
    Flat,
    /// 64-bit address in a register pair.
    Global,
    /// 64-bit scalar base and a 32-bit unsigned offset in a vector register.
    GlobalScalar { base: u8 },
    /// Private memory of the lane, by a vector offset, a scalar offset, both or none.
    Scratch { vector: bool, scalar: Option<u8> },
    /// Through a 128-bit resource.
    Buffer {
        resource: u8,
        scalar: Operand,
        index: bool,
        offset: bool,
    },
}

/// A load, store or atomic of the vector unit.
#[derive(Debug, Clone)]
pub(crate) struct MemoryAction {
    pub(crate) operation: MemoryOperation,
    pub(crate) space: Space,
    /// First address register.
    pub(crate) address: u16,
    /// First data register: to load into, or to store from.
    pub(crate) data: u16,
    /// Destination of an atomic that returns the old value.
    pub(crate) returns: Option<u16>,
    pub(crate) offset: i32,
}

/// An LDS access or a permutation of lanes.
#[derive(Debug, Clone)]
pub(crate) struct ShareAction {
    pub(crate) operation: ShareOperation,
    pub(crate) address: u16,
    pub(crate) data: [u16; 2],
    pub(crate) to: u16,
    /// Byte offset; of two-address operations, one for each address.
    pub(crate) offsets: [u32; 2],
}

/// What an LDS instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShareOperation {
    /// At one address.
    Access(MemoryOperation),
    /// As [`ShareOperation::Access`] of an atomic that returns the old value.
    Return(MemoryOperation),
    /// Two values of 1 or 2 registers from two addresses.
    ReadTwo {
        registers: u8,
    },
    WriteTwo {
        registers: u8,
    },
    ExchangeTwo {
        registers: u8,
    },
    /// Lane `n` gives its value to lane `address / 4`.
    Permute,
    /// Lane `n` takes the value of lane `address / 4`.
    PermuteBackward,
    /// Fixed pattern in the offset.
    Swizzle,
    /// Address from M0, the offset and the lane number.
    ReadLaneAddress,
    WriteLaneAddress,
    /// Adds (or subtracts) the number of active lanes.
    Append {
        subtract: bool,
    },
}
