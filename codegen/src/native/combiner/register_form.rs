//! The forms of elements in registers.

use configgen::ElementType;

use crate::native::ir::Scalar;

/// The form of elements in registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RegisterForm {
    /// The element itself; bf16 and the 8-bit floats as their bits, a truth value as a byte that
    /// is 0 or 1.
    Plain,
    /// The form that one register comparison orders: bf16 as the f32 with these upper bits, i8
    /// and i1 as i32, 8-bit floats as f16 with the same order and with NaN as NaN. All but a NaN
    /// convert back to the element.
    Ordered {
        /// True if integers are signed.
        is_signed: bool,
    },
}

impl RegisterForm {
    /// Returns the register type.
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

    /// Returns the register's bits for an element with these bits, which must be no NaN.
    pub(crate) fn of_bits(self, element: ElementType, bits: u64) -> u64 {
        use ElementType::*;
        let RegisterForm::Ordered { is_signed } = self else {
            return bits;
        };
        match element {
            Bf16 => bits << 16,
            I8 if is_signed => u64::from(bits as u8 as i8 as u32),
            // A true value is -1, as in the sign-extended register.
            I1 if is_signed => u64::from((bits as u32).wrapping_neg()),
            F8E5M2 => bits << 8,
            F8E4M3FN | F8E4M3FNUZ | F8E5M2FNUZ => (bits & 0x80) << 8 | (bits & 0x7f) << 7,
            F64 | F32 | F16 | I64 | I32 | I16 | I8 | I1 => bits,
        }
    }
}
