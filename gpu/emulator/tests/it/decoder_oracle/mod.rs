//! The decoders and their text against LLVM 22's disassembler: every number of every format, with
//! operands similar to those that LLVM accepts. Both must refuse the same encodings.

mod disassembler;
mod encodings;
pub(crate) mod oracle;
use crate::support;

use emulator::{Instruction, Isa};
use encodings::{Format, formats, numbers, of_number};
use oracle::{Answer, Oracle};
use support::{Random, with_llvm};
use testing::{Failed, Trial};

/// The number of encodings of each instruction set in CI, and in the full run.
const QUICK: usize = 5_000;
const FULL: usize = 200_000;
/// The number of differences that a failure shows.
const SHOWN: usize = 40;

/// Encodings that differed from LLVM's once: a third source's bits, a literal of
/// `v_mfma_ld_scale_b32`, and a constant of `v_wmma_f32_16x16x16_f16`.
const KNOWN: [(Isa, [u32; 3]); 5] = [
    (Isa::Gfx950, [0xd3ac_0001, 0x0404_0902, 0]),
    (Isa::Gfx950, [0xd3ac_f597, 0, 0]),
    (Isa::Gfx950, [0xd3ac_0000, 0x8000_0020, 0]),
    (Isa::Gfx950, [0xd3ac_0000, 0x0001_fe00, 0xc78a_0874]),
    (Isa::Gfx1100, [0xcc40_0100, 0x03e2_0100, 0]),
];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let usual = Isa::ALL.map(|isa| Target { isa, wave64: false });
    // From gfx10 on, waves have 32 lanes by default.
    let later = [Isa::Gfx1030, Isa::Gfx1100, Isa::Gfx1201];
    let wide = later.map(|isa| Target { isa, wave64: true });
    for target in usual.into_iter().chain(wide) {
        let name = target.name();
        trials.push(with_llvm(&name, &["llvm-mc"], move || {
            compare(target, QUICK)
        }));
        let name = format!("full_{name}");
        let full = with_llvm(&name, &["llvm-mc"], move || compare(target, FULL));
        trials.push(
            full.with_ignored_flag(true)
                .with_kind("full: 200,000 encodings"),
        );
    }
    trials
}

/// The instruction set and wave size to compare.
#[derive(Clone, Copy)]
struct Target {
    isa: Isa,
    /// True for waves of 64 lanes on a set with 32 by default.
    wave64: bool,
}

impl Target {
    /// Returns the name of the trial.
    fn name(self) -> String {
        let size = if self.wave64 { "_wave64" } else { "" };
        format!("{}{size}", self.isa)
    }

    /// Returns LLVM's name and features.
    fn processor(self) -> String {
        let halves = match self.isa {
            // By default, LLVM prints whole registers, of which it knows 128. The accepted
            // encodings have the same meaning.
            Isa::Gfx1201 => Some("+real-true16"),
            _ => None,
        };
        let size = self.wave64.then_some("+wavefrontsize64");
        let features: Vec<&str> = halves.into_iter().chain(size).collect();
        format!("{}{}", self.isa, features.join(","))
    }

    fn decode(self, words: [u32; 3]) -> Instruction {
        if self.wave64 {
            Instruction::decode_for_wave(self.isa, 64, 0, words)
        } else {
            Instruction::decode(self.isa, 0, words)
        }
    }
}

/// The counts of a comparison.
#[derive(Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    /// Differences, by format.
    wrong: Vec<(&'static str, String)>,
}

/// Compares at least `count` encodings of `target`, evenly spread over the numbers that LLVM
/// knows.
fn compare(target: Target, count: usize) -> Result<(), Failed> {
    let isa = target.isa;
    let mut llvm = Oracle::new(&target.processor())?;
    // DECODER_FORMAT=vop3 selects a single format.
    let chosen = std::env::var("DECODER_FORMAT").ok();
    let formats: Vec<&Format> = formats(isa)
        .into_iter()
        .filter(|format| chosen.as_deref().is_none_or(|name| name == format.name))
        .collect();
    let mut tally = Tally::default();
    // DECODER_SEED=2 selects other encodings.
    let seed = std::env::var("DECODER_SEED").ok();
    let seed: u64 = seed.map_or(Ok(0), |text| text.parse())?;
    let mut random = Random((seed << 8) + isa as u64 + 1);
    let known = KNOWN.iter().filter(|it| it.0 == isa);
    let known: Vec<[u32; 3]> = known.map(|it| it.1).collect();
    for (words, answer) in known.iter().zip(llvm.decode(&known)?) {
        tally.add(target, "known", words, &answer);
    }
    // The first round shows how many numbers exist; further rounds fill up.
    let mut each = 4;
    while tally.total() < count {
        let before = tally.total();
        for format in &formats {
            for number in 0..numbers(format) {
                let cases = of_number(format, number, each, &mut llvm, &mut random)?;
                for (words, answer) in cases.iter().zip(llvm.decode(&cases)?) {
                    tally.add(target, format.name, words, &answer);
                }
            }
        }
        let cases: Vec<[u32; 3]> = (0..(tally.total() - before) / 16)
            .map(|_| std::array::from_fn(|_| random.next() as u32))
            .collect();
        for (words, answer) in cases.iter().zip(llvm.decode(&cases)?) {
            tally.add(target, "random", words, &answer);
        }
        let missing = count.saturating_sub(tally.total());
        each = (each * missing).div_ceil(tally.total() - before).max(4);
    }
    judge(&tally, formats.len())
}

