//! Axes: what a lane does several times, as loops, as subscripts, and as the shape of arrays.
//!
//! Along a dimension a lane has batches and, in each, the elements of a thread tile. Those of parallel dimensions make
//! the lane's rows; elements of reduced ones have slots of their own, unless they are taken one by one; their batches
//! share one.

use super::place::Place;
use super::source::Source;
use crate::native::stages::last::Final;

/// What is done `count` times, more than once: `for (unsigned batch1 = 0; batch1 < dim1::batches; ++batch1)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) variable: String,
    pub(super) bound: String,
    pub(super) count: u32,
}

/// The axes of a kernel.
pub(super) struct Axes {
    /// Of the lane's rows.
    pub(super) row: Vec<Axis>,
    /// Of the elements of a row that have slots of their own.
    pub(super) element: Vec<Axis>,
    /// Of the batches of a step, which come in this order, and then of the elements that share a slot.
    pub(super) batch: Vec<Axis>,
    /// Of the slots: those of rows and elements, neighbours in memory last.
    pub(super) slot: Vec<Axis>,
    /// Of what is loaded in a step: batches and slots, neighbours in memory last.
    pub(super) loaded: Vec<Axis>,
    /// Of the elements of a load.
    pub(super) vector: Option<Axis>,
}

impl Axes {
    pub(super) fn new(kernel: &Final, places: &[Place<'_>]) -> Axes {
        let axis = |place: &Place<'_>, variable: &str, constant: &str, count: u32| Axis {
            variable: place.variable(variable),
            bound: place.constant(constant),
            count,
        };
        let mut axes = Axes {
            row: Vec::new(),
            element: Vec::new(),
            batch: Vec::new(),
            slot: Vec::new(),
            loaded: Vec::new(),
            vector: None,
        };
        for place in places {
            let batches = axis(place, "batch", "batches", place.lanes.batches);
            let elements = axis(place, "element", "thread", place.lanes.thread);
            if place.d == kernel.vector && elements.count > 1 {
                axes.vector = Some(elements.clone());
            }
            match place.dimension.reduced {
                true => {
                    axes.batch.push(batches);
                    axes.element.push(elements);
                }
                false => axes.row.extend([batches, elements]),
            }
        }
        if kernel.lanes.has_one_slot() {
            axes.batch.append(&mut axes.element);
        }
        for list in [&mut axes.row, &mut axes.element, &mut axes.batch] {
            list.retain(|axis| axis.count > 1);
        }
        let vector_last = |mut list: Vec<Axis>| {
            // A stable sort.
            list.sort_by_key(|axis| Some(axis) == axes.vector.as_ref());
            list
        };
        axes.slot = vector_last([axes.row.as_slice(), &axes.element].concat());
        axes.loaded = vector_last([axes.batch.as_slice(), &axes.slot].concat());
        axes
    }

    /// Of the offsets of loads: the batches that do not all start at the same distance from each other.
    pub(super) fn of_offsets(&self, places: &[Place<'_>]) -> Vec<Axis> {
        let functions = places.iter().filter(|place| place.start_is_function());
        let batches: Vec<String> = functions.map(|place| place.variable("batch")).collect();
        let all = self.batch.iter().chain(&self.row);
        all.filter(|axis| batches.contains(&axis.variable))
            .cloned()
            .collect()
    }
}

/// `[batch1][element1]`.
pub(super) fn subscripts(axes: &[Axis]) -> String {
    axes.iter()
        .map(|axis| format!("[{}]", axis.variable))
        .collect()
}

/// The subscripts where all but some axes are at their beginning.
pub(super) fn subscripts_of_first(axes: &[Axis], but: &[Axis]) -> String {
    let subscript = |axis: &Axis| match but.contains(axis) {
        true => format!("[{}]", axis.variable),
        false => "[0]".to_owned(),
    };
    axes.iter().map(subscript).collect()
}

/// `[dim1::batches][dim1::thread]`.
pub(super) fn shape(axes: &[Axis]) -> String {
    axes.iter()
        .map(|axis| format!("[{}]", axis.bound))
        .collect()
}

/// Prints `body` in a loop along each axis. All are unrolled: arrays become registers.
pub(super) fn nest(source: &mut Source, axes: &[Axis], body: impl FnOnce(&mut Source)) {
    nest_from(source, axes, 0, body);
}

/// As [`nest`], where each loop begins at `first`.
pub(super) fn nest_from(
    source: &mut Source,
    axes: &[Axis],
    first: u32,
    body: impl FnOnce(&mut Source),
) {
    for Axis {
        variable, bound, ..
    } in axes
    {
        source.lines("#pragma unroll");
        source.open(format!(
            "for (unsigned {variable} = {first}; {variable} < {bound}; ++{variable})"
        ));
    }
    body(source);
    for _ in axes {
        source.close();
    }
}
