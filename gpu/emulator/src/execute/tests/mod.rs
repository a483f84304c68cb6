//! The register results of single instructions. The encodings are llvm-mc's; the expected values
//! were computed by hand from AMD's manual.

mod factors;
mod lanes;
mod members;
mod scalars;

use super::*;
use crate::isa::Isa;
use crate::memory::EmulatedMemory;
use crate::program::Program;

/// The initial MODE of compute kernels: denormals on, DX10_CLAMP, IEEE.
const USUAL: u32 = 0x3f0;

/// Runs `words` on a wave that `setup` has prepared; `text` is the first instruction's.
fn execute(
    words: &[u32],
    text: &str,
    memory: &mut EmulatedMemory,
    setup: impl FnOnce(&mut Wave),
) -> Wave {
    let mut lds = vec![0; 1024];
    execute_on(Isa::Gfx942, words, text, memory, &mut lds, setup)
}

/// Does the same as [`execute`] on an instruction set, with the LDS that the wave finds and
/// leaves.
fn execute_on(
    isa: Isa,
    words: &[u32],
    text: &str,
    memory: &mut EmulatedMemory,
    lds: &mut Vec<u8>,
    setup: impl FnOnce(&mut Wave),
) -> Wave {
    let mut all = words.to_vec();
    all.push(0xbf81_0000);
    let program = Program::of_words(isa, &all);
    assert_eq!(program.instructions()[0].to_string(), text);
    let prepared = PreparedProgram::new(&program);
    let mut wave = Wave::new(isa, 64);
    wave.set_exec(u64::MAX);
    wave.set_mode(USUAL);
    setup(&mut wave);
    let shared = memory.share();
    let mut device = WorkgroupContext {
        memory: &shared,
        most_arrived: 0,
        lds: std::mem::take(lds),
        instruction_limit: 100,
        load_address: 0,
        bytes_read: 0,
        bytes_written: 0,
        access: MemoryAccess::new(),
        observed: false,
    };
    let stop = run(&prepared, &mut wave, &mut device, &mut NoObserver);
    *lds = device.lds;
    match stop {
        WaveStop::End => wave,
        _ => panic!("{text} stops the wave"),
    }
}

/// Checks an instruction with sources in v0 to v3 of all lanes and its result in `to`.
#[track_caller]
fn check(words: &[u32], text: &str, from: [u32; 4], to: usize, expected: u32) {
    check_mode(USUAL, words, text, from, to, expected);
}

#[track_caller]
fn check_mode(mode: u32, words: &[u32], text: &str, from: [u32; 4], to: usize, expected: u32) {
    let wave = execute(words, text, &mut EmulatedMemory::new(), |wave| {
        wave.set_mode(mode);
        for (register, value) in from.into_iter().enumerate() {
            wave.vector[register].0 = [value; 64];
        }
        wave.set_pair(106, u64::MAX);
    });
    let got = wave.vector[to].0;
    assert_eq!(
        got, [expected; 64],
        "{text}: {:#x}, not {expected:#x}",
        got[0]
    );
}

const fn bits(value: f32) -> u32 {
    value.to_bits()
}

#[test]
fn parts_of_words() {
    check(
        &[0x0206_02f9, 0x1606_0600],
        "v_add_f32_sdwa v3, v0, -v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD",
        [bits(3.0), bits(1.0), 0, 0],
        3,
        bits(2.0),
    );
    check(
        &[0x6806_02f9, 0x050a_1100],
        "v_add_u32_sdwa v3, sext(v0), v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 src1_sel:WORD_1",
        [0x00f1_0000, 0x0020_0000, 0, 0xaabb_ccdd],
        3,
        0xaabb_11dd,
    );
    check(
        &[0x7e06_02f9, 0x0003_0d00],
        "v_mov_b32_sdwa v3, v0 dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_3",
        [0x8100_0000, 0, 0, 7],
        3,
        0x0081_0000,
    );
}

