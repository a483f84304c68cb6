//! A decoded instruction: an operation with its operands, the same for every family.

mod memory;
mod registers;
mod vector;

use crate::isa::Isa;
use crate::operation::ScalarOperation;
use crate::operation::scalar::ExecOperation;
pub(crate) use memory::*;
pub(crate) use registers::*;
pub(crate) use vector::*;

/// The first words of an instruction, as many as any has; those after its end are zero.
pub type Words = [u32; MOST_WORDS];

/// Words of the longest instruction: two of its own and a literal, or an address of two and an offset.
pub(crate) const MOST_WORDS: usize = 3;

/// One instruction of a program. Its text is LLVM's assembly, as `llvm-objdump` prints it.
#[derive(Clone)]
pub struct Instruction {
    /// Address in the code object.
    pub address: u64,
    pub(crate) isa: Isa,
    /// Lanes of the wave that it is for.
    pub(crate) lanes: u8,
    pub(crate) words: Words,
    /// Number of words.
    pub(crate) length: u8,
    /// Name without suffix; empty where the encoding is not known.
    pub(crate) name: &'static str,
    pub(crate) action: Action,
}

impl Instruction {
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
        let words = &self.words[..usize::from(self.length).min(MOST_WORDS)];
        let hex: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
        format!("{reason} (encoding {})", hex.join(" "))
    }
}

/// What an instruction does.
#[derive(Clone)]
pub(crate) enum Action {
    /// The scalar unit computes.
    Scalar {
        operation: &'static ScalarOperation,
        to: u8,
        from: [SourceOperand; 3],
    },
    /// EXEC is combined with a source; `to` receives the old or the new EXEC.
    Exec {
        operation: &'static ExecOperation,
        to: u8,
        from: SourceOperand,
        /// 64 bits; otherwise only EXEC_LO takes part.
        wide: bool,
    },
    /// A scalar register from a number of the program's place: `s_getpc`, and jumps through registers.
    Jump {
        kind: JumpKind,
        to: u8,
        from: SourceOperand,
    },
    /// A branch by a signed number of words from the next instruction.
    Branch {
        condition: Condition,
        words: i16,
    },
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
        from: SourceOperand,
        wide: bool,
        relative_source: bool,
    },
    /// From here to [`Action::IndexOff`] the vector registers of operands are those that many behind the ones that the
    /// encodings name: sources by bits 2:0 of `uses`, the result by bit 3.
    IndexOn {
        by: SourceOperand,
        uses: u8,
    },
    IndexOff,
    /// The vector unit computes.
    Vector(Box<VectorAction>),
    /// Two vector instructions at once: all sources are read before a result is written.
    Dual(Box<[VectorAction; 2]>),
    /// The vector unit computes one value from scalar sources, whatever EXEC is; `to` is a scalar register.
    Uniform(Box<VectorAction>),
    /// Values cross between lanes and scalar registers.
    Lane {
        operation: LaneOperation,
        to: u16,
        from: [SourceOperand; 3],
        /// The encoding's `op_sel`. Of permutations, bit 0: inactive lanes are read too, bit 1: an absent lane gives
        /// 0 (otherwise the destination stays). Of [`LaneOperation::SwapHalf`], the halves: bit 0 of the source, bit
        /// 3 of the destination.
        select: u8,
    },
    /// Scalar loads.
    ScalarMemory(ScalarMemory),
    /// Vector loads, stores and atomics.
    Memory(Box<MemoryAction>),
    /// A vector load whose values go to LDS: lane after lane, from the address in M0 on.
    LoadLds(Box<MemoryAction>),
    /// LDS and lane permutations.
    Lds(Box<LdsAction>),
    /// The wave ends.
    End,
    /// The wave waits for the others of its workgroup; before gfx12 it also signals that it has come.
    Barrier,
    /// The wave tells the others of its workgroup that it has come to the barrier. If `first`, SCC tells whether it
    /// is the first of them.
    Signal {
        first: bool,
    },
    /// The state of the workgroup's barrier.
    BarrierState {
        to: u8,
    },
    /// `s_sendmsg_rtn_*`: the answer to a message.
    Message {
        to: u8,
        wide: bool,
        number: u8,
    },
    /// `s_trap`.
    Trap {
        id: u8,
    },
    /// `s_waitcnt` and its kin.
    Wait(Wait),
    /// The time of the device: counted instructions.
    Time {
        to: u8,
    },
    /// No effect on values.
    Nothing,
    /// Known or not, but not executed; the reason names it.
    Refused(String),
}

/// The operations of each counter that may remain outstanding; [`Wait::ANY`] where a counter is not waited for.
///
/// A family with fewer counters names one of them twice: gfx9's `vmcnt` counts `load` and `store` together,
/// `lgkmcnt` counts `lds` and `scalar`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) load: u8,
    pub(crate) store: u8,
    pub(crate) lds: u8,
    pub(crate) scalar: u8,
}

impl Wait {
    /// No wait.
    pub(crate) const ANY: u8 = u8::MAX;
}

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
    Write { from: SourceOperand },
}

/// A source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceOperand {
    /// Not used.
    None,
    /// The scalar register file, by index: general registers, VCC, M0, EXEC and so on.
    Scalar(u8),
    /// A vector register; accumulation registers follow from 256 on.
    Vector(u16),
    /// A constant, as the operand's type makes it (64-bit types: both halves).
    Constant(u64),
    /// A condition or an address aperture.
    Special(SpecialSource),
}

/// Sources that are no registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpecialSource {
    VccZero,
    ExecZero,
    Scc,
    SharedBase,
    SharedLimit,
    PrivateBase,
    PrivateLimit,
    /// Exists, but is not emulated; no instruction with it is executed.
    Unavailable,
}
