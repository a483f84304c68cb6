//! The types of a comparator's values: the element types and `i1`, with their bits.

use std::fmt;

use crate::ElementType;

/// The type of a value in a comparator.
///
/// Integers are signless, as in MLIR: a predicate or an operation decides if it reads them as
/// signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScalarType {
    /// A truth value.
    I1,
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// 4 bits of exponent, 3 of mantissa; no infinities, one NaN of each sign.
    F8E4M3FN,
    /// 4 bits of exponent, 3 of mantissa; no infinities, no negative zero, one NaN.
    F8E4M3FNUZ,
    /// 5 bits of exponent, 2 of mantissa; infinities and NaN as in IEEE 754.
    F8E5M2,
    /// 5 bits of exponent, 2 of mantissa; no infinities, no negative zero, one NaN.
    F8E5M2FNUZ,
    /// IEEE 754 binary16.
    F16,
    /// bfloat16: the upper half of a binary32.
    Bf16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

impl ScalarType {
    /// Every type.
    pub const ALL: [ScalarType; 13] = [
        Self::I1,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::F8E4M3FN,
        Self::F8E4M3FNUZ,
        Self::F8E5M2,
        Self::F8E5M2FNUZ,
        Self::F16,
        Self::Bf16,
        Self::F32,
        Self::F64,
    ];

    /// Returns the name in MLIR.
    pub fn name(self) -> &'static str {
        match self {
            Self::I1 => "i1",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F8E4M3FN => "f8E4M3FN",
            Self::F8E4M3FNUZ => "f8E4M3FNUZ",
            Self::F8E5M2 => "f8E5M2",
            Self::F8E5M2FNUZ => "f8E5M2FNUZ",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Returns the type with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    /// Returns the element type of this name, if there is one.
    pub fn element(self) -> Option<ElementType> {
        ElementType::from_name(self.name())
    }

    /// Returns the size in bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::I1 => 1,
            Self::I8 | Self::F8E4M3FN | Self::F8E4M3FNUZ | Self::F8E5M2 | Self::F8E5M2FNUZ => 8,
            Self::I16 | Self::F16 | Self::Bf16 => 16,
            Self::I32 | Self::F32 => 32,
            Self::I64 | Self::F64 => 64,
        }
    }

    /// Returns the bits that a value of this type may have set. A value's upper bits are always
    /// zero.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// Returns the sign bit, of integers too.
    pub fn sign_bit(self) -> u64 {
        1 << (self.bits() - 1)
    }

    /// Returns whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        !self.is_integer()
    }

    /// Returns whether it is an integer type; `i1` is one.
    pub fn is_integer(self) -> bool {
        matches!(
            self,
            Self::I1 | Self::I8 | Self::I16 | Self::I32 | Self::I64
        )
    }

    /// Returns whether row operations compute with this type: f32, f16 and bf16.
    pub fn is_row_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::Bf16)
    }

    /// Returns a value as a number, and a NaN with its bits.
    pub fn show(self, bits: u64) -> String {
        let digits = self.bits() as usize / 4;
        match self.is_integer() {
            // An i1 is shown as 0 or 1: as a signed number, true would be -1.
            true if self == Self::I1 => bits.to_string(),
            true => self.signed(bits).to_string(),
            false if self.is_nan(bits) => format!("NaN (0x{bits:0digits$x})"),
            false if self == Self::F32 => format!("{:?}", f32::from_bits(bits as u32)),
            false => format!("{:?}", self.to_f64(bits)),
        }
    }

    /// Returns the value of an integer read as signed.
    pub fn signed(self, bits: u64) -> i64 {
        let unused = 64 - self.bits();
        ((bits << unused) as i64) >> unused
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl From<ElementType> for ScalarType {
    fn from(element: ElementType) -> Self {
        match element {
            ElementType::F64 => Self::F64,
            ElementType::F32 => Self::F32,
            ElementType::F16 => Self::F16,
            ElementType::Bf16 => Self::Bf16,
            ElementType::F8E4M3FN => Self::F8E4M3FN,
            ElementType::F8E4M3FNUZ => Self::F8E4M3FNUZ,
            ElementType::F8E5M2 => Self::F8E5M2,
            ElementType::F8E5M2FNUZ => Self::F8E5M2FNUZ,
            ElementType::I64 => Self::I64,
            ElementType::I32 => Self::I32,
            ElementType::I16 => Self::I16,
            ElementType::I8 => Self::I8,
            ElementType::I1 => Self::I1,
        }
    }
}