#[test]
fn halves_and_mixed_precision() {
    check(
        &[0xd3a0_0c03, 0x5c0a_0300],
        "v_fma_mix_f32 v3, v0, -v1, |v2| op_sel:[1,0,0] op_sel_hi:[1,1,0]",
        [0x4000_3c00, 0x4200, bits(-0.5), 0],
        3,
        bits(-5.5),
    );
    check(
        &[0xd3a2_0003, 0x040a_0300],
        "v_fma_mixhi_f16 v3, v0, v1, v2",
        [bits(1.5), bits(2.0), bits(0.25), 0x1234_5678],
        3,
        0x4280_5678,
    );
    check(
        &[0xd203_5003, 0x040a_0300],
        "v_mad_f16 v3, v0, v1, v2 op_sel:[0,1,0,1]",
        [0x4000, 0x4200_0000, 0x3c00, 0xabcd],
        3,
        0x4700_abcd,
    );
    check(
        &[0x3e06_0300],
        "v_add_f16_e32 v3, v0, v1",
        [0xffff_3c00, 0xffff_3c00, 0, 0x1234_5678],
        3,
        0x4000,
    );
    check(
        &[0xd296_0003, 0x0002_0300],
        "v_cvt_pkrtz_f16_f32 v3, v0, v1",
        [0x3f80_1000, bits(-65520.0), 0, 0],
        3,
        0xfbff_3c00,
    );
    check(
        &[0x7e06_1500],
        "v_cvt_f16_f32_e32 v3, v0",
        [bits(65520.0), 0, 0, 0],
        3,
        0x7c00,
    );
}

/// FP16_OVFL limits overflows, and keeps infinities.
#[test]
fn limited_halves() {
    const LIMITED: u32 = USUAL | (1 << 23);
    #[track_caller]
    fn limited(words: &[u32], text: &str, from: [u32; 4], expected: u32) {
        check_mode(LIMITED, words, text, from, 3, expected);
    }
    let convert = [0x7e06_1500];
    let text = "v_cvt_f16_f32_e32 v3, v0";
    limited(&convert, text, [bits(65520.0), 0, 0, 0], 0x7bff);
    limited(&convert, text, [bits(-1e9), 0, 0, 0], 0xfbff);
    limited(&convert, text, [bits(f32::INFINITY), 0, 0, 0], 0x7c00);
    let multiply = [0x4406_0300];
    let text = "v_mul_f16_e32 v3, v0, v1";
    limited(&multiply, text, [0x7000, 0x7000, 0, 0], 0x7bff);
    limited(&multiply, text, [0x7c00, 0x4000, 0, 0], 0x7c00);
    let invert = [0x7e06_7b00];
    limited(&invert, "v_rcp_f16_e32 v3, v0", [0, 0, 0, 0], 0x7c00);
    let add = [0xd38f_4003, 0x1802_0300];
    let text = "v_pk_add_f16 v3, v0, v1";
    limited(&add, text, [0xfbff_7bff, 0xfbff_7bff, 0, 0], 0xfbff_7bff);
    limited(&add, text, [0x7bff_7c00, 0x7bff_0000, 0, 0], 0x7bff_7c00);
    let narrow = [0xd2a2_0003, 0x0002_0300];
    let text = "v_cvt_pk_fp8_f32 v3, v0, v1";
    limited(
        &narrow,
        text,
        [bits(1e6), bits(f32::INFINITY), 0, 0],
        0x807f,
    );
}

