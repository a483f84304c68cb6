//! Element and index types: names, sizes and kinds.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of a tensor's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// IEEE 754 binary64.
    F64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary16.
    F16,
    /// bfloat16: the upper half of a binary32.
    Bf16,
    /// 4 bits of exponent, 3 of mantissa; no infinities, one NaN of each sign.
    F8E4M3FN,
    /// 4 bits of exponent, 3 of mantissa; no infinities, no negative zero, one NaN.
    F8E4M3FNUZ,
    /// 5 bits of exponent, 2 of mantissa; infinities and NaN as in IEEE 754.
    F8E5M2,
    /// 5 bits of exponent, 2 of mantissa; no infinities, no negative zero, one NaN.
    F8E5M2FNUZ,
    /// Signed 64-bit integer.
    I64,
    /// Signed 32-bit integer.
    I32,
    /// Signed 16-bit integer.
    I16,
    /// Signed 8-bit integer.
    I8,
    /// A truth value in one byte of memory, as IREE stores it.
    ///
    /// A load uses bit 0 alone; a store writes 0 or 1.
    I1,
}

impl ElementType {
    /// Every element type, in the order in which error messages list them.
    pub const ALL: [ElementType; 13] = [
        Self::F64,
        Self::F32,
        Self::F16,
        Self::Bf16,
        Self::F8E4M3FN,
        Self::F8E4M3FNUZ,
        Self::F8E5M2,
        Self::F8E5M2FNUZ,
        Self::I64,
        Self::I32,
        Self::I16,
        Self::I8,
        Self::I1,
    ];

    /// Returns the name in problem text and in MLIR.
    pub fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F8E4M3FN => "f8E4M3FN",
            Self::F8E4M3FNUZ => "f8E4M3FNUZ",
            Self::F8E5M2 => "f8E5M2",
            Self::F8E5M2FNUZ => "f8E5M2FNUZ",
            Self::I64 => "i64",
            Self::I32 => "i32",
            Self::I16 => "i16",
            Self::I8 => "i8",
            Self::I1 => "i1",
        }
    }

    /// Returns the type with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// Returns the size of a value in bits. An `i1` has 1 bit, and 8 bits in memory.
    pub fn bits(self) -> u32 {
        match self {
            Self::I1 => 1,
            _ => self.bytes() * 8,
        }
    }

    /// Returns the size in memory, in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::F64 | Self::I64 => 8,
            Self::F32 | Self::I32 => 4,
            Self::F16 | Self::Bf16 | Self::I16 => 2,
            Self::F8E4M3FN
            | Self::F8E4M3FNUZ
            | Self::F8E5M2
            | Self::F8E5M2FNUZ
            | Self::I8
            | Self::I1 => 1,
        }
    }

    /// Returns the number of elements in a lane's widest load, which has 16 bytes.
    pub(crate) fn most_of_a_load(self) -> u32 {
        16 / self.bytes()
    }

    /// Returns whether comparisons follow IEEE 754 (NaN, signed zeros) rather than integer order.
    pub fn is_float(self) -> bool {
        !matches!(
            self,
            Self::I64 | Self::I32 | Self::I16 | Self::I8 | Self::I1
        )
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The type of the returned index.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum IndexType {
    /// Signed 32-bit integer; the default.
    #[default]
    I32,
    /// Signed 64-bit integer.
    I64,
    /// MLIR's `index`, in memory a signed 64-bit integer.
    ///
    /// IREE passes a scalar of this type to a kernel in that form. No kernel of IREE takes a
    /// tensor of it.
    Index,
}

impl IndexType {
    /// Every index type.
    pub const ALL: [IndexType; 3] = [Self::I32, Self::I64, Self::Index];

    /// Returns the name in problem text and in MLIR.
    pub fn name(self) -> &'static str {
        match self {
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::Index => "index",
        }
    }

    /// Returns the type with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|index| index.name() == name)
    }

    /// Returns the size in memory, in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::I32 => 4,
            Self::I64 | Self::Index => 8,
        }
    }

    /// Returns the size in bits.
    pub fn bits(self) -> u32 {
        self.bytes() * 8
    }

    /// Returns the number of distinct non-negative indices.
    pub fn capacity(self) -> u64 {
        1 << (self.bits() - 1)
    }
}

impl fmt::Display for IndexType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
