//! Is a kernel right, and how fast is it?
//!
//! ```text
//! problem + seed ──inputs──▶ hostile rows + expected results ─┐
//! kernel ──────────────────────────▶ device ──▶ outputs ──verdict──▶ right | tie | wrong ──▶ time
//! ```
//!
//! Start reading at [`Bench::evaluate`], which does this for one kernel. A [`Device`] runs kernels; here it is the
//! emulated one. Nothing is timed before it is right: [`Bench::evaluate`] returns a time only with a verdict that
//! is not `wrong`. A study sees a device as a [`Rig`], which a problem makes an [`Evaluator`].
//!
//! This crate knows problems, kernels and devices. It knows nothing of which configuration comes next, or of where
//! results are kept.

mod addressing;
mod arg_compare;
mod bench;
mod calibration;
mod device;
mod emulator_device;
mod evaluator;
mod fold;
mod hang_limit;
pub mod hip;
mod inputs;
mod kernarg;
mod launch_counts;
mod launch_part;
mod lower_bound;
mod machine;
mod map;
mod numbers;
mod operation;
mod packed_elements;
mod rowwise;
pub mod timing;
mod verdict;

pub use bench::{Bench, BenchOutcome};
pub use calibration::{ModelError, all_model_errors, model_errors};
pub use configgen::Clock;
pub use device::{Buffer, DeviceError, DeviceLaunch, Driver, Identity, KernelDevice};
pub use emulator_device::{
    EmulatedDevice, PROFILED_WORKGROUPS, UnknownDevice, emulated_device, emulated_devices,
};
pub use evaluator::{Evaluator, Rig};
pub use inputs::{Inputs, InputsError, checked_rows};
pub use lower_bound::{bound_us, least_us};
pub use machine::machine;
pub use operation::Difference;
pub use verdict::Verdict;
