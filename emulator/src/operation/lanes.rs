//! Loops over the lanes of a wave.

use super::{Mode, Type};

/// One register of a wave: 32 bits for each lane, aligned so that no vector access straddles a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub(crate) [u32; 64]);

/// 64 bits for each lane.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Wide(pub(crate) [u64; 64]);

/// The loop of an operation on 32-bit values. It may only be called where [`has_fast_vectors`] allowed its choice.
pub(crate) type NarrowLoop = unsafe fn(&[&Lanes; 3], Mode, &mut Lanes);
/// The loop of an operation on values of up to 64 bits; narrower ones are zero-extended.
pub(crate) type WideLoop = unsafe fn(&[Wide; 3], Mode, &mut Wide);
/// The loop of a comparison; the result has a bit for each lane.
pub(crate) type CompareLoop = unsafe fn(&[&Lanes; 3], Mode) -> u64;
/// The loop of a comparison of 64-bit values.
pub(crate) type WideCompareLoop = unsafe fn(&[Wide; 3], Mode) -> u64;
/// An operation with a carry for each lane: takes the carries in, returns the carries out.
pub(crate) type CarryLoop = unsafe fn(&[&Lanes; 3], Mode, u64, &mut Lanes) -> u64;
/// As [`CarryLoop`], on values of up to 64 bits.
pub(crate) type WideCarryLoop = unsafe fn(&[Wide; 3], Mode, u64, &mut Wide) -> u64;

/// The same loop compiled for any host, and for hosts with AVX2 and FMA.
#[derive(Clone, Copy)]
pub(crate) struct Versions<F> {
    pub(crate) any: F,
    pub(crate) fast: F,
}

impl<F: Copy> Versions<F> {
    /// The loop for this host.
    pub(crate) fn choose(&self) -> F {
        if has_fast_vectors() {
            self.fast
        } else {
            self.any
        }
    }
}

/// Whether this host runs the fast versions.
pub(crate) fn has_fast_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("fma")
            && std::is_x86_feature_detected!("bmi1")
            && std::is_x86_feature_detected!("bmi2")
            && std::is_x86_feature_detected!("lzcnt")
            && std::is_x86_feature_detected!("popcnt")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// How an operation is executed.
pub(crate) enum Body {
    /// Result and sources of 32 bits or less.
    Narrow(Versions<NarrowLoop>),
    /// Result or a source of 64 bits.
    Wide(Versions<WideLoop>),
    /// A bit for each lane.
    Compare(Versions<CompareLoop>),
    /// A bit for each lane, of 64-bit sources.
    WideCompare(Versions<WideCompareLoop>),
    /// A result and a bit for each lane; with a carry in if `reads`.
    Carry {
        versions: Versions<CarryLoop>,
        reads: bool,
        writes: bool,
    },
    /// A 64-bit result and a bit for each lane.
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
    pub(crate) body: Body,
    /// The last source is the destination's old value (multiply-accumulate in place).
    pub(crate) accumulates: bool,
    /// The half of the destination that a 16-bit result leaves keeps its value.
    pub(crate) keeps_half: bool,
    /// The result of the hardware is known only to an error bound.
    pub(crate) approximate: bool,
}

#[inline(always)]
pub(crate) fn map<F: Fn(Mode, u32, u32, u32) -> u32>(
    from: &[&Lanes; 3],
    mode: Mode,
    to: &mut Lanes,
    lane: F,
) {
    let lanes = mode.lanes();
    let [a, b, c] = from.each_ref().map(|from| &from.0[..lanes]);
    for (((to, a), b), c) in to.0[..lanes].iter_mut().zip(a).zip(b).zip(c) {
        *to = lane(mode, *a, *b, *c);
    }
}

#[inline(always)]
pub(crate) fn map_wide<F: Fn(Mode, u64, u64, u64) -> u64>(
    from: &[Wide; 3],
    mode: Mode,
    to: &mut Wide,
    lane: F,
) {
    let lanes = mode.lanes();
    let [a, b, c] = from.each_ref().map(|from| &from.0[..lanes]);
    for (((to, a), b), c) in to.0[..lanes].iter_mut().zip(a).zip(b).zip(c) {
        *to = lane(mode, *a, *b, *c);
    }
}

