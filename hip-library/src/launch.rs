//! Launches: a kernel with its grid and its arguments, and what becomes of them.

use emulator::{ArgumentKind, Fault};

use crate::command::Command;
use crate::error::{Error, Result, Status, enter, explain};
use crate::event;
use crate::ffi::{In, Pointer, host_slice, host_value};
use crate::module::Function;
use crate::state::{State, working};
use crate::stream::submit;

/// Entries of the list that holds arguments as one block (`HIP_LAUNCH_PARAM_*`).
const BUFFER_POINTER: Pointer = 1;
const BUFFER_SIZE: Pointer = 2;
const END: Pointer = 3;

/// A launch that is to happen.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) function: Function,
    pub(crate) workgroups: [u32; 3],
    pub(crate) workgroup_size: [u32; 3],
    pub(crate) dynamic_lds_bytes: u32,
    /// The explicit arguments, as the kernel lays them out.
    pub(crate) kernarg: Vec<u8>,
}

impl Launch {
    pub(crate) fn emulated(&self, instruction_limit: u64) -> emulator::Launch<'_> {
        emulator::Launch {
            kernel: self.function.kernel(),
            workgroups: self.workgroups,
            workgroup_size: self.workgroup_size,
            dynamic_lds_bytes: self.dynamic_lds_bytes,
            kernarg: &self.kernarg,
            only: None,
            instruction_limit,
            threads: 0,
        }
    }

    /// Executes it; returns its modelled microseconds.
    ///
    /// # Errors
    /// What HIP calls the fault, which is explained. One that a device does not survive is the device's answer from then
    /// on.
    pub(crate) fn run(&self, state: &mut State) -> Result<f64> {
        let time = crate::time::of(state, self);
        let launch = self.emulated(state.device.instruction_limit);
        let (code, memory) = (&self.function.code, &mut state.space.memory);
        let result = if state.device.check {
            let checked = emulator::check(code, memory, &launch);
            for finding in &checked.findings {
                explain(finding);
            }
            match checked.result {
                Ok(_) if !checked.findings.is_empty() => Err(Error::LaunchFailure),
                result => result.map_err(|fault| error_of(&fault)),
            }
        } else {
            emulator::run(code, memory, &launch).map_err(|fault| error_of(&fault))
        };
        match result {
            Ok(_) => Ok(time.unwrap_or_else(|fault| {
                explain(format!(
                    "modelled as an empty launch, because of its sample {fault}"
                ));
                state.device.machine.launch.floor_us
            })),
            Err(error) => {
                if !matches!(error, Error::InvalidConfiguration | Error::OutOfMemory) {
                    state.fault = Some(error);
                }
                Err(error)
            }
        }
    }
}

/// What HIP calls a fault.
fn error_of(fault: &Fault) -> Error {
    explain(fault);
    match fault {
        Fault::Launch { .. } => Error::InvalidConfiguration,
        Fault::Memory(_) => Error::OutOfMemory,
        Fault::OutOfBounds { .. } => Error::IllegalAddress,
        Fault::InstructionLimit { .. } => Error::LaunchTimeOut,
        _ => Error::LaunchFailure,
    }
}

/// The block of a kernel's explicit arguments, of which the program has an address each.
///
/// # Errors
/// [`Error::InvalidValue`] where an address is missing.
pub(crate) fn arguments(function: &Function, addresses: &In<Pointer>) -> Result<Vec<u8>> {
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
fn described(list: &In<Pointer>) -> Result<Vec<u8>> {
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
    addresses: &In<Pointer>,
    list: &In<Pointer>,
) -> Result<Vec<u8>> {
    match (addresses.is_null(), list.is_null()) {
        (_, true) => arguments(function, addresses),
        (true, false) => described(list),
        (false, false) => Err(Error::InvalidValue),
    }
}

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
    addresses: In<Pointer>,
    list: In<Pointer>,
) -> Status {
    enter(|| {
        let function = working()?.functions.get(function)?.clone();
        let launch = Launch {
            kernarg: arguments_or_block(&function, &addresses, &list)?,
            function,
            workgroups: [grid_x, grid_y, grid_z],
            workgroup_size: [block_x, block_y, block_z],
            dynamic_lds_bytes,
        };
        submit(stream, Command::Launch(launch))
    })
}

/// As [`hipModuleLaunchKernel`], with the grid in work-items, of whole workgroups, and an event before and after it.
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
    addresses: In<Pointer>,
    list: In<Pointer>,
    start: u64,
    stop: u64,
    _flags: u32,
) -> Status {
    enter(|| {
        let function = working()?.functions.get(function)?.clone();
        let (items, block) = ([items_x, items_y, items_z], [block_x, block_y, block_z]);
        let mut workgroups = [0; 3];
        for axis in 0..3 {
            if block[axis] == 0 || !items[axis].is_multiple_of(block[axis]) {
                return Err(Error::InvalidConfiguration);
            }
            workgroups[axis] = items[axis] / block[axis];
        }
        let launch = Launch {
            kernarg: arguments_or_block(&function, &addresses, &list)?,
            function,
            workgroups,
            workgroup_size: block,
            dynamic_lds_bytes: u32::try_from(dynamic_lds_bytes)
                .map_err(|_| Error::InvalidConfiguration)?,
        };
        between(start, stop, stream, launch)
    })
}

/// Submits a launch between the records of two events, of which either may be none.
///
/// # Errors
/// As [`submit`].
pub(crate) fn between(start: u64, stop: u64, stream: u64, launch: Launch) -> Result<()> {
    if start != 0 {
        event::record(start, stream)?;
    }
    submit(stream, Command::Launch(launch))?;
    if stop != 0 {
        event::record(stop, stream)?;
    }
    Ok(())
}
