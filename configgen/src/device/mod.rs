//! Devices: concrete parts, one table row each, every figure with its source.
//!
//! Units: GHz; GB/s (10^9 bytes a second); bytes; shader cycles; microseconds. `None` means that no public figure was
//! found, not that the value is zero. [`Device::borrowed`] says which figures of a part are then those of another.

mod runtime_device;
mod table;

use crate::{Problem, Target};
pub use runtime_device::RuntimeDevice;
pub use table::DEVICES;

/// A figure and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The value, in the unit of its field.
    pub value: f64,
    /// The publication that states it.
    pub source: &'static str,
}

/// Read bandwidth over bytes in flight: `((bytes_in_flight / latency)^-p + bandwidth^-p)^(-1/p)`.
///
/// Fitted to published measurements of read kernels over occupancy (RRZE gpu-benches).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturation {
    /// Latency under load, in nanoseconds.
    pub latency_ns: f64,
    /// Bandwidth that enough bytes in flight reach, in GB/s.
    pub bandwidth: f64,
    /// The exponent p: how sharp the knee is.
    pub exponent: f64,
}

/// A footprint beyond which DRAM is slower.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// Bytes that a launch touches.
    pub bytes: Figure,
    /// The part of the bandwidth that is left beyond them.
    pub part: Figure,
}

/// One part (of a package with several, such as MI250X: one of them).
#[derive(Debug)]
pub struct Device {
    /// Name in `emulated:NAME`.
    pub name: &'static str,
    /// AMD's product name.
    pub product: &'static str,
    /// LLVM's name of its ISA; see [`Device::target`].
    isa: &'static str,
    /// The part whose figures stand in for those that were not found.
    like: &'static str,
    /// Accelerator dies among which workgroups are dealt out in turn; 1 for a single die.
    pub dies: u32,
    /// Compute units, all dies together.
    pub compute_units: u32,
    /// Peak engine clock in GHz, or the clock under load where it was measured.
    pub clock: Figure,
    /// DRAM in bytes.
    pub dram_bytes: Figure,
    /// Peak DRAM bandwidth in GB/s.
    pub dram_peak: Figure,
    /// Measured DRAM bandwidth of kernels that read, in GB/s.
    pub dram_read: Option<Figure>,
    /// The same of kernels that write as much as they read.
    pub dram_copy: Option<Figure>,
    /// The same of kernels that only write.
    pub dram_write: Option<Figure>,
    /// Where DRAM becomes slower.
    pub dram_reach: Option<Reach>,
    /// Vector L1 (RDNA: L0) of a compute unit, in bytes.
    pub l1_bytes: Option<Figure>,
    /// Bytes that it delivers in a cycle.
    pub l1_read: Option<Figure>,
    /// L2 of one die, in bytes.
    pub l2_bytes: Option<Figure>,
    /// L2 bandwidth in GB/s, all dies together.
    pub l2_read: Option<Figure>,
    /// Last-level (Infinity) cache in bytes.
    pub llc_bytes: Option<Figure>,
    /// Measured last-level cache bandwidth in GB/s.
    pub llc_read: Option<Figure>,
    /// Latency of a vector L1 (RDNA: L0) hit, in cycles.
    pub l1_latency: Option<Figure>,
    /// Latency of an L2 hit, in cycles.
    pub l2_latency: Option<Figure>,
    /// Latency of a last-level cache hit, in cycles.
    pub llc_latency: Option<Figure>,
    /// Latency of DRAM, in cycles.
    pub dram_latency: Option<Figure>,
    /// Latency of LDS, in cycles.
    pub lds_latency: Option<Figure>,
    /// Smallest time between the events around one launch, in microseconds.
    pub launch_floor: Option<Figure>,
    /// Cycles between two workgroups that one die starts.
    pub workgroup_cycles: Option<Figure>,
    /// Cycles from a free place for a workgroup to its first instruction.
    pub start_cycles: Option<Figure>,
    /// Read bandwidth over bytes in flight.
    pub saturation: Option<Saturation>,
}

/// A figure that a part may lack: its name, and whether a row has it.
type Column = (&'static str, fn(&Device) -> bool);

/// The figures that the time model needs of every device, whether its row has them or another's.
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

/// As [`COLUMNS`], of devices with a last-level cache.
const LAST_LEVEL_COLUMNS: [Column; 2] = [
    ("LLC bandwidth", |row| row.llc_read.is_some()),
    ("LLC latency", |row| row.llc_latency.is_some()),
];

impl Device {
    /// The device with this name.
    pub fn named(name: &str) -> Option<&'static Device> {
        DEVICES.iter().find(|device| device.name == name)
    }

    /// Microseconds of a problem's compulsory bytes at the DRAM peak of the data sheet, with no launch and no latency: what
    /// physics allows, and no kernel reaches. The mean over counts, where the problem's is open.
    pub fn dram_peak_us(&self, problem: &Problem) -> f64 {
        // 1 GB/s is 10^3 bytes a microsecond.
        let peak = self.dram_peak.value * 1e3;
        problem.mean_over_counts(|problem| problem.compulsory_bytes() as f64 / peak)
    }

    /// Its ISA.
    pub fn target(&self) -> &'static Target {
        Target::named(self.isa).expect("a test checks that every row names a target")
    }

    /// The first that has it of this row, the row that it is most like, the row that that one is most like, and so on: the
    /// row, and what it has.
    pub fn nearest<T>(
        &'static self,
        pick: impl Fn(&Device) -> Option<T>,
    ) -> Option<(&'static Device, T)> {
        let mut row = self;
        for _ in &DEVICES {
            if let Some(found) = pick(row) {
                return Some((row, found));
            }
            row = Device::named(row.like)?;
        }
        None
    }

    /// What the time model takes from other parts' rows: the figure, and whose it is.
    pub fn borrowed_figures(&'static self) -> Vec<(&'static str, &'static Device)> {
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

    /// Whether its bandwidth was measured over occupancy on this part, so that the time model's error on it is known.
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
