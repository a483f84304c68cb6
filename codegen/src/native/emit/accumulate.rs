//! The steps over the elements of the rows, and the reduction of a lane's slots.

use super::ids::Ids;
use super::memory::{Access, Memory, at_most, byte_offset};
use crate::native::blockwise::Steps;
use crate::native::combiner::{Accumulation, Combiner, State};
use crate::native::ir::{Ir, Phi, Value};
use crate::native::lanewise::Reach;
use crate::native::last::Final;

/// Elements that are accumulated side by side: enough that the results of comparisons are there when they are used, few
/// enough that they stay in registers.
const GROUP: usize = 4;

/// The slots of a lane: of each row slot one state per element of the thread tile.
type Slots = Vec<Vec<State>>;

/// Prints the accumulation and returns the lane's state of each row slot.
pub(super) fn print(ir: &mut Ir, kernel: &Final, ids: &Ids, memory: &Memory) -> Vec<State> {
    let lanes = &kernel.lanes;
    let combiner = lanes.block.grid.combiner;
    let row = vec![combiner.initial(); lanes.elements.thread as usize];
    let mut slots: Slots = vec![row; lanes.rows.per_lane() as usize];
    // The lane's first element in a step.
    let own = ir.add("i32", &memory.lane_position, &ids.subgroup_element);
    match lanes.block.steps {
        Steps::Whole(1) => {
            let position = Value::Int(0);
            step(ir, kernel, memory, &memory.first, &position, &mut slots);
        }
        Steps::Whole(_) => steps(ir, kernel, memory, &mut slots),
        Steps::Part => part(ir, kernel, memory, &own, &mut slots),
    }
    slots
        .into_iter()
        .map(|row| {
            let row = fold_slots(ir, &combiner, &row);
            combiner.displace(ir, &row, &own)
        })
        .collect()
}

/// The loop. Its counter is the position of the step.
fn steps(ir: &mut Ir, kernel: &Final, memory: &Memory, slots: &mut Slots) {
    let block = &kernel.lanes.block;
    let last = block.grid.length - block.step;
    let (before, label, after) = (ir.block().to_owned(), ir.label("step"), ir.label("reduced"));
    ir.jump(&label);
    ir.start(&label);
    let place = ir.phi_place();
    let (position, pointer) = (ir.name(), ir.name());
    let initial = slots.clone();
    for scalar in slots.iter_mut().flatten().flatten() {
        *scalar = ir.name();
    }
    let entering = slots.clone();
    step(ir, kernel, memory, &pointer, &position, slots);
    let distance = match last.is_multiple_of(block.step) {
        true => Value::from(block.step),
        false => {
            let left = ir.value(format_args!("sub i32 {last}, {position}"));
            at_most(ir, &left, block.step)
        }
    };
    let next_position = ir.add("i32", &position, &distance);
    let bytes = byte_offset(ir, &distance, block.grid.element_bytes().into());
    let next_pointer = ir.offset(1, &pointer, &bytes);
    let more = ir.value(format_args!("icmp ult i32 {position}, {last}"));
    ir.branch(&more, &label, &after);

    let phi = |name, kind, initial, next| Phi {
        name,
        kind,
        from: [(initial, before.as_str()), (next, label.as_str())],
    };
    let zero = Value::Int(0);
    let mut phis = vec![
        phi(&position, "i32", &zero, &next_position),
        phi(&pointer, "ptr addrspace(1)", &memory.first, &next_pointer),
    ];
    let kinds = block.grid.combiner.slot();
    let states = entering.iter().flatten().zip(initial.iter().flatten());
    for ((entering, initial), next) in states.zip(slots.iter().flatten()) {
        for (scalar, kind) in kinds.iter().enumerate() {
            let (name, initial, next) = (&entering[scalar], &initial[scalar], &next[scalar]);
            phis.push(phi(name, kind.llvm(), initial, next));
        }
    }
    ir.phis(place, &phis);
    ir.start(&after);
}

/// One whole step: all loads, then all elements batch by batch, so that the first can be used while the last are on
/// their way.
fn step(
    ir: &mut Ir,
    kernel: &Final,
    memory: &Memory,
    pointer: &Value,
    position: &Value,
    slots: &mut Slots,
) {
    let lanes = &kernel.lanes;
    let batches: Vec<u32> = (0..lanes.elements.batches).collect();
    let accesses: Vec<Access> = batches
        .iter()
        .flat_map(|&batch| whole_batch(kernel, memory, batch))
        .collect();
    let loaded = memory.load(ir, kernel, pointer, &accesses);
    let of_batches = loaded.chunks(lanes.rows.per_lane() as usize);
    for (batch, loaded) in batches.into_iter().zip(of_batches) {
        let position = ir.add("i32", position, &lanes.batch_position(batch).into());
        accumulate_batch(ir, kernel, slots, loaded, &position);
    }
}