/// The upper bit of each byte, lane 0 first.
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
    // Of 64 lanes, whatever the wave has: the bits of others are masked, and a constant number makes the better loop.
    let mut truth = [0u8; 64];
    for (i, truth) in truth.iter_mut().enumerate() {
        *truth = byte(lane(mode, from[0].0[i], from[1].0[i]));
    }
    pack(&truth)
}

#[inline(always)]
pub(crate) fn test_wide<F: Fn(Mode, u64, u64) -> bool>(
    from: &[Wide; 3],
    mode: Mode,
    lane: F,
) -> u64 {
    // Of 64 lanes, whatever the wave has: the bits of others are masked, and a constant number makes the better loop.
    let mut truth = [0u8; 64];
    for (i, truth) in truth.iter_mut().enumerate() {
        *truth = byte(lane(mode, from[0].0[i], from[1].0[i]));
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
    // Groups of 32 lanes, so that a lane's bit is tested in a word of its own size.
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
    from: &[Wide; 3],
    mode: Mode,
    carries: u64,
    to: &mut Wide,
    lane: F,
) -> u64 {
    let lanes = mode.lanes();
    let [a, b, c] = from.each_ref().map(|from| &from.0[..lanes]);
    let to = &mut to.0[..lanes];
    let mut outs = [0; 64];
    let bytes = &mut outs[..lanes];
    for i in 0..lanes {
        let carry_in = (carries >> i) & 1 != 0;
        let (value, out) = lane(mode, a[i], b[i], c[i], carry_in);
        to[i] = value;
        bytes[i] = byte(out);
    }
    pack(&outs)
}

/// Makes both versions of a loop: `versions!(fn(parameters) -> result, body)`.
macro_rules! versions {
    (fn($($name:ident: $type:ty),*) $(-> $result:ty)?, $body:expr) => {{
        fn any($($name: $type),*) $(-> $result)? {
            $body
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn fast($($name: $type),*) $(-> $result)? {
            $body
        }
        #[cfg(not(target_arch = "x86_64"))]
        use any as fast;
        $crate::operation::lanes::Versions { any, fast }
    }};
}
pub(crate) use versions;

/// The attributes of an operation, by keyword.
macro_rules! has {
    ($want:ident;) => { false };
    ($want:ident; accumulates $($rest:ident)*) => { $crate::operation::lanes::has!(@accumulates $want; $($rest)*) };
    ($want:ident; keeps_half $($rest:ident)*) => { $crate::operation::lanes::has!(@keeps_half $want; $($rest)*) };
    ($want:ident; approximate $($rest:ident)*) => { $crate::operation::lanes::has!(@approximate $want; $($rest)*) };
    (@accumulates accumulates; $($rest:ident)*) => { true };
    (@keeps_half keeps_half; $($rest:ident)*) => { true };
    (@approximate approximate; $($rest:ident)*) => { true };
    (@$other:ident $want:ident; $($rest:ident)*) => { $crate::operation::lanes::has!($want; $($rest)*) };
}
pub(crate) use has;

/// Defines operations on values of up to 32 bits, a line for each:
/// `NAME(types of the sources) -> type of the result: |mode, a, b, c| expression on their bits; attributes`. A third
/// source that is not among the types is the number of the lane.
macro_rules! narrow {
    ($($name:ident($($from:ident),*) -> $to:ident $([$($attribute:ident)*])? = |$mode:pat_param $(, $p:pat_param)*| $value:expr;)*) => {$(
        pub(crate) static $name: $crate::operation::VectorOperation = {
            #[inline(always)]
            fn lane(mode: $crate::operation::Mode, a: u32, b: u32, c: u32) -> u32 {
                let $mode = mode;
                let [$($p,)* ..] = [a, b, c];
                let value: u32 = $value;
                // What lies above a 16-bit source must not reach the result.
                if $crate::operation::Type::$to.is_half() { value & 0xffff } else { value }
            }
            $crate::operation::VectorOperation {
                to: $crate::operation::Type::$to,
                from: &[$($crate::operation::Type::$from),*],
                body: $crate::operation::Body::Narrow($crate::operation::lanes::versions!(
                    fn(from: &[&$crate::operation::Lanes; 3], mode: $crate::operation::Mode, to: &mut $crate::operation::Lanes),
                    $crate::operation::lanes::map(from, mode, to, lane)
                )),
                accumulates: $crate::operation::lanes::has!(accumulates; $($($attribute)*)?),
                keeps_half: $crate::operation::lanes::has!(keeps_half; $($($attribute)*)?),
                approximate: $crate::operation::lanes::has!(approximate; $($($attribute)*)?),
            }
        };
    )*};
}
pub(crate) use narrow;

/// As [`narrow`], for operations with a value of 64 bits.
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
                body: $crate::operation::Body::Wide($crate::operation::lanes::versions!(
                    fn(from: &[$crate::operation::Wide; 3], mode: $crate::operation::Mode, to: &mut $crate::operation::Wide),
                    $crate::operation::lanes::map_wide(from, mode, to, lane)
                )),
                accumulates: $crate::operation::lanes::has!(accumulates; $($($attribute)*)?),
                keeps_half: $crate::operation::lanes::has!(keeps_half; $($($attribute)*)?),
                approximate: $crate::operation::lanes::has!(approximate; $($($attribute)*)?),
            }
        };
    )*};
}
pub(crate) use wide;

