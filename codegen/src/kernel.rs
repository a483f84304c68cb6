//! Compiled kernels: a code object and everything that a launch of it needs, from either
//! generator.

use std::borrow::Cow;
use std::sync::Arc;

use configgen::IndexType;
use serde::{Deserialize, Serialize};

use crate::Tiling;

/// The compiler that made a code object; part of every measurement's provenance.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Compiler {
    /// `LLVM` or `iree-compile`.
    pub name: Cow<'static, str>,
    /// The compiler's full version.
    pub version: String,
    /// The name and version of the linker, if the linker is a separate program; otherwise empty.
    pub linker: String,
}

/// A kernel argument, in kernarg order. Each argument is aligned to its own size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kernarg {
    /// The 64-bit address of buffer number `.0` of [`CompiledKernel::buffers`].
    Buffer(usize),
    /// An index base, by value: the kernel adds it to every position.
    IndexBase(IndexType),
    /// The size of the outermost dimension in this launch, as an `i32` by value. A kernel as
    /// compiled has the largest count here; see [`CompiledKernel::at_count`].
    Count(u32),
    /// A 32-bit constant that is the same in every launch, by value.
    Word(u32),
}

impl Kernarg {
    /// Returns the argument's size in bytes, which is its alignment, too.
    pub fn bytes(self) -> usize {
        match self {
            Self::Buffer(_) => 8,
            Self::IndexBase(index) => index.bytes() as usize,
            Self::Count(_) | Self::Word(_) => 4,
        }
    }
}

/// The location of a tensor: a buffer and a byte offset into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Number of the buffer in [`CompiledKernel::buffers`].
    pub buffer: usize,
    /// Byte offset of the tensor in the buffer.
    pub offset: u64,
}

/// A buffer that workgroups with shared rows use to exchange partial states. Only the counters
/// must keep their contents between launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    /// Number of the buffer in [`CompiledKernel::buffers`].
    pub buffer: usize,
    /// Byte offset of the counters, which are `u32` and extend to the end of the buffer. All are
    /// 0 before and after a launch. A group of [`sharers`](CompiledKernel::sharers) workgroups
    /// increments each counter; the last of the group resets it to 0.
    pub counters: u64,
    /// The number of times that each workgroup increments its counter.
    pub counts: u32,
    /// True if the workgroups wait for each other at a grid barrier, so that all of them must be
    /// resident at the same time. False if only the last workgroup reads the states of the
    /// others.
    pub waits: bool,
    /// The fill byte that a state may consist of although no workgroup wrote it. Such a state
    /// means that no element of that workgroup won, or that the row's first element did.
    pub nobodys: u8,
}

/// The second launch, which merges the results of a row's pieces into one result. Its kernel is
/// in the same code object and has the same buffers. Workgroup `r` computes and stores row `r`
/// and no other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Merge {
    /// Name of the kernel in the code object.
    pub symbol: String,
    /// Number of workgroups along x, y and z.
    pub workgroups: [u32; 3],
    /// Threads of a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
    /// The arguments in kernarg order.
    pub arguments: Vec<Kernarg>,
    /// Number of pieces of a row.
    pub pieces: u32,
}

/// A kernel that can be launched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompiledKernel {
    /// The ELF file; the kernels of one batch share it. Serialisation leaves it out, and the
    /// caller stores it separately.
    #[serde(skip)]
    pub code_object: Arc<[u8]>,
    /// Name of the kernel in the code object.
    pub symbol: String,
    /// Number of workgroups along x, y and z.
    pub workgroups: [u32; 3],
    /// Threads of a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
    /// The arguments in kernarg order.
    pub arguments: Vec<Kernarg>,
    /// Size in bytes of each buffer.
    pub buffers: Vec<u64>,
    /// The input, row major.
    pub input: Slot,
    /// The inputs after the first, in the order of
    /// [`Problem::operands`](configgen::Problem::operands).
    #[serde(default)]
    pub operands: Vec<Slot>,
    /// The workspace in which workgroups that share rows publish their states. `None` if no
    /// workgroups share rows.
    pub workspace: Option<Workspace>,
    /// Number of workgroups with neighbouring numbers that share rows. Each takes a piece of
    /// those rows. 1 if each workgroup has its own rows.
    pub sharers: u32,
    /// One slot for each result, in the order of
    /// [`Problem::results`](configgen::Problem::results): elements of the result's extent, row
    /// major. If the fold starts from the result buffers, they hold the initial values before the
    /// launch.
    pub results: Vec<Slot>,
    /// The rows that each workgroup computes and stores: workgroup `w` (linear, x fastest) has
    /// exactly the rows of box `w`. If workgroups share rows, `w` numbers the groups of
    /// [`sharers`](Self::sharers). With a merge, each piece has as many workgroups as there are
    /// boxes. `None` if the tiling is unknown.
    pub tiling: Option<Tiling>,
    /// The second launch, if this launch reduces pieces of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<Merge>,
    /// The compiler that made the code object.
    pub compiler: Compiler,
}

impl CompiledKernel {
    /// Returns the number of workgroups that wait for each other and must be resident together.
    /// Returns `None` if none wait.
    pub fn waiting_workgroups(&self) -> Option<u32> {
        let is_awaited = self.workspace.is_some_and(|workspace| workspace.waits);
        is_awaited.then_some(self.sharers)
    }

    /// Returns the kernel of the second launch, if there is one.
    pub fn merge_kernel(&self) -> Option<CompiledKernel> {
        let merge = self.merge.clone()?;
        Some(CompiledKernel {
            symbol: merge.symbol,
            workgroups: merge.workgroups,
            workgroup_size: merge.workgroup_size,
            arguments: merge.arguments,
            merge: None,
            ..self.clone()
        })
    }

    /// Returns the kernel for a launch with this count, if the count is known only at launch. The
    /// grid, the argument and the tiling change. The buffers keep the size of the largest count.
    /// `self` must be the kernel as compiled, with the launch of the largest count.
    ///
    /// Returns `None` if the kernel has no count, or if `count` is 0 or larger than the largest.
    pub fn at_count(&self, count: u32) -> Option<CompiledKernel> {
        let is_counted = |argument: &Kernarg| matches!(argument, Kernarg::Count(largest) if (1..=*largest).contains(&count));
        let at_count = |argument: &Kernarg| match is_counted(argument) {
            true => Kernarg::Count(count),
            false => *argument,
        };
        if !self.arguments.iter().any(is_counted) {
            return None;
        }
        let tiling = self.tiling.as_ref()?.at_count(count)?;
        let pieces = tiling.boxes().checked_mul(self.sharers.into())?;
        // The compiled grid is that of the largest count, so its x is the widest needed; the rest
        // goes to y.
        let [widest, ..] = self.workgroups;
        let x = u32::try_from(pieces.min(widest.into())).ok()?;
        let y = u32::try_from(pieces.div_ceil(x.into())).ok()?;
        Some(CompiledKernel {
            workgroups: [x, y, 1],
            tiling: Some(tiling),
            arguments: self.arguments.iter().map(at_count).collect(),
            ..self.clone()
        })
    }
}
