//! The time of a lookup in a table for a problem as text: parsing, canonical printing, and
//! search.
//!
//! A sample is a thousand lookups, so its microseconds are the nanoseconds of one. The problems
//! are random ones of a million.

use std::cell::Cell;
use std::sync::OnceLock;

use configgen::{Problem, Target};
use divan::{Bencher, counter::ItemsCount};
use lookup_table::{NewEntry, Status, Table, TableWriter};

fn main() {
    divan::main();
}

const ENTRIES: usize = 1_000_000;
const BATCH: usize = 1_000;

/// A table with its problems, as users write them.
struct Made {
    table: Table,
    written: Vec<String>,
}

fn problem(index: usize) -> String {
    // A multiplication by a number without a common factor mixes the order.
    let index = index * 7_919 % ENTRIES;
    let operation = ["argmax", "argmin"][index % 2];
    let element = ["f32", "f16", "bf16", "i8"][index / 2 % 4];
    let (rows, columns) = (1 + index / 8 % 125, 64 * (1 + index / 1000));
    format!("{operation}:{rows}x[{columns}]x{element}")
}

fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(|| {
        let mut writer = TableWriter::new();
        for index in 0..ENTRIES {
            let entry = NewEntry {
                key: &format!("{}:i32\0gfx942", problem(index)),
                configuration: "{}",
                attributes: "",
                generator: "native",
                status: Status::Right,
                time_us: 1.0,
                default_time_us: None,
                bound_us: None,
                study: 1,
                ordinal: 0,
                provenance: "{}",
                family: "",
                sizes: &[],
            };
            writer.add(&entry).expect("an entry");
        }
        let bytes = writer.to_bytes().expect("a table");
        Made {
            table: Table::read(bytes).expect("a table"),
            written: (0..ENTRIES).map(problem).collect(),
        }
    })
}

/// Runs `one` with batches of a thousand problems, and asserts that it is true of all.
fn batches(bencher: Bencher, one: impl Fn(&Made, &str) -> bool) {
    let (made, next) = (made(), Cell::new(0));
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        let batch = next.get();
        next.set((batch + BATCH) % ENTRIES);
        let problems = &made.written[batch..batch + BATCH];
        assert!(problems.iter().all(|problem| one(made, problem)));
    });
}

#[divan::bench(sample_count = 2000, sample_size = 1)]
fn parse(bencher: Bencher) {
    batches(bencher, |_, text| text.parse::<Problem>().is_ok());
}

#[divan::bench(sample_count = 2000, sample_size = 1)]
fn parse_and_find(bencher: Bencher) {
    let target: &Target = "gfx942".parse().expect("a target");
    batches(bencher, |made, text| {
        let problem: Result<Problem, _> = text.parse();
        problem
            .is_ok_and(|problem| lookup::table_file::entry(&made.table, &problem, target).is_some())
    });
}
