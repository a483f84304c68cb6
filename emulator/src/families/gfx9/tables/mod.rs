//! The instructions of gfx942, a line for each: number in its format, LLVM's name, operation.

mod buffer;
mod compare;
mod flat;
mod scalar;
mod share;
mod vector;
mod vector_long;

use std::sync::OnceLock;

use crate::instruction::{Condition, JumpKind, LaneOperation, ShareOperation};
use crate::operation::memory::Part;
use crate::operation::scalar::ExecOperation;
use crate::operation::{AtomicOperation, MemoryOperation, ScalarOperation, VectorOperation};

/// An instruction.
pub(in crate::families) struct Line {
    /// Number within the format.
    pub(super) number: u16,
    /// LLVM's name without the encoding's suffix.
    pub(super) name: &'static str,
    pub(super) entry: Entry,
    /// A literal is part of the instruction.
    pub(super) immediate: Option<ImmediateRole>,
}

/// What an instruction does, in terms of the operations that families share.
pub(super) enum Entry {
    Scalar(&'static ScalarOperation),
    Exec(&'static ExecOperation),
    Jump(JumpKind),
    Branch(Condition),
    MoveRelative {
        wide: bool,
        relative_source: bool,
    },
    HardwareRegister {
        write: bool,
        literal_source: bool,
    },
    ScalarLoad {
        registers: u8,
        buffer: bool,
    },
    Vector(&'static VectorOperation),
    /// Relation, whether it is negated, whether it sets EXEC.
    Compare(&'static VectorOperation, bool, bool),
    Lane(LaneOperation),
    Memory(MemoryOperation),
    Share(ShareOperation),
    End,
    Barrier,
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

impl Line {
    const fn with_immediate(mut self, role: ImmediateRole) -> Line {
        self.immediate = Some(role);
        self
    }

    /// The vector operation, whether it is negated, whether it sets EXEC.
    pub(super) fn vector(&self) -> Option<(&'static VectorOperation, bool, bool)> {
        match self.entry {
            Entry::Vector(operation) => Some((operation, false, false)),
            Entry::Compare(operation, negated, sets_exec) => Some((operation, negated, sets_exec)),
            _ => None,
        }
    }

    /// Whether the 16-bit immediate is zero-extended: unsigned comparisons.
    pub(super) fn unsigned_immediate(&self) -> bool {
        self.name.starts_with("s_cmpk") && self.name.ends_with("u32")
    }
}

const fn line(number: u16, name: &'static str, entry: Entry) -> Line {
    Line {
        number,
        name,
        entry,
        immediate: None,
    }
}
const fn load(registers: u8) -> MemoryOperation {
    MemoryOperation::Load { registers }
}
const fn load_part(bytes: u8, signed: bool, into: Part) -> MemoryOperation {
    MemoryOperation::LoadPart {
        bytes,
        signed,
        into,
    }
}
const fn store(registers: u8) -> MemoryOperation {
    MemoryOperation::Store { registers }
}
const fn store_part(bytes: u8, high: bool) -> MemoryOperation {
    MemoryOperation::StorePart { bytes, high }
}
const fn atomic(operation: AtomicOperation, wide: bool) -> MemoryOperation {
    MemoryOperation::Atomic { operation, wide }
}
const fn access(operation: MemoryOperation) -> ShareOperation {
    ShareOperation::Access(operation)
}
const fn returning(operation: MemoryOperation) -> ShareOperation {
    ShareOperation::Return(operation)
}

/// The lines of a format by their numbers.
struct Index(OnceLock<Vec<Option<&'static Line>>>);

impl Index {
    fn find(
        &self,
        number: u32,
        lines: impl FnOnce() -> Vec<(u16, &'static Line)>,
    ) -> Option<&'static Line> {
        let table = self.0.get_or_init(|| {
            let mut table = vec![None; 1024];
            for (number, line) in lines() {
                table[usize::from(number)] = Some(line);
            }
            table
        });
        *table.get(number as usize)?
    }
}

fn numbered(lines: &'static [Line]) -> Vec<(u16, &'static Line)> {
    lines.iter().map(|line| (line.number, line)).collect()
}

macro_rules! finders {
    ($($name:ident = $lines:expr;)*) => {$(
        pub(super) fn $name(number: u32) -> Option<&'static Line> {
            static INDEX: Index = Index(OnceLock::new());
            INDEX.find(number, || numbered($lines))
        }
    )*};
}

finders! {
    sop1 = scalar::SOP1;
    sop2 = scalar::SOP2;
    sopk = scalar::SOPK;
    sopc = scalar::SOPC;
    sopp = scalar::SOPP;
    smem = buffer::SMEM;
    vop1 = vector::VOP1;
    vop2 = vector::VOP2;
    vopc = compare::VOPC;
    vop3p = vector_long::VOP3P;
    ds = share::DS;
    mubuf = buffer::MUBUF;
    mtbuf = buffer::MTBUF;
    flat_addresses = flat::FLAT;
    global_addresses = flat::GLOBAL;
    scratch_addresses = flat::SCRATCH;
}

/// FLAT, SCRATCH and GLOBAL share a format; the segment tells them apart.
pub(super) fn flat(segment: u32, number: u32) -> Option<&'static Line> {
    match segment {
        0 => flat_addresses(number),
        1 => scratch_addresses(number),
        2 => global_addresses(number),
        _ => None,
    }
}

/// The long encoding holds the comparisons, the short instructions from 0x100 and 0x140 on, and its own.
pub(super) fn vop3(number: u32) -> Option<&'static Line> {
    static INDEX: Index = Index(OnceLock::new());
    INDEX.find(number, || {
        let mut lines = numbered(compare::VOPC);
        let short_only = ["v_swap_b32", "v_readfirstlane_b32", "v_accvgpr_mov_b32"];
        for (base, short) in [(0x100, vector::VOP2), (0x140, vector::VOP1)] {
            let also_long = short
                .iter()
                .filter(|line| line.immediate.is_none() && !short_only.contains(&line.name));
            lines.extend(also_long.map(|line| (base + line.number, line)));
        }
        lines.extend(numbered(vector_long::VOP3));
        lines
    })
}
