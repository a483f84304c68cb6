//! The elements of the opcode tables: entries, and their lookup by number.

use std::sync::OnceLock;

use super::flags::Flag;
use crate::instruction::{Condition, JumpKind, LaneOperation, LdsOperation};
use crate::isa::{EncodingFamily, Isa};
use crate::operation::matrix::{MatrixElement, MatrixShape};
use crate::operation::memory::DestinationHalf;
use crate::operation::scalar::ExecOperation;
use crate::operation::{AtomicOperation, MemoryOperation, ScalarOperation, VectorOperation};

/// One row of an opcode table.
pub(in crate::families) struct OpcodeEntry {
    /// The number within the format on gfx9, gfx10, gfx11 and gfx12, or [`NONE`].
    numbers: [u16; 4],
    /// LLVM's name without the encoding's suffix.
    pub(super) name: &'static str,
    pub(super) entry: Semantics,
    /// The role of a literal that is part of the instruction.
    pub(super) immediate: Option<ImmediateRole>,
    /// The instruction sets that have it, if their family has a number.
    isas: IsaSet,
}

/// The number of a family that lacks an instruction.
pub(super) const NONE: u16 = u16::MAX;

/// A set of instruction sets, one bit each.
#[derive(Clone, Copy)]
struct IsaSet(u32);

const _: () = assert!(Isa::ALL.len() <= u32::BITS as usize);

impl IsaSet {
    const ALL: IsaSet = IsaSet(u32::MAX);

    /// Removes the other instruction sets of the family of `list`.
    const fn only(self, list: &[Isa]) -> IsaSet {
        let family = list[0].family() as u8;
        let (mut bits, mut index) = (self.0, 0);
        while index < Isa::ALL.len() {
            if Isa::ALL[index].family() as u8 == family {
                bits &= !(1 << Isa::ALL[index] as u8);
            }
            index += 1;
        }
        let mut index = 0;
        while index < list.len() {
            bits |= 1 << list[index] as u8;
            index += 1;
        }
        IsaSet(bits)
    }

    fn contains(self, isa: Isa) -> bool {
        self.0 & (1 << isa as u8) != 0
    }
}

