//! Facts about instructions besides their operations, with the names of the instructions.
//!
//! A family's tables define the operation of an instruction. Other properties of its encoding
//! follow no rule, but are the same in every family. They are listed here once, and
//! [`OpcodeEntry::is`](super::tables::OpcodeEntry::is) tests for them. The facts are those of
//! LLVM's disassembler, and the decoder's test compares all of them. Bits in each table entry,
//! computed at compile time, added more than a minute of compilation.

/// Defines the flags: a name and the instructions that have it. `*` matches any letters.
macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $($glob:literal)|+;)*) => {
        /// A fact about an instruction.
        #[derive(Clone, Copy, Debug)]
        pub(in crate::families) enum Flag {
            $($(#[$doc])* $name,)*
        }

        /// The globs of each flag, in the order of the flags.
        const TABLE: &[(Flag, &[&str])] = &[$((Flag::$name, &[$($glob),+]),)*];
    };
}

flags! {
    /// A vector instruction with meaningless operand fields.
    NoOperands = "v_nop" | "v_clrexcp" | "v_pipeflush";
    /// An instruction without operands that may have a DPP word anyway.
    NothingOfLanes = "v_nop";
    /// A truth table in the fields of modifiers.
    TruthTable = "v_bitop3*";

    /// A conversion of 8-bit floats.
    Widens8 = "v_cvt_*_fp8" | "v_cvt_*_bf8";
    Widens8ToSingle = "*f32_fp8" | "*f32_bf8";
    Widens8ToOne = "v_cvt_f32_fp8" | "v_cvt_f32_bf8";
    Widens8ToTwo = "v_cvt_pk_f32_fp8" | "v_cvt_pk_f32_bf8";
    /// A conversion of singles to 8-bit floats.
    Narrows8 = "v_cvt_pk_fp8_f32" | "v_cvt_pk_bf8_f32";
    NarrowsToBfloat = "v_cvt_pk_bf16_f32";
    NarrowsToHalves = "v_cvt_pkrtz_f16_f32";
    Converts = "v_cvt_*";

    /// A multiply-add of singles and halves.
    Mixed = "v_fma_mix*";
    /// A multiply-add with its result in a register's upper half.
    MixedHigh = "v_fma_mixhi_f16";
    /// A move of accumulation registers.
    Accumulation = "v_accvgpr*";
    FromAccumulation = "v_accvgpr_read_b32";
    ToAccumulation = "v_accvgpr_write_b32";
    BetweenAccumulation = "v_accvgpr_mov_b32";

    /// A dot product.
    Dot = "v_dot*";
    /// A dot product of two values; to a single.
    Dot2 = "v_dot2*";
    Dot2ToSingle = "v_dot2_f32*";
    /// A dot product of four bytes or eight nibbles.
    DotOfBytes = "v_dot4*" | "v_dot8*";
    DotInPlace = "v_dot*c_i32_*";
    /// The last step of a quotient with its scale in VCC.
    LastOfQuotient = "v_div_fmas*";
    DotToHalf = "v_dot2_f16_f16" | "v_dot2_bf16_bf16";
    PackedMultiplyAdd = "v_pk_fmac_f16";

    /// A 32-bit operation with the modifiers of 16-bit instructions.
    Alignment = "v_alignbit_b32" | "v_alignbyte_b32";
    /// A test of the class of a float.
    Class = "v_cmp_class_*" | "v_cmpx_class_*";
    ClassOfHalf = "v_cmp_class_f16" | "v_cmpx_class_f16";
    ClassToExec = "v_cmpx_class_*";
    ConditionOfHalves = "v_cndmask_b16";
    /// A 16-bit instruction of the long encoding that cannot saturate. Without true16, LLVM does
    /// not print its selection.
    Whole16 = "v_mul_lo_u16" | "v_max_u16" | "v_max_i16" | "v_min_u16" | "v_min_i16" | "v_lshlrev_b16"
        | "v_lshrrev_b16" | "v_ashrrev_i16" | "v_and_b16" | "v_or_b16" | "v_xor_b16" | "v_cndmask_b16";
    /// An older variant, which selects no halves.
    Legacy = "*legacy*";

    /// Signs of the first two sources, although their types are not floats.
    SignedPair = "v_dot2c_f32_f16" | "v_dot2c_f32_bf16" | "v_dot2acc_f32_f16" | "v_pk_fmac_f16";
    /// Signs of the second source that are accepted without a meaning.
    SecondSignsIgnored = "v_ldexp_f16" | "v_ldexp_f32" | "v_ldexp_f64" | "v_trig_preop_f64"
        | "v_cvt_pkaccum_u8_f32";
    /// The same for the second and the third source.
    LaterSignsIgnored = "v_cvt_pk_u8_f32";
    /// The same for all sources.
    SignsIgnored = "v_ashr_pk*";
    /// The same for the first source, with true16.
    FirstSignsIgnored = "v_sat_pk_u8_i16";

    NeverSaturates = "v_bitop3*" | "v_ashr_pk*" | "v_cvt_pk_fp8*" | "v_cvt_pk_bf8*";
    /// Saturation of integers.
    Saturates = "v_add_*" | "v_sub*" | "v_mad_*" | "v_sad_*" | "v_msad_*" | "v_qsad_*" | "v_mqsad_*"
        | "v_mul_i32_i24*" | "v_mul_u32_u24*" | "v_dot*";
    /// No saturation, because the operation shifts too.
    ShiftsLeft = "*lshl*";
    /// An output modifier, although the result is no float: two halves, which the table calls
    /// bits, and exponents.
    Output = "v_cvt_pk_rtz_f16_f32" | "v_frexp_exp_i32_f64" | "v_frexp_exp_i16_f16" | "v_cvt_pkrtz_f16_f32"
        | "v_cvt_pk_bf16_f32" | "v_cvt_pk_f16_f32";
    /// No output modifier, although the result or the source is a float.
    NoOutput = "v_pack_b32_f16" | "v_dot2_f16_f16" | "v_dot2_bf16_bf16" | "v_cvt_rpi_i32_f32"
        | "v_cvt_flr_i32_f32" | "v_cvt_nearest_i32_f32" | "v_cvt_floor_i32_f32" | "v_frexp_exp_i32_f32";
    /// No DPP word, although long instructions have them: several passes, or LLVM's oversight.
    NoLanes = "v_div_scale_f32" | "v_div_fixup_f32" | "v_div_fmas_f32" | "v_fma_dx9_zero_f32"
        | "v_fmac_dx9_zero_f32" | "v_mul_lo_u32" | "v_mul_hi_u32" | "v_mul_hi_i32" | "v_pk_fmac_f16";
    /// No DPP word in any family: gfx10's has none, and later ones have another name.
    NeverLanes = "v_fmac_legacy_f32";
    /// A lane's value in a scalar register.
    ReadsLane = "v_read*";

    /// The number of sources of a refused instruction.
    OneSource = "v_screen_partition_4se_b32";
    TwoSources = "v_cvt_sr_*" | "v_trig_preop_f64";
    TwoSourcesOfGfx9 = "v_mfma_ld_scale_b32" | "v_cvt_sr_*";
    ThreeSources = "v_mqsad_*" | "v_dot4_f32_*" | "v_wmma_*";
    ThreeSourcesOfGfx9 = "*_sr_*" | "*_2xpk16_*" | "*_pk_fp8_f32*" | "*_pk_bf8_f32*" | "*_pk_fp4_f32*" | "*mfma*"
        | "*mqsad*";

    /// Program control with an immediate that must be 0.
    ZeroImmediate = "s_wakeup" | "s_barrier" | "s_icache_inv" | "s_ttracedata" | "s_endpgm_saved"
        | "s_set_gpr_idx_off" | "s_endpgm_ordered_ps_done" | "s_code_end" | "s_wait_idle";
    /// A zero-extended 16-bit immediate, for unsigned comparisons.
    UnsignedImmediate = "s_cmpk*u32";
    /// An immediate in the next word.
    LongImmediate = "s_setreg_imm32_b32";
    /// A schedule hint with a structured immediate.
    Delay = "s_delay_alu";
    /// A scalar memory instruction without an address.
    InvalidatesScalars = "s_dcache_inv";
    DiscardsScalars = "s_dcache_discard*";
    /// A scalar access with a buffer resource.
    ScalarBuffer = "s_buffer_*";
    /// An address relative to the program counter.
    OfProgram = "*pc_rel";
    WritesBack = "buffer_wbl2";
    FloatAtomic = "*_f16" | "*_f32" | "*_f64";
    /// Two accesses with offsets in units of 64 elements.
    Strided = "ds_*64_*";

    /// A wait for several counters in one immediate, before each had its own instruction.
    WaitsForFields = "s_waitcnt";
    WaitsForLoads = "s_waitcnt_vmcnt" | "s_wait_loadcnt" | "s_wait_loadcnt_dscnt";
    WaitsForStores = "s_waitcnt_vscnt" | "s_wait_storecnt" | "s_wait_storecnt_dscnt";
    WaitsForLds = "s_waitcnt_lgkmcnt" | "s_wait_dscnt" | "s_wait_loadcnt_dscnt" | "s_wait_storecnt_dscnt";
    WaitsForScalars = "s_waitcnt_lgkmcnt" | "s_wait_kmcnt";
    WaitsForExports = "s_waitcnt_expcnt";
    WaitsForAll = "s_wait_idle";
}

impl Flag {
    /// Returns true if an instruction of this name has the flag.
    pub(super) fn is_of(self, name: &str) -> bool {
        let (_, globs) = TABLE[self as usize];
        let mut globs = globs.iter();
        globs.any(|glob| fits(name.as_bytes(), glob.as_bytes()))
    }
}

/// Returns true if a name matches a glob with `*`.
fn fits(name: &[u8], glob: &[u8]) -> bool {
    let (mut at, mut place) = (0, 0);
    // The place of the last star, and the number of letters that it matches: the glob backtracks
    // only to there.
    let (mut star, mut taken) = (None, 0);
    while at < name.len() {
        if place < glob.len() && glob[place] == b'*' {
            star = Some(place);
            taken = at;
            place += 1;
        } else if place < glob.len() && glob[place] == name[at] {
            at += 1;
            place += 1;
        } else if let Some(star) = star {
            place = star + 1;
            taken += 1;
            at = taken;
        } else {
            return false;
        }
    }
    while place < glob.len() && glob[place] == b'*' {
        place += 1;
    }
    place == glob.len()
}

#[cfg(test)]
mod tests {
    use super::{Flag, TABLE, fits};

    #[test]
    fn stars_stand_for_any_letters() {
        #[track_caller]
        fn check(glob: &str, name: &str, expected: bool) {
            assert_eq!(fits(name.as_bytes(), glob.as_bytes()), expected);
        }
        check("v_nop", "v_nop", true);
        check("v_nop", "v_nops", false);
        check("v_nop", "v_no", false);
        check("v_dot*", "v_dot", true);
        check("v_dot*c_i32_*", "v_dot4c_i32_i8", true);
        check("v_dot*c_i32_*", "v_dot4_i32_i8", false);
        check("s_cmpk*u32", "s_cmpk_lt_u32", true);
        check("s_cmpk*u32", "s_cmpk_lt_u32x", false);
        check("*64_*", "ds_read2st64_b32", true);
        check("*64_*", "ds_read_b64", false);
    }

    #[test]
    fn names_have_the_flags_of_their_rows() {
        let has = |flag: Flag| flag.is_of("v_dot2c_f32_f16");
        assert!(has(Flag::Dot) && has(Flag::Dot2) && has(Flag::SignedPair));
        assert!(!has(Flag::DotOfBytes) && !has(Flag::Mixed));
        for (index, (flag, _)) in TABLE.iter().enumerate() {
            assert_eq!(*flag as usize, index, "{flag:?}");
        }
    }
}