impl Tally {
    fn total(&self) -> usize {
        self.accepted + self.refused
    }

    fn add(&mut self, target: Target, format: &'static str, words: &[u32; 3], answer: &Answer) {
        let ours = target.decode(*words);
        let text = ours.to_string();
        let length = ours.bytes() as usize / 4;
        let right = match answer {
            Answer::Crashed => return,
            Answer::Accepted { text: theirs, .. } if llvm_errs(target.isa, words, theirs) => return,
            // LLVM finds a product with factors only in four words, behind their load.
            Answer::Refused if has_factors(target.isa, words) => return,
            Answer::Refused => ours.refusal().is_some(),
            // An instruction that is refused by name needs no operands.
            Answer::Accepted {
                text: theirs,
                words,
            } if ours.refusal().is_some() => {
                let by_name = !ours.name().is_empty() && !text.contains("not valid");
                by_name && theirs.starts_with(ours.name()) && length == *words
            }
            Answer::Accepted {
                text: theirs,
                words,
            } => text == *theirs && length == *words,
        };
        match answer {
            Answer::Accepted { .. } => self.accepted += 1,
            _ => self.refused += 1,
        }
        if !right {
            let [a, b, c] = words;
            let theirs = match answer {
                Answer::Accepted { text, words } => format!("{text} [{words}]"),
                _ => "(refused)".to_owned(),
            };
            let refused = if ours.refusal().is_some() {
                " (refused)"
            } else {
                ""
            };
            let ours = format!("{format} {a:08x} {b:08x} {c:08x}: {text}{refused} [{length}]");
            self.wrong
                .push((format, format!("{ours}\n{:>40} {theirs}", "llvm:")));
        }
    }
}

/// Returns true for `v_mfma_*_f8f6f4` of gfx950 with ABID 1, which takes the factors of
/// `v_mfma_ld_scale_b32`.
fn has_factors(isa: Isa, words: &[u32; 3]) -> bool {
    let is_product = matches!(words[0] >> 16, 0xd3ad | 0xd3ae);
    isa == Isa::Gfx950 && is_product && words[0] >> 11 & 0xf == 1
}

/// Returns true if LLVM 22 has a known error here.
fn llvm_errs(isa: Isa, words: &[u32; 3], theirs: &str) -> bool {
    // LLVM finds gfx9's mixed multiply-adds where later sets have nothing, or images.
    let mixed = words[0] >> 23 == 0b1_1010_0111 && theirs.starts_with("v_fma_mix");
    if isa >= Isa::Gfx1030 && mixed {
        return true;
    }
    // LLVM reads the literal of a multiply-add as the code of an inline constant, if one has that
    // number.
    let dual = theirs.contains(" :: ");
    let literal = if dual { words[2] } else { words[1] };
    let multiply_add = ["madmk_", "madak_", "fmamk_", "fmaak_"];
    let takes_literal = multiply_add.iter().any(|name| theirs.contains(name));
    takes_literal && matches!(literal, 128..=208 | 240..=248)
}

fn judge(tally: &Tally, formats: usize) -> Result<(), Failed> {
    let total = tally.total();
    println!(
        "{total} encodings: {} accepted, {} refused by LLVM",
        tally.accepted, tally.refused
    );
    if tally.accepted * 4 < total {
        return Err(format!("of {total} encodings LLVM accepted {}", tally.accepted).into());
    }
    if tally.wrong.is_empty() {
        return Ok(());
    }
    // Show a few of each format.
    let each = SHOWN / formats.max(1) + 1;
    let mut shown = Vec::new();
    let mut last = ("", 0);
    for (format, text) in &tally.wrong {
        last = if last.0 == *format {
            (*format, last.1 + 1)
        } else {
            (*format, 0)
        };
        if last.1 < each && shown.len() < 2 * SHOWN {
            shown.push(text.as_str());
        }
    }
    Err(format!(
        "{} of {total} differ:\n{}",
        tally.wrong.len(),
        shown.join("\n")
    )
    .into())
}
