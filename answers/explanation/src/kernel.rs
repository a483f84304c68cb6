//! Explanation of a compiled kernel: stages, launch, instructions, occupancy and modelled time.

use answers::stages::{
    ExplainedKernel, Instructions, KernelResources, Limit, Occupancy, StageText,
};
use bench_harness::machine;
use codegen::CompiledKernel;
use codegen::native::{CodegenError, MarkedStage, Native, marked_stages};
use configgen::{Configuration, Device, Generator, Target};
use emulator::model::waves_per_simd;
use emulator::{CodeObject, InstructionMix, LoadError, LoadedKernel};

use crate::model::model;
use crate::question::{ExplanationRefusal, Question};

/// The reason why [`explain_kernel`] cannot explain a kernel.
#[derive(Debug, thiserror::Error)]
pub enum KernelError {
    /// The configuration has no kernel.
    #[error(transparent)]
    Refused(#[from] ExplanationRefusal),
    /// The kernel does not compile.
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    /// The code object does not load: a defect of ours or of the compiler.
    #[error("{symbol}: {source}")]
    Load {
        /// The kernel's symbol.
        symbol: String,
        /// The error of the loader.
        source: LoadError,
    },
    /// The code object lacks the kernel's symbol.
    #[error("the code object lacks the kernel {0}")]
    Symbol(String),
}

/// Builds the kernel of a native configuration and explains it on a device.
///
/// `device` is `emulated:NAME` or `NAME` of the device table. Without it, the first device of the
/// target is used. An unknown device, or one of another target, leaves out occupancy and model.
///
/// # Errors
///
/// [`KernelError`].
pub fn explain_kernel(
    native: &Native,
    question: &Question,
    device: Option<&str>,
) -> Result<ExplainedKernel, KernelError> {
    let Question {
        problem, target, ..
    } = question;
    let configuration: Configuration = question.legal()?;
    if question.generator != Generator::NATIVE {
        let message = format!("kernels of {} have no known stages", question.generator);
        return Err(ExplanationRefusal {
            rule: None,
            message,
        }
        .into());
    }
    // The text of these stages is the one that `compile` lowers; marks add debug locations only.
    let stages = marked_stages(native, problem, target, &configuration)?;
    let compiled = native.compile(target, problem, &configuration)?;
    let code = CodeObject::load(&compiled.code_object).map_err(|source| KernelError::Load {
        symbol: compiled.symbol.clone(),
        source,
    })?;
    let kernel = code.kernel(&compiled.symbol);
    let kernel = kernel.ok_or_else(|| KernelError::Symbol(compiled.symbol.clone()))?;
    let device = row(target, device);
    Ok(ExplainedKernel {
        stages: stages.into_iter().map(stage).collect(),
        launch: launch(&compiled, kernel),
        occupancy: device.and_then(|device| occupancy(&compiled, kernel, device)),
        instructions: instructions(code.instruction_mix(kernel)),
        model: device.and_then(|device| model(problem, &compiled, device)),
    })
}

/// Returns the named device, or the first of the target, if the table has one of this target.
fn row(target: &Target, name: Option<&str>) -> Option<&'static Device> {
    let Some(name) = name else {
        return Device::of_target(target);
    };
    let named = Device::named(name.strip_prefix("emulated:").unwrap_or(name));
    named.filter(|device| device.target() == target)
}

fn stage(linked: MarkedStage) -> StageText {
    StageText {
        name: linked.stage.name(),
        text: linked.text,
        marks: linked.marks,
    }
}

fn launch(compiled: &CompiledKernel, kernel: &LoadedKernel) -> KernelResources {
    KernelResources {
        grid: compiled.workgroups,
        workgroup: compiled.workgroup_size,
        lds_bytes: kernel.lds_bytes,
        vgprs: kernel.vgprs,
        agprs: kernel.agprs,
        sgprs: kernel.sgprs,
        scratch_bytes: kernel.scratch_bytes,
        code_bytes: kernel.code_bytes,
    }
}

fn occupancy(
    compiled: &CompiledKernel,
    kernel: &LoadedKernel,
    device: &'static Device,
) -> Option<Occupancy> {
    let machine = machine(device);
    // The configuration decides the workgroup; the code object decides registers and LDS. Both
    // limit the occupancy.
    let items = compiled.workgroup_size.iter().product();
    let workgroups = compiled.workgroups.iter().copied().map(u64::from).product();
    let each = waves_per_simd(kernel, items, workgroups, &machine);
    // Several limits may allow equally few waves. The first is named.
    let (limit, waves) = each
        .iter()
        .copied()
        .reduce(|least, one| if one.1 < least.1 { one } else { least })?;
    Some(Occupancy {
        device: format!("emulated:{}", device.name),
        waves_per_simd: waves,
        most_waves_per_simd: machine.slots.waves_per_simd,
        limit: limit.name(),
        each: each
            .into_iter()
            .map(|(limit, waves)| Limit {
                limit: limit.name(),
                // A limit other than the slots may allow more waves than the SIMD holds.
                waves: waves.min(machine.slots.waves_per_simd),
            })
            .collect(),
    })
}

fn instructions(mix: InstructionMix) -> Instructions {
    Instructions {
        total: mix.total(),
        valu: mix.valu,
        salu: mix.salu,
        vmem: mix.vmem,
        smem: mix.smem,
        lds: mix.lds,
        cross_lane: mix.cross_lane,
        branch: mix.branch,
        wait: mix.wait,
        other: mix.other,
    }
}
