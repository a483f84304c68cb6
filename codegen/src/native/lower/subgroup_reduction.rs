//! From the states of lanes to the states of rows.
//!
//! If the comparator allows it, the reduction finds the best value first and the index second. An
//! exchange then takes two instructions instead of nine for a general `combine`. The value is
//! read from a lane that holds the row's index. So among -0 and +0, which are equally good, the
//! first one is returned. If all lanes share the row, see
//! [`ballot_reduction`](super::ballot_reduction).

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

/// Builds the reduction of the lane's states, one for each of its rows, over the lanes of a
/// subgroup.
pub(super) fn build(
    ir: &mut Builder,
    kernel: &Final,
    ids: &Ids,
    places: &[LaneOffsets],
    states: Vec<StateValues>,
) -> Vec<RowState> {
    let lanes = &kernel.lanes;
    let combiner = lanes.block.grid.combiner.as_ref();
    // `Final::new` chooses a ballot or a butterfly only for such combiners.
    let by_value = || combiner.by_value().expect("the stage has asked");
    let rows = lanes.rows();
    match &kernel.fold {
        LaneFold::Own => rows
            .iter()
            .zip(states)
            .map(|(row, state)| held(ir, kernel, places, row, None, state))
            .collect(),
        // All lanes have the same state, so one of them stores it.
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

/// Returns the state of a lane's row, in lanes in which `winner` (i1) holds and the row is the
/// lane's.
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

/// Returns an i1 that is true in the first of the lanes that share a row.
pub(super) fn first_of_row(ir: &mut Builder, ids: &Ids, shared_bits: u32) -> Value {
    let number = ir.masked(ids.lane, shared_bits.into());
    ir.compare(IntegerPredicate::Eq, number, Value::i32(0))
}

/// Returns conditions (i1) that all hold in the first lane of the row's first subgroup in the
/// workgroup.
pub(super) fn holds_row(ir: &mut Builder, kernel: &Final, ids: &Ids) -> Vec<Value> {
    let lanes = &kernel.lanes;
    let mut conditions = vec![first_of_row(ir, ids, lanes.shared_bits())];
    if lanes.block.sharers() > 1 {
        let sharer = ids.sharer(ir, kernel);
        conditions.push(ir.compare(IntegerPredicate::Eq, sharer, Value::i32(0)));
    }
    conditions
}

/// Returns an i1 that is true if the lane's state is that of its row. Every lane of the row takes
/// part.
///
/// If no rank wins, all lanes of the row have their initial value.
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
    // A lane without the best value must not win by its rank.
    let candidate = combiner.candidate(ir, holds, state[1]);
    let least = least_rank(ir, combiner, ids, exchanges, candidate);
    ir.compare(IntegerPredicate::Eq, candidate, least)
}
