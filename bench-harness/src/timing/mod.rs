//! Timing: one protocol for every device, from a device's samples to a time, a comparison and a
//! winner.
//!
//! ```text
//! measure ──▶ the time of each kernel ──short_list──▶ finals ──▶ the winner, with its interval
//!    └──▶ drift watch: did the device change?           └── compare
//! ```
//!
//! A [`Sampler`] takes one sample of one kernel. [`measure`] warms up, chooses a batch and
//! samples until the [`median`](Measurement::median_us) is precise enough; a search ranks by it.
//! [`compare`] samples two kernels in turn, which detects smaller differences and is immune to
//! drift. [`finals`] does so for the best few of a search. [`DriftWatch`] finds the trials of a
//! search that a change of the device invalidates.
//!
//! A *sample* is the time of a batch of launches divided by their number. All decisions depend
//! only on the samples, the given clock for time limits and the given random numbers.
//! `docs/timing.md` explains the rules and every figure.
//!
//! This module knows neither launches and clocks of a device nor configurations.

mod compare;
mod description;
mod device_state;
mod drift;
mod finals;
mod mean;
mod measure;
mod median;
mod paired_samples;
mod sampler;

/// The version of the protocol. Each change that changes times increases it.
pub const VERSION: u32 = 1;

pub use compare::{Comparison, Finding, KernelSide, compare};
pub use device_state::DeviceState;
pub use drift::{DriftDecision, DriftWatch};
pub use finals::{Entrant, Finals, finals, short_list};
pub use mean::geometric_mean;
pub use measure::{CONFIDENCE, Measurement, Protocol, StopReason, floor_us, measure};
pub use median::{Interval, median, median_interval};
pub use sampler::{Mode, SampleError, Sampler};
