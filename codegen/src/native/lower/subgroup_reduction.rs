//! From the states of lanes to the states of rows.
//!
//! Where the comparator allows it the best value is found first and the index second: two instructions an exchange instead
//! of the nine of a general `combine`. The state's value is read from a lane that holds the row's index, so that of -0 and
//! +0, which are equally good, it is the first. If all lanes share the row, see [`super::whole`].

use configgen::comparator::IntegerPredicate;

use super::ballot_reduction::BallotReduction;
use super::exchange_reduction::{best_key, combine_exchanged, least_rank};
use super::lane_offset::{self, LaneOffsets};
use super::state::RowState;
use super::thread_ids::Ids;
use crate::native::combiner::{ArgCompare, StateValues};
use crate::native::ir::{Builder, Value};
use crate::native::isa::cross_lane::Exchange;
use crate::native::stages::final_stage::{Final, LaneFold};

/// Builds the reduction over the lanes of a subgroup of the lane's states, one of each of its rows.
pub(super) fn build(
    ir: &mut Builder,
    kernel: &Final,
    ids: &Ids,
    places: &[LaneOffsets],
    states: Vec<StateValues>,
) -> Vec<RowState> {
    let lanes = &kernel.lanes;
    let combiner = lanes.block.grid.combiner.as_ref();
    let by_value = || combiner.by_value().expect("the stage has asked");
    let rows = lanes.rows();
    match &kernel.fold {
        LaneFold::Own => rows
            .iter()
            .zip(states)
            .map(|(row, state)| held(ir, kernel, places, row, None, state))
            .collect(),
        LaneFold::Alike => {
            let first = first_of_row(ir, ids, lanes.block.grid.subgroup_size - 1);
            (rows.iter().zip(states))
                .map(|(row, state)| held(ir, kernel, places, row, Some(first), state))
                .collect()
        }
        LaneFold::Butterfly(exchanges) => rows
            .iter()
            .zip(states)
            .map(|(row, state)| {
                let winner = butterfly(ir, by_value(), ids, exchanges, &state);
                held(ir, kernel, places, row, Some(winner), state)
            })
            .collect(),
        LaneFold::Pairs(exchanges) => rows
            .iter()
            .zip(states)
            .map(|(row, state)| {
                let state = combine_exchanged(ir, combiner, ids, exchanges, state);
                let first = first_of_row(ir, ids, lanes.shared_bits());
                held(ir, kernel, places, row, Some(first), state)
            })
            .collect(),
        LaneFold::Ballot { exchanges, lane } => {
            let whole = BallotReduction {
                combiner: by_value(),
                ids,
                exchanges,
                lane: *lane,
                lanes: lanes.block.grid.subgroup_size,
            };
            vec![match (rows.as_slice(), states.as_slice()) {
                ([row], [state]) => {
                    let (first, state) = whole.one_row(ir, state);
                    held(ir, kernel, places, row, Some(first), state)
                }
                _ => whole.rows(ir, kernel, places, &states),
            }]
        }
    }
}

/// The state of a lane's row, where `winner` (i1) holds and the row is this lane's.
fn held(
    ir: &mut Builder,
    kernel: &Final,
    places: &[LaneOffsets],
    row: &[u32],
    winner: Option<Value>,
    state: StateValues,
) -> RowState {
    let (row, own) = lane_offset::row(ir, kernel, places, row);
    RowState {
        conditions: winner.into_iter().chain(own).collect(),
        row,
        state,
    }
}

/// `i1`: whether the lane is the first of those that share its row.
pub(super) fn first_of_row(ir: &mut Builder, ids: &Ids, shared_bits: u32) -> Value {
    let number = ir.masked(ids.lane, shared_bits.into());
    ir.compare(IntegerPredicate::Eq, number, Value::i32(0))
}

/// `i1` each: whether the lane is the first of its row in the workgroup, in the first of the subgroups that share it.
pub(super) fn holds_row(ir: &mut Builder, kernel: &Final, ids: &Ids) -> Vec<Value> {
    let lanes = &kernel.lanes;
    let mut conditions = vec![first_of_row(ir, ids, lanes.shared_bits())];
    if lanes.block.sharers() > 1 {
        let sharer = ids.sharer(ir, kernel);
        conditions.push(ir.compare(IntegerPredicate::Eq, sharer, Value::i32(0)));
    }
    conditions
}

/// `i1`: whether the lane's state is that of its row. Every lane of the row takes part.
///
/// Where no rank wins, all lanes of the row have the value that they began with.
fn butterfly(
    ir: &mut Builder,
    combiner: &ArgCompare,
    ids: &Ids,
    exchanges: &[Exchange],
    state: &[Value],
) -> Value {
    let key = combiner.key_of(ir, state[0]);
    let best = best_key(ir, combiner, ids, exchanges, key);
    let holds = combiner.is_same(ir, key, best);
    let candidate = combiner.candidate(ir, holds, state[1]);
    let least = least_rank(ir, combiner, ids, exchanges, candidate);
    ir.compare(IntegerPredicate::Eq, candidate, least)
}
