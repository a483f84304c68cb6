//! Calls that launch a kernel of a module.

use crate::command::Command;
use crate::error::{Error, Status, enter};
use crate::ffi::{InPointer, Pointer};
use crate::launch::{LaunchCommand, arguments_or_block};
use crate::state::healthy_state;
use crate::submission::{submit, submit_between_events};

#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "HIP's")]
extern "C" fn hipModuleLaunchKernel(
    function: u64,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    dynamic_lds_bytes: u32,
    stream: u64,
    addresses: InPointer<Pointer>,
    list: InPointer<Pointer>,
) -> Status {
    enter(|| {
        // The lock is released before the submission, which takes it again.
        let function = healthy_state()?.functions.get(function)?.clone();
        let launch = LaunchCommand {
            kernarg: arguments_or_block(&function, &addresses, &list)?,
            function,
            workgroups: [grid_x, grid_y, grid_z],
            workgroup_size: [block_x, block_y, block_z],
            dynamic_lds_bytes,
        };
        submit(stream, Command::Launch(launch))
    })
}

/// Launches like [`hipModuleLaunchKernel`], with the grid in work-items of whole workgroups, and
/// with events before and after it.
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "HIP's")]
extern "C" fn hipExtModuleLaunchKernel(
    function: u64,
    items_x: u32,
    items_y: u32,
    items_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    dynamic_lds_bytes: usize,
    stream: u64,
    addresses: InPointer<Pointer>,
    list: InPointer<Pointer>,
    start: u64,
    stop: u64,
    _flags: u32,
) -> Status {
    enter(|| {
        let function = healthy_state()?.functions.get(function)?.clone();
        let (items, block) = ([items_x, items_y, items_z], [block_x, block_y, block_z]);
        let mut workgroups = [0; 3];
        for axis in 0..3 {
            // A grid must have whole workgroups; a size of 0 would divide by zero.
            if block[axis] == 0 || !items[axis].is_multiple_of(block[axis]) {
                return Err(Error::InvalidConfiguration);
            }
            workgroups[axis] = items[axis] / block[axis];
        }
        let launch = LaunchCommand {
            kernarg: arguments_or_block(&function, &addresses, &list)?,
            function,
            workgroups,
            workgroup_size: block,
            dynamic_lds_bytes: u32::try_from(dynamic_lds_bytes)
                .map_err(|_| Error::InvalidConfiguration)?,
        };
        submit_between_events(start, stop, stream, launch)
    })
}
