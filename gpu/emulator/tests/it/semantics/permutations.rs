//! The instructions that permute lanes, other than by DPP16.

use crate::semantics::crossings::across;
use crate::semantics::dialect::Dialect;
use crate::semantics::lanes::{After, Case, EXECS, SELECTS, Wave};

pub(crate) fn case(text: &str, exec: u64, expected: impl Fn(&Wave) -> After + 'static) -> Case {
    Case {
        text: text.to_owned(),
        exec,
        expected: Box::new(expected),
    }
}

/// Returns the permutations other than DPP16.
pub(crate) fn permutations(dialect: Dialect) -> Vec<Case> {
    let mut cases = Vec::new();
    for exec in EXECS {
        // An inactive source of DPP8 is absent and gives 0, except with FI.
        cases.push(case(
            "v_mov_b32_dpp v10, v2 dpp8:[7,6,5,4,0,1,2,3]",
            exec,
            |wave| {
                let select = [7, 6, 5, 4, 0, 1, 2, 3];
                wave.written(|lane| {
                    let from = lane / 8 * 8 + select[lane % 8];
                    Some(if wave.active(from) { wave.x[from] } else { 0 })
                })
            },
        ));
        cases.push(case(
            "v_mov_b32_dpp v10, v2 dpp8:[7,6,5,4,0,1,2,3] fi:1",
            exec,
            |wave| {
                let select = [7, 6, 5, 4, 0, 1, 2, 3];
                wave.written(|lane| Some(wave.x[lane / 8 * 8 + select[lane % 8]]))
            },
        ));
        for (inactive, absent) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let selection = format!(" op_sel:[{inactive},{absent}]");
            let selection = if inactive + absent == 0 {
                ""
            } else {
                &selection
            };
            for (name, other) in [("v_permlane16_b32", 0), ("v_permlanex16_b32", 16)] {
                cases.push(case(
                    &format!("{name} v10, v2, s20, s21{selection}"),
                    exec,
                    move |wave| {
                        wave.written(|lane| {
                            let select = (SELECTS[lane % 16 / 8] >> (4 * (lane % 8))) & 15;
                            let from = ((lane & !15) ^ other) + select as usize;
                            match (wave.active(from) || inactive == 1, absent) {
                                (true, _) => Some(wave.x[from]),
                                (false, 1) => Some(0),
                                (false, _) => None,
                            }
                        })
                    },
                ));
            }
        }
        for (name, other) in [("v_permlane16_var_b32", 0), ("v_permlanex16_var_b32", 16)] {
            cases.push(case(
                &format!("{name} v10, v2, v6 op_sel:[1,0]"),
                exec,
                move |wave| {
                    wave.written(|lane| {
                        Some(wave.x[((lane & !15) ^ other) + (wave.index[lane] & 15) as usize])
                    })
                },
            ));
        }
        if !dialect.wave32 {
            cases.push(case("v_permlane64_b32 v10, v2", exec, |wave| {
                wave.written(|lane| Some(wave.x[lane ^ 32]))
            }));
        }
        // EXEC does not affect the exchanged values, but enables the writes.
        for (name, distance) in [("v_permlane16_swap_b32", 16), ("v_permlane32_swap_b32", 32)] {
            cases.push(case(&format!("{name} v10, v2 fi:1"), exec, move |wave| {
                swapped(wave, distance)
            }));
        }
        cases.push(case("ds_bpermute_b32 v10, v6, v2", exec, move |wave| {
            let lanes = across(dialect, wave);
            wave.written(|lane| {
                let from = lane / lanes * lanes + (wave.index[lane] / 4) as usize % lanes;
                Some(if wave.active(from) { wave.x[from] } else { 0 })
            })
        }));
        for (pattern, and, or, xor) in [
            (
                "swizzle(BITMASK_PERM, \"0p1i0\")",
                0b01001,
                0b00100,
                0b00010,
            ),
            ("0x401f", 31, 0, 16),
            ("0x001f", 31, 0, 0),
        ] {
            let offset = match pattern {
                "0x401f" | "0x001f" => pattern.to_owned(),
                _ => format!("{:#x}", (xor << 10) | (or << 5) | and),
            };
            cases.push(case(
                &format!("ds_swizzle_b32 v10, v2 offset:{offset}"),
                exec,
                move |wave| {
                    wave.written(|lane| {
                        let from = (lane & 32) | (((lane & and) | or) ^ xor);
                        Some(if wave.active(from) { wave.x[from] } else { 0 })
                    })
                },
            ));
        }
        cases.push(case("ds_swizzle_b32 v10, v2 offset:0x801b", exec, |wave| {
            wave.written(|lane| {
                let from = lane ^ 3;
                Some(if wave.active(from) { wave.x[from] } else { 0 })
            })
        }));
        cases.push(case(
            "v_readlane_b32 s22, v2, 5\nv_mov_b32 v10, s22",
            exec,
            |wave| wave.written(|_| Some(wave.x[5])),
        ));
        cases.push(case(
            "v_readfirstlane_b32 s22, v2\nv_mov_b32 v10, s22",
            exec,
            |wave| {
                let first = (0..wave.size).find(|lane| wave.active(*lane)).unwrap_or(0);
                wave.written(|_| Some(wave.x[first]))
            },
        ));
        cases.push(case("v_writelane_b32 v10, s20, 9", exec, |wave| {
            let mut to = wave.y.clone();
            to[9] = SELECTS[0];
            After {
                to,
                ..wave.unchanged()
            }
        }));
        cases.push(case("v_mbcnt_lo_u32_b32 v10, v2, v6", exec, |wave| {
            wave.written(|lane| {
                let below = (0..lane.min(32))
                    .filter(|bit| (wave.x[lane] >> bit) & 1 != 0)
                    .count() as u32;
                Some(below.wrapping_add(wave.index[lane]))
            })
        }));
        if !dialect.wave32 {
            cases.push(case("v_mbcnt_hi_u32_b32 v10, v2, v6", exec, |wave| {
                wave.written(|lane| {
                    let below = (0..lane.saturating_sub(32))
                        .filter(|bit| (wave.x[lane] >> bit) & 1 != 0)
                        .count() as u32;
                    Some(below.wrapping_add(wave.index[lane]))
                })
            }));
        }
        cases.push(case("v_swap_b32 v10, v2", exec, |wave| After {
            to: wave.merged(&wave.x, &wave.y),
            from: wave.merged(&wave.y, &wave.x),
            ..wave.unchanged()
        }));
    }
    cases
}

/// Swaps rows at this distance: the upper ones of the destination with the lower ones of the
/// source.
fn swapped(wave: &Wave, distance: usize) -> After {
    let (mut to, mut from) = (wave.y.clone(), wave.x.clone());
    for lane in (0..wave.size).filter(|lane| lane & distance == 0) {
        let other = lane + distance;
        if wave.active(other) {
            to[other] = wave.x[lane];
        }
        if wave.active(lane) {
            from[lane] = wave.y[other];
        }
    }
    After {
        to,
        from,
        ..wave.unchanged()
    }
}
