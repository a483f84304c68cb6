//! Loops over the lanes of a wave.

use super::host::Versions;
use super::{BitDependence, Mode, Type};

/// One register of a wave: 32 bits for each lane, aligned so that no vector access crosses a
/// cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub(crate) [u32; 64]);

/// The loop of an operation on 32-bit values. Callers may only run a loop that
/// [`has_fast_vectors`] allowed.
pub(crate) type NarrowLoop = unsafe fn(&[&Lanes; 3], Mode, &mut Lanes);
/// The lower words of three sources, and the upper ones. The upper words of a one-register source
/// are 0.
pub(crate) type WideSources<'a> = [[&'a Lanes; 3]; 2];
/// The loop of an operation on values of up to 64 bits. Its result has lower and upper words.
pub(crate) type WideLoop = unsafe fn(&WideSources<'_>, Mode, &mut [Lanes; 2]);
/// The loop of a comparison; the result has one bit for each lane.
pub(crate) type CompareLoop = unsafe fn(&[&Lanes; 3], Mode) -> u64;
/// The loop of a comparison of 64-bit values.
pub(crate) type WideCompareLoop = unsafe fn(&WideSources<'_>, Mode) -> u64;
/// The loop of an operation with a carry for each lane: takes the carries in, returns the carries
/// out.
pub(crate) type CarryLoop = unsafe fn(&[&Lanes; 3], Mode, u64, &mut Lanes) -> u64;
/// The loop of a carry operation on values of up to 64 bits.
pub(crate) type WideCarryLoop = unsafe fn(&WideSources<'_>, Mode, u64, &mut [Lanes; 2]) -> u64;

/// The loop of an operation, by kind.
pub(crate) enum OperationLoop {
    /// Result and sources of 32 bits or less.
    Narrow(Versions<NarrowLoop>),
    /// A result or source of 64 bits.
    Wide(Versions<WideLoop>),
    /// One bit for each lane.
    Compare(Versions<CompareLoop>),
    /// One bit for each lane, from 64-bit sources.
    WideCompare(Versions<WideCompareLoop>),
    /// A result and one bit for each lane; with a carry in if `reads`.
    Carry {
        versions: Versions<CarryLoop>,
        reads: bool,
        writes: bool,
    },
    /// A 64-bit result and one bit for each lane.
    WideCarry {
        versions: Versions<WideCarryLoop>,
        reads: bool,
        writes: bool,
    },
}

/// An operation of the vector unit.
pub(crate) struct VectorOperation {
    pub(crate) to: Type,
    pub(crate) from: &'static [Type],
    pub(crate) body: OperationLoop,
    /// True if the last source is the destination's old value (multiply-accumulate in place).
    pub(crate) accumulates: bool,
    /// True if a 16-bit result keeps the other half of its register.
    pub(crate) keeps_half: bool,
    /// True if the hardware's result has only a specified error bound.
    pub(crate) approximate: bool,
    pub(crate) pattern: BitDependence,
}

#[inline(always)]
pub(crate) fn map<F: Fn(Mode, u32, u32, u32) -> u32>(
    from: &[&Lanes; 3],
    mode: Mode,
    to: &mut Lanes,
    lane: F,
) {
    let lanes = mode.lanes();
    // Slices of equal length let the compiler omit bounds checks and vectorize. Each operation has
    // a copy of this function, so it uses no generic functions.
    let [a, b, c] = from;
    let (a, b, c) = (&a.0[..lanes], &b.0[..lanes], &c.0[..lanes]);
    for (((to, a), b), c) in to.0[..lanes].iter_mut().zip(a).zip(b).zip(c) {
        *to = lane(mode, *a, *b, *c);
    }
}

/// Returns the words of one source, for `lanes` lanes.
#[inline(always)]
fn words<'a>([low, high]: &WideSources<'a>, source: usize, lanes: usize) -> [&'a [u32]; 2] {
    [&low[source].0[..lanes], &high[source].0[..lanes]]
}

/// Returns the 64-bit value of a lane.
#[inline(always)]
fn join([low, high]: [&[u32]; 2], lane: usize) -> u64 {
    u64::from(low[lane]) | (u64::from(high[lane]) << 32)
}

#[inline(always)]
pub(crate) fn map_wide<F: Fn(Mode, u64, u64, u64) -> u64>(
    from: &WideSources<'_>,
    mode: Mode,
    [to_low, to_high]: &mut [Lanes; 2],
    lane: F,
) {
    let lanes = mode.lanes();
    let (a, b, c) = (
        words(from, 0, lanes),
        words(from, 1, lanes),
        words(from, 2, lanes),
    );
    let (to_low, to_high) = (&mut to_low.0[..lanes], &mut to_high.0[..lanes]);
    for i in 0..lanes {
        let value = lane(mode, join(a, i), join(b, i), join(c, i));
        to_low[i] = value as u32;
        to_high[i] = (value >> 32) as u32;
    }
}

/// Packs the upper bit of each byte, lane 0 first.
#[inline(always)]
fn pack(bytes: &[u8; 64]) -> u64 {
    let mut bits = 0;
    for (index, part) in bytes.as_chunks::<16>().0.iter().enumerate() {
        bits |= u64::from(pack_part(part)) << (16 * index);
    }
    bits
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn pack_part(bytes: &[u8; 16]) -> u16 {
    use std::arch::x86_64::{__m128i, _mm_movemask_epi8};
    // SAFETY: both types have 16 bytes, and every value of them is valid.
    let vector = unsafe { std::mem::transmute::<[u8; 16], __m128i>(*bytes) };
    // SAFETY: SSE2 is part of the architecture.
    unsafe { _mm_movemask_epi8(vector) as u16 }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn pack_part(bytes: &[u8; 16]) -> u16 {
    let bits = bytes.iter().enumerate();
    bits.fold(0, |bits, (index, byte)| {
        bits | (u16::from(byte >> 7) << index)
    })
}

#[inline(always)]
fn byte(truth: bool) -> u8 {
    if truth { u8::MAX } else { 0 }
}

#[inline(always)]
pub(crate) fn test<F: Fn(Mode, u32, u32) -> bool>(from: &[&Lanes; 3], mode: Mode, lane: F) -> u64 {
    // All 64 lanes are computed, because a constant count makes the better loop. Callers mask the
    // bits of absent lanes.
    let mut truth = [0u8; 64];
    for (i, truth) in truth.iter_mut().enumerate() {
        *truth = byte(lane(mode, from[0].0[i], from[1].0[i]));
    }
    pack(&truth)
}

#[inline(always)]
pub(crate) fn test_wide<F: Fn(Mode, u64, u64) -> bool>(
    from: &WideSources<'_>,
    mode: Mode,
    lane: F,
) -> u64 {
    let (a, b) = (words(from, 0, 64), words(from, 1, 64));
    // All 64 lanes are computed, because a constant count makes the better loop. Callers mask the
    // bits of absent lanes.
    let mut truth = [0u8; 64];
    for (i, truth) in truth.iter_mut().enumerate() {
        *truth = byte(lane(mode, join(a, i), join(b, i)));
    }
    pack(&truth)
}

#[inline(always)]
pub(crate) fn carry<F: Fn(Mode, u32, u32, u32, bool) -> (u32, bool)>(
    from: &[&Lanes; 3],
    mode: Mode,
    carries: u64,
    to: &mut Lanes,
    lane: F,
) -> u64 {
    let [a, b, c] = from;
    let mut outs = [0; 64];
    // Groups of 32 lanes let each lane test its bit in a word of its own size.
    for group in 0..mode.lanes() / 32 {
        let carries = (carries >> (32 * group)) as u32;
        for lane_of_group in 0..32 {
            let i = 32 * group + lane_of_group;
            let carry_in = carries & (1 << lane_of_group) != 0;
            let (value, out) = lane(mode, a.0[i], b.0[i], c.0[i], carry_in);
            to.0[i] = value;
            outs[i] = byte(out);
        }
    }
    pack(&outs)
}

#[inline(always)]
pub(crate) fn carry_wide<F: Fn(Mode, u64, u64, u64, bool) -> (u64, bool)>(
    from: &WideSources<'_>,
    mode: Mode,
    carries: u64,
    [to_low, to_high]: &mut [Lanes; 2],
    lane: F,
) -> u64 {
    let lanes = mode.lanes();
    let (a, b, c) = (
        words(from, 0, lanes),
        words(from, 1, lanes),
        words(from, 2, lanes),
    );
    let (to_low, to_high) = (&mut to_low.0[..lanes], &mut to_high.0[..lanes]);
    let mut outs = [0; 64];
    let bytes = &mut outs[..lanes];
    for i in 0..lanes {
        let carry_in = (carries >> i) & 1 != 0;
        let (value, out) = lane(mode, join(a, i), join(b, i), join(c, i), carry_in);
        to_low[i] = value as u32;
        to_high[i] = (value >> 32) as u32;
        bytes[i] = byte(out);
    }
    pack(&outs)
}

/// Tests for an attribute of an operation, by keyword.
macro_rules! has {
    ($want:ident;) => { false };
    ($want:ident; accumulates $($rest:ident)*) => { $crate::operation::lanes::has!(@accumulates $want; $($rest)*) };
    ($want:ident; keeps_half $($rest:ident)*) => { $crate::operation::lanes::has!(@keeps_half $want; $($rest)*) };
    ($want:ident; approximate $($rest:ident)*) => { $crate::operation::lanes::has!(@approximate $want; $($rest)*) };
    ($want:ident; $pattern:ident $($rest:ident)*) => { $crate::operation::lanes::has!($want; $($rest)*) };
    (@accumulates accumulates; $($rest:ident)*) => { true };
    (@keeps_half keeps_half; $($rest:ident)*) => { true };
    (@approximate approximate; $($rest:ident)*) => { true };
    (@$other:ident $want:ident; $($rest:ident)*) => { $crate::operation::lanes::has!($want; $($rest)*) };
}
pub(crate) use has;

/// Finds the [`BitDependence`](crate::operation::BitDependence) among the attributes of an
/// operation.
macro_rules! pattern {
    () => { $crate::operation::BitDependence::Any };
    (copies $($rest:ident)*) => { $crate::operation::BitDependence::Copy };
    (bitwise $($rest:ident)*) => { $crate::operation::BitDependence::Bitwise };
    (chooses $($rest:ident)*) => { $crate::operation::BitDependence::Choice };
    (sums $($rest:ident)*) => { $crate::operation::BitDependence::Sum };
    ($other:ident $($rest:ident)*) => { $crate::operation::lanes::pattern!($($rest)*) };
}
pub(crate) use pattern;

/// Defines operations on values of up to 32 bits, one per line:
///
/// ```text
/// NAME(types of the sources) -> type of the result:
///     |mode, a, b, c| expression on their bits; attributes
/// ```
///
/// A third source without a type is the lane's number.
macro_rules! narrow {
    ($($name:ident($($from:ident),*) -> $to:ident $([$($attribute:ident)*])? = |$mode:pat_param $(, $p:pat_param)*| $value:expr;)*) => {$(
        pub(crate) static $name: $crate::operation::VectorOperation = {
            #[inline(always)]
            fn lane(mode: $crate::operation::Mode, a: u32, b: u32, c: u32) -> u32 {
                let $mode = mode;
                let [$($p,)* ..] = [a, b, c];
                let value: u32 = $value;
                // The upper bits of a 16-bit source must not reach the result.
                if $crate::operation::Type::$to.is_half() { value & 0xffff } else { value }
            }
            $crate::operation::VectorOperation {
                to: $crate::operation::Type::$to,
                from: &[$($crate::operation::Type::$from),*],
                body: $crate::operation::OperationLoop::Narrow($crate::operation::host::versions!(
                    fn(from: &[&$crate::operation::Lanes; 3], mode: $crate::operation::Mode, to: &mut $crate::operation::Lanes),
                    $crate::operation::lanes::map(from, mode, to, |mode, a, b, c| lane(mode, a, b, c))
                )),
                accumulates: $crate::operation::lanes::has!(accumulates; $($($attribute)*)?),
                keeps_half: $crate::operation::lanes::has!(keeps_half; $($($attribute)*)?),
                approximate: $crate::operation::lanes::has!(approximate; $($($attribute)*)?),
                pattern: $crate::operation::lanes::pattern!($($($attribute)*)?),
            }
        };
    )*};
}
pub(crate) use narrow;

/// Defines operations with a 64-bit value, in the syntax of [`narrow`].
macro_rules! wide {
    ($($name:ident($($from:ident),*) -> $to:ident $([$($attribute:ident)*])? = |$mode:pat_param $(, $p:pat_param)*| $value:expr;)*) => {$(
        pub(crate) static $name: $crate::operation::VectorOperation = {
            #[inline(always)]
            fn lane(mode: $crate::operation::Mode, a: u64, b: u64, c: u64) -> u64 {
                let $mode = mode;
                let [$($p,)* ..] = [a, b, c];
                $value
            }
            $crate::operation::VectorOperation {
                to: $crate::operation::Type::$to,
                from: &[$($crate::operation::Type::$from),*],
                body: $crate::operation::OperationLoop::Wide($crate::operation::host::versions!(
                    fn(from: &$crate::operation::lanes::WideSources<'_>, mode: $crate::operation::Mode, to: &mut [$crate::operation::Lanes; 2]),
                    $crate::operation::lanes::map_wide(from, mode, to, |mode, a, b, c| lane(mode, a, b, c))
                )),
                accumulates: $crate::operation::lanes::has!(accumulates; $($($attribute)*)?),
                keeps_half: $crate::operation::lanes::has!(keeps_half; $($($attribute)*)?),
                approximate: $crate::operation::lanes::has!(approximate; $($($attribute)*)?),
                pattern: $crate::operation::lanes::pattern!($($($attribute)*)?),
            }
        };
    )*};
}
pub(crate) use wide;

/// Defines operations with a carry for each lane: `NAME(types) -> type reads/writes: |mode, a, b,
/// c, carry| (value, carry)`.
macro_rules! carrying {
    ($($name:ident($($from:ident),*) -> $to:ident reads $reads:literal writes $writes:literal $([$($attribute:ident)*])? = |$mode:pat_param, $a:pat_param, $b:pat_param, $c:pat_param, $carry:pat_param| $value:expr;)*) => {$(
        pub(crate) static $name: $crate::operation::VectorOperation = {
            #[inline(always)]
            fn lane(mode: $crate::operation::Mode, $a: u32, $b: u32, $c: u32, $carry: bool) -> (u32, bool) {
                let $mode = mode;
                $value
            }
            $crate::operation::VectorOperation {
                to: $crate::operation::Type::$to,
                from: &[$($crate::operation::Type::$from),*],
                body: $crate::operation::OperationLoop::Carry {
                    versions: $crate::operation::host::versions!(
                        fn(from: &[&$crate::operation::Lanes; 3], mode: $crate::operation::Mode, carries: u64, to: &mut $crate::operation::Lanes) -> u64,
                        $crate::operation::lanes::carry(from, mode, carries, to, |mode, a, b, c, carry| lane(mode, a, b, c, carry))
                    ),
                    reads: $reads,
                    writes: $writes,
                },
                accumulates: false,
                keeps_half: false,
                approximate: false,
                pattern: $crate::operation::lanes::pattern!($($($attribute)*)?),
            }
        };
    )*};
}
pub(crate) use carrying;

/// Defines operations with a carry on values of up to 64 bits, in the syntax of [`carrying`].
macro_rules! carrying_wide {
    ($($name:ident($($from:ident),*) -> $to:ident reads $reads:literal writes $writes:literal $([$($attribute:ident)*])? = |$mode:pat_param, $a:pat_param, $b:pat_param, $c:pat_param, $carry:pat_param| $value:expr;)*) => {$(
        pub(crate) static $name: $crate::operation::VectorOperation = {
            #[inline(always)]
            fn lane(mode: $crate::operation::Mode, $a: u64, $b: u64, $c: u64, $carry: bool) -> (u64, bool) {
                let $mode = mode;
                $value
            }
            $crate::operation::VectorOperation {
                to: $crate::operation::Type::$to,
                from: &[$($crate::operation::Type::$from),*],
                body: $crate::operation::OperationLoop::WideCarry {
                    versions: $crate::operation::host::versions!(
                        fn(from: &$crate::operation::lanes::WideSources<'_>, mode: $crate::operation::Mode, carries: u64, to: &mut [$crate::operation::Lanes; 2]) -> u64,
                        $crate::operation::lanes::carry_wide(from, mode, carries, to, |mode, a, b, c, carry| lane(mode, a, b, c, carry))
                    ),
                    reads: $reads,
                    writes: $writes,
                },
                accumulates: false,
                keeps_half: false,
                approximate: false,
                pattern: $crate::operation::lanes::pattern!($($($attribute)*)?),
            }
        };
    )*};
}
pub(crate) use carrying_wide;
