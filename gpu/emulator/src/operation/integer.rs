//! Integer and bit operations on 32 and 16 bits.

use super::lanes::{carrying, narrow};

#[inline(always)]
pub(crate) fn sext16(a: u32) -> u32 {
    a as u16 as i16 as i32 as u32
}
#[inline(always)]
fn sext24(a: u32) -> i32 {
    ((a << 8) as i32) >> 8
}
#[inline(always)]
fn i16_of(a: u32) -> i32 {
    sext16(a) as i32
}
/// Returns the low 16 bits of a signed value, or the nearest representable value if `clamp`.
#[inline(always)]
pub(crate) fn signed_16(clamp: bool, a: i32) -> u32 {
    let a = if clamp { a.clamp(-0x8000, 0x7fff) } else { a };
    a as u32 & 0xffff
}
/// Returns the low 16 bits of an unsigned result, clamped to the range if `clamp`.
#[inline(always)]
pub(crate) fn unsigned_16(clamp: bool, a: i64) -> u32 {
    let a = if clamp { a.clamp(0, 0xffff) } else { a };
    a as u32 & 0xffff
}
/// Returns the low 32 bits of a signed value, or the nearest representable value if `clamp`.
#[inline(always)]
pub(crate) fn signed_32(clamp: bool, a: i64) -> u32 {
    let a = if clamp {
        a.clamp(i64::from(i32::MIN), i64::from(i32::MAX))
    } else {
        a
    };
    a as u32
}
/// Returns the low 32 bits of an unsigned result, clamped to the range if `clamp`.
#[inline(always)]
fn unsigned_32(clamp: bool, a: i64) -> u32 {
    let a = if clamp {
        a.clamp(0, i64::from(u32::MAX))
    } else {
        a
    };
    a as u32
}
#[inline(always)]
fn s(a: u32) -> i64 {
    i64::from(a as i32)
}
#[inline(always)]
fn u(a: u32) -> i64 {
    i64::from(a)
}
#[inline(always)]
fn byte(a: u32, index: u32) -> u32 {
    (a >> (8 * index)) & 0xff
}
#[inline(always)]
pub(crate) fn sad_u8(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| {
        sum.wrapping_add(byte(a, i).abs_diff(byte(b, i)))
    })
}
#[inline(always)]
pub(crate) fn msad_u8(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| {
        let difference = byte(a, i).abs_diff(byte(b, i));
        sum.wrapping_add(if byte(b, i) == 0 { 0 } else { difference })
    })
}
/// Returns one byte of `v_perm_b32`: `a` holds bytes 4 to 7, `b` bytes 0 to 3.
#[inline(always)]
fn permuted_byte(a: u32, b: u32, select: u32) -> u32 {
    // Selections of words vectorize; a 64-bit shift of both would not.
    let word = if select & 4 == 0 { b } else { a };
    let signed = if select & 2 == 0 { b } else { a };
    let sign = (signed >> (16 * (select & 1) + 15)) & 1;
    let data = if select < 8 {
        byte(word, select & 3)
    } else {
        sign * 0xff
    };
    let constant = if select == 12 { 0 } else { 0xff };
    if select < 12 { data } else { constant }
}
#[inline(always)]
fn med3<T: Ord + Copy>(a: T, b: T, c: T) -> T {
    a.min(b).max(a.max(b).min(c))
}
#[inline(always)]
fn bfe_u32(a: u32, b: u32, c: u32) -> u32 {
    let width = c & 31;
    (a >> (b & 31)) & ((1 << width) - 1)
}
#[inline(always)]
fn bfe_i32(a: u32, b: u32, c: u32) -> u32 {
    let width = c & 31;
    let field = ((a as i32) >> (b & 31)) as u32 & ((1 << width) - 1);
    let unused = (32 - width) & 31;
    (((field << unused) as i32) >> unused) as u32
}
/// Returns an element of a packed integer: a byte of i8 or u8, a nibble of i4 or u4.
#[inline(always)]
pub(crate) fn field(a: u32, index: u32, bits: u32, signed: bool) -> i64 {
    let up = a << (32 - bits - bits * index);
    if signed {
        i64::from(up as i32 >> (32 - bits))
    } else {
        i64::from(up >> (32 - bits))
    }
}
#[inline(always)]
fn dot(a: u32, b: u32, sum: i64, bits: u32, signed: bool) -> i64 {
    (0..32 / bits).fold(sum, |sum, i| {
        sum + field(a, i, bits, signed) * field(b, i, bits, signed)
    })
}

