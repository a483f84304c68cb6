//! VOPD: two short vector instructions in one. Both read their sources before either writes its
//! result.

use super::operands::{ConstantType, VCC, source};
use super::register_range::{checked, within};
use super::vector::encoded_sources;
use super::{EncodingFacts, LITERAL, available, bits};
use crate::families::tables::{ImmediateRole, OpcodeEntry};
use crate::instruction::{Action, Modifiers, SourceOperand, VectorAction, Words};

/// One of the two instructions.
#[derive(Clone, Copy)]
pub(in crate::families) struct DualHalf {
    pub(in crate::families) to: u32,
    /// Code of the first source.
    pub(in crate::families) first: u32,
    /// Vector register of the second source.
    pub(in crate::families) second: u32,
}

/// The fields of a dual instruction.
pub(in crate::families) struct DualFields {
    pub(in crate::families) halves: [DualHalf; 2],
    /// The third word, which both may use.
    pub(in crate::families) literal: u32,
}

impl DualFields {
    pub(in crate::families) fn of(words: Words) -> DualFields {
        let [word, second, literal] = words;
        let to = bits(second, 31, 24);
        let x = DualHalf {
            to,
            first: bits(word, 8, 0),
            second: bits(word, 16, 9),
        };
        let y = DualHalf {
            // One destination register is even and one is odd, so the lowest bit is implicit.
            to: (bits(second, 23, 17) << 1) | (!to & 1),
            first: bits(second, 8, 0),
            second: bits(second, 16, 9),
        };
        DualFields {
            halves: [x, y],
            literal,
        }
    }

    /// Returns the number of words of the instruction.
    pub(in crate::families) fn length(&self, lines: [&OpcodeEntry; 2]) -> u8 {
        let literal = self.halves.iter().any(|half| half.first == LITERAL);
        let immediate = lines.iter().any(|line| line.immediate.is_some());
        2 + u8::from(literal || immediate)
    }

    pub(in crate::families) fn action(
        &self,
        facts: &EncodingFacts,
        lines: [&OpcodeEntry; 2],
    ) -> Option<Action> {
        if facts.lanes != 32 {
            // Waves of 64 lanes have no dual instructions.
            return None;
        }
        let [x, y] = self.halves;
        let action = |half: DualHalf, line: &OpcodeEntry| {
            let (operation, ..) = line.vector()?;
            // An unused source field must be 0.
            if encoded_sources(operation) == 1 && half.second != 0 {
                return None;
            }
            let kind = |index: usize| operation.from.get(index).copied().map(ConstantType::from);
            let get = |code: u32, index: usize| {
                let kind = kind(index).unwrap_or(ConstantType::Bits32);
                source(facts, code, kind, self.literal)
            };
            let mut from = [
                get(half.first, 0)?,
                SourceOperand::None,
                SourceOperand::None,
            ];
            if encoded_sources(operation) > 1 {
                // The second source is always a vector register; its field lacks the leading bit.
                from[1] = get(half.second + 256, 1)?;
            } else if half.second != 0 {
                return None;
            }
            match line.immediate {
                Some(ImmediateRole::Addend) => from[2] = get(LITERAL, 2)?,
                Some(ImmediateRole::Factor) => {
                    from[2] = from[1];
                    from[1] = get(LITERAL, 1)?;
                }
                None if operation.accumulates => from[2] = SourceOperand::Vector(half.to as u16),
                None => {}
            }
            checked(
                facts,
                VectorAction {
                    operation,
                    to: half.to as u16,
                    to_mask: VCC,
                    from_mask: VCC,
                    from,
                    negated: false,
                    sets_exec: false,
                    modifiers: Modifiers::default(),
                },
            )
        };
        let actions = [action(x, lines[0])?, action(y, lines[1])?];
        let action = within(lines[0], Action::Dual(Box::new(actions)));
        Some(available(lines[0], action))
    }
}
