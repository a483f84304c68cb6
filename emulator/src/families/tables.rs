//! What the tables of every family are made of: a line for each instruction, and lookup by number.

use std::sync::OnceLock;

use super::flags::Flag;
use crate::instruction::{Condition, JumpKind, LaneOperation, LdsOperation};
use crate::isa::Isa;
use crate::operation::memory::DestinationHalf;
use crate::operation::scalar::ExecOperation;
use crate::operation::{AtomicOperation, MemoryOperation, ScalarOperation, VectorOperation};

/// An instruction.
pub(in crate::families) struct OpcodeEntry {
    /// Number within the format.
    pub(super) number: u16,
    /// LLVM's name without the encoding's suffix.
    pub(super) name: &'static str,
    pub(super) entry: Semantics,
    /// A literal is part of the instruction.
    pub(super) immediate: Option<ImmediateRole>,
    /// The members of the family that have it.
    pub(super) isas: IsaSet,
}

/// A set of instruction sets, a bit for each.
#[derive(Clone, Copy)]
pub(super) struct IsaSet(u32);

const _: () = assert!(Isa::ALL.len() <= u32::BITS as usize);

impl IsaSet {
    const ALL: IsaSet = IsaSet(u32::MAX);

    const fn of(list: &[Isa]) -> IsaSet {
        let (mut bits, mut index) = (0, 0);
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

/// What an instruction does, in terms of the operations that families share.
pub(super) enum Semantics {
    Scalar(&'static ScalarOperation),
    Exec(&'static ExecOperation),
    /// As [`Entry::Exec`], of EXEC_LO.
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
    /// Four bits of MODE from this one on are set to an immediate.
    Mode {
        offset: u8,
    },
    Vector(&'static VectorOperation),
    /// An integer dot product; the negation bits say which sources are signed.
    SignedDot(&'static [&'static VectorOperation; 4]),
    /// Relation, whether it is negated, whether it sets EXEC.
    Compare(&'static VectorOperation, bool, bool),
    /// As [`Entry::Vector`], on scalar registers.
    Uniform(&'static VectorOperation),
    Lane(LaneOperation),
    Memory(MemoryOperation),
    /// Loads from memory to LDS.
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

/// What the literal of a multiply-add is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ImmediateRole {
    /// The second factor.
    Factor,
    /// The addend.
    Addend,
}

impl OpcodeEntry {
    /// Only these members of the family have it.
    pub(super) const fn only(mut self, isas: &[Isa]) -> OpcodeEntry {
        self.isas = IsaSet::of(isas);
        self
    }

    pub(super) const fn with_immediate(mut self, role: ImmediateRole) -> OpcodeEntry {
        self.immediate = Some(role);
        self
    }

    /// The vector operation, whether it is negated, whether it sets EXEC.
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

pub(super) const fn line(number: u16, name: &'static str, entry: Semantics) -> OpcodeEntry {
    OpcodeEntry {
        number,
        name,
        entry,
        immediate: None,
        isas: IsaSet::ALL,
    }
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

/// The lines of a format by their numbers, for each instruction set.
pub(super) struct Index([OnceLock<Vec<Option<&'static OpcodeEntry>>>; Isa::ALL.len()]);

impl Index {
    pub(super) const fn new() -> Index {
        Index([const { OnceLock::new() }; Isa::ALL.len()])
    }

    /// The line with this number, of those of `lines` that `isa` has.
    pub(super) fn find(
        &self,
        isa: Isa,
        number: u32,
        lines: impl FnOnce() -> Vec<(u16, &'static OpcodeEntry)>,
    ) -> Option<&'static OpcodeEntry> {
        let table = self.0[isa as usize].get_or_init(|| {
            let mut table = vec![None; 1024];
            for (number, line) in lines() {
                if line.isas.contains(isa) {
                    table[usize::from(number)] = Some(line);
                }
            }
            table
        });
        *table.get(number as usize)?
    }
}

/// The lines with their own numbers.
pub(super) fn numbered(lines: &'static [OpcodeEntry]) -> Vec<(u16, &'static OpcodeEntry)> {
    lines.iter().map(|line| (line.number, line)).collect()
}

/// Defines tables that differ in how their names begin: `segments! { TABLE = "global_", ...; [ lines ] }`.
macro_rules! segments {
    ($($table:ident = $begin:literal),+; $lines:tt) => {
        $(segments!(@one $table $begin $lines);)+
    };
    (@one $table:ident $begin:literal
        [$(line($number:literal, $name:literal, $entry:expr) $(.only($isas:expr))?,)*]) => {
        pub(super) static $table: &[OpcodeEntry] = &[
            $(line($number, concat!($begin, $name), $entry) $(.only($isas))?,)*
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
            INDEX.find(isa, number, || [$(numbered($lines)),+].concat())
        }
    )*};
}
pub(super) use finders;
