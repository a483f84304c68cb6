//! Products of matrices: the fields of VOP3P, in which gfx9 encodes other modifiers than later
//! families.

use super::operands::{ConstantType, source};
use super::{EncodingFacts, LITERAL, bit, bits};
use crate::families::tables::OpcodeEntry;
use crate::instruction::*;
use crate::operation::matrix::*;

/// The properties of an instruction set's products of matrices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::families) struct MatrixFacts {
    pub(in crate::families) layout: MatrixLayout,
    /// True if 8-bit floats have an unsigned zero.
    pub(in crate::families) unsigned_zero: bool,
    /// True if products of halves and of bfloat16 flush denormals.
    pub(in crate::families) flushes: bool,
    /// True if products of doubles negate their sources.
    pub(in crate::families) negates_doubles: bool,
}

impl MatrixFacts {
    pub(in crate::families) const fn of(layout: MatrixLayout) -> MatrixFacts {
        MatrixFacts {
            layout,
            unsigned_zero: false,
            flushes: false,
            negates_doubles: true,
        }
    }
}

/// The fields of a product of matrices.
#[derive(Clone, Copy)]
pub(in crate::families) struct MatrixFields {
    pub(in crate::families) to: u32,
    /// The sources A, B and C, or A, B and the indices; from 256 on, vector registers.
    pub(in crate::families) sources: [u32; 3],
    /// True for accumulation registers: A, B, and D with C.
    pub(in crate::families) accumulation: [bool; 3],
    /// The fields of gfx9: broadcast of A, its block, and lane pattern of B.
    pub(in crate::families) broadcast: u32,
    pub(in crate::families) broadcast_block: u32,
    pub(in crate::families) pattern: u32,
    /// The fields of later families.
    pub(in crate::families) select: u32,
    pub(in crate::families) select_high: u32,
    pub(in crate::families) negate: u32,
    pub(in crate::families) negate_high: u32,
    pub(in crate::families) clamp: bool,
}

impl MatrixFields {
    pub(in crate::families) fn of(facts: &EncodingFacts, words: Words) -> MatrixFields {
        let [word, second, _] = words;
        let common = MatrixFields {
            to: bits(word, 7, 0),
            sources: [
                bits(second, 8, 0),
                bits(second, 17, 9),
                bits(second, 26, 18),
            ],
            accumulation: [false; 3],
            broadcast: 0,
            broadcast_block: 0,
            pattern: 0,
            select: 0,
            // All bits set is the default of OPSEL_HI in LLVM.
            select_high: 7,
            negate: 0,
            negate_high: 0,
            clamp: false,
        };
        if facts.matrix.layout == MatrixLayout::Blocks {
            MatrixFields {
                // ACC has a bit for each of A and B; ACC_CD is common to C and D.
                accumulation: [bit(second, 27), bit(second, 28), bit(word, 15)],
                broadcast: bits(word, 10, 8),
                broadcast_block: bits(word, 14, 11),
                pattern: bits(second, 31, 29),
                ..common
            }
        } else {
            MatrixFields {
                select: bits(word, 13, 11),
                // VOP3P keeps the third bit of OPSEL_HI apart, in the first word.
                select_high: bits(second, 28, 27) | (bits(word, 14, 14) << 2),
                negate: bits(second, 31, 29),
                negate_high: bits(word, 10, 8),
                clamp: bit(word, 15),
                ..common
            }
        }
    }

