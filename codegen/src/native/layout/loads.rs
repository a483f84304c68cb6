//! Which lane loads what: the thread tiles of each lane in a step.

use super::LaneMap;
use crate::native::stages::blockwise::Subgroups;
use crate::native::stages::dimension::{Dimension, TailHandling, index_tuples};
use crate::native::stages::final_stage::LaneFold;

/// The elements that a lane takes side by side: of neighbouring columns of a row, or of neighbouring rows
/// ([`LaneMap::loads_rows`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Load {
    /// The subgroup.
    pub subgroup: u32,
    /// The batch: the number of the round, those of the last dimension the fastest.
    pub batch: u32,
    /// The lane of the subgroup.
    pub lane: u32,
    /// The row of the first element, among all rows of the problem.
    pub row: u64,
    /// Its column.
    pub column: u64,
    /// Elements.
    pub length: u32,
    /// Elements of the input before the first one, gaps between rows included.
    pub offset: u64,
    /// How many of them, at the beginning, nobody asks for: a compiler may leave them out. Where tiles of rows overlap or are
    /// larger than the dimension, lanes repeat rows of others; where all lanes take the only row, the first one stores; and
    /// where elements are to be taken once, the last step leaves those of the one before.
    pub repeated: u32,
}

/// Where a step of a workgroup is along a dimension.
struct StepRange {
    /// Its first element.
    first: u32,
    /// How many elements at the beginning of its tile have been taken before, where they are not taken again.
    taken: u32,
    /// Of a parallel dimension, how many are another workgroup's.
    others: u32,
    /// Where elements of its tile start at the latest, where the last tile is cut off.
    last: u32,
}

/// Where a load is along a dimension.
struct LoadRange {
    /// Its first element.
    first: u64,
    /// How many elements from there on nobody asks for.
    repeated: u32,
}

/// A thread tile, as what counts in it: of each dimension the batch, and in the batch its first element.
struct TileIndex {
    batch: Vec<u32>,
    element: Vec<u32>,
}

