//! The modifiers of vector instructions by LLVM's rules: signs, saturation, output modifiers,
//! selections of halves.

use super::EncodingFacts;
use super::vector::{encoded_sources, is_compare, masks};
use crate::families::flags::Flag;
use crate::families::tables::OpcodeEntry;
use crate::operation::{Type, VectorOperation};

/// The status of negation and absolute value of a source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Signs {
    Absent,
    Ignored,
    Present,
}

pub(super) fn signs(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    operation: &VectorOperation,
    index: usize,
) -> Signs {
    let float = operation
        .from
        .get(index)
        .is_some_and(|from| from.is_float());
    let ignored = (line.is(Flag::DotInPlace) && index < 2)
        || (line.is(Flag::LaterSignsIgnored) && index > 0)
        || (line.is(Flag::SecondSignsIgnored) && index == 1)
        || line.is(Flag::SignsIgnored)
        || (facts.cmpx_sets_exec_only && line.is(Flag::ClassToExec) && index == 1)
        || (facts.true16 && line.is(Flag::FirstSignsIgnored) && index == 0);
    match line {
        _ if line.is(Flag::SignedPair) && index < 2 => Signs::Present,
        _ if ignored => Signs::Ignored,
        _ if line.is(Flag::DotToHalf) => Signs::Present,
        _ if float => Signs::Present,
        // With true16, 16-bit integer instructions have the fields of float ones.
        _ if facts.true16
            && index < operation.from.len()
            && operation.from.contains(&Type::B16) =>
        {
            Signs::Ignored
        }
        _ => Signs::Absent,
    }
}

/// Returns true if negation and absolute value of a source are printed and applied.
pub(in crate::families) fn has_signs(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    operation: &VectorOperation,
    index: usize,
) -> bool {
    signs(facts, line, operation, index) == Signs::Present
}

/// Returns true if a long instruction can saturate.
pub(super) fn has_clamp(line: &OpcodeEntry, operation: &VectorOperation) -> bool {
    // `M32` and `M16` have only sign modifiers and no arithmetic to saturate.
    let float = |kind: Type| kind.is_float() && !matches!(kind, Type::M32 | Type::M16);
    if line.is(Flag::NeverSaturates) {
        return false;
    }
    if is_compare(&operation.body) {
        return float(operation.from[0]) && !line.is(Flag::Class);
    }
    float(operation.to)
        || operation.from.iter().any(|&from| float(from))
        || masks(&operation.body).0
        || (line.is(Flag::Saturates) && !line.is(Flag::ShiftsLeft))
}

/// Returns true if a long instruction has an output modifier: it has a float result, or converts
/// a float to an integer.
pub(in crate::families) fn has_output(line: &OpcodeEntry, operation: &VectorOperation) -> bool {
    let from_float = operation.from.len() == 1 && operation.from[0].is_float();
    match line {
        _ if line.is(Flag::Output) => true,
        _ if line.is(Flag::NoOutput) => false,
        _ if line.is(Flag::Converts) && from_float => true,
        _ if is_compare(&operation.body) => false,
        _ => operation.to.is_float() && !matches!(operation.to, Type::M32 | Type::M16),
    }
}

/// Returns the half selections of a long instruction, one bit for each source and bit 3 for the
/// result. If LLVM knows none, set bits are not printed, but they apply.
pub(in crate::families) fn selections(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    number: u32,
) -> u8 {
    let Some((operation, ..)) = line.vector() else {
        return 0;
    };
    let all = 8 | ((1 << encoded_sources(operation)) - 1);
    let from_halves = operation.from.iter().any(|from| from.is_half()) || line.is(Flag::Alignment);
    let to_half = !facts.true16 && operation.to.is_half() && operation.keeps_half;
    let half = from_halves || to_half;
    match line {
        _ if compares_halves(facts, line) => 3,
        _ if facts.true16 && line.is(Flag::ConditionOfHalves) => 0,
        // With true16, LLVM prints the selection as well.
        _ if facts.true16 && facts.is_short_in_long(number) => {
            if from_halves || operation.to.is_half() && !is_compare(&operation.body) {
                all
            } else {
                0
            }
        }
        _ if facts.byte_selections && (line.is(Flag::Narrows8) || line.is(Flag::Widens8ToTwo)) => {
            all
        }
        _ if facts.is_short_in_long(number) || line.is(Flag::Legacy) || !half => 0,
        _ if line.is(Flag::DotToHalf) => 12,
        _ => all,
    }
}

/// Returns true if a source or the result is a half of a register.
pub(super) fn has_halves(line: &OpcodeEntry) -> bool {
    line.vector().is_some_and(|(operation, ..)| {
        operation.to.is_half() || operation.from.iter().any(|from| from.is_half())
    })
}

/// Returns true for a comparison of register halves.
pub(super) fn compares_halves(facts: &EncodingFacts, line: &OpcodeEntry) -> bool {
    let half =
        |operation: &VectorOperation| is_compare(&operation.body) && operation.from[0].is_half();
    facts.true16 && line.vector().is_some_and(|(operation, ..)| half(operation))
}

/// Returns true if the selection of halves means a byte of the source.
pub(in crate::families) fn selects_byte(facts: &EncodingFacts, line: &OpcodeEntry) -> bool {
    facts.byte_selections && line.is(Flag::Widens8ToOne)
}
