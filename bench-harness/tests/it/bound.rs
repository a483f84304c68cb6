//! Tests of the lower bound: no kernel is modelled faster on any device, and kernels come near
//! it. Needs libLLVM.

use std::collections::BTreeMap;

use bench_harness::bound_us;
use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{DEVICES, Device, Problem, TARGETS, Target};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use testing::{Failed, Trial};

use crate::shapes;
use crate::tried;

use tried::{configurations, modelled};

/// Problems of real models besides argmax: norms and softmax of their sizes, sums along each axis
/// of an activation, and products of a matrix with a vector.
const OF_MODELS: [&str; 40] = [
    "layer_norm:1x[768]xf32",
    "layer_norm:64x[768]xbf16",
    "layer_norm:4096x[768]xf32",
    "layer_norm:4096x[768]xf16",
    "layer_norm:1x[4096]xbf16",
    "layer_norm:64x[4096]xf32",
    "layer_norm:4096x[4096]xbf16",
    "layer_norm:1x[8192]xf16",
    "layer_norm:64x[8192]xf32",
    "layer_norm:4096x[8192]xbf16",
    "rms_norm:1x[768]xbf16",
    "rms_norm:64x[768]xf32",
    "rms_norm:4096x[768]xbf16",
    "rms_norm:4096x[768]xf32",
    "rms_norm:1x[4096]xf16",
    "rms_norm:64x[4096]xbf16",
    "rms_norm:4096x[4096]xf32",
    "rms_norm:1x[8192]xf32",
    "rms_norm:64x[8192]xf16",
    "rms_norm:4096x[8192]xf16",
    "add_rms_norm:4096x[4096]xbf16",
    "add_rms_norm:64x[8192]xf16",
    "add_rms_norm:1x[4096]xf32",
    "softmax:4096x[128]xf16",
    "softmax:4096x[128]xf32",
    "softmax:16384x[512]xf16",
    "softmax:1024x[2048]xf32",
    "softmax:1024x[2048]xbf16",
    "softmax:512x[8192]xf16",
    "softmax:64x[32768]xf32",
    "softmax:64x[32768]xf16",
    "softmax:64x[32000]xbf16",
    "softmax:8x[128256]xf32",
    "softmax:1x[50257]xf32",
    "sum:32x64x28x[28]xf32",
    "sum:32x[64]x28x28xf16",
    "sum:32x64x[28]x28xbf16",
    "sum:[32]x64x28x28xf32",
    "dot:4096x[4096]xf16,f16(1)",
    "dot:11008x[4096]xbf16,bf16(1)",
];

/// Maps: pointwise operations, copies, transpositions and pads, long and short. A gather is
/// missing, because its traffic depends on its indices.
const MAPS: [&str; 10] = [
    "map(arith.addf(0,1)):4096x4096xf16,f16",
    "map(3=arith.mulf(0,1);arith.addf(2,3)):4096x4096xf32,f32(1),f32",
    "map(arith.mulf(0,1)):64x768xf32,f32",
    "map(arith.addf(0,1)):1000003xf32,f32",
    "map(arith.addf(0,1)):4096x770xf32(0,1-1:768),f32",
    "copy:4096x4096xbf16",
    "copy:16777216xi8",
    "copy:4096x4096xf32(1,0)",
    "copy:4096x4096xf16(1,0)",
    "copy:32x12x512x64xf16(0,2,1,3)",
];

/// The number of problems in one test of the full run.
const CHUNK: usize = 26;

type Test = Box<dyn FnOnce(&Native) -> Result<(), Failed> + Send>;

