//! Rules of floats of every size: quiet NaN, minimum and maximum of IEEE 754 with MODE.IEEE set.

/// A binary format of IEEE 754 in 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    /// Number of bits, and of fraction bits.
    pub(crate) bits: u32,
    pub(crate) fraction: u32,
}

pub(crate) const F16: Format = Format {
    bits: 16,
    fraction: 10,
};
pub(crate) const BF16: Format = Format {
    bits: 16,
    fraction: 7,
};
pub(crate) const F32: Format = Format {
    bits: 32,
    fraction: 23,
};
pub(crate) const F64: Format = Format {
    bits: 64,
    fraction: 52,
};

impl Format {
    pub(crate) fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }
    pub(super) fn magnitude(self, value: u64) -> u64 {
        value & (self.sign() - 1)
    }
    pub(super) fn infinity(self) -> u64 {
        (self.sign() - 1) & !((1 << self.fraction) - 1)
    }
    pub(crate) fn is_nan(self, value: u64) -> bool {
        self.magnitude(value) > self.infinity()
    }
    fn is_signalling(self, value: u64) -> bool {
        self.is_nan(value) && value & (1 << (self.fraction - 1)) == 0
    }
    pub(super) fn quiet(self, value: u64) -> u64 {
        value | (1 << (self.fraction - 1))
    }
    /// Returns a number with the order of the values; -0 is below +0.
    fn key(self, value: u64) -> i64 {
        let magnitude = self.magnitude(value) as i64;
        if value & self.sign() != 0 {
            -1 - magnitude
        } else {
            magnitude
        }
    }

    /// Returns the minimum or maximum: a NaN loses against a number, but a signalling one wins,
    /// quieted.
    pub(super) fn extreme(self, x: u64, y: u64, maximum: bool) -> u64 {
        if self.is_signalling(x) {
            return self.quiet(x);
        }
        if self.is_signalling(y) {
            return self.quiet(y);
        }
        match (self.is_nan(x), self.is_nan(y)) {
            (true, _) => y,
            (false, true) => x,
            _ if (self.key(x) > self.key(y)) == maximum => x,
            _ => y,
        }
    }

    /// Returns the minimum or maximum *number* of IEEE 754-2019: every NaN loses against a
    /// number.
    pub(super) fn number(self, x: u64, y: u64, maximum: bool) -> u64 {
        match (self.is_nan(x), self.is_nan(y)) {
            (true, true) => self.quiet(x),
            (true, false) => y,
            (false, true) => x,
            _ => self.extreme(x, y, maximum),
        }
    }

    /// Returns the minimum or maximum of IEEE 754-2019: a NaN wins, quieted.
    pub(super) fn propagating(self, x: u64, y: u64, maximum: bool) -> u64 {
        match (self.is_nan(x), self.is_nan(y)) {
            (false, false) => self.extreme(x, y, maximum),
            (true, _) => self.quiet(x),
            _ => self.quiet(y),
        }
    }

    /// Returns the median of three numbers; with a NaN, the minimum.
    pub(super) fn median(
        self,
        [x, y, z]: [u64; 3],
        extreme: fn(Format, u64, u64, bool) -> u64,
    ) -> u64 {
        if [x, y, z].iter().any(|value| self.is_nan(*value)) {
            return extreme(self, extreme(self, x, y, false), z, false);
        }
        let largest = extreme(self, extreme(self, x, y, true), z, true);
        // Zeros of either sign are equal.
        let is_largest = |value: u64| {
            value == largest || (self.magnitude(value) == 0 && self.magnitude(largest) == 0)
        };
        if is_largest(x) {
            extreme(self, y, z, true)
        } else if is_largest(y) {
            extreme(self, x, z, true)
        } else {
            extreme(self, x, y, true)
        }
    }
}
