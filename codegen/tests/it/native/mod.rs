//! The native generator with the real LLVM: legal configurations compile and have correct results
//! in the emulator.

mod computed;
mod distribution;
mod edges;
mod fences;
mod fold;
use testing_problems as functions;
mod hip;
mod inputs;
mod large;
mod layout;
mod links;
mod long;
mod loops;
mod maps;
mod plain;
mod rowwise;
mod run;
mod seen;
mod serial;
mod speed;
mod texts;
mod tiling;
mod tools;
mod triples;

use std::sync::Arc;

use codegen::cache::Cache;
use codegen::native::{CodegenError, Native, specimens};
use configgen::{Configuration, Generator, Problem, Space, TARGETS, Target};
use testing::{Failed, Trial};

/// A test that needs libLLVM and ld.lld, and clang if its name begins with `hip`.
type Test = fn(&Native) -> Result<(), Failed>;

/// A test with its parameters.
type Case = Box<dyn Fn(&Native) -> Result<(), Failed> + Send>;

const TESTS: [(&str, Test); 49] = [
    (
        "edges_are_what_the_document_says",
        edges::edges_are_what_the_document_says,
    ),
    ("stages_are_linked", links::stages_are_linked),
    (
        "the_map_of_worked_examples_is_what_is_loaded",
        layout::worked_examples,
    ),
    (
        "the_map_of_random_triples_is_what_is_loaded",
        layout::random_triples,
    ),
    ("lanes_that_are_far_apart", large::lanes_that_are_far_apart),
    (
        "every_distribution_is_right",
        distribution::every_distribution_is_right,
    ),
    (
        "random_triples_are_right",
        triples::random_triples_are_right,
    ),
    (
        "lanes_waves_and_blocks_sum",
        plain::lanes_waves_and_blocks_sum,
    ),
    (
        "random_plain_reductions_are_right",
        plain::random_plain_reductions_are_right,
    ),
    (
        "products_with_a_vector_by_four_rows",
        computed::products_with_a_vector_by_four_rows,
    ),
    ("views_before_sums", computed::views_before_sums),
    ("worked_maps", maps::worked_maps),
    ("random_maps_are_right", maps::random_maps_are_right),
    (
        "zeros_outside_have_no_sign",
        computed::zeros_outside_have_no_sign,
    ),
    (
        "values_of_two_words_that_are_the_same",
        computed::values_of_two_words_that_are_the_same,
    ),
    (
        "random_computed_reductions_are_right",
        computed::random_computed_reductions_are_right,
    ),
    (
        "unordered_comparators_are_right",
        serial::unordered_comparators_are_right,
    ),
    (
        "mutated_texts_are_refused_or_right",
        texts::mutated_texts_are_refused_or_right,
    ),
    ("grids_of_two_dimensions", large::grids_of_two_dimensions),
    ("elements_beyond_32_bits", large::elements_beyond_32_bits),
    ("results_beyond_32_bits", large::results_beyond_32_bits),
    ("positions_beyond_31_bits", long::positions_beyond_31_bits),
    (
        "hip_positions_beyond_31_bits",
        long::hip_positions_beyond_31_bits,
    ),
    (
        "sampled_configurations_are_right",
        sampled_configurations_are_right,
    ),
    (
        "sampled_configurations_of_all_targets_are_right",
        sampled_configurations_of_all_targets_are_right,
    ),
    ("some_specimens_are_right", some_specimens_are_right),
    (
        "workgroups_write_the_rows_of_their_box",
        tiling::workgroups_write_the_rows_of_their_box,
    ),
    (
        "handed_over_values_are_fenced",
        fences::handed_over_values_are_fenced,
    ),
    (
        "awaited_values_are_fenced",
        fences::awaited_values_are_fenced,
    ),
    ("the_inner_loop_is_tight", loops::the_inner_loop_is_tight),
    ("inner_loops_are_cheap", loops::inner_loops_are_cheap),
    (
        "hip_some_specimens_are_right",
        hip::some_specimens_are_right,
    ),
    (
        "hip_some_triples_are_right",
        triples::some_hip_triples_are_right,
    ),
    (
        "hip_some_plain_reductions_are_right",
        plain::some_hip_plain_reductions_are_right,
    ),
    (
        "norms_and_softmax_of_768",
        rowwise::norms_and_softmax_of_768,
    ),
    (
        "rows_that_workgroups_share",
        rowwise::rows_that_workgroups_share,
    ),
    (
        "random_row_operations_are_right",
        rowwise::random_row_operations_are_right,
    ),
    (
        "hip_some_row_operations_are_right",
        rowwise::some_hip_row_operations_are_right,
    ),
    (
        "hip_some_computed_reductions_are_right",
        computed::some_hip_computed_reductions_are_right,
    ),
    ("hip_some_maps_are_right", maps::some_hip_maps_are_right),
    (
        "hip_of_what_is_no_order_is_right",
        serial::hip_of_what_is_no_order_is_right,
    ),
    (
        "hip_triples_that_were_wrong",
        triples::hip_triples_that_were_wrong,
    ),
    (
        "triples_that_crashed_llvm",
        triples::triples_that_crashed_llvm,
    ),
    ("hip_the_inner_loop_is_tight", hip::the_inner_loop_is_tight),
    ("hip_kernels_call_nothing", hip::kernels_call_nothing),
    (
        "a_bad_kernel_does_not_spoil_the_batch",
        a_bad_kernel_does_not_spoil_the_batch,
    ),
    (
        "threads_compile_side_by_side",
        tools::threads_compile_side_by_side,
    ),
    (
        "the_cache_gives_what_was_compiled",
        tools::the_cache_gives_what_was_compiled,
    ),
    (
        "refusals_of_llvm_are_errors",
        tools::refusals_of_llvm_are_errors,
    ),
];

