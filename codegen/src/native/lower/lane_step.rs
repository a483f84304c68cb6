//! The work of a lane in a step: it loads the elements of its slots and accumulates them.

use super::inputs::{InputStart, InputTiles, Inputs};
use super::lane_offset::LaneOffsets;
use super::memory::{TileAccess, scaled};
use super::numbering::Numbering;
use super::positions;
use super::step_loop::{LoopStep, Slots, StepBody};
use super::tail_mask::{StepOrigin, TailMask};
use super::thread_ids::Ids;
use crate::native::combiner::{Accumulation, StateValues};
use crate::native::ir::{Builder, Type, Value};
use crate::native::stages::final_stage::Final;

/// The number of elements that are accumulated side by side. It is enough for comparison results
/// to be ready at their use, and few enough for registers.
const GROUP: usize = 4;

/// A thread tile that is loaded in every batch of a step.
struct ThreadTile {
    access: TileAccess,
    /// The number of the tile's first element. Elements are numbered row by row, and within a row
    /// element by element.
    element: usize,
}

/// The thread tiles of a batch.
struct TileBatch {
    /// The batch along each reduced dimension, 0 along parallel ones.
    place: Vec<u32>,
    tiles: Vec<ThreadTile>,
}

/// The batches of a step, in their order.
pub(super) struct Batches(Vec<TileBatch>);

impl Batches {
    pub(super) fn new(kernel: &Final) -> Batches {
        let batches = kernel.lanes.batches().into_iter();
        let batches = batches.map(|place| TileBatch {
            tiles: thread_tiles(kernel, &place),
            place,
        });
        Batches(batches.collect())
    }

    /// Returns the accesses of all batches.
    pub(super) fn accesses(&self) -> Vec<TileAccess> {
        let tiles = self.0.iter().flat_map(|batch| &batch.tiles);
        tiles.map(|tile| tile.access.clone()).collect()
    }
}

/// The elements of a step.
pub(super) struct StepElements {
    /// The origins of addresses, for each input.
    starts: Vec<InputStart>,
    position: Value,
    /// True if all lanes share the position.
    is_shared: bool,
    /// The first element of the step (i32), along each dimension.
    first: Vec<Value>,
    /// The number of leading elements of the tile that were taken before, along each dimension.
    taken: Vec<u32>,
    /// The only row with elements in this step, if not all rows have some.
    row: Option<usize>,
}

/// The inputs of the accumulation of a step.
pub(super) struct LaneStep<'a> {
    pub(super) kernel: &'a Final,
    pub(super) inputs: &'a Inputs,
    batches: &'a Batches,
    /// The loaded elements of all thread tiles, if a row stays in registers.
    pub(super) kept: Option<&'a [InputTiles]>,
    /// The values of each of the lane's rows, if the reduced function uses them.
    pub(super) rows: Vec<Vec<Value>>,
    /// The distance of each batch from the position of the step: the part that all lanes share,
    /// and the lane's own.
    advances: Vec<[Value; 2]>,
    /// The place of each element of a row in its batch, and its distance from the batch's
    /// position.
    places: Vec<Vec<u32>>,
    pub(super) distances: Vec<u64>,
    /// The numbering of elements, if it pays.
    numbering: Option<Numbering>,
    /// The mask of repeated elements, if these would count twice.
    once: Option<TailMask>,
    /// The distance between the numbers of neighbouring elements along the vector dimension.
    pitch: usize,
}

