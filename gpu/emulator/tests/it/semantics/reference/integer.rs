//! Integer arithmetic of the vector unit.

use super::{Left, Vector, lane_vectors, vectors};

pub(super) fn low(value: u64) -> u64 {
    value & 0xffff_ffff
}
fn i(value: u64) -> i64 {
    i64::from(value as u32 as i32)
}
fn i16_of(value: u64) -> i64 {
    i64::from(value as u16 as i16)
}
fn i24(value: u64) -> i64 {
    (value as i64) << 40 >> 40
}
fn u24(value: u64) -> u64 {
    value & 0xff_ffff
}
fn b(value: u64, index: u32) -> u64 {
    (value >> (8 * index)) & 0xff
}
fn signed_low(value: i64) -> u64 {
    low(value as u64)
}
/// Returns the median of three.
pub(super) fn median<T: Ord>(mut three: [T; 3]) -> T {
    three.sort();
    let [_, middle, _] = three;
    middle
}
fn absolute_differences(a: u64, c: u64) -> u64 {
    (0..4).map(|k| b(a, k).abs_diff(b(c, k))).sum()
}
fn masked_differences(a: u64, c: u64) -> u64 {
    (0..4)
        .filter(|k| b(c, *k) != 0)
        .map(|k| b(a, k).abs_diff(b(c, k)))
        .sum()
}
/// Returns four sums, of the windows of four bytes from bytes 0 to 3, in 16 bits each.
fn windows(x: u64, y: u64, z: u64, sum: fn(u64, u64) -> u64) -> u64 {
    let one = |k: u64| (sum(low(x >> (8 * k)), y) + ((z >> (16 * k)) & 0xffff)) & 0xffff;
    (0..4).map(|k| one(k) << (16 * k)).sum()
}
fn dot(a: u64, c: u64, bits: u32, signed: [bool; 2]) -> i64 {
    let part = |value: u64, k: u32, signed: bool| {
        let field = (value >> (k * bits)) & ((1 << bits) - 1);
        if signed && field >> (bits - 1) != 0 {
            field as i64 - (1 << bits)
        } else {
            field as i64
        }
    };
    (0..32 / bits)
        .map(|k| part(a, k, signed[0]) * part(c, k, signed[1]))
        .sum()
}
/// Returns two numbers shifted right, each as a byte between the bounds.
fn shifted_bytes(x: u64, y: u64, by: u64, low: i64, high: i64) -> u64 {
    let byte = |value: u64| (i(value) >> (by & 31)).clamp(low, high) as u64 & 0xff;
    byte(x) | (byte(y) << 8)
}
fn carried(sum: u64) -> Left {
    Left {
        to: low(sum),
        vcc: sum > 0xffff_ffff,
    }
}
fn borrowed(from: u64, take: u64) -> Left {
    Left {
        to: low(from.wrapping_sub(take)),
        vcc: take > from,
    }
}