/// Tests that take minutes.
const FULL: [(&str, Test); 17] = [
    (
        "many_random_row_operations_are_right",
        rowwise::many_random_row_operations_are_right,
    ),
    (
        "many_random_computed_reductions_are_right",
        computed::many_random_computed_reductions_are_right,
    ),
    (
        "many_random_maps_are_right",
        maps::many_random_maps_are_right,
    ),
    ("all_specimens_are_right", all_specimens_are_right),
    (
        "many_random_triples_are_right",
        triples::many_random_triples_are_right,
    ),
    (
        "many_random_plain_reductions_are_right",
        plain::many_random_plain_reductions_are_right,
    ),
    (
        "every_attribute_is_right",
        triples::every_attribute_is_right,
    ),
    (
        "much_that_is_no_order_is_right",
        serial::much_that_is_no_order_is_right,
    ),
    ("rows_beyond_32_bits", large::rows_beyond_32_bits),
    (
        "many_distributions_are_right",
        distribution::many_distributions_are_right,
    ),
    ("rows_that_are_far_apart", large::rows_that_are_far_apart),
    ("hip_every_specimen_is_right", hip::every_specimen_is_right),
    (
        "hip_many_triples_are_right",
        triples::many_hip_triples_are_right,
    ),
    (
        "hip_of_much_that_is_no_order_is_right",
        serial::hip_of_much_that_is_no_order_is_right,
    ),
    (
        "many_mutated_texts_are_refused_or_right",
        texts::many_mutated_texts_are_refused_or_right,
    ),
    (
        "random_kernels_compile_quickly",
        speed::random_kernels_compile_quickly,
    ),
    (
        "hip_every_distribution_is_right",
        distribution::every_hip_distribution_is_right,
    ),
];

/// Problems with rows from one element to more than any step, primes among them, and from one row
/// to more than any tile.
const PROBLEMS: [&str; 22] = [
    "argmax:[1]xf32",
    "argmin:[2]xf16",
    "argmax:[3]xbf16",
    "argmin:300x[1]xi32",
    "argmax:7x[3]xf16",
    "argmax:17x[63]xf32",
    "argmin:64x[64]xbf16",
    "argmax:33x[65]xi32",
    "argmax:5x[127]xf16",
    "argmin:300x[100]xf32",
    "argmax:128x[257]xbf16",
    "argmin:2x[1000]xi32",
    "argmax:[1024]xf16",
    "argmax:3x[4099]xf16",
    "argmin:40x[2048]xf32",
    "argmax:[50257]xf16",
    "argmin:2x[50257]xf32",
    "argmax:4x[32000]xbf16",
    "argmax:64x[640]xf32",
    "argmin:100x[31]xf16",
    "argmax:9x[17]xi32",
    "argmax:[151936]xbf16",
];

/// Returns the trials. Without the tools they are ignored, with the reason as their kind; in CI
/// they fail.
pub(crate) fn trials() -> Vec<Trial> {
    let native = Native::load(Cache::of_environment()).map(Arc::new);
    let no_clang = match testing::llvm("clang") {
        Some(_) => None,
        None => Some("clang of LLVM 22 not found"),
    };
    let trial = |name: &str, test: Case| {
        let no_clang = no_clang.filter(|_| name.starts_with("hip"));
        let reason = match (&native, no_clang) {
            (Ok(native), None) => {
                let native = Arc::clone(native);
                return Trial::test(name, move || test(&native));
            }
            (Err(missing), _) => missing.to_string(),
            (_, Some(reason)) => reason.to_owned(),
        };
        let failed = reason.clone();
        Trial::test(name, move || Err(failed.into()))
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none())
    };
    let mut trials: Vec<Trial> = TESTS
        .iter()
        .map(|(name, test)| trial(name, Box::new(test)))
        .collect();
    let mut full: Vec<Trial> = (FULL.iter())
        .map(|(name, test)| trial(name, Box::new(test)))
        .collect();
    // A target each: all of them take half an hour.
    full.extend(TARGETS.iter().map(|target| {
        let name = format!("many_sampled_configurations_are_right_on_{target}");
        trial(
            &name,
            Box::new(|native| many_sampled_configurations_are_right(native, target)),
        )
    }));
    let full = full.into_iter();
    trials.extend(full.map(|trial| trial.with_kind("full: minutes").with_ignored_flag(true)));
    trials
}

