//! The opcode tables of gfx11: number in the format, LLVM's name, operation.

mod buffer;
mod compare;
mod flat;
mod image;
mod lds;
mod program;
mod scalar;
mod vector;
mod vop3;

use crate::families::encoding::CommonFormat;
use crate::families::tables::{Index, OpcodeEntry, finders, numbered};
use crate::isa::Isa;

finders! {
    sop1 = scalar::SOP1;
    sop2 = scalar::SOP2;
    sopk = program::SOPK;
    sopc = scalar::SOPC;
    sopp = program::SOPP;
    smem = buffer::SMEM;
    vop1 = vector::VOP1;
    vop2 = vector::VOP2;
    vopc = compare::VOPC;
    vop3p = vop3::VOP3P;
    interpolation = vop3::VINTERP;
    lds_direct = vop3::LDSDIR;
    dual = vector::DUAL;
    ds = lds::DS;
    mubuf = buffer::MUBUF;
    mtbuf = buffer::MTBUF;
    image = image::MIMG;
    export = image::EXP;
    flat_addresses = flat::FLAT_MOVES, flat::FLAT_ATOMICS;
    global_addresses = flat::GLOBAL_MOVES, flat::GLOBAL_ATOMICS, flat::GLOBAL;
    scratch_addresses = flat::SCRATCH_MOVES;
}

/// Returns the entry of a format that all families share.
pub(super) fn common(isa: Isa, format: CommonFormat, number: u32) -> Option<&'static OpcodeEntry> {
    match format {
        CommonFormat::Sop1 => sop1(isa, number),
        CommonFormat::Sop2 => sop2(isa, number),
        CommonFormat::Sopk => sopk(isa, number),
        CommonFormat::Sopc => sopc(isa, number),
        CommonFormat::Sopp => sopp(isa, number),
        CommonFormat::Vop1 => vop1(isa, number),
        CommonFormat::Vop2 => vop2(isa, number),
        CommonFormat::Vopc => vopc(isa, number),
        CommonFormat::Vop3 => vop3(isa, number),
        CommonFormat::Vop3p => vop3p(isa, number),
    }
}

/// Returns the entry of a FLAT, SCRATCH or GLOBAL instruction. They share a format, and the
/// segment distinguishes them.
pub(super) fn flat(isa: Isa, segment: u32, number: u32) -> Option<&'static OpcodeEntry> {
    match segment {
        0 => flat_addresses(isa, number),
        1 => scratch_addresses(isa, number),
        2 => global_addresses(isa, number),
        _ => None,
    }
}

/// Short instructions without a long encoding, besides those with their own literal.
const SHORT_ONLY: [&str; 8] = [
    "v_illegal",
    "v_dot2acc_f32_f16",
    "v_pk_fmac_f16",
    "v_readfirstlane_b32",
    "v_swap_b32",
    "v_swap_b16",
    "v_permlane64_b32",
    "v_swaprel_b32",
];

/// Returns the entry of a long instruction: a comparison, a short instruction from 0x100 and
/// 0x180 on, or a long-only one.
fn vop3(isa: Isa, number: u32) -> Option<&'static OpcodeEntry> {
    static INDEX: Index = Index::new();
    INDEX.find(isa, number, || {
        // Comparisons have the same numbers in both encodings.
        let mut lines = numbered(compare::VOPC);
        for (base, short) in [(0x100, vector::VOP2), (0x180, vector::VOP1)] {
            // The long encoding has no room for the literal that some short instructions contain.
            let also_long = short
                .iter()
                .filter(|line| line.immediate.is_none() && !SHORT_ONLY.contains(&line.name));
            lines.extend(also_long.map(|line| (base + line.number, line)));
        }
        // Later entries replace earlier ones, so the long-only table comes last.
        lines.extend(numbered(vop3::VOP3));
        lines
    })
}
