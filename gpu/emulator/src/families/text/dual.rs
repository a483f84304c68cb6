//! LLVM's assembly of VOPD.

use super::{join, operand, vector};
use crate::families::encoding::{DualFields, EncodingFacts, encoded_sources};
use crate::families::tables::{ImmediateRole, OpcodeEntry};
use crate::operation::Type;

impl DualFields {
    /// Returns the text, such as `v_dual_mov_b32 v2, v3 :: v_dual_add_f32 v5, 1.0, v7`.
    pub(in crate::families) fn text(
        &self,
        facts: &EncodingFacts,
        lines: [&OpcodeEntry; 2],
    ) -> String {
        let [x, y] = [0, 1].map(|index| {
            let (half, line) = (self.halves[index], lines[index]);
            let Some((operation, ..)) = line.vector() else {
                return line.name.to_owned();
            };
            let kind = match operation.from.first() {
                // This type covers halves and bfloat16.
                Some(Type::P16) => Type::PF16,
                kind => kind.copied().unwrap_or(Type::B32),
            };
            let mut operands = vec![
                vector(half.to, 1, false),
                operand(facts, half.first, 1, kind, self.literal),
            ];
            let immediate = format!("{:#x}", self.literal);
            if line.immediate == Some(ImmediateRole::Factor) {
                operands.push(immediate.clone());
            }
            if encoded_sources(operation) > 1 {
                operands.push(vector(half.second, 1, false));
            }
            if line.immediate == Some(ImmediateRole::Addend) {
                operands.push(immediate);
            }
            join(line.name, &operands)
        });
        format!("{x} :: {y}")
    }
}
