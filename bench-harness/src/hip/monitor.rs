//! The monitor: clock and temperature of a GPU, if AMD SMI is installed and reports them.
//!
//! Types and numbers are those of `amd_smi/amdsmi.h` (github.com/ROCm/amdsmi at 0ceca28). Nothing
//! here is an error. Without the library, or in a guest without access, times are equally good
//! and have less context.

use std::ffi::{c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use libloading::Library;

use crate::timing::DeviceState;

/// The names of the library, the newest ABI first.
const NAMES: [&str; 4] = [
    "libamd_smi.so",
    "libamd_smi.so.26",
    "libamd_smi.so.25",
    "libamd_smi.so.24",
];

/// `AMDSMI_STATUS_SUCCESS`.
const SUCCESS: c_int = 0;
/// `AMDSMI_INIT_AMD_GPUS`.
const GPUS: u64 = 1 << 1;
/// `AMDSMI_CLK_TYPE_GFX`.
const ENGINE_CLOCK: c_int = 0;
/// `AMDSMI_TEMPERATURE_TYPE_EDGE` and `_HOTSPOT`. Some parts lack the first.
const EDGE: c_int = 0;
const HOTSPOT: c_int = 1;
/// `AMDSMI_TEMP_CURRENT`.
const CURRENT: c_int = 0;
/// A size in words above that of `amdsmi_clk_info_t`. The first word is the clock in MHz.
const CLOCK_INFO_WORDS: usize = 32;
/// The highest plausible temperature. The header states millidegrees, but the library has
/// returned degrees: larger numbers are millidegrees.
const HOTTEST_C: i64 = 1000;

type Processor = *mut c_void;

/// A GPU that AMD SMI reports on.
pub(super) struct Monitor {
    processor: Processor,
    clock: unsafe extern "C" fn(Processor, c_int, *mut u32) -> c_int,
    temperature: unsafe extern "C" fn(Processor, c_int, c_int, *mut i64) -> c_int,
}

impl Monitor {
    /// Finds the GPU at a PCI address, with the library beside HIP's or in the loader's search
    /// path.
    pub(super) fn find(hip: &Path, pci: &str) -> Option<Monitor> {
        let beside = hip.parent().filter(|folder| folder.is_absolute());
        let beside = beside
            .into_iter()
            .flat_map(|folder| NAMES.map(|name| folder.join(name)));
        let mut paths = beside.chain(NAMES.map(PathBuf::from));
        // SAFETY: loading runs the initialisers of AMD's library, which may run at any time.
        let library = paths.find_map(|path| unsafe { Library::new(path) }.ok())?;
        // The library has its own threads and state, so it stays loaded.
        let library = std::mem::ManuallyDrop::new(library);
        // SAFETY: the types are the header's, the structs are larger than the library's.
        unsafe {
            let start = library
                .get::<unsafe extern "C" fn(u64) -> c_int>(b"amdsmi_init")
                .ok()?;
            let processor = library
                .get::<unsafe extern "C" fn(u64, *mut Processor) -> c_int>(
                    b"amdsmi_get_processor_handle_from_bdf",
                )
                .ok()?;
            let clock = *library.get(b"amdsmi_get_clock_info").ok()?;
            let temperature = *library.get(b"amdsmi_get_temp_metric").ok()?;
            let mut found = null_mut();
            let is_there =
                start(GPUS) == SUCCESS && processor(address(pci)?, &mut found) == SUCCESS;
            is_there.then_some(Monitor {
                processor: found,
                clock,
                temperature,
            })
        }
    }

    /// Returns the current state.
    pub(super) fn state(&self) -> DeviceState {
        let mut info = [0u32; CLOCK_INFO_WORDS];
        // SAFETY: the struct is smaller than the buffer.
        let clock = unsafe { (self.clock)(self.processor, ENGINE_CLOCK, info.as_mut_ptr()) };
        let temperature = [EDGE, HOTSPOT].into_iter().find_map(|sensor| {
            let mut degrees = 0;
            // SAFETY: writes a number.
            let read = unsafe { (self.temperature)(self.processor, sensor, CURRENT, &mut degrees) };
            (read == SUCCESS && degrees != 0).then_some(match degrees > HOTTEST_C {
                true => degrees / 1000,
                false => degrees,
            })
        });
        DeviceState {
            clock_mhz: (clock == SUCCESS).then_some(info[0]),
            temperature_c: temperature.and_then(|degrees| i32::try_from(degrees).ok()),
        }
    }
}

/// Parses an address such as `0000:c1:00.0` to an `amdsmi_bdf_t`: 3 bits of function, 5 of
/// device, 8 of bus, then the domain.
fn address(pci: &str) -> Option<u64> {
    let numbers: Vec<u64> = pci
        .split([':', '.'])
        .map(|part| u64::from_str_radix(part, 16).ok())
        .collect::<Option<_>>()?;
    let [domain, bus, device, function] = numbers[..] else {
        return None;
    };
    Some(domain << 16 | bus << 8 | device << 3 | function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert_eq!(address("0000:c1:00.0"), Some(0xc100));
        assert_eq!(address("0001:03:1f.7"), Some(0x1_03ff));
        assert_eq!(address("c1:00.0"), None);
        assert_eq!(address("nowhere"), None);
    }
}
