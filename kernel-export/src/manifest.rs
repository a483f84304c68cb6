//! A kernel in the manifest: its launch and its origin.

use answers::kernels::{
    ArgumentKind, Buffer, BufferAccess, ByteRange, Count, KernelOrigin, ManifestArgument,
    ManifestKernel, Pointee,
};
use codegen::CompiledKernel;
use configgen::Problem;
use emulator::CodeObject;

use crate::choice::Choice;
use crate::error::ExportError;
use crate::grid::CountedGrid;

/// Describes a compiled kernel by its launch parameters and its code object.
pub(crate) fn kernel(
    choice: &Choice,
    compiled: &CompiledKernel,
    made_by: KernelOrigin,
) -> Result<ManifestKernel, ExportError> {
    let problem = &choice.problem;
    let file = format!("{}.hsaco", compiled.symbol);
    let code = CodeObject::load(&compiled.code_object);
    let code = code.map_err(|source| ExportError::Load {
        file: file.clone(),
        source,
    })?;
    let Some(kernel) = code.kernel(&compiled.symbol) else {
        let symbol = compiled.symbol.clone();
        return Err(ExportError::Symbol { file, symbol });
    };
    // A wrong argument block would corrupt memory, so the code object's metadata must agree with
    // ours.
    let (found, expected) = (kernel.arguments.len(), compiled.arguments.len());
    if found != expected {
        return Err(ExportError::Arguments {
            file,
            found,
            expected,
        });
    }
    let mut arguments = Vec::with_capacity(expected);
    for (number, (place, &argument)) in kernel.arguments.iter().zip(&compiled.arguments).enumerate()
    {
        if place.size as usize != argument.bytes() {
            return Err(ExportError::Size {
                file,
                number,
                found: place.size,
                expected: argument.bytes(),
            });
        }
        arguments.push(described(problem, compiled, argument, place.offset));
    }
    Ok(ManifestKernel {
        problem: problem.clone(),
        arguments,
        file,
        source: format!("{}.hip", compiled.symbol),
        symbol: compiled.symbol.clone(),
        grid: compiled.workgroups,
        count: counted(problem, compiled),
        block: compiled.workgroup_size,
        waiting_workgroups: compiled.waiting_workgroups(),
        subgroup_size: kernel.wavefront_size,
        lds_bytes: kernel.lds_bytes,
        kernarg_bytes: kernel.kernarg_bytes,
        configuration: choice.configuration.clone(),
        chosen: choice.chosen.clone(),
        made_by,
    })
}

/// Returns the parameters by which a launch follows from its count.
fn counted(problem: &Problem, compiled: &CompiledKernel) -> Option<Count> {
    let counts = problem.shape.counts()?;
    let grid = CountedGrid::of(problem, compiled)?;
    Some(Count {
        least: *counts.start(),
        largest: grid.largest,
        tile: grid.tile,
        workgroups_per_tile: grid.each,
    })
}

/// Describes an argument by its use in the kernel.
fn described(
    problem: &Problem,
    compiled: &CompiledKernel,
    argument: codegen::Kernarg,
    offset: u32,
) -> ManifestArgument {
    let size = argument.bytes() as u32;
    let number = match argument {
        codegen::Kernarg::IndexBase(index) => {
            return ManifestArgument {
                name: "index_base".into(),
                kind: ArgumentKind::Value,
                element: index.name(),
                offset,
                size,
                pointee: Pointee::Nothing {},
            };
        }
        codegen::Kernarg::Count(_) | codegen::Kernarg::Word(_) => {
            return ManifestArgument {
                name: match argument {
                    codegen::Kernarg::Count(_) => "count".into(),
                    _ => "word".into(),
                },
                kind: ArgumentKind::Value,
                element: "i32",
                offset,
                size,
                pointee: Pointee::Nothing {},
            };
        }
        codegen::Kernarg::Buffer(number) => number,
    };
    let results = problem.results();
    let operands = problem.operands();
    let shape = problem.shape.sizes().to_vec();
    // Initial pairs lie in the result buffers, so the kernel reads them, too.
    let written = match problem.reduction.begins_at_results() {
        true => BufferAccess::ReadWrite,
        false => BufferAccess::Write,
    };
    let is = |slot: codegen::Slot| slot.buffer == number;
    let mut written_here = compiled.results.iter().zip(&results);
    let mut read_here = compiled.operands.iter().zip(&operands);
    // A buffer that is neither input, operand nor result can only be the workspace.
    let (name, element, access, shape) = if is(compiled.input) {
        let shape = match problem.view() {
            None => shape,
            Some(view) => view.sizes(&problem.shape).to_vec(),
        };
        (
            "input".into(),
            problem.element.name(),
            BufferAccess::Read,
            shape,
        )
    } else if let Some((_, operand)) = read_here.find(|(slot, _)| is(**slot)) {
        let sizes = operand.sizes(&problem.shape).to_vec();
        (
            operand.name.clone(),
            operand.scalar.name(),
            BufferAccess::Read,
            sizes,
        )
    } else if let Some((_, result)) = written_here.find(|(slot, _)| is(**slot)) {
        let sizes = result
            .extent
            .map(&problem.shape)
            .sizes(&problem.shape)
            .to_vec();
        (result.name.into(), result.scalar.name(), written, sizes)
    } else {
        ("workspace".into(), "i8", BufferAccess::Workspace, vec![])
    };
    // Only the problem's own input may have a pitch.
    let strides = match &*name {
        "input" if problem.view().is_none() => problem.shape.strides().to_vec(),
        _ => dense(&shape),
    };
    let bytes = compiled.buffers[number];
    let workspace = compiled
        .workspace
        .filter(|workspace| workspace.buffer == number);
    // The launcher must zero the counters, at the end of the workspace, before each launch.
    let zero = workspace.map(|workspace| ByteRange {
        offset: workspace.counters,
        bytes: bytes - workspace.counters,
    });
    ManifestArgument {
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

/// Returns the strides of a row-major tensor without gaps.
fn dense(shape: &[u32]) -> Vec<u64> {
    let inner = |d: usize| shape[d + 1..].iter().map(|&size| u64::from(size)).product();
    (0..shape.len()).map(inner).collect()
}
