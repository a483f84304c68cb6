//! Features of a kernel: the quantities that its time depends on.
//!
//! They are ratios and counts of a problem, a device and a configuration, mostly as logarithms to
//! base 2. A model of one problem's times is therefore useful for another problem.

use configgen::{Accumulators, Configuration, Device, Problem};

/// The number of features.
pub const FEATURES: usize = 40;
/// The number of features that depend on the problem and the device alone. They come first.
pub(crate) const PROBLEM_FEATURES: usize = 10;

/// The microseconds of a launch on a device without a published figure.
const LAUNCH_US: f64 = 4.0;
/// The cycles of a load from memory on a device without a published figure.
const LATENCY_CYCLES: f64 = 1200.0;
/// The registers of a lane, in words, and those that a kernel needs beside its elements. Typical
/// of both CDNA and RDNA.
const REGISTERS: (f64, f64) = (512.0, 32.0);
/// The SIMD units of a compute unit, and the most subgroups of each.
const UNITS: (f64, f64) = (4.0, 8.0);

/// The work of a dimension.
struct DimensionWork {
    size: f64,
    tile: f64,
    subgroups: f64,
    lanes: f64,
    thread: f64,
}

impl DimensionWork {
    fn new(problem: &Problem, configuration: &Configuration, d: usize) -> DimensionWork {
        let lowering = &configuration.lowering;
        let tile = match problem.shape.is_reduced(d) {
            true => lowering.partial_reduction[d],
            false => lowering.workgroup[d],
        };
        let count = |count: u32| f64::from(count.max(1));
        DimensionWork {
            size: count(problem.shape.sizes()[d]),
            tile: count(tile),
            subgroups: count(lowering.subgroup_basis.count_along(d)),
            lanes: count(lowering.lane_basis.count_along(d)),
            thread: count(lowering.thread[d]),
        }
    }

    fn tiles(&self) -> f64 {
        (self.size / self.tile).ceil()
    }

    /// Returns the elements of a lane.
    fn own(&self) -> f64 {
        self.tile / (self.subgroups * self.lanes)
    }
}

/// Returns whether a kernel writes a result for each element, as softmax and norms do.
fn has_result_per_element(problem: &Problem) -> bool {
    let results = problem.results();
    results.iter().any(|it| {
        it.bytes(&problem.shape) == problem.shape.elements() * u64::from(it.scalar.bytes())
    })
}

/// The quantities of a problem that several features depend on.
struct ProblemWork {
    rows: f64,
    columns: f64,
    /// The bytes of an element.
    bytes: f64,
    /// The bytes of an element with its operands.
    element_bytes: f64,
    operands: usize,
    innermost: Option<usize>,
    /// True if a kernel reads a row twice unless the row stays in registers.
    is_reused: bool,
}

impl ProblemWork {
    fn new(problem: &Problem) -> ProblemWork {
        let shape = &problem.shape;
        let size = |d: usize| f64::from(shape.sizes()[d].max(1));
        let product = |reduced: bool| -> f64 {
            let those = (0..shape.rank()).filter(|&d| shape.is_reduced(d) == reduced);
            those.map(size).product()
        };
        let operands = problem.read_operands();
        let operand_bytes: u32 = operands.iter().map(|it| it.scalar.bytes()).sum();
        let bytes = f64::from(problem.element.bytes());
        ProblemWork {
            rows: product(false),
            columns: product(true),
            bytes,
            element_bytes: bytes + f64::from(operand_bytes),
            operands: operands.len(),
            innermost: (0..shape.rank()).rev().find(|&d| shape.sizes()[d] > 1),
            is_reused: shape.reduces() && has_result_per_element(problem),
        }
    }

    /// Returns the features that depend on no configuration.
    fn features(&self, problem: &Problem, device: &Device) -> [f32; PROBLEM_FEATURES] {
        let shape = &problem.shape;
        let state = problem.reduction.state(problem.reduced_type());
        let is_inner_reduced = self.innermost.is_none_or(|d| shape.is_reduced(d));
        [
            log(self.rows),
            log(self.columns),
            log(self.bytes),
            log(self.element_bytes),
            self.operands as f32,
            flag(is_inner_reduced),
            flag(self.is_reused),
            flag(shape.reduces()),
            state.words as f32 + 0.5 * flag(state.has_position),
            log(f64::from(device.compute_units)),
        ]
    }
}

fn log(number: f64) -> f32 {
    number.max(1e-6).log2() as f32
}

fn flag(flag: bool) -> f32 {
    f32::from(u8::from(flag))
}

/// Returns the features that depend on the problem and the device alone.
pub(crate) fn problem_features(problem: &Problem, device: &Device) -> [f32; PROBLEM_FEATURES] {
    ProblemWork::new(problem).features(problem, device)
}

