//! Tests of the native generator's kernels, run in the emulator on every input: all must be
//! correct. Needs libLLVM.

use crate::sampling;

use bench_harness::{
    Bench, BenchOutcome, DeviceLaunch, EmulatedDevice, Inputs, KernelDevice as _, Verdict,
};
use codegen::CompiledKernel;
use codegen::cache::Cache;
use codegen::native::{Native, specimens};
use configgen::{Configuration, Generator, Problem};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use sampling::{check_all, mutate, outer_tiles, sample, target};
use testing::{Failed, Trial};

use crate::tried::launch;

/// Problems with N from 1 to 151,936, including primes (7, 1,009, 1,733 · 29, 4,099, 65,537), and
/// 1 to 30,500 rows, also tiled. They have every option, and comparators that are no order.
const PROBLEMS: [&str; 35] = [
    "argmax:[1]xf32",
    "argmax:[151936]xbf16",
    "argmin:[50257]xf32",
    "argmax:3x[7]xi32",
    "argmax:300x[8]xf16",
    "argmin:300x[1009]xf32",
    "argmax:17x[32000]xf16",
    "argmin:64x[4099]xi32",
    "argmax:5x[65537]xbf16",
    "argmax:2x[151936]xf32",
    "argmax:13x[100003]xbf16",
    "argmin_last:7x[1009]xf64:i64:index_base",
    "argmax:[32000]xi8:i32:index_base:initial",
    "argmax:300x[33]xi16:i64:explicit_index",
    "argmin.ult:[77]x40xi64:i32:explicit_index:initial",
    "argmax_last:5x[4099]xf8E4M3FNUZ:i32:initial",
    "argmin:3000x[65]xf16:i64:explicit_index:initial:pitch=80",
    "argmax:5x[21]x61x100xf16",
    "argmin_last:12x7x[40]x37xi32:i64:index_base:initial",
    "argmax.ugt:300x[1000]xf32:i64:index_base",
    "argmax:?x[1009]xf16:i32:count=1..70",
    "argmin:?x[40]x6xf32:i64:index_base:initial:count=3..40",
    "unordered{arith.cmpi(ne,0,1)}:[4096]xi16:i32:explicit_index:initial",
    // A number replaces a NaN. Below, the greater square wins, and of equal squares the greater
    // element.
    "arg_compare{2=arith.cmpf(ord,0,0);3=arith.cmpf(ugt,0,1);arith.andi(2,3)}:12x[1009]xf32:i32:initial",
    "arg_compare{2=arith.mulf(0,0);3=arith.mulf(1,1);4=arith.cmpf(ogt,2,3);5=arith.cmpf(oeq,2,3);6=arith.cmpf(ogt,0,1);7=arith.andi(5,6);arith.ori(4,7)}:4x[4099]xf32",
    "arg_compare{2=arith.mulf(0,0);3=arith.mulf(1,1);4=arith.cmpf(ogt,2,3);5=arith.cmpf(oeq,2,3);6=arith.cmpf(ogt,0,1);7=arith.andi(5,6);arith.ori(4,7)}:30x[300]xf16:i64:initial",
    // Positive elements come first, then the least. Below, the root decides, and the element if
    // roots do not compare, as for negative ones.
    "arg_compare{2=arith.constant(f32,0);3=arith.cmpf(ogt,0,2);4=arith.cmpf(ogt,1,2);5=arith.xori(3,4);6=arith.cmpf(olt,0,1);arith.select(5,3,6)}:12x[1009]xf32:i32:initial",
    "arg_compare{2=math.sqrt(0);3=math.sqrt(1);4=arith.cmpf(one,2,3);5=arith.cmpf(ogt,2,3);6=arith.cmpf(ogt,0,1);arith.select(4,5,6)}:12x[1009]xf32:i32:initial",
    "argmax:3x[32000]xf32:i32:initial=nan@-1",
    "argmin_last:5x[4099]xf16:i64:explicit_index:initial=1.5@9",
    "argmax:17x[32000]xi1:index",
    "argmin:300x[33]xi1:i32:explicit_index:initial",
    // Timed launches read explicit indices through states that no workgroup has left.
    "argmin_last:300x[33]xf32:i32:explicit_index:initial",
    "argmax_last:12x[5000]xbf16:i32:explicit_index",
    // True beats false, as by `ugt`.
    "arg_compare{2=arith.xori(0,1);arith.andi(0,2)}:7x[1009]xi1:i64:index_base:initial",
];

