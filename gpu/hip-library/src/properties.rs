//! The device's figures, by attribute and as `hipDeviceProp_t` in both layouts.
//!
//! Offsets, sizes and numbers are those of ROCm's `hip_runtime_api.h` and `hip_deprecated.h` (HIP
//! 6.3). A structure is filled at offsets, because most of its fields (textures, surfaces,
//! CUDA's) are 0 here.

use emulator::Isa;

use crate::device::SelectedDevice;
use crate::error::{Error, Result};

/// The bytes of `hipDeviceProp_tR0600` and of `hipDeviceProp_tR0000`.
pub(crate) const NEW_BYTES: usize = 1472;
pub(crate) const OLD_BYTES: usize = 792;
/// The largest workgroup, in work-items, in total and per dimension (AMDGPUUsage: the dispatch
/// packet; ROCm's runtime).
const WORKGROUP_ITEMS: u64 = 1024;
/// The largest number of workgroups per dimension in ROCm (`hip_device.cpp`).
const GRID: [u64; 3] = [i32::MAX as u64, u16::MAX as u64, u16::MAX as u64];
/// The rate of the counter that `wall_clock64` reads on these parts, in kHz (ROCm: 100 MHz).
const WALL_CLOCK_KHZ: u64 = 100_000;
/// The flags of `hipDeviceArch_t`, one bit each: global and shared atomics of 32 and 64 bits,
/// doubles, votes, ballots, shuffles, system fences, grids in three dimensions.
const ARCH: u64 = 0b0100_1011_1111_1111;

/// A figure, and its places in the API.
pub(crate) struct Figure {
    /// The number of the attribute (`hipDeviceAttribute_t`).
    attribute: Option<i32>,
    /// The offset and bytes in the new structure, and in the old one.
    pub(crate) new: Option<(usize, usize)>,
    pub(crate) old: Option<(usize, usize)>,
    value: u64,
}

/// Returns the major and minor number of an instruction set: its first digits, and the one before
/// the last.
pub(crate) fn capability(isa: Isa) -> (i32, i32) {
    let digits = isa.name().trim_start_matches("gfx");
    let digit = |at: usize| i32::from_str_radix(&digits[at..=at], 16).unwrap_or(0);
    let last = digits.len() - 2;
    (digits[..last].parse().unwrap_or(0), digit(last))
}

fn figures(device: &SelectedDevice) -> Vec<Figure> {
    let (machine, row) = (&device.machine, device.row);
    let slots = &machine.slots;
    let (major, minor) = capability(device.isa);
    let khz = (machine.clock_ghz * 1e6) as u64;
    let processors = u64::from(device.processors());
    let units = u64::from(machine.units_per_group.max(1));
    let lds = u64::from(slots.lds_bytes);
    let waves = u64::from(slots.simds * slots.waves_per_simd) * units;
    let registers = u64::from(slots.vgprs * slots.lanes * slots.simds) * units;
    let l2 = row
        .nearest(|row| row.l2_bytes)
        .map_or(0, |(_, bytes)| bytes.value as u64);
    // The table has no bus and no bus clock. These figures give the peak, with 1,024 bits and two
    // bits per clock.
    let bus_bits = 1024;
    let bus_khz = (row.dram_peak.value * 1e9 / f64::from(bus_bits) * 8.0 / 2.0 / 1e3) as u64;
    // Offset 0 holds the name, so it means "not in this structure".
    let int = |attribute, new: usize, old: usize, value| Figure {
        attribute,
        new: (new > 0).then_some((new, 4)),
        old: (old > 0).then_some((old, 4)),
        value,
    };
    let long = |attribute, new: usize, old: usize, value| Figure {
        attribute,
        new: (new > 0).then_some((new, 8)),
        old: (old > 0).then_some((old, 8)),
        value,
    };
    let items = WORKGROUP_ITEMS;
    vec![
        long(Some(84), 288, 256, device.memory_bytes),
        long(Some(74), 296, 264, lds),
        int(Some(71), 304, 272, registers),
        int(Some(87), 308, 276, slots.lanes.into()),
        long(Some(58), 312, 712, i32::MAX as u64),
        int(Some(56), 320, 280, items),
        int(Some(26), 324, 284, items),
        int(Some(27), 328, 288, items),
        int(Some(28), 332, 292, items),
        int(Some(29), 336, 296, GRID[0]),
        int(Some(30), 340, 300, GRID[1]),
        int(Some(31), 344, 304, GRID[2]),
        int(Some(5), 348, 308, khz),
        long(Some(83), 352, 320, i32::MAX as u64),
        int(Some(23), 360, 328, major as u64),
        int(Some(61), 364, 332, minor as u64),
        long(Some(81), 368, 720, 256),
        int(Some(63), 388, 336, processors),
        int(Some(3), 400, 388, 1),
        int(Some(8), 576, 360, 1),
        int(Some(2), 600, 0, 1),
        int(Some(85), 604, 0, 1),
        int(Some(60), 608, 312, bus_khz),
        int(Some(59), 612, 316, bus_bits as u64),
        int(Some(19), 616, 340, l2),
        int(Some(57), 624, 344, waves * u64::from(slots.lanes)),
        long(Some(76), 640, 0, lds * units),
        int(Some(72), 648, 0, registers),
        int(Some(24), 652, 772, 1),
        int(Some(9), 676, 780, 0),
        long(Some(75), 696, 0, lds),
        int(Some(25), 712, 0, waves),
        int(Some(90), 728, 0, 1),
        int(Some(88), 744, 0, 1),
        long(Some(10002), 1416, 376, lds * units),
        int(Some(10000), 1424, 352, WALL_CLOCK_KHZ),
        int(None, 1428, 356, ARCH),
        int(None, 0, 392, 0),
        int(Some(10015), 0, 0, processors),
        int(Some(10016), 0, 0, 0),
        int(Some(10017), 0, 0, WALL_CLOCK_KHZ),
    ]
}

/// The ranges of attribute numbers. An attribute without a figure is 0: the device lacks the
/// feature.
const NONE: std::ops::Range<i32> = 0..92;
const NONE_OF_AMD: std::ops::Range<i32> = 10000..10018;

/// Returns the figure of this attribute; 0 for features that the device lacks.
///
/// # Errors
/// [`Error::InvalidValue`] if no attribute has this number.
pub(crate) fn attribute(device: &SelectedDevice, number: i32) -> Result<i32> {
    let mut figures = figures(device).into_iter();
    match figures.find(|figure| figure.attribute == Some(number)) {
        // ROCm also returns the largest int for a figure that does not fit.
        Some(figure) => Ok(i32::try_from(figure.value).unwrap_or(i32::MAX)),
        None if NONE.contains(&number) || NONE_OF_AMD.contains(&number) => Ok(0),
        None => Err(Error::InvalidValue),
    }
}

/// Returns a structure, with the device's name at its beginning and the instruction set at
/// `arch_at`.
pub(crate) fn structure<const N: usize>(
    device: &SelectedDevice,
    arch_at: usize,
    place: fn(&Figure) -> Option<(usize, usize)>,
) -> [u8; N] {
    let mut bytes = [0; N];
    let mut text = |at: usize, text: String| {
        let text = &text.as_bytes()[..text.len().min(255)];
        bytes[at..at + text.len()].copy_from_slice(text);
    };
    text(0, device.name());
    text(arch_at, device.arch());
    for figure in figures(device) {
        if let Some((at, size)) = place(&figure) {
            let value = match size {
                4 => figure.value.min(i32::MAX as u64),
                _ => figure.value,
            };
            bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }
    bytes
}
