//! Devices through HIP, on the emulating library: the whole loop with its processes, its locks,
//! and its faults.

mod bed;
mod devices;
mod faults;
use crate::support::needing;
mod planted;
mod samples;

use std::sync::Arc;

use codegen::cache::Cache;
use codegen::native::Native;
use testing::{Failed, Trial};

use needing::{Lack, needing};

type Test = fn() -> Result<(), Failed>;

/// Tests that build kernels.
const TESTS: [(&str, Test); 8] = [
    (
        "verdicts_are_the_emulators",
        devices::verdicts_are_the_emulators,
    ),
    ("a_device_is_one_study_s", devices::a_device_is_one_study_s),
    (
        "a_killed_study_leaves_nothing",
        devices::a_killed_study_leaves_nothing,
    ),
    ("faults_are_survived", faults::faults_are_survived),
    (
        "a_child_that_dies_idle_costs_nothing",
        faults::a_child_that_dies_idle_costs_nothing,
    ),
    (
        "a_child_takes_several_problems",
        faults::a_child_takes_several_problems,
    ),
    (
        "stores_near_a_buffer_are_found",
        faults::stores_near_a_buffer_are_found,
    ),
    (
        "samples_are_taken_as_the_protocol_says",
        samples::samples_are_taken_as_the_protocol_says,
    ),
];

/// Tests that build kernels and confine the device's process.
const CONFINED: [(&str, Test); 2] = [
    (
        "faults_are_survived_in_a_sandbox",
        faults::faults_are_survived_in_a_sandbox,
    ),
    (
        "a_device_s_process_is_confined",
        devices::a_device_s_process_is_confined,
    ),
];

/// Tests that build no kernels.
const WITHOUT_LLVM: [(&str, Test); 4] = [
    ("a_child_has_no_log", devices::a_child_has_no_log),
    (
        "doctor_tells_libraries_apart",
        devices::doctor_tells_libraries_apart,
    ),
    (
        "both_layouts_of_properties_are_read",
        devices::both_layouts_of_properties_are_read,
    ),
    (
        "a_device_that_is_not_there_is_one_line",
        devices::a_device_that_is_not_there_is_one_line,
    ),
];

/// Returns the tests. The studies of this process have their own folder of locks; one waits for
/// another's device.
///
/// Without libLLVM, or bubblewrap, some tests are ignored, with the reason as their kind; in CI
/// they fail.
pub(crate) fn trials() -> Vec<Trial> {
    let locks = Arc::new(tempfile::tempdir().expect("a folder for locks"));
    // SAFETY: there is no other thread yet.
    unsafe { std::env::set_var("XDG_RUNTIME_DIR", locks.path()) };
    let missing = Native::load(Cache::of_environment())
        .err()
        .map(Lack::of_tool);
    let refused = Lack::of_sandbox();
    let missing = missing.as_ref();
    let mut trials = Vec::from(TESTS.map(|test| needing(test, missing)));
    trials.extend(CONFINED.map(|test| needing(test, missing.or(refused.as_ref()))));
    trials.extend(WITHOUT_LLVM.map(|(name, test)| Trial::test(name, test)));
    let many = (
        "many_faults_are_survived",
        faults::many_faults_are_survived as Test,
    );
    let many = needing(many, missing).with_ignored_flag(true);
    trials.push(many.with_kind("full: 600 trials, 30 faults"));
    trials.push(debian());
    let keeping = |trial: Trial| trial.keeping(Arc::clone(&locks));
    trials.into_iter().map(keeping).collect()
}

/// Returns the test of AMD's library without a GPU, if Debian's package is installed.
fn debian() -> Trial {
    let name = "amd_s_library_without_a_gpu_is_one_line";
    match devices::amd_library() {
        Some(library) => Trial::test(name, move || devices::no_gpu_is_one_line(&library)),
        None => Trial::test(name, || Ok(()))
            .with_kind("libamdhip64-5 is not installed")
            .with_ignored_flag(true),
    }
}