#[test]
fn packed_values() {
    check(
        &[0xd38f_4803, 0x5002_0300],
        "v_pk_add_f16 v3, v0, v1 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[0,1]",
        [0x4000_3c00, 0x4400_3800, 0, 0],
        3,
        0x4500_3e00,
    );
    check(
        &[0xd380_c003, 0x1c0a_0300],
        "v_pk_mad_i16 v3, v0, v1, v2 clamp",
        [0x7fff_0002, 0x0002_0003, 0x0001_0004, 0],
        3,
        0x7fff_000a,
    );
    let fma: [u32; 2] = [0xd3b0_5004, 0x0c02_0500];
    let text = "v_pk_fma_f32 v[4:5], v[0:1], v[2:3], v[0:1] op_sel:[0,1,0] op_sel_hi:[1,0,1]";
    let from = [2.0, 3.0, 4.0, 5.0].map(bits);
    check(&fma, text, from, 4, bits(12.0));
    check(&fma, text, from, 5, bits(15.0));
    let select: [u32; 2] = [0xd3b3_4804, 0x1802_0500];
    let text = "v_pk_mov_b32 v[4:5], v[0:1], v[2:3] op_sel:[1,0]";
    check(&select, text, [2, 3, 4, 5], 4, 3);
    check(&select, text, [2, 3, 4, 5], 5, 4);
}

#[test]
fn result_modifiers() {
    let clamp = [0xd105_8003, 0x0002_0300];
    check(
        &clamp,
        "v_mul_f32_e64 v3, v0, v1 clamp",
        [bits(3.0), bits(2.0), 0, 0],
        3,
        bits(1.0),
    );
    check(
        &clamp,
        "v_mul_f32_e64 v3, v0, v1 clamp",
        [bits(f32::NAN), bits(2.0), 0, 0],
        3,
        0,
    );
    let twice = [0xd105_0003, 0x0802_0300];
    let text = "v_mul_f32_e64 v3, v0, v1 mul:2";
    check(&twice, text, [bits(3.0), bits(2.0), 0, 0], 3, bits(6.0));
    check_mode(
        0xc0,
        &twice,
        text,
        [bits(3.0), bits(2.0), 0, 0],
        3,
        bits(12.0),
    );
    check(
        &[0xd134_8003, 0x0002_0300],
        "v_add_u32_e64 v3, v0, v1 clamp",
        [u32::MAX, 2, 0, 0],
        3,
        u32::MAX,
    );
    check(
        &[0xd29d_8003, 0x0002_0300],
        "v_sub_i32 v3, v0, v1 clamp",
        [0x8000_0000, 1, 0, 0],
        3,
        0x8000_0000,
    );
}

#[test]
fn denormals_follow_the_mode() {
    let max = [0x1606_0300];
    let text = "v_max_f32_e32 v3, v0, v1";
    check(&max, text, [1, 0, 0, 0], 3, 1);
    check_mode(0x3c0, &max, text, [1, 0x8000_0000, 0, 0], 3, 0);
    // Denormal inputs are allowed, and results are flushed.
    check_mode(0x3d0, &max, text, [1, 0, 0, 0], 3, 0);
    let mul = [0xd105_0003, 0x0002_0300];
    let text = "v_mul_f32_e64 v3, v0, v1";
    check(&mul, text, [0x0080_0000, bits(0.5), 0, 0], 3, 0x0040_0000);
    check_mode(
        0x3d0,
        &mul,
        text,
        [0x0040_0000, bits(2.0), 0, 0],
        3,
        0x0080_0000,
    );
    check_mode(0x3c0, &mul, text, [0x0040_0000, bits(2.0), 0, 0], 3, 0);
}

#[test]
fn nan_rules() {
    let max = [0x1606_0300];
    let text = "v_max_f32_e32 v3, v0, v1";
    check(&max, text, [0x7f80_0001, bits(1.0), 0, 0], 3, 0x7fc0_0001);
    check_mode(
        0xf0,
        &max,
        text,
        [0x7f80_0001, bits(1.0), 0, 0],
        3,
        bits(1.0),
    );
    check(
        &[0xd1d6_0003, 0x040a_0300],
        "v_med3_f32 v3, v0, v1, v2",
        [bits(5.0), bits(f32::NAN), bits(2.0), 0],
        3,
        bits(2.0),
    );
    // Infinity times zero is the positive quiet NaN.
    check(
        &[0xd105_0003, 0x0002_0300],
        "v_mul_f32_e64 v3, v0, v1",
        [bits(f32::INFINITY), 0, 0, 0],
        3,
        0x7fc0_0000,
    );
}