pub(crate) static OPERATIONS: &[Vector] = vectors! {
    B32 "v_add_u32" | "v_add_nc_u32" (B32, B32) = |x, y| low(x + y);
    B32 "v_sub_u32" | "v_sub_nc_u32" (B32, B32) = |x, y| low(x.wrapping_sub(y));
    B32 "v_subrev_u32" | "v_subrev_nc_u32" (B32, B32) = |x, y| low(y.wrapping_sub(x));
    B32 "v_add_i32" | "v_add_nc_i32" (B32, B32) = |x, y| low(x + y);
    B32 "v_sub_i32" | "v_sub_nc_i32" (B32, B32) = |x, y| low(x.wrapping_sub(y));
    B16 "v_add_u16" | "v_add_nc_u16" | "v_add_i16" | "v_add_nc_i16" (B16, B16) = |x, y| (x + y) & 0xffff;
    B16 "v_sub_u16" | "v_sub_nc_u16" | "v_sub_i16" | "v_sub_nc_i16" (B16, B16) = |x, y| x.wrapping_sub(y) & 0xffff;
    B16 "v_subrev_u16" (B16, B16) = |x, y| y.wrapping_sub(x) & 0xffff;
    B16 "v_mul_lo_u16" (B16, B16) = |x, y| (x * y) & 0xffff;
    B16 "v_mad_u16" | "v_mad_legacy_u16" (B16, B16, B16) = |x, y, z| (x * y + z) & 0xffff;
    B16 "v_mad_i16" | "v_mad_legacy_i16" (B16, B16, B16) = |x, y, z| (i16_of(x) * i16_of(y) + i16_of(z)) as u64 & 0xffff;
    B32 "v_mad_u32_u16" (B16, B16, B32) = |x, y, z| low(x * y + z);
    B32 "v_mad_i32_i16" (B16, B16, B32) = |x, y, z| signed_low(i16_of(x) * i16_of(y) + i(z));
    B32 "v_mul_i32_i24" (B32, B32) = |x, y| signed_low(i24(x) * i24(y));
    B32 "v_mul_hi_i32_i24" (B32, B32) = |x, y| signed_low((i24(x) * i24(y)) >> 32);
    B32 "v_mul_u32_u24" (B32, B32) = |x, y| low(u24(x) * u24(y));
    B32 "v_mul_hi_u32_u24" (B32, B32) = |x, y| (u24(x) * u24(y)) >> 32;
    B32 "v_mad_i32_i24" (B32, B32, B32) = |x, y, z| signed_low(i24(x) * i24(y) + i(z));
    B32 "v_mad_u32_u24" (B32, B32, B32) = |x, y, z| low(u24(x) * u24(y) + z);
    B32 "v_mul_lo_u32" (B32, B32) = |x, y| low(x * y);
    B32 "v_mul_hi_u32" (B32, B32) = |x, y| (x * y) >> 32;
    B32 "v_mul_hi_i32" (B32, B32) = |x, y| signed_low((i(x) * i(y)) >> 32);
    B32 "v_min_i32" (B32, B32) = |x, y| signed_low(i(x).min(i(y)));
    B32 "v_max_i32" (B32, B32) = |x, y| signed_low(i(x).max(i(y)));
    B32 "v_min_u32" (B32, B32) = |x, y| x.min(y);
    B32 "v_max_u32" (B32, B32) = |x, y| x.max(y);
    B16 "v_min_i16" (B16, B16) = |x, y| i16_of(x).min(i16_of(y)) as u64 & 0xffff;
    B16 "v_max_i16" (B16, B16) = |x, y| i16_of(x).max(i16_of(y)) as u64 & 0xffff;
    B16 "v_min_u16" (B16, B16) = |x, y| x.min(y);
    B16 "v_max_u16" (B16, B16) = |x, y| x.max(y);
    B32 "v_min3_i32" (B32, B32, B32) = |x, y, z| signed_low(i(x).min(i(y)).min(i(z)));
    B32 "v_max3_i32" (B32, B32, B32) = |x, y, z| signed_low(i(x).max(i(y)).max(i(z)));
    B32 "v_min3_u32" (B32, B32, B32) = |x, y, z| x.min(y).min(z);
    B32 "v_max3_u32" (B32, B32, B32) = |x, y, z| x.max(y).max(z);
    B32 "v_med3_i32" (B32, B32, B32) = |x, y, z| signed_low(median([i(x), i(y), i(z)]));
    B32 "v_med3_u32" (B32, B32, B32) = |x, y, z| median([x, y, z]);
    B16 "v_min3_i16" (B16, B16, B16) = |x, y, z| i16_of(x).min(i16_of(y)).min(i16_of(z)) as u64 & 0xffff;
    B16 "v_max3_i16" (B16, B16, B16) = |x, y, z| i16_of(x).max(i16_of(y)).max(i16_of(z)) as u64 & 0xffff;
    B16 "v_min3_u16" (B16, B16, B16) = |x, y, z| x.min(y).min(z);
    B16 "v_max3_u16" (B16, B16, B16) = |x, y, z| x.max(y).max(z);
    B16 "v_med3_i16" (B16, B16, B16) = |x, y, z| median([i16_of(x), i16_of(y), i16_of(z)]) as u64 & 0xffff;
    B16 "v_med3_u16" (B16, B16, B16) = |x, y, z| median([x, y, z]);
    B32 "v_maxmin_i32" (B32, B32, B32) = |x, y, z| signed_low(i(x).max(i(y)).min(i(z)));
    B32 "v_minmax_i32" (B32, B32, B32) = |x, y, z| signed_low(i(x).min(i(y)).max(i(z)));
    B32 "v_maxmin_u32" (B32, B32, B32) = |x, y, z| x.max(y).min(z);
    B32 "v_minmax_u32" (B32, B32, B32) = |x, y, z| x.min(y).max(z);

    B32 "v_add3_u32" (B32, B32, B32) = |x, y, z| low(x + y + z);
    B32 "v_lshl_add_u32" (B32, B32, B32) = |x, y, z| low((x << (y & 31)) + z);
    B32 "v_add_lshl_u32" (B32, B32, B32) = |x, y, z| low((x + y) << (z & 31));
    B32 "v_xad_u32" (B32, B32, B32) = |x, y, z| low((x ^ y) + z);
    B64 "v_lshl_add_u64" (B64, B32, B64) = |x, y, z| if y & 7 > 4 { x.wrapping_add(z) } else { (x << (y & 7)).wrapping_add(z) };

    B32 "v_sad_u8" (B32, B32, B32) = |x, y, z| low(absolute_differences(x, y) + z);
    B32 "v_sad_hi_u8" (B32, B32, B32) = |x, y, z| low((absolute_differences(x, y) << 16) + z);
    B32 "v_sad_u16" (B32, B32, B32) = |x, y, z| low((x & 0xffff).abs_diff(y & 0xffff) + (x >> 16).abs_diff(y >> 16) + z);
    B32 "v_sad_u32" (B32, B32, B32) = |x, y, z| low(x.abs_diff(y) + z);
    B32 "v_msad_u8" (B32, B32, B32) = |x, y, z| low(masked_differences(x, y) + z);
    B64 "v_qsad_pk_u16_u8" (B64, B32, B64) = |x, y, z| windows(x, y, z, absolute_differences);
    B64 "v_mqsad_pk_u16_u8" (B64, B32, B64) = |x, y, z| windows(x, y, z, masked_differences);
    B32 "v_lerp_u8" (B32, B32, B32) = |x, y, z| (0..4).map(|k| ((b(x, k) + b(y, k) + (b(z, k) & 1)) >> 1) << (8 * k)).sum();

    B32 "v_dot4_i32_i8" (B32, B32, B32) = |x, y, z| signed_low(dot(x, y, 8, [true; 2]) + i(z));
    B32 "v_dot4_u32_u8" (B32, B32, B32) = |x, y, z| signed_low(dot(x, y, 8, [false; 2]) + z as i64);
    B32 "v_dot8_i32_i4" (B32, B32, B32) = |x, y, z| signed_low(dot(x, y, 4, [true; 2]) + i(z));
    B32 "v_dot8_u32_u4" (B32, B32, B32) = |x, y, z| signed_low(dot(x, y, 4, [false; 2]) + z as i64);
    B32 "v_dot2_i32_i16" (B32, B32, B32) = |x, y, z| signed_low(dot(x, y, 16, [true; 2]) + i(z));
    B32 "v_dot2_u32_u16" (B32, B32, B32) = |x, y, z| signed_low(dot(x, y, 16, [false; 2]) + z as i64);
    B32 "v_dot4_i32_iu8" (B32, B32, B32) = |x, y, z| signed_low(dot(x, y, 8, [false; 2]) + z as i64);
    B32 "v_dot8_i32_iu4" (B32, B32, B32) = |x, y, z| signed_low(dot(x, y, 4, [false; 2]) + z as i64);
    B16 "v_ashr_pk_i8_i32" (B32, B32, B32) = |x, y, z| shifted_bytes(x, y, z, -128, 127);
    B16 "v_ashr_pk_u8_i32" (B32, B32, B32) = |x, y, z| shifted_bytes(x, y, z, 0, 255);
    B64 "v_add_u64" | "v_add_nc_u64" (B64, B64) = |x, y| x.wrapping_add(y);
};

