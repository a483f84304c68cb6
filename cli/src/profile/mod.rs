//! `wavetune profile`: the time of every dispatch that iree-compile makes of a model.

mod profiled_device;
mod text;

pub(crate) use text::time;

use std::path::PathBuf;

use ::model_profile::{CallSizes, ProfiledModule, Profiler, describe_profile, trace};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use codegen_object_cache::Cache;
use iree::{IreeCompiler, IreeRuntime, SpecPaths};

use self::profiled_device::ProfiledDevice;
use crate::Exit;
use crate::device_arguments::HipLibrary;
use crate::model::{CompilerOptions, ModelArguments, ModelFile};
use crate::output::{OutputFormat, print, print_json};
use crate::sandbox::SandboxArgument;
use crate::value_parsers::devices;

/// List the dispatches of a model with their times.
///
/// iree-compile compiles the model with its own defaults. IREE's runtime then calls each function
/// on the emulated device, which models each kernel and executes a sample of it. On a GPU, AMD's
/// rocprofv3 traces 20 more calls, and each command has its median time.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ProfileArguments {
    /// Model file in MLIR or ONNX, or a compiled .vmfb.
    ///
    /// MLIR may come from any frontend that iree-compile accepts.
    model: PathBuf,
    /// Device to use.
    ///
    /// emulated:NAME, or NAME alone, is an emulated GPU. `wavetune devices` lists the names. hip:N
    /// is a GPU of this machine; its times need rocprofv3 of ROCm 6.2 or later.
    #[arg(long, default_value = "emulated:mi300x", value_parser = devices(), hide_possible_values = true)]
    device: String,
    #[command(flatten)]
    library: HipLibrary,
    #[command(flatten)]
    of_model: ModelArguments,
    /// Function to call [default: every function].
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Input of the function; repeatable.
    ///
    /// Each parameter needs one, in the notation of `iree-run-module --input`. Without this
    /// option, inputs are zeros, and each dynamic size is the largest of --counts.
    #[arg(long = "input", value_name = "VALUE")]
    inputs: Vec<String>,
    /// Directory of exported kernels.
    ///
    /// `wavetune export iree-kernels` writes it. iree-compile places the kernels in the model.
    #[arg(long, value_name = "DIR")]
    kernels: Option<PathBuf>,
    /// Order of the table.
    #[arg(long, value_enum, default_value_t = Order::Launch)]
    sort: Order,
    /// Trace file to write, for ui.perfetto.dev.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    sandbox: SandboxArgument,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Text)]
    output_format: OutputFormat,
    #[command(flatten)]
    compiler: CompilerOptions,
}

const EXAMPLES: &str = "\
The bound is the least modelled time of any kernel that moves the same bytes. The dispatch with \
the largest difference between time and bound is the first candidate for tuning. A kernel with \
instructions that the emulator lacks, such as those on images, has no modelled time.

On a GPU, the times are those of each command on the device, without its launch and without gaps. \
The caches are as the commands before left them. Bytes, limits and bounds are still modelled.

Exit codes: 0 profiled, 2 error.

Examples:
  wavetune profile model.mlir
  wavetune profile model.onnx --device emulated:rx7900xtx --sort excess
  wavetune profile model.mlir --counts 1..32 --trace model.json
  wavetune profile model.mlir --kernels kernels
  wavetune profile model.mlir --device hip:0
  wavetune profile model.mlir -- --iree-opt-level=O3";

/// The order of commands in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// The order of their launch.
    Launch,
    /// The longest first.
    Time,
    /// The longest beyond its bound first.
    Excess,
}

pub(crate) fn run(arguments: &ProfileArguments) -> anyhow::Result<Exit> {
    let device = ProfiledDevice::open(arguments)?;
    // One size: a table for each count would hide the dispatches.
    let sizes = [CallSizes {
        count: *arguments.of_model.counts.end(),
        inputs: (!arguments.inputs.is_empty()).then_some(&*arguments.inputs),
    }];
    let function = arguments.function.as_deref();
    let is_compiled = arguments.model.extension().is_some_and(|it| it == "vmfb");
    let (profiled, compiler) = match is_compiled {
        true => {
            let profiler = profiler(IreeCompiler::find()?, &device, arguments)?;
            (compiled(arguments, &profiler, &sizes)?, None)
        }
        false => {
            let model = ModelFile::open(&arguments.model, arguments.sandbox.sandbox()?)?;
            let profiler = profiler(model.compiler.clone(), &device, arguments)?;
            let (spec, tuning) = specs(arguments)?;
            let specs = SpecPaths {
                replacements: spec.as_deref(),
                tuning: tuning.as_deref(),
            };
            let profiled = profiler.profile(model.module(), specs, function, &sizes);
            let profiled = profiled
                .with_context(|| format!("cannot profile {}", arguments.model.display()))?;
            let version = profiler.compiler_version().to_owned();
            (profiled, Some(version))
        }
    };
    if let Some(path) = &arguments.trace {
        let trace = trace(&device.name(), &profiled.functions);
        std::fs::write(path, trace.to_string())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match arguments.output_format {
        OutputFormat::Json => {
            let gpu = device.gpu.as_ref().map(|gpu| (&*gpu.name, gpu.clock));
            print_json(&describe_profile(device.row, gpu, compiler, &profiled))?;
        }
        OutputFormat::Text => print(&text::profile(
            &device,
            compiler.as_deref(),
            &profiled,
            arguments.sort,
        ))?,
    }
    Ok(Exit::Found)
}

fn profiler(
    compiler: IreeCompiler,
    device: &ProfiledDevice,
    arguments: &ProfileArguments,
) -> anyhow::Result<Profiler> {
    let runtime = IreeRuntime::find(compiler.path())?;
    let runtime = runtime.in_sandbox(arguments.sandbox.sandbox()?);
    let options = &arguments.compiler.options;
    let cache = Cache::of_user();
    let profiler = Profiler::new(compiler, runtime, device.row, options, cache)?;
    Ok(match &device.gpu {
        Some(gpu) => profiler.on_gpu(gpu.traced.clone()),
        None => profiler,
    })
}

/// Profiles a module that is already compiled.
fn compiled(
    arguments: &ProfileArguments,
    profiler: &Profiler,
    sizes: &[CallSizes<'_>],
) -> anyhow::Result<ProfiledModule> {
    let path = &arguments.model;
    if arguments.kernels.is_some() || !arguments.compiler.options.is_empty() {
        bail!(
            "{} is compiled: --kernels and options of iree-compile are for models in MLIR or ONNX",
            path.display()
        );
    }
    std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    let function = arguments.function.as_deref();
    let profiled = profiler.of_compiled(path, function, sizes);
    profiled.with_context(|| format!("cannot profile {}", path.display()))
}

/// Returns the specs in the directory of an export.
fn specs(arguments: &ProfileArguments) -> anyhow::Result<(Option<PathBuf>, Option<PathBuf>)> {
    let Some(folder) = &arguments.kernels else {
        return Ok((None, None));
    };
    let spec = folder.join("spec.mlir");
    if !spec.is_file() {
        bail!(
            "{} has no spec.mlir; `wavetune export iree-kernels MODEL --target gfx942 --out DIR` writes one",
            folder.display()
        );
    }
    // An export has a tuning spec only if IREE's own kernels serve some problems.
    let tuning = folder.join("tuning-spec.mlir");
    Ok((Some(spec), tuning.is_file().then_some(tuning)))
}
