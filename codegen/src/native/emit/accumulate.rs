//! What a lane does on its own: it accumulates the elements of its slots, then reduces its slots to states of rows.

use configgen::Initial;

use super::ids::Ids;
use super::memory::{Access, Memory, scaled};
use super::place::Place;
use super::results::{RowNumber, VALUES};
use super::steps;
use crate::native::combiner::{Accumulation, Combiner, State};
use crate::native::ir::{Ir, Value};
use crate::native::last::Final;
use crate::native::register;

/// Elements that are accumulated side by side: enough that the results of comparisons are there when they are used, few
/// enough that they stay in registers.
const GROUP: usize = 4;

/// The slots of a lane: row by row, and of each row element by element.
pub(super) type Slots = Vec<State>;

/// A thread tile that is loaded in every batch of a step.
struct Tile {
    access: Access,
    /// The slot of its first element.
    slot: usize,
}

/// What accumulating takes.
pub(super) struct Lane<'a> {
    pub(super) kernel: &'a Final,
    memory: Memory,
    /// The thread tiles of each batch, in the order of the batches.
    batches: Vec<Vec<Tile>>,
    /// What each batch adds to the position of the step: the same for all lanes, and of each lane's own.
    advances: Vec<[Value; 2]>,
    /// From the slot of an element to that of the next along the vector dimension.
    pitch: usize,
}

/// Prints the accumulation and returns the lane's state of each of its rows.
pub(super) fn print(ir: &mut Ir, kernel: &Final, ids: &Ids, places: &[Place]) -> Vec<State> {
    let lanes = &kernel.lanes;
    let combiner = &lanes.block.grid.combiner;
    let elements = lanes.elements();
    let own = own_position(ir, kernel, places);
    let initial = initial_values(ir, kernel, ids, places);
    let lane = Lane::print(ir, kernel, ids, places);
    let mut slots: Slots = initial
        .iter()
        .flat_map(|value| vec![combiner.initial(value.as_ref()); elements.len()])
        .collect();
    let (pointer, position) = (&lane.memory.first, Value::Int(0));
    let loops = lanes.block.loops();
    steps::print(ir, &lane, &loops, pointer, &position, &mut slots);
    let distances: Vec<u64> = elements
        .iter()
        .map(|element| distance(kernel, element))
        .collect();
    slots
        .chunks(elements.len())
        .map(|row| {
            let settled = row.iter().zip(&distances);
            let settled = settled.map(|(slot, &distance)| combiner.settle(ir, slot, distance));
            let settled = settled.collect();
            let row = fold(ir, combiner, settled);
            combiner.displace(ir, &row, &own)
        })
        .collect()
}

/// The initial value of each of the lane's rows, in the form of its slots, where the outputs hold it. That of a row that
/// is stored elsewhere is not read: it may have been stored by now.
fn initial_values(ir: &mut Ir, kernel: &Final, ids: &Ids, places: &[Place]) -> Vec<Option<Value>> {
    let grid = &kernel.lanes.block.grid;
    let rows = kernel.lanes.rows();
    let (element, form) = (grid.combiner.element, grid.combiner.form());
    let mut values = Vec::new();
    for row in &rows {
        values.push(match grid.combiner.initial {
            Initial::Worst => None,
            Initial::Outputs => {
                let (mut coordinates, mut conditions) = (Vec::new(), Vec::new());
                for (d, _) in grid.parallel() {
                    let coordinate = places[d].coordinate(ir, row[d]);
                    conditions.extend(coordinate.own);
                    conditions.extend(ids.along[d].is_stored(ir, &coordinate.value));
                    coordinates.push(coordinate.value);
                }
                let otherwise = &grid.combiner.initial(None)[0];
                Some(
                    ir.guarded_value(&conditions, grid.combiner.value().llvm(), otherwise, |ir| {
                        let row = RowNumber::print(ir, kernel, ids, &coordinates);
                        let address = row.address(ir, VALUES, element.bytes());
                        register::load(ir, element, 1, &address).only(ir, element, form)
                    }),
                )
            }
        });
    }
    values
}

/// The position of the lane's first element in the first step, of the combiner's type.
fn own_position(ir: &mut Ir, kernel: &Final, places: &[Place]) -> Value {
    let grid = &kernel.lanes.block.grid;
    let kind = grid.combiner.position().llvm();
    let mut own = Value::Int(0);
    for (d, dimension) in grid.reduced() {
        let first = places[d].first(ir);
        let first = scaled(ir, kind, &first, dimension.weight);
        own = ir.add(kind, &own, &first);
    }
    own
}

/// What an element of the thread tile adds to the position.
fn distance(kernel: &Final, element: &[u32]) -> u64 {
    let reduced = kernel.lanes.block.grid.reduced();
    reduced
        .map(|(d, dimension)| u64::from(element[d]) * dimension.weight)
        .sum()
}

