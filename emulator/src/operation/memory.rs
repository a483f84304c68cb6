//! Operations on memory: what is moved and how it is combined. Where it lies is the encoding's matter.

use super::float::{f32_bits, f64_bits};
use super::half;

/// A load, a store or an atomic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryOperation {
    /// Whole registers.
    Load { registers: u8 },
    /// A byte or a 16-bit value, extended to the register or put into a half of it.
    LoadPart { bytes: u8, signed: bool, into: Part },
    /// Whole registers.
    Store { registers: u8 },
    /// A byte or a 16-bit value from the low or the high half of the register.
    StorePart { bytes: u8, high: bool },
    /// A read, a combination and a write of 4 or 8 bytes.
    Atomic {
        operation: AtomicOperation,
        wide: bool,
    },
}

/// Where the value of a short load goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The whole register.
    Whole,
    /// The low half; with the memory error correction of data centre parts, the other half becomes zero.
    Low,
    /// The high half.
    High,
}

/// How an atomic combines memory with a register.
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
    PackedAddHalf,
    PackedAddBfloat,
    MaskOr,
    CompareSwapFloat,
    Wrap,
}

impl AtomicOperation {
    /// The value to store. `data` and `second` are the register operands in the order of the encoding.
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
            Swap => data,
            CompareSwap => {
                if old == second {
                    data
                } else {
                    old
                }
            }
            Add => old.wrapping_add(data),
            Sub => old.wrapping_sub(data),
            ReverseSub => data.wrapping_sub(old),
            SignedMin => (old as i32).min(data as i32) as u32,
            UnsignedMin => old.min(data),
            SignedMax => (old as i32).max(data as i32) as u32,
            UnsignedMax => old.max(data),
            And => old & data,
            Or => old | data,
            Xor => old ^ data,
            Increment => {
                if old >= data {
                    0
                } else {
                    old + 1
                }
            }
            Decrement => {
                if old == 0 || old > data {
                    data
                } else {
                    old - 1
                }
            }
            AddFloat => f32_bits::add(old, data),
            MinFloat => f32_bits::min(true, old, data),
            MaxFloat => f32_bits::max(true, old, data),
            PackedAddHalf => {
                half::add(old & 0xffff, data & 0xffff) | (half::add(old >> 16, data >> 16) << 16)
            }
            PackedAddBfloat => {
                add_bfloat(old & 0xffff, data & 0xffff) | (add_bfloat(old >> 16, data >> 16) << 16)
            }
            MaskOr => (old & !data) | second,
            CompareSwapFloat => {
                if f32_bits::value(old) == f32_bits::value(second) {
                    data
                } else {
                    old
                }
            }
            Wrap => {
                if old >= data {
                    old - data
                } else {
                    old.wrapping_add(second)
                }
            }
        }
    }

    fn apply_64(self, old: u64, data: u64, second: u64) -> u64 {
        use AtomicOperation::*;
        match self {
            Swap => data,
            CompareSwap => {
                if old == second {
                    data
                } else {
                    old
                }
            }
            Add => old.wrapping_add(data),
            Sub => old.wrapping_sub(data),
            ReverseSub => data.wrapping_sub(old),
            SignedMin => (old as i64).min(data as i64) as u64,
            UnsignedMin => old.min(data),
            SignedMax => (old as i64).max(data as i64) as u64,
            UnsignedMax => old.max(data),
            And => old & data,
            Or => old | data,
            Xor => old ^ data,
            Increment => {
                if old >= data {
                    0
                } else {
                    old + 1
                }
            }
            Decrement => {
                if old == 0 || old > data {
                    data
                } else {
                    old - 1
                }
            }
            AddFloat => f64_bits::add(old, data),
            MinFloat => f64_bits::min(true, old, data),
            MaxFloat => f64_bits::max(true, old, data),
            MaskOr => (old & !data) | second,
            CompareSwapFloat => {
                if f64_bits::value(old) == f64_bits::value(second) {
                    data
                } else {
                    old
                }
            }
            // These exist in 32 bits only; the tables never pair them with 64.
            PackedAddHalf | PackedAddBfloat | Wrap => old,
        }
    }

    /// Whether the encoding has a second data operand.
    pub(crate) fn has_second(self) -> bool {
        use AtomicOperation::*;
        matches!(self, CompareSwap | CompareSwapFloat | MaskOr | Wrap)
    }
}

/// The sum of two bfloat16, rounded to nearest even.
fn add_bfloat(a: u32, b: u32) -> u32 {
    let sum = f32_bits::add(a << 16, b << 16);
    if f32_bits::is_nan(sum) {
        return (sum >> 16) | 0x40;
    }
    (sum + 0x7fff + ((sum >> 16) & 1)) >> 16
}
