//! The commands of a stream, executed in order.

use crate::copy::{MemoryCopy, MemoryFill};
use crate::ffi::Pointer;
use crate::launch::LaunchCommand;

/// A host function that HIP calls.
#[derive(Clone, Copy)]
pub(crate) struct HostCall {
    pub(crate) function: HostFunction,
    /// The argument, which only the program interprets.
    pub(crate) data: Pointer,
}

/// The two kinds of functions that a stream calls.
#[derive(Clone, Copy)]
pub(crate) enum HostFunction {
    /// `hipHostFn_t`.
    Plain(extern "C" fn(Pointer)),
    /// `hipStreamCallback_t`: takes the stream and its status, too.
    Callback(extern "C" fn(u64, i32, Pointer)),
}

/// A command.
pub(crate) enum Command {
    Launch(LaunchCommand),
    Copy(MemoryCopy),
    Fill(MemoryFill),
    /// Frees memory.
    Free(Pointer),
    /// Marks the event's record with this number as done.
    Record(u64, u64),
    /// Waits for the event's record with this number.
    WaitEvent(u64, u64),
    /// Waits until a stream has completed this number of commands.
    After(u64, u64),
    Host(HostCall),
}
