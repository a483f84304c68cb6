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

mod arg_compare;
mod bench;
mod bound;
mod calibration;
mod counts;
mod device;
mod emulated;
mod evaluator;
mod fold;
pub mod hip;
mod inputs;
mod kernarg;
mod limit;
mod machine;
mod map;
mod numbers;
mod operation;
mod part;
mod place;
mod row;
mod rowwise;
pub mod timing;
mod verdict;

pub use bench::{Bench, Outcome};
pub use bound::{bound_us, least_us};
pub use calibration::{ModelError, all_model_errors, model_errors};
pub use configgen::Clock;
pub use device::{Buffer, Device, DeviceError, Driver, Identity, Launch};
pub use emulated::{
    EmulatedDevice, PROFILED_WORKGROUPS, UnknownDevice, emulated_device, emulated_devices,
};
pub use evaluator::{Evaluator, Rig};
pub use inputs::{Inputs, InputsError, checked_rows};
pub use machine::machine;
pub use operation::Difference;
pub use verdict::Verdict;
