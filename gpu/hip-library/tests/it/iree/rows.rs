//! Elements with a known order: each has a rank.

/// A type of elements or indices.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) bytes: usize,
    /// The bound of ranks: they lie below it and above its negative.
    most: i64,
    /// True if the elements are floats, whose sign is a bit.
    float: bool,
}

pub(crate) const F32: Kind = kind("f32", 4, 0x7f7f_ffff, true);
pub(crate) const F16: Kind = kind("f16", 2, 0x7bff, true);
pub(crate) const BF16: Kind = kind("bf16", 2, 0x7f7f, true);
pub(crate) const I32: Kind = kind("i32", 4, i32::MAX as i64, false);
pub(crate) const I64: Kind = kind("i64", 8, i32::MAX as i64, false);

const fn kind(name: &'static str, bytes: usize, most: i64, float: bool) -> Kind {
    Kind {
        name,
        bytes,
        most,
        float,
    }
}

impl Kind {
    /// Returns the rank of the element with this number. Ranks are distinct as far as the type
    /// allows, in no order.
    pub(crate) fn rank(self, number: usize) -> i64 {
        // A number that shares no factor with the step, so that all are met before one comes again.
        let count = (2 * self.most as u64) / 10 * 10 - 2;
        let step = 1_234_567_891;
        ((number as u64 + 1) * step % count) as i64 - (count / 2) as i64
    }

    /// Returns the bytes of the element with this rank. A higher rank is a greater number.
    pub(crate) fn element(self, rank: i64) -> Vec<u8> {
        let sign = 1 << (8 * self.bytes - 1);
        let bits = match self.float && rank < 0 {
            true => rank.unsigned_abs() | sign,
            false => rank as u64,
        };
        bits.to_le_bytes()[..self.bytes].to_vec()
    }

    /// Returns the bytes of a number.
    pub(crate) fn number(self, number: u64) -> Vec<u8> {
        number.to_le_bytes()[..self.bytes].to_vec()
    }
}
