//! The published measurements that the model is checked against.
//!
//! *In sample* means that a figure of the device table comes from the same measurement; *out of
//! sample*, that none does.

use configgen::{Device, Saturation};
use emulator::model::{CacheState, Machine};

use super::measure::{Experiment, arrays};
use bench_harness::machine;

/// Experiments on one device, each with its published bandwidth in GB/s.
pub(crate) struct Set {
    pub(crate) device: &'static Device,
    pub(crate) name: &'static str,
    pub(crate) in_sample: bool,
    /// The model of the device.
    pub(crate) machine: Machine,
    pub(crate) points: Vec<Point>,
}

/// Experiments, with the mean of their bandwidths.
pub(crate) type Point = (Vec<Experiment>, Published);

/// A published result of an experiment.
#[derive(Clone, Copy)]
pub(crate) enum Published {
    /// A bandwidth in GB/s.
    GbPerS(f64),
    /// A law of bandwidth over bytes in flight: 8 bytes per work-item that `units` units hold at
    /// a time.
    Law { units: u32, fit: Saturation },
}

impl Published {
    /// Returns the bandwidth in GB/s, if a unit holds `items` work-items.
    pub(crate) fn gb_per_s(self, items: u32) -> f64 {
        match self {
            Published::GbPerS(value) => value,
            Published::Law { units, fit } => {
                let flight = f64::from(units) * f64::from(items) * 8.0 / fit.latency_ns;
                let p = fit.exponent;
                (flight.powf(-p) + fit.bandwidth.powf(-p)).powf(-1.0 / p)
            }
        }
    }
}

impl Set {
    fn new(device: &'static str, name: &'static str, in_sample: bool, points: Vec<Point>) -> Set {
        let device = Device::named(device).expect("a name of the table");
        Set {
            device,
            name,
            in_sample,
            machine: machine(device),
            points,
        }
    }
}

/// The work-items of a workgroup in gpu-stream, in 32, and the LDS that each reserves: half of a
/// compute unit's.
const SIZES: std::ops::RangeInclusive<u32> = 1..=32;
const SPOILER: u32 = 32 * 1024;
/// The number of elements of gpu-stream's arrays.
const STREAM_ELEMENTS: u64 = 128 << 20;

fn stream(kernel: &'static str, size: u32) -> Experiment {
    Experiment {
        kernel,
        size,
        lds: SPOILER,
        elements: STREAM_ELEMENTS,
        per: 1,
        caches: CacheState::Warm,
    }
}

/// Returns the read kernel of gpu-stream with workgroups of 32 to 1024 work-items. The LDS limits
/// the workgroups per unit.
fn fitted((units, fit): (u32, Saturation)) -> Vec<Point> {
    let point = |step| {
        (
            vec![stream("read", 32 * step)],
            Published::Law { units, fit },
        )
    };
    SIZES.map(point).collect()
}

/// Returns the points of [`fitted`] with two workgroups per unit in the law, as gpu-stream counts
/// them regardless of the LDS.
fn fitted_as_counted((units, fit): (u32, Saturation)) -> Vec<Point> {
    let point = |step| {
        let law = Published::Law { units, fit }.gb_per_s(2 * 32 * step);
        (vec![stream("read", 32 * step)], Published::GbPerS(law))
    };
    SIZES.map(point).collect()
}

/// Returns the bandwidths of gpu-stream at these workgroup sizes.
fn streams(kernel: &'static str, measured: &[(u32, f64)]) -> Vec<Point> {
    measured
        .iter()
        .map(|&(size, gb_per_s)| (vec![stream(kernel, size)], Published::GbPerS(gb_per_s)))
        .collect()
}

/// Returns the bandwidths of gpu-small-kernels with these numbers of elements, in workgroups of
/// `size`.
fn small(size: u32, measured: &[(u64, f64)]) -> Vec<Point> {
    measured
        .iter()
        .map(|&(elements, gb_per_s)| {
            let experiment = Experiment {
                kernel: "copy",
                size,
                lds: 0,
                // The launch has whole workgroups.
                elements: elements.next_multiple_of(size.into()),
                per: 1,
                caches: CacheState::Warm,
            };
            (vec![experiment], Published::GbPerS(gb_per_s))
        })
        .collect()
}

