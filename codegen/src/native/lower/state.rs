//! The states of rows: their holders, their words, and their form in memory.

use super::exchange::{from_words, to_words};
use crate::native::combiner::{Combiner, StateValues};
use crate::native::ir::Scalar;
use crate::native::ir::{Builder, IrOperation, Type, Value};

/// The state of a row, in the lanes in which all `conditions` (i1) hold.
pub(super) struct RowState {
    pub(super) conditions: Vec<Value>,
    /// The row's coordinates in the workgroup's tile (i32), along each parallel dimension.
    pub(super) row: Vec<Value>,
    pub(super) state: StateValues,
}

/// Returns the state with these words, the lowest of each scalar first.
pub(super) fn of_words(ir: &mut Builder, combiner: &dyn Combiner, words: &[Value]) -> StateValues {
    let mut rest = words;
    let mut state = StateValues::new();
    for (kind, _) in combiner.state() {
        let (own, others) = rest.split_at(kind.words() as usize);
        state.push(from_words(ir, kind, own));
        rest = others;
    }
    state
}

/// Writes a state to an address, with as many bytes as [`Combiner::partial_bytes`] says.
pub(super) fn store(
    ir: &mut Builder,
    combiner: &dyn Combiner,
    state: &StateValues,
    address: Value,
) {
    let mut words: Vec<Value> = Vec::new();
    for &scalar in state {
        words.extend(to_words(ir, scalar));
    }
    let bytes = combiner.partial_bytes();
    // The padding makes it one access of a power of two of bytes.
    words.resize(bytes as usize / 4, Value::any(Type::I32));
    let vector = ir.value(kind(combiner), IrOperation::Vector(words));
    ir.store(vector, address, bytes);
}

/// Reads a state that [`store`] wrote.
pub(super) fn load(ir: &mut Builder, combiner: &dyn Combiner, address: Value) -> StateValues {
    let vector = ir.load(kind(combiner), address, combiner.partial_bytes());
    let numbers = 0..combiner.words();
    let words: Vec<Value> = numbers
        .map(|number| ir.value(Scalar::I32, IrOperation::Element(vector, number)))
        .collect();
    of_words(ir, combiner, &words)
}

/// Returns the type of a state in memory.
fn kind(combiner: &dyn Combiner) -> Type {
    Type::Vector(Scalar::I32, combiner.partial_bytes() / 4)
}
