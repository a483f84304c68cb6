//! Timing: one protocol for every device, from a device's samples to a time, a comparison, a winner.
//!
//! ```text
//! samples ──measure──▶ the time of one kernel        compare ──▶ by how much one kernel is faster than another
//! ```
//!
//! A [`Sampler`] takes one sample of one kernel. [`measure`] warms up, chooses a batch and samples until the
//! [`median`](Measurement::median_us) is known well enough, which is what a search ranks by. [`compare`] takes samples of two
//! kernels in turn, which finds smaller differences and is not misled by drift.
//!
//! A *sample* is the time of a batch of launches divided by their number. Everything is decided by the samples, the
//! clock of time limits and random numbers that are given. `docs/timing.md` explains the rules and every figure.
//!
//! It knows nothing of how a device launches or reads its clock, and nothing of configurations.

mod compare;
mod measure;
mod median;
mod sampler;
mod signed_rank;

pub use compare::{Comparison, Finding, Side, compare};
pub use measure::{CONFIDENCE, Measurement, Protocol, Stop, floor_us, measure};
pub use median::{Interval, median, median_interval};
pub use sampler::{Mode, SampleError, Sampler};
