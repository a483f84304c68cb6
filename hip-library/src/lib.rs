//! HIP's C API on the emulator: `libwavetune_hip.so`.
//!
//! ```text
//! program ──hip…()──▶ error::enter ──▶ State (one lock) ──▶ stream ──▶ command ──▶ emulator: memory, time
//! ```
//!
//! Start reading at `state` (what there is) and `command` (what a stream does, one after the other). An exported
//! function stands in the file of its idea; each is small: it takes what C passes (`ffi`), does one thing to the state
//! and ends with an `error::Status`. What HIP has and this library has not is in `missing`, by name.
//!
//! A command is executed when it is enqueued, unless something before it on its stream has yet to happen: a function of
//! the host, or an event. Then a thread of the stream executes it in its turn. Time is the time model's: each stream
//! has a clock that launches and copies advance, and events read it.
//!
//! The library knows the emulator and the device table. It knows nothing of reductions or of who calls it.

// The functions have HIP's names.
#![allow(non_snake_case)]

mod allocate;
mod capture;
mod command;
mod context;
mod copy;
mod device;
mod error;
mod event;
mod ffi;
mod function;
mod graph;
mod handles;
mod host;
mod image;
mod launch;
mod mapping;
mod matrix;
mod memory;
mod missing;
mod module;
mod pool;
mod properties;
mod registration;
mod state;
mod stream;
mod time;
