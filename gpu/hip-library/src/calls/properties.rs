//! Calls that return the device's figures.

use crate::device::check_ordinal;
use crate::error::{Result, Status, enter};
use crate::ffi::OutPointer;
use crate::properties::{NEW_BYTES, OLD_BYTES, attribute, structure};
use crate::state::state;

fn old_structure(properties: OutPointer<[u8; OLD_BYTES]>, device: i32) -> Result<()> {
    // 396 is the offset of `gcnArchName` in the old structure.
    check_ordinal(device)?;
    properties.put(structure(&state()?.device, 396, |figure| figure.old))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetAttribute(value: OutPointer<i32>, number: i32, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        value.put(attribute(&state()?.device, number)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGetDevicePropertiesR0600(
    properties: OutPointer<[u8; NEW_BYTES]>,
    device: i32,
) -> Status {
    enter(|| {
        check_ordinal(device)?;
        let state = state()?;
        let uuid = 256..272;
        let mut bytes: [u8; NEW_BYTES] = structure(&state.device, 1160, |figure| figure.new);
        bytes[uuid].copy_from_slice(&state.device.uuid());
        properties.put(bytes)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGetDeviceProperties(
    properties: OutPointer<[u8; OLD_BYTES]>,
    device: i32,
) -> Status {
    enter(|| old_structure(properties, device))
}

#[unsafe(no_mangle)]
extern "C" fn hipGetDevicePropertiesR0000(
    properties: OutPointer<[u8; OLD_BYTES]>,
    device: i32,
) -> Status {
    enter(|| old_structure(properties, device))
}
