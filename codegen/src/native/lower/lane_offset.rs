//! Where a lane's elements are: for each dimension and batch, its first one in the tile.
//!
//! Unless the tile is clamped or cut off, all batches lie at constant distances from the first, and what the subgroup adds is uniform.

use configgen::comparator::IntegerPredicate;

use super::thread_ids::Ids;
use crate::native::ir::{Binary, Builder, Value};
use crate::native::stages::dimension::TailHandling;
use crate::native::stages::final_stage::Final;
use crate::native::stages::lanewise::Lanes;

/// Where a lane's elements are along one dimension.
pub(super) struct LaneOffsets {
    /// What the subgroup adds to each start (i32, uniform).
    pub(super) origin: Value,
    /// Of each batch.
    pub(super) starts: Vec<BatchStart>,
    lanes: Lanes,
    /// Where the tile is clamped or cut off.
    clamped: Option<ClampBounds>,
}

/// Two elements (i32, uniform).
#[derive(Clone, Copy)]
struct ClampBounds {
    /// The first one of the subgroup.
    subgroup: Value,
    /// Where a lane's elements start at the latest.
    last: Value,
}

/// The first of a lane's elements in a batch: coordinates in the tile, of type i32.
#[derive(Debug, Clone)]
pub(super) struct BatchStart {
    /// What depends on the lane.
    pub(super) vector: Value,
    /// To be added.
    pub(super) constant: u32,
    /// Where it would be if all elements existed, if that may differ.
    wanted: Option<Value>,
}

/// An element of a lane.
pub(super) struct Coordinate {
    /// From the beginning of the workgroup's tile (i32).
    pub(super) value: Value,
    /// Whether it is this lane's (i1) where a lane may repeat those of others.
    pub(super) own: Option<Value>,
}

/// The place of each dimension.
pub(super) fn build(ir: &mut Builder, kernel: &Final, ids: &Ids) -> Vec<LaneOffsets> {
    let lanes = &kernel.lanes;
    let mut places = Vec::new();
    for (d, dimension) in lanes.block.grid.dimensions.iter().enumerate() {
        let along = &lanes.along[d];
        let lane = ir.mul(ids.along[d].lane, along.pitch.into());
        let subgroup = ir.mul(ids.along[d].subgroup, lanes.block.along[d].tile.into());
        let (origin, vector, clamped) = match dimension.cover() {
            TailHandling::Exact | TailHandling::Shifted => (subgroup, lane, None),
            TailHandling::Clamped | TailHandling::Counted => {
                let both = ir.add(subgroup, lane);
                let last = match ids.along[d].extent {
                    None => Value::i32(along.last),
                    // Thread tiles have one element there.
                    Some(extent) => ir.binary(Binary::Sub, extent, Value::i32(1)),
                };
                (Value::i32(0), both, Some(ClampBounds { subgroup, last }))
            }
        };
        let starts = (0..along.batches).map(|batch| {
            let constant = batch * along.round();
            // The first element exists.
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

/// The coordinates (i32) of one of a lane's rows in the tile, and under which conditions (i1) it is this lane's.
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
    /// The first element of all batches (i32).
    pub(super) fn first(&self, ir: &mut Builder) -> Value {
        let start = &self.starts[0];
        let lane = ir.add(start.vector, Value::i32(start.constant));
        ir.add(lane, self.origin)
    }

    /// What batch `batch` adds to the first element (i32).
    pub(super) fn advance(&self, ir: &mut Builder, batch: u32) -> Value {
        let (first, start) = (&self.starts[0], &self.starts[batch as usize]);
        if first.vector == start.vector {
            return Value::i32(start.constant - first.constant);
        }
        let start = ir.add(start.vector, Value::i32(start.constant));
        let first = ir.add(first.vector, Value::i32(first.constant));
        ir.binary(Binary::Sub, start, first)
    }

    /// Element number `number` of the lane, counted through the batches.
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

    /// As [`Self::coordinate`], where the number is only known when the kernel runs and the dimension has one lane: its
    /// batches lie side by side.
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
