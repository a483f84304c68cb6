//! Timing: one protocol for every device, from a device's samples to a time, a comparison, a winner.
//!
//! ```text
//! measure ──▶ the time of each kernel of a search ──short_list──▶ finals ──▶ the winner, with its interval
//!    └──▶ drift watch: did the device change meanwhile?     └── compare
//! ```
//!
//! A [`Sampler`] takes one sample of one kernel. [`measure`] warms up, chooses a batch and samples until the
//! [`median`](Measurement::median_us) is known well enough, which is what a search ranks by. [`compare`] takes samples
//! of two kernels in turn, which finds smaller differences and is not misled by drift; [`finals`] does so for the best
//! few of a search. [`DriftWatch`] says which trials of a search the device was not the same for.
//!
//! A *sample* is the time of a batch of launches divided by their number. Everything is decided by the samples, the
//! clock of time limits and random numbers that are given. `docs/timing.md` explains the rules and every figure.
//!
//! It knows nothing of how a device launches or reads its clock, and nothing of configurations.

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

/// Version of the protocol: a change that changes times is a new one.
pub const VERSION: u32 = 1;

pub use compare::{Comparison, Finding, KernelSide, compare};
pub use device_state::DeviceState;
pub use drift::{DriftDecision, DriftWatch};
pub use finals::{Entrant, Finals, finals, short_list};
pub use mean::geometric_mean;
pub use measure::{CONFIDENCE, Measurement, Protocol, StopReason, floor_us, measure};
pub use median::{Interval, median, median_interval};
pub use sampler::{Mode, SampleError, Sampler};
