//! The factors of products of matrices.

use super::*;

#[test]
fn factors_belong_to_lanes_and_to_one_product() {
    let wave = execute_on(
        Isa::Gfx950,
        &[
            0xd3ac_4800,
            0x1002_0501,
            // ABID 1, and below 0.
            0xd3ad_0810,
            0x0202_0904,
            0xd3ad_0014,
            0x0202_0904,
        ],
        "v_mfma_ld_scale_b32 v1, v2 op_sel:[1,0] op_sel_hi:[0,1]",
        &mut EmulatedMemory::new(),
        &mut Vec::new(),
        |wave| {
            // Ones in every element of A and B.
            for register in 4..12 {
                wave.vector[register].0 = [0x3838_3838; 64];
            }
            // The byte 1 of v1 is for A, and the byte 2 of v2 for B. Groups of 16 lanes hold parts
            // of k, and their factors cancel; column 5 has twice as much.
            wave.vector[1].0 = std::array::from_fn(|lane| ((127 + lane as u32 / 16) << 8) | 3);
            wave.vector[2].0 = std::array::from_fn(|lane| {
                let exponent = 127 - lane as u32 / 16 + u32::from(lane % 16 == 5);
                (exponent << 16) | 0x0900_0007
            });
        },
    );
    for lane in 0..64 {
        for register in 16..20 {
            let expected = if lane % 16 == 5 { 256.0 } else { 128.0 };
            assert_eq!(wave.vector[register].0[lane], bits(expected), "lane {lane}");
        }
        assert_eq!(wave.vector[20].0[lane], bits(128.0));
    }
}
