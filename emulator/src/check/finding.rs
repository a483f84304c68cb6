//! What the checker found.

use std::collections::HashMap;
use std::fmt;

use crate::code_object::SourceLine;
use crate::error::FaultLocation;

/// A bug that a launch showed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// The instruction, the workgroup and the wave that showed it first.
    pub place: FaultLocation,
    /// The first lane, where the bug belongs to lanes.
    pub lane: Option<u32>,
    /// The memory that was accessed, if any.
    pub memory: Option<FindingMemory>,
    /// The instruction's line in the source, if the code object has debug information.
    pub source: Option<SourceLine>,
    /// If the line is of a function that was inlined: the line of the call, then that of the call of the caller, and
    /// so on up to the kernel.
    pub inlined_at: Vec<SourceLine>,
    /// What happened, with the numbers.
    pub reason: String,
    /// Times that the instruction showed a bug of this kind.
    pub count: u64,
}

/// The kinds of bugs that the checker finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FindingKind {
    /// An access outside of every allocation, of the workgroup's LDS or of the lane's private memory.
    OutOfBounds,
    /// A value that was never written decides an address, a branch or EXEC, or is stored.
    Uninitialized,
    /// A register, or a byte of LDS, is used while what writes it may be outstanding.
    MissingWait,
    /// Two waves of a workgroup access one byte without a barrier between them, and not both of them atomically or
    /// reading.
    Race,
    /// A wave ended while others of its workgroup wait at a barrier.
    Barrier,
    /// Two workgroups write one byte, and not both of them atomically. Flags may be set by several: a store with one
    /// value in all lanes, which is there already.
    SharedWrite,
    /// A workgroup reads what another one wrote in this launch, without a release, an atomic and an acquisition at the
    /// scope of the device between the two.
    MissingFence,
}

impl FindingKind {
    /// A stable name for machines, such as `out-of-bounds`.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::OutOfBounds => "out-of-bounds",
            FindingKind::Uninitialized => "uninitialized",
            FindingKind::MissingWait => "missing-wait",
            FindingKind::Race => "race",
            FindingKind::Barrier => "barrier",
            FindingKind::SharedWrite => "shared-write",
            FindingKind::MissingFence => "missing-fence",
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
    /// Which memory the address belongs to.
    pub space: MemorySpace,
    /// Address of the first byte: an offset, in LDS and private memory.
    pub address: u64,
    /// Bytes that the lane accessed.
    pub bytes: u32,
    /// The allocation whose address space the address lies in, if it is live.
    pub allocation: Option<Allocation>,
}

/// A live allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Allocation {
    /// Address of its first byte.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// Where the access starts in it; beyond `bytes` if it is outside.
    pub offset: u64,
}

/// The memories that a kernel accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemorySpace {
    /// Allocations of the device.
    Global,
    /// The workgroup's.
    Lds,
    /// The lane's (scratch).
    Private,
}

impl MemorySpace {
    /// A stable name for machines, such as `lds`.
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

/// Findings, one for each kind and instruction, in the order of their first appearance.
#[derive(Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    /// Index in the list by kind and address of the instruction.
    known: HashMap<(FindingKind, u64), usize>,
}

impl Findings {
    /// Counts a bug; what is said of it is worked out the first time only.
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
