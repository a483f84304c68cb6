//! Operations on memory: the transferred data and its combination. The encoding determines the
//! address.

use super::extremum::{binary32, binary64};
use super::float::{f32_bits, f64_bits};
use super::{bfloat, half};

/// A load, a store or an atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryOperation {
    /// A load of whole registers.
    Load { registers: u8 },
    /// A load of a byte or 16-bit value, extended to the register or put into one half.
    LoadPart {
        bytes: u8,
        signed: bool,
        into: DestinationHalf,
    },
    /// A store of whole registers.
    Store { registers: u8 },
    /// A store of a byte or 16-bit value from the low or high half of the register.
    StorePart { bytes: u8, high: bool },
    /// An atomic read, combination and write of 4 or 8 bytes.
    Atomic {
        operation: AtomicOperation,
        wide: bool,
    },
}

/// The destination of a short load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DestinationHalf {
    /// The whole register.
    Whole,
    /// The low half. On data centre parts with memory error correction, the other half becomes
    /// zero.
    Low,
    /// The high half.
    High,
}

/// The combination of memory with a register in an atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicOperation {
    Swap,
    CompareSwap,
    Add,
    Sub,
    ReverseSub,
    SignedMin,
    UnsignedMin,
    SignedMax,
    UnsignedMax,
    And,
    Or,
    Xor,
    Increment,
    Decrement,
    AddFloat,
    MinFloat,
    MaxFloat,
    MinNumber,
    MaxNumber,
    /// Subtracts, if the operand is not more than the old value.
    SubIfNotLess,
    /// Subtracts, down to 0.
    SubToZero,
    PackedAddHalf,
    PackedAddBfloat,
    MaskOr,
    CompareSwapFloat,
    Wrap,
}

/// Computes the operations of both sizes, with the signed type and the float functions of the
/// size.
macro_rules! combine {
    ($operation:expr, $old:ident, $data:ident, $second:ident, $word:ty, $signed:ty, $float:ident, $extrema:ident) => {{
        use AtomicOperation::*;
        match $operation {
            Swap => $data,
            CompareSwap if $old == $second => $data,
            CompareSwapFloat if $float::value($old) == $float::value($second) => $data,
            CompareSwap | CompareSwapFloat => $old,
            Add => $old.wrapping_add($data),
            Sub => $old.wrapping_sub($data),
            ReverseSub => $data.wrapping_sub($old),
            SignedMin => ($old as $signed).min($data as $signed) as $word,
            UnsignedMin => $old.min($data),
            SignedMax => ($old as $signed).max($data as $signed) as $word,
            UnsignedMax => $old.max($data),
            And => $old & $data,
            Or => $old | $data,
            Xor => $old ^ $data,
            // `Increment` and `Decrement` wrap at the operand (manuals, BUFFER_ATOMIC_INC).
            Increment if $old >= $data => 0,
            Increment => $old + 1,
            Decrement if $old == 0 || $old > $data => $data,
            Decrement => $old - 1,
            AddFloat => $float::add($old, $data),
            // Atomics follow the IEEE rules for NaN in every mode.
            MinFloat => $float::min(true, $old, $data),
            MaxFloat => $float::max(true, $old, $data),
            MinNumber => $extrema::min_number($data, $old),
            MaxNumber => $extrema::max_number($data, $old),
            SubIfNotLess => $old.checked_sub($data).unwrap_or($old),
            SubToZero => $old.saturating_sub($data),
            MaskOr => ($old & !$data) | $second,
            // These exist in 32 bits only, and no table pairs them with 64.
            PackedAddHalf | PackedAddBfloat | Wrap => $old,
        }
    }};
}

impl AtomicOperation {
    /// Returns the value to store. `data` and `second` are the register operands in encoding
    /// order.
    pub(crate) fn apply(self, wide: bool, old: u64, data: u64, second: u64) -> u64 {
        if wide {
            self.apply_64(old, data, second)
        } else {
            u64::from(self.apply_32(old as u32, data as u32, second as u32))
        }
    }

    fn apply_32(self, old: u32, data: u32, second: u32) -> u32 {
        use AtomicOperation::*;
        match self {
            PackedAddHalf => {
                half::add(old & 0xffff, data & 0xffff) | (half::add(old >> 16, data >> 16) << 16)
            }
            PackedAddBfloat => {
                bfloat::add(old & 0xffff, data & 0xffff)
                    | (bfloat::add(old >> 16, data >> 16) << 16)
            }
            Wrap => {
                if old >= data {
                    old - data
                } else {
                    old.wrapping_add(second)
                }
            }
            _ => combine!(self, old, data, second, u32, i32, f32_bits, binary32),
        }
    }

