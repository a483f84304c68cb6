//! Values that cross lanes: every DPP control with row and bank masks, bound_ctrl and FI, under
//! several EXEC masks; and the instructions that permute lanes.

use emulator::{CodeObject, Isa};
use testing::Failed;

use crate::semantics::crossings::crossings;
use crate::semantics::dialect::Dialect;
use crate::semantics::permutations::permutations;
use crate::semantics::program::{execute, load, present};
use crate::semantics::support::Random;

/// EXEC of the instruction under test.
pub(crate) const EXECS: [u64; 6] = [
    u64::MAX,
    0xffff_0000_ffff_0000,
    0x5555_5555_5555_5555,
    0x0123_4567_89ab_cdef,
    1,
    0x8000_0000_8000_0000,
];
/// Input bytes: two values of 64 lanes, and an index of each lane. Result bytes: two registers,
/// and LDS.
const INPUT: usize = 3 * 512;
const OUTPUT: usize = 2 * 512;
/// A scalar that selects lanes.
pub(crate) const SELECTS: [u32; 2] = [0x7531_8642, 0xfdb9_eca8];

/// One instruction on registers v2 (and v4), with the lane indices in v6, into v10 (and v2). v12
/// has the address of each lane's word of LDS; the low bits of M0 have that of the wave's first
/// lane.
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) exec: u64,
    pub(crate) expected: Box<dyn Fn(&Wave) -> After>,
}

/// The registers of a wave.
pub(crate) struct Wave {
    pub(crate) size: usize,
    pub(crate) exec: u64,
    pub(crate) x: Vec<u32>,
    pub(crate) y: Vec<u32>,
    /// Also the content of LDS.
    pub(crate) index: Vec<u32>,
}

/// The results of a wave's lanes: the destination, the first source, LDS.
pub(crate) struct After {
    pub(crate) to: Vec<u32>,
    pub(crate) from: Vec<u32>,
    pub(crate) share: Vec<u32>,
}

impl Wave {
    pub(crate) fn active(&self, lane: usize) -> bool {
        (self.exec >> lane) & 1 != 0
    }

    /// Merges the active lanes' values of one register with the others' of another.
    pub(crate) fn merged(&self, active: &[u32], inactive: &[u32]) -> Vec<u32> {
        (0..self.size)
            .map(|lane| {
                let values = if self.active(lane) { active } else { inactive };
                values[lane]
            })
            .collect()
    }

    /// Writes `pick` to each active lane; the old destination is y.
    pub(crate) fn written(&self, pick: impl Fn(usize) -> Option<u32>) -> After {
        let picked: Vec<u32> = (0..self.size)
            .map(|lane| pick(lane).unwrap_or(self.y[lane]))
            .collect();
        After {
            to: self.merged(&picked, &self.y),
            ..self.unchanged()
        }
    }

    pub(crate) fn unchanged(&self) -> After {
        After {
            to: self.y.clone(),
            from: self.x.clone(),
            share: self.index.clone(),
        }
    }
}

/// The source lane of a DPP control, if any.
type Source = Box<dyn Fn(usize, usize) -> Option<usize>>;

fn within(row: usize, place: i64) -> Option<usize> {
    let place = usize::try_from(place).ok().filter(|place| *place < 16)?;
    Some(row * 16 + place)
}

