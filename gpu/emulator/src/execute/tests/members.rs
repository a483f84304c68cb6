//! Instructions that only one of gfx906, gfx90a, gfx942 and gfx950 has, or executes differently.

use super::*;

/// Checks an instruction with sources in v0 to v3 of all lanes and its result in v3.
#[track_caller]
fn check(isa: Isa, words: &[u32], text: &str, from: [u32; 4], expected: u32) {
    let (mut memory, mut lds) = (EmulatedMemory::new(), Vec::new());
    let wave = execute_on(isa, words, text, &mut memory, &mut lds, |wave| {
        for (register, value) in from.into_iter().enumerate() {
            wave.vector[register].0 = [value; 64];
        }
    });
    let got = wave.vector[3].0;
    assert_eq!(
        got, [expected; 64],
        "{isa} {text}: {:#x}, not {expected:#x}",
        got[0]
    );
}

/// Returns v3 after the instruction. Before it, v0 is the lane's number plus 100, and v3 is 7.
fn moved(isa: Isa, words: &[u32], text: &str) -> [u32; 64] {
    let (mut memory, mut lds) = (EmulatedMemory::new(), Vec::new());
    let wave = execute_on(isa, words, text, &mut memory, &mut lds, |wave| {
        wave.vector[0].0 = std::array::from_fn(|lane| 100 + lane as u32);
        wave.vector[3].0 = [7; 64];
    });
    wave.vector[3].0
}

#[test]
fn unfused_multiply_adds_round_twice() {
    // The fused result of (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24.
    let (a, c) = (bits(1.0 + 2f32.powi(-12)), bits(-1.0 - 2f32.powi(-11)));
    let text = "v_mad_f32 v3, v0, v1, v2";
    let mad = [0xd1c1_0003, 0x040a_0300];
    check(Isa::Gfx906, &mad, text, [a, a, c, 0], 0);
    check(
        Isa::Gfx906,
        &[0x2c06_0300],
        "v_mac_f32_e32 v3, v0, v1",
        [bits(2.0), bits(3.0), 0, bits(0.5)],
        bits(6.5),
    );
    // Denormals are zero in every mode.
    check(Isa::Gfx90a, &mad, text, [1, bits(4.0), 2, 0], 0);
    check(
        Isa::Gfx90a,
        &[0xd1c0_0003, 0x040a_0300],
        "v_mad_legacy_f32 v3, v0, v1, v2",
        [0, f32::INFINITY.to_bits(), bits(3.0), 0],
        bits(3.0),
    );
    check(
        Isa::Gfx906,
        &[0x3006_0300, 0x4000_0000],
        "v_madak_f32 v3, v0, v1, 0x40000000",
        [bits(3.0), bits(5.0), 0, 0],
        bits(17.0),
    );
}

/// The same mnemonics have a signed zero or an unsigned one.
#[test]
fn floats_of_8_bits_differ() {
    let text = "v_cvt_pk_fp8_f32 v3, v0, v1";
    let pack = [0xd2a2_0003, 0x0002_0300];
    let from = [bits(1.0), bits(-0.0), 0, 0xaabb_ccdd];
    check(Isa::Gfx942, &pack, text, from, 0xaabb_0040);
    check(Isa::Gfx950, &pack, text, from, 0xaabb_8038);
    check(
        Isa::Gfx950,
        &[0xd2a2_4003, 0x0002_0300],
        "v_cvt_pk_fp8_f32 v3, v0, v1 op_sel:[0,0,1]",
        from,
        0x8038_ccdd,
    );
    let text = "v_cvt_f32_fp8_sdwa v3, v0 src0_sel:BYTE_2";
    let widen = [0x7e06_a8f9, 0x0002_0600];
    let from = [0x0040_0000, 0, 0, 0];
    check(Isa::Gfx942, &widen, text, from, bits(1.0));
    check(Isa::Gfx950, &widen, text, from, bits(2.0));
    // v3 is the upper half of the pair.
    check(
        Isa::Gfx950,
        &[0x7e04_aef9, 0x0005_0600],
        "v_cvt_pk_f32_bf8_sdwa v[2:3], v0 src0_sel:WORD_1",
        [0xc03c_0000, 0, 0, 0],
        bits(-2.0),
    );
}

