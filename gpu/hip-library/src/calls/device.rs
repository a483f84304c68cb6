//! Calls that query the device, wait for it and reset it.

use crate::device::check_ordinal;
use crate::error::{Error, Status, enter};
use crate::ffi::{OutPointer, TextPointer};
use crate::properties::capability;
use crate::state::{healthy_state, state};
use crate::synchronization::{synchronize_all, wait_until_idle};

/// The version of HIP with this interface: 6.3 (major * 10,000,000 + minor * 100,000).
const VERSION: i32 = 60_300_000;

#[unsafe(no_mangle)]
extern "C" fn hipInit(flags: u32) -> Status {
    enter(|| match flags {
        0 => state().map(drop),
        _ => Err(Error::InvalidValue),
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGetDeviceCount(count: OutPointer<i32>) -> Status {
    enter(|| {
        let found = state();
        // Without a device the count is 0, and the error is returned, too.
        count.put(i32::from(found.is_ok()))?;
        found.map(drop)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipSetDevice(device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        state().map(drop)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGetDevice(device: OutPointer<i32>) -> Status {
    enter(|| {
        state().map(drop)?;
        device.put(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGet(device: OutPointer<i32>, ordinal: i32) -> Status {
    enter(|| {
        check_ordinal(ordinal)?;
        state().map(drop)?;
        device.put(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetName(name: OutPointer<u8>, length: i32, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        let mut text = state()?.device.name().into_bytes();
        let length = usize::try_from(length).map_err(|_| Error::InvalidValue)?;
        // The text ends with a zero byte, even if it is cut.
        text.truncate(length.checked_sub(1).ok_or(Error::InvalidValue)?);
        text.push(0);
        name.put_all(&text)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetUuid(uuid: OutPointer<[u8; 16]>, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        uuid.put(state()?.device.uuid())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceTotalMem(bytes: OutPointer<usize>, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        bytes.put(state()?.device.memory_bytes as usize)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetPCIBusId(id: OutPointer<u8>, length: i32, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        let text = b"0000:00:00.0\0";
        match usize::try_from(length) {
            Ok(length) if length >= text.len() => id.put_all(text),
            _ => Err(Error::InvalidValue),
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetByPCIBusId(device: OutPointer<i32>, id: TextPointer) -> Status {
    enter(|| match id.get()?.as_str() {
        "0000:00:00.0" => device.put(0),
        _ => Err(Error::InvalidDevice),
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipRuntimeGetVersion(version: OutPointer<i32>) -> Status {
    enter(|| version.put(VERSION))
}

#[unsafe(no_mangle)]
extern "C" fn hipDriverGetVersion(version: OutPointer<i32>) -> Status {
    enter(|| version.put(VERSION))
}

#[unsafe(no_mangle)]
extern "C" fn hipMemGetInfo(free: OutPointer<usize>, total: OutPointer<usize>) -> Status {
    enter(|| {
        let state = healthy_state()?;
        free.put_if_wanted((state.device.memory_bytes - state.space.used()) as usize);
        total.put_if_wanted(state.device.memory_bytes as usize);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceSynchronize() -> Status {
    enter(synchronize_all)
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceCanAccessPeer(can: OutPointer<i32>, device: i32, peer: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        check_ordinal(peer)?;
        // A device has no peer access to itself.
        can.put(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceEnablePeerAccess(_peer: i32, _flags: u32) -> Status {
    enter(|| Err(Error::InvalidDevice))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceDisablePeerAccess(_peer: i32) -> Status {
    enter(|| Err(Error::PeerAccessNotEnabled))
}

#[unsafe(no_mangle)]
extern "C" fn hipSetDeviceFlags(_flags: u32) -> Status {
    // The flags choose the way in which a thread waits, which changes no result.
    enter(|| state().map(drop))
}

#[unsafe(no_mangle)]
extern "C" fn hipGetDeviceFlags(flags: OutPointer<u32>) -> Status {
    enter(|| flags.put(0))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetStreamPriorityRange(
    least: OutPointer<i32>,
    greatest: OutPointer<i32>,
) -> Status {
    enter(|| {
        least.put_if_wanted(0);
        greatest.put_if_wanted(0);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceComputeCapability(
    major: OutPointer<i32>,
    minor: OutPointer<i32>,
    device: i32,
) -> Status {
    enter(|| {
        check_ordinal(device)?;
        let capability = capability(state()?.device.isa);
        major.put(capability.0)?;
        minor.put(capability.1)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceReset() -> Status {
    enter(|| {
        // A reset is for a device with a fault, so the fault is no error here.
        wait_until_idle()?.reset();
        Ok(())
    })
}

/// Ignores the setting, because the share of the cache changes no result.
#[unsafe(no_mangle)]
extern "C" fn hipDeviceSetCacheConfig(_config: i32) -> Status {
    enter(|| state().map(drop))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetCacheConfig(config: OutPointer<i32>) -> Status {
    enter(|| config.put(0))
}

#[unsafe(no_mangle)]
extern "C" fn hipProfilerStart() -> Status {
    enter(|| Ok(()))
}

#[unsafe(no_mangle)]
extern "C" fn hipProfilerStop() -> Status {
    enter(|| Ok(()))
}
