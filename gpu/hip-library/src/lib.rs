//! HIP's C API on the emulator: `libwavetune_hip.so`.
//!
//! ```text
//! program ──hip…()──▶ calls ──▶ submission ──▶ stream ──▶ command_execution ──▶ emulator
//!                        └─────────▶ LibraryState (one lock) ◀────────┘
//! ```
//!
//! Start reading at `state` (all objects), `command` (one step of a stream) and `submission` (the
//! start of a command). Each concept of HIP, such as a stream, an event or a graph, is a type in a
//! file of its name. It knows no other state. The exported functions are in `calls`, with a file
//! for each concept. A function takes the arguments of C (`ffi`), does one thing to the state and
//! ends with an `error::Status`. `calls::unimplemented` names the functions that this library
//! lacks.
//!
//! A command runs when it is submitted, unless an earlier one on its stream is still waiting.
//! Such a wait is for a host function, a kernel of another thread or an event. A thread of the
//! stream then runs the command in its turn. A kernel runs without the lock and borrows the
//! memory; other calls are answered meanwhile, unless they use memory. Each stream has a modelled
//! clock, which launches and copies advance and events read.
//!
//! The library knows the emulator and the device table. It knows neither reductions nor its caller.
//!
//! # Invariants
//!
//! - The library is opt-in by path: its file has a name of its own, and its device's name begins
//!   with `EMULATED`.
//! - Handles are looked up, copies are checked against bounds, and a panic ends as an error. The
//!   library trusts addresses that HIP trusts (`ffi.rs`) and host memory that a program registers
//!   (`memory.rs`).
//! - Every call of HIP 6.3 is exported; a missing one fails by name.
//! - Results and times of a launch are those of the emulator and its model. A question for the time
//!   changes no memory.
//! - While a kernel runs, a call of another thread is answered at once, unless it uses memory or
//!   waits. Calls that use memory run in the order of their arrival.

// The functions have HIP's names.
#![allow(non_snake_case)]

mod cache_contents;
mod calls;
mod clock;
mod command;
mod command_execution;
mod copy;
mod device;
mod error;
mod event;
mod ffi;
mod graph;
mod handles;
mod image;
mod journal;
mod known_times;
mod launch;
mod mapping;
mod memory;
mod module;
mod pitched_copy;
mod pool;
mod properties;
mod registry;
mod state;
mod stream;
mod submission;
mod synchronization;
mod time;
mod unknown_time;
