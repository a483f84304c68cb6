//! States as words, and in memory.

use super::exchange::{from_words, to_words};
use crate::native::combiner::{ArgCompare, Combiner, State};
use crate::native::ir::{Ir, Value};

/// The words of a state, the lowest of each scalar first.
pub(super) fn words(ir: &mut Ir, combiner: &ArgCompare, state: &State) -> Vec<Value> {
    let mut words = Vec::new();
    for (kind, scalar) in combiner.state().into_iter().zip(state) {
        words.extend(to_words(ir, kind, scalar));
    }
    words
}

/// The state that has these words.
pub(super) fn of_words(ir: &mut Ir, combiner: &ArgCompare, words: &[Value]) -> State {
    let mut rest = words;
    let mut state = State::new();
    for kind in combiner.state() {
        let (own, others) = rest.split_at(kind.words() as usize);
        state.push(from_words(ir, kind, own));
        rest = others;
    }
    state
}

/// Writes a state to an address in address space `space`, of as many bytes as [`Combiner::partial_bytes`] says.
pub(super) fn store(
    ir: &mut Ir,
    combiner: &ArgCompare,
    state: &State,
    space: u32,
    address: &Value,
) {
    let words = words(ir, combiner, state);
    let (count, bytes) = (combiner.partial_bytes() / 4, combiner.partial_bytes());
    let mut vector = Value::text("poison");
    for (number, word) in words.iter().enumerate() {
        vector = ir.value(format_args!(
            "insertelement <{count} x i32> {vector}, i32 {word}, i32 {number}"
        ));
    }
    ir.line(format_args!(
        "store <{count} x i32> {vector}, ptr addrspace({space}) {address}, align {bytes}"
    ));
}

/// Reads what [`store`] wrote.
pub(super) fn load(ir: &mut Ir, combiner: &ArgCompare, space: u32, address: &Value) -> State {
    let (count, bytes) = (combiner.partial_bytes() / 4, combiner.partial_bytes());
    let vector = ir.value(format_args!(
        "load <{count} x i32>, ptr addrspace({space}) {address}, align {bytes}"
    ));
    let mut words = Vec::new();
    for number in 0..combiner.words() {
        words.push(ir.value(format_args!(
            "extractelement <{count} x i32> {vector}, i32 {number}"
        )));
    }
    of_words(ir, combiner, &words)
}
