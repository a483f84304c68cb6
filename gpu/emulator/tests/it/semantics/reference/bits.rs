//! Moves, bits and shifts of the vector unit.

use super::integer::low;
use super::{Left, Vector, lane_vectors, vectors};

fn bit(value: u64, index: u64) -> bool {
    (value >> index) & 1 != 0
}
fn shifted_sign(value: u64, bits: u32, by: u64) -> u64 {
    let unused = 64 - bits;
    ((((value << unused) as i64) >> unused) >> by) as u64 & (u64::MAX >> unused)
}
fn highest(value: u64, bits: u64) -> u64 {
    (0..bits)
        .rev()
        .position(|k| bit(value, k))
        .map_or(0xffff_ffff, |k| k as u64)
}
fn highest_other(value: u64) -> u64 {
    (0..31)
        .rev()
        .position(|k| bit(value, k) != bit(value, 31))
        .map_or(0xffff_ffff, |k| k as u64 + 1)
}
/// Returns a byte of `v_perm_b32`: of the pair x (high) and y (low), or a sign, or a constant.
fn permuted(x: u64, y: u64, select: u64) -> u64 {
    let data = (x << 32) | y;
    match select {
        0..=7 => (data >> (8 * select)) & 0xff,
        8 => 0xff * u64::from(bit(data, 15)),
        9 => 0xff * u64::from(bit(data, 31)),
        10 => 0xff * u64::from(bit(data, 47)),
        11 => 0xff * u64::from(bit(data, 63)),
        12 => 0,
        _ => 0xff,
    }
}