#[test]
fn truth_tables() {
    let from = [0xff00_ff00, 0xf0f0_f0f0, 0xcccc_cccc, 0x1234_5678];
    let [a, b, c, old] = from;
    check(
        Isa::Gfx950,
        &[0xd234_0103, 0x5c0a_0300],
        "v_bitop3_b32 v3, v0, v1, v2 bitop3:0xca",
        from,
        (a & b) | (!a & c),
    );
    check(
        Isa::Gfx950,
        &[0xd234_0203, 0xd40a_0300],
        "v_bitop3_b32 v3, v0, v1, v2 bitop3:0x96",
        from,
        a ^ b ^ c,
    );
    check(
        Isa::Gfx950,
        &[0xd234_0003, 0x040a_0300],
        "v_bitop3_b32 v3, v0, v1, v2",
        from,
        0,
    );
    let (a, b) = (a & 0xffff, b & 0xffff);
    let majority = (a & b) | (a & (c >> 16)) | (b & (c >> 16));
    check(
        Isa::Gfx950,
        &[0xd233_6503, 0x1c0a_0300],
        "v_bitop3_b16 v3, v0, v1, v2 bitop3:0xe8 op_sel:[0,0,1,1]",
        from,
        (majority << 16) | (old & 0xffff),
    );
}

#[test]
fn conversions_of_gfx950() {
    let from = [bits(-300.0), bits(1000.0), 1, 0xaaaa_bbbb];
    check(
        Isa::Gfx950,
        &[0xd265_0003, 0x040a_0300],
        "v_ashr_pk_i8_i32 v3, v0, v1, v2",
        [-300i32 as u32, 100, 1, 0xaaaa_bbbb],
        0xaaaa_3280,
    );
    check(
        Isa::Gfx950,
        &[0xd266_4003, 0x040a_0300],
        "v_ashr_pk_u8_i32 v3, v0, v1, v2 op_sel:[0,0,0,1]",
        [-300i32 as u32, 1022, 1, 0xaaaa_bbbb],
        0xff00_bbbb,
    );
    check(
        Isa::Gfx950,
        &[0xd268_0003, 0x0002_0300],
        "v_cvt_pk_bf16_f32 v3, v0, v1",
        from,
        0x447a_c396,
    );
    check(
        Isa::Gfx950,
        &[0xd267_0003, 0x0002_0300],
        "v_cvt_pk_f16_f32 v3, v0, v1",
        from,
        0x63d0_dcb0,
    );
    check(
        Isa::Gfx950,
        &[0x7e06_b700],
        "v_cvt_f32_bf16_e32 v3, v0",
        [0xffff_c396, 0, 0, 0],
        bits(-300.0),
    );
    check(
        Isa::Gfx950,
        &[0x7e06_b100],
        "v_prng_b32_e32 v3, v0",
        [0x8000_0001, 0, 0, 0],
        2 ^ 0xc5,
    );
    check(
        Isa::Gfx950,
        &[0xd2a8_0003, 0x040a_0300],
        "v_minimum3_f32 v3, v0, v1, v2",
        [bits(1.0), bits(-0.0), bits(0.0), 0],
        bits(-0.0),
    );
}

#[test]
fn rows_change_places() {
    let run = |words: u32, text: &str, exec: u64| {
        let (mut memory, mut lds) = (EmulatedMemory::new(), Vec::new());
        let setup = |wave: &mut Wave| {
            wave.vector[0].0 = std::array::from_fn(|lane| 100 + lane as u32);
            wave.vector[3].0 = std::array::from_fn(|lane| 200 + lane as u32);
            wave.set_exec(exec);
        };
        let wave = execute_on(Isa::Gfx950, &[words], text, &mut memory, &mut lds, setup);
        (wave.vector[0].0, wave.vector[3].0)
    };
    // The odd rows of v3 and the even rows of v0 change places.
    let (v0, v3) = run(0x7e06_b300, "v_permlane16_swap_b32_e32 v3, v0", u64::MAX);
    for lane in 0..64u32 {
        let (even, index) = (lane & 16 == 0, lane as usize);
        assert_eq!(v0[index], if even { 216 } else { 100 } + lane);
        assert_eq!(v3[index], if even { 200 + lane } else { 84 + lane });
    }
    let (v0, v3) = run(0x7e06_b500, "v_permlane32_swap_b32_e32 v3, v0", u64::MAX);
    for lane in 0..64u32 {
        let (low, index) = (lane < 32, lane as usize);
        assert_eq!(v0[index], if low { 232 } else { 100 } + lane);
        assert_eq!(v3[index], if low { 200 + lane } else { 68 + lane });
    }
    // Nothing moves between an active and an inactive lane.
    let (v0, v3) = run(0x7e06_b500, "v_permlane32_swap_b32_e32 v3, v0", 0xffff_ffff);
    assert_eq!((v0[0], v0[40], v3[5], v3[40]), (100, 140, 205, 240));
}

