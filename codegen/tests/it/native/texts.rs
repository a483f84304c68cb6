//! Texts of problems with mistakes: the result is an error at a place in the text, or a problem
//! with a correct kernel.

use std::collections::HashSet;

use codegen::native::Native;
use configgen::{Problem, TARGETS, Target};
use testing::Failed;

use crate::native::inputs::Random;
use crate::native::triples::{Triples, any_configuration, any_text, is_small};
use crate::native::{check_kernels, computed, functions, maps};

/// Pieces that are inserted into texts: some that occur in other texts, and some that never do.
const PIECES: [&str; 39] = [
    "0",
    "1",
    "9",
    "64",
    "4294967296",
    "-1",
    "[",
    "]",
    "x",
    ":",
    ";",
    "(",
    ")",
    "{",
    "}",
    ",",
    "=",
    "argmax",
    "argmin_last",
    ".oge",
    "f32",
    "f8E4M3FN",
    "i1",
    "i64",
    "index_base",
    "initial",
    "pitch=",
    "arith.cmpf(ogt,0,1)",
    "2=",
    "oeq",
    "sum",
    "dot",
    "map",
    "copy",
    ",f32",
    "(1)",
    "math.absf(0)",
    "é",
    "\0",
];

pub(crate) fn mutated_texts_are_refused_or_right(native: &Native) -> Result<(), Failed> {
    check(native, 3000, 31)
}

pub(crate) fn many_mutated_texts_are_refused_or_right(native: &Native) -> Result<(), Failed> {
    check(native, 100_000, 32)
}

/// Prints the number of texts of each outcome, visible with `--nocapture`.
fn check(native: &Native, count: usize, seed: u64) -> Result<(), Failed> {
    let mut random = Random(seed);
    let (mut refused, mut large, mut seen) = (0, 0, HashSet::new());
    let mut by_target = Triples::new();
    for _ in 0..count {
        let text = match random.below(4) {
            0 => functions::any_text(&mut random),
            1 => maps::any_text(&mut random),
            _ => any_text(&mut random),
        };
        let text = mutated(&text, &mut random);
        let problem = match text.parse::<Problem>() {
            Ok(problem) => problem,
            Err(error) if error.position <= text.chars().count() => {
                refused += 1;
                continue;
            }
            Err(error) => return Err(format!("{text}: {error}").into()),
        };
        if !is_small(&problem) || !computed::has_reference(&problem) {
            large += 1;
        } else if seen.insert(problem.to_string()) {
            let target = &TARGETS[random.below(TARGETS.len() as u64) as usize];
            let configuration = any_configuration(&problem, target, &mut random);
            let kernels = by_target.entry(target.name).or_default();
            kernels.push((problem, configuration));
        }
    }
    println!(
        "{count} texts: {refused} refused, {large} large, {} kernels",
        seen.len()
    );
    for (name, kernels) in by_target {
        let target = Target::named(name).ok_or("a target of the table")?;
        check_kernels(native, target, &kernels, seed)?;
    }
    Ok(())
}

/// Returns the text with one or two stretches removed, doubled or replaced by a piece.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(2) {
        let mut place = || random.below(text.len() as u64 + 1) as usize;
        let (a, b) = (place(), place());
        let start = text.floor_char_boundary(a.min(b));
        // Mostly short ones.
        let end = match random.below(4) {
            0 => a.max(b),
            length => (start + length as usize).min(text.len()),
        };
        let end = text.ceil_char_boundary(end);
        let stretch = text[start..end].to_owned();
        let piece = PIECES[random.below(PIECES.len() as u64) as usize];
        match random.below(4) {
            0 => text.replace_range(start..end, ""),
            1 => text.insert_str(start, &stretch),
            2 => text.replace_range(start..end, piece),
            _ => text.insert_str(start, piece),
        }
    }
    text
}