/// Returns the features; the last one is the logarithm of an estimated time in microseconds.
pub fn kernel_features(
    problem: &Problem,
    device: &Device,
    configuration: &Configuration,
) -> [f32; FEATURES] {
    let shape = &problem.shape;
    let dimension = |d| DimensionWork::new(problem, configuration, d);
    let product = |reduced: bool, of: fn(&DimensionWork) -> f64| -> f64 {
        let those = (0..shape.rank()).filter(|&d| shape.is_reduced(d) == reduced);
        those.map(|d| of(&dimension(d))).product()
    };
    let work = ProblemWork::new(problem);
    let ProblemWork {
        rows,
        columns,
        bytes,
        element_bytes,
        is_reused,
        ..
    } = work;
    let inner = dimension(work.innermost.unwrap_or(0));
    let knobs = &configuration.knobs;
    let split = f64::from(knobs.split);

    let threads = f64::from(configuration.workgroup_size[0]);
    let subgroup = f64::from(configuration.subgroup_size);
    let subgroups = [false, true].map(|it| product(it, |one| one.subgroups));
    let lanes = [false, true].map(|it| product(it, |one| one.lanes));
    let thread = [false, true].map(|it| product(it, |one| one.thread));
    let own = [false, true].map(|it| product(it, DimensionWork::own));
    let tiles = product(false, DimensionWork::tiles);
    let steps = (product(true, DimensionWork::tiles) / split).ceil();
    let workgroups = tiles * split;
    let tile = [false, true].map(|it| product(it, |one| one.tile));
    let waste = [tiles * tile[0] / rows, steps * split * tile[1] / columns];
    let held = own[0] * own[1];
    let words = held * (element_bytes / 4.0).max(if is_reused { 1.0 } else { 0.0 });
    let load_bytes = inner.thread * bytes;
    let run_bytes = inner.lanes * load_bytes;

    let units = f64::from(device.compute_units);
    let clock = device.clock.value * 1e3;
    let of_unit = (UNITS.0
        * (REGISTERS.0 / (words + REGISTERS.1))
            .floor()
            .clamp(1.0, UNITS.1)
        / (threads / subgroup))
        .floor()
        .max(1.0);
    let rounds = (workgroups / (units * of_unit)).ceil();
    let resident = workgroups.min(units * of_unit);
    let flight = resident * threads * held * element_bytes;
    let read = rows * columns * element_bytes * waste[0] * waste[1];
    let peak = device
        .dram_read
        .map_or(device.dram_peak.value * 0.8, |it| it.value);
    let latency = device.dram_latency.map_or(LATENCY_CYCLES, |it| it.value) / clock;
    let launch = device.launch_floor.map_or(LAUNCH_US, |it| it.value);
    // 10^9 bytes a second are 10^3 bytes a microsecond.
    let bandwidth = (peak * 1e3).min(flight / latency);
    let stream = read / bandwidth;
    // A row that does not stay in registers is read once more.
    let passes = if is_reused && steps > 1.0 { 2.0 } else { 1.0 };
    // A load of less than 16 bytes is another instruction, and so is each element's fold.
    let instructions = held * (1.0 + bytes / load_bytes.min(16.0)) + 30.0;
    let issue = rounds
        * steps
        * instructions
        * of_unit.min(workgroups / units).max(1.0)
        * (threads / subgroup)
        / UNITS.0
        * (64.0 / subgroup).max(1.0)
        / clock;
    let dispatch = device.workgroup_cycles.map_or(4.0, |it| it.value) * workgroups
        / f64::from(device.dies)
        / clock;
    let tree =
        (lanes[1].log2() * 8.0 * own[0] + if subgroups[1] > 1.0 { 150.0 } else { 0.0 }) / clock;
    let merge = if split > 1.0 { 0.6 + 0.01 * split } else { 0.0 };
    let chain = rounds * (steps * passes * latency * 0.8 + tree);
    let time = launch + (stream * passes).max(chain) + issue.max(dispatch) + merge;

    let mut features = [0.0; FEATURES];
    let (of_problem, of_kernel) = features.split_at_mut(PROBLEM_FEATURES);
    of_problem.copy_from_slice(&work.features(problem, device));
    of_kernel.copy_from_slice(&[
        log(threads),
        log(subgroup),
        log(subgroups[0]),
        log(subgroups[1]),
        log(lanes[0]),
        log(lanes[1]),
        log(thread[0]),
        log(thread[1]),
        log(own[0]),
        log(own[1]),
        log(steps),
        log(workgroups),
        log(workgroups / units),
        log(split),
        log(waste[0]),
        log(waste[1]),
        log(words),
        log(load_bytes),
        log(run_bytes),
        log(of_unit),
        log(rounds),
        log(flight),
        log(stream),
        log(issue),
        log(dispatch),
        log(chain),
        log(time - launch),
        flag(knobs.lazy_index),
        flag(knobs.accumulators == Accumulators::One),
        time.ln() as f32,
    ]);
    features
}
