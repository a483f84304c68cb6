//! Fleets as processes: several services on one PostgreSQL and one NATS, and agents. Needs
//! libLLVM, lld, PostgreSQL and nats-server.

use crate::support::running;

mod clock;
mod copies;
mod disk;
mod embedded;
mod replaced;
mod replays;
mod survives;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use codegen::cache::Cache;
use codegen::native::Native;
use tempfile::TempDir;
use testing::{Failed, Trial};
use testing_nats::Nats;
use testing_postgres::Server;

use running::{Running, wavetune};

/// Returns the tests. Without their tools they are ignored, with the reason as their kind; in CI
/// they fail.
pub(crate) fn trials() -> Vec<Trial> {
    let missing = missing();
    let small = Trial::test("a_small_fleet_survives", || {
        survives::survives(survives::SMALL)
    });
    let copies = Trial::test(
        "messages_too_large_for_nats_are_refused",
        copies::messages_too_large_for_nats_are_refused,
    );
    let [small, copies] = [small, copies].map(|test| match &missing {
        None => test,
        Some(reason) => test
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    });
    let rounds = Trial::test("a_fleet_survives_twenty_rounds", || {
        survives::survives(survives::ROUNDS)
    });
    let rounds = rounds.with_kind("full: 20 rounds of kills, five of which lose NATS's data");
    let large = Trial::test("a_fleet_survives", || survives::survives(survives::LARGE));
    let large = large.with_kind("full: 20,000 trials");
    let replays = Trial::test("recorded_results_are_replayed", replays::replays);
    let replays = replays.with_kind("full: a measurement");
    let disk = Trial::test("a_disk_is_full_for_a_while", disk::is_full_for_a_while);
    let missing = missing.or_else(disk::missing);
    let disk = match &missing {
        None => disk,
        Some(reason) => disk.with_kind(reason).with_ignored_flag(true),
    };
    let replaced = Trial::test("another_file_is_followed", replaced::is_followed);
    let embedded = Trial::test(
        "a_service_is_killed_a_hundred_times",
        embedded::is_killed_often,
    );
    let embedded = embedded.with_kind("full: 100 kills");
    let clock = Trial::test("a_clock_jumps", clock::jumps).with_kind("full: libfaketime");
    vec![
        clock.with_ignored_flag(true),
        replaced,
        small,
        copies,
        disk,
        embedded.with_ignored_flag(true),
        rounds.with_ignored_flag(true),
        large.with_ignored_flag(true),
        replays.with_ignored_flag(true),
    ]
}

fn missing() -> Option<String> {
    if let Err(error) = Native::load(Cache::of_environment()) {
        return Some(error.to_string());
    }
    if testing_postgres::programs().is_none() {
        return Some("PostgreSQL is not installed".to_owned());
    }
    let nats = testing_nats::program();
    nats.is_none()
        .then(|| "nats-server is not installed".to_owned())
}

/// The parts that a fleet needs.
struct Bed {
    directory: TempDir,
    postgres: Server,
    nats: Nats,
    url: String,
}

impl Bed {
    fn new() -> Result<Bed, Failed> {
        let directory = tempfile::tempdir()?;
        std::fs::write(directory.path().join("secret"), [7; 32])?;
        let postgres = Server::start()?;
        let program = testing_nats::program().ok_or("nats-server is not installed")?;
        Ok(Bed {
            url: postgres.create_database()?,
            nats: Nats::start(&program, &["--jetstream"])?,
            directory,
            postgres,
        })
    }

    fn wavetune(&self) -> Command {
        running::wavetune(&self.url)
    }

    /// Starts an agent with this niceness, because many agents would have machines of their own.
    /// Does not wait for it: with many agents, the next kill comes before all have found the
    /// service.
    fn agent(&self, address: &str, nice: u8) -> Result<Running, Failed> {
        let mut command = Command::new("nice");
        command.args(["-n", &nice.to_string()]);
        command
            .arg(env!("CARGO_BIN_EXE_wavetune"))
            .stdin(Stdio::null());
        Running::start_unheard(running::lent(command, address))
    }

    /// Starts a replica. While PostgreSQL or NATS is away, retries until it stays.
    fn replica(&self, listen: &str) -> Result<Running, Failed> {
        let begun = Instant::now();
        loop {
            let mut command = self.wavetune();
            command.env("WAVETUNE_QUEUE", self.nats.address());
            command.env("WAVETUNE_SECRET_FILE", self.directory.path().join("secret"));
            match Running::service(command, listen) {
                Err(_) if begun.elapsed() < Duration::from_secs(60) => {}
                started => return started,
            }
        }
    }
}
