//! The one device: which it is, and what it answers about itself.

use configgen::Device as Row;
use emulator::Isa;
use emulator::model::Machine;

use crate::error::{Error, Result, Status, enter, explain};
use crate::ffi::{Out, Text};
use crate::state::{state, working};

/// Names the device.
const DEVICE: &str = "WAVETUNE_HIP_DEVICE";
/// The device where nothing is said.
const DEFAULT: &str = "mi300x";
/// Most instructions that a wave may execute before its kernel counts as one that hangs.
const INSTRUCTION_LIMIT: &str = "WAVETUNE_HIP_INSTRUCTION_LIMIT";
const DEFAULT_INSTRUCTION_LIMIT: u64 = 2_000_000_000;
/// `1`: the emulator's checker looks on, and a launch with findings fails.
const CHECK: &str = "WAVETUNE_HIP_CHECK";

/// The HIP whose interface this is: 6.3 (major * 10,000,000 + minor * 100,000).
const VERSION: i32 = 60_300_000;

/// An emulated device.
pub(crate) struct Device {
    pub(crate) row: &'static Row,
    pub(crate) machine: Machine,
    pub(crate) isa: Isa,
    pub(crate) memory_bytes: u64,
    pub(crate) instruction_limit: u64,
    pub(crate) check: bool,
}

impl Device {
    /// The device that the environment asks for; None, with the reason on standard error, if there is none.
    pub(crate) fn of_environment() -> Option<Device> {
        let name = std::env::var(DEVICE).unwrap_or_default();
        let name = if name.is_empty() { DEFAULT } else { &name };
        let Some(row) = Row::named(name) else {
            let names: Vec<&str> = configgen::DEVICES.iter().map(|row| row.name).collect();
            explain(format!(
                "{DEVICE}={name}: no such device; one of {}",
                names.join(", ")
            ));
            return None;
        };
        let isa = row.target().name;
        let isa = Isa::ALL.into_iter().find(|one| one.name() == isa)?;
        let limit = match std::env::var(INSTRUCTION_LIMIT).ok() {
            None => DEFAULT_INSTRUCTION_LIMIT,
            Some(text) => text.parse().unwrap_or_else(|_| {
                explain(format!("{INSTRUCTION_LIMIT}={text}: no number, not heeded"));
                DEFAULT_INSTRUCTION_LIMIT
            }),
        };
        Some(Device {
            row,
            machine: bench_harness::machine(row),
            isa,
            memory_bytes: row.dram_bytes.value as u64,
            instruction_limit: limit,
            check: std::env::var(CHECK).is_ok_and(|value| value == "1"),
        })
    }

    /// `EMULATED` and the product.
    pub(crate) fn name(&self) -> String {
        format!("EMULATED AMD {}", self.row.product)
    }

    /// The instruction set with the features that code for it must agree with (AMDGPUUsage, "Target ID"): parts of CDNA
    /// correct errors in registers and replay no page faults.
    pub(crate) fn arch(&self) -> String {
        let features = match self.isa {
            Isa::Gfx906 | Isa::Gfx90a | Isa::Gfx942 | Isa::Gfx950 => ":sramecc+:xnack-",
            _ => "",
        };
        format!("{}{features}", self.isa.name())
    }

    /// 16 characters, as ROCm's are: the same for the same device.
    pub(crate) fn uuid(&self) -> [u8; 16] {
        let mut uuid = *b"emulated-gpu-000";
        let name = self.row.name.as_bytes();
        let length = name.len().min(7);
        uuid[9..9 + length].copy_from_slice(&name[..length]);
        uuid
    }

    /// Compute units that a program sees: those of a workgroup processor count as one (RDNA).
    pub(crate) fn processors(&self) -> u32 {
        self.machine.compute_units / self.machine.units_per_group.max(1)
    }
}

/// The only device is number 0.
pub(crate) fn check_ordinal(device: i32) -> Result<()> {
    (device == 0).then_some(()).ok_or(Error::InvalidDevice)
}

#[unsafe(no_mangle)]
extern "C" fn hipInit(flags: u32) -> Status {
    enter(|| match flags {
        0 => state().map(drop),
        _ => Err(Error::InvalidValue),
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipGetDeviceCount(count: Out<i32>) -> Status {
    enter(|| {
        let found = state();
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
extern "C" fn hipGetDevice(device: Out<i32>) -> Status {
    enter(|| {
        state().map(drop)?;
        device.put(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGet(device: Out<i32>, ordinal: i32) -> Status {
    enter(|| {
        check_ordinal(ordinal)?;
        state().map(drop)?;
        device.put(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetName(name: Out<u8>, length: i32, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        let mut text = state()?.device.name().into_bytes();
        let length = usize::try_from(length).map_err(|_| Error::InvalidValue)?;
        text.truncate(length.checked_sub(1).ok_or(Error::InvalidValue)?);
        text.push(0);
        name.put_all(&text)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetUuid(uuid: Out<[u8; 16]>, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        uuid.put(state()?.device.uuid())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceTotalMem(bytes: Out<usize>, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        bytes.put(state()?.device.memory_bytes as usize)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetPCIBusId(id: Out<u8>, length: i32, device: i32) -> Status {
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
extern "C" fn hipDeviceGetByPCIBusId(device: Out<i32>, id: Text) -> Status {
    enter(|| match id.get()?.as_str() {
        "0000:00:00.0" => device.put(0),
        _ => Err(Error::InvalidDevice),
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipRuntimeGetVersion(version: Out<i32>) -> Status {
    enter(|| version.put(VERSION))
}

#[unsafe(no_mangle)]
extern "C" fn hipDriverGetVersion(version: Out<i32>) -> Status {
    enter(|| version.put(VERSION))
}

#[unsafe(no_mangle)]
extern "C" fn hipMemGetInfo(free: Out<usize>, total: Out<usize>) -> Status {
    enter(|| {
        let state = working()?;
        free.put_if_wanted((state.device.memory_bytes - state.space.used()) as usize);
        total.put_if_wanted(state.device.memory_bytes as usize);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceSynchronize() -> Status {
    enter(crate::stream::synchronize_all)
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        check_ordinal(peer)?;
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
    // They choose how a thread waits, which changes no result.
    enter(|| state().map(drop))
}

#[unsafe(no_mangle)]
extern "C" fn hipGetDeviceFlags(flags: Out<u32>) -> Status {
    enter(|| flags.put(0))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) -> Status {
    enter(|| {
        least.put_if_wanted(0);
        greatest.put_if_wanted(0);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: i32) -> Status {
    enter(|| {
        check_ordinal(device)?;
        let capability = crate::properties::capability(state()?.device.isa);
        major.put(capability.0)?;
        minor.put(capability.1)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceReset() -> Status {
    enter(|| {
        // What a kernel broke is what a reset is for.
        crate::stream::synchronize_all().ok();
        state()?.reset();
        Ok(())
    })
}

/// Settings that change no result: how much of a memory is cache.
#[unsafe(no_mangle)]
extern "C" fn hipDeviceSetCacheConfig(_config: i32) -> Status {
    enter(|| state().map(drop))
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetCacheConfig(config: Out<i32>) -> Status {
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
