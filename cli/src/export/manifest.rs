//! The manifest of exported kernels: everything that launching them takes, and where they are from.

use ::lookup::Found;
use answers::kernels::{
    Access, Argument, ArgumentKind, Buffer, Bytes, Chosen, FORMAT, Kernel, Known, MadeBy, Manifest,
    Pointee,
};
use anyhow::{Context, ensure};
use codegen::CompiledKernel;
use configgen::{Configuration, Problem, Target};
use emulator::CodeObject;

/// A manifest of no kernels yet.
pub(super) fn manifest(target: &Target) -> Manifest {
    Manifest {
        format: FORMAT,
        wavetune: env!("CARGO_PKG_VERSION"),
        target: target.name,
        kernels: Vec::new(),
    }
}

/// The file of a kernel's HIP C++.
pub(super) fn source_name(compiled: &CompiledKernel) -> String {
    format!("{}.hip", compiled.symbol)
}

/// That a configuration is the best known one.
pub(super) fn tuned(found: &Found) -> Chosen {
    Chosen::Tuned(Box::new(Known {
        time_us: found.time_us,
        clock: found.clock,
        default_time_us: found.default_time_us,
        tuned_with: found.provenance.clone(),
    }))
}

/// What the compiled kernel and its code object say.
pub(super) fn kernel(
    problem: &Problem,
    compiled: &CompiledKernel,
    file: String,
    configuration: &Configuration,
    chosen: &Chosen,
    made_by: MadeBy,
) -> anyhow::Result<Kernel> {
    let code = CodeObject::load(&compiled.code_object)?;
    let kernel = code
        .kernel(&compiled.symbol)
        .with_context(|| format!("{file} has no kernel {}", compiled.symbol))?;
    ensure!(
        kernel.arguments.len() == compiled.arguments.len(),
        "{file}: {} arguments, not {}",
        kernel.arguments.len(),
        compiled.arguments.len()
    );
    let places = kernel.arguments.iter().zip(&compiled.arguments);
    let arguments = places.map(|(place, &argument)| {
        let (size, expected) = (place.size, argument.bytes());
        ensure!(
            size as usize == expected,
            "{file}: an argument of {size} bytes, not {expected}"
        );
        Ok(described(problem, compiled, argument, place.offset))
    });
    Ok(Kernel {
        problem: problem.clone(),
        arguments: arguments.collect::<anyhow::Result<_>>()?,
        file,
        source: source_name(compiled),
        symbol: compiled.symbol.clone(),
        grid: compiled.workgroups,
        block: compiled.workgroup_size,
        subgroup_size: kernel.wavefront_size,
        lds_bytes: kernel.lds_bytes,
        kernarg_bytes: kernel.kernarg_bytes,
        configuration: configuration.clone(),
        chosen: chosen.clone(),
        made_by,
    })
}

/// An argument by what the kernel does with it.
fn described(
    problem: &Problem,
    compiled: &CompiledKernel,
    argument: codegen::Argument,
    offset: u32,
) -> Argument {
    let size = argument.bytes() as u32;
    let number = match argument {
        codegen::Argument::IndexBase(index) => {
            return Argument {
                name: "index_base",
                kind: ArgumentKind::Value,
                element: index.name(),
                offset,
                size,
                pointee: Pointee::Nothing {},
            };
        }
        codegen::Argument::Buffer(number) => number,
    };
    let results = problem.reduction.results(problem.element);
    let operands = problem.reduction.operands();
    let shape = problem.shape.sizes().to_vec();
    let rows: Vec<u32> = problem.shape.parallel().map(|d| shape[d]).collect();
    let written = match problem.reduction.begins_at_results() {
        true => Access::ReadWrite,
        false => Access::Write,
    };
    let is = |slot: codegen::Slot| slot.buffer == number;
    let mut written_here = compiled.results.iter().zip(&results);
    let (name, element, access, shape) = if is(compiled.input) {
        ("input", problem.element.name(), Access::Read, shape)
    } else if let Some(operand) = operands
        .first()
        .filter(|_| compiled.explicit_indices.is_some_and(is))
    {
        (operand.name, operand.scalar.name(), Access::Read, shape)
    } else if let Some((_, result)) = written_here.find(|(slot, _)| is(**slot)) {
        (result.name, result.scalar.name(), written, rows)
    } else {
        ("workspace", "i8", Access::Workspace, vec![])
    };
    let strides = match name {
        "input" => problem.shape.strides().to_vec(),
        _ => dense(&shape),
    };
    let bytes = compiled.buffers[number];
    let workspace = compiled
        .workspace
        .filter(|workspace| workspace.buffer == number);
    let zero = workspace.map(|workspace| Bytes {
        offset: workspace.counters,
        bytes: bytes - workspace.counters,
    });
    Argument {
        name,
        kind: ArgumentKind::Buffer,
        element,
        offset,
        size,
        pointee: Pointee::Buffer(Buffer {
            access,
            bytes,
            shape,
            strides,
            zero,
        }),
    }
}

/// The strides of a row-major tensor without gaps.
fn dense(shape: &[u32]) -> Vec<u64> {
    let inner = |d: usize| shape[d + 1..].iter().map(|&size| u64::from(size)).product();
    (0..shape.len()).map(inner).collect()
}
