//! Tables for tests: small ones, their sections, the transcript of a reader, and a tuned table.
#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    reason = "tests alone use it"
)]

pub mod damage;
pub mod mutation;
pub mod samples;
pub mod transcript;
pub mod tuned_table;

use std::io;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

pub struct Random(Pcg64Mcg);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(Pcg64Mcg::seed_from_u64(seed))
    }

    #[allow(clippy::should_implement_trait, reason = "it has no end")]
    pub fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number below the end, or 0 for an end of 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end.max(1))
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        *all.choose(&mut self.0).expect("one of some")
    }
}

/// Creates a pipe with this name.
pub fn pipe(path: &Path) -> io::Result<()> {
    let made = Command::new("mkfifo").arg(path).status()?;
    match made.success() {
        true => Ok(()),
        false => Err(io::Error::other("mkfifo made no pipe")),
    }
}

/// A section: its byte range, and the bytes of a row.
#[derive(Clone)]
pub struct Section {
    pub range: Range<usize>,
    pub row: usize,
}

impl Section {
    pub fn rows(&self) -> usize {
        self.range.len() / self.row
    }

    /// Returns the offset of a row.
    pub fn at(&self, row: usize) -> usize {
        self.range.start + row * self.row
    }
}

/// Sections in the order of docs/table.md: independent of the sources, so that the tests check
/// both.
pub const RECORDS: usize = 0;
pub const SLOTS: usize = 1;
pub const SIZES: usize = 2;
pub const FAMILIES: usize = 3;
pub const METADATA: usize = 4;
pub const STRINGS: usize = 5;
pub const KEYS: usize = 6;
pub const POOL: usize = 7;

/// Returns the sections of a valid table, from its header.
pub fn sections(file: &[u8]) -> Vec<Section> {
    let count = |at: usize| u64_at(file, at) as usize;
    let rows = [
        (count(40), 64),
        (count(48), 16),
        (count(40), 32),
        (count(56), 16),
        (count(64), 8),
        (count(72) + 1, 4),
        (count(80), 1),
        (count(88), 1),
    ];
    let mut end = 128;
    let section = |(rows, row)| {
        let begin = end;
        end += rows * row;
        let range = begin..end;
        Section { range, row }
    };
    rows.into_iter().map(section).collect()
}

pub fn u32_at(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap())
}

pub fn u64_at(file: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(file[at..at + 8].try_into().unwrap())
}

pub fn put(file: &mut [u8], at: usize, bytes: &[u8]) {
    file[at..at + bytes.len()].copy_from_slice(bytes);
}

/// Updates the length and the checksum of a file.
pub fn seal(file: &mut [u8]) {
    let length = file.len() as u64;
    put(file, 32, &length.to_le_bytes());
    seal_as_long(file);
}

/// Updates only the checksum of a file.
pub fn seal_as_long(file: &mut [u8]) {
    let sum = twox_hash::XxHash3_128::oneshot(&file[32..]);
    put(file, 16, &sum.to_le_bytes());
}
