//! An emulator of AMD GPUs: it loads a code object, executes its kernels bit by bit, and estimates the time that
//! a device would take.
//!
//! ```text
//! ELF ──code_object──▶ kernels + image ──families──▶ instructions ──execute──▶ memory
//!                                                          │
//!                                                          └──profile──▶ model ──▶ modelled time
//! ```
//!
//! Start reading at [`CodeObject`] (what is loaded), [`run`] (what is executed), [`check()`] (what is wrong with a
//! kernel) and [`model::estimate`] (how long it would take). A *wave* is 32 or 64 *lanes* that share a program counter;
//! a *workgroup* is the waves that share LDS and barriers. An instruction set belongs to a *family* with its own
//! decoder; the operations are shared by all.
//!
//! What is exact: everything but the functions whose last bits AMD does not publish (reciprocal, square root,
//! exponential, logarithm, sine); [`Execution::approximate_instructions`] counts them. Denormals, signalling NaN and
//! saturation follow the MODE register; a rounding mode other than to nearest even is refused. Instructions that are
//! known but not executed (matrices, images, formatted buffers and some hundred others, each `Entry::Refused` in its
//! table) are refused by name when a wave reaches them, unknown ones by their encoding. At a barrier, waves that have
//! ended count no longer, as in hardware.
//!
//! What is not: time has no part in the results of [`run`]. An instruction ends before the next one starts, so
//! `s_waitcnt` and `s_nop` do nothing; the waves of a workgroup run one after the other from barrier to barrier; and
//! workgroups begin in the order of their ids, on as many threads as the launch says. `s_sleep` is where a wave gives way:
//! workgroups that wait for each other have to sleep while they wait, or wait for those before their own alone. Whether
//! they would meet on a device is for the caller to say ([`Launch::resident`]). A kernel that lacks a wait or a
//! fence or has a race may give the right result here and a wrong one on a device: [`check()`] looks on and finds many
//! of these. Nobody looks for hazards that `s_nop` would mend. The time model does count waits.
//!
//! To add an instruction: a line in the family's `tables`, and where its operation is new, a line in `operation`; the
//! decoder's test compares the text with llvm-mc. To add an instruction set of a family: its machine number in
//! [`Isa`]. To add a family: a folder in `families` with the files of its sister.
//!
//! The emulator knows nothing of reductions, of configurations or of devices: the constants of a device are
//! parameters ([`model::Machine`]).

mod address;
mod allocation_storage;
mod bundle;
mod check;
mod code_object;
mod concurrent_memory;
mod effects;
mod error;
mod execute;
mod families;
mod image;
mod instruction;
mod instruction_mix;
mod isa;
mod launch;
mod load_observer;
mod loaded_code_object;
mod memory;
pub mod model;
mod operation;
mod profile;
mod program;
mod undefined_bytes;
mod version;

pub use address::Address;
pub use bundle::{BundleEntry, BundleError, code_objects};
pub use check::{
    Allocation, CheckReport, Finding, FindingKind, FindingMemory, MemorySpace, check,
    check_supervised,
};
pub use code_object::{
    ArgumentKind, ArgumentLayout, FloatMode, LoadedKernel, SourceLine, UserRegisters,
};
pub use error::{FaultLocation, LaunchFault, LoadError, MemoryError};
pub use instruction::{Instruction, Words};
pub use instruction_mix::InstructionMix;
pub use isa::Isa;
pub use launch::{Execution, KernelLaunch, LaunchProgress, run, run_supervised};
pub use load_observer::{LoadAddresses, ObservedLoad, observe_loads};
pub use loaded_code_object::CodeObject;
pub use memory::EmulatedMemory;
pub use profile::{Arrivals, Profile, profile, profile_last};
pub use version::version;
