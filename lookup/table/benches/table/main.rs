//! The time of a lookup and of opening a table, against the reader in C++ and a prepared
//! statement of SQLite.
//!
//! A sample is a thousand lookups, so its microseconds are the nanoseconds of one. Each sample
//! has other random keys of the table, so that slots and keys come from memory, as they do for a
//! compiler. `warm` therefore means that the pages are present, but not the cache lines.

mod made;
mod others;

use std::cell::Cell;
use std::sync::OnceLock;

use divan::{Bencher, counter::ItemsCount};
use lookup_table::Table;

use crate::made::{Keys, Made};
use crate::others::{Cpp, Sqlite};

fn main() {
    divan::main();
}

const MILLION: usize = 1_000_000;
const BATCH: usize = 1_000;

fn million() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| Made::new(MILLION))
}

/// Passes the batches of `keys` to `found`, one after the other. The table has all of the keys,
/// or none.
fn batches(bencher: Bencher, keys: &Keys, are_there: bool, found: impl Fn(&Keys, usize) -> usize) {
    let next = Cell::new(0);
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        let batch = next.get();
        next.set((batch + BATCH) % (keys.len() / BATCH * BATCH));
        assert_eq!(found(keys, batch), if are_there { BATCH } else { 0 });
    });
}

fn with_rust(bencher: Bencher, keys: &Keys, are_there: bool) {
    let table = Table::open(million().path()).expect("a table");
    batches(bencher, keys, are_there, |keys, from| {
        let batch = from..from + BATCH;
        batch
            .filter(|&key| table.lookup(keys.get(key)).is_some())
            .count()
    });
}

fn with_cpp(bencher: Bencher, keys: &Keys, are_there: bool) {
    let Some(table) = Cpp::open(million().path()) else {
        return eprintln!("no g++ with xxhash.h here: C++ is not measured");
    };
    batches(bencher, keys, are_there, |keys, from| {
        table.found(keys, from..from + BATCH)
    });
}

fn with_sqlite(bencher: Bencher, keys: &Keys, are_there: bool) {
    static SQLITE: OnceLock<Sqlite> = OnceLock::new();
    let sqlite = SQLITE.get_or_init(|| Sqlite::new(million()));
    batches(bencher, keys, are_there, |keys, from| {
        sqlite.found(keys, from..from + BATCH)
    });
}

#[divan::bench(sample_count = 3000, sample_size = 1)]
fn hit_rust(bencher: Bencher) {
    with_rust(bencher, &million().keys, true);
}

#[divan::bench(sample_count = 3000, sample_size = 1)]
fn hit_cpp(bencher: Bencher) {
    with_cpp(bencher, &million().keys, true);
}

#[divan::bench(sample_count = 300, sample_size = 1)]
fn hit_sqlite(bencher: Bencher) {
    with_sqlite(bencher, &million().keys, true);
}

#[divan::bench(sample_count = 3000, sample_size = 1)]
fn miss_rust(bencher: Bencher) {
    with_rust(bencher, &million().others, false);
}

#[divan::bench(sample_count = 3000, sample_size = 1)]
fn miss_cpp(bencher: Bencher) {
    with_cpp(bencher, &million().others, false);
}

#[divan::bench(sample_count = 300, sample_size = 1)]
fn miss_sqlite(bencher: Bencher) {
    with_sqlite(bencher, &million().others, false);
}

/// Measures a hit that also reads the configuration.
#[divan::bench(sample_count = 3000, sample_size = 1)]
fn configuration_rust(bencher: Bencher) {
    let table = Table::open(million().path()).expect("a table");
    batches(bencher, &million().keys, true, |keys, from| {
        let batch = (from..from + BATCH).filter_map(|key| table.lookup(keys.get(key)));
        batch
            .filter(|entry| !entry.configuration().is_empty())
            .count()
    });
}

const OPENED: [usize; 2] = [10_000, MILLION];

fn of(entries: usize) -> Made {
    Made::new(entries)
}

#[divan::bench(args = OPENED, sample_count = 20, sample_size = 1)]
fn open_rust(bencher: Bencher, entries: usize) {
    let made = of(entries);
    bencher.bench_local(|| Table::open(made.path()).expect("a table").len());
}

#[divan::bench(args = OPENED, sample_count = 20, sample_size = 1)]
fn open_cpp(bencher: Bencher, entries: usize) {
    let made = of(entries);
    bencher.bench_local(|| Cpp::open(made.path()).is_some());
}