#[test]
fn lanes_of_the_own_row_and_of_the_next_one() {
    let text = "v_mov_b32_dpp v3, v0 row_newbcast:5 row_mask:0xf bank_mask:0xf";
    let got = moved(Isa::Gfx90a, &[0x7e06_02fa, 0xff01_5500], text);
    assert_eq!(got, std::array::from_fn(|lane| 105 + (lane as u32 & !15)));
    let text = "v_mov_b32_dpp v3, v0 wave_ror:1 row_mask:0xf bank_mask:0xf";
    let got = moved(Isa::Gfx906, &[0x7e06_02fa, 0xff01_3c00], text);
    assert_eq!(
        got,
        std::array::from_fn(|lane| 100 + (lane as u32 + 63) % 64)
    );
    // In place, every lane still reads the old values.
    let (mut memory, mut lds) = (EmulatedMemory::new(), Vec::new());
    let text = "v_mov_b32_dpp v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf";
    let words = [0x7e00_02fa, 0xff01_1100];
    let wave = execute_on(Isa::Gfx906, &words, text, &mut memory, &mut lds, |wave| {
        wave.vector[0].0 = std::array::from_fn(|lane| 100 + lane as u32);
    });
    let expected = |lane: u32| {
        100 + if lane.is_multiple_of(16) {
            lane
        } else {
            lane - 1
        }
    };
    assert_eq!(
        wave.vector[0].0,
        std::array::from_fn(|lane| expected(lane as u32))
    );
}

#[test]
fn pairs_of_a_lane_of_the_row() {
    let (mut memory, mut lds) = (EmulatedMemory::new(), Vec::new());
    let text = "v_mov_b64_dpp v[2:3], v[0:1] row_newbcast:2 row_mask:0xf bank_mask:0xf";
    let words = [0x7e04_70fa, 0xff01_5200];
    let wave = execute_on(Isa::Gfx942, &words, text, &mut memory, &mut lds, |wave| {
        wave.vector[0].0 = std::array::from_fn(|lane| 100 + lane as u32);
        wave.vector[1].0 = std::array::from_fn(|lane| 900 + lane as u32);
    });
    let row = |lane: usize| (lane as u32 & !15) + 2;
    assert_eq!(
        wave.vector[2].0,
        std::array::from_fn(|lane| 100 + row(lane))
    );
    assert_eq!(
        wave.vector[3].0,
        std::array::from_fn(|lane| 900 + row(lane))
    );
}

#[test]
fn loads_to_lds() {
    let mut memory = EmulatedMemory::new();
    let buffer = memory.allocate(4096).expect("small");
    let bytes: Vec<u8> = (0..=255u8).cycle().take(4096).collect();
    memory.bytes_mut(buffer).copy_from_slice(&bytes);
    let word =
        |lds: &[u8], at: usize| u32::from_le_bytes(lds[at..at + 4].try_into().expect("four"));
    let setup = |wave: &mut Wave| {
        // M0 is 64; lanes read every eighth byte in reverse order; lane 3 is inactive.
        wave.set_scalar(124, 64);
        let start = buffer.get();
        wave.vector[0].0 = std::array::from_fn(|lane| start as u32 + 8 * (63 - lane as u32));
        wave.vector[1].0 = [(start >> 32) as u32; 64];
        wave.set_exec(!8);
    };
    let mut lds = vec![0xee; 2048];
    let text = "global_load_lds_ubyte v[0:1], off offset:16";
    let words = [0xdc98_8010, 0x007f_0000];
    let wave = execute_on(Isa::Gfx942, &words, text, &mut memory, &mut lds, setup);
    for lane in 0..64 {
        let expected = if lane == 3 {
            0xeeee_eeee
        } else {
            (16 + 8 * (63 - lane as u32)) & 0xff
        };
        assert_eq!(word(&lds, 64 + 16 + 4 * lane), expected, "lane {lane}");
    }
    assert_eq!(wave.vector[0].0[1], buffer.get() as u32 + 8 * 62);
    assert_eq!(wave.vector[511].0, [0; 64]);
    let mut lds = vec![0xee; 2048];
    let text = "global_load_lds_dwordx4 v[0:1], off offset:16";
    let words = [0xddf4_8010, 0x007f_0000];
    execute_on(Isa::Gfx950, &words, text, &mut memory, &mut lds, setup);
    let at = 64 + 16 + 16 * 5;
    let source = 16 + 8 * (63 - 5);
    assert_eq!(lds[at..at + 16], bytes[source..source + 16]);
    // The resource has a base, no stride and 4096 bytes.
    let mut lds = vec![0; 2048];
    let text = "buffer_load_dword v0, s[4:7], s9 offen offset:4 lds";
    let words = [0xe051_1004, 0x0901_0000];
    execute_on(Isa::Gfx906, &words, text, &mut memory, &mut lds, |wave| {
        wave.set_scalar(124, 256);
        wave.set_pair(4, buffer.get());
        wave.set_scalar(6, 4096);
        wave.set_scalar(7, 0x0002_7000);
        wave.set_scalar(9, 32);
        wave.vector[0].0 = std::array::from_fn(|lane| 4 * lane as u32);
    });
    assert_eq!(word(&lds, 256 + 4 + 4 * 2), 0x2f2e_2d2c);
}
