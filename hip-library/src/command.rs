//! What a stream does, one command after the other.

use crate::copy::{MemoryCopy, MemoryFill};
use crate::ffi::Pointer;
use crate::launch::LaunchCommand;

/// A function of the host, as HIP calls it.
#[derive(Clone, Copy)]
pub(crate) struct HostCall {
    pub(crate) function: HostFunction,
    /// What it is called with; the program knows what it means.
    pub(crate) data: Pointer,
}

/// The two kinds of functions that a stream calls.
#[derive(Clone, Copy)]
pub(crate) enum HostFunction {
    /// `hipHostFn_t`.
    Plain(extern "C" fn(Pointer)),
    /// `hipStreamCallback_t`: with the stream and its status.
    Callback(extern "C" fn(u64, i32, Pointer)),
}

/// A command.
pub(crate) enum Command {
    Launch(LaunchCommand),
    Copy(MemoryCopy),
    Fill(MemoryFill),
    /// Frees memory.
    Free(Pointer),
    /// The event's record with this number has happened.
    Record(u64, u64),
    /// Waits for the event's record with this number.
    WaitEvent(u64, u64),
    /// Waits until a stream has done so many commands.
    After(u64, u64),
    Host(HostCall),
}
