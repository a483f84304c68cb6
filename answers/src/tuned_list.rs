//! What the service says of all that is tuned: a page at a time, and in short.

use configgen::{Clock, Generator};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Status, Unreadable};

use crate::foreign_schema;
use crate::lookup::AnswerExtract;

/// A page of what is tuned and may be served.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ListedTuned {
    /// Whose times are listed: measured ones, if any are meant, unless it was asked for.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// How many with times of this clock are meant.
    pub total: usize,
    /// How many are meant with times of each.
    pub both: CountsByClock,
    /// The rows, in the order that was asked for.
    pub rows: Vec<TunedConfiguration>,
    /// What `cursor` says to go on; none where this is the end.
    pub next: Option<String>,
    /// What is known and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// How many there are by whose times.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CountsByClock {
    /// With times of real GPUs.
    pub measured: usize,
    /// With times of the emulator's model.
    pub modelled: usize,
}

/// The best configuration of a problem on a device by a generator.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TunedConfiguration {
    /// What is computed.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: String,
    /// What it was built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// Name of the device that it was tried on.
    pub device: String,
    /// Who makes the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// Whose time these are.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// Its verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// Its time in microseconds.
    pub time_us: f64,
    /// Verdict of the untuned configuration; none where it was not tried.
    #[schemars(with = "Option<foreign_schema::Status>")]
    pub default_status: Option<Status>,
    /// Its time in microseconds; none where it has none or may not be served.
    pub default_time_us: Option<f64>,
    /// `default_time_us / time_us`.
    pub speedup: Option<f64>,
    /// Least time in microseconds that the model gives any kernel.
    pub bound_us: Option<f64>,
    /// Time in microseconds of the compulsory bytes at the DRAM peak; none of a device that this build does not know.
    pub dram_peak_us: Option<f64>,
    /// Number of reductions.
    pub rows: u64,
    /// Elements of each.
    pub columns: u64,
    /// Bytes that any kernel has to read and write.
    pub bytes: u64,
    /// The study that it is of.
    pub study: i64,
    /// Its place there.
    pub ordinal: u32,
    /// The configuration, and what made the numbers.
    #[serde(flatten)]
    pub kept: AnswerExtract,
}

/// What is tuned and may be served, in short.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TunedMap {
    /// Whose times are told: measured ones, if any are meant, unless it was asked for.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// How many with times of this clock are meant.
    pub total: usize,
    /// How many are meant with times of each.
    pub both: CountsByClock,
    /// By instruction set.
    pub targets: Vec<NamedCount>,
    /// By device.
    pub devices: Vec<NamedCount>,
    /// By who makes the kernels.
    pub generators: Vec<NamedCount>,
    /// By the type of the elements.
    pub elements: Vec<NamedCount>,
    /// By the kind of operation.
    pub operations: Vec<NamedCount>,
    /// By instruction set, kind of operation and size: what there is, ascending.
    pub cells: Vec<TunedMapCell>,
    /// What is known and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// How many there are of something.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NamedCount {
    /// Its name.
    pub name: String,
    /// How many.
    pub count: usize,
}

/// What is tuned for one instruction set of one kind of operation and about one size.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TunedMapCell {
    /// The instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The kind of operation, such as `arg_compare`.
    pub operation: &'static str,
    /// Binary logarithm of the number of reductions, rounded down.
    pub rows_log2: u32,
    /// The same of the elements of each.
    pub columns_log2: u32,
    /// How many there are.
    pub count: usize,
    /// How many times faster than the untuned configuration they are; none where none has been compared with one.
    pub speedup: Option<Spread>,
    /// How many times as long as the bound they take; none where none has a bound.
    pub distance: Option<Spread>,
}

/// How some numbers are spread.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// The median: of an even number the mean of the two in the middle.
    pub median: f64,
    /// The largest.
    pub most: f64,
}
