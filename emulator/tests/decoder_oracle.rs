//! The decoder and its text against llvm-mc, over random operands of every instruction.

mod support;

use std::io::Write as _;
use std::process::{Command, Stdio};

use emulator::{Instruction, Isa};
use libtest_mimic::{Arguments, Failed, Trial};
use support::{Random, llvm, with_llvm};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = FORMATS
        .iter()
        .map(|format| {
            with_llvm(
                &format!("every_{}_instruction", format.name),
                &["llvm-mc"],
                || compare(format, 6),
            )
        })
        .collect();
    trials.extend(FORMATS.iter().map(|format| {
        let name = format!("full_every_{}_instruction", format.name);
        with_llvm(&name, &["llvm-mc"], || compare(format, 300))
            .with_ignored_flag(true)
            .with_kind("full: a minute")
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

/// An encoding: fixed bits, where its number lies, and what else to vary.
struct Format {
    name: &'static str,
    fixed: u32,
    number_bit: u32,
    numbers: u32,
    /// Bits of both words that random operands may set.
    random: [u32; 2],
    words: usize,
}

const FORMATS: [Format; 16] = [
    Format {
        name: "sop1",
        fixed: 0xbe80_0000,
        number_bit: 8,
        numbers: 256,
        random: [0x007f_00ff, u32::MAX],
        words: 1,
    },
    Format {
        name: "sop2",
        fixed: 0x8000_0000,
        number_bit: 23,
        numbers: 96,
        random: [0x007f_ffff, u32::MAX],
        words: 1,
    },
    Format {
        name: "sopk",
        fixed: 0xb000_0000,
        number_bit: 23,
        numbers: 29,
        random: [0x007f_ffff, u32::MAX],
        words: 1,
    },
    Format {
        name: "sopc",
        fixed: 0xbf00_0000,
        number_bit: 16,
        numbers: 128,
        random: [0x0000_ffff, u32::MAX],
        words: 1,
    },
    Format {
        name: "sopp",
        fixed: 0xbf80_0000,
        number_bit: 16,
        numbers: 128,
        random: [0x0000_ffff, 0],
        words: 1,
    },
    Format {
        name: "smem",
        fixed: 0xc000_0000,
        number_bit: 18,
        numbers: 256,
        random: [0x0003_7fff, 0xfe1f_ffff],
        words: 2,
    },
    Format {
        name: "vop1",
        fixed: 0x7e00_0000,
        number_bit: 9,
        numbers: 256,
        random: [0x01fe_01ff, u32::MAX],
        words: 1,
    },
    Format {
        name: "vop2",
        fixed: 0,
        number_bit: 25,
        numbers: 62,
        random: [0x01ff_ffff, u32::MAX],
        words: 1,
    },
    Format {
        name: "vopc",
        fixed: 0x7c00_0000,
        number_bit: 17,
        numbers: 256,
        random: [0x0001_ffff, u32::MAX],
        words: 1,
    },
    Format {
        name: "vop3",
        fixed: 0xd000_0000,
        number_bit: 16,
        numbers: 1024,
        random: [0x0000_ffff, u32::MAX],
        words: 2,
    },
    Format {
        name: "vop3p",
        fixed: 0xd380_0000,
        number_bit: 16,
        numbers: 128,
        random: [0x0000_ffff, u32::MAX],
        words: 2,
    },
    Format {
        name: "ds",
        fixed: 0xd800_0000,
        number_bit: 17,
        numbers: 256,
        random: [0x0200_ffff, u32::MAX],
        words: 2,
    },
    Format {
        name: "flat",
        fixed: 0xdc00_0000,
        number_bit: 18,
        numbers: 128,
        random: [0x0203_0fff, 0xff80_ffff],
        words: 2,
    },
    Format {
        name: "scratch",
        fixed: 0xdc00_4000,
        number_bit: 18,
        numbers: 128,
        random: [0x0203_3fff, u32::MAX],
        words: 2,
    },
    Format {
        name: "global",
        fixed: 0xdc00_8000,
        number_bit: 18,
        numbers: 128,
        random: [0x0203_1fff, u32::MAX],
        words: 2,
    },
    Format {
        name: "mubuf",
        fixed: 0xe000_0000,
        number_bit: 18,
        numbers: 128,
        random: [0x0002_ffff, u32::MAX],
        words: 2,
    },
];

/// Sources that announce another word.
const SDWA: u32 = 249;
const DPP: u32 = 250;
const LITERAL: u32 = 255;

/// Random words of an instruction with this number.
fn words(format: &Format, number: u32, random: &mut Random) -> [u32; 2] {
    let bits = random.next();
    let mut first = format.fixed | (number << format.number_bit) | (bits as u32 & format.random[0]);
    let mut second = (bits >> 32) as u32 & format.random[1];
    let choice = random.below(8);
    // Even registers and small codes, that most instructions accept, most of the time.
    if format.words == 2 {
        if choice < 5 {
            second &= if format.name.starts_with("vop3") {
                !0x0004_0201
            } else {
                !0x0101_0101
            };
        }
        if format.name == "vop3" && (number < 0x100 || number == 0x289) {
            // Scalar destinations that do not exist crash llvm-mc 22.
            first &= !0x80;
        }
        if format.name == "vop3" {
            // Modifiers and the third source only now and then: many instructions have none.
            if choice.is_multiple_of(2) {
                first &= !0xff00;
                second &= !0xf800_0000;
            }
            if choice % 4 < 2 {
                second &= !0x07fc_0000;
            }
        }
        if choice < 3 && format.name == "vop3p" {
            second =
                (second & !0x07ff_ffff) | [0x0408_1102, 0x0400_3904, 0x03ca_10f2][choice as usize];
        }
        if format.name == "ds" && choice < 6 {
            // Unused registers must be zero.
            second &= [
                0x0000_ffff,
                0xff00_00ff,
                0xff00_ffff,
                0x00ff_ffff,
                0xff00_0000,
                u32::MAX,
            ][choice as usize];
        }
        if matches!(format.name, "scratch" | "global") && choice.is_multiple_of(2) {
            second |= 0x007f_0000;
        }
        if matches!(format.name, "flat" | "global" | "scratch" | "mubuf") {
            second &= !0x0101_0101 | 0x0001_0000;
        }
        if format.name == "smem" && choice.is_multiple_of(2) {
            first &= !0x4000;
        }
    } else if format.name.starts_with("vop") {
        let source = match choice {
            0 => SDWA,
            1 => DPP,
            2 => LITERAL,
            3 => 128 + random.below(121) as u32,
            4 => random.below(128) as u32,
            _ => 256 + 2 * random.below(128) as u32,
        };
        first = (first & !0x1ff) | source;
        if random.below(2) == 0 {
            // Even registers.
            first &= !0x0002_0200;
        }
        if source == DPP {
            let controls = [
                0x1b, 0xe4, 0x101, 0x10f, 0x111, 0x121, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141,
                0x142, 0x143, 0x150, 0x15f,
            ];
            let control = controls[random.below(16) as usize];
            second = (second & 0xfff8_00fe) | (control << 8);
        } else if source == SDWA {
            second &= !0x4040_1000 & !0x8080_0000 & 0xffff_fffe;
            second |= [0, 0x0080_0000][random.below(2) as usize] * u32::from(second & 0x80 == 0);
            for bit in [8, 16, 24] {
                if (second >> bit) & 7 == 7 {
                    second &= !(1 << bit);
                }
            }
        }
    } else if format.name.starts_with("sop") && choice == 0 {
        first = (first & !0xff) | LITERAL;
    }
    [first, second]
}

fn compare(format: &'static Format, each: u32) -> Result<(), Failed> {
    let mut random = Random(u64::from(format.fixed) + 1);
    let mut cases = Vec::new();
    for number in 0..format.numbers {
        for _ in 0..each {
            cases.push(words(format, number, &mut random));
        }
    }
    let mut checked = 0;
    let mut wrong = Vec::new();
    for chunk in cases.chunks(20_000) {
        for (words, expected) in chunk.iter().zip(disassemble(chunk)?) {
            let Some(expected) = expected else { continue };
            let instruction = Instruction::decode(Isa::Gfx942, 0, [words[0], words[1], 0]);
            let text = instruction.to_string();
            let right = match instruction.refusal() {
                // A refused instruction is known by its name.
                Some(_) => {
                    !instruction.name().is_empty()
                        && expected.starts_with(instruction.name())
                        && !text.contains("not valid")
                }
                None => text == expected,
            };
            checked += 1;
            if !right {
                wrong.push(format!(
                    "{:08x} {:08x}: {text}\n{:>19} {expected}",
                    words[0], words[1], "llvm:"
                ));
            }
        }
    }
    if checked < 20 {
        return Err(format!(
            "llvm-mc accepted only {checked} of {} encodings",
            cases.len()
        )
        .into());
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let shown = wrong
        .iter()
        .take(40)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    Err(format!("{} of {checked} differ:\n{shown}", wrong.len()).into())
}

/// What llvm-mc makes of each case: one instruction without complaint, or None.
fn disassemble(cases: &[[u32; 2]]) -> Result<Vec<Option<String>>, Failed> {
    // A marker before each case tells what belongs to it: s_movk_i32 s99, number.
    let line = |words: &[u32]| {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        bytes
            .map(|byte| format!("0x{byte:02x}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut input = String::new();
    for (index, words) in cases.iter().enumerate() {
        let length =
            Instruction::decode(Isa::Gfx942, 0, [words[0], words[1], 0]).bytes() as usize / 4;
        input += &format!(
            "{}\n{}\n",
            line(&[0xb063_0000 | index as u32]),
            line(&words[..length])
        );
    }
    let tool = llvm("llvm-mc").ok_or("llvm-mc has gone")?;
    let mut child = Command::new(tool)
        .args([
            "--disassemble",
            "-triple=amdgcn",
            "-mcpu=gfx942",
            "--show-encoding",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| "the writer panicked")??;
    let text = String::from_utf8(output.stdout)?;
    let mut found: Vec<Vec<(&str, usize, u32)>> = vec![Vec::new(); cases.len()];
    let mut current = None;
    for line in text.lines() {
        let Some((instruction, encoding)) = line.split_once("; encoding:") else {
            continue;
        };
        let instruction = instruction.trim();
        let encoding = encoding.trim_matches([' ', '[', ']']).split(',');
        let bytes = encoding.clone().count();
        let byte = |text: &str| u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap_or(0);
        let high = encoding
            .skip(2)
            .take(2)
            .fold(0, |word, text| (word >> 8) | (byte(text) << 8));
        match instruction.strip_prefix("s_movk_i32 s99, ") {
            Some(number) => {
                let hex = number.strip_prefix("0x");
                current = hex.map_or_else(
                    || number.parse().ok(),
                    |hex| usize::from_str_radix(hex, 16).ok(),
                );
            }
            None => {
                if let Some(list) = current.and_then(|index: usize| found.get_mut(index)) {
                    list.push((instruction, bytes, high));
                }
            }
        }
    }
    // Registers that only later parts have are llvm-mc's slip.
    let foreign = |text: &str| {
        let names = [
            "null",
            "src_flat_scratch",
            "src_pops",
            "src_lds_direct",
            "sendmsg(",
        ];
        let carries = text.contains("_co_u32") || text.contains("v_cndmask");
        let last = text.rsplit(", ").next().unwrap_or_default();
        names.iter().any(|name| text.contains(name)) || (carries && last.starts_with("v["))
    };
    let single = |(list, words): (Vec<(&str, usize, u32)>, &[u32; 2])| match list[..] {
        [(one, bytes, high)] if !one.contains("/*") && !foreign(one) => {
            let length = Instruction::decode(Isa::Gfx942, 0, [words[0], words[1], 0]).bytes();
            let text = one.split("//").next().unwrap_or(one).trim();
            // What follows a rejected first word is decoded by itself: it has another encoding.
            let same = high & 0xfffc == (words[0] >> 16) & 0xfffc;
            (same && bytes as u64 == length).then(|| text.to_owned())
        }
        _ => None,
    };
    Ok(found.into_iter().zip(cases).map(single).collect())
}