/// Plain reductions, with each operation and each accumulator.
const FOLDS: [&str; 22] = [
    "sum:4x[32000]xf32",
    "sum:3x[1009]xf16:f64",
    "sum:17x[4099]xbf16",
    "sum:300x[33]xf64:initial=3",
    "sum:[77]x40xi8",
    "usum:5x[1009]xi16:i64",
    "sum:12x[5000]xi1",
    "product:3x[1009]xf32:initial=-7",
    "product:17x[4099]xbf16:f64",
    "product:300x[33]xi32",
    "max:4x[32000]xf32",
    "max:17x[1009]xf16",
    "min:5x[21]x61xf64:initial=3",
    "umax:300x[33]xi8",
    "min:3000x[65]xi64:pitch=80",
    "maxnum:12x[1009]xf32:initial=3",
    "maxnum:7x[4099]xbf16",
    "minnum:?x[40]x6xf16:count=3..40",
    "and:300x[1009]xi16",
    "or:[50257]xi1",
    "xor:12x7x[40]x37xi64",
    "min:?x[1009]xbf16:count=1..70",
];

/// Row programs, with each fold, types mixed, masks, functions, several results, results of 8 bits
/// and tiled rows.
const PROGRAMS: [&str; 20] = [
    "rows(e1=f32(x);f16(e1*rsqrt(sum(e1*e1)/1009+1e-6))*x1):17x[1009]xf16,f16(1)",
    "rows(e1=f32(x);bf16(e1*rsqrt(sum(e1*e1)/768+1e-6)*(f32(x1)+1))):?x[768]xbf16,bf16(1):count=1..40",
    "rows(e1=f32(x/8+x1);e2=exp(e1-max(e1));f16(e2/sum(e2))):3x4x5x[300]xf16,f16(2,3)",
    "rows(e1=select(x1,x*0.125,-inf);e2=exp(e1-max(e1));e2/sum(e2)):12x[333]xf32,i1",
    "rows(e1=exp(x-bf16(max(f32(x))));e1/bf16(sum(f32(e1)))):7x[1024]xbf16",
    "rows(r1=sum(x)/4099;sum(x*x)/4099-r1*r1,r1):17x[4099]xf32",
    "rows(maxnum(abs(x)),min(x),minnum(max(x,x1))):12x[1009]xf32,f32(1)",
    "rows(e1=x+x1;e2=e1-sum(e1)/500;e2*rsqrt(sum(e2*e2)/500+1e-5)*x2+x3):30x[500]xf32,f32,f32(1),f32(0)",
    "rows(x/sqrt(sum(x*x))):5x[21]x61xf32",
    "rows(r1=max(abs(x));r2=select(r1==inf,0,r1);r2+log(sum(exp(x-r2)))):12x[1009]xf32",
    "rows(e1=f32(x);e2=e1*rsqrt(sum(e1*e1)/500+1e-6);f16(e2*0.5*(1+erf(e2*0.70710677)))):9x[500]xf16",
    "rows(e1=x-sum(x)/300;tanh(e1),log1p(abs(e1))+expm1(-abs(e1)),sin(e1)*cos(x1)):7x[300]xf32,f32(1)",
    "rows(tanh(x)*bf16(log2(sum(exp2(-abs(f32(x))))))):5x[333]xbf16",
    "rows(e1=f32(x);r1=max(max(abs(e1)),1e-5)/127;i8(max(min(roundeven(e1/r1),127),-128)),r1):9x[1000]xf16",
    "rows(e1=x+x1;r1=rsqrt(sum(e1*e1)/333+1e-6);f8E4M3FNUZ(max(min(e1*r1*16,240),-240)),e1,f16(r1)):11x[333]xf32,f32",
    "rows(e1=f32(x)-sum(f32(x))/4099;f8E5M2(e1*64),f8E4M3FN(f16(e1))):3x[4099]xbf16",
    // Constants that are integers, and signs of zeros.
    "rows(sum(select(x1>0,x,0))):4x[64]xf32,i32",
    "rows(sum(select(i1(1),x,0))):4x[64]xf32",
    "rows(r1=max(x);1/r1,1/min(x),1/max(maxnum(x,-x)),r1/sqrt(x),f32(0)*r1+rsqrt(x),f32(0)*r1+log(x)):64x[256]xf32",
    // An integer becomes a narrow float by way of f32.
    "rows(r1=max(abs(x));bf16(x1)*bf16(r1)):4096x[64]xf32,i32",
];