impl LaneMap {
    /// What the lanes of a workgroup (linear, those that share rows side by side) load in a step: subgroup by subgroup, of
    /// each batch by batch, of each lane by lane. Where a tile is larger than a dimension, lanes may load an element that
    /// another one has, or that they have loaded before. Empty beyond the last workgroup and the last step.
    ///
    /// Where the steps are nested loops, those of the last dimension are the fastest.
    pub fn loads(&self, workgroup: u64, step: u64) -> impl Iterator<Item = Load> + '_ {
        let is_there = workgroup < self.workgroups() && step < self.steps();
        let (subgroups, steps) = match is_there {
            true => (self.subgroups(), self.steps_along(workgroup, step)),
            false => (0, Vec::new()),
        };
        let tiles = self.tiles(&steps);
        let (batches, lanes) = (tiles.len(), self.subgroup_size());
        let mut turns = (0..subgroups).flat_map(move |subgroup| {
            (0..batches).flat_map(move |batch| (0..lanes).map(move |lane| (subgroup, batch, lane)))
        });
        let mut turn = turns.next();
        let mut number = 0;
        std::iter::from_fn(move || {
            loop {
                let (subgroup, batch, lane) = turn?;
                if let Some(tile) = tiles[batch].get(number) {
                    number += 1;
                    let places = self.places(&steps, tile, subgroup, lane);
                    return Some(self.load(subgroup, batch as u32, lane, &places));
                }
                (turn, number) = (turns.next(), 0);
            }
        })
    }

    /// Where the first element of a thread tile is along each dimension.
    fn places(
        &self,
        steps: &[StepRange],
        tile: &TileIndex,
        subgroup: u32,
        lane: u32,
    ) -> Vec<LoadRange> {
        let lanes = &self.kernel.lanes;
        let dimensions = lanes.block.grid.dimensions.iter().zip(steps);
        dimensions
            .enumerate()
            .map(|(d, (dimension, step))| {
                let Subgroups { field, tile: part } = lanes.block.along[d];
                let origin = field.of(subgroup) * part;
                let (wanted, start) = lanes.along[d].start(origin, lane, tile.batch[d]);
                let first = start.min(step.last) + tile.element[d];
                LoadRange {
                    first: u64::from(step.first + first),
                    repeated: match dimension.reduced {
                        true => step.taken.saturating_sub(first),
                        false => wanted.max(step.others).saturating_sub(first),
                    },
                }
            })
            .collect()
    }

    /// The load of a thread tile whose first element is there.
    fn load(&self, subgroup: u32, batch: u32, lane: u32, places: &[LoadRange]) -> Load {
        let dimensions = &self.kernel.lanes.block.grid.dimensions;
        let number = |reduced: bool| {
            let own = dimensions
                .iter()
                .zip(places)
                .filter(|(d, _)| d.reduced == reduced);
            own.fold(0, |number, (dimension, place)| {
                number * u64::from(dimension.whole) + place.first
            })
        };
        let strides = self.kernel.lanes.block.grid.neighbours();
        let offsets = strides.iter().zip(places);
        // Where all lanes take the same elements, the first one has the result.
        let is_asked = lane == 0 || self.kernel.fold != LaneFold::Alike;
        let length = self.kernel.lanes.along[self.kernel.vector].thread;
        let repeated = places
            .iter()
            .enumerate()
            .map(|(d, place)| match place.repeated {
                repeated if d == self.kernel.vector => repeated,
                0 => 0,
                _ => length,
            });
        let repeated = repeated.max().unwrap_or(0).min(length);
        Load {
            subgroup,
            batch,
            lane,
            row: number(false),
            column: number(true),
            length,
            offset: offsets.map(|(stride, place)| stride * place.first).sum(),
            repeated: if is_asked { repeated } else { length },
        }
    }

    /// Where a step is along each dimension.
    fn steps_along(&self, workgroup: u64, step: u64) -> Vec<StepRange> {
        let grid = &self.kernel.lanes.block.grid;
        let takes_once = grid.combiner.is_serial() || grid.combiner.neutral().is_some();
        let sharers = u64::from(grid.sharers());
        let (mut tile, piece) = (workgroup / sharers, (workgroup % sharers) as u32);
        let mut step = step;
        let digit = |number: &mut u64, dimension: &Dimension| {
            let count = u64::from(dimension.tiles());
            let digit = (*number % count) as u32;
            *number /= count;
            digit
        };
        let mut along: Vec<StepRange> = (grid.dimensions.iter().enumerate().rev())
            .map(|(d, dimension)| {
                let number = match dimension.reduced {
                    true => digit(&mut step, dimension),
                    false => digit(&mut tile, dimension),
                };
                let piece = match grid.split {
                    Some(split) if split.dimension == d => (piece * split.piece).min(split.last),
                    _ => 0,
                };
                let wanted = number * dimension.tile();
                let (first, last) = match dimension.cover() {
                    TailHandling::Counted => (wanted, dimension.size - wanted - 1),
                    TailHandling::Exact | TailHandling::Shifted | TailHandling::Clamped => {
                        (wanted.min(dimension.last()), u32::MAX)
                    }
                };
                let again = wanted - first;
                StepRange {
                    last,
                    first: piece + first,
                    taken: if takes_once { again } else { 0 },
                    others: if dimension.reduced { 0 } else { again },
                }
            })
            .collect();
        along.reverse();
        along
    }

    /// The thread tiles of a lane in a step, by the number of their batch.
    fn tiles(&self, steps: &[StepRange]) -> Vec<Vec<TileIndex>> {
        let along = &self.kernel.lanes.along;
        let (dimensions, vector) = (&self.kernel.lanes.block.grid.dimensions, self.kernel.vector);
        let batches = index_tuples(
            &along
                .iter()
                .map(|lanes| lanes.batches)
                .collect::<Vec<u32>>(),
        );
        let elements = along.iter().enumerate();
        let elements = elements.map(|(d, lanes)| if d == vector { 1 } else { lanes.thread });
        let elements = index_tuples(&elements.collect::<Vec<u32>>());
        // A reduction that takes an element that comes again for what changes nothing loads it all the same.
        let loads_all = self.kernel.lanes.block.grid.combiner.neutral().is_some();
        let beyond = |d: usize| if d == vector { along[d].thread - 1 } else { 0 };
        let is_taken = |tile: &TileIndex| {
            loads_all
                || (0..steps.len()).all(|d| {
                    !dimensions[d].reduced
                        || tile.batch[d] * along[d].round() + tile.element[d] + beyond(d)
                            >= steps[d].taken
                })
        };
        batches
            .into_iter()
            .map(|batch| {
                let tiles = elements.iter().map(|element| TileIndex {
                    batch: batch.clone(),
                    element: element.clone(),
                });
                tiles.filter(is_taken).collect()
            })
            .collect()
    }
}
