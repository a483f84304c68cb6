//! LDS instructions that depend on lane numbers or counts, and moves of registers with special
//! names.

use emulator::Isa;

use crate::semantics::dialect::Dialect;
use crate::semantics::lanes::{After, Case, EXECS, Wave};
use crate::semantics::permutations::case;

/// Returns the cases; each instruction set has some of them.
pub(crate) fn crossings(dialect: Dialect) -> Vec<Case> {
    let mut cases = Vec::new();
    for exec in EXECS {
        cases.push(case("ds_permute_b32 v10, v6, v2", exec, move |wave| {
            let lanes = across(dialect, wave);
            let mut sent = vec![0; wave.size];
            // If several lanes send to one, the highest wins.
            for lane in (0..wave.size).filter(|lane| wave.active(*lane)) {
                sent[lane / lanes * lanes + (wave.index[lane] / 4) as usize % lanes] = wave.x[lane];
            }
            wave.written(|lane| Some(sent[lane]))
        }));
        cases.push(case("ds_bpermute_fi_b32 v10, v6, v2", exec, |wave| {
            wave.written(|lane| Some(wave.x[(wave.index[lane] / 4) as usize % wave.size]))
        }));
        for name in ["ds_read_addtid_b32", "ds_load_addtid_b32"] {
            cases.push(case(&format!("{name} v10"), exec, |wave| {
                wave.written(|lane| Some(wave.index[lane]))
            }));
        }
        for name in ["ds_write_addtid_b32", "ds_store_addtid_b32"] {
            cases.push(case(&format!("{name} v2"), exec, |wave| After {
                share: wave.merged(&wave.x, &wave.index),
                ..wave.unchanged()
            }));
        }
        // Two waves would count at one address.
        if !dialect.wave32 {
            cases.push(case("ds_append v10 offset:20", exec, |wave| {
                counted(wave, 5, u32::wrapping_add)
            }));
            cases.push(case("ds_consume v10 offset:8", exec, |wave| {
                counted(wave, 2, u32::wrapping_sub)
            }));
        }
        cases.push(case(
            "v_accvgpr_write_b32 a2, v2\nv_accvgpr_read_b32 v10, a2",
            exec,
            |wave| wave.written(|lane| Some(wave.x[lane])),
        ));
        cases.push(case(
            "v_accvgpr_mov_b32 a3, a2\nv_accvgpr_write_b32 a2, v2\nv_accvgpr_mov_b32 a3, a2\nv_accvgpr_read_b32 v10, a3",
            exec,
            |wave| wave.written(|lane| Some(wave.x[lane])),
        ));
        for (half, shift) in [("l", 0), ("h", 16)] {
            cases.push(case(
                &format!("v_swap_b16 v10.{half}, v2.l"),
                exec,
                move |wave| {
                    let (x, y) = (&wave.x, &wave.y);
                    let each = |swapped: fn(u32, u32, u32) -> u32| -> Vec<u32> {
                        (0..wave.size)
                            .map(|lane| swapped(x[lane], y[lane], shift))
                            .collect()
                    };
                    let to = each(|x, y, shift| (y & !(0xffff << shift)) | ((x & 0xffff) << shift));
                    let from = each(|x, y, shift| (x & !0xffff) | ((y >> shift) & 0xffff));
                    After {
                        to: wave.merged(&to, y),
                        from: wave.merged(&from, x),
                        ..wave.unchanged()
                    }
                },
            ));
        }
    }
    cases
}

/// Returns the number of lanes that exchange values (RDNA 2 and 3 manuals, DS_PERMUTE_B32: modulo
/// 32 for any wave size).
pub(crate) fn across(dialect: Dialect, wave: &Wave) -> usize {
    match dialect.isa {
        Isa::Gfx1030 | Isa::Gfx1100 | Isa::Gfx1151 => 32,
        _ => wave.size,
    }
}

/// Counts the active lanes in a word of LDS; they receive the old value.
fn counted(wave: &Wave, word: usize, count: fn(u32, u32) -> u32) -> After {
    let lanes = (0..wave.size).filter(|lane| wave.active(*lane)).count();
    let mut share = wave.index.clone();
    share[word] = count(share[word], lanes as u32);
    After {
        share,
        ..wave.written(|_| Some(wave.index[word]))
    }
}
