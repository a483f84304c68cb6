//! The scalar unit, and words that are no instructions.

use super::*;

#[track_caller]
fn check_scalar(words: &[u32], text: &str, sources: [u32; 2], to: u8, expected: u64, scc: bool) {
    let wave = execute(words, text, &mut EmulatedMemory::new(), |wave| {
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
fn a_scalar_load_outside_of_its_buffer_reads_zero() {
    let mut memory = EmulatedMemory::new();
    let buffer = memory.allocate(16).unwrap();
    memory.bytes_mut(buffer).fill(1);
    let mut check = |word: u32, text: &str, base: u64, expected: u64| {
        let wave = execute(&[0xc026_0104, word], text, &mut memory, |wave| {
            wave.set_pair(8, base);
            wave.set_pair(10, 16);
        });
        assert_eq!(wave.pair(4), expected, "{text}");
    };
    let inside = 0x0101_0101_0101_0101;
    check(
        8,
        "s_buffer_load_dwordx2 s[4:5], s[8:11], 0x8",
        buffer.get(),
        inside,
    );
    check(
        12,
        "s_buffer_load_dwordx2 s[4:5], s[8:11], 0xc",
        buffer.get(),
        inside >> 32,
    );
    // The largest offset, and an address at the end of the address space.
    let below = "s_buffer_load_dwordx2 s[4:5], s[8:11], -0x4";
    check(0x1f_fffc, below, buffer.get(), 0);
    check(0x1f_fffc, below, 0, 0);
}

#[test]
fn no_words_make_the_decoder_panic() {
    let mut seed = 99u64;
    let mut refused = 0;
    for round in 0..300_000u32 {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let mixed = seed ^ (seed >> 29);
        let instruction =
            crate::Instruction::decode(Isa::Gfx942, 0, [(mixed >> 32) as u32, mixed as u32, 0]);
        refused += u32::from(instruction.refusal().is_some());
        // The text takes longer, so a part suffices.
        if round % 16 == 0 {
            assert!(!instruction.to_string().is_empty());
        }
    }
    assert!((15_000..285_000).contains(&refused), "{refused}");
}
