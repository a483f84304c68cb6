//! The outputs of rows with known values: one for each element, or one for each row.
//!
//! An element that is repeated at the end of a dimension is stored again with the same value,
//! unless another workgroup stores it. A row is stored by its own lane and workgroup.

use configgen::comparator::IntegerPredicate;
use configgen::reduction::Extent;

use super::inputs::InputTiles;
use super::lane_offset::{self, LaneOffsets};
use super::lane_step::LaneStep;
use super::memory::{Base, TensorAddresses, TileAccess};
use super::results::{RowNumber, put};
use super::step_loop::{self, LoopStep, Slots, StepBody};
use super::subgroup_reduction::holds_row;
use super::thread_ids::Ids;
use crate::native::combiner::{RegisterForm, region};
use crate::native::ir::{Builder, KernelPart, Value};
use crate::native::stages::epilogue::{Epilogue, EpilogueOutput};
use crate::native::stages::final_stage::Final;

/// Builds the stores of all outputs, for a lane with all values of its rows.
pub(super) fn build(
    ir: &mut Builder,
    lane: &LaneStep<'_>,
    sequel: &Epilogue,
    ids: &Ids,
    places: &[LaneOffsets],
) {
    let kernel = lane.kernel;
    let conditions = conditions(ir, lane, ids, places);
    let of = |extent: Extent| sequel.outputs.iter().filter(move |it| it.extent == extent);
    for output in of(Extent::Rows) {
        of_rows(ir, lane, output, ids, places, &conditions);
    }
    let outputs: Vec<&EpilogueOutput> = of(Extent::Elements).collect();
    if outputs.is_empty() {
        return;
    }
    let accesses = lane.accesses();
    let memories = outputs.iter().zip(&kernel.stores).map(|(output, stores)| {
        TensorAddresses::build(ir, kernel, (&output.target, stores), ids, places, &accesses)
    });
    let elements = ElementOutputs {
        memories: memories.collect(),
        outputs,
        reads: sequel.output_reads(),
        lane,
        conditions,
        others: others(kernel, ids).map(|(d, others)| (d, &places[d], others)),
    };
    let (loops, first) = (kernel.lanes.block.loops(), lane.inputs.first());
    step_loop::build(ir, kernel, &elements, &loops, first, &mut Vec::new());
}

/// Returns the reduced dimension whose leading elements another workgroup stores, and their
/// number (i32, uniform).
fn others(kernel: &Final, ids: &Ids) -> Option<(usize, Value)> {
    let mut reduced = kernel.lanes.block.grid.reduced();
    reduced.find_map(|(d, _)| Some((d, ids.along[d].others?)))
}

/// Returns the conditions (i1) under which each of the lane's rows is stored.
fn conditions(
    ir: &mut Builder,
    lane: &LaneStep<'_>,
    ids: &Ids,
    places: &[LaneOffsets],
) -> Vec<Vec<Value>> {
    let kernel = lane.kernel;
    let rows = kernel.lanes.rows();
    let rows = rows.iter().map(|row| {
        let (row, mut own) = lane_offset::row(ir, kernel, places, row);
        own.extend(ids.is_stored(ir, kernel, &row));
        own
    });
    rows.collect()
}

/// Builds the stores of an output with one element per row. The first lane of the row's first
/// subgroup stores, in the first of the workgroups that share the row.
fn of_rows(
    ir: &mut Builder,
    lane: &LaneStep<'_>,
    output: &EpilogueOutput,
    ids: &Ids,
    places: &[LaneOffsets],
    conditions: &[Vec<Value>],
) {
    let kernel = lane.kernel;
    let mut firsts = holds_row(ir, kernel, ids);
    if kernel.lanes.block.grid.split.is_some() {
        // All workgroups that share the row have its value.
        firsts.push(ir.compare(IntegerPredicate::Eq, ids.piece, Value::i32(0)));
    }
    for (number, row) in kernel.lanes.rows().iter().enumerate() {
        let conditions: Vec<Value> = [&firsts[..], &conditions[number]].concat();
        let (row, _) = lane_offset::row(ir, kernel, places, row);
        ir.guarded(&conditions, |ir| {
            let types = output.element.region.types();
            let sources = types[..output.element.reads.len()].iter();
            // An output with one element per row depends on the row's values alone.
            let sources = sources.map(|scalar| Value::any(region::held(*scalar)));
            let arguments: Vec<Value> = sources.chain(lane.rows[number].iter().copied()).collect();
            let value = region::build(ir, &output.element.region, &arguments);
            let row = RowNumber::build(ir, kernel, ids, &row);
            put(ir, &row, output.target.parameter, value);
        });
    }
}

/// The inputs of the stores of element outputs.
struct ElementOutputs<'a> {
    outputs: Vec<&'a EpilogueOutput>,
    /// The addresses of each output.
    memories: Vec<TensorAddresses>,
    /// True for each input that the outputs use.
    reads: Vec<bool>,
    lane: &'a LaneStep<'a>,
    /// The conditions of each row.
    conditions: Vec<Vec<Value>>,
    /// The dimension along which others store leading elements, the lane's offsets along it, and
    /// the number of those elements (i32, uniform).
    others: Option<(usize, &'a LaneOffsets, Value)>,
}

impl StepBody for ElementOutputs<'_> {
    fn step(&self, ir: &mut Builder, step: &LoopStep<'_>, _: &mut Slots) {
        ir.part(KernelPart::Store, |ir| self.store_all(ir, step));
    }
}