/// Defines operations with a carry for each lane: `NAME(types) -> type reads/writes: |mode, a, b, c, carry| (value, carry)`.
macro_rules! carrying {
    ($($name:ident($($from:ident),*) -> $to:ident reads $reads:literal writes $writes:literal = |$mode:pat_param, $a:pat_param, $b:pat_param, $c:pat_param, $carry:pat_param| $value:expr;)*) => {$(
        pub(crate) static $name: $crate::operation::VectorOperation = {
            #[inline(always)]
            fn lane(mode: $crate::operation::Mode, $a: u32, $b: u32, $c: u32, $carry: bool) -> (u32, bool) {
                let $mode = mode;
                $value
            }
            $crate::operation::VectorOperation {
                to: $crate::operation::Type::$to,
                from: &[$($crate::operation::Type::$from),*],
                body: $crate::operation::Body::Carry {
                    versions: $crate::operation::lanes::versions!(
                        fn(from: &[&$crate::operation::Lanes; 3], mode: $crate::operation::Mode, carries: u64, to: &mut $crate::operation::Lanes) -> u64,
                        $crate::operation::lanes::carry(from, mode, carries, to, lane)
                    ),
                    reads: $reads,
                    writes: $writes,
                },
                accumulates: false,
                keeps_half: false,
                approximate: false,
            }
        };
    )*};
}
pub(crate) use carrying;

/// As [`carrying`], with values of up to 64 bits.
macro_rules! carrying_wide {
    ($($name:ident($($from:ident),*) -> $to:ident reads $reads:literal writes $writes:literal = |$mode:pat_param, $a:pat_param, $b:pat_param, $c:pat_param, $carry:pat_param| $value:expr;)*) => {$(
        pub(crate) static $name: $crate::operation::VectorOperation = {
            #[inline(always)]
            fn lane(mode: $crate::operation::Mode, $a: u64, $b: u64, $c: u64, $carry: bool) -> (u64, bool) {
                let $mode = mode;
                $value
            }
            $crate::operation::VectorOperation {
                to: $crate::operation::Type::$to,
                from: &[$($crate::operation::Type::$from),*],
                body: $crate::operation::Body::WideCarry {
                    versions: $crate::operation::lanes::versions!(
                        fn(from: &[$crate::operation::Wide; 3], mode: $crate::operation::Mode, carries: u64, to: &mut $crate::operation::Wide) -> u64,
                        $crate::operation::lanes::carry_wide(from, mode, carries, to, lane)
                    ),
                    reads: $reads,
                    writes: $writes,
                },
                accumulates: false,
                keeps_half: false,
                approximate: false,
            }
        };
    )*};
}
pub(crate) use carrying_wide;
