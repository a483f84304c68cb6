//! Where a lane's elements are: for each dimension and batch, its first one in the tile.
//!
//! Unless the tile is clamped, all batches lie at constant distances from the first, and what the subgroup adds is uniform.

use super::ids::{Ids, at_most};
use crate::native::dimension::Cover;
use crate::native::ir::{Ir, Value};
use crate::native::lanewise::Lanes;
use crate::native::last::Final;

/// Where a lane's elements are along one dimension.
pub(super) struct Place {
    /// What the subgroup adds to each start (i32, uniform).
    pub(super) origin: Value,
    /// Of each batch.
    pub(super) starts: Vec<Start>,
    lanes: Lanes,
    /// The first element of the subgroup, where the tile is clamped (i32, uniform).
    clamped: Option<Value>,
}

/// The first of a lane's elements in a batch: coordinates in the tile, of type i32.
#[derive(Debug, Clone)]
pub(super) struct Start {
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
pub(super) fn print(ir: &mut Ir, kernel: &Final, ids: &Ids) -> Vec<Place> {
    let lanes = &kernel.lanes;
    let mut places = Vec::new();
    for (d, dimension) in lanes.block.grid.dimensions.iter().enumerate() {
        let along = &lanes.along[d];
        let lane = ir.mul("i32", &ids.along[d].lane, along.pitch.into());
        let subgroup = ir.mul(
            "i32",
            &ids.along[d].subgroup,
            lanes.block.along[d].tile.into(),
        );
        let (origin, vector, clamped) = match dimension.cover() {
            Cover::Exact | Cover::Shifted => (subgroup, lane, None),
            Cover::Clamped => {
                let both = ir.add("i32", &subgroup, &lane);
                (Value::Int(0), both, Some(subgroup))
            }
        };
        let starts = (0..along.batches).map(|batch| {
            let constant = batch * along.round();
            if batch < along.whole {
                return Start {
                    vector: vector.clone(),
                    constant,
                    wanted: None,
                };
            }
            let wanted = ir.add("i32", &vector, &constant.into());
            Start {
                vector: at_most(ir, &wanted, along.last),
                constant: 0,
                wanted: Some(wanted),
            }
        });
        places.push(Place {
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
    ir: &mut Ir,
    kernel: &Final,
    places: &[Place],
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

impl Place {
    /// The first element of all batches (i32).
    pub(super) fn first(&self, ir: &mut Ir) -> Value {
        let start = &self.starts[0];
        let lane = ir.add("i32", &start.vector, &start.constant.into());
        ir.add("i32", &lane, &self.origin)
    }

    /// What batch `batch` adds to the first element (i32).
    pub(super) fn advance(&self, ir: &mut Ir, batch: u32) -> Value {
        let (first, start) = (&self.starts[0], &self.starts[batch as usize]);
        if first.vector == start.vector {
            return Value::from(start.constant - first.constant);
        }
        let start = ir.add("i32", &start.vector, &start.constant.into());
        let first = ir.add("i32", &first.vector, &first.constant.into());
        ir.value(format_args!("sub i32 {start}, {first}"))
    }

    /// Element number `number` of the lane, counted through the batches.
    pub(super) fn coordinate(&self, ir: &mut Ir, number: u32) -> Coordinate {
        let (batch, element) = (number / self.lanes.thread, number % self.lanes.thread);
        let start = &self.starts[batch as usize];
        let lane = ir.add("i32", &self.origin, &start.vector);
        let value = ir.add("i32", &lane, &Value::from(start.constant + element));
        let own = start.wanted.as_ref();
        Coordinate {
            own: own.map(|wanted| ir.value(format_args!("icmp uge i32 {value}, {wanted}"))),
            value,
        }
    }

    /// As [`Self::coordinate`], where the number is only known when the kernel runs and the dimension has one lane: its
    /// batches lie side by side.
    pub(super) fn coordinate_of_any(&self, ir: &mut Ir, number: &Value) -> Coordinate {
        let Some(subgroup) = &self.clamped else {
            return Coordinate {
                value: ir.add("i32", &self.origin, number),
                own: None,
            };
        };
        let thread = self.lanes.thread.into();
        let batch = ir.div("i32", number, thread);
        let element = ir.rem("i32", number, thread);
        let start = ir.mul("i32", &batch, self.lanes.pitch.into());
        let wanted = ir.add("i32", subgroup, &start);
        let start = at_most(ir, &wanted, self.lanes.last);
        let value = ir.add("i32", &start, &element);
        Coordinate {
            own: Some(ir.value(format_args!("icmp uge i32 {value}, {wanted}"))),
            value,
        }
    }
}