/// Tiled rows, whose tiles may lie on either side.
const BOXES: [&str; 3] = [
    "argmax:7x5x[1009]xf16",
    "argmin_last:12x7x[40]x3xi32:i64:index_base:initial",
    "argmax:[21]x9x11x5xf64:i64:explicit_index",
];
const OUTER_EACH: usize = 6;

/// The number of configurations per problem; `--full` draws fifty times as many.
const CI_EACH: u64 = 4;
const FULL_EACH: u64 = 200;
/// The number of problems of a test in CI.
const OF_A_TEST: usize = 8;
/// The number of mutations over the configurations of all problems.
const MUTATIONS: usize = 120;

pub(crate) fn trials() -> Vec<Trial> {
    let native = Native::load(Cache::of_environment()).map_err(|error| error.to_string());
    let native: &'static Result<Native, String> = Box::leak(Box::new(native));
    let mut trials = Vec::new();
    let problems: Vec<&str> = PROBLEMS.into_iter().chain(FOLDS).chain(PROGRAMS).collect();
    // Loading libLLVM takes longer than most problems.
    for (number, some) in (1..).zip(problems.chunks(OF_A_TEST)) {
        let some = some.to_vec();
        let name = format!("sampled_configurations_are_right {number}");
        trials.push(trial(native, name, move |native| {
            for problem in some {
                sampled(native, problem, CI_EACH, 1)?;
            }
            Ok(())
        }));
    }
    for problem in problems {
        let name = format!("full_sampled_configurations_are_right {problem}");
        let full = trial(native, name, move |native| {
            sampled(native, problem, FULL_EACH, 2)
        });
        trials.push(full.with_ignored_flag(true).with_kind("200 configurations"));
    }
    for problem in BOXES {
        let name = format!("tiles_of_outer_dimensions_are_right {problem}");
        trials.push(trial(native, name, move |native| outer(native, problem)));
    }
    let name = "accepted_mutations_are_right".to_owned();
    trials.push(trial(native, name, mutations));
    let name = "a_broken_promise_is_wrong".to_owned();
    trials.push(trial(native, name, broken_promise));
    let name = "findings_of_the_checker_fail_a_kernel".to_owned();
    trials.push(trial(native, name, without_waits));
    let name = "the_error_of_a_verdict_is_told".to_owned();
    trials.push(trial(native, name, errors));
    let name = "split_kernels_are_timed_to_their_end".to_owned();
    trials.push(trial(native, name, split_kernels));
    trials
}

/// Creates a test that is ignored without libLLVM, with the reason as its kind; in CI it fails.
fn trial(
    native: &'static Result<Native, String>,
    name: String,
    test: impl FnOnce(&Native) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    match native {
        Ok(native) => Trial::test(name, move || test(native)),
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    }
}

fn build(
    native: &Native,
    problem: &Problem,
    configurations: &[Configuration],
) -> Vec<Result<CompiledKernel, String>> {
    let pairs: Vec<(Problem, Configuration)> = configurations
        .iter()
        .map(|configuration| (problem.clone(), configuration.clone()))
        .collect();
    let kernels = native.compile_batch(target(), &pairs).into_iter();
    kernels
        .map(|kernel| kernel.map_err(|error| error.to_string()))
        .collect()
}