impl<'a> LaneStep<'a> {
    pub(super) fn build(
        ir: &mut Builder,
        kernel: &'a Final,
        ids: &Ids,
        places: &[LaneOffsets],
        batches: &'a Batches,
        inputs: &'a Inputs,
    ) -> LaneStep<'a> {
        let lanes = &kernel.lanes;
        let advances: Vec<[Value; 2]> = lanes
            .batches()
            .iter()
            .map(|batch| positions::advance(ir, kernel, places, batch))
            .collect();
        let distances: Vec<u64> = (lanes.elements().iter())
            .map(|element| positions::distance(kernel, element))
            .collect();
        let vector = &lanes.block.grid.dimensions[kernel.vector];
        LaneStep {
            kernel,
            inputs,
            batches,
            kept: None,
            rows: vec![Vec::new(); lanes.rows().len()],
            numbering: numbering(kernel, &advances, &distances),
            once: TailMask::build(ir, kernel, ids, places),
            advances,
            distances,
            places: lanes.elements(),
            // The vector dimension is the last one with more than one element.
            pitch: if vector.reduced {
                1
            } else {
                lanes.elements().len()
            },
        }
    }

    /// Returns a slot with its position in place of its number.
    pub(super) fn positioned(&self, ir: &mut Builder, slot: &StateValues) -> StateValues {
        let Some(numbering) = &self.numbering else {
            return slot.clone();
        };
        vec![slot[0], numbering.position(ir, slot[1])]
    }

    /// Builds the loads of one thread tile of each row and batch, and their accumulation. Each
    /// row has its own base, or all share one. All loads come first, then all elements batch by
    /// batch, so that the first can be used while the last are in flight. Elements of a batch
    /// that share a slot take turns.
    pub(super) fn take(&self, ir: &mut Builder, froms: &[StepElements], slots: &mut Slots) {
        let grid = &self.kernel.lanes.block.grid;
        let (combiner, kind) = (&grid.combiner, grid.combiner.position_type());
        let count = self.kernel.lanes.rows().len() * self.distances.len();
        // If rows have one slot, its elements take turns. Otherwise each element has a slot of
        // its own and there is one turn.
        let turns = count / slots.len();
        let mut loaded = Vec::new();
        for from in froms {
            let batches = self.batches.0.iter();
            let tiles = batches.flat_map(|batch| self.tiles(from, batch));
            let accesses = tiles.map(|tile| &tile.access);
            loaded.push(self.load(ir, &from.starts, accesses).into_iter());
        }
        let positions: Vec<Vec<Value>> =
            froms.iter().map(|from| self.positions(ir, from)).collect();
        for (batch_number, (batch, [_, own])) in
            self.batches.0.iter().zip(&self.advances).enumerate()
        {
            let mut elements: Vec<Option<(Value, Value)>> = vec![None; count];
            for ((from, loaded), positions) in froms.iter().zip(&mut loaded).zip(&positions) {
                let position = ir.add(positions[batch_number], *own);
                // With a slot for each element, the element's distance is added at the end.
                let elements_of_slot = self.distances[..turns].iter().enumerate();
                let positions: Vec<Value> = elements_of_slot
                    .map(|(element, &distance)| match &self.numbering {
                        Some(numbering) => {
                            Value::bits(kind, numbering.number(batch_number, element))
                        }
                        None => ir.add(position, Value::bits(kind, distance)),
                    })
                    .collect();
                for (tile, loads) in self.tiles(from, batch).zip(loaded) {
                    let loaded = self.elements(ir, tile, &loads);
                    for (number, element) in self.elements_of(tile).zip(loaded) {
                        if self.has(from, batch, number) {
                            let element = match &self.once {
                                Some(once) => {
                                    let of_row = number % self.distances.len();
                                    let step = StepOrigin {
                                        first: &from.first,
                                        taken: &from.taken,
                                    };
                                    once.mask_element(ir, &step, [batch_number, of_row], element)
                                }
                                None => element,
                            };
                            elements[number] = Some((element, positions[number % turns]));
                        }
                    }
                }
            }
            for turn in 0..turns {
                let elements = elements.iter().skip(turn).step_by(turns);
                let mut steps: Vec<Accumulation<'_>> = slots
                    .iter_mut()
                    .zip(elements)
                    .filter_map(|(slot, element)| {
                        element.map(|(element, position)| Accumulation {
                            slot,
                            element,
                            position,
                        })
                    })
                    .collect();
                for group in steps.chunks_mut(GROUP) {
                    combiner.accumulate(ir, group);
                }
            }
        }
    }

    /// Returns the positions of the batches, without the lane's own part.
    fn positions(&self, ir: &mut Builder, from: &StepElements) -> Vec<Value> {
        let grid = &self.kernel.lanes.block.grid;
        let mut all: Vec<Value> = (self.advances.iter())
            .map(|[common, _]| ir.add(from.position, *common))
            .collect();
        // With one slot, positions differ by element and are added up anyway.
        let is_shared = from.is_shared && from.position.constant().is_none();
        if is_shared && from.position.kind == Type::I32 && !self.kernel.lanes.has_one_slot() {
            positions::in_vectors(ir, grid.isa, &mut all);
        }
        all
    }

    /// Returns the thread tiles of a batch that have an element to be taken.
    fn tiles<'b>(
        &'b self,
        from: &'b StepElements,
        batch: &'b TileBatch,
    ) -> impl Iterator<Item = &'b ThreadTile> + Clone {
        let has_any = move |tile: &&ThreadTile| {
            let mut elements = self.elements_of(tile);
            elements.any(|element| self.has(from, batch, element))
        };
        batch.tiles.iter().filter(has_any)
    }

    /// Returns true if element `number` of a batch is to be taken, perhaps a second time.
    fn has(&self, from: &StepElements, batch: &TileBatch, number: usize) -> bool {
        let (row, element) = (number / self.distances.len(), number % self.distances.len());
        let along = self.kernel.lanes.along.iter().zip(&from.taken);
        let mut places = along.zip(batch.place.iter().zip(&self.places[element]));
        // If only some lanes have a new element there, the tail mask decides in each lane.
        let may_be_new = self.once.is_some()
            || places.all(|((lanes, &taken), (batch, element))| {
                batch * lanes.round() + element >= taken
            });
        may_be_new && from.row.is_none_or(|only| only == row)
    }

    /// Returns the elements that the lane loads in a step, by row, in the form of the slots.
    pub(super) fn load_rows(&self, ir: &mut Builder, step: &LoopStep<'_>) -> Vec<Vec<Value>> {
        let lanes = &self.kernel.lanes;
        let (rows, per_row) = (lanes.rows().len(), self.distances.len());
        let tiles = self.batches.0.iter().flat_map(|batch| &batch.tiles);
        let accesses = tiles.clone().map(|tile| &tile.access);
        let starts = self.inputs.at(ir, step.pointer, step.first);
        let loaded = self.load(ir, &starts, accesses);
        let mut by_row = vec![Vec::new(); rows];
        for (tile, loads) in tiles.zip(&loaded) {
            for (place, element) in self.elements_of(tile).zip(self.elements(ir, tile, loads)) {
                by_row[place / per_row].push(element);
            }
        }
        by_row
    }

    /// Builds the loads of thread tiles from all inputs that the reduced function reads.
    fn load<'b>(
        &self,
        ir: &mut Builder,
        starts: &[InputStart],
        accesses: impl Iterator<Item = &'b TileAccess> + Clone,
    ) -> Vec<InputTiles> {
        let function = &self.kernel.lanes.block.grid.function;
        let reads = match function {
            Some(function) => &function.reads[..],
            None => &[true],
        };
        self.load_of(ir, reads, starts, accesses)
    }

    /// Builds the loads of thread tiles from those inputs that `reads` selects. Builds none if
    /// the row is kept, because the kept elements are complete.
    pub(super) fn load_of<'b>(
        &self,
        ir: &mut Builder,
        reads: &[bool],
        starts: &[InputStart],
        accesses: impl Iterator<Item = &'b TileAccess> + Clone,
    ) -> Vec<InputTiles> {
        match self.kept {
            Some(kept) => kept.to_vec(),
            None => self.inputs.load(ir, self.kernel, reads, starts, accesses),
        }
    }

    /// Returns the elements of a thread tile, in the form of the slots.
    fn elements(&self, ir: &mut Builder, tile: &ThreadTile, loads: &InputTiles) -> Vec<Value> {
        let rows = self.rows_of(tile);
        self.inputs.elements(ir, self.kernel, loads, &rows)
    }

    /// Returns the values of the row of each element of a thread tile.
    fn rows_of(&self, tile: &ThreadTile) -> Vec<&[Value]> {
        let rows = self.row_numbers(tile);
        rows.map(|row| &self.rows[row][..]).collect()
    }

    /// Returns the row number of each element of a thread tile.
    fn row_numbers(&self, tile: &ThreadTile) -> impl Iterator<Item = usize> {
        let per_row = self.distances.len();
        self.elements_of(tile).map(move |number| number / per_row)
    }

    /// Returns the row number of each element, for all thread tiles of a step.
    pub(super) fn all_row_numbers(&self) -> Vec<Vec<usize>> {
        let tiles = self.batches.0.iter().flat_map(|batch| &batch.tiles);
        tiles.map(|tile| self.row_numbers(tile).collect()).collect()
    }

    /// Returns the accesses of all thread tiles of a step.
    pub(super) fn accesses(&self) -> Vec<TileAccess> {
        self.batches.accesses()
    }

    /// Returns the numbers of the elements of a thread tile. Along a parallel dimension, they
    /// belong to several rows.
    fn elements_of(&self, tile: &ThreadTile) -> impl Iterator<Item = usize> + use<> {
        let width = self.kernel.lanes.along[self.kernel.vector].thread as usize;
        let (first, pitch) = (tile.element, self.pitch);
        (0..width).map(move |number| first + number * pitch)
    }

    /// Returns the elements of row `row` in the step along dimension `number` that begins at
    /// element `first` (i32, differs between lanes).
    pub(super) fn start_of(
        &self,
        ir: &mut Builder,
        row: usize,
        number: usize,
        first: Value,
    ) -> StepElements {
        let grid = &self.kernel.lanes.block.grid;
        let dimension = &grid.dimensions[number];
        let kind = grid.combiner.position_type();
        StepElements {
            starts: self.inputs.of_lanes(ir, number, first),
            is_shared: false,
            position: scaled(ir, kind, first, dimension.weight),
            first: vec![Value::i32(0); grid.dimensions.len()],
            taken: vec![0; grid.dimensions.len()],
            row: Some(row),
        }
    }
}

