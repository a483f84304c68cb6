//! The service's list of all tuned problems: as pages, and as a summary.

use configgen::{Clock, Generator};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Status, Unreadable};

use crate::foreign_schema;
use crate::lookup::AnswerExtract;

/// A page of the tuned configurations that may be served.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ListedTuned {
    /// The clock of the listed times. Without a `clock` in the request: `measured` if any
    /// selected row has a measured time, else `modelled`.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The number of selected configurations with times of this clock.
    pub total: usize,
    /// The number of selected configurations by clock.
    pub both: CountsByClock,
    /// The rows, in the requested order.
    pub rows: Vec<TunedConfiguration>,
    /// The `cursor` of the next page; `null` on the last page.
    pub next: Option<String>,
    /// The rows that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// Numbers of configurations by clock.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CountsByClock {
    /// Configurations with times of real GPUs.
    pub measured: usize,
    /// Configurations with times of the emulator's time model.
    pub modelled: usize,
}

/// The best configuration of one problem on one device, by one generator.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TunedConfiguration {
    /// The problem.
    #[schemars(with = "foreign_schema::Problem")]
    pub problem: String,
    /// The instruction set that the kernel was built for.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The name of the device that ran the kernel.
    pub device: String,
    /// The generator of the kernel.
    #[schemars(with = "foreign_schema::Generator")]
    pub generator: Generator,
    /// The clock of the times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The verdict.
    #[schemars(with = "foreign_schema::Status")]
    pub status: Status,
    /// The time of the kernel in microseconds.
    pub time_us: f64,
    /// The verdict of the untuned configuration; `null` if no trial has it.
    #[schemars(with = "Option<foreign_schema::Status>")]
    pub default_status: Option<Status>,
    /// The time of the untuned configuration in microseconds; `null` if it has none or may not be
    /// served.
    pub default_time_us: Option<f64>,
    /// `default_time_us / time_us`.
    pub speedup: Option<f64>,
    /// The modelled lower bound for any kernel, in microseconds.
    pub bound_us: Option<f64>,
    /// The time in microseconds to move the compulsory bytes at the DRAM peak; `null` if this
    /// build does not know the device.
    pub dram_peak_us: Option<f64>,
    /// The number of reductions.
    pub rows: u64,
    /// The number of elements of each reduction.
    pub columns: u64,
    /// The bytes that any kernel must read and write.
    pub bytes: u64,
    /// The number of the study.
    pub study: i64,
    /// The ordinal of the trial within the study.
    pub ordinal: u32,
    /// The configuration, and the provenance of the numbers.
    #[serde(flatten)]
    // The text of the printed answer, so that a page of up to 1,000 rows prints no configuration.
    pub kept: AnswerExtract,
}

/// A summary of the tuned configurations that may be served.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TunedMap {
    /// The clock of the times. Without a `clock` in the request: `measured` if any selected row
    /// has a measured time, else `modelled`.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The number of selected configurations with times of this clock.
    pub total: usize,
    /// The number of selected configurations by clock.
    pub both: CountsByClock,
    /// Counts by instruction set.
    pub targets: Vec<NamedCount>,
    /// Counts by device.
    pub devices: Vec<NamedCount>,
    /// Counts by generator.
    pub generators: Vec<NamedCount>,
    /// Counts by element type.
    pub elements: Vec<NamedCount>,
    /// Counts by kind of operation.
    pub operations: Vec<NamedCount>,
    /// Counts by instruction set, kind of operation and size, in ascending order, without empty
    /// cells.
    pub cells: Vec<TunedMapCell>,
    /// The rows that this build cannot read; absent if there are none.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    #[schemars(with = "foreign_schema::Unreadable")]
    pub unreadable: Unreadable,
}

/// A name and a number of configurations.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NamedCount {
    /// The name.
    pub name: String,
    /// The number of configurations.
    pub count: usize,
}

/// The tuned configurations of one instruction set, one kind of operation and one range of sizes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TunedMapCell {
    /// The instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The kind of operation, such as `arg_compare`.
    pub operation: &'static str,
    /// The binary logarithm of the number of reductions, rounded down.
    pub rows_log2: u32,
    /// The binary logarithm of the number of elements of each reduction, rounded down.
    pub columns_log2: u32,
    /// The number of configurations.
    pub count: usize,
    /// The speedups over the untuned configuration; `null` if no configuration has one.
    pub speedup: Option<Spread>,
    /// The ratios of time to lower bound; `null` if no configuration has a bound.
    pub distance: Option<Spread>,
}

/// The distribution of some numbers.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Spread {
    /// The smallest number.
    pub least: f64,
    /// The median; for an even count, the mean of the middle two.
    pub median: f64,
    /// The largest number.
    pub most: f64,
}
