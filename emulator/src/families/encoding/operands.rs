//! The numbering of scalar and vector sources.

use super::Facts;
use crate::instruction::{NULL, Operand, Special};
use crate::operation::Type;

/// VCC in the scalar register file.
pub(super) use crate::instruction::VCC;

/// What kind of number a constant becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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

impl From<Type> for Kind {
    fn from(from: Type) -> Kind {
        match from {
            Type::B16 => Kind::Bits16,
            Type::F16 | Type::M16 => Kind::Half,
            Type::B32 | Type::M32 | Type::F32 => Kind::Bits32,
            Type::PF32 | Type::PB32 => Kind::Pair,
            Type::P16 => Kind::Packed,
            Type::PF16 => Kind::PackedHalf,
            Type::B64 => Kind::Bits64,
            Type::I64 => Kind::Signed64,
            Type::F64 => Kind::Double,
        }
    }
}

impl Kind {
    /// Of a scalar source of so many bits.
    pub(super) fn scalar(bits: u8) -> Kind {
        match bits {
            64 => Kind::Bits64,
            16 => Kind::Half,
            _ => Kind::Bits32,
        }
    }

    fn wide(self) -> bool {
        matches!(self, Kind::Bits64 | Kind::Signed64 | Kind::Double)
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

/// The first of `count` scalar registers that are read.
pub(super) fn scalar_source(facts: &Facts, code: u32, count: u32) -> Option<Operand> {
    Some(match facts.register(code, count)? {
        NULL if facts.phantom_null => Operand::Special(Special::Unavailable),
        NULL => Operand::Constant(0),
        register => Operand::Scalar(register),
    })
}

/// The source with code `code` (0 to 511); None where the instruction set has none. `literal` is the word after the
/// instruction.
pub(super) fn source(facts: &Facts, code: u32, kind: Kind, literal: u32) -> Option<Operand> {
    let integer = |value: i64| {
        let bits = if kind.wide() {
            value as u64
        } else {
            u64::from(value as u32)
        };
        Operand::Constant(bits)
    };
    Some(match code {
        0..=127 => {
            let pair = kind.wide() || kind == Kind::Pair;
            scalar_source(facts, code, if pair { 2 } else { 1 })?
        }
        128..=192 => integer(i64::from(code) - 128),
        193..=208 => integer(192 - i64::from(code)),
        231 | 254 if kind.wide() => return None,
        _ if facts.unavailable.contains(&code) => Operand::Special(Special::Unavailable),
        235..=239 | 251..=254 if !facts.specials.contains(&code) => return None,
        235 => Operand::Special(Special::SharedBase),
        236 => Operand::Special(Special::SharedLimit),
        237 => Operand::Special(Special::PrivateBase),
        238 => Operand::Special(Special::PrivateLimit),
        240..=248 => {
            let (half, single, double) = FLOATS[code as usize - 240];
            Operand::Constant(match kind {
                Kind::Half | Kind::PackedHalf | Kind::Bits16 => u64::from(half),
                Kind::Bits32 | Kind::Pair | Kind::Packed => u64::from(single),
                Kind::Bits64 | Kind::Signed64 | Kind::Double => double,
            })
        }
        251 => Operand::Special(Special::VccZero),
        252 => Operand::Special(Special::ExecZero),
        253 => Operand::Special(Special::Scc),
        255 => Operand::Constant(match kind {
            Kind::Double => u64::from(literal) << 32,
            Kind::Signed64 => i64::from(literal as i32) as u64,
            Kind::Half | Kind::Bits16 => u64::from(literal & 0xffff),
            _ => u64::from(literal),
        }),
        256..=511 => Operand::Vector(code as u16 - 256),
        _ => return None,
    })
}
