//! A compiled kernel that never runs. Its symbol carries all information to a simulated device.

use std::sync::Arc;

use codegen::{CompiledKernel, Compiler, Slot};

/// Returns a kernel with this symbol, one workgroup and two results.
pub(crate) fn kernel(symbol: String, compiler: Compiler) -> CompiledKernel {
    let slot = Slot {
        buffer: 0,
        offset: 0,
    };
    CompiledKernel {
        code_object: Arc::from([]),
        symbol,
        workgroups: [1; 3],
        workgroup_size: [1; 3],
        arguments: Vec::new(),
        buffers: Vec::new(),
        input: slot,
        operands: Vec::new(),
        workspace: None,
        sharers: 1,
        results: vec![slot; 2],
        tiling: None,
        merge: None,
        compiler,
    }
}
