//! All addresses, from a database in a file and from one on a server.
//!
//! With PostgreSQL each test has a database of its own. Tests that build kernels need libLLVM and
//! lld.

use testing_agent as agent;

use crate::http::place;
use crate::http::service;
use testing_sqlite as support;

mod answers;
mod archive;
mod batch;
mod builds;
mod check;
mod columns;
mod devices;
mod ending;
mod explanations;
mod exports;
mod imports;
mod kernels;
mod lists;
mod models;
mod records;
mod regressions;
mod report;
mod requeue;
mod stages;
mod status;
mod studies;
mod ties;
mod trials;
mod tuned;
mod unreadable;

use std::pin::Pin;

use codegen::cache::Cache;
use codegen::native::Native;
use place::Place;
use testing::{Failed, Trial};

/// A question that has an answer in a database with `support::key`'s study.
const ASK: &str = "/api/v1/configurations?problem=argmax:4x[32000]xf32&target=gfx942";

type Test = fn(Place) -> Pin<Box<dyn Future<Output = ()>>>;

/// A module, and its tests by name.
type Module = (&'static str, &'static [(&'static str, Test)]);

macro_rules! tests {
    ($($module:ident: $($name:ident)+;)+) => {
        const MODULES: &[Module] = &[$((
            stringify!($module),
            &[$((stringify!($name), |place| Box::pin($module::$name(place))),)+],
        ),)+];
    };
}

tests! {
    answers:
        an_answer_is_the_bytes_of_lookup
        an_answer_has_a_tag
        errors_say_where
        the_best_keeps_clocks_apart;
    archive:
        an_export_is_what_is_built_and_has_a_tag;
    batch:
        each_question_is_answered_as_alone
        misses_are_noted_where_that_is_asked
        invalid_batches_are_refused;
    builds:
        leases_bring_built_kernels
        invalid_builds_are_refused;
    check:
        a_problem_is_told_what_it_is
        untunable_problems_have_a_reason
        a_comparator_may_stand_beside_it
        invalid_problems_are_refused_with_a_position;
    columns:
        columns_are_those_of_the_trials
        columns_are_compressed_for_who_accepts_that
        invalid_columns_are_refused;
    devices:
        agents_tell_how_their_devices_are;
    ending:
        waiting_requests_end_at_shutdown;
    explanations:
        a_configuration_is_explained
        invalid_questions_are_refused
        without_tools_a_kernel_is_not_explained;
    exports:
        the_spec_is_what_the_command_line_writes_and_has_a_tag
        split_kernels_are_served_beside_the_spec
        where_there_is_no_spec_it_is_said_why;
    imports:
        databases_are_imported_once
        running_studies_accept_no_import
        invalid_portions_are_refused;
    kernels:
        invalid_exports_are_refused
        more_than_is_built_at_once_is_refused
        without_tools_it_is_said_what_to_install;
    lists:
        wishes_are_listed_and_dismissed
        invalid_cursors_are_refused
        devices_are_those_that_the_service_was_told
        problems_are_listed_by_what_they_are_and_where_they_were_tried;
    models:
        a_model_is_submitted_listed_and_deleted
        a_comparison_is_the_stored_text
        progress_is_told_until_the_end
        what_is_no_model_is_refused
        a_service_without_tools_says_what_is_missing
        a_model_that_ends_its_services_fails;
    records:
        studies_of_the_database_are_listed
        invalid_records_are_refused
        unreadable_studies_are_reported;
    regressions:
        regressions_are_listed;
    report:
        a_study_that_is_done_has_a_report;
    requeue:
        abandoned_trials_are_listed_and_requeued
        running_studies_are_neither_deleted_nor_requeued;
    stages:
        a_kernel_is_explained;
    status:
        a_service_is_told_in_a_few_numbers
        one_that_only_answers_cannot_tune;
    studies:
        a_study_is_asked_for_carried_out_and_looked_up
        a_returning_reader_receives_missed_events
        a_study_is_let_wait_go_on_and_end
        studies_are_listed_in_pages
        a_request_with_a_key_may_be_sent_again
        impossible_studies_are_refused_with_a_reason
        a_study_waits_for_an_agent
        invalid_leases_are_refused
        a_service_that_only_answers_says_so;
    ties:
        any_index_has_to_be_asked_for
        candidates_say_why_they_are_behind;
    trials:
        trials_are_listed_in_pages_by_what_they_are
        trials_of_all_studies_are_listed
        a_stream_has_a_line_for_each_trial
        a_client_that_goes_away_ends_its_stream
        a_trial_is_found_by_its_place
        invalid_trial_lists_are_refused;
    tuned:
        tuned_problems_are_listed
        a_row_says_what_the_best_says
        tuned_problems_have_a_summary
        invalid_filters_of_tuned_problems_are_refused;
    unreadable:
        the_rest_is_answered;
}

/// The modules with tests that build kernels.
const BUILDING: [&str; 2] = ["archive", "stages"];

/// Returns the missing requirement of a test of this module.
fn missing(module: &str, is_on_a_server: bool) -> Option<String> {
    if is_on_a_server && testing_postgres::programs().is_none() {
        return Some("PostgreSQL is not installed".to_owned());
    }
    // Loading libLLVM takes longer than most tests.
    let builds = BUILDING.contains(&module) && testing::may_run(&format!("endpoints::{module}::"));
    let native = builds.then(|| Native::load(Cache::of_environment()));
    native?.err().map(|error| error.to_string())
}

/// Ignores a test if something is missing. In CI it fails.
fn trial(
    name: String,
    missing: Option<String>,
    test: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    let trial = Trial::test(name, test);
    match missing {
        None => trial,
        Some(reason) => trial
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    }
}

fn run(test: Test, place: Place) {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().expect("a runtime");
    runtime.block_on(test(place));
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut tests = Vec::new();
    for &(module, named) in MODULES {
        for (place, suffix) in [(Place::File, ""), (Place::Server, "::on_postgres")] {
            let lacks = missing(module, matches!(place, Place::Server));
            tests.extend(named.iter().map(|&(name, test)| {
                let name = format!("{module}::{name}{suffix}");
                trial(name, lacks.clone(), move || {
                    run(test, place);
                    Ok(())
                })
            }));
        }
    }
    tests
}
