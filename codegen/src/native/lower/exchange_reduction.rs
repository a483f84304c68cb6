//! Reductions over lanes by exchanges.

use super::exchange::exchanged;
use super::thread_ids::Ids;
use crate::native::combiner::{ArgCompare, Combiner, StateValues};
use crate::native::ir::{Builder, Value};
use crate::native::isa::cross_lane::Exchange;

/// Returns the combined state of all lanes that these exchanges connect.
pub(super) fn combine_exchanged(
    ir: &mut Builder,
    combiner: &dyn Combiner,
    ids: &Ids,
    exchanges: &[Exchange],
    state: StateValues,
) -> StateValues {
    exchanges.iter().fold(state, |state, exchange| {
        let scalars = state.iter();
        let (one, other): (StateValues, StateValues) = scalars
            .map(|&scalar| <(Value, Value)>::from(exchanged(ir, ids, exchange, scalar)))
            .unzip();
        combiner.combine(ir, &one, &other)
    })
}

/// Returns the best key of all lanes that these exchanges connect.
pub(super) fn best_key(
    ir: &mut Builder,
    combiner: &ArgCompare,
    ids: &Ids,
    exchanges: &[Exchange],
    key: Value,
) -> Value {
    exchanges.iter().fold(key, |best, exchange| {
        let [a, b] = exchanged(ir, ids, exchange, best);
        combiner.best(ir, a, b)
    })
}

/// Returns the least rank of all lanes that these exchanges connect.
pub(super) fn least_rank(
    ir: &mut Builder,
    combiner: &ArgCompare,
    ids: &Ids,
    exchanges: &[Exchange],
    rank: Value,
) -> Value {
    exchanges.iter().fold(rank, |least, exchange| {
        let [a, b] = exchanged(ir, ids, exchange, least);
        combiner.least(ir, a, b)
    })
}