/// Returns the controls of an instruction set, with the source lane for a wave size.
fn controls(isa: Isa) -> Vec<(String, Source)> {
    let mut all: Vec<(String, Source)> = Vec::new();
    for select in [[1usize, 0, 3, 2], [2, 3, 0, 1], [0, 0, 0, 0], [3, 1, 2, 0]] {
        let [a, b, c, d] = select;
        all.push((
            format!("quad_perm:[{a},{b},{c},{d}]"),
            Box::new(move |lane, _| Some((lane & !3) + select[lane & 3])),
        ));
    }
    for by in [1i64, 5, 15] {
        all.push((
            format!("row_shl:{by}"),
            Box::new(move |lane, _| within(lane / 16, (lane % 16) as i64 + by)),
        ));
        all.push((
            format!("row_shr:{by}"),
            Box::new(move |lane, _| within(lane / 16, (lane % 16) as i64 - by)),
        ));
        all.push((
            format!("row_ror:{by}"),
            Box::new(move |lane, _| Some(lane / 16 * 16 + (lane % 16 + 16 - by as usize) % 16)),
        ));
    }
    all.push(("row_mirror".into(), Box::new(|lane, _| Some(lane ^ 15))));
    all.push(("row_half_mirror".into(), Box::new(|lane, _| Some(lane ^ 7))));
    if isa < Isa::Gfx1030 {
        all.push((
            "wave_shl:1".into(),
            Box::new(|lane, size| (lane + 1 < size).then_some(lane + 1)),
        ));
        all.push(("wave_shr:1".into(), Box::new(|lane, _| lane.checked_sub(1))));
        all.push((
            "wave_rol:1".into(),
            Box::new(|lane, size| Some((lane + 1) % size)),
        ));
        all.push((
            "wave_ror:1".into(),
            Box::new(|lane, size| Some((lane + size - 1) % size)),
        ));
        all.push((
            "row_bcast:15".into(),
            Box::new(|lane, _| (lane >= 16).then(|| lane / 16 * 16 - 1)),
        ));
        all.push((
            "row_bcast:31".into(),
            Box::new(|lane, _| (lane >= 32).then_some(31)),
        ));
    }
    for which in [0usize, 7, 15] {
        if isa >= Isa::Gfx1030 {
            all.push((
                format!("row_share:{which}"),
                Box::new(move |lane, _| Some(lane / 16 * 16 + which)),
            ));
            all.push((
                format!("row_xmask:{which}"),
                Box::new(move |lane, _| Some(lane ^ which)),
            ));
        } else if isa >= Isa::Gfx90a {
            all.push((
                format!("row_newbcast:{which}"),
                Box::new(move |lane, _| Some(lane / 16 * 16 + which)),
            ));
        }
    }
    all
}

fn dpp_cases(dialect: Dialect) -> Vec<Case> {
    let fetches_inactive: &[bool] = if dialect.isa >= Isa::Gfx1030 {
        &[false, true]
    } else {
        &[false]
    };
    let mut cases = Vec::new();
    let mut random = Random(3);
    for (control, source) in controls(dialect.isa) {
        let source: std::rc::Rc<Source> = std::rc::Rc::new(source);
        for bound in [false, true] {
            for &fetch in fetches_inactive {
                for exec in EXECS {
                    let (rows, banks) = match random.below(3) {
                        0 => (15, 15),
                        _ => (random.below(16), random.below(16)),
                    };
                    let mut text = format!(
                        "v_mov_b32_dpp v10, v2 {control} row_mask:{rows:#x} bank_mask:{banks:#x}"
                    );
                    if bound {
                        text += " bound_ctrl:1";
                    }
                    if fetch {
                        text += " fi:1";
                    }
                    let source = std::rc::Rc::clone(&source);
                    cases.push(Case {
                        text,
                        exec,
                        expected: Box::new(move |wave| {
                            wave.written(|lane| {
                                let allowed = (rows >> (lane / 16)) & 1 != 0
                                    && (banks >> (lane / 4 % 4)) & 1 != 0;
                                let from = source(lane, wave.size)
                                    .filter(|&from| fetch || wave.active(from));
                                match from {
                                    _ if !allowed => None,
                                    Some(from) => Some(wave.x[from]),
                                    None if bound => Some(0),
                                    None => None,
                                }
                            })
                        }),
                    });
                }
            }
        }
    }
    cases
}

