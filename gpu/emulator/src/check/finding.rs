//! Findings of the checker.

use std::collections::HashMap;
use std::fmt;

use crate::code_object::SourceLine;
use crate::error::FaultLocation;

/// A bug that a launch showed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The kind of the bug.
    pub kind: FindingKind,
    /// The instruction, workgroup and wave that showed it first.
    pub place: FaultLocation,
    /// The first lane, if the bug belongs to lanes.
    pub lane: Option<u32>,
    /// The accessed memory, if any.
    pub memory: Option<FindingMemory>,
    /// The instruction's line in the source, if the code object has debug information.
    pub source: Option<SourceLine>,
    /// The call sites if the source line belongs to an inlined function. The first line is its
    /// own call, and the last one is in the kernel.
    pub inlined_at: Vec<SourceLine>,
    /// The description of the bug, with its numbers.
    pub reason: String,
    /// The number of times that the instruction showed a bug of this kind.
    pub count: u64,
}

/// A kind of bug that the checker finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// An access outside every allocation, the workgroup's LDS or the lane's private memory.
    OutOfBounds,
    /// A never-written value that decides an address, a branch or EXEC, or that a lane stores.
    Uninitialized,
    /// A use of a register, or of a byte of LDS, while its writer may be outstanding.
    MissingWait,
    /// Accesses of two waves of a workgroup to one byte, without a barrier between them. Two
    /// reads or two atomics are no race.
    Race,
    /// An end of a wave while others of its workgroup wait at a barrier.
    Barrier,
    /// Writes of two workgroups to one byte, unless both are atomic. Several workgroups may set a
    /// flag: a store with one value in all lanes that memory already holds.
    SharedWrite,
    /// A read of another workgroup's write of this launch, without a release, an atomic and an
    /// acquire at device scope between the two. Also a write after another workgroup's read,
    /// without a connection between the two.
    MissingFence,
    /// An atomic at an address that is no multiple of its size: the device faults.
    Misaligned,
    /// An instruction with too few wait states before it; the hardware does not wait.
    MissingWaitState,
}

impl FindingKind {
    /// Returns a stable name for machines, such as `out-of-bounds`.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::OutOfBounds => "out-of-bounds",
            FindingKind::Uninitialized => "uninitialized",
            FindingKind::MissingWait => "missing-wait",
            FindingKind::Race => "race",
            FindingKind::Barrier => "barrier",
            FindingKind::SharedWrite => "shared-write",
            FindingKind::MissingFence => "missing-fence",
            FindingKind::Misaligned => "misaligned",
            FindingKind::MissingWaitState => "missing-wait-state",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The memory of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FindingMemory {
    /// The memory that the address belongs to.
    pub space: MemorySpace,
    /// The address of the first byte; an offset for LDS and private memory.
    pub address: u64,
    /// Bytes that the lane accessed.
    pub bytes: u32,
    /// The live allocation in the slot of the address, if any.
    pub allocation: Option<Allocation>,
}

/// A live allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allocation {
    /// The address of its first byte.
    pub address: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// The offset of the access; beyond `bytes` if it is outside.
    pub offset: u64,
}

/// A memory that a kernel accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemorySpace {
    /// Allocations of the device.
    Global,
    /// The LDS of a workgroup.
    Lds,
    /// The private memory of a lane (scratch).
    Private,
}

impl MemorySpace {
    /// Returns a stable name for machines, such as `lds`.
    pub fn name(self) -> &'static str {
        match self {
            MemorySpace::Global => "global",
            MemorySpace::Lds => "lds",
            MemorySpace::Private => "private",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.kind, self.reason, self.place)?;
        if let Some(lane) = self.lane {
            write!(f, ", lane {lane}")?;
        }
        if let Some(line) = &self.source {
            write!(f, ", {line}")?;
        }
        for line in &self.inlined_at {
            write!(f, ", inlined at {line}")?;
        }
        if self.count > 1 {
            write!(f, ", {} times", self.count)?;
        }
        Ok(())
    }
}

/// The findings, one for each kind and instruction, in the order of first appearance.
#[derive(Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    /// The index in the list, by kind and address of the instruction.
    known: HashMap<(FindingKind, u64), usize>,
}

impl Findings {
    /// Counts a bug. Calls `describe` only the first time, because descriptions are expensive.
    pub(super) fn add(&mut self, kind: FindingKind, pc: u64, describe: impl FnOnce() -> Finding) {
        match self.known.get(&(kind, pc)) {
            Some(&index) => self.list[index].count += 1,
            None => {
                self.known.insert((kind, pc), self.list.len());
                self.list.push(describe());
            }
        }
    }

    pub(super) fn into_list(self) -> Vec<Finding> {
        self.list
    }
}
