//! What instructions do, shared by all families: a family's tables only give an operation its name and its number.
//!
//! A vector operation is a *lane function* on the bits of one lane, instantiated as a loop over the 64 lanes. Each
//! loop exists twice: for any x86-64 (or other host) and for AVX2 with FMA, chosen when a program is prepared.
//! Operations know nothing of encodings, of registers or of EXEC: the executor fetches sources, applies modifiers
//! and writes results under the mask.

pub(crate) mod bfloat;
pub(crate) mod compare;
pub(crate) mod divide;
pub(crate) mod dot;
pub(crate) mod extremum;
pub(crate) mod float;
pub(crate) mod float8;
pub(crate) mod half;
pub(crate) mod host;
pub(crate) mod integer;
pub(crate) mod lanes;
pub(crate) mod memory;
mod mode;
pub(crate) mod packed_16;
pub(crate) mod packed_32;
pub(crate) mod scalar;
pub(crate) mod scalar_float;
pub(crate) mod single;
pub(crate) mod trigonometry;
pub(crate) mod wide;

pub(crate) use host::has_fast_vectors;
pub(crate) use lanes::{Lanes, OperationLoop, VectorOperation};
pub(crate) use memory::{AtomicOperation, MemoryOperation};
pub(crate) use mode::Mode;
pub(crate) use scalar::ScalarOperation;

/// What a source or a result of a vector operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    /// 16-bit integer in the low half of a register.
    B16,
    /// Half-precision float in the low half of a register.
    F16,
    /// 32 bits.
    B32,
    /// 32 bits that are not computed with, but to which negation and absolute value of a float apply.
    M32,
    /// 16 bits that are not computed with, but to which negation and absolute value of a float apply.
    M16,
    /// Single-precision float.
    F32,
    /// 64-bit unsigned integer or bits.
    B64,
    /// 64-bit signed integer.
    I64,
    /// Double-precision float.
    F64,
    /// Two 16-bit integers in a register.
    P16,
    /// Two half-precision floats in a register.
    PF16,
    /// Two single-precision floats in a register pair.
    PF32,
    /// Two 32-bit values in a register pair.
    PB32,
}

impl Type {
    /// Registers that a value takes.
    pub(crate) fn registers(self) -> u16 {
        match self {
            Type::B64 | Type::I64 | Type::F64 | Type::PF32 | Type::PB32 => 2,
            _ => 1,
        }
    }

    /// Whether negation and absolute value apply.
    pub(crate) fn is_float(self) -> bool {
        matches!(
            self,
            Type::F16 | Type::M16 | Type::M32 | Type::F32 | Type::F64 | Type::PF16 | Type::PF32
        )
    }

    /// Whether the value is one 16-bit half of a register.
    pub(crate) const fn is_half(self) -> bool {
        matches!(self, Type::B16 | Type::M16 | Type::F16)
    }

    /// Whether arithmetic on the value depends on the denormal mode.
    pub(crate) fn has_denormals(self) -> bool {
        self.is_float() && !matches!(self, Type::M16 | Type::M32)
    }

    /// Whether the value has two halves that instructions select separately.
    pub(crate) fn is_packed(self) -> bool {
        matches!(self, Type::P16 | Type::PF16 | Type::PF32 | Type::PB32)
    }
}

/// How the bits of a result come from those of the sources, for who follows them and does not want to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BitDependence {
    /// In ways that only the function tells.
    Any,
    /// They are the source's.
    Copy,
    /// Each is made of the same bits of the sources.
    Bitwise,
    /// They are those of one of the sources, which a condition chooses.
    Choice,
    /// Each depends on the same bits of the sources and on those below.
    Sum,
}
