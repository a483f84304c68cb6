//! The estimated time of a native kernel's loads, for the choice among defaults of several reduced
//! dimensions.
//!
//! Steps and batches of several dimensions multiply, so two distributions with the same number of
//! threads may differ by a factor of a hundred.

use super::knobs::split_dimension;
use crate::legality::Axis;
use crate::{Configuration, Problem};

/// The cycles from a load to its result.
const LATENCY: u64 = 1000;
/// The cycles of a compute unit for a line from memory: 64 bytes at its share of the bandwidth.
const LINE_CYCLES: u64 = 8;
/// The cycles of a compute unit for an element: of a fold, and of a row that is used again. The
/// latter has conversions and functions.
const ELEMENT_CYCLES: [u64; 2] = [4, 32];
/// The bytes of a line.
const LINE_BYTES: u64 = 64;
/// The subgroups that a compute unit holds at once.
const RESIDENT: u64 = 32;
/// The loads of an element that is used again, and does not stay in a register.
const REPEATED: u64 = 3;

/// Returns the estimated cycles of all loads on a device with this number of compute units.
///
/// The configuration must be legal.
pub(super) fn load_cost(problem: &Problem, units: u64, configuration: &Configuration) -> u64 {
    let (shape, lowering) = (&problem.shape, &configuration.lowering);
    let split = u64::from(configuration.knobs.split);
    let (divided, _) = split_dimension(problem, configuration);
    let strides = shape.strides();
    let (mut steps, mut loads, mut workgroups, mut subgroups) = (1u64, 1u64, split, 1u64);
    let mut elements = 1;
    for d in 0..shape.rank() {
        let tile = lowering.workgroup[d].max(lowering.partial_reduction[d]);
        let axis = Axis::new(problem, configuration, d, tile);
        let tiles = axis.size.div_ceil(axis.tile);
        match shape.is_reduced(d) {
            true if d == divided => steps *= tiles.div_ceil(split),
            true => steps *= tiles,
            false => workgroups = workgroups.saturating_mul(tiles),
        }
        let each = if strides[d] == 1 { 1 } else { axis.thread };
        let batches = axis.tile.div_ceil(axis.unit());
        loads *= batches * each;
        elements *= batches * axis.thread;
        subgroups *= axis.subgroups;
    }
    let is_used_again = problem.reduction.uses_rows_again();
    if is_used_again && steps > 1 {
        steps *= REPEATED;
    }
    let of_unit = workgroups.saturating_mul(subgroups).div_ceil(units);
    let of_unit = of_unit.max(subgroups);
    let latencies = of_unit.div_ceil(RESIDENT) * LATENCY;
    let memory = loads * lines(problem, configuration) * LINE_CYCLES;
    let issue = elements * ELEMENT_CYCLES[usize::from(is_used_again)];
    let busy = of_unit.saturating_mul(memory.max(issue));
    steps.saturating_mul(latencies.saturating_add(busy))
}

/// Returns the number of lines that a subgroup's load takes from memory.
fn lines(problem: &Problem, configuration: &Configuration) -> u64 {
    let (shape, lowering) = (&problem.shape, &configuration.lowering);
    let strides = shape.strides();
    let line = |lane: u32| {
        let position = lowering.lane_basis.position(lane, shape.rank());
        let elements = (0..shape.rank()).map(|d| {
            let first = position[d] * lowering.thread[d].max(1);
            u64::from(first.min(shape.sizes()[d] - 1)) * strides[d]
        });
        elements.sum::<u64>() * u64::from(problem.element.bytes()) / LINE_BYTES
    };
    let mut all: Vec<u64> = (0..configuration.subgroup_size).map(line).collect();
    all.sort_unstable();
    all.dedup();
    all.len() as u64
}
