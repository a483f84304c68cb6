//! The manifest of exported kernels: everything that launching them takes, and where they are from.

use ::lookup::{Found, Provenance};
use anyhow::{Context, ensure};
use codegen::CompiledKernel;
use configgen::{Clock, Configuration, Generator, Problem, Target};
use emulator::CodeObject;
use serde::Serialize;

/// Changes when a field changes its meaning or goes.
const FORMAT: u32 = 1;

#[derive(Serialize)]
pub(super) struct Manifest<'a> {
    format: u32,
    /// Version of the program.
    wavetune: &'static str,
    target: &'a str,
    pub(super) kernels: Vec<Kernel<'a>>,
}

impl<'a> Manifest<'a> {
    pub(super) fn new(target: &'a Target) -> Self {
        Manifest {
            format: FORMAT,
            wavetune: env!("CARGO_PKG_VERSION"),
            target: target.name,
            kernels: Vec::new(),
        }
    }
}

/// One kernel.
#[derive(Serialize)]
pub(super) struct Kernel<'a> {
    problem: &'a Problem,
    /// The code object, in the manifest's directory.
    file: String,
    /// The same kernel as HIP C++, in the same place: not what the code object is made of, but what it computes.
    source: String,
    symbol: String,
    /// Workgroups along x, y and z (HIP's gridDim).
    grid: [u32; 3],
    /// Work-items of a workgroup (HIP's blockDim).
    block: [u32; 3],
    subgroup_size: u32,
    /// Static LDS of a workgroup; no dynamic LDS is needed.
    lds_bytes: u32,
    /// The argument block, without hidden arguments: there are none.
    kernarg_bytes: u32,
    /// In the order of the kernel's parameters.
    arguments: Vec<Argument>,
    configuration: &'a Configuration,
    #[serde(flatten)]
    chosen: &'a Chosen,
    made_by: MadeBy,
}

/// The file of a kernel's HIP C++.
pub(super) fn source_name(compiled: &CompiledKernel) -> String {
    format!("{}.hip", compiled.symbol)
}

/// A parameter of a kernel.
#[derive(Serialize)]
struct Argument {
    name: &'static str,
    kind: Kind,
    /// Type of an element, or of the value.
    #[serde(rename = "type")]
    element: &'static str,
    /// Where it lies in the argument block.
    offset: u32,
    /// Bytes there: of a buffer those of its address.
    size: u32,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    buffer: Option<Buffer>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Buffer,
    Value,
}

/// The buffer whose address an argument is.
#[derive(Serialize)]
struct Buffer {
    access: Access,
    /// Its size at least.
    bytes: u64,
    shape: Vec<u32>,
    /// Elements between neighbours along each dimension.
    strides: Vec<u64>,
    /// What must be 0 before the first launch, and is 0 after each.
    #[serde(skip_serializing_if = "Option::is_none")]
    zero: Option<Bytes>,
}

/// A part of a buffer.
#[derive(Serialize)]
struct Bytes {
    offset: u64,
    bytes: u64,
}

/// What a kernel does with a buffer.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Access {
    Read,
    Write,
    /// Initial pairs become results.
    ReadWrite,
    /// Nothing of it matters before or after the launch but what must be 0.
    Workspace,
}

/// Why a kernel has its configuration.
#[derive(Serialize)]
#[serde(tag = "chosen", rename_all = "snake_case")]
pub(super) enum Chosen {
    /// The best that is known.
    Tuned(Box<Tuned>),
    /// Nothing is known, the default rule says it.
    Default,
    /// The command line says it.
    Given,
}

/// What is known of a configuration.
#[derive(Serialize)]
pub(super) struct Tuned {
    time_us: f64,
    clock: Clock,
    /// The default's time.
    default_time_us: Option<f64>,
    /// What made these numbers.
    tuned_with: Provenance,
}

impl Chosen {
    pub(super) fn tuned(found: &Found) -> Chosen {
        Chosen::Tuned(Box::new(Tuned {
            time_us: found.time_us,
            clock: found.clock,
            default_time_us: found.default_time_us,
            tuned_with: found.provenance.clone(),
        }))
    }
}

/// Who made the code object.
#[derive(Serialize)]
pub(super) struct MadeBy {
    pub(super) generator: Generator,
    pub(super) generator_version: &'static str,
    pub(super) compiler: String,
    pub(super) compiler_version: String,
}

impl<'a> Kernel<'a> {
    /// What the compiled kernel and its code object say.
    pub(super) fn new(
        problem: &'a Problem,
        compiled: &CompiledKernel,
        file: String,
        configuration: &'a Configuration,
        chosen: &'a Chosen,
        made_by: MadeBy,
    ) -> anyhow::Result<Self> {
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
            problem,
            arguments: arguments.collect::<anyhow::Result<_>>()?,
            file,
            source: source_name(compiled),
            symbol: compiled.symbol.clone(),
            grid: compiled.workgroups,
            block: compiled.workgroup_size,
            subgroup_size: kernel.wavefront_size,
            lds_bytes: kernel.lds_bytes,
            kernarg_bytes: kernel.kernarg_bytes,
            configuration,
            chosen,
            made_by,
        })
    }
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
                kind: Kind::Value,
                element: index.name(),
                offset,
                size,
                buffer: None,
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
        kind: Kind::Buffer,
        element,
        offset,
        size,
        buffer: Some(Buffer {
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