fn right(outcome: &BenchOutcome) -> Result<(), String> {
    match outcome {
        BenchOutcome::Right(timing, 0.0..=1.0) if timing.median_us() > 0.0 => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn sampled(native: &Native, problem: &str, count: u64, seed: u64) -> Result<(), Failed> {
    let problem: Problem = problem.parse()?;
    let configurations = sample(&problem, Generator::NATIVE, count, seed);
    check_all(
        &problem,
        &configurations,
        10,
        |batch| build(native, &problem, batch),
        right,
    )
}

fn outer(native: &Native, problem: &str) -> Result<(), Failed> {
    let problem: Problem = problem.parse()?;
    let configurations = outer_tiles(&problem, Generator::NATIVE, OUTER_EACH);
    if configurations.len() != OUTER_EACH {
        return Err(format!("{} configurations", configurations.len()).into());
    }
    check_all(
        &problem,
        &configurations,
        OUTER_EACH,
        |batch| build(native, &problem, batch),
        right,
    )
}

/// Checks that mutated configurations are correct if the check accepts them.
fn mutations(native: &Native) -> Result<(), Failed> {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let (mut accepted, each) = (0, MUTATIONS / PROBLEMS.len());
    for text in PROBLEMS {
        let problem: Problem = text.parse()?;
        let mutants: Vec<Configuration> = sample(&problem, Generator::NATIVE, each as u64, 3)
            .iter()
            .cycle()
            .take(each)
            .map(|configuration| mutate(configuration, &mut rng))
            .filter(|mutant| {
                configgen::check(&problem, target(), Generator::NATIVE, mutant).is_ok()
            })
            .collect();
        accepted += mutants.len();
        check_all(
            &problem,
            &mutants,
            10,
            |batch| build(native, &problem, batch),
            right,
        )?;
    }
    // A test that rejects everything would show nothing.
    if accepted < MUTATIONS / 20 {
        return Err(format!("only {accepted} of {MUTATIONS} mutations are legal").into());
    }
    Ok(())
}

/// Checks a comparator that is promised to be an order and is none for few values such as 321.
/// Kernels that reduce in pieces are wrong; a kernel whose lanes have whole rows is correct.
fn broken_promise(native: &Native) -> Result<(), Failed> {
    let problem: Problem = BROKEN.parse()?;
    assert_eq!(problem.to_string(), BROKEN);
    let without: Problem = BROKEN.replace(":assume_order", "").parse()?;
    assert!(without.reduction.is_serial() && !problem.reduction.is_serial());
    let in_pieces = |configuration: &Configuration| {
        let lowering = &configuration.lowering;
        lowering.lane_basis.count_along(1) > 1
    };
    let mut configurations = sample(&problem, Generator::NATIVE, 12, 1);
    configurations.retain(in_pieces);
    assert!(configurations.len() >= 4);
    check_all(
        &problem,
        &configurations,
        4,
        |batch| build(native, &problem, batch),
        |outcome| match outcome {
            BenchOutcome::Wrong(_) => Ok(()),
            other => Err(format!("{other:?}")),
        },
    )
}

/// The comparator (a > b) xor (a * a & 65535 == 37505).
const BROKEN: &str = "arg_compare{2=arith.muli(0,0);3=arith.constant(i32,ffff);4=arith.andi(2,3);5=arith.constant(i32,9281);\
                      6=arith.cmpi(eq,4,5);7=arith.cmpi(sgt,0,1);arith.xori(6,7)}:40x[2000]xi32:i32:initial:assume_order";

/// Checks that kernels without their waits are wrong, although they compute the same in the
/// emulator.
fn without_waits(native: &Native) -> Result<(), Failed> {
    // SOPP of gfx9: the upper half of `s_waitcnt`, and `s_nop 0`.
    const WAIT: [u8; 2] = [0x8c, 0xbf];
    const NOP: [u8; 4] = [0, 0, 0x80, 0xbf];
    let problem: Problem = "argmax:17x[4099]xf16".parse()?;
    let configurations = sample(&problem, Generator::NATIVE, 3, 4);
    let strip = |mut kernel: CompiledKernel| {
        let mut code = kernel.code_object.to_vec();
        for word in code.chunks_exact_mut(4).filter(|word| word[2..] == WAIT) {
            word.copy_from_slice(&NOP);
        }
        kernel.code_object = code.into();
        kernel
    };
    let build = |batch: &[Configuration]| {
        let kernels = build(native, &problem, batch).into_iter();
        kernels.map(|kernel| kernel.map(strip)).collect()
    };
    check_all(
        &problem,
        &configurations,
        3,
        build,
        |outcome| match outcome {
            BenchOutcome::Failed(error) if error.to_string().contains("missing-wait") => Ok(()),
            other => Err(format!("{other:?}")),
        },
    )
}

/// Checks the error of timed kernels: 0 if only one result is correct, and more in sums of
/// floats.
fn errors(native: &Native) -> Result<(), Failed> {
    for (text, is_exact) in [
        ("sum:4x[3000]xf32", false),
        ("product:3x[700]xf64", false),
        ("sum:4x[3000]xi32", true),
        ("max:4x[3000]xf32", true),
        ("argmax:4x[3000]xf32", true),
    ] {
        let problem: Problem = text.parse()?;
        let configurations = sample(&problem, Generator::NATIVE, 4, 5);
        let inputs = Inputs::new(&problem, 1)?;
        let mut device = EmulatedDevice::named("emulated:mi300x")?;
        let mut bench = Bench::new(&mut device, &inputs)?;
        let mut farthest = 0f64;
        for kernel in build(native, &problem, &configurations) {
            let kernel = kernel?;
            let verdict = bench.verify(&kernel)?;
            let outcome = bench.evaluate(&kernel)?;
            let (Verdict::Right(found), BenchOutcome::Right(_, told)) = (&verdict, &outcome) else {
                return Err(format!("{text}: {verdict}, {outcome:?}").into());
            };
            assert_eq!(found, told, "{text}");
            farthest = farthest.max(*told);
        }
        assert_eq!(farthest == 0.0, is_exact, "{text}: {farthest}");
        assert!(farthest <= 1.0, "{text}: {farthest}");
    }
    Ok(())
}

/// Checks that the time of kernels with shared rows includes the last workgroups, for any
/// previous workspace. The time must be the same if the device learns the counters from the whole
/// launch. Timing must not change memory.
fn split_kernels(native: &Native) -> Result<(), Failed> {
    let mut kernels = specimens(64);
    kernels.retain(|(problem, configuration)| {
        configuration.knobs.split > 1 && problem.shape.elements() < 1 << 18
    });
    let waits = |(problem, _): &&(Problem, _)| problem.reduction.uses_rows_again();
    if kernels.len() < 4 || kernels.iter().filter(waits).count() == 0 {
        return Err("too few specimens are split".into());
    }
    let built = native.compile_batch(target(), &kernels);
    for ((problem, _), kernel) in kernels.iter().zip(built) {
        let kernel = kernel?;
        let mut device = EmulatedDevice::named("emulated:mi300x")?;
        let mut buffers = Vec::new();
        for &bytes in &kernel.buffers {
            let buffer = device.allocate(bytes)?;
            device.poison(buffer, 0..bytes)?;
            buffers.push(buffer);
        }
        let launch = launch(&kernel, &buffers, None);
        let input = buffers[kernel.input.buffer];
        let elements = vec![0; problem.input_bytes() as usize];
        device.write(input, 0, &elements)?;
        let time = |device: &mut EmulatedDevice, launch| {
            let timed = device.time(&[launch]);
            timed.map_err(|error| format!("{problem}: {error}"))
        };
        let told = time(&mut device, launch)?.median_us();
        let workspace = kernel.workspace.ok_or("no workspace")?;
        let bytes = kernel.buffers[workspace.buffer] as usize;
        // The workspace is as before a launch.
        device.write(buffers[workspace.buffer], 0, &vec![0; bytes])?;
        let first = kernel.results[0].buffer;
        let result = 0..kernel.buffers[first];
        let poison = device.read(buffers[first], result.clone())?.into_owned();
        let untold = CompiledKernel {
            workspace: None,
            ..kernel.clone()
        };
        let kernel = &untold;
        let learned = time(&mut device, DeviceLaunch { kernel, ..launch })?.median_us();
        if told != learned {
            return Err(format!("{problem}: {told} µs, and {learned} of the whole launch").into());
        }
        if *device.read(buffers[first], result)? != poison {
            return Err(format!("{problem}: timing has changed a result").into());
        }
    }
    Ok(())
}
