//! Kernels for the device that folds on the host: buffers and arguments without code.

use std::sync::Arc;

use codegen::{CompiledKernel, Compiler, Kernarg, Slot, Tiling, Workspace};
use configgen::{IndexMode, Problem};

/// The name of the kernels that the device runs without a fault.
pub(crate) const INNOCENT: &str = "innocent";

/// The number of rows of a tile along each parallel dimension.
const TILE: u32 = 3;

/// The number of workgroups that share the rows of a [`split`] kernel.
const SHARERS: u32 = 2;

/// Creates a kernel like the native generator's, or one with outputs in a shared buffer like
/// IREE's.
pub(crate) fn kernel(problem: &Problem, shared: bool) -> CompiledKernel {
    let rows = problem.shape.rows();
    let (values, indices) = (
        rows * u64::from(problem.element.bytes()),
        rows * u64::from(problem.arg_compare().unwrap().index.bytes()),
    );
    let slot = |buffer, offset| Slot { buffer, offset };
    let indices_at = values.next_multiple_of(64);
    let mut buffers = match shared {
        true => vec![problem.input_bytes(), indices_at + indices],
        false => vec![problem.input_bytes(), values, indices],
    };
    let operands = (problem.arg_compare().unwrap().index_mode == IndexMode::Explicit).then(|| {
        buffers.push(problem.operand_bytes());
        slot(buffers.len() - 1, 0)
    });
    let mut arguments: Vec<Kernarg> = (0..buffers.len()).map(Kernarg::Buffer).collect();
    if problem.arg_compare().unwrap().index_mode == IndexMode::Based {
        arguments.push(Kernarg::IndexBase(problem.arg_compare().unwrap().index));
    }
    if problem.shape.counts().is_some() {
        arguments.push(Kernarg::Count(problem.shape.sizes()[0]));
    }
    let parallel = problem
        .shape
        .parallel()
        .map(|d| (problem.shape.sizes()[d], TILE));
    let tiling = Tiling::new(parallel).expect("tiles of some rows");
    CompiledKernel {
        code_object: Arc::new([]),
        symbol: "fold".to_owned(),
        workgroups: [tiling.boxes() as u32, 1, 1],
        workgroup_size: [64, 1, 1],
        arguments,
        buffers,
        input: slot(0, 0),
        operands: operands.into_iter().collect(),
        workspace: None,
        sharers: 1,
        results: vec![
            slot(1, 0),
            if shared {
                slot(1, indices_at)
            } else {
                slot(2, 0)
            },
        ],
        tiling: Some(tiling),
        merge: None,
        compiler: Compiler {
            name: "none".into(),
            version: String::new(),
            linker: String::new(),
        },
    }
}

/// Creates a kernel whose workgroups share rows. The workspace has their states, and then a
/// counter per tile of rows.
pub(crate) fn split(problem: &Problem) -> CompiledKernel {
    const LEFT: u64 = 64;
    let mut kernel = kernel(problem, false);
    let boxes = u64::from(kernel.workgroups[0]);
    let workspace = Workspace {
        buffer: kernel.buffers.len(),
        counters: LEFT,
        counts: 1,
        waits: false,
        nobodys: 0,
    };
    kernel.arguments.push(Kernarg::Buffer(workspace.buffer));
    kernel.buffers.push(LEFT + 4 * boxes);
    kernel.workgroups[0] *= SHARERS;
    kernel.sharers = SHARERS;
    kernel.workspace = Some(workspace);
    kernel
}
