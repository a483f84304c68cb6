//! One suite for both brokers, and the behaviour of JetStream while nats-server is away.

#![allow(missing_docs)]

mod bed;
mod contract;
mod outages;
mod state_file;
mod throughput;

use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitCode;
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};

use bed::{Bed, Shared};

type Running = Pin<Box<dyn Future<Output = ()> + Send>>;
type Contract = fn(Bed) -> Running;

/// Lists the tests of the contract: their patience and their names.
macro_rules! contract {
    ($($patience:ident: $($name:ident),*;)*) => {
        [$($((stringify!($name), bed::$patience, |bed| Box::pin(contract::$name(bed)))),*),*]
    };
}

const CONTRACT: [(&str, Duration, Contract); 17] = contract![
    LONG:
        work_comes_in_its_order,
        work_is_counted_until_it_is_done,
        urgent_work_comes_first,
        lines_come_as_they_are_asked_for,
        a_name_counts_once_for_a_while,
        a_waiting_taker_receives_published_work,
        departed_takers_get_nothing,
        returned_work_is_delivered_again,
        dropped_futures_lose_nothing,
        forty_takers_get_each_once,
        names_and_payloads_are_any,
        messages_reach_all_subscribers,
        receipts_of_others_are_refused;
    PATIENCE:
        silent_takers_lose_the_work,
        done_is_final,
        work_returned_for_ever_stays_away,
        heartbeats_keep_the_work;
];

type Outage = fn(PathBuf) -> Pin<Box<dyn Future<Output = Result<(), Failed>>>>;

/// Lists the tests of JetStream alone. Most kill their nats-server, and so have one of their own.
macro_rules! outages {
    ($($name:ident),* $(,)?) => {
        [$((stringify!($name), |program| Box::pin(outages::$name(program)))),*]
    };
}

const OUTAGES: [(&str, Outage); 13] = outages![
    a_restart_loses_nothing,
    waiting_takers_survive_a_restart,
    calls_say_that_nobody_answers,
    a_new_disk_is_used,
    receipts_of_lost_work_are_void,
    receipts_outlive_restarts,
    a_deleted_stream_is_made_anew,
    a_stream_that_counts_anew_is_delivered,
    consumers_of_others_give_way,
    refused_credentials_are_reported,
    refusals_of_nats_are_reported,
    published_work_is_delivered_at_once,
    words_are_heard_after_a_restart,
];

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for (name, patience, test) in CONTRACT {
        trials.push(Trial::test(format!("memory::{name}"), move || {
            run(async move {
                test(Bed::memory(patience)).await;
                Ok(())
            })
        }));
        trials.push(with_nats(format!("jetstream::{name}"), move |program| {
            run(async move {
                let nats = Shared::start(&program)?;
                test(Bed::jetstream(nats, patience).await?).await;
                Ok(())
            })
        }));
    }
    for (name, test) in OUTAGES {
        trials.push(with_nats(format!("outages::{name}"), move |program| {
            run(test(program))
        }));
    }
    let full = with_nats("throughput".to_owned(), |program| {
        run(throughput::of_a_fleet(program))
    });
    trials.push(
        full.with_ignored_flag(true)
            .with_kind("full: 20,000 payloads, 40 takers"),
    );
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn run(test: impl Future<Output = Result<(), Failed>>) -> Result<(), Failed> {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime
        .worker_threads(2)
        .enable_all()
        .build()?
        .block_on(test)
}

/// Ignores a test without nats-server, with the reason as its kind; in CI it fails.
fn with_nats(
    name: String,
    test: impl FnOnce(PathBuf) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    match testing_nats::program() {
        Some(program) => Trial::test(name, move || test(program)),
        None => {
            let reason = "nats-server is missing; `cargo xtask setup` installs it";
            Trial::test(name, move || Err(reason.into()))
                .with_kind(reason)
                .with_ignored_flag(std::env::var_os("CI").is_none())
        }
    }
}
