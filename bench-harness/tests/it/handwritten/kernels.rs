//! The kernels of `rows.hip`, compiled by clang. A launch of one has the form of generated
//! kernels.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use codegen::{CompiledKernel, Compiler, Kernarg, Slot};
use configgen::Problem;
use testing::Failed;

/// The instruction set of the modelled device.
const ISA: &str = "gfx942";

/// The threads per row, and the packs that a thread loads in an iteration. A row has a wave of a
/// block with four, or a whole block.
pub(crate) const VARIANTS: [(u32, u32); 6] =
    [(64, 1), (64, 4), (256, 1), (256, 4), (1024, 1), (1024, 4)];

/// The bytes that a thread loads at once.
const PACK: u64 = 16;

/// Returns the number of rows of a block.
pub(crate) fn rows_of_block(threads: u32) -> u64 {
    if threads == 64 { 4 } else { 1 }
}

/// Returns the problem's default epsilon, which is added before the root.
pub(crate) fn epsilon(problem: &Problem) -> f32 {
    match &*problem.name() {
        "layer_norm" => 1e-5,
        _ => 1e-6,
    }
}

/// Compiles a kernel for a problem. Its buffers are the input, the operands and the result.
///
/// # Errors
/// There is no kernel for such a problem, or clang reports an error.
pub(crate) fn kernel(
    problem: &Problem,
    (threads, unroll): (u32, u32),
) -> Result<CompiledKernel, Failed> {
    let (rows, columns) = (problem.shape.rows(), problem.shape.reduced_size());
    let bytes = u64::from(problem.element.bytes());
    if columns * bytes % PACK != 0 {
        return Err(format!("{problem}: a row is not a number of {PACK} bytes").into());
    }
    let operands = match &*problem.name() {
        "layer_norm" => 2,
        "rms_norm" => 1,
        "softmax" => 0,
        name => return Err(format!("no kernel of {name}").into()),
    };
    let values = rows * columns * bytes;
    let mut buffers = vec![columns * bytes; operands];
    buffers.insert(0, values);
    buffers.push(values);
    let mut arguments: Vec<Kernarg> = (0..buffers.len()).map(Kernarg::Buffer).collect();
    arguments.extend([rows, columns].map(|size| Kernarg::Word(size as u32)));
    if operands > 0 {
        arguments.push(Kernarg::Word(epsilon(problem).to_bits()));
    }
    let slot = |buffer| Slot { buffer, offset: 0 };
    let name = problem.name();
    Ok(CompiledKernel {
        code_object: compiled()?,
        symbol: format!("{name}_{}_{threads}_{unroll}", problem.element),
        workgroups: [rows.div_ceil(rows_of_block(threads)) as u32, 1, 1],
        workgroup_size: [threads.max(256), 1, 1],
        arguments,
        input: slot(0),
        operands: (1..=operands).map(slot).collect(),
        results: vec![slot(operands + 1)],
        buffers,
        workspace: None,
        sharers: 1,
        tiling: None,
        merge: None,
        compiler: Compiler {
            name: "clang".into(),
            version: String::new(),
            linker: String::new(),
        },
    })
}

/// Returns the code object of all kernels, which is compiled once.
fn compiled() -> Result<Arc<[u8]>, Failed> {
    static CODE: Mutex<Option<Arc<[u8]>>> = Mutex::new(None);
    let mut code = CODE.lock().map_err(|error| error.to_string())?;
    if let Some(code) = &*code {
        return Ok(Arc::clone(code));
    }
    let folder = tempfile::tempdir()?;
    let output = folder.path().join("rows.hsaco");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/handwritten/rows.hip");
    let mut clang = Command::new(testing::llvm("clang").ok_or("no clang")?);
    clang
        .args(["-x", "hip", "--cuda-device-only", "-nogpuinc", "-nogpulib"])
        .args(["-O3", "-std=c++17", "-Wall", "-Werror"])
        .args([
            "--no-gpu-bundle-output",
            &format!("--offload-arch={ISA}"),
            "-o",
        ])
        .args([&output, &source]);
    let result = codegen_object_cache::compile(&mut clang, &[&source], &output)?;
    if !result.status.success() {
        return Err(String::from_utf8_lossy(&result.stderr).as_ref().into());
    }
    Ok(Arc::clone(code.insert(std::fs::read(output)?.into())))
}