/// The accesses of a whole batch, one a row slot.
fn whole_batch(kernel: &Final, memory: &Memory, batch: u32) -> Vec<Access> {
    let lanes = &kernel.lanes;
    (0..lanes.rows.per_lane())
        .map(|slot| Access {
            slot,
            elements: memory.lane_position.clone(),
            constant: lanes.batch_position(batch).into(),
            count: lanes.elements.thread,
        })
        .collect()
}

/// Accumulates a whole batch at `position`: of each row slot the elements of its thread tile.
fn accumulate_batch(
    ir: &mut Ir,
    kernel: &Final,
    slots: &mut Slots,
    loaded: &[Vec<Value>],
    position: &Value,
) {
    let elements = loaded.iter().flatten();
    let steps = slots.iter_mut().flatten().zip(elements);
    let steps = steps.map(|(slot, element)| Accumulation {
        slot,
        element,
        position,
    });
    accumulate(ir, kernel, steps.collect());
}

/// Accumulates in different slots, some at a time.
fn accumulate(ir: &mut Ir, kernel: &Final, mut steps: Vec<Accumulation<'_>>) {
    let combiner = kernel.lanes.block.grid.combiner;
    for group in steps.chunks_mut(GROUP) {
        combiner.accumulate(ir, group);
    }
}

/// The only step of rows that are shorter. `own` is the lane's first element in a step.
fn part(ir: &mut Ir, kernel: &Final, memory: &Memory, own: &Value, slots: &mut Slots) {
    let lanes = &kernel.lanes;
    for (batch, reach) in (0u32..).zip(&lanes.batches) {
        match *reach {
            Reach::Whole => {
                let accesses = whole_batch(kernel, memory, batch);
                let loaded = memory.load(ir, kernel, &memory.first, &accesses);
                let position = Value::from(lanes.batch_position(batch));
                accumulate_batch(ir, kernel, slots, &loaded, &position);
            }
            Reach::Clamped { last } => clamped(ir, kernel, memory, batch, (last, 1), own, slots),
            Reach::Single => {
                let (last, pieces) = (lanes.block.grid.length - 1, lanes.elements.thread);
                clamped(ir, kernel, memory, batch, (last, pieces), own, slots);
            }
        }
    }
}

/// A batch that reaches beyond the end of the rows: the thread tile in `pieces` parts, none of which starts behind element
/// `last`.
fn clamped(
    ir: &mut Ir,
    kernel: &Final,
    memory: &Memory,
    batch: u32,
    (last, pieces): (u32, u32),
    own: &Value,
    slots: &mut Slots,
) {
    let lanes = &kernel.lanes;
    let start = lanes.batch_position(batch);
    let count = lanes.elements.thread / pieces;
    let mut starts = Vec::new();
    for piece in 0..pieces {
        let wanted = ir.add("i32", own, &Value::from(start + piece * count));
        starts.push(at_most(ir, &wanted, last));
    }
    let mut accesses = Vec::new();
    for slot in 0..lanes.rows.per_lane() {
        accesses.extend(starts.iter().map(|start| Access {
            slot,
            elements: start.clone(),
            constant: 0,
            count,
        }));
    }
    let loaded = memory.load(ir, kernel, &memory.row, &accesses);
    // Positions are relative to the lane's own, like those of whole batches; within the thread tile, slot e adds e.
    let mut positions = Vec::new();
    for (piece, start) in (0i64..).zip(&starts) {
        let relative = ir.value(format_args!("sub i32 {start}, {own}"));
        let relative = ir.add("i32", &relative, &Value::Int(-piece * i64::from(count)));
        positions.extend(vec![relative; count as usize]);
    }
    for (row, elements) in slots.iter_mut().zip(loaded.chunks(pieces as usize)) {
        let steps = row
            .iter_mut()
            .zip(elements.iter().flatten())
            .zip(&positions);
        let steps = steps.map(|((slot, element), position)| Accumulation {
            slot,
            element,
            position,
        });
        accumulate(ir, kernel, steps.collect());
    }
}

/// The slots of a row in one state, pair by pair.
fn fold_slots(ir: &mut Ir, combiner: &impl Combiner, row: &[State]) -> State {
    let mut states: Vec<State> = (0u32..)
        .zip(row)
        .map(|(element, slot)| combiner.settle(ir, slot, element))
        .collect();
    while states.len() > 1 {
        states = states
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => combiner.combine(ir, a, b),
                odd => odd[0].clone(),
            })
            .collect();
    }
    states.swap_remove(0)
}
