//! The scalar unit ("Scalar ALU Operations" of the manuals).

use super::Match;
use crate::semantics::values::Kind;

/// Operands of an instruction.
#[derive(Clone, Copy)]
pub(crate) struct Inputs {
    pub(crate) a: u64,
    pub(crate) b: u64,
    /// The old destination.
    pub(crate) old: u64,
    pub(crate) scc: bool,
    pub(crate) exec: u64,
}

/// The results of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) to: u64,
    pub(crate) scc: bool,
    pub(crate) exec: u64,
}

/// An operation of the scalar unit.
pub(crate) struct Scalar {
    /// All names of the operation in instruction sets.
    pub(crate) names: &'static [&'static str],
    /// Registers of the destination (0: none) and of each source.
    pub(crate) to: u32,
    pub(crate) from: &'static [u32],
    /// The type of one-register sources, and of the result.
    pub(crate) source: Kind,
    pub(crate) result: Kind,
    pub(crate) accuracy: Match,
    pub(crate) value: fn(&Inputs) -> Left,
}

/// The immediate of the instructions with 16 bits.
pub(crate) const IMMEDIATE: i64 = -10;

/// A result and its condition code.
type Result = (u64, bool);

fn low(value: u64) -> u64 {
    value & 0xffff_ffff
}
fn signed(value: u64) -> i64 {
    i64::from(value as u32 as i32)
}
fn not_zero(value: u64) -> Result {
    (value, value != 0)
}
fn not_zero_32(value: u64) -> Result {
    not_zero(low(value))
}
fn overflowing(sum: i64) -> Result {
    (low(sum as u64), i32::try_from(sum).is_err())
}
fn carrying(sum: u64) -> Result {
    (low(sum), sum > 0xffff_ffff)
}
/// Returns the index of the first bit that satisfies `test`, or -1.
fn first(mut bits: impl Iterator<Item = u32>, test: impl Fn(u32) -> bool) -> u64 {
    bits.position(test)
        .map_or(0xffff_ffff, |index| index as u64)
}
fn bit(value: u64, index: u32) -> bool {
    (value >> index) & 1 != 0
}
/// Returns a field of `width` bits from `offset` on, of a number of `size` bits.
fn field(value: u64, control: u64, size: u32, sign: bool) -> u64 {
    let offset = control as u32 & (size - 1);
    let width = ((control >> 16) as u32 & 0x7f).min(size);
    let mut result = 0;
    for index in 0..size {
        let source = if index < width {
            index
        } else {
            width.wrapping_sub(1)
        };
        if width == 0 || (index >= width && !sign) {
            continue;
        }
        let place = offset + source;
        let value = if place < size {
            bit(value, place)
        } else {
            sign && bit(value, size - 1)
        };
        result |= u64::from(value) << index;
    }
    result
}
fn mask(a: u64, b: u64, size: u32) -> u64 {
    let (width, offset) = (a as u32 & (size - 1), b as u32 & (size - 1));
    let ones = (1u128 << width) - 1;
    let all = (1u128 << size) - 1;
    ((ones << offset) & all) as u64
}
/// Returns groups of four bits: all ones if one of them is set.
fn whole_quads(value: u64, size: u32) -> u64 {
    (0..size)
        .filter(|index| (value >> (index & !3)) & 15 != 0)
        .fold(0, |all, index| all | (1 << index))
}
fn quads(value: u64, size: u32) -> u64 {
    (0..size / 4)
        .filter(|quad| (value >> (4 * quad)) & 15 != 0)
        .fold(0, |all, quad| all | (1 << quad))
}
fn leading_sign(value: u64, size: u32) -> u64 {
    let sign = bit(value, size - 1);
    first((0..size).rev(), |index| bit(value, index) != sign)
}

