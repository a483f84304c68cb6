//! Tests of texts with mistakes: an error with a position, or a problem; never a panic.

use super::super::form::OperationForm;
use super::super::{LinalgError, operations, read_reduction};
use super::gathers::{CLAMPED, taken};
use super::{COUNTS, accepted, concatenations, slices};
use crate::Problem;
use crate::seeded_random::{Random, below, generator};

/// The inserted pieces: tokens of the language, and others.
const PIECES: [&str; 66] = [
    "%a",
    "%init",
    "%0",
    "%",
    "^bb0",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    "[",
    "]",
    ",",
    ":",
    "=",
    "->",
    "\"",
    "//",
    "\n",
    "#",
    "#map",
    "#map = ",
    "-",
    "0",
    "1",
    "?",
    "4x",
    "d0",
    "d1",
    "d5",
    "affine_map<(d0, d1) -> (d1)>",
    "0xFFFFFFFFFFFFFFFFFF",
    "99999999999999999999999",
    "f32",
    "f16",
    "i1",
    "i64",
    "index",
    "tensor<4x8xf32>",
    "tensor<?xf32>",
    "memref<4xf32>",
    "\"parallel\"",
    "\"reduction\"",
    "indexing_maps = [",
    "iterator_types = [",
    "dimensions = [",
    "ins(",
    "outs(",
    "linalg.generic",
    "linalg.reduce",
    "linalg.fill",
    "linalg.softmax",
    "dimension(1)",
    "linalg.yield",
    "tensor.collapse_shape",
    "tensor.expand_shape",
    "[[0, 1]]",
    "math.exp",
    "math.rsqrt",
    "arith.divf",
    "#0",
    "(d0, 0)>",
    "arith.addf",
    "arith.constant",
    "é",
];

