//! The outputs of rows whose values are known: of each element, or of each row.
//!
//! Where elements come again, at the end of a dimension, the same is stored again. A row is stored where it is this lane's, and
//! by its own workgroup.

use configgen::comparator::IntegerPredicate;
use configgen::reduction::Extent;

use super::ids::Ids;
use super::inputs::Loaded;
use super::lane::Lane;
use super::lanes::first_of_row;
use super::memory::{Access, Base, Memory};
use super::place::{self, Place};
use super::results::{RowNumber, put};
use super::steps::{self, Body, Slots, Step};
use crate::native::combiner::region;
use crate::native::ir::{Builder, Value};
use crate::native::stages::sequel::{Output, Sequel};

/// Builds the stores of all outputs, by a lane whose rows have all their values.
pub(super) fn build(
    ir: &mut Builder,
    lane: &Lane<'_>,
    sequel: &Sequel,
    ids: &Ids,
    places: &[Place],
) {
    let kernel = lane.kernel;
    let conditions = conditions(ir, lane, ids, places);
    let of = |extent: Extent| sequel.outputs.iter().filter(move |it| it.extent == extent);
    for output in of(Extent::Rows) {
        of_rows(ir, lane, output, ids, places, &conditions);
    }
    let outputs: Vec<&Output> = of(Extent::Elements).collect();
    if outputs.is_empty() {
        return;
    }
    let accesses = lane.accesses();
    let memories = outputs.iter().zip(&kernel.stores).map(|(output, stores)| {
        Memory::build(ir, kernel, (&output.target, stores), ids, places, &accesses)
    });
    let elements = Elements {
        memories: memories.collect(),
        outputs,
        reads: sequel.output_reads(),
        lane,
        conditions,
    };
    let (loops, first) = (kernel.lanes.block.loops(), lane.inputs.first());
    steps::build(ir, kernel, &elements, &loops, first, &mut Vec::new());
}

/// Under which conditions (i1) each of the lane's rows is to be stored.
fn conditions(ir: &mut Builder, lane: &Lane<'_>, ids: &Ids, places: &[Place]) -> Vec<Vec<Value>> {
    let kernel = lane.kernel;
    let rows = kernel.lanes.rows();
    let rows = rows.iter().map(|row| {
        let (row, mut own) = place::row(ir, kernel, places, row);
        own.extend(ids.is_stored(ir, kernel, &row));
        own
    });
    rows.collect()
}

/// Stores an output that has one element a row, in the first lane of the row's first subgroup.
fn of_rows(
    ir: &mut Builder,
    lane: &Lane<'_>,
    output: &Output,
    ids: &Ids,
    places: &[Place],
    conditions: &[Vec<Value>],
) {
    let kernel = lane.kernel;
    let lanes = &kernel.lanes;
    let first = first_of_row(ir, ids, lanes.shared_bits());
    let mut firsts = vec![first];
    if lanes.block.sharers() > 1 {
        let sharer = ids.sharer(ir, kernel);
        firsts.push(ir.compare(IntegerPredicate::Eq, sharer, Value::i32(0)));
    }
    for (number, row) in lanes.rows().iter().enumerate() {
        let conditions: Vec<Value> = [&firsts[..], &conditions[number]].concat();
        let (row, _) = place::row(ir, kernel, places, row);
        ir.guarded(&conditions, |ir| {
            let types = output.element.region.types();
            let sources = types[..output.element.reads.len()].iter();
            let sources = sources.map(|scalar| Value::any(region::held(*scalar)));
            let arguments: Vec<Value> = sources.chain(lane.rows[number].iter().copied()).collect();
            let value = region::build(ir, &output.element.region, &arguments);
            let row = RowNumber::build(ir, kernel, ids, &row);
            put(ir, &row, output.target.parameter, value);
        });
    }
}

/// What storing outputs of elements takes.
struct Elements<'a> {
    outputs: Vec<&'a Output>,
    /// Where each output is.
    memories: Vec<Memory>,
    /// Which inputs they are computed of.
    reads: Vec<bool>,
    lane: &'a Lane<'a>,
    /// Of each row.
    conditions: Vec<Vec<Value>>,
}

impl Body for Elements<'_> {
    fn step(&self, ir: &mut Builder, step: &Step<'_>, _: &mut Slots) {
        let lane = self.lane;
        let accesses = lane.accesses();
        let from = lane.inputs.at(ir, step.pointer, step.first);
        let loaded = lane.load_of(ir, &self.reads, &from, accesses.iter());
        let bases: Vec<Base> = (self.memories.iter())
            .map(|memory| memory.at(ir, step.first))
            .collect();
        let rows = lane.all_row_numbers();
        let tiles: Vec<Tile<'_>> = (accesses.iter().zip(&loaded).zip(&rows))
            .map(|((access, loaded), rows)| Tile {
                access,
                loaded,
                rows,
            })
            .collect();
        // Tiles of one row, and of rows that are stored under the same conditions, are stored together.
        let same = |a: &Tile<'_>, b: &Tile<'_>| {
            let condition = self.condition(a);
            condition.is_some() && condition == self.condition(b)
        };
        for tiles in tiles.chunk_by(same) {
            match (self.condition(&tiles[0]), tiles) {
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

/// A thread tile with what was loaded of it, and of each element the number of its row.
struct Tile<'a> {
    access: &'a Access,
    loaded: &'a Loaded,
    rows: &'a [usize],
}

impl Elements<'_> {
    /// The conditions under which a thread tile is stored; `None` where they differ from row to row.
    fn condition(&self, tile: &Tile<'_>) -> Option<&[Value]> {
        let of = |row: &usize| &self.conditions[*row];
        let first = of(&tile.rows[0]);
        tile.rows
            .iter()
            .all(|row| of(row) == first)
            .then_some(first)
    }

    /// The elements of an output, of a thread tile.
    fn elements(&self, ir: &mut Builder, number: usize, tile: &Tile<'_>) -> Vec<Value> {
        let rows: Vec<&[Value]> = (tile.rows.iter())
            .map(|&row| &self.lane.rows[row][..])
            .collect();
        let element = &self.outputs[number].element;
        (self.lane.inputs).computed(ir, element, tile.loaded, &rows, false)
    }

    /// Stores thread tiles.
    fn store(&self, ir: &mut Builder, number: usize, tiles: &[Tile<'_>], base: &Base) {
        let elements: Vec<Vec<Value>> = (tiles.iter())
            .map(|tile| self.elements(ir, number, tile))
            .collect();
        let stored = tiles.iter().zip(&elements);
        let stored = stored.map(|(tile, elements)| (tile.access, &elements[..]));
        self.memories[number].store(ir, self.lane.kernel, base, stored);
    }

    /// Stores the elements of a thread tile one by one, each where its row is to be stored.
    fn store_apart(&self, ir: &mut Builder, number: usize, tile: &Tile<'_>, base: &Base) {
        let elements = self.elements(ir, number, tile);
        for (place, (element, &row)) in elements.into_iter().zip(tile.rows).enumerate() {
            ir.guarded(&self.conditions[row], |ir| {
                let at = (tile.access, place);
                self.memories[number].store_one(ir, self.lane.kernel, base, at, element);
            });
        }
    }
}
