//! The instructions of gfx11, a line for each: number in its format, LLVM's name, operation.

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

/// The formats that all families share.
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

/// FLAT, SCRATCH and GLOBAL share a format; the segment tells them apart.
pub(super) fn flat(isa: Isa, segment: u32, number: u32) -> Option<&'static OpcodeEntry> {
    match segment {
        0 => flat_addresses(isa, number),
        1 => scratch_addresses(isa, number),
        2 => global_addresses(isa, number),
        _ => None,
    }
}

/// Short instructions that the long encoding does not have, beside those with a literal of their own.
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

/// The long encoding holds the comparisons, the short instructions from 0x100 and 0x180 on, and its own.
fn vop3(isa: Isa, number: u32) -> Option<&'static OpcodeEntry> {
    static INDEX: Index = Index::new();
    INDEX.find(isa, number, || {
        let mut lines = numbered(compare::VOPC);
        for (base, short) in [(0x100, vector::VOP2), (0x180, vector::VOP1)] {
            let also_long = short
                .iter()
                .filter(|line| line.immediate.is_none() && !SHORT_ONLY.contains(&line.name));
            lines.extend(also_long.map(|line| (base + line.number, line)));
        }
        lines.extend(numbered(vop3::VOP3));
        lines
    })
}