impl<'a> Lane<'a> {
    fn print(ir: &mut Ir, kernel: &'a Final, ids: &Ids, places: &[Place]) -> Lane<'a> {
        let lanes = &kernel.lanes;
        let batches: Vec<Vec<Tile>> = lanes
            .batches()
            .iter()
            .map(|batch| thread_tiles(kernel, batch))
            .collect();
        let accesses: Vec<Access> = batches
            .iter()
            .flatten()
            .map(|tile| tile.access.clone())
            .collect();
        let memory = Memory::print(ir, kernel, ids, places, &accesses);
        let advances = lanes
            .batches()
            .iter()
            .map(|batch| advance(ir, kernel, places, batch))
            .collect();
        let vector = &lanes.block.grid.dimensions[kernel.vector];
        Lane {
            kernel,
            memory,
            batches,
            advances,
            // The vector dimension is the last with more than one element.
            pitch: if vector.reduced {
                1
            } else {
                lanes.elements().len()
            },
        }
    }

    /// One step: all loads, then all elements batch by batch, so that the first can be used while the last are on their
    /// way.
    pub(super) fn step(&self, ir: &mut Ir, pointer: &Value, position: &Value, slots: &mut Slots) {
        let grid = &self.kernel.lanes.block.grid;
        let (combiner, kind) = (&grid.combiner, grid.combiner.position().llvm());
        let accesses: Vec<Access> = self
            .batches
            .iter()
            .flatten()
            .map(|tile| tile.access.clone())
            .collect();
        let loaded = self.memory.load(ir, self.kernel, pointer, &accesses);
        let mut loaded = loaded.into_iter();
        for (tiles, [common, own]) in self.batches.iter().zip(&self.advances) {
            let position = ir.add(kind, position, common);
            let position = ir.add(kind, &position, own);
            let mut elements: Vec<Option<Value>> = vec![None; slots.len()];
            for (tile, loaded) in tiles.iter().zip(&mut loaded) {
                for (number, element) in loaded.into_iter().enumerate() {
                    elements[tile.slot + number * self.pitch] = Some(element);
                }
            }
            let mut steps: Vec<Accumulation<'_>> = slots
                .iter_mut()
                .zip(&elements)
                .filter_map(|(slot, element)| {
                    element.as_ref().map(|element| Accumulation {
                        slot,
                        element,
                        position: &position,
                    })
                })
                .collect();
            for group in steps.chunks_mut(GROUP) {
                combiner.accumulate(ir, group);
            }
        }
    }
}

/// The thread tiles of a batch: of each row and element that is the first of its thread tile along the vector dimension.
fn thread_tiles(kernel: &Final, batch: &[u32]) -> Vec<Tile> {
    let lanes = &kernel.lanes;
    let thread: Vec<u32> = lanes.along.iter().map(|along| along.thread).collect();
    let elements = lanes.elements();
    let mut tiles = Vec::new();
    for (row_number, row) in lanes.rows().iter().enumerate() {
        for (element_number, element) in elements.iter().enumerate() {
            // Along each dimension, either the row or the batch and the element are 0.
            let along = |d: usize| {
                (
                    batch[d] + row[d] / thread[d],
                    element[d] + row[d] % thread[d],
                )
            };
            let (batch, element): (Vec<u32>, Vec<u32>) = (0..thread.len()).map(along).unzip();
            if element[kernel.vector] == 0 {
                tiles.push(Tile {
                    access: Access { batch, element },
                    slot: row_number * elements.len() + element_number,
                });
            }
        }
    }
    tiles
}

/// What a batch adds to the position of the step: the same for all lanes, and of each lane's own.
fn advance(ir: &mut Ir, kernel: &Final, places: &[Place], batch: &[u32]) -> [Value; 2] {
    let grid = &kernel.lanes.block.grid;
    let kind = grid.combiner.position().llvm();
    let [mut common, mut own] = [Value::Int(0), Value::Int(0)];
    for (d, dimension) in grid.reduced() {
        let advance = places[d].advance(ir, batch[d]);
        let advance = scaled(ir, kind, &advance, dimension.weight);
        let sum = match advance {
            Value::Int(_) => &mut common,
            Value::Text(_) => &mut own,
        };
        *sum = ir.add(kind, sum, &advance);
    }
    [common, own]
}

/// The states of a row in one, pair by pair.
fn fold(ir: &mut Ir, combiner: &impl Combiner, mut states: Vec<State>) -> State {
    while states.len() > 1 {
        states = states
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => combiner.combine(ir, a, b),
                odd => odd[0].clone(),
            })
            .collect();
    }
    states.swap_remove(0)
}
