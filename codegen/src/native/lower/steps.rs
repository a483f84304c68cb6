//! The loops over the steps: one for each reduced dimension with more than one, the outermost dimension's outside.
//!
//! Where elements are taken once, what no whole step takes is taken after the loop, by a step of which the beginning is
//! left out.
//!
//! A loop carries its counter, which is the first element of the step, the pointer to the subgroup's elements in the step,
//! and the slots.

use configgen::comparator::IntegerPredicate;

use super::memory::scaled;
use crate::native::combiner::State;
use crate::native::ir::{Binary, Builder, Type, Value};
use crate::native::stages::last::Final;

/// The slots of a lane: row by row, and of each row element by element where elements have slots of their own.
pub(super) type Slots = Vec<State>;

/// What is done in each step.
pub(super) trait Body {
    /// Builds a step.
    fn step(&self, ir: &mut Builder, step: &Step<'_>, slots: &mut Slots);
}

/// A step.
pub(super) struct Step<'a> {
    /// The subgroup's elements.
    pub(super) pointer: Value,
    /// Their position, relative to the first step's.
    pub(super) position: Value,
    /// The counter of the innermost loop (i32): the first element of the step.
    pub(super) counter: Value,
    /// Along each dimension, how many elements at the beginning of the tile have been taken before.
    pub(super) taken: &'a [u32],
}

/// Builds the loops over the steps of `dimensions`, and what is in them. `pointer` is that of the first step.
pub(super) fn build(
    ir: &mut Builder,
    kernel: &Final,
    body: &dyn Body,
    dimensions: &[usize],
    pointer: Value,
    slots: &mut Slots,
) {
    let step = Step {
        pointer,
        position: Value::bits(kernel.lanes.block.grid.combiner.position(), 0),
        counter: Value::i32(0),
        taken: &vec![0; kernel.lanes.along.len()],
    };
    nested(ir, kernel, body, dimensions, &step, slots);
}

fn nested(
    ir: &mut Builder,
    kernel: &Final,
    body: &dyn Body,
    dimensions: &[usize],
    outer: &Step<'_>,
    slots: &mut Slots,
) {
    let Some((&number, inner)) = dimensions.split_first() else {
        return body.step(ir, outer, slots);
    };
    let grid = &kernel.lanes.block.grid;
    let dimension = &grid.dimensions[number];
    let (tile, rest) = (dimension.tile(), dimension.size % dimension.tile());
    let is_rest_apart = grid.combiner.is_serial() && rest > 0;
    let last = match is_rest_apart {
        true => dimension.size - rest - tile,
        false => dimension.last(),
    };
    let stride = dimension.stride * u64::from(grid.element_bytes());
    let kind = grid.combiner.position();

    let mut initial = vec![Value::i32(0), outer.pointer];
    initial.extend(slots.iter().flatten());
    let reduced = ir.turns(initial, |ir, carried| {
        let (counter, pointer) = (carried[0], carried[1]);
        ir.named(counter, "step");
        ir.named(pointer, "from");
        for (number, &scalar) in carried[2..].iter().enumerate() {
            ir.named(scalar, ["best", "at"][number % 2]);
        }
        let own = scaled(ir, kind, counter, dimension.weight);
        let step = Step {
            pointer,
            position: ir.add(outer.position, own),
            counter,
            taken: outer.taken,
        };
        replace(slots, &carried[2..]);
        nested(ir, kernel, body, inner, &step, slots);

        let distance = match last.is_multiple_of(tile) {
            true => Value::i32(tile),
            false => {
                let left = ir.binary(Binary::Sub, Value::i32(last), counter);
                ir.at_most(left, tile.into())
            }
        };
        let next = ir.add(counter, distance);
        let bytes = scaled(ir, Type::I64, distance, stride);
        let next_pointer = ir.offset(pointer, bytes);
        let more = ir.compare(IntegerPredicate::Ult, counter, Value::i32(last));
        let mut carried = vec![next, next_pointer];
        carried.extend(slots.iter().flatten());
        (more, carried)
    });
    replace(slots, &reduced[2..]);

    if is_rest_apart {
        let first = u64::from(dimension.last());
        let mut taken = outer.taken.to_vec();
        taken[number] = tile - rest;
        let step = Step {
            pointer: ir.offset(outer.pointer, Value::i64(first * stride)),
            position: ir.add(outer.position, Value::bits(kind, first * dimension.weight)),
            counter: Value::i32(dimension.last()),
            taken: &taken,
        };
        nested(ir, kernel, body, inner, &step, slots);
    }
}

/// Gives the slots these scalars.
fn replace(slots: &mut Slots, scalars: &[Value]) {
    for (scalar, &value) in slots.iter_mut().flatten().zip(scalars) {
        *scalar = value;
    }
}
