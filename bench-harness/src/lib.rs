//! The bench: it verifies a kernel on adversarial inputs and then measures its time.
//!
//! ```text
//! problem + seed ──inputs──▶ adversarial rows + expected results ─┐
//! kernel ──────────────────────────▶ device ──▶ outputs ──verdict──▶ right | tie | wrong ──▶ time
//! ```
//!
//! Start reading at [`Bench::evaluate`], which does this for one kernel. A [`KernelDevice`] runs
//! kernels: the emulated device, or a GPU through `hip/`. A study sees a device as a [`Rig`],
//! which makes an [`Evaluator`] for a problem.
//!
//! - `operation/` is the interface of an operation: a maker of rows, a reference and a judge.
//!   `arg_compare/`, `fold/`, `map/` and `rowwise/` implement it.
//! - The reference is a left-to-right fold of each row on the host. For a row operation, it is an
//!   interval that covers rounding, the functions of a GPU and the orders of a sum.
//! - `timing/` measures times, compares them and chooses among kernels, given samples.
//!   `docs/timing.md` has the protocol.
//! - A child process uses the GPU, so that a fault costs one trial. On request it is confined.
//!   `docs/gpus.md` describes it.
//!
//! This crate knows problems, kernels and devices. It knows neither the search nor the store.
//!
//! # Invariants
//!
//! - A kernel with the verdict `wrong` has no time. A kernel without a verdict has one only if the
//!   caller asked for the time first, and the kernel was too slow to matter.
//! - `timing/` knows no device and no clock but those of its samples. Simulations with recorded
//!   and synthetic noise count its errors.
//! - A kernel that harms a GPU, its driver or the child costs one trial and a new child.
//! - A device with a name that begins with `EMULATED` has modelled times, through every path.
//! - Measuring needs ROCm; building never does.
//! - The bench poisons the outputs before a run, so that a kernel that writes nothing is not
//!   correct by accident. If outputs hold initial pairs, it poisons only the rows that no lane
//!   computes.
//! - The bench verifies launches that follow each other together, and their time is the total.
//! - For a large problem with a known tiling, only the workgroups that compute a checked row run.
//!   The rows outside their tiling must keep the poison; in outputs above 64 MiB, those nearby.
//! - On the emulated device, the first and the last launch of a kernel run in the checker. The
//!   others run without it: its findings follow from addresses, which are the same.
//! - All inputs besides the elements are adversarial, too. The index base differs in each launch
//!   and explicit indices are any numbers. Initial pairs tie with their rows, beat them, or are
//!   NaN.
//! - Every operand value is visible in the result. One launch has zeros, denormals, infinities
//!   and NaN, and gather indices are sometimes invalid.
//! - The winners of the input rows lie everywhere, so a kernel that skips elements of a lane, a
//!   subgroup or a step is wrong.
//! - A plain reduction may combine in any order. The bench compares results that no order changes
//!   bit by bit. A sum or product of floats has the error bound of its problem.
//! - The bound of a floating-point sum follows from the problem alone: a kernel with a worse
//!   order gets no wider bound.

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
