//! Devices: concrete parts, one table row each, every figure with its source.
//!
//! Units: GHz; GB/s (10^9 bytes a second); bytes; shader cycles; microseconds. `None` means that no public figure was
//! found, not that the value is zero.

use crate::Target;

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

/// One part (of a package with several, such as MI250X: one of them).
#[derive(Debug)]
pub struct Device {
    /// Name in `emulated:NAME`.
    pub name: &'static str,
    /// AMD's product name.
    pub product: &'static str,
    /// LLVM's name of its ISA; see [`Device::target`].
    isa: &'static str,
    /// Accelerator dies among which workgroups are dealt out in turn; 1 for a single die.
    pub dies: u32,
    /// Compute units, all dies together.
    pub compute_units: u32,
    /// Peak engine clock in GHz.
    pub clock: Figure,
    /// Peak DRAM bandwidth in GB/s.
    pub dram_peak: Figure,
    /// Measured DRAM read bandwidth in GB/s.
    pub dram_read: Option<Figure>,
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
    /// Read bandwidth over bytes in flight.
    pub saturation: Option<Saturation>,
}

impl Device {
    /// The device with this name.
    pub fn named(name: &str) -> Option<&'static Device> {
        DEVICES.iter().find(|device| device.name == name)
    }

    /// Its ISA.
    pub fn target(&self) -> &'static Target {
        Target::named(self.isa).expect("a test checks that every row names a target")
    }

    /// Whether the row has every figure that the time model reads, so that none is taken from another part's row. Those of
    /// a last-level cache are needed where there is one.
    pub fn is_calibrated(&self) -> bool {
        let figures = [
            self.dram_read,
            self.l2_bytes,
            self.l2_read,
            self.l1_latency,
            self.l2_latency,
            self.dram_latency,
            self.lds_latency,
            self.launch_floor,
        ];
        let last_level = [self.llc_read, self.llc_latency];
        self.saturation.is_some()
            && figures.iter().all(Option::is_some)
            && (self.llc_bytes.is_none() || last_level.iter().all(Option::is_some))
    }
}

const fn figure(value: f64, source: &'static str) -> Figure {
    Figure { value, source }
}

const fn some(value: f64, source: &'static str) -> Option<Figure> {
    Some(figure(value, source))
}

const CDNA2: &str = "AMD CDNA 2 white paper";
const CDNA3: &str = "AMD CDNA 3 white paper";
const CDNA4: &str = "AMD CDNA 4 white paper";
const PRODUCT: &str = "AMD product page";
const MT4G: &str = "MT4G sample results";
const RRZE: &str = "RRZE gpu-benches";
const AZURE: &str = "Azure, BabelStream on ND MI300X v5";
const CHIPS: &str = "Chips and Cheese";
const LAUNCH_CDNA3: &str = "smallest event-to-event time on an MI300A, the nearest part measured";
const LAUNCH_RDNA2: &str =
    "smallest event-to-event time on an RX 6900 XT, the nearest part measured";

const UNKNOWN: Device = Device {
    name: "",
    product: "",
    isa: "",
    dies: 1,
    compute_units: 0,
    clock: figure(0.0, ""),
    dram_peak: figure(0.0, ""),
    dram_read: None,
    l2_bytes: None,
    l2_read: None,
    llc_bytes: None,
    llc_read: None,
    l1_latency: None,
    l2_latency: None,
    llc_latency: None,
    dram_latency: None,
    lds_latency: None,
    launch_floor: None,
    saturation: None,
};

