//! GPUs through HIP, and whatever else has HIP's functions.
//!
//! ```text
//! study ──Rig──▶ HipRig ──pipe──▶ child: Bench ──Device──▶ HipDevice ──▶ libamdhip64, found at run time
//! ```
//!
//! The device is used by a *child*, a process of its own that has locked it. A kernel that hangs, faults or makes the
//! driver abort costs the child, and the study goes on with another. [`HipRig`] is what a study sees; [`serve_parent`]
//! is the child's side, for the program that is started as one.
//!
//! A *fact* is what the library says of a device. Which figures it has is the device table's matter: a device that is
//! not in the table is refused. One whose name begins with `EMULATED` is software, and its times are modelled, whatever
//! path led to it.
//!
//! Nothing here is linked with ROCm.

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
