//! Features of a kernel: the quantities that its time depends on.
//!
//! They are ratios and counts of a problem, a device and a configuration, mostly as logarithms to
//! base 2. A model of one problem's times is therefore useful for another problem.

use configgen::{Accumulators, Configuration, Device, Figure, Problem};

/// The number of features.
pub const FEATURES: usize = 45;
/// The number of features that depend on the problem and the device alone. They come first.
pub(crate) const PROBLEM_FEATURES: usize = 12;

/// The microseconds of a launch on a device without a published figure.
const LAUNCH_US: f64 = 4.0;
/// The cycles of a load from memory on a device without a published figure.
const LATENCY_CYCLES: f64 = 1200.0;
/// The registers of a lane that a kernel needs beside its elements, in words.
const OTHER_REGISTERS: f64 = 32.0;
/// The bytes of a cache line.
const LINE_BYTES: u64 = 128;

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
    /// The bytes that every run of contiguous elements is a multiple of, at most a cache line.
    alignment: f64,
    /// The bytes of the results.
    result_bytes: f64,
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
        let innermost = (0..shape.rank()).rev().find(|&d| shape.sizes()[d] > 1);
        let run = innermost.map_or(1, |d| u64::from(shape.sizes()[d]));
        let run_bytes = run * u64::from(problem.element.bytes());
        let alignment = match shape.elements() > run {
            true => 1 << run_bytes.trailing_zeros().min(LINE_BYTES.ilog2()),
            // A single run begins where the allocation does.
            false => LINE_BYTES,
        };
        let results = problem.results();
        let result_bytes: u64 = results.iter().map(|it| it.bytes(shape)).sum();
        ProblemWork {
            rows: product(false),
            columns: product(true),
            bytes,
            element_bytes: bytes + f64::from(operand_bytes),
            operands: operands.len(),
            innermost,
            alignment: alignment as f64,
            result_bytes: result_bytes as f64,
            is_reused: shape.reduces() && has_result_per_element(problem),
        }
    }

    /// Returns the features that depend on no configuration.
    fn features(&self, problem: &Problem, device: &'static Device) -> [f32; PROBLEM_FEATURES] {
        let shape = &problem.shape;
        let state = problem.reduction.state();
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
            log(self.alignment),
            log(1.0 + self.result_bytes / self.rows),
        ]
    }
}

/// Returns a figure of the device, or of the most similar one that has it.
fn figure(
    device: &'static Device,
    pick: fn(&Device) -> Option<Figure>,
) -> Option<(&'static Device, f64)> {
    let (of, figure) = device.nearest(pick)?;
    Some((of, figure.value))
}

fn log(number: f64) -> f32 {
    number.max(1e-6).log2() as f32
}

fn flag(flag: bool) -> f32 {
    f32::from(u8::from(flag))
}

/// Returns the features that depend on the problem and the device alone.
pub(crate) fn problem_features(
    problem: &Problem,
    device: &'static Device,
) -> [f32; PROBLEM_FEATURES] {
    ProblemWork::new(problem).features(problem, device)
}

/// Returns the features; the last one is the logarithm of an estimated time in microseconds.
pub fn kernel_features(
    problem: &Problem,
    device: &'static Device,
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
        alignment,
        result_bytes,
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
    let target = device.target();
    let simds = f64::from(target.simds_per_cu);
    let registers = f64::from(target.vgprs_per_simd) / (words + OTHER_REGISTERS);
    let waves = registers.floor().clamp(1.0, target.waves_per_simd.into());
    let of_unit = (simds * waves / (threads / subgroup)).floor().max(1.0);
    let rounds = (workgroups / (units * of_unit)).ceil();
    let resident = workgroups.min(units * of_unit);
    let flight = resident * threads * held * element_bytes;
    let read = rows * columns * element_bytes * waste[0] * waste[1];
    let peak = device
        .dram_read
        .map_or(device.dram_peak.value * 0.8, |it| it.value);
    let cycles = figure(device, |row| row.dram_latency);
    let latency = cycles.map_or(LATENCY_CYCLES / clock, |(of, cycles)| {
        cycles / (of.clock.value * 1e3)
    });
    let launch = figure(device, |row| row.launch_floor).map_or(LAUNCH_US, |it| it.1);
    // 10^9 bytes a second are 10^3 bytes a microsecond.
    let bandwidth = (peak * 1e3).min(flight / latency);
    let stream = read / bandwidth + result_bytes / (peak * 1e3);
    // A row that does not stay in registers is read once more.
    let passes = if is_reused && steps > 1.0 { 2.0 } else { 1.0 };
    // A load of less than 16 bytes is another instruction, and so is each element's fold.
    let instructions = held * (1.0 + bytes / load_bytes.min(16.0)) + 30.0;
    let issue = rounds
        * steps
        * instructions
        * of_unit.min(workgroups / units).max(1.0)
        * (threads / subgroup)
        / simds
        * f64::from(target.valu_cycles)
        * (subgroup / f64::from(target.subgroup_sizes[0])).max(1.0)
        / clock;
    let between = figure(device, |row| row.workgroup_cycles).map_or(4.0, |it| it.1);
    let dispatch = between * workgroups / f64::from(device.dies) / clock;
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
        log(own[1] / thread[1]),
        log(load_bytes / load_bytes.min(alignment)),
        log(result_bytes / read),
        time.ln() as f32,
    ]);
    features
}
