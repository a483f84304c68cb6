//! Workgroups that wait for each other: each leaves the states of its piece of the rows in memory and counts itself, and goes
//! on with what all pieces together give when all have been counted.
//!
//! What a workgroup leaves is visible to the whole device before it is counted. One lane counts, and asks again and again how
//! many have been; then it acquires what they left, for all that wait for it at the barrier. All of them come, because all are on
//! the device together (rule N17).
//!
//! The counter goes on from fold to fold, and each fold has places of its own for its states, so that nobody waits until these
//! were read. The last one to be counted with the last fold takes all counts back, so that the next launch finds the counter as
//! this one did: who still waits then sees less than when it was counted itself.

use configgen::comparator::IntegerPredicate;

use super::accumulate;
use super::barrier::barrier;
use super::lane_offset::{self, LaneOffsets};
use super::memory::scaled;
use super::split_reduction::counter;
use super::state;
use super::subgroup_reduction::holds_row;
use super::thread_ids::{Ids, number_in_tile};
use crate::native::combiner::StateValues;
use crate::native::ir::{
    Binary, Builder, FenceOrder, FenceScope, IrOperation, KernelPart, Parameter, Type, Unary, Value,
};
use crate::native::stages::final_stage::Final;
use crate::native::stages::gridwise::Split;

/// The workgroups that share a tile's rows.
pub(super) struct GridBarrier {
    split: Split,
    /// The address of their counter.
    counter: Value,
}

impl GridBarrier {
    /// `None` where each workgroup has its own rows.
    pub(super) fn build(ir: &mut Builder, kernel: &Final, ids: &Ids) -> Option<GridBarrier> {
        let split = kernel.lanes.block.grid.split?;
        let counter = ir.part(KernelPart::Pieces, |ir| {
            let counter = counter(ir, kernel, ids);
            // To LLVM an address of each lane's own. At one that all share it would add for all lanes at once, though only one is
            // there, and wait for the answer before anything else.
            let nothing = ir.unary(Unary::Opaque, Value::i32(0));
            let nothing = ir.resized(nothing, Type::I64);
            ir.offset(counter, nothing)
        });
        Some(GridBarrier { split, counter })
    }

    /// From the states of a lane's rows in the workgroup's piece to those of the whole rows, of fold number `number`: the same
    /// in each workgroup, as the pieces are folded in their order.
    pub(super) fn combine_pieces(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        ids: &Ids,
        places: &[LaneOffsets],
        states: Vec<StateValues>,
        number: u32,
    ) -> Vec<StateValues> {
        let combiner = kernel.lanes.block.grid.combiner.as_ref();
        ir.comment(
            "Each workgroup that shares the rows leaves what its piece gives, and waits for all.",
        );
        let holds = holds_row(ir, kernel, ids);
        let mut rows = Vec::new();
        for (row, state) in kernel.lanes.rows().iter().zip(states) {
            let (row, own) = lane_offset::row(ir, kernel, places, row);
            let first = self.first_state(ir, kernel, ids, &row, number);
            ir.guarded(&[&holds[..], &own].concat(), |ir| {
                let bytes = combiner.partial_bytes().into();
                let piece = scaled(ir, Type::I64, ids.piece, bytes);
                let address = ir.offset(first, piece);
                state::store(ir, combiner, &state, address);
            });
            rows.push(first);
        }
        self.wait(ir, kernel, ids, number);
        let rows = rows.into_iter().map(|first| {
            let pieces = 0..u64::from(self.split.pieces);
            let states = pieces.map(|piece| {
                let bytes = piece * u64::from(combiner.partial_bytes());
                let address = ir.offset(first, Value::i64(bytes));
                state::load(ir, combiner, address)
            });
            let states = states.collect();
            accumulate::fold(ir, combiner, states)
        });
        rows.collect()
    }

    /// The address of the first piece's state of a row, at these coordinates (i32) of the tile; the others' lie behind it.
    fn first_state(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        ids: &Ids,
        row: &[Value],
        number: u32,
    ) -> Value {
        let grid = &kernel.lanes.block.grid;
        let of_row = u64::from(self.split.pieces * grid.combiner.partial_bytes());
        let tile = ir.resized(ids.tile, Type::I64);
        let tile = ir.add(tile, Value::i64(u64::from(number) * grid.tiles()));
        let tile = ir.mul(tile, of_row * u64::from(grid.tile_rows()));
        let tile = ir.offset(Value::buffer(Parameter::Workspace), tile);
        let row = number_in_tile(ir, kernel, row);
        let row = scaled(ir, Type::I64, row, of_row);
        ir.offset(tile, row)
    }

    /// Counts the workgroup, and waits until all have been counted with fold number `number`.
    fn wait(&self, ir: &mut Builder, kernel: &Final, ids: &Ids, number: u32) {
        let block = &kernel.lanes.block;
        // The first subgroup, which counts, has left all where it holds all rows.
        if block.subgroups() > block.sharers() {
            ir.act(IrOperation::Fence(FenceScope::Device, FenceOrder::Release));
            barrier(ir);
        }
        let is_last_fold = number as usize + 1 == block.grid.folds();
        let all = self.split.pieces * (number + 1);
        let is_first = ir.compare(IntegerPredicate::Eq, ids.thread, Value::i32(0));
        ir.guarded(&[is_first], |ir| {
            let one =
                IrOperation::AtomicAdd(self.counter, Value::i32(1), Some(FenceOrder::Release));
            let before = ir.value(Type::I32, one);
            // From itself on, as no count can be lower but one that was taken back.
            let own = match is_last_fold {
                true => ir.add(before, Value::i32(1)),
                false => Value::i32(0),
            };
            let missing = match is_last_fold {
                true => ir.binary(Binary::Sub, Value::i32(all), own),
                false => Value::i32(all),
            };
            let turn = |ir: &mut Builder, _: &[Value]| {
                let counted = ir.value(Type::I32, IrOperation::AtomicLoad(self.counter));
                ir.named(counted, "counted");
                let since = match is_last_fold {
                    true => ir.binary(Binary::Sub, counted, own),
                    false => counted,
                };
                let is_missing = ir.compare(IntegerPredicate::Ult, since, missing);
                (is_missing, Vec::new())
            };
            ir.tested_turns(Vec::new(), turn, |ir, _, _| {
                ir.act(IrOperation::Sleep);
                Vec::new()
            });
            ir.act(IrOperation::Fence(FenceScope::Device, FenceOrder::Acquire));
            if is_last_fold {
                let is_last = ir.compare(IntegerPredicate::Eq, own, Value::i32(all));
                ir.guarded(&[is_last], |ir| {
                    let back = Value::i32(all.wrapping_neg());
                    let back = IrOperation::AtomicAdd(self.counter, back, None);
                    ir.value(Type::I32, back);
                });
            }
        });
        barrier(ir);
    }
}
