//! The table of devices.

use super::{Device, Figure, Reach, Saturation};

const fn figure(value: f64, source: &'static str) -> Figure {
    Figure { value, source }
}

const fn some(value: f64, source: &'static str) -> Option<Figure> {
    Some(figure(value, source))
}

const fn gib(count: u64) -> f64 {
    (count << 30) as f64
}

const CDNA2: &str = "AMD CDNA 2 white paper";
const CDNA3: &str = "AMD CDNA 3 white paper";
const CDNA4: &str = "AMD CDNA 4 white paper";
const PRODUCT: &str = "AMD product page";
const MT4G: &str = "MT4G sample results";
const RRZE: &str = "RRZE gpu-benches";
const RRZE_LATENCY: &str = "RRZE gpu-benches, gpu-latency";
const RRZE_STREAM: &str = "RRZE gpu-benches, gpu-stream at full occupancy";
const RRZE_CACHE: &str = "RRZE gpu-benches, gpu-cache, bytes per cycle and compute unit";
const RRZE_L2: &str = "RRZE gpu-benches, gpu-l2-cache";
const RRZE_SMALL: &str =
    "RRZE gpu-benches, gpu-small-kernels: the plateau of workgroups of 32 work-items";
const AZURE: &str = "Azure, BabelStream on ND MI300X v5";
const KFD: &str = "AMD's Linux driver, cache tables of GFX11";
const CHIPS: &str = "Chips and Cheese";
const STREAM_FIT: &str = "latency from the fit of bandwidth over occupancy, less the instructions and the access of the read \
     kernel (see docs/time-model.md)";
const LAUNCH_CDNA3: &str = "smallest event-to-event time on an MI300A, the nearest part measured";
const BEHIND_CDNA3: &str = "MGPUSim's times of many small launches on an MI300A";
const LAUNCH_RDNA2: &str =
    "smallest event-to-event time on an RX 6900 XT, the nearest part measured";

// The base of every row: all optional figures are absent.
const UNKNOWN: Device = Device {
    name: "",
    product: "",
    isa: "",
    like: "",
    dies: 1,
    compute_units: 0,
    clock: figure(0.0, ""),
    dram_bytes: figure(0.0, ""),
    dram_peak: figure(0.0, ""),
    dram_read: None,
    dram_copy: None,
    dram_write: None,
    dram_reach: None,
    l1_bytes: None,
    l1_read: None,
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
    launch_behind: None,
    workgroup_cycles: None,
    start_cycles: None,
    saturation: None,
};