macro_rules! scalars {
    (@one $names:expr, $to:expr, $from:expr, $value:expr) => {
        Scalar {
            names: $names,
            to: $to,
            from: $from,
            source: Kind::B32,
            result: Kind::B32,
            accuracy: Match::Exact,
            value: $value,
        }
    };
    ($($kind:ident $to:literal [$($from:literal),*] $($name:literal)|+ = |$($p:ident),*| $value:expr;)*) => {
        &[$(scalars!($kind $to [$($from),*] [$($name),+] |$($p),*| $value)),*]
    };
    // The operation writes the condition code.
    (flag $to:literal [$($from:literal),*] [$($name:literal),+] |$a:ident, $b:ident| $value:expr) => {
        scalars!(@one &[$($name),+], $to, &[$($from),*], |x| {
            let ($a, $b) = (x.a, x.b);
            let (to, scc): Result = $value;
            Left { to, scc, exec: x.exec }
        })
    };
    // The same, also from the old condition code and the old destination.
    (full $to:literal [$($from:literal),*] [$($name:literal),+] |$x:ident| $value:expr) => {
        scalars!(@one &[$($name),+], $to, &[$($from),*], |$x| {
            let (to, scc): Result = $value;
            Left { to, scc, exec: $x.exec }
        })
    };
    // The condition code stays.
    (keep $to:literal [$($from:literal),*] [$($name:literal),+] |$a:ident, $b:ident| $value:expr) => {
        scalars!(@one &[$($name),+], $to, &[$($from),*], |x| {
            let ($a, $b) = (x.a, x.b);
            let to: u64 = $value;
            Left { to, scc: x.scc, exec: x.exec }
        })
    };
    // A comparison.
    (test $to:literal [$($from:literal),*] [$($name:literal),+] |$a:ident, $b:ident| $value:expr) => {
        scalars!(@one &[$($name),+], $to, &[$($from),*], |x| {
            let ($a, $b) = (x.a, x.b);
            let scc: bool = $value;
            Left { to: x.old, scc, exec: x.exec }
        })
    };
    // EXEC becomes the new value, and the destination the old one.
    (save $to:literal [$($from:literal),*] [$($name:literal),+] |$a:ident, $exec:ident| $value:expr) => {
        scalars!(@one &[$($name),+], $to, &[$($from),*], |x| {
            let ($a, $exec) = (x.a, x.exec);
            let size = if $to == 1 { 0xffff_ffff } else { u64::MAX };
            let exec = $value & size;
            Left { to: x.exec & size, scc: exec != 0, exec }
        })
    };
    // The same, but the destination becomes the new value too.
    (write $to:literal [$($from:literal),*] [$($name:literal),+] |$a:ident, $exec:ident| $value:expr) => {
        scalars!(@one &[$($name),+], $to, &[$($from),*], |x| {
            let ($a, $exec) = (x.a, x.exec);
            let size = if $to == 1 { 0xffff_ffff } else { u64::MAX };
            let exec = $value & size;
            Left { to: exec, scc: exec != 0, exec }
        })
    };
}

