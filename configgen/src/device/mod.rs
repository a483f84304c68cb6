//! Devices: concrete parts, one table row each, with a source for every figure.
//!
//! The units are GHz, GB/s (10^9 bytes per second), bytes, shader cycles and microseconds. `None`
//! means that no public figure was found, not that the value is zero.
//! [`Device::borrowed_figures`] lists the figures that a part takes from another one.

mod runtime_device;
mod table;

use crate::{Problem, Target};
pub use runtime_device::RuntimeDevice;
pub use table::DEVICES;

/// A figure with its source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The value, in the unit of its field.
    pub value: f64,
    /// The publication that states it.
    pub source: &'static str,
}

/// Read bandwidth over bytes in flight: `((bytes_in_flight / latency)^-p + bandwidth^-p)^(-1/p)`.
///
/// It is fitted to published measurements of read kernels over occupancy (RRZE gpu-benches).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturation {
    /// The latency under load, in nanoseconds.
    pub latency_ns: f64,
    /// The bandwidth that enough bytes in flight reach, in GB/s.
    pub bandwidth: f64,
    /// The exponent p: the sharpness of the knee.
    pub exponent: f64,
}

/// A footprint beyond which DRAM is slower.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// The bytes that a launch touches.
    pub bytes: Figure,
    /// The fraction of the bandwidth that remains beyond them.
    pub part: Figure,
}

/// One part, or one die of a package such as MI250X.
#[derive(Debug)]
pub struct Device {
    /// The name in `emulated:NAME`.
    pub name: &'static str,
    /// AMD's product name.
    pub product: &'static str,
    /// LLVM's name of its ISA; see [`Device::target`].
    isa: &'static str,
    /// The name of the part that lends figures that were not found.
    like: &'static str,
    /// The accelerator dies that receive workgroups in turn; 1 for a single die.
    pub dies: u32,
    /// The compute units of all dies together.
    pub compute_units: u32,
    /// The peak engine clock in GHz, or the measured clock under load.
    pub clock: Figure,
    /// The size of DRAM in bytes.
    pub dram_bytes: Figure,
    /// The peak DRAM bandwidth in GB/s.
    pub dram_peak: Figure,
    /// The measured DRAM bandwidth of kernels that read, in GB/s.
    pub dram_read: Option<Figure>,
    /// The measured DRAM bandwidth of kernels that read and write equally, in GB/s.
    pub dram_copy: Option<Figure>,
    /// The measured DRAM bandwidth of kernels that only write, in GB/s.
    pub dram_write: Option<Figure>,
    /// The footprint beyond which DRAM is slower.
    pub dram_reach: Option<Reach>,
    /// The vector L1 (RDNA: L0) of a compute unit, in bytes.
    pub l1_bytes: Option<Figure>,
    /// The bytes that it delivers per cycle.
    pub l1_read: Option<Figure>,
    /// The L2 of one die, in bytes.
    pub l2_bytes: Option<Figure>,
    /// The L2 bandwidth of all dies together, in GB/s.
    pub l2_read: Option<Figure>,
    /// The last-level (Infinity) cache in bytes.
    pub llc_bytes: Option<Figure>,
    /// The measured bandwidth of the last-level cache in GB/s.
    pub llc_read: Option<Figure>,
    /// The latency of a vector L1 (RDNA: L0) hit, in cycles.
    pub l1_latency: Option<Figure>,
    /// The latency of an L2 hit, in cycles.
    pub l2_latency: Option<Figure>,
    /// The latency of a last-level cache hit, in cycles.
    pub llc_latency: Option<Figure>,
    /// The latency of DRAM, in cycles.
    pub dram_latency: Option<Figure>,
    /// The latency of LDS, in cycles.
    pub lds_latency: Option<Figure>,
    /// The smallest time between the events around one launch, in microseconds.
    pub launch_floor: Option<Figure>,
    /// Time of an empty launch directly behind another one, in µs.
    pub launch_behind: Option<Figure>,
    /// The cycles between two workgroups that one die starts.
    pub workgroup_cycles: Option<Figure>,
    /// The cycles from free room for a workgroup to its first instruction.
    pub start_cycles: Option<Figure>,
    /// The read bandwidth over bytes in flight.
    pub saturation: Option<Saturation>,
}

