//! The ballot reduction: all lanes of a subgroup share every row. Values become uniform, and a
//! ballot finds the holder of the best.

use configgen::comparator::IntegerPredicate;

use super::exchange::{from_words, to_words};
use super::exchange_reduction::{best_key, least_rank};
use super::lane_offset::LaneOffsets;
use super::state::{self, RowState};
use super::thread_ids::{Ids, delinearize};
use crate::native::combiner::{ArgCompare, Combiner as _, StateValues};
use crate::native::ir::{Builder, IrOperation, Type, Unary, Value};
use crate::native::isa::cross_lane::Exchange;
use crate::native::stages::final_stage::Final;

/// The inputs of a reduction of rows over all lanes.
pub(super) struct BallotReduction<'a> {
    pub(super) combiner: &'a ArgCompare,
    pub(super) ids: &'a Ids,
    pub(super) exchanges: &'static [Exchange],
    /// The lane in which the exchanges end.
    pub(super) lane: u32,
    /// Lanes of the subgroup.
    pub(super) lanes: u32,
}

impl BallotReduction<'_> {
    /// Builds the reduction of one row. Mostly one lane holds the best value, and its state is
    /// read. With several holders, or none, a second reduction follows. Returns an i1 that is
    /// true in the storing lane, and the row's state.
    pub(super) fn one_row(&self, ir: &mut Builder, state: &StateValues) -> (Value, StateValues) {
        let holds = self.holds_best(ir, state[0]);
        let holders = self.ballot(ir, holds);
        ir.named(holders, "holders");
        let count = ir.unary(Unary::CountOnes, holders);
        let one = Value::bits(count.kind, 1);
        let single = ir.compare(IntegerPredicate::Eq, count, one);
        let words = ir.if_else(
            single,
            |ir| {
                let lane = self.first_lane(ir, holders);
                self.read_state(ir, state, lane)
            },
            |ir| {
                let lane = self.first_of_several(ir, state, holds);
                self.read_state(ir, state, lane)
            },
        );
        let first = ir.compare(IntegerPredicate::Eq, self.ids.lane, Value::i32(0));
        (first, state::of_words(ir, self.combiner, &words))
    }

    /// Builds the reduction of several rows. Row r ends in lane r, so that one instruction stores
    /// all. Has no branches, so that the exchanges of the rows fill each other's wait times.
    pub(super) fn rows(
        &self,
        ir: &mut Builder,
        kernel: &Final,
        places: &[LaneOffsets],
        rows: &[StateValues],
    ) -> RowState {
        let mut gathered = vec![Value::any(Type::I32); self.combiner.words() as usize];
        for (row, state) in (0u32..).zip(rows) {
            let holds = self.holds_best(ir, state[0]);
            let lane = self.first_of_several(ir, state, holds);
            // The state is uniform; v_writelane puts it into lane `row` of the gathered
            // registers.
            let words = self.read_state(ir, state, lane);
            for (register, word) in gathered.iter_mut().zip(words) {
                *register = ir.value(Type::I32, IrOperation::WriteLane(word, row, *register));
            }
        }
        let count = rows.len() as u32;
        let mut conditions = Vec::new();
        if count < self.lanes {
            let count = Value::i32(count);
            conditions.push(ir.compare(IntegerPredicate::Ult, self.ids.lane, count));
        }
        let (dimensions, counts): (Vec<usize>, Vec<u32>) = kernel
            .lanes
            .block
            .grid
            .parallel()
            .map(|(d, _)| (d, kernel.lanes.along[d].per_lane()))
            .unzip();
        let numbers = delinearize(ir, self.ids.lane, &counts);
        let mut row = Vec::new();
        for (d, number) in dimensions.into_iter().zip(numbers) {
            let coordinate = places[d].coordinate_of_any(ir, number);
            row.push(coordinate.value);
            conditions.extend(coordinate.own);
        }
        RowState {
            conditions,
            row,
            state: state::of_words(ir, self.combiner, &gathered),
        }
    }

    /// Returns an i1 that is true if the lane holds the best value.
    fn holds_best(&self, ir: &mut Builder, value: Value) -> Value {
        let key = self.combiner.key_of(ir, value);
        let best = best_key(ir, self.combiner, self.ids, self.exchanges, key);
        let best = self.read(ir, best, Value::i32(self.lane));
        let best = from_words(ir, self.combiner.key(), &best);
        let holds = self.combiner.is_same(ir, key, best);
        ir.named(holds, "holds")
    }

    /// Returns the lane with the least rank among those that hold the best value.
    fn first_of_several(&self, ir: &mut Builder, state: &StateValues, holds: Value) -> Value {
        let candidate = self.combiner.candidate(ir, holds, state[1]);
        let least = least_rank(ir, self.combiner, self.ids, self.exchanges, candidate);
        let least = self.read(ir, least, Value::i32(self.lane));
        let least = from_words(ir, candidate.scalar(), &least);
        let has = ir.compare(IntegerPredicate::Eq, candidate, least);
        let mask = self.ballot(ir, has);
        self.first_lane(ir, mask)
    }

    /// Returns the words of a lane's state.
    fn read_state(&self, ir: &mut Builder, state: &StateValues, lane: Value) -> Vec<Value> {
        let mut words = Vec::new();
        // The position comes first, because its read waits the longest.
        for &scalar in state.iter().rev() {
            words.splice(0..0, self.read(ir, scalar, lane));
        }
        words
    }

    /// Returns the words of a lane's value.
    fn read(&self, ir: &mut Builder, value: Value, lane: Value) -> Vec<Value> {
        let words = to_words(ir, value).into_iter();
        words
            .map(|word| ir.value(Type::I32, IrOperation::ReadLane(word, lane)))
            .collect()
    }

    /// Returns the mask of the lanes in which a condition holds.
    fn ballot(&self, ir: &mut Builder, condition: Value) -> Value {
        let mask = match self.lanes {
            32 => Type::I32,
            _ => Type::I64,
        };
        ir.value(mask, IrOperation::Ballot(condition))
    }

    /// Returns the lowest lane of a mask that is not empty.
    fn first_lane(&self, ir: &mut Builder, holders: Value) -> Value {
        let lane = ir.unary(Unary::LowestOne, holders);
        ir.resized(lane, Type::I32)
    }
}
