//! Tables and keys with the shapes of a tuned database.

use std::path::{Path, PathBuf};

use lookup_table::{NewEntry, Status, TableWriter};
use tempfile::TempDir;

const OPERATIONS: [&str; 4] = ["argmax", "argmin", "argmax_nan", "absmax"];
const TYPES: [&str; 4] = ["f32", "f16", "bf16", "i8"];
/// The number of configurations, because many shapes have the same best one.
const CONFIGURATIONS: usize = 20_000;

/// Keys in one text, in random order.
pub(crate) struct Keys {
    pub(crate) text: String,
    /// The start of each key, and the end of the last.
    pub(crate) ends: Vec<usize>,
}

impl Keys {
    fn new(keys: impl Iterator<Item = String>) -> Keys {
        let (mut text, mut ends) = (String::new(), vec![0]);
        for key in keys {
            text.push_str(&key);
            ends.push(text.len());
        }
        Keys { text, ends }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len() - 1
    }

    pub(crate) fn get(&self, index: usize) -> &str {
        &self.text[self.ends[index]..self.ends[index + 1]]
    }
}

/// A table in a temporary folder.
pub(crate) struct Made {
    folder: TempDir,
    /// The keys of its entries.
    pub(crate) keys: Keys,
    /// As many keys that it does not have.
    pub(crate) others: Keys,
}

impl Made {
    pub(crate) fn new(entries: usize) -> Made {
        let mut writer = TableWriter::new();
        for index in 0..entries {
            let (problem, shape) = (problem(index), shape(index));
            let family = format!("{}\0{}\0gfx942", operation(index), element(index));
            let configuration = configuration(index % CONFIGURATIONS);
            let entry = NewEntry {
                key: &format!("{problem}\0gfx942"),
                configuration: &configuration,
                attributes: &attributes(index % CONFIGURATIONS),
                generator: "native",
                status: Status::Right,
                time_us: 6.0 + (index % 1000) as f64,
                default_time_us: Some(8.5 + (index % 1000) as f64),
                bound_us: (index % 2 == 0).then_some(5.0),
                study: (index / 128) as i64,
                ordinal: (index % 128) as u32,
                provenance: "{\"device\":\"emulated:mi300x\",\"clock\":\"modelled\"}",
                family: &family,
                sizes: &shape,
            };
            writer.add(&entry).expect("an entry");
        }
        let folder = tempfile::tempdir().expect("a folder");
        writer
            .write(folder.path().join("made.wtab"))
            .expect("a table");
        let order = |index: usize| scattered(index, entries);
        Made {
            folder,
            keys: Keys::new((0..entries).map(|index| format!("{}\0gfx942", problem(order(index))))),
            others: Keys::new(
                (0..entries).map(|index| format!("{}\0gfx950", problem(order(index)))),
            ),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder().join("made.wtab")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Returns a permuted index: 999,983 is a prime that divides no requested number of entries.
fn scattered(index: usize, entries: usize) -> usize {
    (index * 999_983 + 7) % entries
}

fn operation(index: usize) -> &'static str {
    OPERATIONS[index % 4]
}

fn element(index: usize) -> &'static str {
    TYPES[index / 4 % 4]
}

fn shape(index: usize) -> [u64; 2] {
    let index = (index / 16) as u64;
    [1 + index % 250, 128 * (1 + index / 250)]
}

fn problem(index: usize) -> String {
    let [rows, columns] = shape(index);
    format!(
        "{}:{rows}x[{columns}]x{}:i32",
        operation(index),
        element(index)
    )
}

/// Returns a text as long as the configurations of `wavetune lookup`.
fn configuration(number: usize) -> String {
    format!(
        "{{\"workgroup\":[1,0],\"partial_reduction\":[0,{number}],\"thread\":[0,4],\"lane_basis\":[[1,64],[0,1]],\
         \"subgroup_basis\":[[1,4],[0,1]],\"subgroup_size\":64,\"workgroup_size\":[256,1,1],\"workgroups_a_row\":{}}}",
        number % 7
    )
}

fn attributes(number: usize) -> String {
    format!(
        "#iree_gpu.lowering_config<{{workgroup = [1, 0], partial_reduction = [0, {number}], thread = [0, 4], lane_basis = \
         [[1, 64], [0, 1]], subgroup_basis = [[1, 4], [0, 1]]}}>"
    )
}
