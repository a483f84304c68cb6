//! Operations of the scalar unit.

use super::{BitDependence, Mode};

/// The inputs of a scalar operation. All values are zero-extended to 64 bits.
pub(crate) struct ScalarInput {
    /// First source.
    pub(crate) a: u64,
    /// Second source.
    pub(crate) b: u64,
    /// Third source.
    pub(crate) c: u64,
    /// Old value of the destination.
    pub(crate) d: u64,
    /// The condition code.
    pub(crate) scc: bool,
    /// The MODE register: denormals and NaN of float operations.
    pub(crate) mode: Mode,
}

/// An operation of the scalar unit.
pub(crate) struct ScalarOperation {
    /// Bits of the destination: 0 (none), 32 or 64.
    pub(crate) to: u8,
    /// Bits of each source: 16, 32 or 64.
    pub(crate) from: &'static [u8],
    /// True if the operation writes SCC.
    pub(crate) writes_scc: bool,
    pub(crate) pattern: BitDependence,
    /// Computes the result and SCC.
    pub(crate) function: fn(&ScalarInput) -> (u64, bool),
}

/// An operation that combines a source with EXEC. SCC is true if the new EXEC is not zero.
pub(crate) struct ExecOperation {
    /// Computes the new EXEC from the source and the old EXEC.
    pub(crate) function: fn(u64, u64) -> u64,
    /// True if the destination receives the new EXEC instead of the old one.
    pub(crate) returns_new: bool,
}

fn i(a: u64) -> i32 {
    a as u32 as i32
}
fn flag(value: u64) -> (u64, bool) {
    (value, value != 0)
}
/// Returns a 32-bit sum with its carry.
fn carried(sum: u64) -> (u64, bool) {
    (sum & 0xffff_ffff, sum >> 32 != 0)
}
fn low(value: i32) -> u64 {
    u64::from(value as u32)
}
fn bits32(value: u64) -> u64 {
    value & 0xffff_ffff
}
/// Returns the index of a bit, or -1.
fn position(found: u32, limit: u32) -> u64 {
    if found >= limit {
        0xffff_ffff
    } else {
        u64::from(found)
    }
}
fn shift_add(x: &ScalarInput, shift: u32) -> (u64, bool) {
    carried((x.a << shift) + x.b)
}
fn bfe(a: u64, control: u64, width: u32, signed: bool) -> u64 {
    let offset = control as u32 & (width - 1);
    // The field's count has 7 bits in the control word, so it may exceed the width.
    let count = ((control >> 16) as u32 & 0x7f).min(width);
    if count == 0 {
        return 0;
    }
    let shifted = if signed {
        let extended = if width == 32 {
            i64::from(i(a))
        } else {
            a as i64
        };
        (extended >> offset) as u64
    } else {
        a >> offset
    };
    let unused = 64 - count;
    let field = shifted << unused;
    let value = if signed {
        ((field as i64) >> unused) as u64
    } else {
        field >> unused
    };
    if width == 32 { bits32(value) } else { value }
}
fn wqm(a: u64) -> u64 {
    // A quad is 4 lanes; pixel shaders need whole quads.
    let any = (a | (a >> 1) | (a >> 2) | (a >> 3)) & 0x1111_1111_1111_1111;
    // The multiplication spreads each quad's bit over its four lanes.
    any * 15
}
fn quadmask(a: u64) -> u64 {
    let any = (a | (a >> 1) | (a >> 2) | (a >> 3)) & 0x1111_1111_1111_1111;
    (0..16).fold(0, |mask, quad| mask | (((any >> (4 * quad)) & 1) << quad))
}
fn replicate(a: u64) -> u64 {
    (0..32).fold(0, |bits, index| {
        bits | (((a >> index) & 1) * 3) << (2 * index)
    })
}

/// Defines one operation per line: `NAME: to [from] writes SCC [attributes] = |x| (result, scc)`.
macro_rules! scalar {
    ($($name:ident: $to:literal [$($from:literal),*] $scc:literal $([$($attribute:ident)*])? = |$x:pat_param| $value:expr;)*) => {$(
        pub(crate) static $name: ScalarOperation = ScalarOperation {
            to: $to,
            from: &[$($from),*],
            writes_scc: $scc,
            pattern: $crate::operation::lanes::pattern!($($($attribute)*)?),
            function: |$x: &$crate::operation::scalar::ScalarInput| $value,
        };
    )*};
}
pub(super) use scalar;

