//! Tests of iree-compile's kernels, run in the emulator on every input. Needs iree-compile; the
//! comparison also libLLVM.

use crate::sampling;

use std::sync::LazyLock;

use bench_harness::{Bench, BenchOutcome, Inputs, Verdict};
use codegen::CompiledKernel;
use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{Configuration, Generator, Problem, native_default};
use iree::IreeCompiler;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use sampling::{check_all, device, mutate, outer_tiles, sample, target};
use testing::{Failed, Trial};

const PROBLEMS: [&str; 6] = [
    "argmax:4x[32000]xf32",
    "argmin:4x[4096]xf16",
    "argmax:[50304]xbf16",
    "argmax:96x[1000]xi32",
    "argmax:24x[21]x24xf32",
    "argmax:8x[21]x12x40xf16",
];

/// A test that needs iree-compile.
type Test = Box<dyn FnOnce(&IreeCompiler) -> Result<(), Failed> + Send>;

/// The number of configurations per problem in CI and with `--full`, which draws 200 in all.
const CI_EACH: u64 = 4;
const FULL_EACH: u64 = 40;
/// The number of mutations of legal configurations per problem.
const CI_MUTATIONS: usize = 16;
const FULL_MUTATIONS: usize = 100;
/// The number of configurations with a tile on an outer dimension.
const OUTER: usize = 4;

pub(crate) fn trials() -> Vec<Trial> {
    let compiler = IreeCompiler::find().map_err(|error| error.to_string());
    let in_ci = std::env::var_os("CI").is_some();
    let mut trials = with_compiler(Box::leak(Box::new(compiler)), in_ci);
    trials.push(Trial::test("without_iree_compile_nothing_runs", || {
        without_compiler()
    }));
    trials
}

/// Creates the tests that need iree-compile.
fn with_compiler(compiler: &'static Result<IreeCompiler, String>, in_ci: bool) -> Vec<Trial> {
    let trial = |name: String, is_full: bool, test: Test| match compiler {
        Ok(compiler) => Trial::test(name, move || test(compiler)).with_ignored_flag(is_full),
        // Ignored, with the reason as its kind; in CI it fails.
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(is_full || !in_ci),
    };
    let mut trials = vec![
        trial(
            "ties_of_its_own_kernel".to_owned(),
            false,
            Box::new(own_kernel),
        ),
        trial("rows_of_boxes".to_owned(), false, Box::new(boxes)),
        trial(
            "tiles_of_an_outer_dimension".to_owned(),
            false,
            Box::new(outer),
        ),
        trial("pieces_of_rows".to_owned(), false, Box::new(pieces)),
        trial(
            "the_time_of_pieces_is_that_of_both_launches".to_owned(),
            false,
            Box::new(time_of_pieces),
        ),
    ];
    for problem in PROBLEMS {
        let tests = [
            ("", CI_EACH, CI_MUTATIONS),
            ("full_", FULL_EACH, FULL_MUTATIONS),
        ];
        for (prefix, each, mutants) in tests {
            let is_full = !prefix.is_empty();
            let name = format!("{prefix}sampled_configurations_are_not_wrong {problem}");
            let test = move |compiler: &IreeCompiler| sampled(compiler, problem, each);
            trials.push(trial(name, is_full, Box::new(test)));
            let name = format!("{prefix}accepted_mutations_are_not_wrong {problem}");
            let test = move |compiler: &IreeCompiler| mutations(compiler, problem, mutants);
            trials.push(trial(name, is_full, Box::new(test)));
        }
    }
    trials
}

/// Checks that without the compiler all tests are ignored, and that in CI the quick ones fail.
fn without_compiler() -> Result<(), Failed> {
    static MISSING: LazyLock<Result<IreeCompiler, String>> =
        LazyLock::new(|| Err("missing".to_owned()));
    for (in_ci, ignored) in [(false, ["", "full_"].as_slice()), (true, &["full_"])] {
        for trial in with_compiler(&MISSING, in_ci) {
            let prefix = if trial.name().starts_with("full_") {
                "full_"
            } else {
                ""
            };
            if trial.has_ignored_flag() != ignored.contains(&prefix) || trial.kind() != "missing" {
                return Err(format!("in CI: {in_ci}: {}", trial.name()).into());
            }
        }
    }
    Ok(())
}

/// Checks the tie-breaks: IREE's own kernel returns the lowest lane, and ours the lowest index.
fn own_kernel(compiler: &IreeCompiler) -> Result<(), Failed> {
    let problem: Problem = "argmax:4x[32000]xf32".parse()?;
    let inputs = Inputs::new(&problem, 1)?;
    let kernel = compiler.compile(&problem, target(), None)?;
    let mut device = device();
    let mut bench = Bench::new(&mut device, &inputs)?;
    match bench.verify(&kernel)? {
        Verdict::TieIndexDiffers(_) => {}
        other => return Err(format!("IREE's kernel: {other}").into()),
    }
    let configuration = native_default(&problem, target())?;
    let mut native =
        Native::load(Cache::of_environment())?.compile_batch(target(), &[(problem, configuration)]);
    let kernel = native.pop().ok_or("no kernel")??;
    match bench.verify(&kernel)? {
        Verdict::Right(_) => Ok(()),
        other => Err(format!("our kernel: {other}").into()),
    }
}

fn build(
    compiler: &IreeCompiler,
    problem: &Problem,
    configurations: &[Configuration],
) -> Vec<Result<CompiledKernel, String>> {
    let compile = |configuration| compiler.compile(problem, target(), Some(configuration));
    configurations
        .iter()
        .map(|configuration| compile(configuration).map_err(|error| error.to_string()))
        .collect()
}

