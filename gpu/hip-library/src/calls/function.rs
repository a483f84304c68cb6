//! Calls that query kernels: attributes, and the number of workgroups that fit a compute unit.

use emulator::model::resident_workgroups;

use crate::error::{Error, Result, Status, enter};
use crate::ffi::{OutPointer, Pointer};
use crate::module::Function;
use crate::properties::capability;
use crate::registry::function;
use crate::state::state;

/// `hipFuncAttributes`.
#[repr(C)]
struct Attributes {
    binary_version: i32,
    cache_mode: i32,
    const_bytes: usize,
    local_bytes: usize,
    max_dynamic_lds_bytes: i32,
    max_workgroup_size: i32,
    registers: i32,
    carveout: i32,
    ptx_version: i32,
    lds_bytes: usize,
}

fn attributes(function: &Function) -> Result<Attributes> {
    let state = state()?;
    let kernel = function.kernel();
    let (major, minor) = capability(state.device.isa);
    let most = state.device.machine.slots.lds_bytes;
    Ok(Attributes {
        binary_version: 10 * major + minor,
        cache_mode: 0,
        const_bytes: 0,
        local_bytes: kernel.scratch_bytes as usize,
        max_dynamic_lds_bytes: most.saturating_sub(kernel.lds_bytes) as i32,
        max_workgroup_size: kernel.max_workgroup_size as i32,
        registers: kernel.allocated_vgprs as i32,
        carveout: 0,
        ptx_version: 10 * major + minor,
        lds_bytes: kernel.lds_bytes as usize,
    })
}

/// Returns the number of workgroups of `items` work-items that are resident on a processor.
fn resident(function: &Function, items: i32, dynamic_lds_bytes: usize) -> Result<u32> {
    let kernel = function.kernel();
    let state = state()?;
    let machine = &state.device.machine;
    let items = u32::try_from(items).map_err(|_| Error::InvalidValue)?;
    let lds = u32::try_from(dynamic_lds_bytes).map_err(|_| Error::InvalidValue)?;
    if items == 0 {
        return Err(Error::InvalidValue);
    }
    if items > kernel.max_workgroup_size {
        return Ok(0);
    }
    // HIP's multiprocessor is a workgroup processor on RDNA; a workgroup in CU mode uses one of
    // its units.
    let processor = machine.units_per_group.max(1);
    let units = if kernel.spans_units { 1 } else { processor };
    Ok(units * resident_workgroups(kernel, items, lds, machine))
}

/// Returns the number of workgroups that fill the device, and the workgroup size with the most
/// resident work-items.
fn potential(function: &Function, dynamic_lds_bytes: usize, limit: i32) -> Result<(i32, i32)> {
    let kernel = function.kernel();
    let lanes = kernel.wavefront_size as i32;
    let most = kernel.max_workgroup_size.min(1024) as i32;
    let most = if limit > 0 { most.min(limit) } else { most };
    let mut best = (0, 0, 0);
    for size in (1..=most / lanes.max(1)).map(|waves| waves * lanes) {
        let workgroups = resident(function, size, dynamic_lds_bytes)? as i32;
        // At equal counts, the largest workgroup wins.
        if workgroups * size >= best.0 {
            best = (workgroups * size, workgroups, size);
        }
    }
    let processors = state()?.device.processors() as i32;
    Ok((best.1 * processors, best.2))
}

#[unsafe(no_mangle)]
extern "C" fn hipFuncGetAttribute(
    value: OutPointer<i32>,
    attribute: i32,
    handle: Pointer,
) -> Status {
    enter(|| {
        let found = attributes(&function(handle)?)?;
        // `hipFunction_attribute`.
        value.put(match attribute {
            0 => found.max_workgroup_size,
            1 => found.lds_bytes as i32,
            2 => found.const_bytes as i32,
            3 => found.local_bytes as i32,
            4 => found.registers,
            5 => found.ptx_version,
            6 => found.binary_version,
            7 => found.cache_mode,
            8 => found.max_dynamic_lds_bytes,
            9 => found.carveout,
            _ => return Err(Error::InvalidValue),
        })
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipFuncGetAttributes(found: OutPointer<Attributes>, handle: Pointer) -> Status {
    enter(|| found.put(attributes(&function(handle)?)?))
}

#[unsafe(no_mangle)]
extern "C" fn hipFuncSetAttribute(handle: Pointer, _attribute: i32, _value: i32) -> Status {
    // The split of memory between LDS and cache changes nothing on these parts.
    enter(|| function(handle).map(drop))
}

#[unsafe(no_mangle)]
extern "C" fn hipFuncSetCacheConfig(handle: Pointer, _config: i32) -> Status {
    enter(|| function(handle).map(drop))
}

#[unsafe(no_mangle)]
extern "C" fn hipFuncSetSharedMemConfig(handle: Pointer, _config: i32) -> Status {
    enter(|| function(handle).map(drop))
}

/// Exports the queries in their four forms: for a handle or a host function, with or without
/// flags.
macro_rules! residents {
    ($($name:ident $(, $flags:ident)?;)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name(
                workgroups: OutPointer<i32>,
                handle: Pointer,
                items: i32,
                dynamic_lds_bytes: usize,
                $($flags: u32,)?
            ) -> Status {
                enter(|| {
                    workgroups.put(resident(&function(handle)?, items, dynamic_lds_bytes)? as i32)
                })
            }
        )*
    };
}

residents! {
    hipModuleOccupancyMaxActiveBlocksPerMultiprocessor;
    hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, _flags;
    hipOccupancyMaxActiveBlocksPerMultiprocessor;
    hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, _flags;
}

macro_rules! potentials {
    ($($name:ident $(, $flags:ident)?;)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name(
                grid: OutPointer<i32>,
                block: OutPointer<i32>,
                handle: Pointer,
                dynamic_lds_bytes: usize,
                limit: i32,
                $($flags: u32,)?
            ) -> Status {
                enter(|| {
                    let found = potential(&function(handle)?, dynamic_lds_bytes, limit)?;
                    grid.put(found.0)?;
                    block.put(found.1)
                })
            }
        )*
    };
}

potentials! {
    hipModuleOccupancyMaxPotentialBlockSize;
    hipModuleOccupancyMaxPotentialBlockSizeWithFlags, _flags;
    hipOccupancyMaxPotentialBlockSize;
}
