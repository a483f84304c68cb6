//! `wavetune emulate`: runs a kernel of any code object on an emulated device.

mod dump;
mod kernel_arguments;
mod report;
mod time_limit;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail, ensure};
use clap::Args;
use configgen::Device;
use dump::{Dump, DumpFile};
use emulator::model::{self, CacheState};
use emulator::{
    CodeObject, EmulatedMemory, Execution, KernelLaunch, LaunchFault, LaunchProgress, LoadedKernel,
};
use kernel_arguments::{KernelArgument, PlacedArguments};

use crate::Exit;
use crate::device_arguments::Caches;
use crate::output::{OutputFormat, print, print_json};
use crate::value_parsers::{device_error, devices};

/// Run and check a kernel on an emulated GPU.
///
/// Prints the kernel's results, its bugs and its modelled time.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EmulateArguments {
    /// Code object, bundle or host program.
    ///
    /// The file is a code object (.hsaco), an offload bundle, or a host program that contains one.
    file: PathBuf,
    /// Name of the kernel, if the file has several.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Device, such as emulated:mi300a.
    ///
    /// The default is the first device with the ISA of the code object.
    #[arg(long, value_parser = devices(), hide_possible_values = true)]
    device: Option<String>,
    /// Number of workgroups in x, y and z.
    ///
    /// HIP calls it gridDim.
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "1", value_parser = extent)]
    grid: [u32; 3],
    /// Work-items per workgroup in x, y and z.
    ///
    /// The default is the size that the kernel requires, if any.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = extent)]
    block: Option<[u32; 3]>,
    /// Size of the dynamic LDS in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    dynamic_lds: u32,
    /// Kernel argument, such as buf:1K or f32:2.
    ///
    /// Repeat the option for each argument, in the kernel's order. The forms are
    /// buf:SIZE[:zero|random|iota|FILE], i32:V, u32:V, i64:V, u64:V, f32:V, f64:V and hex:BYTES.
    #[arg(long = "arg", value_name = "ARGUMENT", allow_hyphen_values = true)]
    arguments: Vec<KernelArgument>,
    /// Buffer to print after the launch.
    ///
    /// N is the index of the argument, from 0. TYPE is the element type. COUNT is the number of
    /// elements.
    #[arg(long = "dump", value_name = "N:TYPE[:COUNT]")]
    dumps: Vec<Dump>,
    /// Buffer to save after the launch.
    #[arg(long = "dump-file", value_name = "N:PATH")]
    dump_files: Vec<DumpFile>,
    /// Check the kernel for bugs.
    ///
    /// Finds out-of-bounds accesses, undefined values, missing waits and fences, races, and faulty
    /// barriers.
    #[arg(long)]
    check: bool,
    /// Model the time without running the kernel.
    ///
    /// Only the sample of workgroups runs. The buffers keep their contents.
    #[arg(long, conflicts_with_all = ["check", "dumps", "dump_files"])]
    time_only: bool,
    /// Caches at the launch.
    ///
    /// Warm caches hold the lines that the same launch left.
    #[arg(long, value_name = "STATE", value_enum, default_value = "cold")]
    caches: Caches,
    /// Most instructions per wave.
    ///
    /// A wave with more instructions counts as hung.
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    instruction_limit: u64,
    /// Time limit of the launch.
    ///
    /// The limit in seconds covers all waves together. 0 means no limit.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    time_limit: u64,
    /// Output format: text or json.
    #[arg(long, value_name = "FORMAT", value_enum, default_value = "text")]
    output_format: OutputFormat,
}

const EXAMPLES: &str = "\
A buffer without initial contents is undefined; --check reports a kernel that relies on it. random \
is the same in each run; iota has 32-bit integers from 0 on. The time is modelled, never measured. \
If the model does not support a kernel, the kernel still runs, and the answer gives the reason.

Exit codes: 0 ran, 1 ran and --check found bugs, 2 error or fault.

