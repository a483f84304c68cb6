//! An emulator of AMD GPUs: it loads a code object, executes its kernels bit by bit, and
//! estimates a device's time.
//!
//! ```text
//! ELF ──code_object──▶ kernels + image ──families──▶ instructions ──execute──▶ memory
//!                                                          ├──check──▶ findings
//!                                                          └──profile──▶ model ──▶ modelled time
//! ```
//!
//! Start reading at [`CodeObject`] (the loaded file), [`run`] (execution), [`check()`] (bugs of a
//! kernel) and [`model::estimate`] (time). A *wave* is 32 or 64 *lanes* that share a program
//! counter. A *workgroup* is the waves that share LDS and barriers. An instruction set belongs to
//! a *family* with its own decoder; all families share the operations.
//!
//! # Modules
//!
//! - `code_object/` and `bundle.rs` read the ELF file, also out of an offload bundle or a host
//!   program. `loaded_code_object.rs` keeps the decoded form for the caller.
//! - `families/` turns words into instructions, in one folder for each encoding (gfx9, gfx10,
//!   gfx11, gfx12). `families/opcodes/` has a row for each instruction, with its number in each.
//! - `operation/` computes instructions, once for all families. `effects/` lists the registers
//!   that an instruction reads and writes, and `hazards/` the instructions of gfx9 with too few
//!   wait states before them.
//! - `execute/` runs waves. `launch/` schedules workgroups on the threads of the host and
//!   suspends a workgroup that waits.
//! - `check`, `profile` and `load_observer` are type parameters of the run loop, so a plain run
//!   has no code for them.
//!
//! # Exactness
//!
//! Everything is exact but the functions without published last bits: reciprocal, square root,
//! exponential, logarithm, sine, and sums of floats in products of matrices
//! (`operation/matrix/mod.rs`). [`Execution::approximate_instructions`] counts them. Denormals,
//! signalling NaN and saturation follow the MODE register; a rounding mode other than to nearest
//! even is refused.
//!
//! Some instructions are known but not executed: images, formatted buffers, matrices with scales
//! and some hundred others, each `Semantics::Refused` in its table. The emulator refuses them by
//! name when a wave reaches them, and unknown ones by their encoding. A barrier does not count
//! waves that have ended, as in hardware.
//!
//! # Differences from a device
//!
//! - Time has no part in the results of [`run`]. An instruction ends before the next one starts,
//!   so `s_waitcnt` and `s_nop` do nothing.
//! - The waves of a workgroup run one after the other from barrier to barrier.
//! - Workgroups begin in the order of their ids, on the threads of the launch. A wave gives way
//!   at `s_sleep`, so workgroups that wait for later ones must sleep.
//! - [`KernelLaunch::resident_workgroups`] is the number of workgroups that the device holds at a
//!   time.
//! - A kernel without a necessary wait or fence, or with a race, may be correct here and wrong on
//!   a device. [`check()`] finds many of these bugs, and on gfx9 missing wait states. A plain run
//!   does not delay an instruction for them.
//!
//! # Extensions
//!
//! A new instruction is a line in the family's `tables` and, for a new operation, a line in
//! `operation`. The decoder's test compares the text with llvm-mc. A new instruction set of a
//! family is its machine number in [`Isa`]. A new family is a folder in `families` with the files
//! of its sister.
//!
//! The emulator knows no reduction, no configuration and no device: the figures of a device are
//! parameters ([`model::Machine`]).
//!
//! # Invariants
//!
//! - The emulator checks every access against the bounds of an allocation.
//! - The emulator executes an instruction to the last bit that AMD documents, or refuses it by
//!   name and address.
//! - The emulator knows nothing of reductions or configurations, nor the origin of a kernel:
//!   kernels of wavetune and of IREE are files.
//! - Decoders agree with LLVM's disassembler, refusals included. Operations agree with the
//!   manuals' pseudocode, written once more in the tests.
//! - A run with the checker and a run without findings leave the same memory.
//! - Workgroups that wait for each other make progress on any number of threads, if the device
//!   holds as many as meet. Otherwise the launch ends with a fault that names the place.
//! - Every display of its time calls it modelled. `docs/time-model.md` lists the model's content
//!   and omissions.

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
mod hazards;
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
pub use profile::{
    Arrivals, IssuedInstructions, Profile, UnprofiledLaunch, profile, profile_last,
    profile_or_issued,
};
pub use version::version;
