//! Coordinates along the problem's dimensions: the parts that the subgroup, the step, the lane
//! and the element of a thread tile add.

use super::lane_offset::LaneOffsets;
use super::memory::TileAccess;
use super::thread_ids::Ids;
use crate::native::ir::{Builder, Value};
use crate::native::stages::final_stage::Final;

/// The coordinates of a lane along all dimensions.
pub(super) struct LaneCoordinates {
    /// For each dimension: the two values that the subgroup adds (i32, uniform); and for each
    /// batch, the lane's part (i32) and a constant.
    origins: Vec<[Value; 2]>,
    starts: Vec<Vec<(Value, u32)>>,
    /// The dimension along which thread tiles lie.
    pub(super) vector: usize,
}

/// A coordinate along a dimension: the part of subgroup, step and lane, and a constant.
#[derive(Clone, Copy)]
pub(super) struct CoordinateSum {
    pub(super) value: Value,
    pub(super) constant: u32,
}

impl LaneCoordinates {
    pub(super) fn new(kernel: &Final, ids: &Ids, places: &[LaneOffsets]) -> LaneCoordinates {
        let along = ids.along.iter().zip(places);
        let origins = along.map(|(along, place)| [along.first, place.origin]);
        let origins = origins.collect();
        let starts = places.iter().map(|place| {
            let starts = place.starts.iter();
            starts.map(|start| (start.vector, start.constant)).collect()
        });
        LaneCoordinates {
            origins,
            starts: starts.collect(),
            vector: kernel.vector,
        }
    }

    /// Returns the first coordinates of each lane, for the step along dimension `number` that
    /// begins at element `first` (i32, differs between lanes).
    pub(super) fn of_lanes(&self, number: usize, first: Value) -> Vec<Value> {
        let mut at = vec![Value::i32(0); self.origins.len()];
        at[number] = first;
        at
    }

    /// Returns the part of subgroup and step along each dimension, for the step that begins at
    /// these coordinates (i32).
    pub(super) fn step(&self, ir: &mut Builder, first: &[Value]) -> Vec<Value> {
        let all = self.origins.iter().zip(first);
        let along = all.map(|(&[tile, subgroup], &first)| {
            let origin = ir.add(tile, subgroup);
            ir.add(origin, first)
        });
        along.collect()
    }

    /// Returns the coordinate of an element of a thread tile along a dimension.
    pub(super) fn coordinate(
        &self,
        ir: &mut Builder,
        step: &[Value],
        (access, element): (&TileAccess, u32),
        dimension: usize,
    ) -> CoordinateSum {
        let batch = access.batch[dimension] as usize;
        let (vector, constant) = self.starts[dimension][batch];
        // A thread tile extends along the vector dimension only.
        let element = if dimension == self.vector { element } else { 0 };
        CoordinateSum {
            value: ir.add(step[dimension], vector),
            constant: constant + access.element[dimension] + element,
        }
    }
}
