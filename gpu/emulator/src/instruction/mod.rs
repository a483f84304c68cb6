//! A decoded instruction: an operation with its operands, in one form for every family.

mod matrix;
mod memory;
mod registers;
mod vector;

use crate::isa::Isa;
use crate::operation::ScalarOperation;
use crate::operation::scalar::ExecOperation;
pub(crate) use matrix::*;
pub(crate) use memory::*;
pub(crate) use registers::*;
pub(crate) use vector::*;

/// The first words of an instruction, padded with the following words or zeros.
pub type Words = [u32; MOST_WORDS];

/// Words of the longest instruction: two of its own and a literal, or a 64-bit address and an
/// offset.
pub(crate) const MOST_WORDS: usize = 3;

/// One instruction of a program. Its text is LLVM's assembly, as `llvm-objdump` prints it.
#[derive(Clone)]
pub struct Instruction {
    /// Address in the code object.
    pub address: u64,
    pub(crate) isa: Isa,
    /// Lanes of the wave that executes it.
    pub(crate) lanes: u8,
    pub(crate) words: Words,
    /// Number of words.
    pub(crate) length: u8,
    /// Name without suffix; empty for an unknown encoding.
    pub(crate) name: &'static str,
    pub(crate) action: Action,
}

impl Instruction {
    /// Returns the mnemonic without an encoding's suffix, such as `v_add_f32`; empty for an
    /// unknown encoding.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        4 * u64::from(self.length)
    }

    /// Returns the reason why the emulator refuses the instruction, if it does.
    pub fn refusal(&self) -> Option<String> {
        match &self.action {
            Action::Refused(reason) => Some(self.refused(reason)),
            _ => None,
        }
    }

    pub(crate) fn refused(&self, reason: &str) -> String {
        let words = &self.words[..usize::from(self.length).min(MOST_WORDS)];
        // LLVM prints encodings as words with eight digits.
        let hex: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
        format!("{reason} (encoding {})", hex.join(" "))
    }
}

/// The action of an instruction.
#[derive(Clone)]
pub(crate) enum Action {
    /// A computation of the scalar unit.
    Scalar {
        operation: &'static ScalarOperation,
        to: u8,
        from: [SourceOperand; 3],
    },
    /// A combination of EXEC with a source; `to` receives the old or the new EXEC.
    Exec {
        operation: &'static ExecOperation,
        to: u8,
        from: SourceOperand,
        /// True for 64 bits; otherwise only EXEC_LO takes part.
        wide: bool,
    },
    /// An access to the program counter: `s_getpc`, and jumps through registers.
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
    /// A read (`to`) or write (`from`) of a field of a hardware register.
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
    /// The start of register indexing, up to [`Action::IndexOff`]. The index is added to the
    /// vector registers of operands: sources by bits 2:0 of `uses`, the result by bit 3.
    IndexOn {
        by: SourceOperand,
        uses: u8,
    },
    IndexOff,
    /// A computation of the vector unit.
    Vector(Box<VectorAction>),
    /// Two vector instructions at once: they read all sources before they write a result.
    Dual(Box<[VectorAction; 2]>),
    /// A computation of one value from scalar sources by the vector unit, independent of EXEC.
    /// `to` is a scalar register.
    Uniform(Box<VectorAction>),
    /// A product of matrices, by all lanes of the wave.
    Matrix(Box<MatrixAction>),
    /// A choice of factors for the next product: a byte of each lane of a source for A, and one
    /// for B. A byte is a power of two, with a bias of 127.
    MatrixScale {
        from: [SourceOperand; 2],
        bytes: [u8; 2],
    },
    /// A move between lanes and scalar registers.
    Lane {
        operation: LaneOperation,
        to: u16,
        from: [SourceOperand; 3],
        /// The encoding's `op_sel`. For permutations, bit 0 also reads inactive lanes; bit 1
        /// makes an absent lane 0, otherwise the destination stays. For
        /// [`LaneOperation::SwapHalf`], bit 0 selects the source half and bit 3 the destination
        /// half.
        select: u8,
    },
    /// A scalar load.
    ScalarMemory(ScalarMemory),
    /// A vector load, store or atomic.
    Memory(Box<MemoryAction>),
    /// A vector load to LDS: lane after lane, from the address in M0 on.
    LoadLds(Box<MemoryAction>),
    /// An LDS access or lane permutation.
    Lds(Box<LdsAction>),
    /// The end of the wave.
    End,
    /// A wait for the other waves of the workgroup; before gfx12 it also signals the arrival.
    Barrier,
    /// A signal of the wave's arrival at the barrier. If `first`, SCC becomes true for the first
    /// wave.
    Signal {
        first: bool,
    },
    /// A read of the state of the workgroup's barrier.
    BarrierState {
        to: u8,
    },
    /// `s_sendmsg_rtn_*`: a read of the answer to a message.
    Message {
        to: u8,
        wide: bool,
        number: u8,
    },
    /// `s_trap`.
    Trap {
        id: u8,
    },
    /// `s_waitcnt` and related instructions.
    Wait(Wait),
    /// A read of the device's time: counted instructions.
    Time {
        to: u8,
    },
    /// No effect on values.
    Nothing,
    /// A refused instruction, known or not; the reason names it.
    Refused(String),
}

/// The numbers of operations that may remain outstanding for each counter; [`Wait::ANY`] for no
/// wait.
///
/// A family with fewer counters sets two fields from one counter: gfx9's `vmcnt` counts `load`
/// and `store` together, and `lgkmcnt` counts `lds` and `scalar`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) load: u8,
    pub(crate) store: u8,
    pub(crate) lds: u8,
    pub(crate) scalar: u8,
}

impl Wait {
    /// The value for no wait.
    pub(crate) const ANY: u8 = u8::MAX;
}

/// A jump through registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JumpKind {
    /// Writes the address of the next instruction to a register.
    Here,
    /// Jumps to a register's address.
    Set,
    /// Does both.
    Swap,
    /// Writes the address of the next instruction to a register, then branches by a signed number
    /// of words.
    Call(i16),
}

/// The condition of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    Always,
    Never,
    Scc(bool),
    VccZero(bool),
    ExecZero(bool),
}

/// An access to a hardware register.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RegisterAccess {
    Read { to: u8 },
    Write { from: SourceOperand },
}

/// A source operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceOperand {
    /// Not used.
    None,
    /// The scalar register file, by index: general registers, VCC, M0, EXEC and so on.
    Scalar(u8),
    /// A vector register; accumulation registers follow from 256 on.
    Vector(u16),
    /// A constant in the operand's type (64-bit types: both halves).
    Constant(u64),
    /// A condition or an address aperture.
    Special(SpecialSource),
}

/// A source other than a register or constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpecialSource {
    VccZero,
    ExecZero,
    Scc,
    SharedBase,
    SharedLimit,
    PrivateBase,
    PrivateLimit,
    /// A source without emulation; no executed instruction has it.
    Unavailable,
}
