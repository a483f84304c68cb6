//! The numbering of scalar and vector sources.

use super::EncodingFacts;
use crate::instruction::{NULL, SourceOperand, SpecialSource};
use crate::operation::Type;

pub(super) use crate::instruction::VCC;

/// The type of number that a constant becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConstantType {
    Bits16,
    Half,
    Bits32,
    /// Two words; a constant is the low one.
    Pair,
    Packed,
    PackedHalf,
    Bits64,
    Signed64,
    Double,
}

impl From<Type> for ConstantType {
    fn from(from: Type) -> ConstantType {
        match from {
            Type::B16 => ConstantType::Bits16,
            Type::F16 | Type::M16 => ConstantType::Half,
            Type::B32 | Type::M32 | Type::F32 => ConstantType::Bits32,
            Type::PF32 | Type::PB32 => ConstantType::Pair,
            Type::P16 => ConstantType::Packed,
            Type::PF16 => ConstantType::PackedHalf,
            Type::B64 => ConstantType::Bits64,
            Type::I64 => ConstantType::Signed64,
            Type::F64 => ConstantType::Double,
        }
    }
}

impl ConstantType {
    /// Returns the type of a scalar source with `bits` bits.
    pub(super) fn scalar(bits: u8) -> ConstantType {
        match bits {
            64 => ConstantType::Bits64,
            16 => ConstantType::Half,
            _ => ConstantType::Bits32,
        }
    }

    fn wide(self) -> bool {
        matches!(
            self,
            ConstantType::Bits64 | ConstantType::Signed64 | ConstantType::Double
        )
    }
}

/// The inline constants 240 to 248 in half, single and double precision.
const FLOATS: [(u16, u32, u64); 9] = [
    (0x3800, 0x3f00_0000, 0x3fe0_0000_0000_0000),
    (0xb800, 0xbf00_0000, 0xbfe0_0000_0000_0000),
    (0x3c00, 0x3f80_0000, 0x3ff0_0000_0000_0000),
    (0xbc00, 0xbf80_0000, 0xbff0_0000_0000_0000),
    (0x4000, 0x4000_0000, 0x4000_0000_0000_0000),
    (0xc000, 0xc000_0000, 0xc000_0000_0000_0000),
    (0x4400, 0x4080_0000, 0x4010_0000_0000_0000),
    (0xc400, 0xc080_0000, 0xc010_0000_0000_0000),
    (0x3118, 0x3e22_f983, 0x3fc4_5f30_6dc9_c882),
];

/// Returns the first of `count` scalar registers to read.
pub(super) fn scalar_source(facts: &EncodingFacts, code: u32, count: u32) -> Option<SourceOperand> {
    Some(match facts.register(code, count)? {
        NULL if facts.phantom_null => SourceOperand::Special(SpecialSource::Unavailable),
        NULL => SourceOperand::Constant(0),
        register => SourceOperand::Scalar(register),
    })
}

/// Returns the source with code `code` (0 to 511); None if the instruction set has none.
/// `literal` is the word after the instruction.
pub(super) fn source(
    facts: &EncodingFacts,
    code: u32,
    kind: ConstantType,
    literal: u32,
) -> Option<SourceOperand> {
    let integer = |value: i64| {
        let bits = if kind.wide() {
            value as u64
        } else {
            u64::from(value as u32)
        };
        SourceOperand::Constant(bits)
    };
    Some(match code {
        0..=127 => {
            let pair = kind.wide() || kind == ConstantType::Pair;
            scalar_source(facts, code, if pair { 2 } else { 1 })?
        }
        128..=192 => integer(i64::from(code) - 128),
        193..=208 => integer(192 - i64::from(code)),
        // A 64-bit operand cannot read the upper half alone, nor a 32-bit value in LDS.
        231 | 254 if kind.wide() => return None,
        _ if facts.unavailable.contains(&code) => {
            SourceOperand::Special(SpecialSource::Unavailable)
        }
        235..=239 | 251..=254 if !facts.specials.contains(&code) => return None,
        235 => SourceOperand::Special(SpecialSource::SharedBase),
        236 => SourceOperand::Special(SpecialSource::SharedLimit),
        237 => SourceOperand::Special(SpecialSource::PrivateBase),
        238 => SourceOperand::Special(SpecialSource::PrivateLimit),
        240..=248 => {
            let (half, single, double) = FLOATS[code as usize - 240];
            SourceOperand::Constant(match kind {
                ConstantType::Half | ConstantType::PackedHalf | ConstantType::Bits16 => {
                    u64::from(half)
                }
                ConstantType::Bits32 | ConstantType::Pair | ConstantType::Packed => {
                    u64::from(single)
                }
                ConstantType::Bits64 | ConstantType::Signed64 | ConstantType::Double => double,
            })
        }
        251 => SourceOperand::Special(SpecialSource::VccZero),
        252 => SourceOperand::Special(SpecialSource::ExecZero),
        253 => SourceOperand::Special(SpecialSource::Scc),
        // A double's literal is its upper half; integer literals are extended.
        255 => SourceOperand::Constant(match kind {
            ConstantType::Double => u64::from(literal) << 32,
            ConstantType::Signed64 => i64::from(literal as i32) as u64,
            ConstantType::Half | ConstantType::Bits16 => u64::from(literal & 0xffff),
            _ => u64::from(literal),
        }),
        256..=511 => SourceOperand::Vector(code as u16 - 256),
        _ => return None,
    })
}
