//! Device facts: the library's description of a device, and the matching row of the device table.

use std::ffi::c_int;
use std::fmt;
use std::path::Path;

use configgen::{Clock, DEVICES, Device as DeviceRow, RuntimeDevice, Target};
use serde::{Deserialize, Serialize};

use super::api::{PROPERTIES_BYTES, Properties};
use super::error::HipError;
use super::library::Hip;
use crate::device::{Driver, Identity};
use crate::timing::Mode;

/// The beginning of an emulated device's name, which our own HIP library reports.
const EMULATED: &str = "EMULATED";

/// The file with the version of AMD's kernel driver, if the driver is a module of its own.
const KERNEL_DRIVER: &str = "/sys/module/amdgpu/version";

/// The facts that a library reports about a device and itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HipDeviceFacts {
    /// The device's number among those that the process sees.
    pub ordinal: u32,
    /// The product name, such as `AMD Instinct MI300X`. For our own library, it begins with
    /// `EMULATED`.
    pub name: String,
    /// The ISA and features, such as `gfx942:sramecc+:xnack-`.
    pub arch: String,
    /// The number of compute units, or of workgroup processors on RDNA.
    pub multiprocessors: u32,
    /// The peak engine clock in kHz.
    pub clock_khz: u32,
    /// The peak memory clock in kHz.
    pub memory_clock_khz: u32,
    /// The width of the memory bus in bits.
    pub memory_bus_bits: u32,
    /// The memory size in bytes.
    pub memory_bytes: u64,
    /// The PCI address, such as `0000:c1:00.0`.
    pub pci: String,
    /// The unique ID of the device. `None` before ROCm 6, or if the device has none.
    pub uuid: Option<String>,
    /// The version of the runtime library, such as `6.3.42134`.
    pub runtime: String,
    /// The version of the driver that the runtime was made for.
    pub driver: String,
    /// The version of the kernel module, if it reports one.
    pub kernel_driver: Option<String>,
    /// The path of the library.
    pub library: String,
    /// The hash of the library's file, if the library is an emulator and thus both driver and
    /// device.
    pub software: Option<String>,
}

/// The offsets of the fields in one version of `hipDeviceProp_t`.
struct Layout {
    total_memory: usize,
    clock_rate: usize,
    memory_clock_rate: usize,
    memory_bus_width: usize,
    multiprocessors: usize,
    pci_domain: usize,
    pci_bus: usize,
    pci_device: usize,
    arch: usize,
    uuid: Option<usize>,
}

/// The offsets by a C compiler, for the struct of ROCm/HIP at c5e11fc (1472 bytes in all), and at
/// 4d014ce (792 bytes).
const R0600: Layout = Layout {
    total_memory: 288,
    clock_rate: 348,
    memory_clock_rate: 608,
    memory_bus_width: 612,
    multiprocessors: 388,
    pci_domain: 592,
    pci_bus: 584,
    pci_device: 588,
    arch: 1160,
    uuid: Some(256),
};
const R0000: Layout = Layout {
    total_memory: 256,
    clock_rate: 308,
    memory_clock_rate: 312,
    memory_bus_width: 316,
    multiprocessors: 336,
    pci_domain: 364,
    pci_bus: 368,
    pci_device: 372,
    arch: 396,
    uuid: None,
};

/// The sizes in bytes of the texts and the UUID in either struct.
const TEXT_BYTES: usize = 256;
const UUID_BYTES: usize = 16;

/// A filled `hipDeviceProp_t`.
struct FilledProperties<'a>(&'a [u8]);

