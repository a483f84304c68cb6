//! The required accuracy of a result.

use crate::semantics::reference::float::{BF16, F16, F32, F64, Format};
use crate::semantics::values::Kind;

/// The accuracy of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Match {
    /// Bit by bit; for a float result, all NaN are equal.
    Exact,
    /// Within this many units in the last place of the result's type.
    Ulp(u64),
}

impl Match {
    /// Returns true if `found` is acceptable for `expected`, in a result of this kind.
    pub(crate) fn accepts(self, kind: Kind, found: u64, expected: u64) -> bool {
        if found == expected {
            return true;
        }
        let parts: &[Format] = match kind {
            Kind::PF16 => &[F16, F16],
            Kind::PBF16 => &[BF16, BF16],
            Kind::PF32 => &[F32, F32],
            Kind::F16 => &[F16],
            Kind::BF16 => &[BF16],
            Kind::F32 => &[F32],
            Kind::F64 => &[F64],
            _ => return false,
        };
        let mut shift = 0;
        parts.iter().all(|&format| {
            let part = |value: u64| (value >> shift) & (u64::MAX >> (64 - format.bits));
            let (found, expected) = (part(found), part(expected));
            shift += format.bits;
            self.accepts_one(format, found, expected)
        })
    }

    fn accepts_one(self, format: Format, found: u64, expected: u64) -> bool {
        match (format.is_nan(found), format.is_nan(expected)) {
            (true, true) => return true,
            (false, false) => {}
            _ => return false,
        }
        let most = match self {
            Match::Exact => 0,
            Match::Ulp(most) => most,
        };
        (found ^ expected) & format.sign() == 0 && found.abs_diff(expected) <= most
    }
}