impl StepBody for LaneStep<'_> {
    fn step(&self, ir: &mut Builder, step: &LoopStep<'_>, slots: &mut Slots) {
        let from = StepElements {
            starts: self.inputs.at(ir, step.pointer, step.first),
            is_shared: true,
            position: step.position,
            first: step.first.to_vec(),
            taken: step.taken.to_vec(),
            row: None,
        };
        self.take(ir, &[from], slots);
    }
}

/// Returns the numbering of the elements. The lane must take all of them in one step, their
/// positions must be constants, and no position may mean "none".
fn numbering(kernel: &Final, advances: &[[Value; 2]], distances: &[u64]) -> Option<Numbering> {
    let lanes = &kernel.lanes;
    let combiner = lanes.block.grid.combiner.by_value()?;
    // With several steps, positions are no constants. With "none", a number would need a value
    // for it.
    if !lanes.block.loops().is_empty() || combiner.tells_none() {
        return None;
    }
    let constant = |[common, own]: &[Value; 2]| match own.is_zero() {
        true => common.constant(),
        false => None,
    };
    let batches: Option<Vec<u64>> = advances.iter().map(constant).collect();
    let elements_of_slot = distances.len() / lanes.slots_per_row();
    Numbering::new(&batches?, &distances[..elements_of_slot])
}

/// Returns the thread tiles of a batch: one for each row and element that begins a thread tile
/// along the vector dimension.
fn thread_tiles(kernel: &Final, batch: &[u32]) -> Vec<ThreadTile> {
    let lanes = &kernel.lanes;
    let thread: Vec<u32> = lanes.along.iter().map(|along| along.thread).collect();
    let elements = lanes.elements();
    let mut tiles = Vec::new();
    for (row_number, row) in lanes.rows().iter().enumerate() {
        for (element_number, element) in elements.iter().enumerate() {
            // Along each dimension, either the row is 0, or the batch and the element are.
            let along = |d: usize| {
                (
                    batch[d] + row[d] / thread[d],
                    element[d] + row[d] % thread[d],
                )
            };
            let (batch, element): (Vec<u32>, Vec<u32>) = (0..thread.len()).map(along).unzip();
            if element[kernel.vector] == 0 {
                tiles.push(ThreadTile {
                    access: TileAccess { batch, element },
                    element: row_number * elements.len() + element_number,
                });
            }
        }
    }
    tiles
}
