//! Single instructions: what they leave in registers. Encodings are llvm-mc's; expected values were worked out by hand
//! from AMD's manual.

use super::*;
use crate::isa::Isa;
use crate::memory::Memory;
use crate::program::Program;

/// Denormals on, DX10_CLAMP, IEEE: how compute kernels start.
const USUAL: u32 = 0x3f0;

/// Runs `words` on a wave that `setup` has prepared; `text` is the first instruction's.
fn execute(words: &[u32], text: &str, memory: &mut Memory, setup: impl FnOnce(&mut Wave)) -> Wave {
    let mut all = words.to_vec();
    all.push(0xbf81_0000);
    let program = Program::of_words(Isa::Gfx942, &all);
    assert_eq!(program.instructions()[0].to_string(), text);
    let prepared = Prepared::new(&program);
    let mut wave = Wave::new();
    wave.set_exec(u64::MAX);
    wave.set_mode(USUAL);
    setup(&mut wave);
    let mut device = Device {
        memory,
        lds: vec![0; 1024],
        instruction_limit: 100,
        load_address: 0,
        bytes_read: 0,
        bytes_written: 0,
        access: Access::new(),
        recorder: None,
    };
    match run(&prepared, &mut wave, &mut device) {
        Stop::End => wave,
        _ => panic!("{text} stops the wave"),
    }
}

/// Sources in v0 to v3 of all lanes, result in `to`.
#[track_caller]
fn check(words: &[u32], text: &str, from: [u32; 4], to: usize, expected: u32) {
    check_mode(USUAL, words, text, from, to, expected);
}

