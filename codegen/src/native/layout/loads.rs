//! The loads of each lane: the thread tiles of a step.

use super::LaneMap;
use crate::native::stages::blockwise::Subgroups;
use crate::native::stages::dimension::{Dimension, TailHandling, index_tuples};
use crate::native::stages::final_stage::LaneFold;

/// The adjacent elements that a lane loads: neighbouring columns of a row, or neighbouring rows
/// ([`LaneMap::loads_rows`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Load {
    /// The subgroup.
    pub subgroup: u32,
    /// The batch: the number of the round, with the last dimension fastest.
    pub batch: u32,
    /// The lane of the subgroup.
    pub lane: u32,
    /// The row of the first element, among all rows of the problem.
    pub row: u64,
    /// The column of the first element.
    pub column: u64,
    /// Number of elements.
    pub length: u32,
    /// Elements of the input before the first one, gaps between rows included.
    pub offset: u64,
    /// The number of leading elements that no result needs, so that a compiler may drop them.
    /// Lanes repeat rows of others if tiles of rows overlap or exceed the dimension. If all lanes
    /// take the only row, the first one stores. If elements must be taken once, the last step
    /// skips those of the step before.
    pub repeated: u32,
}

/// The range of a workgroup's step along a dimension.
struct StepRange {
    /// The first element.
    first: u32,
    /// The number of leading elements of the tile that were taken before, if they must not be
    /// taken again.
    taken: u32,
    /// The number of leading elements that belong to another workgroup, along a parallel
    /// dimension.
    others: u32,
    /// The last start of elements in the tile, if the last tile is cut off at the count.
    last: u32,
}

/// The range of a load along a dimension.
struct LoadRange {
    /// The first element.
    first: u64,
    /// The number of elements from there on that no result needs.
    repeated: u32,
}

/// The numbers of a thread tile: along each dimension, the batch and the first element in it.
struct TileIndex {
    batch: Vec<u32>,
    element: Vec<u32>,
}

impl LaneMap {
    /// Returns the loads of a workgroup's lanes in a step: by subgroup, then by batch, then by
    /// lane. Workgroup ids are linear, with those that share rows adjacent. If a tile is larger
    /// than a dimension, lanes may load an element that another lane has, or again one of their
    /// own. Empty beyond the last workgroup and the last step.
    ///
    /// Nested step loops are numbered with the last dimension fastest.
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

    /// Returns the range of a thread tile's first element along each dimension.
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

    /// Returns the load of a thread tile with its first element at `places`.
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
        // If all lanes take the same elements, the first one stores the result.
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

    /// Returns the range of a step along each dimension.
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
        // The digits were split off from the last dimension on.
        along.reverse();
        along
    }

    /// Returns the thread tiles of a lane in a step, by batch number.
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
        // A reduction that replaces repeated elements by the neutral value loads them all the
        // same.
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
