//! HIP's C API on the emulator: `libwavetune_hip.so`.
//!
//! ```text
//! program ──hip…()──▶ calls ──▶ enqueue ──▶ stream ──▶ turn ──▶ emulator: memory, time
//!                        └──────▶ State (one lock) ◀─────┘
//! ```
//!
//! Start reading at `state` (what there is), `command` (what a stream does, one after the other) and `enqueue` (how it
//! comes to do it). What HIP has ideas of (a stream, an event, a graph) is a type in a file of its name, which knows no
//! other state than its own. An exported function stands in `calls`, above all of them, in the file of its idea; each is
//! small: it takes what C passes (`ffi`), does one thing to the state and ends with an `error::Status`. What HIP has and
//! this library has not is in `calls::missing`, by name.
//!
//! A command is executed when it is enqueued, unless something before it on its stream has yet to happen: a function of
//! the host, a kernel of another thread, or an event. Then a thread of the stream executes it in its turn. A kernel runs
//! without the lock and has the memory for itself: other calls are answered meanwhile, but those that work on what is in
//! memory. Time is the time model's: each stream has a clock that launches and copies advance, and events read it.
//!
//! The library knows the emulator and the device table. It knows nothing of reductions or of who calls it.

// The functions have HIP's names.
#![allow(non_snake_case)]

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
