//! The load that a service can handle, from a database of 100,000 best configurations and
//! 2,000,000 trials. The limits also hold on a slower machine. Needs wrk, libLLVM and lld, and
//! some minutes of an idle machine.
//!
//! A measurement needs the machine for itself: `cargo test --release -p wavetune --test it --
//! --ignored --nocapture --test-threads 1 load::`

mod charts;
mod crowds;
mod fill;
mod listen;
mod rates;
use crate::support::running;

use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use testing::{Failed, Trial};

use running::{Running, ask, wavetune};

pub(crate) fn trials() -> Vec<Trial> {
    let test = |name: &str, test: fn() -> Result<(), Failed>| {
        let test = Trial::test(name, test).with_kind("full: a measurement");
        test.with_ignored_flag(true)
    };
    vec![
        test("lookups_are_as_fast_as_anything", rates::lookups),
        test("charts_are_soon_told", charts::charts),
        test("two_thousand_listen", listen::many_listen),
        test("crowds_lock_nobody_out", crowds::crowds),
    ]
}

/// A service with its own database.
struct Bed {
    directory: TempDir,
    service: Running,
}

impl Bed {
    /// Starts a service with a database of this size. Prints the time until all of it was in
    /// memory.
    fn new(problems: u32, trials: u32) -> Result<Bed, Failed> {
        Bed::of(problems, |db| fill::fill(db, problems, trials))
    }

    /// Starts a service with a database from `make`.
    fn of(problems: u32, make: impl FnOnce(&Path) -> Result<(), Failed>) -> Result<Bed, Failed> {
        let directory = tempfile::tempdir()?;
        let db = directory.path().join("load.db");
        make(&db)?;
        let begun = Instant::now();
        let service = Running::service(wavetune(&db), "127.0.0.1:0")?;
        let bed = Bed { directory, service };
        let known = format!("wavetune_known_problems {problems}");
        while !bed.service.metrics()?.contains(&known) {
            if begun.elapsed() > Duration::from_secs(300) {
                return Err("the database is not read".into());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        println!("in memory after {:?}", begun.elapsed());
        Ok(bed)
    }
}