pub(crate) static OPERATIONS: &[Scalar] = scalars! {
    keep 1 [1] "s_mov_b32" = |a, _b| a;
    keep 2 [2] "s_mov_b64" = |a, _b| a;
    full 1 [1] "s_cmov_b32" = |x| (if x.scc { x.a } else { low(x.old) }, x.scc);
    full 2 [2] "s_cmov_b64" = |x| (if x.scc { x.a } else { x.old }, x.scc);
    flag 1 [1] "s_not_b32" = |a, _b| not_zero_32(!a);
    flag 2 [2] "s_not_b64" = |a, _b| not_zero(!a);
    flag 1 [1] "s_wqm_b32" = |a, _b| not_zero(whole_quads(a, 32));
    flag 2 [2] "s_wqm_b64" = |a, _b| not_zero(whole_quads(a, 64));
    flag 1 [1] "s_quadmask_b32" = |a, _b| not_zero(quads(a, 32));
    flag 2 [2] "s_quadmask_b64" = |a, _b| not_zero(quads(a, 64));
    keep 1 [1] "s_brev_b32" = |a, _b| (0..32).filter(|i| bit(a, *i)).map(|i| 1 << (31 - i)).sum();
    keep 2 [2] "s_brev_b64" = |a, _b| (0..64).filter(|i| bit(a, *i)).map(|i| 1 << (63 - i)).sum();
    flag 1 [1] "s_bcnt0_i32_b32" = |a, _b| not_zero((0..32).filter(|i| !bit(a, *i)).count() as u64);
    flag 1 [2] "s_bcnt0_i32_b64" = |a, _b| not_zero((0..64).filter(|i| !bit(a, *i)).count() as u64);
    flag 1 [1] "s_bcnt1_i32_b32" = |a, _b| not_zero((0..32).filter(|i| bit(a, *i)).count() as u64);
    flag 1 [2] "s_bcnt1_i32_b64" = |a, _b| not_zero((0..64).filter(|i| bit(a, *i)).count() as u64);
    keep 1 [1] "s_ff0_i32_b32" = |a, _b| first(0..32, |i| !bit(a, i));
    keep 1 [2] "s_ff0_i32_b64" = |a, _b| first(0..64, |i| !bit(a, i));
    keep 1 [1] "s_ff1_i32_b32" | "s_ctz_i32_b32" = |a, _b| first(0..32, |i| bit(a, i));
    keep 1 [2] "s_ff1_i32_b64" | "s_ctz_i32_b64" = |a, _b| first(0..64, |i| bit(a, i));
    keep 1 [1] "s_flbit_i32_b32" | "s_clz_i32_u32" = |a, _b| first((0..32).rev(), |i| bit(a, i));
    keep 1 [2] "s_flbit_i32_b64" | "s_clz_i32_u64" = |a, _b| first((0..64).rev(), |i| bit(a, i));
    keep 1 [1] "s_flbit_i32" | "s_cls_i32" = |a, _b| leading_sign(a, 32);
    keep 1 [2] "s_flbit_i32_i64" | "s_cls_i32_i64" = |a, _b| leading_sign(a, 64);
    keep 1 [1] "s_sext_i32_i8" = |a, _b| low(a as u8 as i8 as i64 as u64);
    keep 1 [1] "s_sext_i32_i16" = |a, _b| low(a as u16 as i16 as i64 as u64);
    full 1 [1] "s_bitset0_b32" = |x| (low(x.old) & !(1 << (x.a & 31)), x.scc);
    full 2 [1] "s_bitset0_b64" = |x| (x.old & !(1 << (x.a & 63)), x.scc);
    full 1 [1] "s_bitset1_b32" = |x| (low(x.old) | (1 << (x.a & 31)), x.scc);
    full 2 [1] "s_bitset1_b64" = |x| (x.old | (1 << (x.a & 63)), x.scc);
    keep 2 [1] "s_bitreplicate_b64_b32" = |a, _b| (0..64).filter(|i| bit(a, i / 2)).map(|i| 1 << i).sum();
    flag 1 [1] "s_abs_i32" = |a, _b| not_zero_32(signed(a).unsigned_abs());

    flag 1 [1, 1] "s_add_u32" | "s_add_co_u32" = |a, b| carrying(a + b);
    flag 1 [1, 1] "s_sub_u32" | "s_sub_co_u32" = |a, b| (low(a.wrapping_sub(b)), b > a);
    flag 1 [1, 1] "s_add_i32" | "s_add_co_i32" = |a, b| overflowing(signed(a) + signed(b));
    flag 1 [1, 1] "s_sub_i32" | "s_sub_co_i32" = |a, b| overflowing(signed(a) - signed(b));
    full 1 [1, 1] "s_addc_u32" | "s_add_co_ci_u32" = |x| carrying(x.a + x.b + u64::from(x.scc));
    full 1 [1, 1] "s_subb_u32" | "s_sub_co_ci_u32" = |x| {
        let take = x.b + u64::from(x.scc);
        (low(x.a.wrapping_sub(take)), take > x.a)
    };
    keep 2 [2, 2] "s_add_nc_u64" | "s_add_u64" = |a, b| a.wrapping_add(b);
    keep 2 [2, 2] "s_sub_nc_u64" | "s_sub_u64" = |a, b| a.wrapping_sub(b);
    keep 2 [2, 2] "s_mul_u64" = |a, b| a.wrapping_mul(b);
    flag 1 [1, 1] "s_min_i32" = |a, b| if signed(a) < signed(b) { (a, true) } else { (b, false) };
    flag 1 [1, 1] "s_min_u32" = |a, b| if a < b { (a, true) } else { (b, false) };
    flag 1 [1, 1] "s_max_i32" = |a, b| if signed(a) >= signed(b) { (a, true) } else { (b, false) };
    flag 1 [1, 1] "s_max_u32" = |a, b| if a >= b { (a, true) } else { (b, false) };
    full 1 [1, 1] "s_cselect_b32" = |x| (if x.scc { x.a } else { x.b }, x.scc);
    full 2 [2, 2] "s_cselect_b64" = |x| (if x.scc { x.a } else { x.b }, x.scc);
    flag 1 [1, 1] "s_and_b32" = |a, b| not_zero(a & b);
    flag 2 [2, 2] "s_and_b64" = |a, b| not_zero(a & b);
    flag 1 [1, 1] "s_or_b32" = |a, b| not_zero(a | b);
    flag 2 [2, 2] "s_or_b64" = |a, b| not_zero(a | b);
    flag 1 [1, 1] "s_xor_b32" = |a, b| not_zero(a ^ b);
    flag 2 [2, 2] "s_xor_b64" = |a, b| not_zero(a ^ b);
    flag 1 [1, 1] "s_andn2_b32" | "s_and_not1_b32" = |a, b| not_zero_32(a & !b);
    flag 2 [2, 2] "s_andn2_b64" | "s_and_not1_b64" = |a, b| not_zero(a & !b);
    flag 1 [1, 1] "s_orn2_b32" | "s_or_not1_b32" = |a, b| not_zero_32(a | !b);
    flag 2 [2, 2] "s_orn2_b64" | "s_or_not1_b64" = |a, b| not_zero(a | !b);
    flag 1 [1, 1] "s_nand_b32" = |a, b| not_zero_32(!(a & b));
    flag 2 [2, 2] "s_nand_b64" = |a, b| not_zero(!(a & b));
    flag 1 [1, 1] "s_nor_b32" = |a, b| not_zero_32(!(a | b));
    flag 2 [2, 2] "s_nor_b64" = |a, b| not_zero(!(a | b));
    flag 1 [1, 1] "s_xnor_b32" = |a, b| not_zero_32(!(a ^ b));
    flag 2 [2, 2] "s_xnor_b64" = |a, b| not_zero(!(a ^ b));
    flag 1 [1, 1] "s_lshl_b32" = |a, b| not_zero_32(a << (b & 31));
    flag 2 [2, 1] "s_lshl_b64" = |a, b| not_zero(a << (b & 63));
    flag 1 [1, 1] "s_lshr_b32" = |a, b| not_zero_32(a >> (b & 31));
    flag 2 [2, 1] "s_lshr_b64" = |a, b| not_zero(a >> (b & 63));
    flag 1 [1, 1] "s_ashr_i32" = |a, b| not_zero_32((signed(a) >> (b & 31)) as u64);
    flag 2 [2, 1] "s_ashr_i64" = |a, b| not_zero(((a as i64) >> (b & 63)) as u64);
    keep 1 [1, 1] "s_bfm_b32" = |a, b| mask(a, b, 32);
    keep 2 [1, 1] "s_bfm_b64" = |a, b| mask(a, b, 64);
    keep 1 [1, 1] "s_mul_i32" = |a, b| low(a.wrapping_mul(b));
    keep 1 [1, 1] "s_mul_hi_u32" = |a, b| (a * b) >> 32;
    keep 1 [1, 1] "s_mul_hi_i32" = |a, b| low(((signed(a) * signed(b)) >> 32) as u64);
    flag 1 [1, 1] "s_bfe_u32" = |a, b| not_zero(field(a, b, 32, false));
    flag 1 [1, 1] "s_bfe_i32" = |a, b| not_zero(field(a, b, 32, true));
    flag 2 [2, 1] "s_bfe_u64" = |a, b| not_zero(field(a, b, 64, false));
    flag 2 [2, 1] "s_bfe_i64" = |a, b| not_zero(field(a, b, 64, true));
    flag 1 [1, 1] "s_absdiff_i32" = |a, b| not_zero_32(u64::from((a as u32 as i32).wrapping_sub(b as u32 as i32).unsigned_abs()));
    flag 1 [1, 1] "s_lshl1_add_u32" = |a, b| carrying((a << 1) + b);
    flag 1 [1, 1] "s_lshl2_add_u32" = |a, b| carrying((a << 2) + b);
    flag 1 [1, 1] "s_lshl3_add_u32" = |a, b| carrying((a << 3) + b);
    flag 1 [1, 1] "s_lshl4_add_u32" = |a, b| carrying((a << 4) + b);
    keep 1 [1, 1] "s_pack_ll_b32_b16" = |a, b| (a & 0xffff) | low(b << 16);
    keep 1 [1, 1] "s_pack_lh_b32_b16" = |a, b| (a & 0xffff) | (b & 0xffff_0000);
    keep 1 [1, 1] "s_pack_hl_b32_b16" = |a, b| (a >> 16) | low(b << 16);
    keep 1 [1, 1] "s_pack_hh_b32_b16" = |a, b| (a >> 16) | (b & 0xffff_0000);

    test 0 [1, 1] "s_cmp_eq_i32" = |a, b| signed(a) == signed(b);
    test 0 [1, 1] "s_cmp_lg_i32" = |a, b| signed(a) != signed(b);
    test 0 [1, 1] "s_cmp_gt_i32" = |a, b| signed(a) > signed(b);
    test 0 [1, 1] "s_cmp_ge_i32" = |a, b| signed(a) >= signed(b);
    test 0 [1, 1] "s_cmp_lt_i32" = |a, b| signed(a) < signed(b);
    test 0 [1, 1] "s_cmp_le_i32" = |a, b| signed(a) <= signed(b);
    test 0 [1, 1] "s_cmp_eq_u32" = |a, b| a == b;
    test 0 [1, 1] "s_cmp_lg_u32" = |a, b| a != b;
    test 0 [1, 1] "s_cmp_gt_u32" = |a, b| a > b;
    test 0 [1, 1] "s_cmp_ge_u32" = |a, b| a >= b;
    test 0 [1, 1] "s_cmp_lt_u32" = |a, b| a < b;
    test 0 [1, 1] "s_cmp_le_u32" = |a, b| a <= b;
    test 0 [2, 2] "s_cmp_eq_u64" = |a, b| a == b;
    test 0 [2, 2] "s_cmp_lg_u64" = |a, b| a != b;
    test 0 [1, 1] "s_bitcmp0_b32" = |a, b| !bit(a, b as u32 & 31);
    test 0 [1, 1] "s_bitcmp1_b32" = |a, b| bit(a, b as u32 & 31);
    test 0 [2, 1] "s_bitcmp0_b64" = |a, b| !bit(a, b as u32 & 63);
    test 0 [2, 1] "s_bitcmp1_b64" = |a, b| bit(a, b as u32 & 63);

    save 2 [2] "s_and_saveexec_b64" = |a, e| a & e;
    save 2 [2] "s_or_saveexec_b64" = |a, e| a | e;
    save 2 [2] "s_xor_saveexec_b64" = |a, e| a ^ e;
    save 2 [2] "s_andn2_saveexec_b64" | "s_and_not1_saveexec_b64" = |a, e| a & !e;
    save 2 [2] "s_orn2_saveexec_b64" | "s_or_not1_saveexec_b64" = |a, e| a | !e;
    save 2 [2] "s_nand_saveexec_b64" = |a, e| !(a & e);
    save 2 [2] "s_nor_saveexec_b64" = |a, e| !(a | e);
    save 2 [2] "s_xnor_saveexec_b64" = |a, e| !(a ^ e);
    save 2 [2] "s_andn1_saveexec_b64" | "s_and_not0_saveexec_b64" = |a, e| !a & e;
    save 2 [2] "s_orn1_saveexec_b64" | "s_or_not0_saveexec_b64" = |a, e| !a | e;
    write 2 [2] "s_andn1_wrexec_b64" | "s_and_not0_wrexec_b64" = |a, e| !a & e;
    write 2 [2] "s_andn2_wrexec_b64" | "s_and_not1_wrexec_b64" = |a, e| a & !e;
    save 1 [1] "s_and_saveexec_b32" = |a, e| a & e;
    save 1 [1] "s_or_saveexec_b32" = |a, e| a | e;
    save 1 [1] "s_xor_saveexec_b32" = |a, e| a ^ e;
    save 1 [1] "s_andn2_saveexec_b32" | "s_and_not1_saveexec_b32" = |a, e| a & !e;
    save 1 [1] "s_orn2_saveexec_b32" | "s_or_not1_saveexec_b32" = |a, e| a | !e;
    save 1 [1] "s_nand_saveexec_b32" = |a, e| !(a & e);
    save 1 [1] "s_nor_saveexec_b32" = |a, e| !(a | e);
    save 1 [1] "s_xnor_saveexec_b32" = |a, e| !(a ^ e);
    save 1 [1] "s_andn1_saveexec_b32" | "s_and_not0_saveexec_b32" = |a, e| !a & e;
    save 1 [1] "s_orn1_saveexec_b32" | "s_or_not0_saveexec_b32" = |a, e| !a | e;
    write 1 [1] "s_andn1_wrexec_b32" | "s_and_not0_wrexec_b32" = |a, e| !a & e;
    write 1 [1] "s_andn2_wrexec_b32" | "s_and_not1_wrexec_b32" = |a, e| a & !e;

    // The immediate is -10.
    keep 1 [] "s_movk_i32" = |_a, _b| IMMEDIATE as u64 & 0xffff_ffff;
    full 1 [] "s_cmovk_i32" = |x| (if x.scc { low(IMMEDIATE as u64) } else { low(x.old) }, x.scc);
    full 1 [] "s_addk_i32" | "s_addk_co_i32" = |x| overflowing(signed(x.old) + IMMEDIATE);
    full 1 [] "s_mulk_i32" = |x| (low((signed(x.old) * IMMEDIATE) as u64), x.scc);
    test 0 [1] "s_cmpk_eq_i32" = |a, _b| signed(a) == IMMEDIATE;
    test 0 [1] "s_cmpk_eq_u32" = |a, _b| a == 0xfff6;
    test 0 [1] "s_cmpk_lg_i32" = |a, _b| signed(a) != IMMEDIATE;
    test 0 [1] "s_cmpk_lg_u32" = |a, _b| a != 0xfff6;
    test 0 [1] "s_cmpk_gt_i32" = |a, _b| signed(a) > IMMEDIATE;
    test 0 [1] "s_cmpk_gt_u32" = |a, _b| a > 0xfff6;
    test 0 [1] "s_cmpk_ge_i32" = |a, _b| signed(a) >= IMMEDIATE;
    test 0 [1] "s_cmpk_ge_u32" = |a, _b| a >= 0xfff6;
    test 0 [1] "s_cmpk_lt_i32" = |a, _b| signed(a) < IMMEDIATE;
    test 0 [1] "s_cmpk_lt_u32" = |a, _b| a < 0xfff6;
    test 0 [1] "s_cmpk_le_i32" = |a, _b| signed(a) <= IMMEDIATE;
    test 0 [1] "s_cmpk_le_u32" = |a, _b| a <= 0xfff6;
};