/// Applies the truth table: its bit `4 a + 2 b + c` for each bit of the sources.
#[inline(always)]
fn bitop3(table: u32, a: u32, b: u32, c: u32) -> u32 {
    (0..8u32).fold(0, |result, row| {
        let pick = |x: u32, bit: u32| if row & bit != 0 { x } else { !x };
        let rows = pick(a, 4) & pick(b, 2) & pick(c, 1);
        result | if (table >> row) & 1 != 0 { rows } else { 0 }
    })
}

narrow! {
    // Counts the mask bits below the own lane. The lane number is the source that the operation
    // does not name.
    MBCNT_LO(B32, B32) -> B32 = |_, a, b, lane| b.wrapping_add((a & ((1u64 << lane.min(32)) - 1) as u32).count_ones());
    MBCNT_HI(B32, B32) -> B32 = |_, a, b, lane| {
        b.wrapping_add((a & ((1u64 << lane.saturating_sub(32)) - 1) as u32).count_ones())
    };
    MOV(B32) -> B32 [copies] = |_, a| a;
    NOT(B32) -> B32 = |_, a| !a;
    BFREV(B32) -> B32 = |_, a| a.reverse_bits();
    FFBH_U32(B32) -> B32 = |_, a| if a == 0 { u32::MAX } else { a.leading_zeros() };
    FFBL_B32(B32) -> B32 = |_, a| if a == 0 { u32::MAX } else { a.trailing_zeros() };
    FFBH_I32(B32) -> B32 = |_, a| {
        let differing = a ^ (((a as i32) >> 31) as u32);
        if differing == 0 { u32::MAX } else { differing.leading_zeros() }
    };
    SAT_PK_U8_I16(P16) -> B16 = |_, a| {
        let low = i16_of(a).clamp(0, 255) as u32;
        low | ((i16_of(a >> 16).clamp(0, 255) as u32) << 8)
    };

    ADD_U32(B32, B32) -> B32 = |m, a, b| if m.clamp() { a.saturating_add(b) } else { a.wrapping_add(b) };
    SUB_U32(B32, B32) -> B32 = |m, a, b| if m.clamp() { a.saturating_sub(b) } else { a.wrapping_sub(b) };
    SUBREV_U32(B32, B32) -> B32 = |m, a, b| if m.clamp() { b.saturating_sub(a) } else { b.wrapping_sub(a) };
    ADD_I32(B32, B32) -> B32 = |m, a, b| signed_32(m.clamp(), s(a) + s(b));
    SUB_I32(B32, B32) -> B32 = |m, a, b| signed_32(m.clamp(), s(a) - s(b));
    // The 24-bit multiplications ignore the upper 8 bits of their sources.
    MUL_I32_I24(B32, B32) -> B32 = |_, a, b| sext24(a).wrapping_mul(sext24(b)) as u32;
    MUL_HI_I32_I24(B32, B32) -> B32 = |_, a, b| ((i64::from(sext24(a)) * i64::from(sext24(b))) >> 32) as u32;
    MUL_U32_U24(B32, B32) -> B32 = |_, a, b| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff);
    MUL_HI_U32_U24(B32, B32) -> B32 = |_, a, b| ((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> 32) as u32;
    MUL_LO_U32(B32, B32) -> B32 = |_, a, b| a.wrapping_mul(b);
    MUL_HI_U32(B32, B32) -> B32 = |_, a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32;
    MUL_HI_I32(B32, B32) -> B32 = |_, a, b| ((s(a) * s(b)) >> 32) as u32;
    MIN_I32(B32, B32) -> B32 = |_, a, b| (a as i32).min(b as i32) as u32;
    MAX_I32(B32, B32) -> B32 = |_, a, b| (a as i32).max(b as i32) as u32;
    MIN_U32(B32, B32) -> B32 = |_, a, b| a.min(b);
    MAX_U32(B32, B32) -> B32 = |_, a, b| a.max(b);
    LSHRREV_B32(B32, B32) -> B32 = |_, a, b| b >> (a & 31);
    ASHRREV_I32(B32, B32) -> B32 = |_, a, b| ((b as i32) >> (a & 31)) as u32;
    LSHLREV_B32(B32, B32) -> B32 = |_, a, b| b << (a & 31);
    AND(B32, B32) -> B32 = |_, a, b| a & b;
    OR(B32, B32) -> B32 = |_, a, b| a | b;
    XOR(B32, B32) -> B32 = |_, a, b| a ^ b;
    XNOR(B32, B32) -> B32 = |_, a, b| !(a ^ b);
    XOR3(B32, B32, B32) -> B32 = |_, a, b, c| a ^ b ^ c;
    BFM(B32, B32) -> B32 = |_, a, b| ((1 << (a & 31)) - 1) << (b & 31);
    // `v_bcnt` adds its second source to the count.
    BCNT(B32, B32) -> B32 = |_, a, b| a.count_ones().wrapping_add(b);
    CVT_PK_U16_U32(B32, B32) -> P16 = |_, a, b| a.min(0xffff) | (b.min(0xffff) << 16);
    CVT_PK_I16_I32(B32, B32) -> P16 = |_, a, b| signed_16(true, a as i32) | (signed_16(true, b as i32) << 16);

    MAD_I32_I24(B32, B32, B32) -> B32 = |m, a, b, c| signed_32(m.clamp(), i64::from(sext24(a)) * i64::from(sext24(b)) + s(c));
    MAD_U32_U24(B32, B32, B32) -> B32 = |m, a, b, c| unsigned_32(m.clamp(), u(a & 0xff_ffff) * u(b & 0xff_ffff) + u(c));
    BFE_U32(B32, B32, B32) -> B32 = |_, a, b, c| bfe_u32(a, b, c);
    BFE_I32(B32, B32, B32) -> B32 = |_, a, b, c| bfe_i32(a, b, c);
    BFI(B32, B32, B32) -> B32 = |_, a, b, c| (a & b) | (!a & c);
    ALIGNBIT(B32, B32, B32) -> B32 = |_, a, b, c| (((u64::from(a) << 32) | u64::from(b)) >> (c & 31)) as u32;
    ALIGNBIT_B16(B32, B32, B16) -> B32 = |_, a, b, c| (((u64::from(a) << 32) | u64::from(b)) >> (c & 31)) as u32;
    ALIGNBYTE_B16(B32, B32, B16) -> B32 = |_, a, b, c| (((u64::from(a) << 32) | u64::from(b)) >> (8 * (c & 3))) as u32;
    ALIGNBYTE(B32, B32, B32) -> B32 = |_, a, b, c| (((u64::from(a) << 32) | u64::from(b)) >> (8 * (c & 3))) as u32;
    LERP_U8(B32, B32, B32) -> B32 = |_, a, b, c| (0..4).fold(0, |sum, i| {
        sum | (((byte(a, i) + byte(b, i) + (byte(c, i) & 1)) >> 1) << (8 * i))
    });
    MIN3_I32(B32, B32, B32) -> B32 = |_, a, b, c| (a as i32).min(b as i32).min(c as i32) as u32;
    MIN3_U32(B32, B32, B32) -> B32 = |_, a, b, c| a.min(b).min(c);
    MAX3_I32(B32, B32, B32) -> B32 = |_, a, b, c| (a as i32).max(b as i32).max(c as i32) as u32;
    MAX3_U32(B32, B32, B32) -> B32 = |_, a, b, c| a.max(b).max(c);
    MED3_I32(B32, B32, B32) -> B32 = |_, a, b, c| med3(a as i32, b as i32, c as i32) as u32;
    MED3_U32(B32, B32, B32) -> B32 = |_, a, b, c| med3(a, b, c);
    MAXMIN_I32(B32, B32, B32) -> B32 = |_, a, b, c| (a as i32).max(b as i32).min(c as i32) as u32;
    MAXMIN_U32(B32, B32, B32) -> B32 = |_, a, b, c| a.max(b).min(c);
    MINMAX_I32(B32, B32, B32) -> B32 = |_, a, b, c| (a as i32).min(b as i32).max(c as i32) as u32;
    MINMAX_U32(B32, B32, B32) -> B32 = |_, a, b, c| a.min(b).max(c);
    SAD_U8(B32, B32, B32) -> B32 = |_, a, b, c| sad_u8(a, b, c);
    SAD_HI_U8(B32, B32, B32) -> B32 = |_, a, b, c| (sad_u8(a, b, 0) << 16).wrapping_add(c);
    SAD_U16(B32, B32, B32) -> B32 = |_, a, b, c| {
        let low = (a & 0xffff).abs_diff(b & 0xffff);
        low.wrapping_add((a >> 16).abs_diff(b >> 16)).wrapping_add(c)
    };
    SAD_U32(B32, B32, B32) -> B32 = |_, a, b, c| a.abs_diff(b).wrapping_add(c);
    MSAD_U8(B32, B32, B32) -> B32 = |_, a, b, c| msad_u8(a, b, c);
    PERM(B32, B32, B32) -> B32 = |_, a, b, c| {
        let (low, second) = (permuted_byte(a, b, c & 0xff), permuted_byte(a, b, (c >> 8) & 0xff));
        let (third, high) = (permuted_byte(a, b, (c >> 16) & 0xff), permuted_byte(a, b, c >> 24));
        low | (second << 8) | (third << 16) | (high << 24)
    };
    XAD(B32, B32, B32) -> B32 = |_, a, b, c| (a ^ b).wrapping_add(c);
    LSHL_ADD(B32, B32, B32) -> B32 = |_, a, b, c| (a << (b & 31)).wrapping_add(c);
    ADD_LSHL(B32, B32, B32) -> B32 = |_, a, b, c| a.wrapping_add(b) << (c & 31);
    ADD3(B32, B32, B32) -> B32 = |_, a, b, c| a.wrapping_add(b).wrapping_add(c);
    LSHL_OR(B32, B32, B32) -> B32 = |_, a, b, c| (a << (b & 31)) | c;
    AND_OR(B32, B32, B32) -> B32 = |_, a, b, c| (a & b) | c;
    OR3(B32, B32, B32) -> B32 = |_, a, b, c| a | b | c;

    MOV_B16(B16) -> B16 = |_, a| a;
    NOT_B16(B16) -> B16 = |_, a| !a;
    AND_B16(B16, B16) -> B16 = |_, a, b| a & b;
    OR_B16(B16, B16) -> B16 = |_, a, b| a | b;
    XOR_B16(B16, B16) -> B16 = |_, a, b| a ^ b;
    CVT_I32_I16(B16) -> B32 = |_, a| sext16(a);
    CVT_U32_U16(B16) -> B32 = |_, a| a & 0xffff;
    ADD_U16(B16, B16) -> B16 = |m, a, b| unsigned_16(m.clamp(), u(a & 0xffff) + u(b & 0xffff));
    SUB_U16(B16, B16) -> B16 = |m, a, b| unsigned_16(m.clamp(), u(a & 0xffff) - u(b & 0xffff));
    SUBREV_U16(B16, B16) -> B16 = |m, a, b| unsigned_16(m.clamp(), u(b & 0xffff) - u(a & 0xffff));
    MUL_LO_U16(B16, B16) -> B16 = |_, a, b| a.wrapping_mul(b) & 0xffff;
    LSHLREV_B16(B16, B16) -> B16 = |_, a, b| (b << (a & 15)) & 0xffff;
    LSHRREV_B16(B16, B16) -> B16 = |_, a, b| (b & 0xffff) >> (a & 15);
    ASHRREV_I16(B16, B16) -> B16 = |_, a, b| (i16_of(b) >> (a & 15)) as u32 & 0xffff;
    MAX_U16(B16, B16) -> B16 = |_, a, b| (a & 0xffff).max(b & 0xffff);
    MIN_U16(B16, B16) -> B16 = |_, a, b| (a & 0xffff).min(b & 0xffff);
    MAX_I16(B16, B16) -> B16 = |_, a, b| i16_of(a).max(i16_of(b)) as u32 & 0xffff;
    MIN_I16(B16, B16) -> B16 = |_, a, b| i16_of(a).min(i16_of(b)) as u32 & 0xffff;
    ADD_I16(B16, B16) -> B16 [keeps_half] = |m, a, b| signed_16(m.clamp(), i16_of(a) + i16_of(b));
    SUB_I16(B16, B16) -> B16 [keeps_half] = |m, a, b| signed_16(m.clamp(), i16_of(a) - i16_of(b));
    MIN3_I16(B16, B16, B16) -> B16 [keeps_half] = |_, a, b, c| i16_of(a).min(i16_of(b)).min(i16_of(c)) as u32 & 0xffff;
    MIN3_U16(B16, B16, B16) -> B16 [keeps_half] = |_, a, b, c| (a & 0xffff).min(b & 0xffff).min(c & 0xffff);
    MAX3_I16(B16, B16, B16) -> B16 [keeps_half] = |_, a, b, c| i16_of(a).max(i16_of(b)).max(i16_of(c)) as u32 & 0xffff;
    MAX3_U16(B16, B16, B16) -> B16 [keeps_half] = |_, a, b, c| (a & 0xffff).max(b & 0xffff).max(c & 0xffff);
    MED3_I16(B16, B16, B16) -> B16 [keeps_half] = |_, a, b, c| med3(i16_of(a), i16_of(b), i16_of(c)) as u32 & 0xffff;
    MED3_U16(B16, B16, B16) -> B16 [keeps_half] = |_, a, b, c| med3(a & 0xffff, b & 0xffff, c & 0xffff);
    MAD_U16(B16, B16, B16) -> B16 [keeps_half] = |m, a, b, c| unsigned_16(m.clamp(), u(a & 0xffff) * u(b & 0xffff) + u(c & 0xffff));
    MAD_I16(B16, B16, B16) -> B16 [keeps_half] = |m, a, b, c| signed_16(m.clamp(), i16_of(a) * i16_of(b) + i16_of(c));
    MAD_LEGACY_U16(B16, B16, B16) -> B16 = |m, a, b, c| unsigned_16(m.clamp(), u(a & 0xffff) * u(b & 0xffff) + u(c & 0xffff));
    MAD_LEGACY_I16(B16, B16, B16) -> B16 = |m, a, b, c| signed_16(m.clamp(), i16_of(a) * i16_of(b) + i16_of(c));
    MAD_U32_U16(B16, B16, B32) -> B32 = |m, a, b, c| unsigned_32(m.clamp(), u(a & 0xffff) * u(b & 0xffff) + u(c));
    MAD_I32_I16(B16, B16, B32) -> B32 = |m, a, b, c| signed_32(m.clamp(), i64::from(i16_of(a) * i16_of(b)) + s(c));

    DOT2_I32_I16(P16, P16, B32) -> B32 = |m, a, b, c| signed_32(m.clamp(), dot(a, b, s(c), 16, true));
    DOT2_U32_U16(P16, P16, B32) -> B32 = |m, a, b, c| unsigned_32(m.clamp(), dot(a, b, u(c), 16, false));
    DOT4_I32_I8(B32, B32, B32) -> B32 = |m, a, b, c| signed_32(m.clamp(), dot(a, b, s(c), 8, true));
    DOT4_U32_U8(B32, B32, B32) -> B32 = |m, a, b, c| unsigned_32(m.clamp(), dot(a, b, u(c), 8, false));
    DOT8_I32_I4(B32, B32, B32) -> B32 = |m, a, b, c| signed_32(m.clamp(), dot(a, b, s(c), 4, true));
    DOT8_U32_U4(B32, B32, B32) -> B32 = |m, a, b, c| unsigned_32(m.clamp(), dot(a, b, u(c), 4, false));
    PRNG_B32(B32) -> B32 = |_, a| (a << 1) ^ if a >> 31 != 0 { 197 } else { 0 };
    ASHR_PK_I8_I32(B32, B32, B32) -> B16 [keeps_half] = |_, a, b, c| {
        let one = |x: u32| ((x as i32) >> (c & 31)).clamp(-128, 127) as u32 & 0xff;
        one(a) | (one(b) << 8)
    };
    ASHR_PK_U8_I32(B32, B32, B32) -> B16 [keeps_half] = |_, a, b, c| {
        let one = |x: u32| ((x as i32) >> (c & 31)).clamp(0, 255) as u32;
        one(a) | (one(b) << 8)
    };
    BITOP3_B32(B32, B32, B32) -> B32 = |m, a, b, c| bitop3(m.truth_table(), a, b, c);
    BITOP3_B16(B16, B16, B16) -> B16 [keeps_half] = |m, a, b, c| bitop3(m.truth_table(), a, b, c);

    DOT2C_I32_I16(P16, P16, B32) -> B32 [accumulates] = |m, a, b, c| signed_32(m.clamp(), dot(a, b, s(c), 16, true));
    DOT4C_I32_I8(B32, B32, B32) -> B32 [accumulates] = |m, a, b, c| signed_32(m.clamp(), dot(a, b, s(c), 8, true));
    DOT8C_I32_I4(B32, B32, B32) -> B32 [accumulates] = |m, a, b, c| signed_32(m.clamp(), dot(a, b, s(c), 4, true));
}

