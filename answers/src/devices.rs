//! The output of `wavetune devices`.

use configgen::Clock;
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;

/// The devices for which this machine can tune.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Devices {
    /// The devices, one row each.
    pub devices: Vec<DeviceInfo>,
}

/// A device.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeviceInfo {
    /// The name that `--device` takes.
    pub name: String,
    /// The product name.
    pub product: &'static str,
    /// The instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// The clock of its times.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// The compute units of all dies together.
    pub compute_units: u32,
    /// The peak engine clock in GHz.
    pub clock_ghz: f64,
    /// The peak memory bandwidth in GB/s (10^9 bytes).
    pub dram_peak_gb_per_s: f64,
    /// `true` if bandwidth over occupancy was measured on this part, so that the model's error is
    /// known.
    pub calibrated: bool,
    /// The errors of modelled times against measurements.
    pub errors: Vec<Deviation>,
    /// The figures of other parts that replace unpublished ones.
    pub borrowed: Vec<BorrowedFigure>,
}

/// The error of the model on a published measurement.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Deviation {
    /// The name of the measurement.
    pub set: &'static str,
    /// `true` if a figure of the device table comes from the same measurement.
    pub in_sample: bool,
    /// The number of measured bandwidths in the comparison.
    pub points: u32,
    /// The mean absolute error in percent of the measured bandwidth.
    pub mean_error_percent: f64,
    /// Spearman's rank correlation of modelled and measured bandwidths; `null` if there is only
    /// one.
    pub rank_correlation: Option<f64>,
}

/// A figure of another part.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BorrowedFigure {
    /// The name of the figure.
    pub figure: &'static str,
    /// The part that it is from.
    pub from: &'static str,
}