impl FilledProperties<'_> {
    fn text(&self, at: usize) -> String {
        let bytes = &self.0[at..at + TEXT_BYTES];
        let end = bytes.iter().position(|&byte| byte == 0);
        String::from_utf8_lossy(&bytes[..end.unwrap_or(TEXT_BYTES)]).into_owned()
    }

    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        std::array::from_fn(|n| self.0[at + n])
    }

    /// Reads an `int`. A negative one is no count or rate and becomes 0.
    fn number(&self, at: usize) -> u32 {
        u32::try_from(i32::from_ne_bytes(self.bytes(at))).unwrap_or(0)
    }

    /// Reads the UUID. ROCm returns 16 characters; other bytes are printed in hexadecimal. Zeros
    /// mean that there is none.
    fn uuid(&self, at: usize) -> Option<String> {
        let uuid: [u8; UUID_BYTES] = self.bytes(at);
        if uuid == [0; UUID_BYTES] {
            return None;
        }
        let text: Vec<u8> = uuid.into_iter().take_while(|&byte| byte != 0).collect();
        Some(
            match text.iter().all(u8::is_ascii_graphic) && !text.is_empty() {
                true => text.into_iter().map(char::from).collect(),
                false => uuid.iter().map(|byte| format!("{byte:02x}")).collect(),
            },
        )
    }
}

impl HipDeviceFacts {
    /// Reads the facts from the library.
    pub(super) fn read(hip: &Hip, ordinal: u32) -> Result<HipDeviceFacts, HipError> {
        let mut properties = vec![0u8; PROPERTIES_BYTES];
        let (call, layout, read) = match hip.api.properties {
            Properties::R0600(read) => ("hipGetDevicePropertiesR0600", R0600, read),
            Properties::R0000(read) => ("hipGetDeviceProperties", R0000, read),
        };
        // SAFETY: the function fills a struct that is smaller than the buffer.
        let code = unsafe { read(properties.as_mut_ptr().cast(), ordinal as c_int) };
        hip.check(call, code)?;
        let filled = FilledProperties(&properties);
        let name = filled.text(0);
        let runtime = hip.number("hipRuntimeGetVersion", hip.api.hipRuntimeGetVersion)?;
        let driver = hip.number("hipDriverGetVersion", hip.api.hipDriverGetVersion)?;
        // Only a driver installed as its own module has this file; the kernel's built-in one has
        // none.
        let kernel_driver = std::fs::read_to_string(KERNEL_DRIVER).ok();
        Ok(HipDeviceFacts {
            ordinal,
            software: is_emulated(&name).then(|| hash(&hip.path)),
            name,
            arch: filled.text(layout.arch),
            multiprocessors: filled.number(layout.multiprocessors),
            clock_khz: filled.number(layout.clock_rate),
            memory_clock_khz: filled.number(layout.memory_clock_rate),
            memory_bus_bits: filled.number(layout.memory_bus_width),
            memory_bytes: u64::from_ne_bytes(filled.bytes(layout.total_memory)),
            pci: format!(
                "{:04x}:{:02x}:{:02x}.0",
                filled.number(layout.pci_domain),
                filled.number(layout.pci_bus),
                filled.number(layout.pci_device)
            ),
            uuid: layout.uuid.and_then(|at| filled.uuid(at)),
            runtime: version(runtime),
            driver: version(driver),
            kernel_driver: kernel_driver.map(|text| text.trim().to_owned()),
            library: hip.path.display().to_string(),
        })
    }

    /// Returns true if the device is an emulator.
    pub fn is_emulated(&self) -> bool {
        is_emulated(&self.name)
    }

