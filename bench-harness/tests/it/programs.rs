//! Random row programs on the emulated devices of all instruction sets: kernels are correct, and
//! the checker is silent. Needs libLLVM. `PROGRAM_SEED` chooses other programs for the long test.

use std::collections::BTreeMap;

use bench_harness::{Bench, BenchOutcome, EmulatedDevice, Inputs};
use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{Configuration, DEVICES, Device, Generator, Problem, Space, native_default};
use testing::{Failed, Random, Trial};

use crate::sampling::cores;

/// The most elements of a program: larger ones take the emulator too long.
const MAX_ELEMENTS: u64 = 4000;

/// The programs of one batch, which are linked together.
const BATCH: usize = 16;

pub(crate) fn trials() -> Vec<Trial> {
    let native = Native::load(Cache::of_environment()).map_err(|error| error.to_string());
    let native: &'static Result<Native, String> = Box::leak(Box::new(native));
    let random = |name, count, seed| {
        trial(native, name, move |native| {
            random_programs(native, count, seed)
        })
    };
    let seed = std::env::var("PROGRAM_SEED").map_or(2, |seed| seed.parse().expect("a number"));
    let full = random("full_random_programs_are_right", 5000, seed);
    vec![
        random("random_programs_are_right", 500, 1),
        trial(
            native,
            "kernels_of_earlier_mistakes",
            kernels_of_earlier_mistakes,
        ),
        full.with_ignored_flag(true).with_kind("5,000 programs"),
    ]
}

/// Returns a test, which fails or is ignored without a compiler.
fn trial(
    native: &'static Result<Native, String>,
    name: &str,
    test: impl Fn(&Native) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let trial = Trial::test(name, move || match native {
        Ok(native) => test(native),
        Err(reason) => Err(reason.into()),
    });
    let is_unable = native.is_err() && std::env::var_os("CI").is_none();
    trial.with_ignored_flag(is_unable)
}

/// Returns a random program that is small.
fn any_program(random: &mut Random) -> Problem {
    loop {
        let parsed: Result<Problem, _> = testing_problems::any_program(random).parse();
        match parsed {
            Ok(problem) if problem.shape.elements() <= MAX_ELEMENTS => return problem,
            _ => {}
        }
    }
}

/// Returns a configuration of a program: the default one or a random one.
fn any_configuration(
    problem: &Problem,
    device: &Device,
    random: &mut Random,
) -> Option<Configuration> {
    let target = device.target();
    let space = Space::new(problem, target, Generator::NATIVE);
    match random.below(4) {
        0 => native_default(problem, target).ok(),
        _ => space.sample(1, random.next()).pop(),
    }
}

fn random_programs(native: &Native, count: usize, seed: u64) -> Result<(), Failed> {
    // The first device of each instruction set.
    let devices = DEVICES.iter().rev().map(|it| (it.target().name, it));
    let devices: BTreeMap<&str, &Device> = devices.collect();
    let devices: Vec<&Device> = devices.into_values().collect();
    let batches: Vec<usize> = (0..count.div_ceil(BATCH)).collect();
    let wrong: Vec<String> = cores::each(&batches, |&batch| {
        let mut random = Random(seed << 32 | batch as u64);
        let device = devices[batch % devices.len()];
        let mut pairs = Vec::new();
        while pairs.len() < BATCH {
            let problem = any_program(&mut random);
            let configuration = any_configuration(&problem, device, &mut random);
            pairs.extend(configuration.map(|it| (problem, it)));
        }
        wrong_programs(native, device, &pairs)
    })
    .into_iter()
    .flatten()
    .collect();
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count}:\n{}", wrong.join("\n")).into()),
    }
}

/// Returns the programs whose kernels are wrong or fail on a device, with the reasons.
fn wrong_programs(
    native: &Native,
    device: &Device,
    pairs: &[(Problem, Configuration)],
) -> Vec<String> {
    let mut emulated = EmulatedDevice::named(&format!("emulated:{}", device.name)).unwrap();
    let kernels = native.compile_batch(device.target(), pairs);
    let mut wrong = Vec::new();
    for ((problem, configuration), kernel) in pairs.iter().zip(kernels) {
        let outcome = kernel
            .map_err(|error| error.to_string())
            .and_then(|kernel| {
                let inputs = Inputs::new(problem, 1).map_err(|error| error.to_string())?;
                let mut bench =
                    Bench::new(&mut emulated, &inputs).map_err(|error| error.to_string())?;
                match bench.evaluate(&kernel).map_err(|error| error.to_string())? {
                    BenchOutcome::Right(..) => Ok(()),
                    other => Err(format!("{other:?}")),
                }
            });
        if let Err(reason) = outcome {
            let configuration = serde_json::to_string(configuration).unwrap();
            wrong.push(format!(
                "{} {problem} {configuration}: {reason}",
                device.name
            ));
        }
    }
    wrong
}

/// Checks kernels that were wrong once, or that a judge called so.
fn kernels_of_earlier_mistakes(native: &Native) -> Result<(), Failed> {
    // LLVM rounded the product to f16 by a fused addition of 0, which loses the sign of a zero.
    let product = "rows(r1=minnum(x/x-trunc(x)+f32(-1-f16(x)));rsqrt(f16(r1*(at(x,461)*-1-(r1+r1))))):[664]xf32";
    let of_product = r#"{"workgroup":[0],"partial_reduction":[256],"thread":[1],"lane_basis":[[64],[0]],
        "subgroup_basis":[[2],[0]],"subgroup_size":64,"workgroup_size":[128,1,1],"split":2}"#;
    // A result was -0.022, the f16 that filled outputs before each launch.
    let filling = "rows(e1=f32(x1);r1=minnum(e1-select(x1,trunc(x)/(x-x),cos(x*2)));\
        r2=f16(maxnum(max((max(f32(at(x1,18)),3)+min(r1,f32(at(x1,8))))/select(x1,e1,r1/e1),e1))*0.015625);e2=f16(x1);\
        abs(r2/e2*f16(r1))-log1p(minnum(log2(f16(x)),\
        max(f16(sum(select(x>e1,maxnum(e1*x,2),x)*f32(minnum(bf16(r1),\
        bf16(max(select(f32(e2)!=abs(x),at(x,15)*0.5,x/floor(x)-r1))*0.015625))*roundeven(bf16(-1))))),r2)))):[32]x41xf32,i1(0)";
    let of_filling = r#"{"workgroup":[0,48],"partial_reduction":[8,0],"thread":[1,0],
        "lane_basis":[[8,4],[1,0]],"subgroup_basis":[[1,2],[0,1]],"subgroup_size":32,"workgroup_size":[64,1,1],"split":4}"#;
    let kernels = [
        ("mi355x", product, of_product),
        ("strix-halo", filling, of_filling),
    ];
    let mut wrong = Vec::new();
    for (name, problem, configuration) in kernels {
        let pair = (problem.parse()?, serde_json::from_str(configuration)?);
        let device = DEVICES.iter().find(|it| it.name == name);
        let device = device.ok_or("a device of the table")?;
        wrong.extend(wrong_programs(native, device, &[pair]));
    }
    match &wrong[..] {
        [] => Ok(()),
        wrong => Err(wrong.join("\n").into()),
    }
}