impl ElementOutputs<'_> {
    /// Builds the stores of the lane's elements in a step.
    fn store_all(&self, ir: &mut Builder, step: &LoopStep<'_>) {
        let lane = self.lane;
        let accesses = lane.accesses();
        let from = lane.inputs.at(ir, step.pointer, step.first);
        let loaded = lane.load_of(ir, &self.reads, &from, accesses.iter());
        let bases: Vec<Base> = (self.memories.iter())
            .map(|memory| memory.at(ir, step.first))
            .collect();
        let rows = lane.all_row_numbers();
        let tiles: Vec<OutputTile<'_>> = (accesses.iter().zip(&loaded).zip(&rows))
            .map(|((access, loaded), rows)| OutputTile {
                conditions: self.conditions(ir, access, rows, step),
                access,
                loaded,
                rows,
            })
            .collect();
        // Tiles of one row, or of rows with the same conditions, share one branch.
        let same = |a: &OutputTile<'_>, b: &OutputTile<'_>| {
            let condition = a.condition();
            condition.is_some() && condition == b.condition()
        };
        for tiles in tiles.chunk_by(same) {
            match (tiles[0].condition(), tiles) {
                (Some(conditions), _) => ir.guarded(conditions, |ir| {
                    for (number, base) in bases.iter().enumerate() {
                        self.store(ir, number, tiles, base);
                    }
                }),
                (None, [tile, ..]) => {
                    for (number, base) in bases.iter().enumerate() {
                        self.store_apart(ir, number, tile, base);
                    }
                }
                (None, []) => {}
            }
        }
    }
}

/// A thread tile, with its loaded elements and the row number of each element.
struct OutputTile<'a> {
    access: &'a TileAccess,
    loaded: &'a InputTiles,
    rows: &'a [usize],
    /// The conditions (i1) under which each element is stored.
    conditions: Vec<Vec<Value>>,
}

impl OutputTile<'_> {
    /// Returns the conditions of the whole tile, or `None` if they differ between elements.
    fn condition(&self) -> Option<&[Value]> {
        let (first, others) = self.conditions.split_first()?;
        others.iter().all(|it| it == first).then_some(first)
    }
}

impl ElementOutputs<'_> {
    /// Returns the conditions of the elements of a thread tile with these rows: those of the row,
    /// and that no other workgroup stores the element.
    fn conditions(
        &self,
        ir: &mut Builder,
        access: &TileAccess,
        rows: &[usize],
        step: &LoopStep<'_>,
    ) -> Vec<Vec<Value>> {
        let kernel = self.lane.kernel;
        let vector = &kernel.lanes.block.grid.dimensions[kernel.vector];
        // Shifted tiles of rows move by whole thread tiles then.
        let is_moved_whole = !vector.reduced
            && (vector.whole).is_multiple_of(kernel.lanes.along[kernel.vector].thread);
        let mut own: Option<Value> = None;
        let conditions = rows.iter().zip(0..).map(|(&row, number)| {
            let row = if is_moved_whole { rows[0] } else { row };
            let mut conditions = self.conditions[row].clone();
            let Some((d, place, others)) = self.others else {
                return conditions;
            };
            let thread = kernel.lanes.along[d].thread;
            let is_along = kernel.vector == d;
            // A thread tile does not cross the border of a piece then.
            let is_whole = !is_along
                || kernel.lanes.block.grid.dimensions[d]
                    .whole
                    .is_multiple_of(thread);
            let is_own = match own {
                Some(own) if is_whole => own,
                _ => {
                    let beyond = if is_along { number } else { 0 };
                    let element = access.batch[d] * thread + access.element[d] + beyond;
                    let coordinate = place.coordinate(ir, element).value;
                    let in_piece = ir.add(step.first[d], coordinate);
                    ir.compare(IntegerPredicate::Uge, in_piece, others)
                }
            };
            own = Some(is_own);
            conditions.push(is_own);
            conditions
        });
        conditions.collect()
    }

    /// Computes the elements of an output for a thread tile.
    fn elements(&self, ir: &mut Builder, number: usize, tile: &OutputTile<'_>) -> Vec<Value> {
        let rows: Vec<&[Value]> = (tile.rows.iter())
            .map(|&row| &self.lane.rows[row][..])
            .collect();
        let output = &self.outputs[number];
        let computed = (self.lane.inputs).computed(ir, &output.element, tile.loaded, &rows, false);
        // A truth value is stored as a byte.
        let held = RegisterForm::Plain.scalar(output.target.element);
        let computed = computed.into_iter().map(|it| ir.resized(it, held));
        computed.collect()
    }

    /// Builds the stores of thread tiles.
    fn store(&self, ir: &mut Builder, number: usize, tiles: &[OutputTile<'_>], base: &Base) {
        let elements: Vec<Vec<Value>> = (tiles.iter())
            .map(|tile| self.elements(ir, number, tile))
            .collect();
        let stored = tiles.iter().zip(&elements);
        let stored = stored.map(|(tile, elements)| (tile.access, &elements[..]));
        self.memories[number].store(ir, self.lane.kernel, base, stored);
    }

    /// Builds the stores of a thread tile's elements one by one, each under the conditions of its
    /// row.
    fn store_apart(&self, ir: &mut Builder, number: usize, tile: &OutputTile<'_>, base: &Base) {
        let elements = self.elements(ir, number, tile);
        for (place, element) in elements.into_iter().enumerate() {
            ir.guarded(&tile.conditions[place], |ir| {
                let at = (tile.access, place);
                self.memories[number].store_one(ir, self.lane.kernel, base, at, element);
            });
        }
    }
}