#[test]
fn integers() {
    check(
        &[0x3806_0300],
        "v_addc_co_u32_e32 v3, vcc, v0, v1, vcc",
        [1, 2, 0, 0],
        3,
        4,
    );
    check(
        &[0xd1ed_0003, 0x040a_0300],
        "v_perm_b32 v3, v0, v1, v2",
        [0x1122_3344, 0x5566_7788, 0x0704_0c00, 0],
        3,
        0x1144_0088,
    );
    check(
        &[0xd1c9_0003, 0x040a_0300],
        "v_bfe_i32 v3, v0, v1, v2",
        [0xf80, 7, 4, 0],
        3,
        u32::MAX,
    );
    check(
        &[0xd1ce_0003, 0x040a_0300],
        "v_alignbit_b32 v3, v0, v1, v2",
        [1, 0x8000_0000, 31, 0],
        3,
        3,
    );
    check(
        &[0xd1d7_0003, 0x040a_0300],
        "v_med3_i32 v3, v0, v1, v2",
        [5, -3i32 as u32, 2, 0],
        3,
        2,
    );
    check(
        &[0xd1d9_0003, 0x040a_0300],
        "v_sad_u8 v3, v0, v1, v2",
        [0x0102_0304, 0x0403_0201, 10, 0],
        3,
        18,
    );
    check(
        &[0xd3a8_4003, 0x1c0a_0300],
        "v_dot4_i32_i8 v3, v0, v1, v2",
        [0xff02_0304, 0x0201_0101, 100, 0],
        3,
        107,
    );
    check(
        &[0x7e06_5f00],
        "v_ffbh_i32_e32 v3, v0",
        [0xffff_0000, 0, 0, 0],
        3,
        16,
    );
    check(
        &[0x0e06_0300],
        "v_mul_hi_i32_i24_e32 v3, v0, v1",
        [0x80_0000, 0x7f_ffff, 0, 0],
        3,
        0xffff_c000,
    );
    let wide = [0xd208_0004, 0x0409_0700];
    let text = "v_lshl_add_u64 v[4:5], v[0:1], 3, v[2:3]";
    check(&wide, text, [1, 1, 5, 0], 4, 13);
    check(&wide, text, [1, 1, 5, 0], 5, 8);
    let shift = [0xd291_0004, 0x0002_0500];
    check(
        &shift,
        "v_ashrrev_i64 v[4:5], v0, v[2:3]",
        [36, 0, 0, 0x8000_0000],
        4,
        0xf800_0000,
    );
    check(
        &shift,
        "v_ashrrev_i64 v[4:5], v0, v[2:3]",
        [36, 0, 0, 0x8000_0000],
        5,
        u32::MAX,
    );
}

#[test]
fn conversions() {
    check(
        &[0xd288_0003, 0x0002_0300],
        "v_ldexp_f32 v3, v0, v1",
        [bits(1.5), -149i32 as u32, 0, 0],
        3,
        2,
    );
    check(
        &[0x7e06_6900],
        "v_frexp_mant_f32_e32 v3, v0",
        [bits(12.0), 0, 0, 0],
        3,
        bits(0.75),
    );
    check(
        &[0x7e06_0f00],
        "v_cvt_u32_f32_e32 v3, v0",
        [bits(-1.0), 0, 0, 0],
        3,
        0,
    );
    check(
        &[0x7e06_3700],
        "v_fract_f32_e32 v3, v0",
        [bits(-0.25), 0, 0, 0],
        3,
        bits(0.75),
    );
    let large = 3e9f64.to_bits();
    check(
        &[0x7e06_0700],
        "v_cvt_i32_f64_e32 v3, v[0:1]",
        [large as u32, (large >> 32) as u32, 0, 0],
        3,
        0x7fff_ffff,
    );
}
