//! VOP3P: packed values, dot products, mixed precision, accumulation registers.

use super::operands::{ConstantType, VCC, source};
use super::register_range::finish;
use super::vector::VectorFields;
use super::{EncodingFacts, LITERAL};
use crate::families::flags::Flag;
use crate::families::tables::{OpcodeEntry, Semantics};
use crate::instruction::*;

pub(super) fn action(
    fields: &VectorFields,
    facts: &EncodingFacts,
    line: &OpcodeEntry,
) -> Option<Action> {
    let (operation, signs) = match line.entry {
        Semantics::SignedDot(operations) => (operations[usize::from(fields.negate & 3)], true),
        _ => (line.vector()?.0, false),
    };
    let mixed = line.is(Flag::Mixed);
    let mut to = fields.to as u16;
    let mut from = [SourceOperand::None; 3];
    for (index, &kind) in operation.from.iter().enumerate() {
        let literal = fields.extension.literal();
        // For a half source, inline constants are halves too.
        let half = mixed && (fields.select_high >> index) & 1 != 0;
        let kind = if half {
            ConstantType::Half
        } else {
            kind.into()
        };
        from[index] = source(facts, fields.sources[index], kind, literal)?;
    }
    if line.is(Flag::FromAccumulation) {
        match &mut from[0] {
            SourceOperand::Vector(register) => *register += ACCUMULATION,
            // LLVM accepts conditions and apertures as accumulation registers.
            SourceOperand::Special(special) => *special = SpecialSource::Unavailable,
            _ if Some(fields.sources[0]) == facts.null => {
                from[0] = SourceOperand::Special(SpecialSource::Unavailable);
            }
            _ => return None,
        }
    }
    if line.is(Flag::ToAccumulation) {
        to += ACCUMULATION;
    }
    let packed = operation.from.iter().any(|from| from.is_packed()) && operation.to.is_packed();
    let mixed = line.is(Flag::Mixed);
    if mixed && fields.sources.contains(&LITERAL) {
        // LLVM prints only half of the literal.
        let reason = format!("{} of a literal is not emulated", line.name);
        return Some(Action::Refused(reason));
    }
    let dot = line.is(Flag::Dot);
    let simple = line.is(Flag::Accumulation);
    let modifiers = Modifiers {
        // Integer dot products use the negation bits for the signs of their sources.
        negate: if simple || signs { 0 } else { fields.negate },
        absolute: if mixed { fields.negate_high } else { 0 },
        select: if mixed {
            fields.select | if line.is(Flag::MixedHigh) { 8 } else { 0 }
        } else if simple {
            0
        } else {
            fields.select
        },
        select_high: fields.select_high,
        negate_high: if mixed { 0 } else { fields.negate_high },
        packed: packed || (dot && operation.from[0].is_packed()),
        mixed,
        clamp: fields.clamp,
        dpp: fields.dpp(facts)?,
        ..Modifiers::default()
    };
    finish(
        facts,
        line,
        VectorAction {
            operation,
            to,
            to_mask: VCC,
            from_mask: VCC,
            from,
            negated: false,
            sets_exec: false,
            modifiers,
        },
    )
}