    /// Returns the device's row in the table.
    ///
    /// # Errors
    /// [`UnknownPart`].
    pub fn row(&self) -> Result<&'static DeviceRow, UnknownPart> {
        let isa = self.arch.split(':').next().unwrap_or_default();
        // On RDNA, a library may count workgroup processors in place of compute units.
        let counts = |row: &DeviceRow| {
            let groups = row.compute_units / row.target().cus_per_group;
            [row.compute_units, groups].contains(&self.multiprocessors)
        };
        let of_isa = DEVICES.iter().filter(|row| row.target().name == isa);
        let mut alike = of_isa.filter(|row| counts(row));
        let found = alike.find(|row| is_named(&self.name, row.product));
        found.ok_or_else(|| UnknownPart {
            name: self.name.clone(),
            isa: isa.to_owned(),
            multiprocessors: self.multiprocessors,
            is_known_isa: Target::named(isa).is_some(),
        })
    }

    /// Returns the facts about the device itself.
    fn part(&self) -> RuntimeDevice {
        RuntimeDevice {
            name: self.name.clone(),
            isa: self.arch.clone(),
            multiprocessors: self.multiprocessors,
            clock_mhz: self.clock_khz / 1000,
            memory_mib: self.memory_bytes >> 20,
            memory_clock_mhz: self.memory_clock_khz / 1000,
            memory_bits: self.memory_bus_bits,
        }
    }

    /// Returns the device's part of a measurement's provenance, for times in this mode.
    ///
    /// # Errors
    /// [`UnknownPart`].
    pub fn identity(&self, mode: Mode) -> Result<Identity, UnknownPart> {
        let row = self.row()?;
        Ok(Identity {
            name: format!("hip:{}", row.name),
            row,
            part: Some(self.part()),
            driver: Driver {
                name: "HIP".to_owned(),
                version: self.driver.clone(),
                runtime_version: self.runtime.clone(),
                kernel_version: self.kernel_driver.clone().unwrap_or_default(),
                model: self.software.clone().unwrap_or_default(),
            },
            clock: match self.is_emulated() {
                true => Clock::Modelled,
                false => Clock::Measured,
            },
            timing_mode: mode.name(),
        })
    }
}

/// Formats all facts that influence a time, on one line.
impl fmt::Display for HipDeviceFacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}; HIP runtime {}, driver {}",
            self.part(),
            self.runtime,
            self.driver
        )?;
        if let Some(version) = &self.kernel_driver {
            write!(f, ", amdgpu {version}")?;
        }
        match &self.software {
            Some(hash) => write!(f, ", library {hash}"),
            None => Ok(()),
        }
    }
}

/// The error for a device without a row in the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the device table lacks {name:?} ({isa}, {multiprocessors} multiprocessors), and bounds and cache flushes need \
     its figures{advice}",
    advice = self.advice()
)]
pub struct UnknownPart {
    name: String,
    isa: String,
    multiprocessors: u32,
    is_known_isa: bool,
}

impl UnknownPart {
    fn advice(&self) -> &'static str {
        match self.is_known_isa {
            true => {
                ": add a row to configgen/src/device/table.rs (CONTRIBUTING.md, \"A device of a known target\"); the \
                 table has only unpartitioned devices"
            }
            false => ", and wavetune cannot make kernels for this ISA",
        }
    }
}

fn is_emulated(name: &str) -> bool {
    name.starts_with(EMULATED)
}

/// Returns true if a name may belong to a product. A name without a number
/// (`AMD Radeon Graphics`) may belong to any product. A name with a number must match: MI325X has
/// as many compute units as MI300X, but other memory.
fn is_named(name: &str, product: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let split = text.split(|c: char| !c.is_ascii_alphanumeric());
        let words = split.filter(|word| word.chars().filter(char::is_ascii_digit).count() >= 2);
        words.map(str::to_uppercase).collect()
    };
    let (named, numbers) = (words(name), words(product));
    named.is_empty() || named.iter().any(|word| numbers.contains(word))
}

/// Formats `HIP_VERSION`: major * 10,000,000 + minor * 100,000 + patch.
fn version(number: c_int) -> String {
    let (major, rest) = (number / 10_000_000, number % 10_000_000);
    format!("{major}.{}.{}", rest / 100_000, rest % 100_000)
}

