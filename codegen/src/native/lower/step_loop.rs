//! The loops over the steps: one for each reduced dimension with more than one step, with the
//! outermost dimension outside.
//!
//! If elements must be taken once, a separate step after the loop takes the rest that no whole
//! step covers. That step skips or replaces its leading elements.
//!
//! A loop carries its counter, the slots and, unless the input is a view, the pointer to the
//! subgroup's elements. The counter is the first element of the step.

use configgen::comparator::IntegerPredicate;

use super::memory::scaled;
use crate::native::combiner::StateValues;
use crate::native::ir::{Binary, Builder, KernelPart, Type, Value};
use crate::native::stages::final_stage::Final;

/// The slots of a lane: row by row, and element by element if elements have slots of their own.
pub(super) type Slots = Vec<StateValues>;

/// The body of each step.
pub(super) trait StepBody {
    /// Builds the work of one step.
    fn step(&self, ir: &mut Builder, step: &LoopStep<'_>, slots: &mut Slots);
}

/// A step of the nested loops.
pub(super) struct LoopStep<'a> {
    /// The address of the subgroup's elements; unused for a view.
    pub(super) pointer: Value,
    /// The step's position, relative to the first step's.
    pub(super) position: Value,
    /// The first element of the step (i32), along each dimension.
    pub(super) first: &'a [Value],
    /// The number of leading elements of the tile that were taken before, along each dimension.
    pub(super) taken: &'a [u32],
}

/// Builds the loops over the steps of `dimensions`, with `body` inside. `pointer` is that of the
/// first step.
pub(super) fn build(
    ir: &mut Builder,
    kernel: &Final,
    body: &dyn StepBody,
    dimensions: &[usize],
    pointer: Value,
    slots: &mut Slots,
) {
    let step = LoopStep {
        pointer,
        position: Value::bits(kernel.lanes.block.grid.combiner.position_type(), 0),
        first: &vec![Value::i32(0); kernel.lanes.along.len()],
        taken: &vec![0; kernel.lanes.along.len()],
    };
    ir.part(KernelPart::Steps, |ir| {
        nested(ir, kernel, body, dimensions, &step, slots);
    });
}

fn nested(
    ir: &mut Builder,
    kernel: &Final,
    body: &dyn StepBody,
    dimensions: &[usize],
    outer: &LoopStep<'_>,
    slots: &mut Slots,
) {
    let Some((&number, inner)) = dimensions.split_first() else {
        return ir.part(KernelPart::Fold, |ir| body.step(ir, outer, slots));
    };
    let grid = &kernel.lanes.block.grid;
    let dimension = &grid.dimensions[number];
    let (tile, rest) = (dimension.tile(), dimension.size % dimension.tile());
    let takes_once = grid.combiner.is_serial() || grid.combiner.neutral().is_some();
    // Otherwise the loop's last step is shifted and takes some elements twice, which does no
    // harm.
    let is_rest_apart = takes_once && rest > 0;
    let last = match is_rest_apart {
        true => dimension.size - rest - tile,
        false => dimension.last(),
    };
    let stride = grid.stride_bytes(number);
    let kind = grid.combiner.position_type();

    let pointers = usize::from(grid.input().view.is_none());
    // The pointer is carried, so that addresses advance by one scalar addition.
    let mut initial = vec![Value::i32(0)];
    initial.extend([outer.pointer].iter().take(pointers));
    initial.extend(slots.iter().flatten());
    let reduced = ir.repeat_while(initial, |ir, carried| {
        let (counter, rest) = (carried[0], &carried[1..]);
        let (pointer, scalars) = rest.split_at(pointers);
        let pointer = pointer.first().copied();
        ir.named(counter, "step");
        if let Some(pointer) = pointer {
            ir.named(pointer, "from");
        }
        let state = grid.combiner.state();
        for (&scalar, (_, name)) in scalars.iter().zip(state.iter().cycle()) {
            ir.named(scalar, name);
        }
        let own = scaled(ir, kind, counter, dimension.weight);
        let mut first = outer.first.to_vec();
        first[number] = counter;
        let step = LoopStep {
            pointer: pointer.unwrap_or(outer.pointer),
            position: ir.add(outer.position, own),
            first: &first,
            taken: outer.taken,
        };
        replace(slots, scalars);
        nested(ir, kernel, body, inner, &step, slots);

        let distance = match last.is_multiple_of(tile) {
            true => Value::i32(tile),
            false => {
                let left = ir.binary(Binary::Sub, Value::i32(last), counter);
                ir.at_most(left, tile.into())
            }
        };
        let next = ir.add(counter, distance);
        let next_pointer = pointer.map(|pointer| {
            let bytes = scaled(ir, Type::I64, distance, stride);
            ir.offset(pointer, bytes)
        });
        let more = ir.compare(IntegerPredicate::Ult, counter, Value::i32(last));
        let mut carried = vec![next];
        carried.extend(next_pointer);
        carried.extend(slots.iter().flatten());
        (more, carried)
    });
    replace(slots, &reduced[1 + pointers..]);

    if is_rest_apart {
        let last = u64::from(dimension.last());
        let (mut first, mut taken) = (outer.first.to_vec(), outer.taken.to_vec());
        first[number] = Value::i32(dimension.last());
        taken[number] = tile - rest;
        let step = LoopStep {
            pointer: ir.offset(outer.pointer, Value::i64(last * stride)),
            position: ir.add(outer.position, Value::bits(kind, last * dimension.weight)),
            first: &first,
            taken: &taken,
        };
        nested(ir, kernel, body, inner, &step, slots);
    }
}

/// Replaces the scalars of the slots.
fn replace(slots: &mut Slots, scalars: &[Value]) {
    for (scalar, &value) in slots.iter_mut().flatten().zip(scalars) {
        *scalar = value;
    }
}