    /// Returns the operation of the instruction.
    pub(in crate::families) fn operation(
        &self,
        facts: &EncodingFacts,
        shape: &MatrixShape,
    ) -> MatrixOperation {
        let has_formats = shape.from[0] == MatrixElement::F8f6f4;
        let from = match facts.matrix.unsigned_zero {
            true => shape.from.map(MatrixElement::with_unsigned_zero),
            // An unknown format is refused later.
            false if has_formats => [self.broadcast, self.pattern]
                .map(|code| MatrixElement::of_format(code).unwrap_or(MatrixElement::Fp8)),
            false => shape.from,
        };
        let gfx9 = facts.matrix.layout == MatrixLayout::Blocks;
        // From gfx942 on, BLGP of doubles is a negation of A, B and C.
        let doubles = gfx9 && shape.to == MatrixElement::F64;
        let modifiers = MatrixModifiers {
            // In a sparse product, CBSZ belongs to the choice of indices.
            broadcast: match shape.sparse || has_formats {
                true => 0,
                false => self.broadcast,
            },
            broadcast_block: self.broadcast_block,
            pattern: match doubles || has_formats {
                true => 0,
                false => self.pattern,
            },
            negate: if doubles { self.pattern } else { self.negate },
            negate_high: self.negate_high,
            upper_half: !shape.sparse && self.select & 4 != 0,
            index_set: match (gfx9, self.broadcast) {
                // With a broadcast size, the first indices are in use.
                (true, 0) => self.broadcast_block,
                (true, _) => 0,
                (false, _) => self.select & 3,
            },
            clamp: self.clamp,
        };
        MatrixOperation {
            shape: MatrixShape { from, ..*shape },
            layout: facts.matrix.layout,
            lanes: facts.lanes.into(),
            flushes: facts.matrix.flushes,
            modifiers,
        }
    }
}

/// Returns the action of a product; None for invalid operands.
pub(super) fn action(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    shape: &MatrixShape,
    words: Words,
) -> Option<Action> {
    let fields = MatrixFields::of(facts, words);
    let operation = fields.operation(facts, shape);
    let refuse = |what: &str| Some(Action::Refused(format!("{} with {what}", line.name)));
    let register = |code: u32, accumulation: bool| {
        // A lower code names a scalar register or a constant, and these are not legal here.
        let number = code.checked_sub(256)? as u16;
        Some(number + if accumulation { ACCUMULATION } else { 0 })
    };
    // The sign bits of C and the pattern of B have no place in a sparse product.
    let third_sign = (fields.negate | fields.negate_high) & 4 != 0;
    if shape.sparse && (fields.pattern != 0 || third_sign) {
        return None;
    }
    // gfx12 has no selection of halves, and the bits of the upper ones are set.
    if facts.matrix.layout == MatrixLayout::Parts && fields.select_high != 7 {
        return None;
    }
    // LLVM reads conditions and apertures as sources, which the hardware does not have.
    let is_special = |&code: &u32| {
        Some(code) == facts.null
            || matches!(
                source(facts, code, constant_type(shape.to), 0),
                Some(SourceOperand::Special(_))
            )
    };
    if fields.sources.iter().any(is_special) {
        return refuse("a source that is not emulated");
    }
    let [of_a, of_b, of_d] = fields.accumulation;
    // VDST has no ninth bit, because it is always a vector register.
    let to = register(fields.to + 256, of_d)?;
    let a = register(fields.sources[0], of_a)?;
    let b = register(fields.sources[1], of_b)?;
    let third = fields.sources[2];
    let (c, index) = if shape.sparse {
        // The third source has the indices, so D is the addend.
        (MatrixAddend::Register(to), Some(register(third, false)?))
    } else if third == LITERAL && facts.long_literal {
        return refuse("a literal");
    } else {
        match source(facts, third, constant_type(shape.to), 0)? {
            SourceOperand::Vector(_) => (MatrixAddend::Register(register(third, of_d)?), None),
            SourceOperand::Constant(bits) => (MatrixAddend::Constant(bits), None),
            _ => return None,
        }
    };
    let action = MatrixAction {
        operation,
        operands: MatrixOperands { to, a, b, c, index },
    };
    let ranges = || action.reads().chain([action.writes()]);
    for (first, count) in ranges() {
        facts.has_vectors(first.into(), count.into())?;
    }
    if ranges().any(|(first, count)| {
        // Accumulation registers follow the plain ones in number, but no range joins them.
        usize::from(first) % PLAIN_REGISTERS + usize::from(count) > PLAIN_REGISTERS
    }) {
        return refuse("a register beyond the last");
    }
    match fields.without_meaning(facts, &operation, c) {
        Some(what) => refuse(what),
        None => Some(Action::Matrix(Box::new(action))),
    }
}

