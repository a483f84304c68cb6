//! Launches: a kernel with its grid and its arguments.

use emulator::ArgumentKind;
use emulator::model::{Machine, concurrent_workgroups};

use crate::error::{Error, Result};
use crate::ffi::{InPointer, Pointer, host_slice, host_value};
use crate::module::Function;

/// Entries of the list that passes arguments as one block (`HIP_LAUNCH_PARAM_*`).
const BUFFER_POINTER: Pointer = 1;
const BUFFER_SIZE: Pointer = 2;
const END: Pointer = 3;

/// A launch to be executed.
#[derive(Clone)]
pub(crate) struct LaunchCommand {
    pub(crate) function: Function,
    pub(crate) workgroups: [u32; 3],
    pub(crate) workgroup_size: [u32; 3],
    pub(crate) dynamic_lds_bytes: u32,
    /// The explicit arguments, in the kernel's layout.
    pub(crate) kernarg: Vec<u8>,
}

impl LaunchCommand {
    /// Returns the launch for the emulator. Each wave may execute `instruction_limit`
    /// instructions.
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
            // Only as many workgroups as the device holds wait for each other, as on hardware.
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

/// Returns the block of a kernel's explicit arguments. The program passes the address of each.
///
/// # Errors
/// [`Error::InvalidValue`] if an address is missing.
pub(crate) fn arguments(function: &Function, addresses: &InPointer<Pointer>) -> Result<Vec<u8>> {
    let mut block = Vec::new();
    let explicit = (function.kernel().arguments.iter())
        .filter(|argument| !matches!(argument.kind, ArgumentKind::Hidden(_)));
    for (index, argument) in explicit.enumerate() {
        let (start, size) = (argument.offset as usize, argument.size as usize);
        let bytes = host_slice(addresses.at(index)?, size)?;
        // Alignment gaps between arguments are zero.
        block.resize(block.len().max(start + size), 0);
        block[start..start + size].copy_from_slice(bytes);
    }
    Ok(block)
}

/// Returns the block of arguments that a list of `HIP_LAUNCH_PARAM_*` describes.
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

/// Returns the arguments in either form.
///
/// # Errors
/// [`Error::InvalidValue`] if both forms are given, or if none is given and the kernel has
/// arguments.
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
