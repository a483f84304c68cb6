//! An emulator of AMD GPUs: it loads a code object, executes its kernels bit by bit as the hardware would, and
//! estimates the time that a device would take.
//!
//! ```text
//! ELF ──code_object──▶ kernels + image ──families──▶ instructions ──execute──▶ memory
//!                                                          │
//!                                                          └──profile──▶ model ──▶ modelled time
//! ```
//!
//! Start reading at [`CodeObject`] (what is loaded), [`run`] (what is executed) and [`model::estimate`] (how long it
//! would take). A *wave* is 64 *lanes* that share a program counter; a *workgroup* is the waves that share LDS and
//! barriers. An instruction set belongs to a *family* with its own decoder; the operations are shared by all.
//!
//! The emulator knows nothing of reductions, of configurations or of devices: the constants of a device are
//! parameters ([`model::Machine`]).

mod code_object;
mod error;
mod execute;
mod families;
mod instruction;
mod isa;
mod launch;
mod memory;
pub mod model;
mod operation;
mod profile;
mod program;

pub use code_object::{Argument, ArgumentKind, CodeObject, FloatMode, Kernel, UserRegisters};
pub use error::{Fault, LoadError, MemoryError, Place};
pub use instruction::Instruction;
pub use isa::Isa;
pub use launch::{Execution, Launch, run};
pub use memory::{Address, Memory};
pub use profile::{Profile, profile};