/// A figure that a part may lack: its name, and a test of a row for it.
type Column = (&'static str, fn(&Device) -> bool);

/// The figures that the time model needs of every device, from its own row or another's.
const COLUMNS: [Column; 13] = [
    ("DRAM bandwidth", |row| row.dram_read.is_some()),
    ("L1 size", |row| row.l1_bytes.is_some()),
    ("L1 bandwidth", |row| row.l1_read.is_some()),
    ("L2 size", |row| row.l2_bytes.is_some()),
    ("L2 bandwidth", |row| row.l2_read.is_some()),
    ("L1 latency", |row| row.l1_latency.is_some()),
    ("L2 latency", |row| row.l2_latency.is_some()),
    ("DRAM latency", |row| row.dram_latency.is_some()),
    ("LDS latency", |row| row.lds_latency.is_some()),
    ("launch floor", |row| row.launch_floor.is_some()),
    ("dispatch rate", |row| row.workgroup_cycles.is_some()),
    ("start of a workgroup", |row| row.start_cycles.is_some()),
    ("bandwidth over bytes in flight", |row| {
        row.saturation.is_some()
    }),
];

/// The same for devices with a last-level cache.
const LAST_LEVEL_COLUMNS: [Column; 2] = [
    ("LLC bandwidth", |row| row.llc_read.is_some()),
    ("LLC latency", |row| row.llc_latency.is_some()),
];

impl Device {
    /// Returns the device with this name.
    pub fn named(name: &str) -> Option<&'static Device> {
        DEVICES.iter().find(|device| device.name == name)
    }

    /// Returns the first device of a target.
    pub fn of_target(target: &Target) -> Option<&'static Device> {
        DEVICES.iter().find(|device| device.target() == target)
    }

    /// Returns the microseconds of a problem's compulsory bytes at the data sheet's DRAM peak.
    ///
    /// This is a lower bound without launch and latency. For an open count it is the mean over
    /// counts.
    pub fn dram_peak_us(&self, problem: &Problem) -> f64 {
        // 1 GB/s is 10^3 bytes per microsecond.
        let peak = self.dram_peak.value * 1e3;
        problem.mean_over_counts(|problem| problem.compulsory_bytes() as f64 / peak)
    }

    /// Returns its ISA.
    pub fn target(&self) -> &'static Target {
        Target::named(self.isa).expect("a test checks that every row names a target")
    }

    /// Returns the first row that has a figure, and the figure.
    ///
    /// The search begins with this row and follows the chain of similar rows (`like`).
    pub fn nearest<T>(
        &'static self,
        pick: impl Fn(&Device) -> Option<T>,
    ) -> Option<(&'static Device, T)> {
        let mut row = self;
        // Two rows may name each other, so the number of rows bounds the search.
        for _ in &DEVICES {
            if let Some(found) = pick(row) {
                return Some((row, found));
            }
            row = Device::named(row.like)?;
        }
        None
    }

    /// Returns the figures that the time model takes from other parts' rows, each with that part.
    pub fn borrowed_figures(&'static self) -> Vec<(&'static str, &'static Device)> {
        // A device without a last-level cache lacks its figures, and borrows none.
        let last_level: &[Column] = match self.llc_bytes {
            Some(_) => &LAST_LEVEL_COLUMNS,
            None => &[],
        };
        let columns = COLUMNS.iter().chain(last_level);
        columns
            .filter(|(_, has)| !has(self))
            .filter_map(|(name, has)| Some((*name, self.nearest(|row| has(row).then_some(()))?.0)))
            .collect()
    }

    /// Returns whether its bandwidth over occupancy was measured, so that the model's error is
    /// known.
    pub fn is_calibrated(&self) -> bool {
        self.saturation.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TARGETS;

    #[test]
    fn every_row_is_whole() {
        for device in &DEVICES {
            let least = Target::named(device.isa).map_or(0, |target| target.least_compute_units);
            assert!(device.compute_units.is_multiple_of(device.dies));
            let of_die = device.compute_units / device.dies;
            assert!(0 < least && least <= of_die, "{}", device.name);
            let sources = [device.clock, device.dram_bytes, device.dram_peak];
            assert!(sources.iter().all(|figure| !figure.source.is_empty()));
            assert!(device.dram_bytes.value >= (16_u64 << 30) as f64);
            let read = device.dram_read.map_or(0.0, |figure| figure.value);
            assert!(
                read < device.dram_peak.value,
                "{}: reads faster than its peak",
                device.name
            );
        }
        for target in &TARGETS {
            assert!(
                DEVICES.iter().any(|device| device.isa == target.name),
                "{target} has no device"
            );
        }
    }

    #[test]
    fn parts_with_a_fit_are_calibrated() {
        let calibrated = DEVICES.iter().filter(|device| device.is_calibrated());
        let names: Vec<&str> = calibrated.map(|device| device.name).collect();
        assert_eq!(names, ["mi210", "mi300x", "mi300a", "rx6900xt"]);
    }

    #[test]
    fn every_figure_is_its_own_or_borrowed() {
        for device in &DEVICES {
            for (name, has) in COLUMNS.iter() {
                let found = device.nearest(|row| has(row).then_some(()));
                assert!(found.is_some(), "{}: {name}", device.name);
            }
            let borrowed = device.borrowed_figures();
            assert!(
                borrowed.iter().all(|(_, row)| row.name != device.name),
                "{borrowed:?}"
            );
        }
        let mi355x = Device::named("mi355x").unwrap();
        let names: Vec<_> = mi355x
            .borrowed_figures()
            .iter()
            .map(|(name, _)| *name)
            .collect();
        assert!(names.contains(&"DRAM latency"), "{names:?}");
    }

    #[test]
    fn names_are_unique() {
        for (i, device) in DEVICES.iter().enumerate() {
            assert_eq!(
                DEVICES.iter().position(|other| other.name == device.name),
                Some(i)
            );
        }
    }
}
