//! The operations of instructions, shared by all families. A family's tables only give an
//! operation its name and number.
//!
//! A vector operation is a *lane function* on the bits of one lane, instantiated as a loop over
//! the 64 lanes. Each loop has two versions, for any host and for AVX2 with FMA; preparation
//! selects one. Operations know neither encodings, nor registers, nor EXEC. The executor fetches
//! sources, applies modifiers and writes results under the mask.

pub(crate) mod bfloat;
pub(crate) mod compare;
pub(crate) mod divide;
pub(crate) mod dot;
pub(crate) mod extremum;
pub(crate) mod float;
pub(crate) mod float6;
pub(crate) mod float8;
pub(crate) mod half;
pub(crate) mod host;
pub(crate) mod integer;
pub(crate) mod lanes;
pub(crate) mod matrix;
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

/// The type of a source or result of a vector operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    /// 16-bit integer in the low half of a register.
    B16,
    /// Half-precision float in the low half of a register.
    F16,
    /// 32 bits.
    B32,
    /// 32 bits without arithmetic, but with negation and absolute value of a float.
    M32,
    /// 16 bits without arithmetic, but with negation and absolute value of a float.
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
    /// Returns the number of registers of a value.
    pub(crate) fn registers(self) -> u16 {
        match self {
            Type::B64 | Type::I64 | Type::F64 | Type::PF32 | Type::PB32 => 2,
            _ => 1,
        }
    }

    /// Returns true if negation and absolute value apply.
    pub(crate) fn is_float(self) -> bool {
        matches!(
            self,
            Type::F16 | Type::M16 | Type::M32 | Type::F32 | Type::F64 | Type::PF16 | Type::PF32
        )
    }

    /// Returns true if the value is one 16-bit half of a register.
    pub(crate) const fn is_half(self) -> bool {
        matches!(self, Type::B16 | Type::M16 | Type::F16)
    }

    /// Returns true if arithmetic on the value depends on the denormal mode.
    pub(crate) fn has_denormals(self) -> bool {
        self.is_float() && !matches!(self, Type::M16 | Type::M32)
    }

    /// Returns true if instructions select the two halves of the value separately.
    pub(crate) fn is_packed(self) -> bool {
        matches!(self, Type::P16 | Type::PF16 | Type::PF32 | Type::PB32)
    }
}

/// The dependence of result bits on source bits, for the checker's fast propagation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BitDependence {
    /// Unknown: only executing the function shows it.
    Any,
    /// The bits of the source.
    Copy,
    /// Each bit depends on the same bit of the sources.
    Bitwise,
    /// The bits of one source, which a condition selects.
    Choice,
    /// Each bit depends on the same and lower bits of the sources.
    Sum,
}