/// Returns a kernel of BabelStream with arrays of 2^25 doubles.
fn babel(kernel: &'static str, gb_per_s: f64) -> Point {
    let experiment = Experiment {
        kernel,
        size: if kernel == "dot" { 256 } else { 1024 },
        lds: 0,
        elements: 1 << 25,
        per: if kernel == "dot" { 32 } else { 1 },
        caches: CacheState::Warm,
    };
    (vec![experiment], Published::GbPerS(gb_per_s))
}

/// Returns streaming kernels on an MI300A, by `3.9 µs + bytes / bandwidth of the tier`. Each
/// point is the mean of a read, a copy and a dot product, because the fit does not distinguish
/// kernels.
fn tiers() -> Vec<Point> {
    let point = |power: u32| {
        let megabytes = 1u64 << power;
        let bytes = (megabytes << 20) as f64;
        let tier = match megabytes {
            0..=256 => 3950.0,
            257..=1700 => 3400.0,
            _ => 2350.0,
        };
        let experiments = ["read", "copy", "dot"].map(|kernel| Experiment {
            kernel,
            size: 256,
            lds: 0,
            elements: ((megabytes << 20) / arrays(kernel) / 8).next_multiple_of(256 * 8),
            per: if kernel == "dot" { 8 } else { 1 },
            caches: CacheState::Warm,
        });
        (
            experiments.to_vec(),
            Published::GbPerS(bytes / (3.9e3 + bytes / tier)),
        )
    };
    (0..=12).map(point).collect()
}

/// Returns the points of [`tiers`] with each kernel separate.
fn tiers_each() -> Vec<Point> {
    let each = |(experiments, published): Point| {
        experiments
            .into_iter()
            .map(move |experiment| (vec![experiment], published))
    };
    tiers().into_iter().flat_map(each).collect()
}

fn fit_of(name: &str) -> (u32, Saturation) {
    let device = Device::named(name).expect("a name of the table");
    // RDNA distributes workgroups over pairs of compute units.
    let units = device.compute_units / device.target().cus_per_group;
    (units, device.saturation.expect("a part that was fitted"))
}

/// Returns the prediction of the MI300X without its own fit. It uses the start of a workgroup and
/// the knee of the MI210, the bandwidth of Azure's copy and the latency of its own pointer chase.
fn held_out() -> Set {
    let mut set = Set::new(
        "mi300x",
        "bandwidth over occupancy, predicted from the MI210's",
        false,
        fitted(fit_of("mi300x")),
    );
    let like = machine(Device::named("mi210").expect("a name of the table"));
    let own = &mut set.machine;
    let access = |machine: &Machine| machine.latency.dram / machine.clock_ghz;
    own.launch.start_cycles = like.launch.start_cycles;
    own.saturation = like.saturation;
    own.dram.stream_latency_ns = like.dram.stream_latency_ns - access(&like) + access(own);
    own.dram.read_gb_per_s = set.device.dram_read.expect("Azure measured it").value;
    set
}