/// Every device.
pub static DEVICES: [Device; 10] = [
    Device {
        name: "mi50",
        product: "Radeon Instinct MI50",
        isa: "gfx906",
        compute_units: 60,
        clock: figure(1.725, PRODUCT),
        dram_peak: figure(1024.0, PRODUCT),
        l2_bytes: some(4194304.0, "AMD Vega 7nm ISA documentation"),
        ..UNKNOWN
    },
    Device {
        name: "mi210",
        product: "Instinct MI210",
        isa: "gfx90a",
        compute_units: 104,
        clock: figure(1.7, CDNA2),
        dram_peak: figure(1638.0, CDNA2),
        dram_read: some(1453.0, RRZE),
        l2_bytes: some(8388608.0, CDNA2),
        launch_floor: some(2.1, "back-to-back launches on an MI210"),
        saturation: Some(Saturation {
            latency_ns: 580.0,
            bandwidth: 1453.0,
            exponent: 3.0,
        }),
        ..UNKNOWN
    },
    Device {
        name: "mi250x",
        product: "Instinct MI250X, one of its two dies",
        isa: "gfx90a",
        compute_units: 110,
        clock: figure(1.7, CDNA2),
        dram_peak: figure(1638.0, CDNA2),
        dram_read: some(1415.0, "middle of the published 1.37 to 1.46 TB/s"),
        l2_bytes: some(8388608.0, CDNA2),
        l2_read: some(4300.0, RRZE),
        l1_latency: some(124.0, MT4G),
        l2_latency: some(276.0, "middle of the published 250 to 302 cycles"),
        dram_latency: some(664.0, "middle of the published 587 to 741 cycles"),
        lds_latency: some(50.0, MT4G),
        launch_floor: some(2.1, "back-to-back launches on an MI210"),
        ..UNKNOWN
    },
    Device {
        name: "mi300x",
        product: "Instinct MI300X",
        isa: "gfx942",
        dies: 8,
        compute_units: 304,
        clock: figure(2.1, CDNA3),
        dram_peak: figure(5300.0, CDNA3),
        dram_read: some(4200.0, AZURE),
        l2_bytes: some(4194304.0, CDNA3),
        l2_read: some(15000.0, RRZE),
        llc_bytes: some(268435456.0, CDNA3),
        llc_read: some(5800.0, RRZE),
        l1_latency: some(116.0, MT4G),
        l2_latency: some(250.0, "middle of the published 213 to 288 cycles"),
        llc_latency: some(457.0, MT4G),
        dram_latency: some(900.0, MT4G),
        lds_latency: some(51.0, MT4G),
        launch_floor: some(4.2, LAUNCH_CDNA3),
        saturation: Some(Saturation {
            latency_ns: 570.0,
            bandwidth: 4535.0,
            exponent: 2.0,
        }),
    },
    Device {
        name: "mi300a",
        product: "Instinct MI300A",
        isa: "gfx942",
        dies: 6,
        compute_units: 228,
        clock: figure(2.1, CDNA3),
        dram_peak: figure(5300.0, CDNA3),
        dram_read: some(2700.0, RRZE),
        l2_bytes: some(4194304.0, CDNA3),
        llc_bytes: some(268435456.0, CDNA3),
        launch_floor: some(4.2, "smallest event-to-event time on an MI300A"),
        saturation: Some(Saturation {
            latency_ns: 540.0,
            bandwidth: 2957.0,
            exponent: 2.0,
        }),
        ..UNKNOWN
    },
    Device {
        name: "mi355x",
        product: "Instinct MI355X",
        isa: "gfx950",
        dies: 8,
        compute_units: 256,
        clock: figure(2.4, CDNA4),
        dram_peak: figure(8000.0, CDNA4),
        l2_bytes: some(4194304.0, CDNA4),
        llc_bytes: some(268435456.0, CDNA4),
        ..UNKNOWN
    },
    Device {
        name: "rx6900xt",
        product: "Radeon RX 6900 XT",
        isa: "gfx1030",
        compute_units: 80,
        clock: figure(2.25, PRODUCT),
        dram_peak: figure(512.0, PRODUCT),
        dram_read: some(505.0, RRZE),
        l2_bytes: some(4194304.0, CHIPS),
        llc_bytes: some(134217728.0, PRODUCT),
        l1_latency: some(73.0, RRZE),
        l2_latency: some(220.0, RRZE),
        llc_latency: some(423.0, RRZE),
        launch_floor: some(3.3, "smallest event-to-event time on an RX 6900 XT"),
        saturation: Some(Saturation {
            latency_ns: 260.0,
            bandwidth: 508.0,
            exponent: 6.0,
        }),
        ..UNKNOWN
    },
    Device {
        name: "rx7900xtx",
        product: "Radeon RX 7900 XTX",
        isa: "gfx1100",
        compute_units: 96,
        clock: figure(2.5, PRODUCT),
        dram_peak: figure(960.0, PRODUCT),
        dram_read: some(710.0, "ChipBenchmarker, RX 7900 (probably the XT)"),
        l2_read: some(3250.0, "ChipBenchmarker, RX 7900"),
        llc_bytes: some(100663296.0, PRODUCT),
        l2_latency: some(340.0, "ChipBenchmarker, RX 7900"),
        dram_latency: some(551.0, "ChipBenchmarker, RX 7900"),
        lds_latency: some(33.0, "ChipBenchmarker, RX 7900"),
        launch_floor: some(3.3, LAUNCH_RDNA2),
        ..UNKNOWN
    },
    Device {
        name: "strix-halo",
        product: "Radeon 8060S (Ryzen AI Max+ 395)",
        isa: "gfx1151",
        compute_units: 40,
        clock: figure(2.9, PRODUCT),
        dram_peak: figure(256.0, PRODUCT),
        dram_read: some(213.0, "strix-halo-testing, middle of 205 to 221"),
        l2_bytes: some(2097152.0, CHIPS),
        llc_bytes: some(33554432.0, CHIPS),
        launch_floor: some(3.3, LAUNCH_RDNA2),
        ..UNKNOWN
    },
    Device {
        name: "rx9070xt",
        product: "Radeon RX 9070 XT",
        isa: "gfx1201",
        compute_units: 64,
        clock: figure(2.97, PRODUCT),
        dram_peak: figure(640.0, PRODUCT),
        llc_bytes: some(67108864.0, PRODUCT),
        launch_floor: some(3.3, LAUNCH_RDNA2),
        ..UNKNOWN
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TARGETS;

    #[test]
    fn every_row_is_whole() {
        for device in &DEVICES {
            assert!(Target::named(device.isa).is_some(), "{}", device.name);
            assert!(device.compute_units > 0 && device.compute_units.is_multiple_of(device.dies));
            assert!(!device.clock.source.is_empty() && !device.dram_peak.source.is_empty());
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
    fn a_part_with_borrowed_figures_is_not_calibrated() {
        let calibrated = DEVICES.iter().filter(|device| device.is_calibrated());
        let names: Vec<&str> = calibrated.map(|device| device.name).collect();
        assert_eq!(names, ["mi300x"]);
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