    fn apply_64(self, old: u64, data: u64, second: u64) -> u64 {
        combine!(self, old, data, second, u64, i64, f64_bits, binary64)
    }

    /// Returns true if the encoding has a second data operand.
    pub(crate) fn has_second(self) -> bool {
        use AtomicOperation::*;
        matches!(self, CompareSwap | CompareSwapFloat | MaskOr | Wrap)
    }
}

#[cfg(test)]
mod tests {
    use super::AtomicOperation::{self, *};

    /// Checks the same operands, truncated to their size, in both sizes; 32 bits first.
    #[track_caller]
    fn check(operation: AtomicOperation, operands: [i64; 3], expected: [i64; 2]) {
        let [old, data, second] = operands.map(|operand| operand as u64);
        let narrow = operation.apply(false, old, data, second);
        let wide = operation.apply(true, old, data, second);
        let expected = [u64::from(expected[0] as u32), expected[1] as u64];
        assert_eq!([narrow, wide], expected, "{operation:?}");
    }

    #[test]
    fn both_sizes_combine_alike() {
        const TOP: i64 = 1 << 32;
        check(Swap, [1, 2, 3], [2; 2]);
        check(CompareSwap, [1, 2, 1], [2; 2]);
        check(CompareSwap, [1, 2, 3], [1; 2]);
        check(CompareSwap, [1, 2, TOP + 1], [2, 1]);
        check(Add, [-1, 3, 0], [2; 2]);
        check(Add, [TOP - 1, 1, 0], [0, TOP]);
        check(Sub, [1, 3, 0], [-2; 2]);
        check(ReverseSub, [1, 3, 0], [2; 2]);
        check(SignedMin, [-1, 1, 0], [-1; 2]);
        check(SignedMax, [-1, 1, 0], [1; 2]);
        check(UnsignedMin, [-1, 1, 0], [1; 2]);
        check(UnsignedMax, [-1, 1, 0], [-1; 2]);
        check(SignedMin, [TOP - 1, 0, 0], [-1, 0]);
        check(And, [12, 10, 0], [8; 2]);
        check(Or, [12, 10, 0], [14; 2]);
        check(Xor, [12, 10, 0], [6; 2]);
        check(MaskOr, [15, 6, 32], [41; 2]);
        check(Increment, [3, 5, 0], [4; 2]);
        check(Increment, [5, 5, 0], [0; 2]);
        check(Decrement, [3, 5, 0], [2; 2]);
        check(Decrement, [0, 5, 0], [5; 2]);
        check(Decrement, [6, 5, 0], [5; 2]);
        check(SubIfNotLess, [6, 5, 0], [1; 2]);
        check(SubIfNotLess, [5, 5, 0], [0; 2]);
        check(SubIfNotLess, [4, 5, 0], [4; 2]);
        check(SubToZero, [6, 5, 0], [1; 2]);
        check(SubToZero, [4, 5, 0], [0; 2]);
    }

    #[track_caller]
    fn check_float(operation: AtomicOperation, operands: [f64; 3], expected: f64) {
        let narrow = operands.map(|operand| u64::from((operand as f32).to_bits()));
        let narrow = operation.apply(false, narrow[0], narrow[1], narrow[2]);
        assert_eq!(f32::from_bits(narrow as u32), expected as f32);
        let wide = operands.map(f64::to_bits);
        let wide = operation.apply(true, wide[0], wide[1], wide[2]);
        assert_eq!(f64::from_bits(wide), expected);
    }

    #[test]
    fn floats_combine_by_value() {
        check_float(AddFloat, [1.5, 2.25, 0.0], 3.75);
        check_float(MinFloat, [1.5, -2.0, 0.0], -2.0);
        check_float(MaxFloat, [1.5, -2.0, 0.0], 1.5);
        check_float(MinNumber, [1.5, -2.0, 0.0], -2.0);
        check_float(MaxNumber, [f64::NAN, -2.0, 0.0], -2.0);
        check_float(CompareSwapFloat, [-0.0, 7.0, 0.0], 7.0);
        check_float(CompareSwapFloat, [1.0, 7.0, 0.0], 1.0);
    }
}