pub(crate) fn trials() -> Vec<Trial> {
    let native = Native::load(Cache::of_environment()).map_err(|error| error.to_string());
    let native: &'static Result<Native, String> = Box::leak(Box::new(native));
    let trial = |name: &str, full: bool, test: Test| match native {
        Ok(native) => Trial::test(name, move || test(native)).with_ignored_flag(full),
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(full || std::env::var_os("CI").is_none()),
    };
    // For these rows, the last workgroup's tile is shifted back over the one before.
    let mut few = random_problems(2, 1);
    few.push("argmax:3x[166077]xi32".to_owned());
    // These begin within a sector, and neighbours share it.
    few.push("argmax:19856x[652]xf32".to_owned());
    let mut trials = vec![
        trial("no_kernel_is_faster", false, no_kernel_is_faster(few)),
        trial("bounds_are_near", false, Box::new(bounds_are_near)),
        trial(
            "bounds_of_what_models_ask_for_are_near",
            true,
            Box::new(bounds_of_what_models_ask_for_are_near),
        ),
        trial(
            "bounds_of_maps_are_near",
            true,
            Box::new(bounds_of_maps_are_near),
        ),
    ];
    let mut problems = random_problems(200, 2);
    problems.extend(shapes::PROBLEMS.map(str::to_owned));
    // Each chunk takes minutes; they run in parallel.
    for (number, chunk) in problems.chunks(CHUNK).enumerate() {
        let name = format!("no_kernel_is_faster_in_chunk_{number}");
        trials.push(trial(&name, true, no_kernel_is_faster(chunk.to_vec())));
    }
    trials
}

fn no_kernel_is_faster(problems: Vec<String>) -> Test {
    Box::new(move |native| bounded(native, &TARGETS, &problems).map(drop))
}

/// Times kernels of each problem on every device of these targets: the default, the starting
/// points and a few others. Returns the least time over the bound, by problem and device.
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
                    // The model knows the sharing of lines from a few workgroups.
                    if ratio < 0.995 {
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

/// Returns problems of any size up to 256 MB. Rows and columns are uniform in their logarithms.
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

/// Checks the ratio of a few kernels to the bound: at most 1.5 on an MI300X for launches of
/// sufficient length.
fn bounds_are_near(native: &Native) -> Result<(), Failed> {
    for (text, most) in [
        // All compute units stream.
        ("argmax:1024x[129280]xf32", 1.1),
        ("argmax:163840x[384]xf32", 1.1),
        // A few microseconds of streaming.
        ("argmax:64x[128256]xbf16", 1.5),
        // A launch and one access.
        ("argmax:512x[512]xf32", 1.1),
        ("argmax:2x[3]x4xf32", 1.05),
        // The elements stay in registers.
        ("softmax:1024x[2048]xf32", 1.1),
        ("layer_norm:64x[768]xbf16", 1.25),
        ("dot:256x[4096]xf16,f16(1)", 1.25),
    ] {
        let ratio = least_on_mi300x(native, text)?;
        if ratio > most {
            return Err(format!("{text}: {ratio} times the bound").into());
        }
    }
    Ok(())
}

/// Checks the same for problems of models, without a search: the geometric mean and each ratio.
fn bounds_of_what_models_ask_for_are_near(native: &Native) -> Result<(), Failed> {
    let mut logarithms = 0.0;
    for text in OF_MODELS {
        let ratio = least_on_mi300x(native, text)?;
        if ratio > 1.5 {
            return Err(format!("{text}: {ratio} times the bound").into());
        }
        logarithms += ratio.ln();
    }
    let mean = (logarithms / OF_MODELS.len() as f64).exp();
    println!("geometric mean: {mean:.3}");
    match mean <= 1.15 {
        true => Ok(()),
        false => Err(format!("a geometric mean of {mean}").into()),
    }
}

/// Checks the same for maps.
fn bounds_of_maps_are_near(native: &Native) -> Result<(), Failed> {
    for text in MAPS {
        let ratio = least_on_mi300x(native, text)?;
        if ratio > 1.5 {
            return Err(format!("{text}: {ratio} times the bound").into());
        }
    }
    Ok(())
}

/// Returns the least time of a few kernels over the bound, on an MI300X.
fn least_on_mi300x(native: &Native, text: &str) -> Result<f64, Failed> {
    let gfx942 = TARGETS.iter().position(|target| target.name == "gfx942");
    let gfx942: &'static [Target] = &TARGETS[gfx942.ok_or("no such target")?..][..1];
    let least = bounded(native, gfx942, &[text.to_owned()])?;
    let ratio = least[&(text.to_owned(), "mi300x")];
    println!("{text}: {ratio:.3}");
    Ok(ratio)
}