scalar! {
    ADD_U32: 32 [32, 32] true = |x| carried(x.a + x.b);
    SUB_U32: 32 [32, 32] true = |x| (bits32(x.a.wrapping_sub(x.b)), x.b > x.a);
    ADD_I32: 32 [32, 32] true = |x| { let (r, o) = i(x.a).overflowing_add(i(x.b)); (low(r), o) };
    SUB_I32: 32 [32, 32] true = |x| { let (r, o) = i(x.a).overflowing_sub(i(x.b)); (low(r), o) };
    ADDC_U32: 32 [32, 32] true = |x| carried(x.a + x.b + u64::from(x.scc));
    SUBB_U32: 32 [32, 32] true = |x| {
        let taken = x.b + u64::from(x.scc);
        (bits32(x.a.wrapping_sub(taken)), taken > x.a)
    };
    MIN_I32: 32 [32, 32] true = |x| if i(x.a) < i(x.b) { (x.a, true) } else { (x.b, false) };
    MIN_U32: 32 [32, 32] true = |x| if x.a < x.b { (x.a, true) } else { (x.b, false) };
    MAX_I32: 32 [32, 32] true = |x| if i(x.a) >= i(x.b) { (x.a, true) } else { (x.b, false) };
    MAX_U32: 32 [32, 32] true = |x| if x.a >= x.b { (x.a, true) } else { (x.b, false) };
    CSELECT_B32: 32 [32, 32] false [chooses] = |x| (if x.scc { x.a } else { x.b }, x.scc);
    CSELECT_B64: 64 [64, 64] false [chooses] = |x| (if x.scc { x.a } else { x.b }, x.scc);
    AND_B32: 32 [32, 32] true [bitwise] = |x| flag(x.a & x.b);
    AND_B64: 64 [64, 64] true [bitwise] = |x| flag(x.a & x.b);
    OR_B32: 32 [32, 32] true [bitwise] = |x| flag(x.a | x.b);
    OR_B64: 64 [64, 64] true [bitwise] = |x| flag(x.a | x.b);
    XOR_B32: 32 [32, 32] true [bitwise] = |x| flag(x.a ^ x.b);
    XOR_B64: 64 [64, 64] true [bitwise] = |x| flag(x.a ^ x.b);
    ANDN2_B32: 32 [32, 32] true [bitwise] = |x| flag(x.a & !x.b);
    ANDN2_B64: 64 [64, 64] true [bitwise] = |x| flag(x.a & !x.b);
    ORN2_B32: 32 [32, 32] true [bitwise] = |x| flag(bits32(x.a | !x.b));
    ORN2_B64: 64 [64, 64] true [bitwise] = |x| flag(x.a | !x.b);
    NAND_B32: 32 [32, 32] true [bitwise] = |x| flag(bits32(!(x.a & x.b)));
    NAND_B64: 64 [64, 64] true [bitwise] = |x| flag(!(x.a & x.b));
    NOR_B32: 32 [32, 32] true [bitwise] = |x| flag(bits32(!(x.a | x.b)));
    NOR_B64: 64 [64, 64] true [bitwise] = |x| flag(!(x.a | x.b));
    XNOR_B32: 32 [32, 32] true [bitwise] = |x| flag(bits32(!(x.a ^ x.b)));
    XNOR_B64: 64 [64, 64] true [bitwise] = |x| flag(!(x.a ^ x.b));
    LSHL_B32: 32 [32, 32] true = |x| flag(bits32(x.a << (x.b & 31)));
    LSHL_B64: 64 [64, 32] true = |x| flag(x.a << (x.b & 63));
    LSHR_B32: 32 [32, 32] true = |x| flag(x.a >> (x.b & 31));
    LSHR_B64: 64 [64, 32] true = |x| flag(x.a >> (x.b & 63));
    ASHR_I32: 32 [32, 32] true = |x| flag(low(i(x.a) >> (x.b & 31)));
    ASHR_I64: 64 [64, 32] true = |x| flag(((x.a as i64) >> (x.b & 63)) as u64);
    ADD_NC_U64: 64 [64, 64] false = |x| (x.a.wrapping_add(x.b), x.scc);
    SUB_NC_U64: 64 [64, 64] false = |x| (x.a.wrapping_sub(x.b), x.scc);
    MUL_U64: 64 [64, 64] false = |x| (x.a.wrapping_mul(x.b), x.scc);
    BFM_B32: 32 [32, 32] false = |x| (bits32(((1 << (x.a & 31)) - 1) << (x.b & 31)), x.scc);
    BFM_B64: 64 [32, 32] false = |x| (((1 << (x.a & 63)) - 1) << (x.b & 63), x.scc);
    // The low 32 bits of a product do not depend on the signs.
    MUL_I32: 32 [32, 32] false = |x| (bits32(x.a * x.b), x.scc);
    MUL_HI_U32: 32 [32, 32] false = |x| ((x.a * x.b) >> 32, x.scc);
    MUL_HI_I32: 32 [32, 32] false = |x| (bits32(((i64::from(i(x.a)) * i64::from(i(x.b))) >> 32) as u64), x.scc);
    BFE_U32: 32 [32, 32] true = |x| flag(bfe(x.a, x.b, 32, false));
    BFE_I32: 32 [32, 32] true = |x| flag(bfe(x.a, x.b, 32, true));
    BFE_U64: 64 [64, 32] true = |x| flag(bfe(x.a, x.b, 64, false));
    BFE_I64: 64 [64, 32] true = |x| flag(bfe(x.a, x.b, 64, true));
    ABSDIFF_I32: 32 [32, 32] true = |x| flag(low(i(x.a).wrapping_sub(i(x.b)).wrapping_abs()));
    LSHL1_ADD_U32: 32 [32, 32] true = |x| shift_add(x, 1);
    LSHL2_ADD_U32: 32 [32, 32] true = |x| shift_add(x, 2);
    LSHL3_ADD_U32: 32 [32, 32] true = |x| shift_add(x, 3);
    LSHL4_ADD_U32: 32 [32, 32] true = |x| shift_add(x, 4);
    PACK_LL: 32 [32, 32] false = |x| ((x.a & 0xffff) | bits32(x.b << 16), x.scc);
    PACK_LH: 32 [32, 32] false = |x| ((x.a & 0xffff) | (x.b & 0xffff_0000), x.scc);
    PACK_HL: 32 [32, 32] false = |x| ((x.a >> 16) | bits32(x.b << 16), x.scc);
    PACK_HH: 32 [32, 32] false = |x| ((x.a >> 16) | (x.b & 0xffff_0000), x.scc);

    MOV_B32: 32 [32] false [bitwise] = |x| (x.a, x.scc);
    MOV_B64: 64 [64] false [bitwise] = |x| (x.a, x.scc);
    CMOV_B32: 32 [32] false = |x| (if x.scc { x.a } else { x.d }, x.scc);
    CMOV_B64: 64 [64] false = |x| (if x.scc { x.a } else { x.d }, x.scc);
    NOT_B32: 32 [32] true [bitwise] = |x| flag(bits32(!x.a));
    NOT_B64: 64 [64] true [bitwise] = |x| flag(!x.a);
    WQM_B32: 32 [32] true = |x| flag(bits32(wqm(x.a)));
    WQM_B64: 64 [64] true = |x| flag(wqm(x.a));
    BREV_B32: 32 [32] false = |x| (u64::from((x.a as u32).reverse_bits()), x.scc);
    BREV_B64: 64 [64] false = |x| (x.a.reverse_bits(), x.scc);
    BCNT0_B32: 32 [32] true = |x| flag(u64::from((x.a as u32).count_zeros()));
    BCNT0_B64: 32 [64] true = |x| flag(u64::from(x.a.count_zeros()));
    BCNT1_B32: 32 [32] true = |x| flag(u64::from((x.a as u32).count_ones()));
    BCNT1_B64: 32 [64] true = |x| flag(u64::from(x.a.count_ones()));
    FF0_B32: 32 [32] false = |x| (position((x.a as u32).trailing_ones(), 32), x.scc);
    FF0_B64: 32 [64] false = |x| (position(x.a.trailing_ones(), 64), x.scc);
    FF1_B32: 32 [32] false = |x| (position((x.a as u32).trailing_zeros(), 32), x.scc);
    FF1_B64: 32 [64] false = |x| (position(x.a.trailing_zeros(), 64), x.scc);
    FLBIT_B32: 32 [32] false = |x| (position((x.a as u32).leading_zeros(), 32), x.scc);
    FLBIT_B64: 32 [64] false = |x| (position(x.a.leading_zeros(), 64), x.scc);
    FLBIT_I32: 32 [32] false = |x| (position((x.a as u32 ^ (i(x.a) >> 31) as u32).leading_zeros(), 32), x.scc);
    FLBIT_I64: 32 [64] false = |x| (position((x.a ^ ((x.a as i64) >> 63) as u64).leading_zeros(), 64), x.scc);
    SEXT_I8: 32 [32] false = |x| (low(i32::from(x.a as i8)), x.scc);
    SEXT_I16: 32 [32] false = |x| (low(i32::from(x.a as i16)), x.scc);
    BITSET0_B32: 32 [32] false = |x| (x.d & !(1 << (x.a & 31)), x.scc);
    BITSET0_B64: 64 [32] false = |x| (x.d & !(1 << (x.a & 63)), x.scc);
    BITSET1_B32: 32 [32] false = |x| (x.d | (1 << (x.a & 31)), x.scc);
    BITSET1_B64: 64 [32] false = |x| (x.d | (1 << (x.a & 63)), x.scc);
    QUADMASK_B32: 32 [32] true = |x| flag(quadmask(x.a));
    QUADMASK_B64: 64 [64] true = |x| flag(quadmask(x.a));
    ABS_I32: 32 [32] true = |x| flag(low(i(x.a).wrapping_abs()));
    BITREPLICATE: 64 [32] false = |x| (replicate(x.a), x.scc);

    // This source affects only the schedule.
    NOTHING: 0 [32] false = |x| (0, x.scc);
    CMP_EQ_32: 0 [32, 32] true = |x| (0, x.a == x.b);
    CMP_LG_32: 0 [32, 32] true = |x| (0, x.a != x.b);
    CMP_GT_I32: 0 [32, 32] true = |x| (0, i(x.a) > i(x.b));
    CMP_GE_I32: 0 [32, 32] true = |x| (0, i(x.a) >= i(x.b));
    CMP_LT_I32: 0 [32, 32] true = |x| (0, i(x.a) < i(x.b));
    CMP_LE_I32: 0 [32, 32] true = |x| (0, i(x.a) <= i(x.b));
    CMP_GT_U32: 0 [32, 32] true = |x| (0, x.a > x.b);
    CMP_GE_U32: 0 [32, 32] true = |x| (0, x.a >= x.b);
    CMP_LT_U32: 0 [32, 32] true = |x| (0, x.a < x.b);
    CMP_LE_U32: 0 [32, 32] true = |x| (0, x.a <= x.b);
    BITCMP0_B32: 0 [32, 32] true = |x| (0, (x.a >> (x.b & 31)) & 1 == 0);
    BITCMP1_B32: 0 [32, 32] true = |x| (0, (x.a >> (x.b & 31)) & 1 == 1);
    BITCMP0_B64: 0 [64, 32] true = |x| (0, (x.a >> (x.b & 63)) & 1 == 0);
    BITCMP1_B64: 0 [64, 32] true = |x| (0, (x.a >> (x.b & 63)) & 1 == 1);
    CMP_EQ_U64: 0 [64, 64] true = |x| (0, x.a == x.b);
    CMP_LG_U64: 0 [64, 64] true = |x| (0, x.a != x.b);

    // The immediate is the second source. The destination is the first source of comparisons and
    // arithmetic.
    ADDK: 32 [] true = |x| { let (r, o) = i(x.d).overflowing_add(i(x.b)); (low(r), o) };
    MULK: 32 [] false = |x| (low(i(x.d).wrapping_mul(i(x.b))), x.scc);
    MOVK: 32 [] false = |x| (x.b, x.scc);
    CMOVK: 32 [] false = |x| (if x.scc { x.b } else { x.d }, x.scc);
}

/// Defines one operation per line: `NAME: returns_new = |source, exec| new exec`.
macro_rules! exec {
    ($($name:ident: $new:literal = |$s:ident, $e:ident| $value:expr;)*) => {$(
        pub(crate) static $name: ExecOperation = ExecOperation { function: |$s, $e| $value, returns_new: $new };
    )*};
}

exec! {
    AND_SAVEEXEC: false = |s, e| s & e;
    OR_SAVEEXEC: false = |s, e| s | e;
    XOR_SAVEEXEC: false = |s, e| s ^ e;
    ANDN2_SAVEEXEC: false = |s, e| s & !e;
    ORN2_SAVEEXEC: false = |s, e| s | !e;
    NAND_SAVEEXEC: false = |s, e| !(s & e);
    NOR_SAVEEXEC: false = |s, e| !(s | e);
    XNOR_SAVEEXEC: false = |s, e| !(s ^ e);
    ANDN1_SAVEEXEC: false = |s, e| !s & e;
    ORN1_SAVEEXEC: false = |s, e| !s | e;
    ANDN1_WREXEC: true = |s, e| !s & e;
    ANDN2_WREXEC: true = |s, e| s & !e;
}
