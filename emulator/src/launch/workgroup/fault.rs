//! Faults, with the place where they occurred.

use crate::error::{Fault, Place};
use crate::execute::{Device, Trouble, Wave};
use crate::launch::Launch;
use crate::loaded::CodeObject;

pub(super) fn place(
    code: &CodeObject,
    launch: &Launch<'_>,
    wave: &Wave,
    workgroup: [u32; 3],
) -> Place {
    let instruction = code.program.instructions().get(wave.current);
    Place {
        kernel: launch.kernel.name.clone(),
        pc: instruction.map_or(0, |one| one.address),
        instruction: instruction.map_or_else(|| "(no instruction)".into(), |one| one.to_string()),
        workgroup,
        wave: wave.number,
    }
}

pub(super) fn fault(trouble: Trouble, place: Place, device: &Device<'_>, wave: &Wave) -> Fault {
    let place = Box::new(place);
    match trouble {
        Trouble::Unsupported(reason) => Fault::Unsupported { place, reason },
        Trouble::OutOfBounds {
            lane,
            action,
            address,
            bytes,
        } => Fault::OutOfBounds {
            place,
            lane,
            action,
            address,
            bytes,
            nearest: device.memory.describe(address),
        },
        Trouble::Lds {
            lane,
            offset,
            bytes,
        } => Fault::Lds {
            place,
            lane,
            offset,
            bytes,
            lds_bytes: device.lds.len() as u32,
        },
        Trouble::Scratch {
            lane,
            offset,
            bytes,
        } => Fault::Scratch {
            place,
            lane,
            offset,
            bytes,
            scratch_bytes: wave.scratch_bytes,
        },
        Trouble::Jump(target) => Fault::Jump { place, target },
        Trouble::Trap(id) => Fault::Trap { place, id },
        Trouble::InstructionLimit(limit) => Fault::InstructionLimit { place, limit },
    }
}