carrying! {
    CNDMASK(M32, M32) -> M32 reads true writes false [chooses] = |_, a, b, _, carry| (if carry { b } else { a }, false);
    CNDMASK_B16(M16, M16) -> M16 reads true writes false [chooses] = |_, a, b, _, carry| {
        (if carry { b } else { a } & 0xffff, false)
    };
    // The carry out ignores saturation.
    ADD_CO(B32, B32) -> B32 reads false writes true = |m, a, b, _, _| {
        let sum = u64::from(a) + u64::from(b);
        (unsigned_32(m.clamp(), sum as i64), sum >> 32 != 0)
    };
    SUB_CO(B32, B32) -> B32 reads false writes true = |m, a, b, _, _| (unsigned_32(m.clamp(), u(a) - u(b)), b > a);
    SUBREV_CO(B32, B32) -> B32 reads false writes true = |m, a, b, _, _| (unsigned_32(m.clamp(), u(b) - u(a)), a > b);
    ADDC_CO(B32, B32) -> B32 reads true writes true = |m, a, b, _, carry| {
        let sum = u(a) + u(b) + i64::from(carry);
        (unsigned_32(m.clamp(), sum), sum >> 32 != 0)
    };
    SUBB_CO(B32, B32) -> B32 reads true writes true = |m, a, b, _, carry| {
        let rest = u(a) - u(b) - i64::from(carry);
        (unsigned_32(m.clamp(), rest), rest < 0)
    };
    SUBBREV_CO(B32, B32) -> B32 reads true writes true = |m, a, b, _, carry| {
        let rest = u(b) - u(a) - i64::from(carry);
        (unsigned_32(m.clamp(), rest), rest < 0)
    };
}
