//! The forms in which elements are held in registers.

use configgen::ElementType;

use crate::native::ir::Scalar;

/// How elements are held in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RegisterForm {
    /// As they are; bf16 and the floats of 8 bits as their bits, a truth value as a byte that is 0 or 1.
    Plain,
    /// So that one comparison of registers compares them: bf16 as the f32 whose upper half it is, i8 and i1 as i32, floats of
    /// 8 bits as f16 with the same order, of which NaN is NaN. All are made back into the element but for a NaN.
    Ordered {
        /// How integers are read.
        is_signed: bool,
    },
}

impl RegisterForm {
    /// The register type.
    pub(crate) fn scalar(self, element: ElementType) -> Scalar {
        use ElementType::*;
        match (element, self) {
            (F64, _) => Scalar::F64,
            (F32, _) | (Bf16, RegisterForm::Ordered { .. }) => Scalar::F32,
            (F16, _) => Scalar::F16,
            (I64, _) => Scalar::I64,
            (I32, _) | (I8 | I1, RegisterForm::Ordered { .. }) => Scalar::I32,
            (I16, _) | (Bf16, RegisterForm::Plain) => Scalar::I16,
            (I8 | I1, RegisterForm::Plain) => Scalar::I8,
            (F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ, RegisterForm::Plain) => Scalar::I8,
            (F8E4M3FN | F8E4M3FNUZ | F8E5M2 | F8E5M2FNUZ, RegisterForm::Ordered { .. }) => {
                Scalar::F16
            }
        }
    }

    /// The bits of the register that holds the element with these bits, which is no NaN.
    pub(crate) fn of_bits(self, element: ElementType, bits: u64) -> u64 {
        use ElementType::*;
        let RegisterForm::Ordered { is_signed } = self else {
            return bits;
        };
        match element {
            Bf16 => bits << 16,
            I8 if is_signed => u64::from(bits as u8 as i8 as u32),
            I1 if is_signed => u64::from((bits as u32).wrapping_neg()),
            F8E5M2 => bits << 8,
            F8E4M3FN | F8E4M3FNUZ | F8E5M2FNUZ => (bits & 0x80) << 8 | (bits & 0x7f) << 7,
            F64 | F32 | F16 | I64 | I32 | I16 | I8 | I1 => bits,
        }
    }
}