pub(crate) static LANES: &[Vector] = lane_vectors! {
    B64 "v_mad_u64_u32" | "v_mad_co_u64_u32" (B32, B32, B64) CarryOut = |lane| {
        let [x, y, z] = lane.from;
        let sum = u128::from(x * y) + u128::from(z);
        Left { to: sum as u64, vcc: sum >> 64 != 0 }
    };
    B64 "v_mad_i64_i32" | "v_mad_co_i64_i32" (B32, B32, B64) CarryOut = |lane| {
        let [x, y, z] = lane.from;
        let sum = i128::from(i(x) * i(y)) + i128::from(z as i64);
        Left { to: sum as u64, vcc: i64::try_from(sum).is_err() }
    };
    B32 "v_add_co_u32" (B32, B32) CarryOut = |lane| carried(lane.from[0] + lane.from[1]);
    B32 "v_sub_co_u32" (B32, B32) CarryOut = |lane| borrowed(lane.from[0], lane.from[1]);
    B32 "v_subrev_co_u32" (B32, B32) CarryOut = |lane| borrowed(lane.from[1], lane.from[0]);
    B32 "v_addc_co_u32" | "v_add_co_ci_u32" (B32, B32) CarryInOut = |lane| carried(lane.from[0] + lane.from[1] + u64::from(lane.vcc));
    B32 "v_subb_co_u32" | "v_sub_co_ci_u32" (B32, B32) CarryInOut = |lane| borrowed(lane.from[0], lane.from[1] + u64::from(lane.vcc));
    B32 "v_subbrev_co_u32" | "v_subrev_co_ci_u32" (B32, B32) CarryInOut = |lane| borrowed(lane.from[1], lane.from[0] + u64::from(lane.vcc));

    B32 "v_dot2c_i32_i16" (B32, B32) Plain = |lane| Left { to: signed_low(dot(lane.from[0], lane.from[1], 16, [true; 2]) + i(lane.old)), vcc: lane.vcc };
    B32 "v_dot4c_i32_i8" (B32, B32) Plain = |lane| Left { to: signed_low(dot(lane.from[0], lane.from[1], 8, [true; 2]) + i(lane.old)), vcc: lane.vcc };
    B32 "v_dot8c_i32_i4" (B32, B32) Plain = |lane| Left { to: signed_low(dot(lane.from[0], lane.from[1], 4, [true; 2]) + i(lane.old)), vcc: lane.vcc };
};
