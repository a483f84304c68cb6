//! The functions of norms and exponentials, in every form that LLVM prints, against the true
//! value. Exponential, logarithm and roots must be within a unit in the last place, everything
//! else must be exact.
//!
//! The other tests of this folder run each instruction once, with the assembler's encoding.

mod forms;
mod judge;
mod special;

use testing::Failed;

use crate::semantics::dialect::Dialect;
use crate::semantics::program::{execute, load};
use crate::semantics::support::Random;
use forms::Form;
use judge::Sources;

/// Workgroups of 64 items: some thousand inputs, the first of them from [`special`].
const WORKGROUPS: usize = 80;
/// Input bytes of a workgroup: the three floats and the integer of each item.
const INPUT: usize = 2 * 512;
/// Result bytes of a form.
const OUTPUT: usize = 256;

pub(crate) fn check(dialect: Dialect) -> Result<(), Failed> {
    let forms = forms::all(dialect.isa);
    let mut body = dialect.load_two(2, 1, 4, 0) + &dialect.load_two(4, 1, 4, 512);
    body += dialect.wait();
    body += "v_lshrrev_b32 v1, 1, v1\n";
    for form in &forms {
        // On gfx9, DPP must not read a recently written register; the constant shows unwritten
        // lanes.
        body += &format!("v_mov_b32 v10, 0x7fe00bad\ns_nop 4\n{}\n", form.text);
        body += &dialect.store(1, 10, 1, 6, 0);
        body += &dialect.advance(6, &format!("{OUTPUT:#x}"));
    }
    let output = OUTPUT * forms.len();
    let code = load(dialect, &dialect.kernel(INPUT, output, 0, &body))?;
    let items = sources(64 * WORKGROUPS);
    let results = execute(&code, WORKGROUPS, &bytes(&items), output * WORKGROUPS)?;
    let results: Vec<u32> = results
        .as_chunks::<4>()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    let mut wrong = Vec::new();
    for (group, results) in results.chunks_exact(64 * forms.len()).enumerate() {
        let items = &items[64 * group..][..64];
        for (form, results) in forms.iter().zip(results.chunks_exact(64)) {
            for (lane, &found) in results.iter().enumerate() {
                if let Err(expected) = judged(form, items, lane, found) {
                    let text = form.text.replace('\n', "; ");
                    let (one, first) = (items[lane], items[(form.from)(lane)].first);
                    wrong.push(format!(
                        "{text}: {first:#x} and {one:x?}: {found:#x}, not {expected}"
                    ));
                }
            }
        }
    }
    crate::semantics::judge(&wrong, 64 * WORKGROUPS * forms.len())
}

/// Compares the result of a lane with the true value, and with the table of special values.
fn judged(form: &Form, items: &[Sources], lane: usize, found: u32) -> Result<(), String> {
    let mut item = items[lane];
    // Only the first source crosses lanes.
    item.first = items[(form.from)(lane)].first;
    form.judge(item, found)?;
    if !form.is_plain() {
        return Ok(());
    }
    match special::expected(form.function.name, item.first) {
        Some(expected) if !judge::same(found, expected) => Err(format!("{expected:#x}")),
        _ => Ok(()),
    }
}

/// Returns the inputs: special ones, every power of two with its neighbours, numbers near one,
/// and random ones.
fn sources(count: usize) -> Vec<Sources> {
    let mut random = Random(11);
    let mut first: Vec<u32> = special::inputs().collect();
    for exponent in 0..=0xff_u32 {
        let power = exponent << 23;
        for bits in [power, power + 1, power.wrapping_sub(1), power + 0x35_04f3] {
            // Other tests cover signalling NaN.
            let quiet = match bits & 0x7fff_ffff {
                nan if nan > 0x7f80_0000 => nan | 0x0040_0000,
                number => number,
            };
            first.extend([quiet, quiet ^ 0x8000_0000]);
        }
    }
    let one = 1f32.to_bits();
    first.extend((0..64).flat_map(|near| [one + near, one - near]));
    // Arguments with a finite nonzero exponential, in steps and at random; the rest are random
    // numbers of any size.
    first.extend((-160 * 4..160 * 4).map(|step| (step as f32 / 4.0).to_bits()));
    while first.len() < count {
        let bits = random.next();
        first.push(match bits % 2 {
            0 => (((bits >> 32) as i32) as f32 / 12_000_000.0).to_bits(),
            _ => ((bits >> 33) as u32 % 0x7f80_0000) | ((bits as u32 & 2) << 30),
        });
    }
    assert_eq!(first.len(), count, "room for random ones");
    let other = |random: &mut Random| first[random.below(count as u64) as usize];
    first
        .iter()
        .map(|&one| Sources {
            first: one,
            second: other(&mut random),
            third: other(&mut random),
            integer: match random.below(8) {
                0 => [i32::MIN, i32::MAX, 0][random.below(3) as usize],
                _ => random.below(600) as i32 - 300,
            },
        })
        .collect()
}

/// Returns the inputs in the kernel's layout: v2 and v3, and v4 and v5 of each item.
fn bytes(items: &[Sources]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for group in items.chunks_exact(64) {
        for item in group {
            bytes.extend(item.first.to_le_bytes());
            bytes.extend(item.integer.to_le_bytes());
        }
        for item in group {
            bytes.extend(item.second.to_le_bytes());
            bytes.extend(item.third.to_le_bytes());
        }
    }
    bytes
}
