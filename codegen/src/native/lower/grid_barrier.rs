//! The grid barrier: workgroups that share rows wait for each other. Each workgroup publishes the
//! states of its piece in memory and increments a counter. It continues with the merged states
//! when the counter includes all.
//!
//! A workgroup's states are visible to the whole device before it is counted. One lane increments
//! the counter and polls it. That lane then acquires the states of the others, on behalf of all
//! threads that wait at the workgroup barrier. All workgroups arrive, because all of them are
//! resident (rule N17).
//!
//! The counter runs on from fold to fold. Each fold has its own places for states, so that no
//! workgroup waits for the others to read. In the last fold, the last workgroup to arrive
//! subtracts all counts, so that the next launch finds the counter unchanged. A workgroup that
//! still polls then sees less than its own count.

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
    /// The address of the workgroups' counter.
    counter: Value,
}

impl GridBarrier {
    /// Builds the address of the counter. Returns `None` if each workgroup has its own rows.
    pub(super) fn build(ir: &mut Builder, kernel: &Final, ids: &Ids) -> Option<GridBarrier> {
        let split = kernel.lanes.block.grid.split?;
        let counter = ir.part(KernelPart::Pieces, |ir| {
            let counter = counter(ir, kernel, ids);
            // This makes the address look different in each lane. For a uniform address, LLVM
            // would add for all lanes at once although only one is active, and wait for the
            // result before anything else.
            let nothing = ir.unary(Unary::Opaque, Value::i32(0));
            let nothing = ir.resized(nothing, Type::I64);
            ir.offset(counter, nothing)
        });
        Some(GridBarrier { split, counter })
    }

    /// Merges the states of a lane's rows in the workgroup's piece into those of the whole rows,
    /// in fold `number`. The result is the same in each workgroup, because pieces merge in their
    /// order.
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

    /// Returns the address of the first piece's state of a row, at these coordinates (i32) of the
    /// tile. The states of the other pieces follow it.
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

    /// Counts the workgroup and waits until all have been counted in fold `number`.
    fn wait(&self, ir: &mut Builder, kernel: &Final, ids: &Ids, number: u32) {
        let block = &kernel.lanes.block;
        // If the first subgroup, which counts, holds all rows, it has written all states itself.
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
            // Relative to the own count, because only a reset counter is lower than that.
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
            // Sleeping leaves issue slots to the waves that the loop waits for.
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