/// Returns the fields of `v_mfma_ld_scale_b32`: the codes of its sources, and the numbers of their
/// bytes.
pub(in crate::families) fn scale_fields(words: Words) -> [(u32, u8); 2] {
    let [word, second, _] = words;
    let byte = |low: u32, high: u32| (low | (high << 1)) as u8;
    // OPSEL has the low bits of the bytes' numbers, and OPSEL_HI the high ones.
    [
        (
            bits(second, 8, 0),
            byte(bits(word, 11, 11), bits(second, 27, 27)),
        ),
        (
            bits(second, 17, 9),
            byte(bits(word, 12, 12), bits(second, 28, 28)),
        ),
    ]
}

/// Returns the action of `v_mfma_ld_scale_b32`; None for invalid operands.
pub(in crate::families) fn scale(
    facts: &EncodingFacts,
    line: &OpcodeEntry,
    words: Words,
) -> Option<Action> {
    // There is neither a result nor a third source, and LLVM refuses their bits: VDST, CLAMP, and
    // the third source's NEG_HI, OPSEL and NEG.
    let [first, second, _] = words;
    let others = [(first, 10), (first, 13), (first, 15), (second, 31)];
    if bits(first, 7, 0) != 0 || others.iter().any(|&(word, at)| bits(word, at, at) != 0) {
        return None;
    }
    let fields = scale_fields(words);
    let [a, b] = fields.map(|(code, _)| source(facts, code, ConstantType::Bits32, 0));
    let from = [a?, b?];
    if fields.iter().any(|(code, _)| *code == LITERAL)
        || from
            .iter()
            .any(|it| matches!(it, SourceOperand::Special(_)))
    {
        let reason = format!("{} with a source that is not emulated", line.name);
        return Some(Action::Refused(reason));
    }
    let bytes = fields.map(|(_, byte)| byte);
    Some(Action::MatrixScale { from, bytes })
}

/// Returns the type of a constant C.
fn constant_type(to: MatrixElement) -> ConstantType {
    match to {
        MatrixElement::F64 => ConstantType::Double,
        MatrixElement::F16 | MatrixElement::Bf16 => ConstantType::PackedHalf,
        _ => ConstantType::Bits32,
    }
}

impl MatrixFields {
    /// Returns a modifier that the encoding has, but without a documented meaning.
    fn without_meaning(
        &self,
        facts: &EncodingFacts,
        operation: &MatrixOperation,
        c: MatrixAddend,
    ) -> Option<&'static str> {
        let shape = &operation.shape;
        let integer = shape.to.is_integer();
        if facts.matrix.layout == MatrixLayout::Blocks {
            let doubles = shape.to == MatrixElement::F64;
            let blocks = 1 << self.broadcast;
            let has_format = |code| MatrixElement::of_format(code).is_some();
            return match self {
                _ if operation.is_scalable() && !has_format(self.broadcast) => Some("cbsz"),
                _ if operation.is_scalable() && !has_format(self.pattern) => Some("blgp"),
                // ABID 1 marks a product with factors.
                _ if operation.is_scalable() => (self.broadcast_block > 1).then_some("abid"),
                // CDNA 2 has no field for doubles, and no document says what the bits do.
                _ if doubles && self.pattern != 0 && !facts.matrix.negates_doubles => Some("blgp"),
                _ if shape.sparse && self.broadcast == 0 => {
                    (self.broadcast_block >= operation.index_sets()).then_some("abid")
                }
                _ if shape.sparse => None,
                _ if doubles && (self.broadcast | self.broadcast_block) != 0 => Some("cbsz"),
                // A group of blocks cannot exceed the blocks, nor ABID its group.
                _ if blocks > shape.blocks || self.broadcast_block >= blocks => Some("cbsz"),
                _ => None,
            };
        }
        let narrow = shape.to.bits() == 16;
        let eight = shape.from[0].bits() == 8 && !integer;
        match self {
            _ if integer && (self.negate & 4 | self.negate_high) != 0 => Some("neg"),
            _ if eight && (self.negate | self.negate_high) & 3 != 0 => Some("neg"),
            _ if self.clamp && !integer => Some("clamp"),
            _ if !shape.sparse && !narrow && self.select != 0 => Some("op_sel"),
            _ if shape.sparse && self.select >= operation.index_sets() => Some("op_sel"),
            _ if narrow && !matches!(c, MatrixAddend::Register(_) | MatrixAddend::Constant(0)) => {
                Some("a constant of 16 bits")
            }
            _ => None,
        }
    }
}
