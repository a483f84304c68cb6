//! Launches: a kernel with its grid and its arguments.

use emulator::ArgumentKind;
use emulator::model::{Machine, concurrent_workgroups};

use crate::error::{Error, Result};
use crate::ffi::{InPointer, Pointer, host_slice, host_value};
use crate::module::Function;

/// Entries of the list that holds arguments as one block (`HIP_LAUNCH_PARAM_*`).
const BUFFER_POINTER: Pointer = 1;
const BUFFER_SIZE: Pointer = 2;
const END: Pointer = 3;

/// A launch that is to happen.
#[derive(Clone)]
pub(crate) struct LaunchCommand {
    pub(crate) function: Function,
    pub(crate) workgroups: [u32; 3],
    pub(crate) workgroup_size: [u32; 3],
    pub(crate) dynamic_lds_bytes: u32,
    /// The explicit arguments, as the kernel lays them out.
    pub(crate) kernarg: Vec<u8>,
}

impl LaunchCommand {
    /// The launch on a device, each of whose waves may execute so many instructions.
    pub(crate) fn emulated(
        &self,
        machine: &Machine,
        instruction_limit: u64,
    ) -> emulator::KernelLaunch<'_> {
        let kernel = self.function.kernel();
        let items = (self.workgroup_size.into_iter()).fold(1, u32::saturating_mul);
        emulator::KernelLaunch {
            kernel,
            workgroups: self.workgroups,
            workgroup_size: self.workgroup_size,
            dynamic_lds_bytes: self.dynamic_lds_bytes,
            kernarg: &self.kernarg,
            workgroup_subset: None,
            instruction_limit,
            resident_workgroups: concurrent_workgroups(
                kernel,
                items,
                self.dynamic_lds_bytes,
                machine,
            ),
            threads: 0,
        }
    }
}

/// The block of a kernel's explicit arguments, of which the program has an address each.
///
/// # Errors
/// [`Error::InvalidValue`] where an address is missing.
pub(crate) fn arguments(function: &Function, addresses: &InPointer<Pointer>) -> Result<Vec<u8>> {
    let mut block = Vec::new();
    let explicit = (function.kernel().arguments.iter())
        .filter(|argument| !matches!(argument.kind, ArgumentKind::Hidden(_)));
    for (index, argument) in explicit.enumerate() {
        let (start, size) = (argument.offset as usize, argument.size as usize);
        let bytes = host_slice(addresses.at(index)?, size)?;
        block.resize(block.len().max(start + size), 0);
        block[start..start + size].copy_from_slice(bytes);
    }
    Ok(block)
}

/// The block of arguments that a list of `HIP_LAUNCH_PARAM_*` describes.
fn described(list: &InPointer<Pointer>) -> Result<Vec<u8>> {
    let (mut start, mut bytes) = (0, 0);
    for pair in 0..2 {
        match list.at(2 * pair)? {
            BUFFER_POINTER => start = list.at(2 * pair + 1)?,
            BUFFER_SIZE => bytes = host_value::<usize>(list.at(2 * pair + 1)?)?,
            END => break,
            _ => return Err(Error::InvalidValue),
        }
    }
    Ok(host_slice(start, bytes)?.to_vec())
}

/// The arguments in whichever form they are given.
///
/// # Errors
/// [`Error::InvalidValue`] if they are given in both or in none and the kernel has some.
pub(crate) fn arguments_or_block(
    function: &Function,
    addresses: &InPointer<Pointer>,
    list: &InPointer<Pointer>,
) -> Result<Vec<u8>> {
    match (addresses.is_null(), list.is_null()) {
        (_, true) => arguments(function, addresses),
        (true, false) => described(list),
        (false, false) => Err(Error::InvalidValue),
    }
}