/// Returns the first digits of a file's hash.
fn hash(path: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    let read = std::fs::File::open(path).and_then(|file| std::io::copy(&mut { file }, &mut hasher));
    match read {
        Ok(_) => hasher.finalize().to_hex()[..8].to_owned(),
        Err(_) => "of an unknown version".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(name: &str, arch: &str, multiprocessors: u32) -> HipDeviceFacts {
        HipDeviceFacts {
            ordinal: 0,
            name: name.to_owned(),
            arch: arch.to_owned(),
            multiprocessors,
            clock_khz: 2_100_000,
            memory_clock_khz: 1_300_000,
            memory_bus_bits: 8192,
            memory_bytes: 192 << 30,
            pci: "0000:c1:00.0".to_owned(),
            uuid: None,
            runtime: version(60_342_134),
            driver: version(60_342_134),
            kernel_driver: Some("6.10.5".to_owned()),
            library: "libamdhip64.so".to_owned(),
            software: None,
        }
    }

    #[track_caller]
    fn check(name: &str, arch: &str, multiprocessors: u32, expected: Result<&str, &str>) {
        let row = facts(name, arch, multiprocessors).row();
        match (row, expected) {
            (Ok(row), Ok(expected)) => assert_eq!(row.name, expected),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, expected) => panic!("{name}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn rows_of_devices() {
        let mi300 = "gfx942:sramecc+:xnack-";
        check("AMD Instinct MI300X", mi300, 304, Ok("mi300x"));
        check("AMD Instinct MI300X OAM", mi300, 304, Ok("mi300x"));
        check("AMD Instinct MI300A", mi300, 228, Ok("mi300a"));
        check("EMULATED AMD Instinct MI300X", mi300, 304, Ok("mi300x"));
        check(
            "AMD Instinct MI250X/MI250",
            "gfx90a:sramecc+:xnack-",
            110,
            Ok("mi250x"),
        );
        check("AMD Radeon RX 7900 XTX", "gfx1100", 48, Ok("rx7900xtx"));
        check("AMD Radeon Graphics", "gfx1100", 96, Ok("rx7900xtx"));
        check("AMD Instinct MI325X", mi300, 304, Err("CONTRIBUTING.md"));
        check("AMD Instinct MI300X", mi300, 38, Err("partitioned"));
        check(
            "AMD Radeon RX 7900 XT",
            "gfx1100",
            42,
            Err("\"AMD Radeon RX 7900 XT\" (gfx1100, 42"),
        );
        check(
            "AMD Radeon RX 5700 XT",
            "gfx1010",
            20,
            Err("cannot make kernels"),
        );
    }

    /// Checks that our own library's facts select every row.
    #[test]
    fn every_row_is_found() {
        for row in &DEVICES {
            let name = format!("EMULATED AMD {}", row.product);
            let groups = row.compute_units / row.target().cus_per_group;
            check(&name, row.target().name, groups, Ok(row.name));
        }
    }

    #[track_caller]
    fn check_identity(name: &str, clock: Clock) {
        let identity = facts(name, "gfx942:sramecc+:xnack-", 304)
            .identity(Mode::Warm)
            .unwrap();
        assert_eq!(
            (identity.name.as_str(), identity.clock),
            ("hip:mi300x", clock)
        );
        let part = identity.part.unwrap();
        let told = "gfx942:sramecc+:xnack-, 304 multiprocessors at 2100 MHz, 196608 MiB at 1300 MHz and 8192 bits";
        assert_eq!(part.to_string(), format!("{name}, {told}"));
        let driver = Driver {
            name: "HIP".to_owned(),
            version: "6.3.42134".to_owned(),
            runtime_version: "6.3.42134".to_owned(),
            kernel_version: "6.10.5".to_owned(),
            model: identity.driver.model.clone(),
        };
        assert_eq!(identity.driver, driver);
    }

    #[test]
    fn software_devices_have_the_modelled_clock() {
        check_identity("AMD Instinct MI300X", Clock::Measured);
        check_identity("EMULATED AMD Instinct MI300X", Clock::Modelled);
    }
}
