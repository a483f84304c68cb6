//! The loop over the full steps, the rest of the rows, and the reduction of a lane's slots.

use super::ids::Ids;
use super::memory::{Access, Memory, at_most};
use crate::native::combiner::{Combiner, State};
use crate::native::ir::{Ir, Phi, Value};
use crate::native::lanewise::Reach;
use crate::native::last::Final;

/// The slots of a lane: of each row slot one state per element of the thread tile.
type Slots = Vec<Vec<State>>;

/// Prints the accumulation and returns the lane's state of each row slot.
pub(super) fn print(ir: &mut Ir, kernel: &Final, ids: &Ids, memory: &Memory) -> Vec<State> {
    let lanes = &kernel.lanes;
    let combiner = lanes.block.grid.combiner;
    let row = vec![combiner.initial(); lanes.elements.thread as usize];
    let mut slots: Slots = vec![row; lanes.rows.per_lane() as usize];
    let end = match lanes.block.full_steps {
        0 => memory.first.clone(),
        1 => {
            step(
                ir,
                kernel,
                memory,
                &memory.first,
                &Value::Int(0),
                &mut slots,
            );
            advance(ir, kernel, &memory.first)
        }
        _ => full_steps(ir, kernel, memory, &mut slots),
    };
    // The lane's first element in a step.
    let own = ir.add("i32", &memory.lane_position, &ids.subgroup_element);
    rest(ir, kernel, memory, &end, &own, &mut slots);
    slots
        .into_iter()
        .map(|row| {
            let row = fold_slots(ir, &combiner, &row);
            combiner.displace(ir, &row, &own)
        })
        .collect()
}

/// The pointer one step on.
fn advance(ir: &mut Ir, kernel: &Final, pointer: &Value) -> Value {
    let block = &kernel.lanes.block;
    let bytes = u64::from(block.step) * u64::from(block.grid.element_bytes());
    ir.offset(1, pointer, &Value::Int(bytes as i64))
}

/// The loop; returns the pointer behind it. The position of the step is its counter.
fn full_steps(ir: &mut Ir, kernel: &Final, memory: &Memory, slots: &mut Slots) -> Value {
    let block = &kernel.lanes.block;
    let (before, label, after) = (ir.block().to_owned(), ir.label("step"), ir.label("rest"));
    ir.jump(&label);
    ir.start(&label);
    let place = ir.phi_place();
    let (position, pointer) = (ir.name(), ir.name());
    let initial = slots.clone();
    for state in slots.iter_mut().flatten().flatten() {
        *state = ir.name();
    }
    let entering = slots.clone();
    step(ir, kernel, memory, &pointer, &position, slots);
    let next_position = ir.add("i32", &position, &block.step.into());
    let next_pointer = advance(ir, kernel, &pointer);
    // Unsigned, as an i32 it may be negative: up to N, which is below 2^31, plus one step.
    let end = block.full_steps * block.step;
    let more = ir.value(format_args!("icmp ult i32 {next_position}, {end}"));
    ir.branch(&more, &label, &after);

    let kinds: Vec<&str> = block
        .grid
        .combiner
        .slot()
        .iter()
        .map(|s| s.llvm())
        .collect();
    let zero = Value::Int(0);
    let phi = |name, kind, initial, next| Phi {
        name,
        kind,
        from: [(initial, before.as_str()), (next, label.as_str())],
    };
    let mut phis = vec![
        phi(&position, "i32", &zero, &next_position),
        phi(&pointer, "ptr addrspace(1)", &memory.first, &next_pointer),
    ];
    let states = entering.iter().flatten().zip(initial.iter().flatten());
    for ((entering, initial), next) in states.zip(slots.iter().flatten()) {
        for (scalar, kind) in kinds.iter().enumerate() {
            phis.push(phi(
                &entering[scalar],
                kind,
                &initial[scalar],
                &next[scalar],
            ));
        }
    }
    ir.phis(place, &phis);
    ir.start(&after);
    next_pointer
}