fn block(dialect: Dialect, case: &Case) -> String {
    let mut text = String::new();
    for (index, register) in [2, 10, 6].into_iter().enumerate() {
        text += &dialect.load_two(register, 1, 4, 512 * index as u32);
    }
    text += dialect.wait();
    let [write, read] = if dialect.isa >= Isa::Gfx1100 {
        ["ds_store_b32", "ds_load_b32"]
    } else {
        ["ds_write_b32", "ds_read_b32"]
    };
    text += &format!("v_lshrrev_b32 v12, 1, v1\n{write} v12, v6\n");
    text += "v_readfirstlane_b32 s23, v12\ns_or_b32 m0, s23, 0x7fff0000\n";
    text += &format!(
        "s_mov_b32 s20, {:#x}\ns_mov_b32 s21, {:#x}\n",
        SELECTS[0], SELECTS[1]
    );
    text += &format!("s_mov_b32 exec_lo, {:#x}\n", case.exec as u32);
    if !dialect.wave32 {
        text += &format!("s_mov_b32 exec_hi, {:#x}\n", (case.exec >> 32) as u32);
    }
    // On gfx9, DPP must not read a recent VALU result, nor other instructions a recent scalar
    // result.
    text += "s_nop 4\n";
    text += &case.text.replace('\n', "\ns_nop 4\n");
    text += "\n";
    text += dialect.wait();
    text += &format!("s_mov_{} {}, -1\n", dialect.mask_bits(), dialect.exec());
    text += &format!("v_mov_b32 v11, v2\n{read} v14, v12\n");
    text += dialect.wait();
    text += &dialect.store(2, 10, 1, 6, 0);
    text += &dialect.store(1, 14, 1, 6, 512);
    text += &dialect.advance(4, &format!("{INPUT:#x}"));
    text += &dialect.advance(6, &format!("{OUTPUT:#x}"));
    text
}

/// Returns the kernel of all cases, with the cases.
pub(crate) fn kernel(dialect: Dialect) -> Result<(CodeObject, Vec<Case>), Failed> {
    let all: Vec<Case> = dpp_cases(dialect)
        .into_iter()
        .chain(permutations(dialect))
        .chain(crossings(dialect))
        .collect();
    let present = present(dialect, all, |case| &case.text, 250)?;
    let body: String = present.iter().map(|case| block(dialect, case)).collect();
    let code = load(
        dialect,
        &dialect.kernel(INPUT * present.len(), OUTPUT * present.len(), 256, &body),
    )?;
    Ok((code, present))
}

pub(crate) fn check(dialect: Dialect) -> Result<(), Failed> {
    let (code, present) = kernel(dialect)?;
    let mut random = Random(5);
    let mut words = Vec::new();
    for _ in &present {
        for part in 0..3 {
            for _ in 0..64 {
                let value = random.next() as u32;
                words.push(u64::from(if part == 2 { value % 256 } else { value }));
            }
        }
    }
    let inputs: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let results = execute(&code, 1, &inputs, OUTPUT * present.len())?;
    let mut wrong = Vec::new();
    for ((case, inputs), results) in present
        .iter()
        .zip(words.chunks_exact(INPUT / 8))
        .zip(results.chunks_exact(OUTPUT))
    {
        let size = if dialect.wave32 { 32 } else { 64 };
        for first in (0..64).step_by(size) {
            let part = |index: usize| {
                inputs[64 * index + first..][..size]
                    .iter()
                    .map(|word| *word as u32)
                    .collect()
            };
            let exec = if dialect.wave32 {
                case.exec & 0xffff_ffff
            } else {
                case.exec
            };
            let wave = Wave {
                size,
                exec,
                x: part(0),
                y: part(1),
                index: part(2),
            };
            let after = (case.expected)(&wave);
            for lane in 0..size {
                let word = |at: usize| {
                    u32::from_le_bytes(std::array::from_fn(|byte| {
                        results[8 * (first + lane) + at + byte]
                    }))
                };
                let found = [word(0), word(4), word(512)];
                let expected = [after.to[lane], after.from[lane], after.share[lane]];
                if found != expected {
                    wrong.push(format!(
                        "{} exec {exec:#x} lane {lane}: {found:#x?}, not {expected:#x?}",
                        case.text
                    ));
                }
            }
        }
    }
    crate::semantics::judge(&wrong, present.len() * 64)
}