#[track_caller]
fn check_mode(mode: u32, words: &[u32], text: &str, from: [u32; 4], to: usize, expected: u32) {
    let wave = execute(words, text, &mut Memory::new(), |wave| {
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
    // Inputs allowed, results flushed.
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
    // Infinity times zero: the positive quiet NaN.
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

#[test]
fn carries_and_comparisons_write_masks() {
    let lanes = |wave: &mut Wave| {
        wave.vector[0].0 = std::array::from_fn(|lane| lane as u32);
        wave.vector[1].0 = [10; 64];
        wave.set_exec(0xffff_0000_0000_00ff);
    };
    let wave = execute(
        &[0x7d82_0300],
        "v_cmp_lt_i32_e32 vcc, v0, v1",
        &mut Memory::new(),
        lanes,
    );
    assert_eq!((wave.pair(106), wave.exec()), (0xff, 0xffff_0000_0000_00ff));
    let wave = execute(
        &[0x7da2_0300],
        "v_cmpx_lt_i32_e32 vcc, v0, v1",
        &mut Memory::new(),
        lanes,
    );
    assert_eq!((wave.pair(106), wave.exec()), (0xff, 0xff));
    let wave = execute(
        &[0xd010_0002, 0x0002_0300],
        "v_cmp_class_f32_e64 s[2:3], v0, v1",
        &mut Memory::new(),
        |wave| {
            wave.vector[0].0 =
                std::array::from_fn(|lane| if lane % 2 == 0 { bits(-0.0) } else { 0 });
            wave.vector[1].0 = [0x20; 64];
        },
    );
    assert_eq!(wave.pair(2), 0x5555_5555_5555_5555);
    let wave = execute(
        &[0xd1e8_0204, 0x040a_0300],
        "v_mad_u64_u32 v[4:5], s[2:3], v0, v1, v[2:3]",
        &mut Memory::new(),
        |wave| {
            for register in 0..4 {
                wave.vector[register].0 = [u32::MAX; 64];
            }
        },
    );
    assert_eq!(
        (wave.vector[4].0[9], wave.vector[5].0[9], wave.pair(2)),
        (0, 0xffff_fffe, u64::MAX)
    );
    let wave = execute(
        &[0xd100_0203, 0x200a_0300],
        "v_cndmask_b32_e64 v3, -v0, |v1|, s[2:3]",
        &mut Memory::new(),
        |wave| {
            wave.set_pair(2, 1);
            wave.vector[0].0 = [bits(1.0); 64];
            wave.vector[1].0 = [bits(-2.0); 64];
        },
    );
    assert_eq!(wave.vector[3].0[..2], [bits(2.0), bits(-1.0)]);
}

#[track_caller]
fn check_scalar(words: &[u32], text: &str, sources: [u32; 2], to: u8, expected: u64, scc: bool) {
    let wave = execute(words, text, &mut Memory::new(), |wave| {
        wave.set_scalar(5, 3);
        wave.set_scalar(6, sources[0]);
        wave.set_scalar(7, sources[1]);
    });
    assert_eq!(
        (
            wave.pair(to) & if to == 4 { u64::MAX } else { 0xffff_ffff },
            wave.scc
        ),
        (expected, scc),
        "{text}"
    );
}

#[test]
fn scalars() {
    check_scalar(
        &[0x9305_0706],
        "s_bfe_i32 s5, s6, s7",
        [0x8000_0000, 0x1_001f],
        5,
        0xffff_ffff,
        true,
    );
    check_scalar(
        &[0xbe85_1206],
        "s_flbit_i32_b32 s5, s6",
        [0x1_0000, 0],
        5,
        15,
        false,
    );
    check_scalar(
        &[0xbe84_3706],
        "s_bitreplicate_b64_b32 s[4:5], s6",
        [5, 0],
        4,
        0b11_0011,
        false,
    );
    check_scalar(
        &[0xbe84_0706],
        "s_wqm_b64 s[4:5], s[6:7]",
        [0x20, 1],
        4,
        0xf_0000_00f0,
        true,
    );
    check_scalar(
        &[0x9505_0706],
        "s_absdiff_i32 s5, s6, s7",
        [3, -5i32 as u32],
        5,
        8,
        true,
    );
    check_scalar(
        &[0x8285_0706],
        "s_subb_u32 s5, s6, s7",
        [3, 5],
        5,
        0xffff_fffe,
        true,
    );
    check_scalar(
        &[0xb785_fff9],
        "s_mulk_i32 s5, 0xfff9",
        [0, 0],
        5,
        -21i32 as u32 as u64,
        false,
    );
}

#[test]
fn lanes_cross() {
    let ramp = |wave: &mut Wave| wave.vector[0].0 = std::array::from_fn(|lane| 100 + lane as u32);
    let wave = execute(
        &[0xd87a_401f, 0x0300_0000],
        "ds_swizzle_b32 v3, v0 offset:swizzle(SWAP,16)",
        &mut Memory::new(),
        ramp,
    );
    assert_eq!(
        wave.vector[3].0,
        std::array::from_fn(|lane| 100 + (lane as u32 ^ 16))
    );
    let wave = execute(
        &[0xd87e_0000, 0x0300_0001],
        "ds_bpermute_b32 v3, v1, v0",
        &mut Memory::new(),
        |wave| {
            ramp(wave);
            wave.vector[1].0 = std::array::from_fn(|lane| 4 * (63 - lane as u32));
            wave.set_exec(!1);
        },
    );
    assert_eq!(
        (
            wave.vector[3].0[63],
            wave.vector[3].0[62],
            wave.vector[3].0[0]
        ),
        (0, 101, 0)
    );
    let wave = execute(
        &[0xd289_0005, 0x0000_0f00],
        "v_readlane_b32 s5, v0, s7",
        &mut Memory::new(),
        |wave| {
            ramp(wave);
            wave.set_scalar(7, 64 + 9);
        },
    );
    assert_eq!(wave.scalar(5), 109);
    let both = [0xd28c_0003, 0x0002_0300, 0xd28d_0003, 0x0002_0700];
    let wave = execute(
        &both,
        "v_mbcnt_lo_u32_b32 v3, v0, v1",
        &mut Memory::new(),
        |wave| {
            wave.vector[0].0 = [u32::MAX; 64];
        },
    );
    // The second takes its sum from v3.
    assert_eq!(wave.vector[3].0, std::array::from_fn(|lane| lane as u32));
    let moves = [0xd3d9_4007, 0x1800_0100, 0xd3d8_4003, 0x1800_0107];
    let wave = execute(
        &moves,
        "v_accvgpr_write_b32 a7, v0",
        &mut Memory::new(),
        ramp,
    );
    assert_eq!(wave.vector[3].0, wave.vector[0].0);
    let wave = execute(
        &[0x7e00_a301],
        "v_swap_b32 v0, v1",
        &mut Memory::new(),
        |wave| {
            ramp(wave);
            wave.set_exec(2);
        },
    );
    assert_eq!(
        (
            wave.vector[0].0[1],
            wave.vector[1].0[1],
            wave.vector[1].0[2]
        ),
        (0, 101, 0)
    );
}

#[test]
fn buffers_check_their_range() {
    let mut memory = Memory::new();
    let data = memory.allocate(64).unwrap();
    for (index, byte) in memory.bytes_mut(data).iter_mut().enumerate() {
        *byte = index as u8;
    }
    let setup = |wave: &mut Wave| {
        wave.set_pair(8, data.get());
        // 26 bytes: the third word of lane 1 is cut off.
        wave.set_scalar(10, 26);
        wave.set_scalar(11, 0x27000);
        wave.vector[0].0 = std::array::from_fn(|lane| 12 * lane as u32);
        wave.vector[1].0 = [0xffff_ffff; 64];
        for register in 4..8 {
            wave.vector[register].0 = [7; 64];
        }
    };
    let text = "buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 offen offset:4";
    let wave = execute(&[0xe05c_1004, 0x8002_0400], text, &mut memory, setup);
    let lane = |lane: usize| [4, 5, 6, 7].map(|register| wave.vector[register].0[lane]);
    assert_eq!(
        lane(0),
        [0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c, 0x1312_1110]
    );
    assert_eq!(lane(1), [0x1312_1110, 0x1716_1514, 0, 0]);
    assert_eq!(lane(2), [0; 4]);
    let text = "buffer_store_dword v1, v0, s[8:11], 0 offen";
    execute(&[0xe070_1000, 0x8002_0100], text, &mut memory, setup);
    let bytes = memory.bytes(data);
    assert_eq!(bytes[..4], [255; 4]);
    assert_eq!(bytes[12..16], [255; 4]);
    // The word at 24 would end at 28, beyond the range.
    assert_eq!(bytes[24..28], [24, 25, 26, 27]);
}

/// What the manual's table of DPP controls says of lane `n`: the lane that it reads.
fn manual(control: u32, n: u32) -> Option<u32> {
    let count = control & 15;
    match control {
        0..=0xff => Some((n & 0x3c) + ((control >> (n % 4 * 2)) & 3)),
        0x101..=0x10f => ((n & 15) < 16 - count).then_some(n + count),
        0x111..=0x11f => ((n & 15) >= count).then(|| n - count),
        0x121..=0x12f => Some(if (n & 15) >= count {
            n - count
        } else {
            n + 16 - count
        }),
        0x130 => (n < 63).then_some(n + 1),
        0x134 => Some(if n < 63 { n + 1 } else { 0 }),
        0x138 => (n > 0).then(|| n - 1),
        0x13c => Some(if n > 0 { n - 1 } else { 63 }),
        0x140 => Some((n & 0x30) + 15 - (n & 15)),
        0x141 => Some((n & 0x38) + 7 - (n & 7)),
        0x142 => (n > 15).then(|| (n & 0x30) - 1),
        0x143 => (n > 31).then(|| (n & 0x20) - 1),
        _ => Some((n & 0x30) + count),
    }
}

#[test]
fn every_dpp_control_with_masks() {
    let controls = (0..=0xff)
        .chain(0x101..=0x10f)
        .chain(0x111..=0x11f)
        .chain(0x121..=0x12f);
    let controls = controls
        .chain([0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143])
        .chain(0x150..=0x15f);
    let mut seed = 1u64;
    for control in controls {
        for _ in 0..4 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let (rows, banks, bound) = (
                (seed >> 33) as u32 & 15,
                (seed >> 37) as u32 & 15,
                (seed >> 41) as u32 & 1,
            );
            let exec = if seed >> 63 == 0 {
                u64::MAX
            } else {
                (seed >> 20) ^ (seed << 20)
            };
            // v_add_u32_dpp v0, v0, v0, in place; then v_mov_b32_dpp v1, v2.
            let extra = (control << 8) | (bound << 19) | (banks << 24) | (rows << 28);
            let words = [0x6800_00fa, extra, 0x7e02_02fa, extra | 2, 0xbf81_0000];
            let program = Program::of_words(Isa::Gfx942, &words);
            let text = program.instructions()[0].to_string();
            let wave = execute(&words, &text, &mut Memory::new(), |wave| {
                wave.set_exec(exec);
                for (register, base) in [(0, 1000), (1, 2000), (2, 3000)] {
                    wave.vector[register].0 = std::array::from_fn(|lane| base + lane as u32);
                }
            });
            for n in 0..64u32 {
                let source = manual(control, n).filter(|from| exec >> from & 1 == 1);
                let written = exec >> n & 1 == 1
                    && rows >> (n / 16) & 1 == 1
                    && banks >> (n / 4 % 4) & 1 == 1;
                let (sum, moved) = match source {
                    Some(from) if written => (1000 + from + 1000 + n, 3000 + from),
                    None if written && bound == 1 => (1000 + n, 0),
                    _ => (1000 + n, 2000 + n),
                };
                let got = (wave.vector[0].0[n as usize], wave.vector[1].0[n as usize]);
                assert_eq!(got, (sum, moved), "{text}, lane {n}, exec {exec:#x}");
            }
        }
    }
}

#[test]
fn no_words_make_the_decoder_panic() {
    let mut seed = 99u64;
    let mut refused = 0;
    for round in 0..2_000_000u32 {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = seed ^ (seed >> 29);
        let instruction =
            crate::Instruction::decode(Isa::Gfx942, 0, [(mixed >> 32) as u32, mixed as u32]);
        refused += u32::from(instruction.refusal().is_some());
        // The text takes longer; a part is enough.
        if round % 16 == 0 {
            assert!(!instruction.to_string().is_empty());
        }
    }
    assert!((100_000..1_900_000).contains(&refused), "{refused}");
}