/// Returns any function of three bits: bit 4x + 2y + z of the table is its value.
fn table(table: u64, x: u64, y: u64, z: u64, bits: u64) -> u64 {
    (0..bits)
        .filter(|k| {
            let place = [x, y, z]
                .iter()
                .fold(0, |place, source| 2 * place + ((source >> k) & 1));
            bit(table, place)
        })
        .map(|k| 1 << k)
        .sum()
}

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    B32 "v_mov_b32" (B32) = |x| x;
    B64 "v_mov_b64" (B64) = |x| x;
    B16 "v_mov_b16" (B16) = |x| x;
    B32 "v_not_b32" (B32) = |x| low(!x);
    B16 "v_not_b16" (B16) = |x| !x & 0xffff;
    B32 "v_bfrev_b32" (B32) = |x| (0..32).filter(|k| bit(x, *k)).map(|k| 1 << (31 - k)).sum();
    B32 "v_ffbh_u32" | "v_clz_i32_u32" (B32) = |x| highest(x, 32);
    B32 "v_ffbl_b32" | "v_ctz_i32_b32" (B32) = |x| (0..32).position(|k| bit(x, k)).map_or(0xffff_ffff, |k| k as u64);
    B32 "v_ffbh_i32" | "v_cls_i32" (B32) = |x| highest_other(x);
    B32 "v_and_b32" (B32, B32) = |x, y| x & y;
    B32 "v_or_b32" (B32, B32) = |x, y| x | y;
    B32 "v_xor_b32" (B32, B32) = |x, y| x ^ y;
    B32 "v_xnor_b32" (B32, B32) = |x, y| low(!(x ^ y));
    B16 "v_and_b16" (B16, B16) = |x, y| x & y;
    B16 "v_or_b16" (B16, B16) = |x, y| x | y;
    B16 "v_xor_b16" (B16, B16) = |x, y| x ^ y;
    B32 "v_and_or_b32" (B32, B32, B32) = |x, y, z| (x & y) | z;
    B32 "v_or3_b32" (B32, B32, B32) = |x, y, z| x | y | z;
    B32 "v_xor3_b32" (B32, B32, B32) = |x, y, z| x ^ y ^ z;
    B32 "v_lshl_or_b32" (B32, B32, B32) = |x, y, z| low(x << (y & 31)) | z;
    B32 "v_lshlrev_b32" (B32, B32) = |x, y| low(y << (x & 31));
    B32 "v_lshrrev_b32" (B32, B32) = |x, y| y >> (x & 31);
    B32 "v_ashrrev_i32" (B32, B32) = |x, y| shifted_sign(y, 32, x & 31);
    B16 "v_lshlrev_b16" (B16, B16) = |x, y| (y << (x & 15)) & 0xffff;
    B16 "v_lshrrev_b16" (B16, B16) = |x, y| y >> (x & 15);
    B16 "v_ashrrev_i16" (B16, B16) = |x, y| shifted_sign(y, 16, x & 15);
    B64 "v_lshlrev_b64" (B32, B64) = |x, y| y << (x & 63);
    B64 "v_lshrrev_b64" (B32, B64) = |x, y| y >> (x & 63);
    B64 "v_ashrrev_i64" (B32, B64) = |x, y| shifted_sign(y, 64, x & 63);
    B32 "v_alignbit_b32" (B32, B32, B32) = |x, y, z| low(((x << 32) | y) >> (z & 31));
    B32 "v_alignbyte_b32" (B32, B32, B32) = |x, y, z| low(((x << 32) | y) >> (8 * (z & 3)));
    B32 "v_bfe_u32" (B32, B32, B32) = |x, y, z| (x >> (y & 31)) & ((1 << (z & 31)) - 1);
    B32 "v_bfe_i32" (B32, B32, B32) = |x, y, z| {
        let width = z & 31;
        let field = shifted_sign(x, 32, y & 31) & ((1 << width) - 1);
        if width > 0 && bit(field, width - 1) { low(field | !((1 << width) - 1)) } else { field }
    };
    B32 "v_bfi_b32" (B32, B32, B32) = |x, y, z| (x & y) | (low(!x) & z);
    B32 "v_bfm_b32" (B32, B32) = |x, y| low(((1 << (x & 31)) - 1) << (y & 31));
    B32 "v_bcnt_u32_b32" (B32, B32) = |x, y| low((0..32).filter(|k| bit(x, *k)).count() as u64 + y);
    B32 "v_perm_b32" (B32, B32, B32) = |x, y, z| (0..4).map(|k| permuted(x, y, (z >> (8 * k)) & 0xff) << (8 * k)).sum();
    B32 "v_pack_b32_f16" (B16, B16) = |x, y| x | (y << 16);
    B32 "v_bitop3_b32" (B32, B32, B32) with " bitop3:0x5b" = |x, y, z| table(0x5b, x, y, z, 32);
    B16 "v_bitop3_b16" (B16, B16, B16) with " bitop3:0x5b" = |x, y, z| table(0x5b, x, y, z, 16);
    B32 "v_bitop3_b32" (B32, B32, B32) with " bitop3:0x80" = |x, y, z| table(0x80, x, y, z, 32);
    B16 "v_bitop3_b16" (B16, B16, B16) with " bitop3:0x80" = |x, y, z| table(0x80, x, y, z, 16);
    B32 "v_bitop3_b32" (B32, B32, B32) with " bitop3:0xe4" = |x, y, z| table(0xe4, x, y, z, 32);
    B16 "v_bitop3_b16" (B16, B16, B16) with " bitop3:0xe4" = |x, y, z| table(0xe4, x, y, z, 16);
    B32 "v_prng_b32" (B32) = |x| low(x << 1) ^ if bit(x, 31) { 197 } else { 0 };
    B16 "v_sat_pk_u8_i16" (B32) = |x| {
        let byte = |half: u64| (half as u16 as i16).clamp(0, 255) as u64;
        byte(x) | (byte(x >> 16) << 8)
    };
};

pub(crate) static LANES: &[Vector] = lane_vectors! {
    B32 "v_cndmask_b32" (B32, B32) Select = |lane| Left { to: lane.from[usize::from(lane.vcc)], vcc: lane.vcc };
    B16 "v_cndmask_b16" (B16, B16) Select = |lane| Left { to: lane.from[usize::from(lane.vcc)], vcc: lane.vcc };
};