pub(crate) fn target() -> &'static Target {
    Target::named("gfx942").expect("gfx942 is a target")
}

fn ensure(condition: bool, message: impl FnOnce() -> String) -> Result<(), Failed> {
    match condition {
        true => Ok(()),
        false => Err(message().into()),
    }
}

fn sampled_configurations_are_right(native: &Native) -> Result<(), Failed> {
    for problem in PROBLEMS {
        check_sample(native, target(), problem, 3, 1)?;
    }
    Ok(())
}

/// Checks one configuration of every third problem on each target, and so each problem on several.
/// On targets with two subgroup sizes, some have one and some the other.
fn sampled_configurations_of_all_targets_are_right(native: &Native) -> Result<(), Failed> {
    for (seed, target) in (3..).zip(&TARGETS) {
        for problem in PROBLEMS.into_iter().skip(seed as usize % 3).step_by(3) {
            check_sample(native, target, problem, 1, seed)?;
        }
    }
    Ok(())
}

fn many_sampled_configurations_are_right(native: &Native, target: &Target) -> Result<(), Failed> {
    for problem in PROBLEMS {
        check_sample(native, target, problem, 60, 2)?;
    }
    Ok(())
}

fn check_sample(
    native: &Native,
    target: &Target,
    problem: &str,
    count: u64,
    seed: u64,
) -> Result<(), Failed> {
    let problem: Problem = problem.parse()?;
    let space = Space::new(&problem, target, Generator::NATIVE);
    let sample = space.sample(count, seed);
    ensure(!sample.is_empty(), || {
        format!("{problem} has no configuration")
    })?;
    let kernels: Vec<(Problem, Configuration)> = sample
        .into_iter()
        .map(|configuration| (problem.clone(), configuration))
        .collect();
    check_kernels(native, target, &kernels, seed)
}

fn check_kernels(
    native: &Native,
    target: &Target,
    kernels: &[(Problem, Configuration)],
    seed: u64,
) -> Result<(), Failed> {
    let mut failures = Vec::new();
    let results = native.compile_batch(target, kernels);
    for (result, (problem, configuration)) in results.into_iter().zip(kernels) {
        let outcome = match result {
            Ok(kernel) => run::check(problem, &kernel, seed),
            Err(error) => Err(error.into()),
        };
        if let Err(failed) = outcome {
            let configuration = serde_json::to_string(configuration)?;
            let message = failed.message().unwrap_or("failed").to_owned();
            failures.push(format!("{target} {problem} {configuration}: {message}"));
        }
    }
    ensure(failures.is_empty(), || {
        let total = kernels.len();
        format!(
            "{} of {total} are wrong:\n{}",
            failures.len(),
            failures.join("\n")
        )
    })
}

/// Checks each specimen that the emulator can run, on one or two targets. The emulator holds no
/// 16 GiB and takes too long for 10^8 workgroups.
fn some_specimens_are_right(native: &Native) -> Result<(), Failed> {
    for (number, target) in TARGETS.iter().enumerate() {
        check_specimens(native, target, |place| place % 8 == number % 8)?;
    }
    Ok(())
}

fn all_specimens_are_right(native: &Native) -> Result<(), Failed> {
    for target in &TARGETS {
        check_specimens(native, target, |_| true)?;
    }
    Ok(())
}

/// Checks the specimens at these places.
fn check_specimens(
    native: &Native,
    target: &Target,
    is_taken: impl Fn(usize) -> bool,
) -> Result<(), Failed> {
    for &size in target.subgroup_sizes {
        let mut kernels = specimens(size);
        kernels.retain(|(problem, _)| problem.shape.elements() < 1 << 24);
        let kernels = kernels.into_iter().enumerate();
        let kernels = kernels.filter(|(place, _)| is_taken(*place));
        let kernels: Vec<_> = kernels.map(|(_, kernel)| kernel).collect();
        check_kernels(native, target, &kernels, 3)?;
    }
    Ok(())
}

fn a_bad_kernel_does_not_spoil_the_batch(native: &Native) -> Result<(), Failed> {
    let mut kernels = specimens(64)[..3].to_vec();
    kernels[1].1.lowering.partial_reduction[1] = 3;
    // The same kernel twice shares a symbol.
    kernels.push(kernels[0].clone());
    let results = native.compile_batch(target(), &kernels);
    let rejected =
        matches!(&results[1], Err(CodegenError::Rejected(rejection)) if rejection.rule == "N7");
    ensure(rejected, || format!("{:?}", results[1].as_ref().err()))?;
    for (number, result) in results
        .into_iter()
        .enumerate()
        .filter(|(number, _)| *number != 1)
    {
        run::check(&kernels[number].0, &result?, 4)?;
    }
    Ok(())
}
