//! No kernel is modelled faster than the bound, on any device; and the bound is near enough to what kernels reach to be
//! a goal. Needs libLLVM.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

use bench_harness::{Device as _, EmulatedDevice, Launch, bound_us};
use codegen::CompiledKernel;
use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{
    Configuration, DEVICES, Device, Generator, Problem, Space, TARGETS, Target, native_default,
};
use libtest_mimic::{Arguments, Failed, Trial};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

#[path = "shapes/mod.rs"]
mod shapes;

/// Problems that one test in full takes.
const CHUNK: usize = 26;

/// Configurations of a space that are tried beside its starts.
const OTHERS: u64 = 4;

type Test = Box<dyn FnOnce(&Native) -> Result<(), Failed> + Send>;

fn main() -> ExitCode {
    let native = Native::load(Cache::none()).map_err(|error| error.to_string());
    let native: &'static Result<Native, String> = Box::leak(Box::new(native));
    let trial = |name: &str, full: bool, test: Test| match native {
        Ok(native) => Trial::test(name, move || test(native)).with_ignored_flag(full),
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(full || std::env::var_os("CI").is_none()),
    };
    let mut trials = vec![
        trial(
            "no_kernel_is_faster",
            false,
            no_kernel_is_faster(random_problems(6, 1)),
        ),
        trial("bounds_are_near", false, Box::new(bounds_are_near)),
    ];
    let mut problems = random_problems(200, 2);
    problems.extend(shapes::PROBLEMS.map(str::to_owned));
    // Each chunk takes minutes, side by side.
    for (number, chunk) in problems.chunks(CHUNK).enumerate() {
        let name = format!("no_kernel_is_faster_in_chunk_{number}");
        trials.push(trial(&name, true, no_kernel_is_faster(chunk.to_vec())));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn no_kernel_is_faster(problems: Vec<String>) -> Test {
    Box::new(move |native| bounded(native, &TARGETS, &problems).map(drop))
}

/// Times kernels of each problem on every device of these targets: the default, the starts and a few others. The least
/// time over the bound, by problem and device.
///
/// # Errors
/// The kernels that are faster than the bound.
fn bounded(
    native: &Native,
    targets: &'static [Target],
    problems: &[String],
) -> Result<BTreeMap<(String, &'static str), f64>, Failed> {
    let mut faster = Vec::new();
    let mut least = BTreeMap::new();
    for text in problems {
        let problem: Problem = text.parse()?;
        for target in targets {
            let configurations = configurations(&problem, target);
            let batch: Vec<_> = configurations
                .iter()
                .map(|one| (problem.clone(), one.clone()))
                .collect();
            let kernels = native.compile_batch(target, &batch);
            for (kernel, configuration) in kernels.into_iter().zip(&configurations) {
                let kernel = kernel?;
                let of_target = |row: &&Device| row.target().name == target.name;
                for row in DEVICES.iter().filter(of_target) {
                    let (time, bound) = (modelled(&kernel, row)?, bound_us(&problem, row));
                    let ratio = time / bound;
                    let best = least.entry((text.clone(), row.name)).or_insert(ratio);
                    *best = best.min(ratio);
                    if ratio < 1.0 {
                        let json = serde_json::to_string(configuration)?;
                        faster.push(format!(
                            "{text} on {}: {time:.3} < {bound:.3} µs: {json}",
                            row.name
                        ));
                    }
                }
            }
        }
    }
    match faster.len() {
        0 => Ok(least),
        count => Err(format!("{count} kernels:\n{}", faster.join("\n")).into()),
    }
}

/// The default, what the space names as starts, and others at random.
fn configurations(problem: &Problem, target: &Target) -> Vec<Configuration> {
    let space = Space::new(problem, target, Generator::NATIVE);
    let starts = space
        .start_ranks()
        .into_iter()
        .filter_map(|rank| space.nth(rank));
    let default = native_default(problem, target).ok();
    default
        .into_iter()
        .chain(starts)
        .chain(space.sample(OTHERS, 1))
        .collect()
}

/// The modelled microseconds of a kernel on a device.
fn modelled(kernel: &CompiledKernel, row: &Device) -> Result<f64, Failed> {
    let mut device = EmulatedDevice::named(&format!("emulated:{}", row.name))?;
    let buffers = kernel
        .buffers
        .iter()
        .map(|&bytes| device.allocate(bytes))
        .collect::<Result<Vec<_>, _>>()?;
    let launch = Launch {
        kernel,
        buffers: &buffers,
        index_base: 0,
        instruction_limit: u64::MAX,
        time_limit: Duration::MAX,
        only: None,
        then: None,
    };
    Ok(device.time(&[launch])?.samples_us[0])
}

/// Problems of any size up to 256 MB: rows and columns are even in their logarithms.
fn random_problems(count: usize, seed: u64) -> Vec<String> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut problems = Vec::new();
    while problems.len() < count {
        let mut size = |most: f64| (most.ln() * rng.random::<f64>()).exp() as u64;
        let (rows, columns, inner) = (size(1e5), size(1e6), size(1e3));
        let element = ["f32", "f16", "bf16", "f64", "i32", "i8"][rng.random_range(0..6)];
        let (shape, elements) = match rng.random_range(0..6) {
            0 => (format!("[{columns}]"), columns),
            1 => (format!("[{columns}]x{rows}"), columns * rows),
            2 => (
                format!("{rows}x[{columns}]x{inner}"),
                rows * columns * inner,
            ),
            _ => (format!("{rows}x[{columns}]"), rows * columns),
        };
        if (1..=1 << 25).contains(&elements) {
            problems.push(format!("argmax:{shape}x{element}"));
        }
    }
    problems
}

/// What ten kernels reach of the bound: at most half as much again on an MI300X for what a launch is long enough for.
fn bounds_are_near(native: &Native) -> Result<(), Failed> {
    let gfx942 = TARGETS.iter().position(|target| target.name == "gfx942");
    let gfx942: &'static [Target] = &TARGETS[gfx942.ok_or("no such target")?..][..1];
    for (text, most) in [
        // All compute units stream.
        ("argmax:1024x[129280]xf32", 1.1),
        ("argmax:163840x[384]xf32", 1.1),
        // A few microseconds of streaming.
        ("argmax:64x[128256]xbf16", 1.5),
        // A launch and one access.
        ("argmax:512x[512]xf32", 1.1),
        ("argmax:2x[3]x4xf32", 1.05),
    ] {
        let least = bounded(native, gfx942, &[text.to_owned()])?;
        let ratio = least[&(text.to_owned(), "mi300x")];
        println!("{text}: {ratio:.3}");
        if ratio > most {
            return Err(format!("{text}: {ratio} times the bound").into());
        }
    }
    Ok(())
}