/// Checks tiles of several rows along each dimension. Only the workgroups that should compute the
/// checked rows run.
fn boxes(compiler: &IreeCompiler) -> Result<(), Failed> {
    let problem: Problem = "argmax:8x[21]x12x40xf16".parse()?;
    let mut configurations = sample(&problem, Generator::IREE, 40, 1);
    for configuration in &mut configurations {
        configuration.lowering.workgroup[0] = 2;
        configuration.lowering.workgroup[2] = 3;
    }
    configurations.retain(|configuration| {
        configgen::check(&problem, target(), Generator::IREE, configuration).is_ok()
    });
    configurations.truncate(4);
    if configurations.is_empty() {
        return Err("no configuration with such tiles is legal".into());
    }
    check_all(
        &problem,
        &configurations,
        1,
        |batch| build(compiler, &problem, batch),
        not_wrong,
    )
}

/// Checks tiles of a dimension that is not next to the row.
fn outer(compiler: &IreeCompiler) -> Result<(), Failed> {
    let problem: Problem = "argmax:6x10x[512]xf32".parse()?;
    let configurations = outer_tiles(&problem, Generator::IREE, OUTER);
    if configurations.len() != OUTER {
        return Err(format!("{} configurations", configurations.len()).into());
    }
    check_all(
        &problem,
        &configurations,
        1,
        |batch| build(compiler, &problem, batch),
        not_wrong,
    )
}

/// Checks split rows, of a problem with all rows checked and of one with only some workgroups
/// running.
fn pieces(compiler: &IreeCompiler) -> Result<(), Failed> {
    for problem in [
        "argmax:6x[6400]xf32:i64:index_base",
        "argmin:2000x[1024]xi16",
    ] {
        let problem: Problem = problem.parse()?;
        let mut configurations = sample(&problem, Generator::IREE, 200, 1);
        configurations.retain(|configuration| configuration.knobs.split > 1);
        configurations.truncate(4);
        if configurations.len() < 4 {
            return Err(format!("{problem}: few configurations split rows").into());
        }
        check_all(
            &problem,
            &configurations,
            1,
            |batch| build(compiler, &problem, batch),
            not_wrong,
        )?;
    }
    Ok(())
}

/// Checks a long row split into pieces of one block per lane. The index is the reference's, and
/// the time is below that of one wave. Without the merge, nothing is written.
fn time_of_pieces(compiler: &IreeCompiler) -> Result<(), Failed> {
    let problem: Problem = "argmax:1x[131072]xf32".parse()?;
    let inputs = Inputs::new(&problem, 1)?;
    let mut device = device();
    let mut bench = Bench::new(&mut device, &inputs)?;
    let mut time = |step: u32, thread: u32, split: u32| {
        let json = format!(
            r#"{{"workgroup": [1, 0], "partial_reduction": [0, {step}], "thread": [0, {thread}], "lane_basis": [[1, 64], [0, 1]],
            "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64, "workgroup_size": [64, 1, 1], "split": {split}}}"#
        );
        let configuration: Configuration = serde_json::from_str(&json)?;
        configgen::check(&problem, target(), Generator::IREE, &configuration)?;
        let kernel = compiler.compile(&problem, target(), Some(&configuration))?;
        Ok::<_, Failed>((bench.evaluate(&kernel)?, kernel))
    };
    let (whole, _) = time(4096, 4, 1)?;
    let (split, kernel) = time(1024, 16, 128)?;
    let BenchOutcome::Tie(whole, _) = whole else {
        return Err(format!("one wave: {whole:?}").into());
    };
    // The index must be the reference's. For these kernels, a zero of the other sign is correct.
    let (BenchOutcome::Right(split, _) | BenchOutcome::SignOfZero(split, _)) = split else {
        return Err(format!("pieces: {split:?}").into());
    };
    let (whole, split) = (whole.median_us(), split.median_us());
    println!("one wave {whole} us, pieces {split} us");
    // Each of the two launches takes at least 4.2 us.
    if split < 2.0 * 4.2 || split > whole {
        return Err(format!("{split} us, and {whole} us of one wave").into());
    }
    let alone = CompiledKernel {
        merge: None,
        ..kernel
    };
    match bench.evaluate(&alone)? {
        BenchOutcome::Failed(_) | BenchOutcome::Wrong(_) => Ok(()),
        other => Err(format!("without the merge: {other:?}").into()),
    }
}

fn not_wrong(outcome: &BenchOutcome) -> Result<(), String> {
    match outcome {
        BenchOutcome::Right(..) | BenchOutcome::SignOfZero(..) | BenchOutcome::Tie(..) => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn sampled(compiler: &IreeCompiler, problem: &str, count: u64) -> Result<(), Failed> {
    let problem: Problem = problem.parse()?;
    let configurations = sample(&problem, Generator::IREE, count, 1);
    check_all(
        &problem,
        &configurations,
        1,
        |batch| build(compiler, &problem, batch),
        not_wrong,
    )
}

fn mutations(compiler: &IreeCompiler, problem: &str, count: usize) -> Result<(), Failed> {
    let problem: Problem = problem.parse()?;
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let accepted: Vec<Configuration> = sample(&problem, Generator::IREE, count as u64, 2)
        .iter()
        .map(|configuration| mutate(configuration, &mut rng))
        .filter(|mutant| configgen::check(&problem, target(), Generator::IREE, mutant).is_ok())
        .collect();
    check_all(
        &problem,
        &accepted,
        1,
        |batch| build(compiler, &problem, batch),
        not_wrong,
    )
}
