//! Masks, lanes that read other lanes, buffers.

use super::*;

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
        &mut EmulatedMemory::new(),
        lanes,
    );
    assert_eq!((wave.pair(106), wave.exec()), (0xff, 0xffff_0000_0000_00ff));
    let wave = execute(
        &[0x7da2_0300],
        "v_cmpx_lt_i32_e32 vcc, v0, v1",
        &mut EmulatedMemory::new(),
        lanes,
    );
    assert_eq!((wave.pair(106), wave.exec()), (0xff, 0xff));
    let wave = execute(
        &[0xd010_0002, 0x0002_0300],
        "v_cmp_class_f32_e64 s[2:3], v0, v1",
        &mut EmulatedMemory::new(),
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
        &mut EmulatedMemory::new(),
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
        &mut EmulatedMemory::new(),
        |wave| {
            wave.set_pair(2, 1);
            wave.vector[0].0 = [bits(1.0); 64];
            wave.vector[1].0 = [bits(-2.0); 64];
        },
    );
    assert_eq!(wave.vector[3].0[..2], [bits(2.0), bits(-1.0)]);
}

#[test]
fn lanes_cross() {
    let ramp = |wave: &mut Wave| wave.vector[0].0 = std::array::from_fn(|lane| 100 + lane as u32);
    let wave = execute(
        &[0xd87a_401f, 0x0300_0000],
        "ds_swizzle_b32 v3, v0 offset:swizzle(SWAP,16)",
        &mut EmulatedMemory::new(),
        ramp,
    );
    assert_eq!(
        wave.vector[3].0,
        std::array::from_fn(|lane| 100 + (lane as u32 ^ 16))
    );
    let wave = execute(
        &[0xd87e_0000, 0x0300_0001],
        "ds_bpermute_b32 v3, v1, v0",
        &mut EmulatedMemory::new(),
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
        &mut EmulatedMemory::new(),
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
        &mut EmulatedMemory::new(),
        |wave| {
            wave.vector[0].0 = [u32::MAX; 64];
        },
    );
    // The second instruction adds v3.
    assert_eq!(wave.vector[3].0, std::array::from_fn(|lane| lane as u32));
    let moves = [0xd3d9_4007, 0x1800_0100, 0xd3d8_4003, 0x1800_0107];
    let wave = execute(
        &moves,
        "v_accvgpr_write_b32 a7, v0",
        &mut EmulatedMemory::new(),
        ramp,
    );
    assert_eq!(wave.vector[3].0, wave.vector[0].0);
    let wave = execute(
        &[0x7e00_a301],
        "v_swap_b32 v0, v1",
        &mut EmulatedMemory::new(),
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
    let mut memory = EmulatedMemory::new();
    let data = memory.allocate(64).unwrap();
    for (index, byte) in memory.bytes_mut(data).iter_mut().enumerate() {
        *byte = index as u8;
    }
    let setup = |wave: &mut Wave| {
        wave.set_pair(8, data.get());
        // With 26 bytes, the third word of lane 1 is out of range.
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
    // The word at 24 would end at 28, outside the range.
    assert_eq!(bytes[24..28], [24, 25, 26, 27]);
}

/// Returns the lane that lane `n` reads, by the manual's table of DPP controls.
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
            // The first instruction is v_add_u32_dpp v0, v0, v0, in place; the second is
            // v_mov_b32_dpp v1, v2.
            let extra = (control << 8) | (bound << 19) | (banks << 24) | (rows << 28);
            let words = [0x6800_00fa, extra, 0x7e02_02fa, extra | 2, 0xbf81_0000];
            let program = Program::of_words(Isa::Gfx942, &words);
            let text = program.instructions()[0].to_string();
            let wave = execute(&words, &text, &mut EmulatedMemory::new(), |wave| {
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
