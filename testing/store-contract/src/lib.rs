//! The promises of every store, as tests that run on each of them.
//!
//! A store's own tests pass in [`Database`]s and run the result of [`tests`], beside the tests of
//! that store alone. A promise of an interface is a function in the file of its subject and a line
//! in the table here. [`samples`] build the studies and trials of all tests.
//!
//! This package knows no driver and no dialect.

mod changes;
mod deletion;
mod directors;
mod errors;
mod ledger;
mod locks;
mod merging;
mod models;
mod pruning;
mod runs;
pub mod samples;
mod sharing;
mod studies;
mod study_list;
mod submissions;
mod tokens;
mod trial_list;
mod wishes;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use store::Store;
use testing::{Failed, Trial};

/// A new temporary database of one store.
#[async_trait]
pub trait Database: Send + Sync {
    /// Opens it as another process does: with connections and memory of its own.
    async fn open(&self) -> Arc<dyn Store>;

    /// Opens it with this time after which an owner is silent.
    async fn open_patient(&self, patience: Duration) -> Arc<dyn Store>;

    /// Changes rows as no interface of ours does, such as into those of a newer build.
    async fn spoil(&self, sql: &'static str);

    /// Counts the rows of a table.
    async fn count(&self, table: &'static str) -> i64;

    /// Blocks all other writers until the result is released.
    async fn hold(&self) -> Box<dyn Held>;
}

/// A database with all other writers blocked.
#[async_trait]
pub trait Held: Send {
    /// Lets others write.
    async fn release(self: Box<Self>);
}

type Promise = for<'a> fn(&'a dyn Database) -> Pin<Box<dyn Future<Output = ()> + 'a>>;

macro_rules! promises {
    ($($module:ident: $($name:ident)+;)+) => {
        const PROMISES: &[(&str, Promise)] = &[
            $($((
                concat!(stringify!($module), "::", stringify!($name)),
                |database| Box::pin($module::$name(database)),
            ),)+)+
        ];
    };
}

promises! {
    studies:
        a_study_is_resumed_where_it_stood
        every_part_of_the_key_counts
        incomplete_trials_are_not_stored
        long_problems_are_studied_and_wished_for
        studies_of_problems_like_one_are_found;
    ledger:
        trials_come_back_as_they_went_in
        trials_are_found_by_their_configuration
        the_first_trial_of_an_ordinal_stays
        new_runs_are_reported_at_least_once
        finals_are_found_by_trials_and_ties
        trials_are_recorded_together
        together_means_all_or_none
        ended_studies_are_reported
        many_write_at_once
        two_write_the_same;
    errors:
        an_error_comes_back_as_it_was_written
        an_error_is_written_by_whoever_writes
        invalid_errors_are_not_stored;
    sharing:
        claims_are_exclusive
        finished_batches_are_not_claimed
        silent_processes_lose_their_claims;
    changes:
        new_rows_are_reported_once
        deletions_are_reported;
    wishes:
        each_question_is_counted
        wishes_are_written_together
        the_oldest_goes_first
        a_name_that_is_none_is_not_noted
        a_wish_of_another_time;
    study_list:
        studies_are_listed_by_what_they_are_of
        a_study_tells_how_far_it_is;
    trial_list:
        trials_are_listed_in_three_orders
        trials_of_all_studies_are_listed
        trials_are_plotted
        unreadable_trials_are_reported_and_the_rest_listed;
    deletion:
        a_deleted_study_is_gone_with_all_that_was_its_own
        abandoned_trials_are_deleted
        a_study_is_opened_while_others_are_deleted;
    merging:
        a_portion_is_taken_in_once
        the_trial_that_ended_first_stays
        unpruned_studies_stay_unpruned
        portions_come_in_any_order
        imports_do_not_disturb_running_studies
        a_dry_run_changes_nothing
        impossible_rows_are_not_imported;
    pruning:
        samples_of_undecisive_trials_are_pruned
        running_studies_keep_their_samples;
    runs:
        a_run_goes_from_state_to_state
        a_state_of_a_newer_wavetune_is_left_out
        a_request_that_is_repeated_is_known;
    directors:
        one_directs_a_run
        a_silent_director_is_replaced
        a_replaced_director_changes_nothing
        progress_stays_until_a_run_begins_again
        several_reports_are_one_question
        of_all_who_want_a_run_one_gets_it;
    submissions:
        a_run_has_a_number_that_no_study_gets
        all_runs_are_submitted_or_none
        a_run_moves_to_the_study_that_is_there
        a_run_settles_as_its_own_study
        a_run_without_a_study_is_deleted
        submitters_take_turns;
    tokens:
        a_token_is_known_by_its_hash
        a_token_is_taken_back_once
        a_token_lives_for_a_hundred_years_at_most
        a_hash_is_kept_once
        a_scope_of_a_newer_wavetune_lets_nobody_in;
    models:
        a_model_has_its_result_after_a_restart
        a_model_is_queued_once
        one_worker_has_a_model
        models_are_listed_the_last_first;
    locks:
        a_lock_is_waited_for_and_then_named
        memory_is_bounded
        a_write_that_is_given_up;
}

/// Returns a test of each promise, on a database of its own.
pub fn tests<D: Database + 'static>(
    make: impl Fn() -> Result<D, Failed> + Clone + Send + 'static,
) -> Vec<Trial> {
    let test = |&(name, promise): &(&str, Promise)| {
        let make = make.clone();
        Trial::test(name, move || {
            let database = make()?;
            block_on(promise(&database));
            Ok(())
        })
    };
    PROMISES.iter().map(test).collect()
}

/// Runs an asynchronous test.
pub fn block_on<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(test)
}
