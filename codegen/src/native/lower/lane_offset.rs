//! Lane offsets: the first element of a lane in the tile, for each dimension and batch.
//!
//! Unless the tile is clamped or cut off, all batches lie at constant distances from the first,
//! and the part of the subgroup is uniform.

use configgen::comparator::IntegerPredicate;

use super::thread_ids::Ids;
use crate::native::ir::{Binary, Builder, Value};
use crate::native::stages::dimension::TailHandling;
use crate::native::stages::final_stage::Final;
use crate::native::stages::lanewise::Lanes;

/// A lane's elements along one dimension.
pub(super) struct LaneOffsets {
    /// The offset that the subgroup adds to each start (i32, uniform).
    pub(super) origin: Value,
    /// The start of each batch.
    pub(super) starts: Vec<BatchStart>,
    lanes: Lanes,
    /// The bounds, if the tile is clamped or cut off.
    clamped: Option<ClampBounds>,
}

/// Two elements (i32, uniform) that bound the starts of lanes.
#[derive(Clone, Copy)]
struct ClampBounds {
    /// The subgroup's first element.
    subgroup: Value,
    /// The last start of a lane's elements.
    last: Value,
}

/// The first of a lane's elements in a batch, as coordinates in the tile (i32).
#[derive(Debug, Clone)]
pub(super) struct BatchStart {
    /// The part that depends on the lane.
    pub(super) vector: Value,
    /// The constant to be added.
    pub(super) constant: u32,
    /// The start as if all elements existed, if it may differ.
    wanted: Option<Value>,
}

/// The coordinate of one element of a lane.
pub(super) struct Coordinate {
    /// The coordinate from the beginning of the workgroup's tile (i32).
    pub(super) value: Value,
    /// An i1 that is true if the element is this lane's, if the lane may repeat elements of
    /// others.
    pub(super) own: Option<Value>,
}

/// Builds the lane offsets of each dimension.
pub(super) fn build(ir: &mut Builder, kernel: &Final, ids: &Ids) -> Vec<LaneOffsets> {
    let lanes = &kernel.lanes;
    let mut places = Vec::new();
    for (d, dimension) in lanes.block.grid.dimensions.iter().enumerate() {
        let along = &lanes.along[d];
        let lane = ir.mul(ids.along[d].lane, along.pitch.into());
        let subgroup = ir.mul(ids.along[d].subgroup, lanes.block.along[d].tile.into());
        // A clamped start is a minimum over subgroup and lane together, so it has no uniform
        // part.
        let (origin, vector, clamped) = match dimension.cover() {
            TailHandling::Exact | TailHandling::Shifted => (subgroup, lane, None),
            TailHandling::Clamped | TailHandling::Counted => {
                let both = ir.add(subgroup, lane);
                let last = match ids.along[d].extent {
                    None => Value::i32(along.last),
                    // Thread tiles have one element along a counted dimension.
                    Some(extent) => ir.binary(Binary::Sub, extent, Value::i32(1)),
                };
                (Value::i32(0), both, Some(ClampBounds { subgroup, last }))
            }
        };
        let starts = (0..along.batches).map(|batch| {
            let constant = batch * along.round();
            // The first element always exists, so its start needs no minimum.
            let is_first = ids.along[d].extent.is_some() && constant == 0 && vector.is_zero();
            if batch < along.whole || is_first {
                return BatchStart {
                    vector,
                    constant,
                    wanted: None,
                };
            }
            let wanted = ir.add(vector, Value::i32(constant));
            let last = clamped.map_or(Value::i32(along.last), |clamped| clamped.last);
            BatchStart {
                vector: ir.smaller(wanted, last),
                constant: 0,
                wanted: Some(wanted),
            }
        });
        places.push(LaneOffsets {
            starts: starts.collect(),
            origin,
            lanes: *along,
            clamped,
        });
    }
    places
}

/// Returns the coordinates (i32) of one of a lane's rows in the tile, and the conditions (i1)
/// under which it is this lane's.
pub(super) fn row(
    ir: &mut Builder,
    kernel: &Final,
    places: &[LaneOffsets],
    row: &[u32],
) -> (Vec<Value>, Vec<Value>) {
    let (mut coordinates, mut own) = (Vec::new(), Vec::new());
    for (d, _) in kernel.lanes.block.grid.parallel() {
        let coordinate = places[d].coordinate(ir, row[d]);
        coordinates.push(coordinate.value);
        own.extend(coordinate.own);
    }
    (coordinates, own)
}

impl LaneOffsets {
    /// Returns the first element of all batches (i32).
    pub(super) fn first(&self, ir: &mut Builder) -> Value {
        let start = &self.starts[0];
        let lane = ir.add(start.vector, Value::i32(start.constant));
        ir.add(lane, self.origin)
    }

    /// Returns the distance of batch `batch` from the first element (i32).
    pub(super) fn advance(&self, ir: &mut Builder, batch: u32) -> Value {
        let (first, start) = (&self.starts[0], &self.starts[batch as usize]);
        if first.vector == start.vector {
            return Value::i32(start.constant - first.constant);
        }
        let start = ir.add(start.vector, Value::i32(start.constant));
        let first = ir.add(first.vector, Value::i32(first.constant));
        ir.binary(Binary::Sub, start, first)
    }

    /// Returns the coordinate of element `number` of the lane, counted through the batches.
    pub(super) fn coordinate(&self, ir: &mut Builder, number: u32) -> Coordinate {
        let (batch, element) = (number / self.lanes.thread, number % self.lanes.thread);
        let start = &self.starts[batch as usize];
        let lane = ir.add(self.origin, start.vector);
        let value = ir.add(lane, Value::i32(start.constant + element));
        let own = start.wanted;
        Coordinate {
            own: own.map(|wanted| ir.compare(IntegerPredicate::Uge, value, wanted)),
            value,
        }
    }

    /// Returns the same as [`Self::coordinate`] for a `number` that only the running kernel
    /// knows. The dimension must have one lane, so that its batches are adjacent.
    pub(super) fn coordinate_of_any(&self, ir: &mut Builder, number: Value) -> Coordinate {
        let Some(ClampBounds { subgroup, last }) = self.clamped else {
            return Coordinate {
                value: ir.add(self.origin, number),
                own: None,
            };
        };
        let thread = self.lanes.thread.into();
        let batch = ir.div(number, thread);
        let element = ir.rem(number, thread);
        let start = ir.mul(batch, self.lanes.pitch.into());
        let wanted = ir.add(subgroup, start);
        let start = ir.smaller(wanted, last);
        let value = ir.add(start, element);
        Coordinate {
            own: Some(ir.compare(IntegerPredicate::Uge, value, wanted)),
            value,
        }
    }
}