/// The operation of an instruction, in terms that the families share.
pub(super) enum Semantics {
    Scalar(&'static ScalarOperation),
    Exec(&'static ExecOperation),
    /// The same as [`Semantics::Exec`] for EXEC_LO.
    ExecLow(&'static ExecOperation),
    Jump(JumpKind),
    Branch(Condition),
    MoveRelative {
        wide: bool,
        relative_source: bool,
    },
    /// `s_set_gpr_idx_on` and `s_set_gpr_idx_off`.
    IndexOn,
    IndexOff,
    HardwareRegister {
        write: bool,
        literal_source: bool,
    },
    ScalarLoad {
        registers: u8,
        buffer: bool,
    },
    /// A load of a byte or of 16 bits.
    ScalarLoadPart {
        bytes: u8,
        signed: bool,
        buffer: bool,
    },
    /// A write of an immediate to four bits of MODE from this one on.
    Mode {
        offset: u8,
    },
    Vector(&'static VectorOperation),
    /// An integer dot product; the negation bits mark the signed sources.
    SignedDot(&'static [&'static VectorOperation; 4]),
    /// A relation; true if it is negated; true if it sets EXEC.
    Compare(&'static VectorOperation, bool, bool),
    /// A product of matrices.
    Matrix(MatrixShape),
    /// `v_mfma_ld_scale_b32`.
    MatrixScale,
    /// The same as [`Semantics::Vector`] for scalar registers.
    Uniform(&'static VectorOperation),
    Lane(LaneOperation),
    Memory(MemoryOperation),
    /// A load from memory to LDS.
    LoadLds(MemoryOperation),
    Lds(LdsOperation),
    End,
    Barrier,
    Signal {
        first: bool,
    },
    BarrierState,
    /// `s_sendmsg_rtn_*`.
    Message {
        wide: bool,
    },
    Trap,
    Wait,
    Time,
    /// No effect on values.
    Nothing,
    /// Known by name only.
    Refused,
}

/// The role of the literal in a multiply-add.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ImmediateRole {
    /// The second factor.
    Factor,
    /// The addend.
    Addend,
}

impl OpcodeEntry {
    /// Restricts the entry to these instruction sets within their family.
    pub(super) const fn only(mut self, isas: &[Isa]) -> OpcodeEntry {
        self.isas = self.isas.only(isas);
        self
    }

    /// Returns the number in the family of `isa`, if that has the instruction.
    pub(super) fn number(&self, isa: Isa) -> Option<u16> {
        let number = match isa.family() {
            EncodingFamily::Gfx9 => self.numbers[0],
            EncodingFamily::Gfx10 => self.numbers[1],
            EncodingFamily::Gfx11 => self.numbers[2],
            EncodingFamily::Gfx12 => self.numbers[3],
        };
        (number != NONE && self.isas.contains(isa)).then_some(number)
    }

    pub(super) const fn with_immediate(mut self, role: ImmediateRole) -> OpcodeEntry {
        self.immediate = Some(role);
        self
    }

    /// Returns the vector operation, and true if it is negated, and true if it sets EXEC.
    pub(super) fn vector(&self) -> Option<(&'static VectorOperation, bool, bool)> {
        match self.entry {
            Semantics::Vector(operation) => Some((operation, false, false)),
            Semantics::SignedDot([operation, ..]) => Some((operation, false, false)),
            Semantics::Compare(operation, negated, sets_exec) => {
                Some((operation, negated, sets_exec))
            }
            _ => None,
        }
    }

    pub(super) fn is(&self, flag: Flag) -> bool {
        flag.is_of(self.name)
    }
}

/// Creates an entry from its numbers on gfx9, gfx10, gfx11 and gfx12.
pub(super) const fn opcode(numbers: [u16; 4], name: &'static str, entry: Semantics) -> OpcodeEntry {
    OpcodeEntry {
        numbers,
        name,
        entry,
        immediate: None,
        isas: IsaSet::ALL,
    }
}
/// Returns a product of full matrices: rows, inner dimension, blocks; types of D, A and B.
pub(super) const fn dense(shape: [u32; 3], [to, a, b]: [MatrixElement; 3]) -> Semantics {
    Semantics::Matrix(MatrixShape::dense(shape, to, [a, b]))
}
/// Returns a product with a sparse A: rows, inner dimension; types of D, A and B.
pub(super) const fn sparse(shape: [u32; 2], [to, a, b]: [MatrixElement; 3]) -> Semantics {
    Semantics::Matrix(MatrixShape::sparse(shape, to, [a, b]))
}
pub(super) const fn load(registers: u8) -> MemoryOperation {
    MemoryOperation::Load { registers }
}
pub(super) const fn load_part(bytes: u8, signed: bool, into: DestinationHalf) -> MemoryOperation {
    MemoryOperation::LoadPart {
        bytes,
        signed,
        into,
    }
}
pub(super) const fn store(registers: u8) -> MemoryOperation {
    MemoryOperation::Store { registers }
}
pub(super) const fn store_part(bytes: u8, high: bool) -> MemoryOperation {
    MemoryOperation::StorePart { bytes, high }
}
pub(super) const fn atomic(operation: AtomicOperation, wide: bool) -> MemoryOperation {
    MemoryOperation::Atomic { operation, wide }
}
pub(super) const fn access(operation: MemoryOperation) -> LdsOperation {
    LdsOperation::Access(operation)
}
pub(super) const fn returning(operation: MemoryOperation) -> LdsOperation {
    LdsOperation::Return(operation)
}

/// The entries of a format by number, for each instruction set.
pub(super) struct Index([OnceLock<Vec<Option<&'static OpcodeEntry>>>; Isa::ALL.len()]);

impl Index {
    pub(super) const fn new() -> Index {
        Index([const { OnceLock::new() }; Isa::ALL.len()])
    }

    /// Returns the entry with this number among `lines`, the entries of `isa`.
    pub(super) fn find(
        &self,
        isa: Isa,
        number: u32,
        lines: impl FnOnce() -> Vec<(u16, &'static OpcodeEntry)>,
    ) -> Option<&'static OpcodeEntry> {
        // The table is built on first use, because most programs need one instruction set.
        let table = self.0[isa as usize].get_or_init(|| {
            // Opcode numbers have at most 10 bits.
            let mut table = vec![None; 1024];
            for (number, line) in lines() {
                table[usize::from(number)] = Some(line);
            }
            table
        });
        *table.get(number as usize)?
    }
}

/// Returns the entries that `isa` has, with their numbers.
pub(super) fn numbered(
    isa: Isa,
    lines: &'static [OpcodeEntry],
) -> Vec<(u16, &'static OpcodeEntry)> {
    (lines.iter())
        .filter_map(|line| Some((line.number(isa)?, line)))
        .collect()
}

/// Defines tables with different prefixes of their names:
/// `segments! { TABLE = "global_", ...; [ lines ] }`.
macro_rules! segments {
    ($($table:ident = $begin:literal),+; $lines:tt) => {
        $(segments!(@one $table $begin $lines);)+
    };
    (@one $table:ident $begin:literal
        [$(opcode($numbers:expr, $name:literal, $entry:expr) $(.only($isas:expr))?,)*]) => {
        pub(super) static $table: &[OpcodeEntry] = &[
            $(opcode($numbers, concat!($begin, $name), $entry) $(.only($isas))?,)*
        ];
    };
}
pub(super) use segments;

/// Defines the lookup of a format: `name = TABLE, TABLE, ...;`.
macro_rules! finders {
    ($($name:ident = $($lines:expr),+;)*) => {$(
        pub(super) fn $name(isa: $crate::isa::Isa, number: u32) -> Option<&'static $crate::families::tables::OpcodeEntry> {
            use $crate::families::tables::{Index, numbered};
            static INDEX: Index = Index::new();
            INDEX.find(isa, number, || [$(numbered(isa, $lines)),+].concat())
        }
    )*};
}
pub(super) use finders;
