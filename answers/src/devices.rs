//! What `wavetune devices` prints.

use configgen::Clock;
use schemars::JsonSchema;
use serde::Serialize;

use crate::foreign_schema;

/// The devices that can be tuned for on this machine.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Devices {
    /// A row for each.
    pub devices: Vec<DeviceInfo>,
}

/// One device.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeviceInfo {
    /// What `--device` takes.
    pub name: String,
    /// The name that it is sold by.
    pub product: &'static str,
    /// Its instruction set.
    #[schemars(with = "foreign_schema::Target")]
    pub target: &'static str,
    /// Whose time its times are.
    #[schemars(with = "foreign_schema::Clock")]
    pub clock: Clock,
    /// Compute units, all dies together.
    pub compute_units: u32,
    /// Peak engine clock in GHz.
    pub clock_ghz: f64,
    /// Peak bandwidth of its memory in GB/s (10^9 bytes).
    pub dram_peak_gb_per_s: f64,
    /// Whether bandwidth over occupancy was measured on this part, so that the model's error is known.
    pub calibrated: bool,
    /// How far modelled times are from what was measured.
    pub errors: Vec<Deviation>,
    /// Figures of other parts that stand in for those that were not found.
    pub borrowed: Vec<BorrowedFigure>,
}

/// What the model makes of a published measurement.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Deviation {
    /// The measurement.
    pub set: &'static str,
    /// Whether a figure of the device table comes from the same measurement.
    pub in_sample: bool,
    /// Measured bandwidths that were compared.
    pub points: u32,
    /// Mean of the errors' absolute values, in percent of the measured bandwidth.
    pub mean_error_percent: f64,
    /// Spearman's rank correlation of modelled and measured bandwidths; none where there is one alone.
    pub rank_correlation: Option<f64>,
}

/// A figure of another part.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BorrowedFigure {
    /// Which figure.
    pub figure: &'static str,
    /// The part that it is of.
    pub from: &'static str,
}
