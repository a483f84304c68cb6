//! GPUs through HIP, and any other library with HIP's functions.
//!
//! ```text
//! study ──Rig──▶ HipRig ──pipe──▶ child: Bench ──KernelDevice──▶ HipDevice ──▶ libamdhip64.so
//! ```
//!
//! A *child*, a process of its own, locks and uses the device. A kernel that hangs, faults or
//! makes the driver abort costs the child, and the study continues with another one. [`HipRig`]
//! is the study's side. [`serve_parent`] is the child's side, for the program that starts as a
//! child.
//!
//! A *fact* is a property of the device that the library reports. The figures come from the
//! device table, and a device without a row is refused. If the name begins with `EMULATED`, the
//! device is software and its times are modelled, through every path.
//!
//! Nothing here links with ROCm.

mod api;
mod child;
mod child_process;
mod child_protocol;
mod coalesced_writes;
mod device;
mod device_facts;
mod error;
mod event_timing;
mod guarded_memory;
mod library;
mod lock;
mod monitor;
mod rig;

pub use child::serve_parent;
pub use child_process::ChildCommand;
pub use child_protocol::HipOptions;
pub use device_facts::{HipDeviceFacts, UnknownPart};
pub use rig::{HipRig, Unavailable, devices};