/// One full step: all loads, then all elements batch by batch, so that the first can be used while the last are on
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
    let accesses = whole_batches(kernel, memory, &batches);
    let loaded = memory.load(ir, kernel, pointer, &accesses);
    let mut loaded = loaded.iter();
    for batch in batches {
        let position = ir.add("i32", position, &lanes.batch_position(batch).into());
        for row in slots.iter_mut() {
            let elements = loaded.next().expect("one access per batch and row");
            let positions = vec![position.clone(); elements.len()];
            accumulate(ir, kernel, row, elements, &positions);
        }
    }
}

/// Accesses of whole batches, batch by batch.
fn whole_batches(kernel: &Final, memory: &Memory, batches: &[u32]) -> Vec<Access> {
    let lanes = &kernel.lanes;
    let of_batch = |&batch: &u32| {
        (0..lanes.rows.per_lane()).map(move |slot| Access {
            slot,
            elements: memory.lane_position.clone(),
            constant: lanes.batch_position(batch).into(),
            count: lanes.elements.thread,
        })
    };
    batches.iter().flat_map(of_batch).collect()
}

fn accumulate(
    ir: &mut Ir,
    kernel: &Final,
    row: &mut [State],
    elements: &[Value],
    positions: &[Value],
) {
    let combiner = kernel.lanes.block.grid.combiner;
    for ((slot, element), position) in row.iter_mut().zip(elements).zip(positions) {
        *slot = combiner.accumulate(ir, slot, element, position);
    }
}

/// The elements after the last full step. `pointer` is the subgroup's first one, `own` the lane's first in a step.
fn rest(
    ir: &mut Ir,
    kernel: &Final,
    memory: &Memory,
    pointer: &Value,
    own: &Value,
    slots: &mut Slots,
) {
    let block = &kernel.lanes.block;
    let done = block.full_steps * block.step;
    for (batch, reach) in (0u32..).zip(&kernel.lanes.rest) {
        match *reach {
            Reach::Nothing => {}
            Reach::Whole => {
                let accesses = whole_batches(kernel, memory, &[batch]);
                let loaded = memory.load(ir, kernel, pointer, &accesses);
                let position = Value::from(done + kernel.lanes.batch_position(batch));
                for (row, elements) in slots.iter_mut().zip(&loaded) {
                    let positions = vec![position.clone(); elements.len()];
                    accumulate(ir, kernel, row, elements, &positions);
                }
            }
            Reach::Clamped { last } => {
                clamped(ir, kernel, memory, batch, (last, 1), own, slots);
            }
            Reach::Single => {
                clamped(
                    ir,
                    kernel,
                    memory,
                    batch,
                    (block.grid.length - 1, kernel.lanes.elements.thread),
                    own,
                    slots,
                );
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
    let grid = &lanes.block.grid;
    let done = lanes.block.full_steps * lanes.block.step;
    let start = done + lanes.batch_position(batch);
    // The base is as far on as no lane's elements start before, so that vector offsets are small and not negative.
    let origin = start.min(last);
    let bytes = u64::from(origin) * u64::from(grid.element_bytes());
    let base = ir.offset(1, &memory.row, &Value::Int(bytes as i64));
    let count = lanes.elements.thread / pieces;
    let mut starts = Vec::new();
    for piece in 0..pieces {
        let wanted = ir.add("i32", own, &Value::from(start + piece * count));
        starts.push(at_most(ir, &wanted, last));
    }
    let mut accesses = Vec::new();
    for slot in 0..lanes.rows.per_lane() {
        for start in &starts {
            let elements = ir.add("i32", start, &Value::Int(-i64::from(origin)));
            accesses.push(Access {
                slot,
                elements,
                constant: 0,
                count,
            });
        }
    }
    let loaded = memory.load(ir, kernel, &base, &accesses);
    // Positions are relative to the lane's own, like those of whole batches; within the thread tile, slot e adds e.
    let mut positions = Vec::new();
    for (piece, start) in (0i64..).zip(&starts) {
        let relative = ir.value(format_args!("sub i32 {start}, {own}"));
        let relative = ir.add("i32", &relative, &Value::Int(-piece * i64::from(count)));
        positions.extend(vec![relative; count as usize]);
    }
    for (row, elements) in slots.iter_mut().zip(loaded.chunks(pieces as usize)) {
        accumulate(ir, kernel, row, &elements.concat(), &positions);
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
