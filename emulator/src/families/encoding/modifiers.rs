//! Which modifiers a vector instruction has, as LLVM sees it: signs, saturation, output modifiers, selections of halves.

use super::Facts;
use super::vector::{encoded_sources, is_compare, masks};
use crate::families::tables::Line;
use crate::operation::{Type, VectorOperation};

/// What negation and absolute value are to a source.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Signs {
    Absent,
    Ignored,
    Present,
}

pub(super) fn signs(
    facts: &Facts,
    line: &Line,
    operation: &VectorOperation,
    index: usize,
) -> Signs {
    let float = operation
        .from
        .get(index)
        .is_some_and(|from| from.is_float());
    match line.name {
        "v_dot2c_f32_f16" | "v_dot2c_f32_bf16" | "v_dot2acc_f32_f16" | "v_pk_fmac_f16"
            if index < 2 =>
        {
            Signs::Present
        }
        name if name.starts_with("v_dot") && name.contains("c_i32_") && index < 2 => Signs::Ignored,
        "v_cvt_pk_u8_f32" if index > 0 => Signs::Ignored,
        "v_dot2_f16_f16" | "v_dot2_bf16_bf16" => Signs::Present,
        "v_ldexp_f16"
        | "v_ldexp_f32"
        | "v_ldexp_f64"
        | "v_trig_preop_f64"
        | "v_cvt_pkaccum_u8_f32"
            if index == 1 =>
        {
            Signs::Ignored
        }
        name if name.starts_with("v_ashr_pk") => Signs::Ignored,
        name if facts.cmpx_sets_exec_only && name.starts_with("v_cmpx_class_") && index == 1 => {
            Signs::Ignored
        }
        "v_sat_pk_u8_i16" if facts.true16 && index == 0 => Signs::Ignored,
        _ if float => Signs::Present,
        // Instructions with integers in halves of registers have the fields of those with floats.
        _ if facts.true16
            && index < operation.from.len()
            && operation.from.contains(&Type::B16) =>
        {
            Signs::Ignored
        }
        _ => Signs::Absent,
    }
}

/// Whether negation and absolute value of a source are written and applied.
pub(in crate::families) fn has_signs(
    facts: &Facts,
    line: &Line,
    operation: &VectorOperation,
    index: usize,
) -> bool {
    signs(facts, line, operation, index) == Signs::Present
}

/// Whether a long instruction can saturate.
pub(super) fn has_clamp(line: &Line, operation: &VectorOperation) -> bool {
    const INTEGERS: [&str; 9] = [
        "v_add_",
        "v_sub",
        "v_mad_",
        "v_sad_",
        "v_msad_",
        "v_qsad_",
        "v_mqsad_",
        "v_mul_i32_i24",
        "v_mul_u32_u24",
    ];
    let float = |kind: Type| kind.is_float() && !matches!(kind, Type::M32 | Type::M16);
    if ["v_bitop3", "v_ashr_pk", "v_cvt_pk_fp8", "v_cvt_pk_bf8"]
        .iter()
        .any(|start| line.name.starts_with(start))
    {
        return false;
    }
    if is_compare(&operation.body) {
        return float(operation.from[0]) && !line.name.contains("class");
    }
    float(operation.to)
        || operation.from.iter().any(|&from| float(from))
        || masks(&operation.body).0
        || (INTEGERS.iter().any(|start| line.name.starts_with(start))
            && !line.name.contains("lshl"))
        || line.name.starts_with("v_dot")
}

/// Whether a long instruction has an output modifier: a float result, or a conversion of a float to an integer.
pub(in crate::families) fn has_output(line: &Line, operation: &VectorOperation) -> bool {
    let from_float = operation.from.len() == 1 && operation.from[0].is_float();
    match line.name {
        "v_cvt_pk_rtz_f16_f32" => true,
        "v_pack_b32_f16"
        | "v_dot2_f16_f16"
        | "v_cvt_rpi_i32_f32"
        | "v_cvt_flr_i32_f32"
        | "v_cvt_nearest_i32_f32"
        | "v_cvt_floor_i32_f32"
        | "v_frexp_exp_i32_f32" => false,
        "v_frexp_exp_i32_f64" | "v_frexp_exp_i16_f16" => true,
        // Two halves, which the table calls bits.
        "v_cvt_pkrtz_f16_f32" | "v_cvt_pk_bf16_f32" | "v_cvt_pk_f16_f32" => true,
        name if name.starts_with("v_cvt_") && from_float => true,
        _ if is_compare(&operation.body) => false,
        _ => operation.to.is_float() && !matches!(operation.to, Type::M32 | Type::M16),
    }
}

/// Whether LLVM gives an instruction on 32 bits the modifiers of 16-bit ones.
pub(super) fn is_alignment(line: &Line) -> bool {
    matches!(line.name, "v_alignbit_b32" | "v_alignbyte_b32")
}

/// 16-bit instructions of the long encoding that cannot saturate; without true16, LLVM writes no selection of theirs.
pub(super) const WHOLE: [&str; 12] = [
    "v_mul_lo_u16",
    "v_max_u16",
    "v_max_i16",
    "v_min_u16",
    "v_min_i16",
    "v_lshlrev_b16",
    "v_lshrrev_b16",
    "v_ashrrev_i16",
    "v_and_b16",
    "v_or_b16",
    "v_xor_b16",
    "v_cndmask_b16",
];

/// The selections of halves that a long instruction has, a bit for each source and bit 3 for the result. Where LLVM
/// knows none, those that are set are not written, but hold all the same.
pub(in crate::families) fn selections(facts: &Facts, line: &Line, number: u32) -> u8 {
    let Some((operation, ..)) = line.vector() else {
        return 0;
    };
    let all = 8 | ((1 << encoded_sources(operation)) - 1);
    let from_halves = operation.from.iter().any(|from| from.is_half()) || is_alignment(line);
    let to_half = !facts.true16 && operation.to.is_half() && operation.keeps_half;
    let half = from_halves || to_half;
    match line.name {
        _ if compares_halves(facts, line) => 3,
        "v_cndmask_b16" if facts.true16 => 0,
        // Where halves of registers are operands, LLVM writes the selection as well.
        _ if facts.true16 && facts.is_short_in_long(number) => {
            if from_halves || operation.to.is_half() && !is_compare(&operation.body) {
                all
            } else {
                0
            }
        }
        "v_cvt_pk_fp8_f32" | "v_cvt_pk_bf8_f32" | "v_cvt_pk_f32_fp8" | "v_cvt_pk_f32_bf8"
            if facts.byte_selections =>
        {
            all
        }
        _ if facts.is_short_in_long(number) || line.name.contains("legacy") || !half => 0,
        "v_dot2_f16_f16" | "v_dot2_bf16_bf16" => 12,
        _ => all,
    }
}

/// Whether a source or the result is a half of a register.
pub(super) fn has_halves(line: &Line) -> bool {
    line.vector().is_some_and(|(operation, ..)| {
        operation.to.is_half() || operation.from.iter().any(|from| from.is_half())
    })
}

/// Whether it is a comparison of halves of registers.
pub(super) fn compares_halves(facts: &Facts, line: &Line) -> bool {
    let half =
        |operation: &VectorOperation| is_compare(&operation.body) && operation.from[0].is_half();
    facts.true16 && line.vector().is_some_and(|(operation, ..)| half(operation))
}

/// Whether the selection of halves means a byte of the source.
pub(in crate::families) fn selects_byte(facts: &Facts, line: &Line) -> bool {
    facts.byte_selections && matches!(line.name, "v_cvt_f32_fp8" | "v_cvt_f32_bf8")
}