/// Returns all sets, for the devices of the table in its order.
pub(crate) fn sets() -> Vec<Set> {
    let over_occupancy = |device: &'static str| {
        Set::new(
            device,
            "bandwidth over occupancy, fit",
            true,
            fitted(fit_of(device)),
        )
    };
    let mi210_sizes = |values: [f64; 8]| {
        let sizes = [64, 128, 192, 256, 384, 512, 768, 1024];
        sizes.into_iter().zip(values).collect::<Vec<_>>()
    };
    let [read, write, copy, triad] = [
        [182.0, 334.0, 497.0, 608.0, 867.0, 1055.0, 1315.0, 1345.0],
        [254.0, 488.0, 706.0, 908.0, 1241.0, 1430.0, 1537.0, 1526.0],
        [253.0, 453.0, 665.0, 840.0, 1098.0, 1216.0, 1357.0, 1358.0],
        [367.0, 658.0, 923.0, 1104.0, 1244.0, 1225.0, 1286.0, 1248.0],
    ]
    .map(mi210_sizes);
    let rx_sizes = |values: [f64; 8]| {
        let sizes = [32, 64, 96, 128, 160, 256, 512, 1024];
        sizes.into_iter().zip(values).collect::<Vec<_>>()
    };
    let [rx_read, rx_write, rx_copy, rx_triad] = [
        [104.0, 202.0, 292.0, 398.0, 499.0, 505.0, 503.0, 502.0],
        [186.0, 361.0, 504.0, 504.0, 501.0, 504.0, 499.0, 499.0],
        [164.0, 317.0, 433.0, 461.0, 457.0, 458.0, 456.0, 456.0],
        [241.0, 434.0, 430.0, 434.0, 434.0, 427.0, 415.0, 421.0],
    ]
    .map(rx_sizes);
    let mi210_small = [
        (4096, 31.0),
        (7576, 58.0),
        (14_018, 106.0),
        (25_942, 190.0),
        (48_013, 332.0),
        (88_865, 570.0),
        (164_478, 856.0),
        (304_432, 1071.0),
        (1_042_953, 1098.0),
        (3_573_087, 1277.0),
        (12_241_173, 1339.0),
        (41_937_544, 1320.0),
    ];
    let rx_small = [
        (4096, 20.0),
        (10_394, 50.0),
        (26_392, 125.0),
        (67_031, 301.0),
        (170_268, 669.0),
        (432_530, 944.0),
        (1_098_763, 1305.0),
        (2_791_232, 1343.0),
        (7_090_696, 1552.0),
        (11_301_487, 447.0),
        (28_709_743, 453.0),
    ];
    let mi210_writes = [streams("write", &write), streams("copy", &copy)];
    let rx_writes = [streams("write", &rx_write), streams("copy", &rx_copy)];
    vec![
        over_occupancy("mi210"),
        Set::new("mi210", "gpu-stream, read", true, streams("read", &read)),
        Set::new(
            "mi210",
            "gpu-stream, write and copy",
            true,
            mi210_writes.concat(),
        ),
        Set::new(
            "mi210",
            "gpu-stream, triad",
            false,
            streams("triad", &triad),
        ),
        Set::new(
            "mi210",
            "gpu-small-kernels, warm",
            false,
            small(256, &mi210_small),
        ),
        over_occupancy("mi300x"),
        Set::new(
            "mi300x",
            "BabelStream, copy",
            true,
            vec![babel("copy", 4110.0)],
        ),
        Set::new(
            "mi300x",
            "BabelStream, dot",
            false,
            vec![babel("dot", 3870.0)],
        ),
        held_out(),
        over_occupancy("mi300a"),
        Set::new("mi300a", "streaming tiers", true, tiers()),
        Set::new(
            "mi300a",
            "the same, each kernel by itself",
            true,
            tiers_each(),
        ),
        Set::new("mi300a", "streams, copy", true, vec![babel("copy", 3830.0)]),
        Set::new("mi300a", "streams, dot", false, vec![babel("dot", 2950.0)]),
        over_occupancy("rx6900xt"),
        Set::new(
            "rx6900xt",
            "the same, two workgroups to a pair of units",
            true,
            fitted_as_counted(fit_of("rx6900xt")),
        ),
        Set::new(
            "rx6900xt",
            "gpu-stream, read",
            true,
            streams("read", &rx_read),
        ),
        Set::new(
            "rx6900xt",
            "gpu-stream, write and copy",
            true,
            rx_writes.concat(),
        ),
        Set::new(
            "rx6900xt",
            "gpu-stream, triad",
            false,
            streams("triad", &rx_triad),
        ),
        Set::new(
            "rx6900xt",
            "gpu-small-kernels, warm",
            false,
            small(256, &rx_small),
        ),
    ]
}