Examples:
  wavetune emulate scale.hsaco --grid 4 --block 64 --arg buf:1K:iota \\
    --arg f32:2 --dump 0:f32:8
  wavetune emulate loop.hsaco --grid 4096 --block 64 --time-limit 600
  wavetune emulate a.out --kernel scan --device emulated:mi300a \\
    --grid 32,8 --block 256 --arg buf:1M:random --arg buf:1M --check \\
    --output-format json";

pub(crate) fn run(arguments: &EmulateArguments) -> anyhow::Result<Exit> {
    let (code, device) = load(arguments)?;
    let kernel = kernel(&code, arguments.kernel.as_deref())?;
    for number in arguments
        .dumps
        .iter()
        .map(|dump| dump.argument)
        .chain(arguments.dump_files.iter().map(|dump| dump.argument))
    {
        let buffer = matches!(
            arguments.arguments.get(number),
            Some(KernelArgument::Buffer { .. })
        );
        ensure!(
            buffer,
            "argument {number} is not a buffer, so it cannot be dumped; indices start at 0"
        );
    }
    let workgroup_size = arguments
        .block
        .or(kernel.required_workgroup_size)
        .with_context(|| {
            format!(
                "kernel {} supports any workgroup size up to {}; choose one with --block",
                kernel.name, kernel.max_workgroup_size
            )
        })?;
    let machine = bench_harness::machine(device);
    // Saturating: an absurd product is refused by the emulator, with a reason.
    let items = (workgroup_size.into_iter()).fold(1, u32::saturating_mul);
    let launch = KernelLaunch {
        kernel,
        workgroups: arguments.grid,
        workgroup_size,
        dynamic_lds_bytes: arguments.dynamic_lds,
        // Set below, once the buffers have addresses.
        kernarg: &[],
        workgroup_subset: None,
        instruction_limit: arguments.instruction_limit,
        // Workgroups may wait for each other, as at a grid barrier: as many as the device holds
        // run at a time.
        resident_workgroups: model::concurrent_workgroups(
            kernel,
            items,
            arguments.dynamic_lds,
            &machine,
        ),
        // As many as the host runs at once.
        threads: 0,
    };

    let mut memory = EmulatedMemory::new();
    let placed = kernel_arguments::place(&arguments.arguments, kernel, &mut memory)?;
    let kernarg = &placed.block[..];
    let begin = Instant::now();
    let (workgroups, progress) = (
        arguments
            .grid
            .iter()
            .map(|&extent| u64::from(extent))
            .fold(1, u64::saturating_mul),
        LaunchProgress::default(),
    );
    let limit = (arguments.time_limit > 0).then(|| Duration::from_secs(arguments.time_limit));
    let (result, findings) = time_limit::limit_launch(limit, workgroups, &progress, || {
        let launch = KernelLaunch { kernarg, ..launch };
        if arguments.time_only {
            (Ok(Execution::default()), Vec::new())
        } else if arguments.check {
            let checked = emulator::check_supervised(&code, &mut memory, &launch, &progress);
            (checked.result, checked.findings)
        } else {
            let result = emulator::run_supervised(&code, &mut memory, &launch, &progress);
            (result, Vec::new())
        }
    });
    let seconds = begin.elapsed().as_secs_f64();
    if result.is_err() {
        // A finding before the fault may explain it.
        for finding in &findings {
            eprintln!("found: {finding}");
        }
    }
    let execution = result.map_err(|fault| explain(fault, arguments.time_limit))?;
    save(arguments, &placed, &memory)?;
    let dumped: Vec<_> = arguments
        .dumps
        .iter()
        .filter_map(|dump| Some(dump.of(memory.bytes(placed.buffers[dump.argument]?))))
        .collect();

    // The launch has changed the buffers, so the model gets fresh ones. It profiles a few
    // workgroups.
    let mut memory = EmulatedMemory::new();
    let placed = kernel_arguments::place(&arguments.arguments, kernel, &mut memory)?;
    let sample = bench_harness::PROFILED_WORKGROUPS;
    let kernarg = &placed.block[..];
    let profile = emulator::profile(
        &code,
        &mut memory,
        &KernelLaunch { kernarg, ..launch },
        sample,
    );
    let caches = match arguments.caches {
        Caches::Cold => CacheState::Cold,
        Caches::Warm => CacheState::Warm,
    };
    let estimate = profile.map(|profile| model::estimate(&profile, &machine, caches));
    let answer = report::answer(
        &report::EmulatedLaunch {
            device,
            code: &code,
            kernel,
            execution,
            seconds,
        },
        estimate.as_ref(),
        &findings,
        dumped,
    );
    match arguments.output_format {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => print(&report::text(&answer, &findings))?,
    }
    Ok(if findings.is_empty() {
        Exit::Found
    } else {
        Exit::NotFound
    })
}

