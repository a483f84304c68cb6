//! Compiled kernels: a code object and everything that launching it takes, whoever generated it.

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
    /// Its full version.
    pub version: String,
    /// The linker behind it, with its version, where that is a program of its own; else empty.
    pub linker: String,
}

/// One kernel argument, in kernarg order. Each is aligned to its own size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kernarg {
    /// The 64-bit address of buffer number `.0` of [`CompiledKernel::buffers`].
    Buffer(usize),
    /// The number that is added to every position, by value: a launch's index base.
    IndexBase(IndexType),
    /// How many places the outermost dimension has, by value, an i32: what it has in this launch. See
    /// [`CompiledKernel::at_count`].
    Count(u32),
    /// 32 bits that are the same in each launch, by value.
    Word(u32),
}

impl Kernarg {
    /// Size in bytes, and alignment.
    pub fn bytes(self) -> usize {
        match self {
            Self::Buffer(_) => 8,
            Self::IndexBase(index) => index.bytes() as usize,
            Self::Count(_) | Self::Word(_) => 4,
        }
    }
}

/// Where a tensor lies: a buffer and a byte offset into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Number of the buffer in [`CompiledKernel::buffers`].
    pub buffer: usize,
    /// Byte offset of the tensor in the buffer.
    pub offset: u64,
}

/// A buffer through which workgroups that share rows come together. The contents need not be kept between launches, but for
/// the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    /// Number of the buffer in [`CompiledKernel::buffers`].
    pub buffer: usize,
    /// Byte offset of the counters, which are u32 up to the end of the buffer. All are 0 before a launch and after it. In each
    /// [so many](CompiledKernel::sharers) workgroups count; the last one sets it back.
    pub counters: u64,
    /// How often each of them counts.
    pub counts: u32,
    /// Whether they wait each time until all have, so that so many workgroups have to be on the device together; else the last one
    /// reads what the others left.
    pub waits: bool,
    /// A byte of which a state may be that nobody left: then no element of that workgroup has won, or the row's first one.
    pub nobodys: u8,
}

/// The launch after the first, which makes one result of those of a row's pieces: of another kernel in the same code object,
/// with the same buffers. Workgroup `r` computes and stores row `r`, and no other.
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
    /// Pieces of a row.
    pub pieces: u32,
}

/// A kernel that can be launched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompiledKernel {
    /// The ELF; kernels of one batch share it. Where a kernel is written as text, it goes apart.
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
    /// The inputs behind the first, in the order of [`Problem::operands`](configgen::Problem::operands).
    #[serde(default)]
    pub operands: Vec<Slot>,
    /// Where workgroups that share rows leave what their pieces give, for the last of them or for each other, if any do.
    pub workspace: Option<Workspace>,
    /// Workgroups with neighbouring numbers that share rows, each with a piece of these, and have a workspace. 1 where each workgroup
    /// has its own rows.
    pub sharers: u32,
    /// One for each result, in the order of [`Problem::results`](configgen::Problem::results): elements of its extent, row major.
    /// Before the launch they hold what the fold begins with, where it begins there.
    pub results: Vec<Slot>,
    /// Which rows workgroup `w` (linear, x fastest) computes and stores: those in box `w`, and no others. Of
    /// sharers, `w` is the number of as many neighbours as share rows; with a merge, of every piece the workgroups are as many as boxes.
    /// None where that is not known.
    pub tiling: Option<Tiling>,
    /// The launch that follows, where this one reduces pieces of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<Merge>,
    /// Who compiled it.
    pub compiler: Compiler,
}

impl CompiledKernel {
    /// How many workgroups with neighbouring numbers wait for each other, and so have to be on the device together, where any do.
    pub fn waiting_workgroups(&self) -> Option<u32> {
        let is_awaited = self.workspace.is_some_and(|workspace| workspace.waits);
        is_awaited.then_some(self.sharers)
    }

    /// The kernel of the launch that follows this one's, if one does.
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

    /// The kernel to be launched with this count, where its count is known at launch only: the grid, the argument and the
    /// tiling are those of the count; the buffers stay those of the largest. This is the kernel as it was compiled, whose
    /// launch is that of the largest count. `None` where it has no count, or none so large.
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