/// Every device.
pub static DEVICES: [Device; 10] = [
    Device {
        name: "mi50",
        product: "Radeon Instinct MI50",
        isa: "gfx906",
        like: "mi210",
        compute_units: 60,
        clock: figure(1.725, PRODUCT),
        dram_bytes: figure(gib(32), PRODUCT),
        dram_peak: figure(1024.0, PRODUCT),
        l1_bytes: some(16384.0, "AMD Vega 7nm ISA documentation"),
        l2_bytes: some(4194304.0, "AMD Vega 7nm ISA documentation"),
        ..UNKNOWN
    },
    Device {
        name: "mi210",
        product: "Instinct MI210",
        isa: "gfx90a",
        like: "mi250x",
        compute_units: 104,
        clock: figure(1.7, CDNA2),
        dram_bytes: figure(gib(64), PRODUCT),
        dram_peak: figure(1638.0, CDNA2),
        dram_read: some(1345.0, RRZE_STREAM),
        dram_copy: some(1358.0, RRZE_STREAM),
        dram_write: some(1526.0, RRZE_STREAM),
        l1_bytes: some(16384.0, CDNA2),
        l1_read: some(60.0, RRZE_CACHE),
        l2_bytes: some(8388608.0, CDNA2),
        l2_read: some(5000.0, RRZE_L2),
        l1_latency: some(125.0, RRZE_LATENCY),
        l2_latency: some(240.0, RRZE_LATENCY),
        dram_latency: some(572.0, RRZE_LATENCY),
        launch_floor: some(2.1, "back-to-back launches on an MI210"),
        workgroup_cycles: some(4.1, RRZE_SMALL),
        start_cycles: some(228.0, STREAM_FIT),
        saturation: Some(Saturation {
            // A fit of RRZE's bandwidth over occupancy; docs/time-model.md has the method.
            latency_ns: 580.0,
            bandwidth: 1453.0,
            exponent: 3.0,
        }),
        ..UNKNOWN
    },
    Device {
        name: "mi250x",
        // Each die of the package is a device of its own for HIP.
        product: "Instinct MI250X, one of its two dies",
        isa: "gfx90a",
        like: "mi210",
        compute_units: 110,
        clock: figure(1.7, CDNA2),
        dram_bytes: figure(gib(64), PRODUCT),
        dram_peak: figure(1638.0, CDNA2),
        dram_read: some(1415.0, "middle of the published 1.37 to 1.46 TB/s"),
        l1_bytes: some(16384.0, CDNA2),
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
        like: "mi210",
        // The eight accelerator dies receive workgroups in turn.
        dies: 8,
        compute_units: 304,
        clock: figure(2.1, CDNA3),
        dram_bytes: figure(gib(192), PRODUCT),
        dram_peak: figure(5300.0, CDNA3),
        dram_read: some(4200.0, AZURE),
        dram_copy: some(4110.0, AZURE),
        l1_bytes: some(32768.0, CDNA3),
        l1_read: some(64.0, CDNA3),
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
        launch_behind: some(2.6, BEHIND_CDNA3),
        start_cycles: some(110.0, STREAM_FIT),
        saturation: Some(Saturation {
            // A fit of RRZE's bandwidth over occupancy, as for mi210.
            latency_ns: 570.0,
            bandwidth: 4535.0,
            exponent: 2.0,
        }),
        ..UNKNOWN
    },
    Device {
        name: "mi300a",
        product: "Instinct MI300A",
        isa: "gfx942",
        like: "mi300x",
        dies: 6,
        compute_units: 228,
        clock: figure(2.1, CDNA3),
        dram_bytes: figure(gib(128), PRODUCT),
        dram_peak: figure(5300.0, CDNA3),
        dram_read: some(2700.0, RRZE),
        dram_copy: some(3830.0, RRZE),
        // Streaming kernels with a larger footprint run at 2.35 / 3.4 of the bandwidth.
        dram_reach: Some(Reach {
            bytes: figure(1.7e9, "fit of streaming kernels on an MI300A"),
            part: figure(2.35 / 3.4, "fit of streaming kernels on an MI300A"),
        }),
        l1_bytes: some(32768.0, CDNA3),
        l1_read: some(64.0, CDNA3),
        l2_bytes: some(4194304.0, CDNA3),
        llc_bytes: some(268435456.0, CDNA3),
        llc_read: some(3950.0, "fit of streaming kernels on an MI300A"),
        launch_floor: some(4.2, "smallest event-to-event time on an MI300A"),
        launch_behind: some(2.6, BEHIND_CDNA3),
        // 2,048 to 4,096 nodes: (time of a launch - 2.6 µs) / workgroups of a die.
        workgroup_cycles: some(6.1, "MGPUSim's times of floydwarshall on an MI300A"),
        start_cycles: some(50.0, STREAM_FIT),
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
        like: "mi300x",
        dies: 8,
        compute_units: 256,
        clock: figure(2.4, CDNA4),
        dram_bytes: figure(gib(288), PRODUCT),
        dram_peak: figure(8000.0, CDNA4),
        l1_bytes: some(32768.0, CDNA4),
        l1_read: some(64.0, CDNA4),
        l2_bytes: some(4194304.0, CDNA4),
        llc_bytes: some(268435456.0, CDNA4),
        ..UNKNOWN
    },
    Device {
        name: "rx6900xt",
        product: "Radeon RX 6900 XT",
        isa: "gfx1030",
        like: "rx7900xtx",
        compute_units: 80,
        // The clock under load, which the benchmark of the latencies measured.
        clock: figure(2.55, RRZE_LATENCY),
        dram_bytes: figure(gib(16), PRODUCT),
        dram_peak: figure(512.0, PRODUCT),
        dram_read: some(505.0, RRZE_STREAM),
        dram_copy: some(456.0, RRZE_STREAM),
        dram_write: some(499.0, RRZE_STREAM),
        l1_bytes: some(16384.0, CHIPS),
        l1_read: some(65.0, RRZE_CACHE),
        l2_bytes: some(4194304.0, CHIPS),
        l2_read: some(4600.0, RRZE_L2),
        llc_bytes: some(134217728.0, PRODUCT),
        llc_read: some(1950.0, RRZE_L2),
        l1_latency: some(73.0, RRZE_LATENCY),
        l2_latency: some(220.0, RRZE_LATENCY),
        llc_latency: some(423.0, RRZE_LATENCY),
        dram_latency: some(
            660.0,
            "RRZE gpu-benches, gpu-stream: extra time of reads over writes, plus one access of L2",
        ),
        launch_floor: some(3.3, "smallest event-to-event time on an RX 6900 XT"),
        workgroup_cycles: some(1.1, RRZE_SMALL),
        start_cycles: some(200.0, STREAM_FIT),
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
        like: "rx6900xt",
        compute_units: 96,
        clock: figure(2.5, PRODUCT),
        dram_bytes: figure(gib(24), PRODUCT),
        dram_peak: figure(960.0, PRODUCT),
        dram_read: some(710.0, "ChipBenchmarker, RX 7900 (probably the XT)"),
        dram_copy: some(790.0, "ChipBenchmarker, RX 7900 (probably the XT)"),
        l1_bytes: some(32768.0, KFD),
        l2_bytes: some(6291456.0, "AMD's block diagram of Navi 31"),
        l2_read: some(3250.0, "ChipBenchmarker, RX 7900"),
        llc_bytes: some(100663296.0, PRODUCT),
        l2_latency: some(340.0, "ChipBenchmarker, RX 7900"),
        llc_latency: some(
            376.0,
            "Chips and Cheese: 150.3 ns in the higher power state",
        ),
        dram_latency: some(551.0, "ChipBenchmarker, RX 7900"),
        lds_latency: some(33.0, "ChipBenchmarker, RX 7900"),
        launch_floor: some(3.3, LAUNCH_RDNA2),
        ..UNKNOWN
    },
    Device {
        name: "strix-halo",
        product: "Radeon 8060S (Ryzen AI Max+ 395)",
        isa: "gfx1151",
        like: "rx7900xtx",
        compute_units: 40,
        clock: figure(2.9, PRODUCT),
        dram_bytes: figure(gib(128), PRODUCT),
        dram_peak: figure(256.0, PRODUCT),
        dram_read: some(213.0, "strix-halo-testing, middle of 205 to 221"),
        l1_bytes: some(32768.0, KFD),
        l2_bytes: some(2097152.0, CHIPS),
        llc_bytes: some(33554432.0, CHIPS),
        launch_floor: some(3.3, LAUNCH_RDNA2),
        ..UNKNOWN
    },
    Device {
        name: "rx9070xt",
        product: "Radeon RX 9070 XT",
        isa: "gfx1201",
        like: "rx7900xtx",
        compute_units: 64,
        clock: figure(2.97, PRODUCT),
        dram_bytes: figure(gib(16), PRODUCT),
        dram_peak: figure(640.0, PRODUCT),
        llc_bytes: some(67108864.0, PRODUCT),
        launch_floor: some(3.3, LAUNCH_RDNA2),
        ..UNKNOWN
    },
];