/// Returns a text with one to three pieces or parts removed, inserted, moved or replaced.
fn mutate(random: &mut Random, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut up_to = |bound: usize| below(random, bound as u64) as usize;
    for _ in 0..=up_to(3) {
        let place = up_to(bytes.len() + 1);
        let end = (place + up_to(16)).min(bytes.len());
        let piece = PIECES[up_to(PIECES.len())];
        match up_to(7) {
            0 => drop(bytes.drain(place..end)),
            1 => drop(bytes.splice(place..place, piece.bytes())),
            2 | 3 => drop(bytes.splice(place..end, piece.bytes())),
            4 => {
                let copied = bytes[place..end].to_vec();
                let to = up_to(bytes.len() + 1);
                bytes.splice(to..to, copied);
            }
            5 if place < bytes.len() => bytes[place] = up_to(256) as u8,
            _ if up_to(8) == 0 => bytes.truncate(place.max(1)),
            _ => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[track_caller]
fn check_position(text: &str, error: &LinalgError) {
    let line = text.split('\n').nth(error.line - 1);
    let line = line.unwrap_or_else(|| panic!("{error}\n{text}"));
    let columns = 1..=line.chars().count() + 1;
    assert!(columns.contains(&error.column), "{error}\n{text}");
    assert!(!error.message.is_empty());
}

/// Tries `count` mutations of the texts, and returns the number of problems.
fn run(count: u64) -> u64 {
    let texts: Vec<&str> = accepted().map(|it| it.0).collect();
    let mut problems = 0;
    for seed in 0..count {
        let mut random = generator(seed, 0);
        let text = texts[below(&mut random, texts.len() as u64) as usize];
        let text = mutate(&mut random, text);
        match read_reduction(&text) {
            Ok(problem) => {
                let again: Problem = problem.to_string().parse().unwrap();
                assert_eq!(again, problem);
                problems += 1;
            }
            Err(error) => check_position(&text, &error),
        }
    }
    problems
}

#[test]
fn mutated_texts() {
    let problems = run(20_000);
    assert!((2_000..18_000).contains(&problems), "{problems}");
}

/// Tries mutations of a module with a gather from two tensors: its problems, and the text that
/// finds each of them, are there or not.
#[test]
fn mutated_gathers() {
    let text = taken(CLAMPED);
    let mut gathers = 0;
    for seed in 0..1_000 {
        let text = mutate(&mut generator(seed, 1), &text);
        match operations(&text, &COUNTS) {
            Ok(found) => {
                for form in found.iter().filter_map(|it| it.form.as_ref()) {
                    assert!(!form.to_string().is_empty());
                    gathers += form.gathers().count();
                }
            }
            Err(error) => check_position(&text, &error),
        }
    }
    assert!((100..900).contains(&gathers), "{gathers}");
}

/// Tries mutations of two texts. Returns the number of forms that `is_counted` selects.
fn mutated_forms(
    texts: &[String; 2],
    stream: u64,
    is_counted: impl Fn(&OperationForm) -> bool,
) -> usize {
    let mut forms = 0;
    for seed in 0..1_000 {
        let mut random = generator(seed, stream);
        let text = &texts[below(&mut random, 2) as usize];
        let text = mutate(&mut random, text);
        match operations(&text, &COUNTS) {
            Ok(found) => {
                for form in found.iter().filter_map(|it| it.form.as_ref()) {
                    assert!(!form.to_string().is_empty());
                    forms += usize::from(is_counted(form));
                }
            }
            Err(error) => check_position(&text, &error),
        }
    }
    forms
}

/// Tries mutations of concatenations in both forms of frontends.
#[test]
fn mutated_concatenations() {
    let maps = mutated_forms(&concatenations::rotations(), 2, |_| true);
    assert!((100..950).contains(&maps), "{maps}");
}

/// Tries mutations of slices in front of a sum.
#[test]
fn mutated_slices() {
    let texts = [slices::PART, slices::TWICE].map(slices::sums);
    let views = mutated_forms(&texts, 3, |form| form.operations() > 1);
    assert!((100..950).contains(&views), "{views}");
}

/// Tries sizes that only a hostile text has; each is answered at once.
#[test]
fn deep_and_long_texts() {
    #[track_caller]
    fn check(piece: &str, count: usize, part: &str) {
        let error = read_reduction(&piece.repeat(count)).unwrap_err();
        assert!(error.message.contains(part), "{error}");
    }
    check("linalg.generic {", 1 << 18, "never");
    check(
        "linalg.generic {} ins() outs() { ^bb0 ",
        1 << 17,
        "never closed",
    );
    check("#a = {", 1 << 18, "never");
    check(
        "#a = {iterator_types = [\"parallel\"}}\n",
        1 << 17,
        "there is no linalg.generic",
    );
    check("\"linalg.reduce\"(", 1 << 18, "never closed");
    check(
        "linalg.reduce ins(%a : tensor<4xf32>) outs(%i) dimensions = [0] (%a: f32) {}\n",
        1 << 14,
        "at most 256 reductions",
    );
    check(
        "%a = linalg.fill ins(%a\n",
        1 << 18,
        "there is no linalg.generic",
    );
    let one = "%b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} \
               ins(%b : tensor<4xf32>) outs(%b : tensor<4xf32>) {^bb0(%x: f32, %y: f32): linalg.yield %x : f32}\n";
    check(one, 1 << 15, "there is no linalg.generic");
    let sum = one
        .replace("parallel", "reduction")
        .replace("%b = ", "%s = ");
    let text = sum + &one.replace("%b :", "%s :");
    check(&text, 1 << 14, "at most 256 reductions");
    check("affine_map<(", 1 << 18, "there is no linalg.generic");
    let insert =
        "%b = tensor.insert_slice %a into %b[0] [1] [1] : tensor<1xf32> into tensor<8xf32>\n";
    assert!(operations(&insert.repeat(1 << 14), &COUNTS).is_ok());
    let loops = "\"parallel\", ".repeat(1 << 18);
    let text = format!("#t = {{iterator_types = [{loops}\"parallel\"]}}\n");
    let generic = "linalg.generic #t ins(%a) outs(%b) {^bb0(%x: f32): }\n".repeat(1 << 15);
    let error = read_reduction(&(text + &generic)).unwrap_err();
    assert!(
        error.message.contains("there is no linalg.generic"),
        "{error}"
    );
}
