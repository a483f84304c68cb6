//! Faults with their location.

use crate::error::{FaultLocation, LaunchFault};
use crate::execute::{FaultCause, Wave, WorkgroupContext};
use crate::launch::KernelLaunch;
use crate::loaded_code_object::CodeObject;

pub(super) fn place(
    code: &CodeObject,
    launch: &KernelLaunch<'_>,
    wave: &Wave,
    workgroup: [u32; 3],
) -> FaultLocation {
    let instruction = code.program.instructions().get(wave.current);
    FaultLocation {
        kernel: launch.kernel.name.clone(),
        pc: instruction.map_or(0, |one| one.address),
        instruction: instruction.map_or_else(|| "(no instruction)".into(), |one| one.to_string()),
        workgroup,
        wave: wave.number,
    }
}

pub(super) fn fault(
    trouble: FaultCause,
    place: FaultLocation,
    device: &WorkgroupContext<'_>,
    wave: &Wave,
) -> LaunchFault {
    let place = Box::new(place);
    match trouble {
        FaultCause::Unsupported(reason) => LaunchFault::Unsupported { place, reason },
        FaultCause::OutOfBounds {
            lane,
            action,
            address,
            bytes,
        } => LaunchFault::OutOfBounds {
            place,
            lane,
            action,
            address,
            bytes,
            // The distance to an allocation shows off-by-one errors at once.
            nearest: device.memory.describe(address),
        },
        FaultCause::Lds {
            lane,
            offset,
            bytes,
        } => LaunchFault::Lds {
            place,
            lane,
            offset,
            bytes,
            lds_bytes: device.lds.len() as u32,
        },
        FaultCause::Scratch {
            lane,
            offset,
            bytes,
        } => LaunchFault::Scratch {
            place,
            lane,
            offset,
            bytes,
            scratch_bytes: wave.scratch_bytes,
        },
        FaultCause::Jump(target) => LaunchFault::Jump { place, target },
        FaultCause::Trap(id) => LaunchFault::Trap { place, id },
        FaultCause::InstructionLimit(limit) => LaunchFault::InstructionLimit { place, limit },
    }
}