/// Converts a fault to an error. A launch at its time limit says how to raise the limit.
fn explain(fault: LaunchFault, seconds: u64) -> anyhow::Error {
    match fault {
        LaunchFault::Stopped { .. } => anyhow!(
            "the launch took longer than {seconds} s: {fault}; raise the limit with --time-limit, or pass 0 for no limit"
        ),
        fault => fault.into(),
    }
}

/// Parses `4`, `4,2` or `4,2,1`.
fn extent(text: &str) -> Result<[u32; 3], String> {
    let mut extent = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("at most three numbers, separated by commas".into());
    }
    for (place, part) in extent.iter_mut().zip(parts) {
        *place = part
            .trim()
            .parse()
            .ok()
            .filter(|&number| number > 0)
            .ok_or_else(|| format!("{part:?} is not a positive number"))?;
    }
    Ok(extent)
}

/// Loads the first code object that a device can run, and returns it with the device.
fn load(arguments: &EmulateArguments) -> anyhow::Result<(CodeObject, &'static Device)> {
    let path = arguments.file.display();
    let file = std::fs::read(&arguments.file).with_context(|| format!("cannot read {path}"))?;
    let bundled = emulator::code_objects(&file).with_context(|| path.to_string())?;
    let wanted = match &arguments.device {
        Some(name) => {
            let device = bench_harness::emulated_device(name);
            Some(device.map_err(|error| device_error(name, error))?)
        }
        None => None,
    };
    // A bundle has an object for each ISA: the reasons are printed only if none fits.
    let mut refused = Vec::new();
    for one in &bundled {
        let named = if one.target.is_empty() {
            path.to_string()
        } else {
            one.target.clone()
        };
        let code = match CodeObject::load(one.code_object()) {
            Ok(code) => code,
            Err(error) => {
                refused.push(format!("{named}: {error}"));
                continue;
            }
        };
        let isa = code.isa().name();
        let device = match wanted {
            Some(device) => Some(device).filter(|device| device.target().name == isa),
            None => bench_harness::emulated_devices().find(|device| device.target().name == isa),
        };
        match device {
            Some(device) => return Ok((code, device)),
            None => refused.push(format!("{named} is for {isa}")),
        }
    }
    match wanted {
        Some(device) => bail!(
            "the file has no code for emulated:{}, a {}: {}",
            device.name,
            device.target().name,
            refused.join("; ")
        ),
        None => bail!(
            "the file has no code that the emulator supports: {}",
            refused.join("; ")
        ),
    }
}

fn kernel<'a>(code: &'a CodeObject, name: Option<&str>) -> anyhow::Result<&'a LoadedKernel> {
    let names = || {
        code.kernels()
            .iter()
            .map(|kernel| kernel.name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    match (name, code.kernels()) {
        (Some(name), _) => code
            .kernel(name)
            .with_context(|| format!("there is no kernel {name:?}; the file has {}", names())),
        (None, [kernel]) => Ok(kernel),
        (None, []) => bail!("the file has no kernel"),
        (None, _) => bail!(
            "the file has several kernels; name one with --kernel: {}",
            names()
        ),
    }
}

fn save(
    arguments: &EmulateArguments,
    placed: &PlacedArguments,
    memory: &EmulatedMemory,
) -> anyhow::Result<()> {
    for dump in &arguments.dump_files {
        if let Some(address) = placed.buffers[dump.argument] {
            std::fs::write(&dump.path, memory.bytes(address))
                .with_context(|| format!("cannot write {}", dump.path.display()))?;
        }
    }
    Ok(())
}
