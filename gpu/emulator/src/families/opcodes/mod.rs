//! The opcode tables of all families, and the lookup of an instruction by its format and number.
//!
//! A row is an instruction: its numbers on gfx9, gfx10, gfx11 and gfx12, LLVM's name without the
//! encoding's suffix, and its operation. `NONE` stands for a family without the instruction. A
//! second row of a name has another operation or another format. Rows are in the order of gfx9's
//! numbers, and newer instructions follow their predecessor in the first family that has them.

mod buffer;
mod compare;
mod flat;
mod graphics;
mod lds;
mod program;
mod scalar;
mod scalar_memory;
#[cfg(test)]
mod tests;
mod vector;
mod vop3;
mod vop3p;

use crate::families::encoding::{CommonFormat, Segment};
use crate::families::tables::{Index, OpcodeEntry, finders, numbered};
use crate::isa::{EncodingFamily, Isa};

/// CDNA 2 and later.
const FROM_90A: &[Isa] = &[Isa::Gfx90a, Isa::Gfx942, Isa::Gfx950];
/// CDNA 3 and later.
const FROM_942: &[Isa] = &[Isa::Gfx942, Isa::Gfx950];
/// Before CDNA 3.
const BEFORE_942: &[Isa] = &[Isa::Gfx906, Isa::Gfx90a];
const ONLY_906: &[Isa] = &[Isa::Gfx906];
const ONLY_90A: &[Isa] = &[Isa::Gfx90a];
const ONLY_942: &[Isa] = &[Isa::Gfx942];
const ONLY_950: &[Isa] = &[Isa::Gfx950];
const ONLY_1151: &[Isa] = &[Isa::Gfx1151];

/// The first number of VOP3 in the table of VOP2. VOP2's own numbers have 6 bits.
const LONG: u16 = 0x100;

finders! {
    sop1 = scalar::SOP1;
    sop2 = scalar::SOP2;
    sopk = program::SOPK;
    sopc = scalar::SOPC;
    sopp = program::SOPP;
    smem = scalar_memory::SMEM;
    vop1 = vector::VOP1;
    vop2 = vector::VOP2;
    vopc = compare::VOPC;
    vop3p = vop3p::VOP3P;
    dual = vector::DUAL;
    ds = lds::DS;
    mubuf = buffer::BUFFER;
    mtbuf = buffer::TYPED_BUFFER;
    vbuffer = buffer::BUFFER, buffer::TYPED_BUFFER;
    mimg = graphics::IMAGE, graphics::SAMPLE;
    vimage = graphics::IMAGE;
    vsample = graphics::SAMPLE;
    interpolation = graphics::INTERPOLATION;
    direct_load = graphics::DIRECT_LOAD;
    export = graphics::EXPORT;
    flat_addresses = flat::FLAT_MOVES, flat::FLAT_ATOMICS, flat::FLAT;
    scratch_addresses = flat::SCRATCH_MOVES, flat::SCRATCH_BLOCKS;
    global_addresses = flat::GLOBAL_MOVES, flat::GLOBAL_ATOMICS, flat::GLOBAL_BLOCKS, flat::GLOBAL;
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
pub(super) fn flat(isa: Isa, segment: Segment, number: u32) -> Option<&'static OpcodeEntry> {
    match segment {
        Segment::Flat => flat_addresses(isa, number),
        Segment::Scratch => scratch_addresses(isa, number),
        Segment::Global => global_addresses(isa, number),
    }
}

/// Returns the entry of a long instruction: a comparison, a short instruction, or a long-only one.
/// The numbers of VOP2 begin at 0x100 here, and those of VOP1 at 0x180 (gfx9: 0x140).
fn vop3(isa: Isa, number: u32) -> Option<&'static OpcodeEntry> {
    static INDEX: Index = Index::new();
    INDEX.find(isa, number, || {
        let vop1 = match isa.family() {
            EncodingFamily::Gfx9 => 0x140,
            _ => 0x180,
        };
        // Comparisons have the same numbers in both encodings.
        let mut lines = numbered(isa, compare::VOPC);
        for (base, table) in [(LONG, vector::VOP2), (vop1, vector::VOP1)] {
            for (number, line) in numbered(isa, table) {
                if number >= LONG {
                    lines.push((number, line));
                } else if has_long_encoding(isa, line) {
                    lines.push((base + number, line));
                }
            }
        }
        lines.extend(numbered(isa, vop3::VOP3));
        lines
    })
}

/// Returns true if a short instruction has a long encoding, too. That has no room for the literal
/// that some short instructions contain.
fn has_long_encoding(isa: Isa, line: &OpcodeEntry) -> bool {
    const NEVER_LONG: [&str; 6] = [
        "v_illegal",
        "v_readfirstlane_b32",
        "v_swap_b32",
        "v_swaprel_b32",
        "v_permlane64_b32",
        "v_accvgpr_mov_b32",
    ];
    line.immediate.is_none()
        && !NEVER_LONG.contains(&line.name)
        && !short_only(isa.family()).contains(&line.name)
}

/// Returns the instructions that have no long encoding in this family, but in others.
pub(super) const fn short_only(family: EncodingFamily) -> &'static [&'static str] {
    match family {
        EncodingFamily::Gfx9 => &[],
        EncodingFamily::Gfx10 => &["v_dot2c_f32_f16", "v_dot4c_i32_i8", "v_pk_fmac_f16"],
        EncodingFamily::Gfx11 => &["v_dot2acc_f32_f16", "v_pk_fmac_f16", "v_swap_b16"],
        EncodingFamily::Gfx12 => &["v_pk_fmac_f16"],
    }
}
