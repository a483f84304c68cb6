//! The loops over the steps: one for each reduced dimension with more than one, the outermost dimension's outside.
//!
//! Where elements are taken once, what no whole step takes is taken after the loop, by a step of which the beginning is
//! left out.
//!
//! A loop carries its counter, which is the first element of the step, the pointer to the subgroup's elements in the step,
//! and the slots.

use super::accumulate::Slots;
use super::ids::at_most;
use super::memory::scaled;
use crate::native::combiner::Combiner;
use crate::native::ir::{Ir, Phi, Value};
use crate::native::last::Final;
use crate::native::scalar::Scalar;

/// What is done in each step.
pub(super) trait Body {
    /// The scalars of a slot.
    fn slot(&self) -> Vec<Scalar>;
    /// Prints a step.
    fn step(&self, ir: &mut Ir, step: &Step<'_>, slots: &mut Slots);
}

/// A step.
pub(super) struct Step<'a> {
    /// The subgroup's elements.
    pub(super) pointer: &'a Value,
    /// Their position, relative to the first step's.
    pub(super) position: &'a Value,
    /// The counter of the innermost loop (i32): the first element of the step.
    pub(super) counter: &'a Value,
    /// Along each dimension, how many elements at the beginning of the tile have been taken before.
    pub(super) taken: &'a [u32],
}

/// Prints the loops over the steps of `dimensions`, and what is in them. `pointer` is that of the first step.
pub(super) fn print(
    ir: &mut Ir,
    kernel: &Final,
    body: &dyn Body,
    dimensions: &[usize],
    pointer: &Value,
    slots: &mut Slots,
) {
    let zero = Value::Int(0);
    let step = Step {
        pointer,
        position: &zero,
        counter: &zero,
        taken: &vec![0; kernel.lanes.along.len()],
    };
    nested(ir, kernel, body, dimensions, &step, slots);
}

fn nested(
    ir: &mut Ir,
    kernel: &Final,
    body: &dyn Body,
    dimensions: &[usize],
    outer: &Step<'_>,
    slots: &mut Slots,
) {
    let Some((&number, inner)) = dimensions.split_first() else {
        return body.step(ir, outer, slots);
    };
    let Step {
        pointer, position, ..
    } = *outer;
    let grid = &kernel.lanes.block.grid;
    let dimension = &grid.dimensions[number];
    let (tile, rest) = (dimension.tile(), dimension.size % dimension.tile());
    let is_rest_apart = grid.combiner.is_serial() && rest > 0;
    let last = match is_rest_apart {
        true => dimension.size - rest - tile,
        false => dimension.last(),
    };
    let (before, label, after) = (ir.block().to_owned(), ir.label("step"), ir.label("reduced"));
    ir.jump(&label);
    ir.start(&label);
    let place = ir.phi_place();
    let (counter, moved) = (ir.name(), ir.name());
    let initial = slots.clone();
    for scalar in slots.iter_mut().flatten() {
        *scalar = ir.name();
    }
    let entering = slots.clone();

    let kind = grid.combiner.position().llvm();
    let own = scaled(ir, kind, &counter, dimension.weight);
    let position = ir.add(kind, position, &own);
    let step = Step {
        pointer: &moved,
        position: &position,
        counter: &counter,
        taken: outer.taken,
    };
    nested(ir, kernel, body, inner, &step, slots);

    let distance = match last.is_multiple_of(tile) {
        true => Value::from(tile),
        false => {
            let left = ir.value(format_args!("sub i32 {last}, {counter}"));
            at_most(ir, &left, tile)
        }
    };
    let next = ir.add("i32", &counter, &distance);
    let stride = dimension.stride * u64::from(grid.element_bytes());
    let bytes = scaled(ir, "i64", &distance, stride);
    let next_pointer = ir.offset(1, &moved, &bytes);
    let more = ir.value(format_args!("icmp ult i32 {counter}, {last}"));
    let end = ir.block().to_owned();
    ir.branch(&more, &label, &after);

    let phi = |name, kind, initial, next| Phi {
        name,
        kind,
        from: [(initial, before.as_str()), (next, end.as_str())],
    };
    let zero = Value::Int(0);
    let mut phis = vec![
        phi(&counter, "i32", &zero, &next),
        phi(&moved, "ptr addrspace(1)", pointer, &next_pointer),
    ];
    let kinds = body.slot();
    for ((entering, initial), next) in entering.iter().zip(&initial).zip(slots.iter()) {
        for (scalar, kind) in kinds.iter().enumerate() {
            let (name, initial, next) = (&entering[scalar], &initial[scalar], &next[scalar]);
            phis.push(phi(name, kind.llvm(), initial, next));
        }
    }
    ir.phis(place, &phis);
    ir.start(&after);

    if is_rest_apart {
        let first = u64::from(dimension.last());
        let mut taken = outer.taken.to_vec();
        taken[number] = tile - rest;
        let step = Step {
            pointer: &ir.offset(1, pointer, &(first * stride).into()),
            position: &ir.add(kind, outer.position, &(first * dimension.weight).into()),
            counter: &first.into(),
            taken: &taken,
        };
        nested(ir, kernel, body, inner, &step, slots);
    }
}
