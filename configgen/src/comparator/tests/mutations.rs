//! Tests of comparator texts with mistakes: an error with a position, or a comparator; never a
//! panic.

use super::super::mlir::parse_operations;
use super::super::scalar::ScalarType;
use super::super::{Block, Comparator, ComparatorError};
use super::random::Random;

/// The inserted pieces: tokens of the language, and others.
const PIECES: [&str; 44] = [
    "%a",
    "%b",
    "%0",
    "%",
    "^bb0",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    ",",
    ":",
    "=",
    "->",
    "\"",
    "//",
    "\n",
    "#",
    "-",
    ".",
    "0x",
    "0xFFFFFFFFFFFFFFFFFF",
    "1.0e999999999",
    "99999999999999999999999",
    "-1",
    "f32",
    "f8E4M3FN",
    "i1",
    "i64",
    "tensor<4x?xf32>",
    "arith.cmpf ogt,",
    "arith.constant",
    "arith.select",
    "iree_linalg_ext.yield",
    "iree_linalg_ext.arg_compare",
    "loc(",
    "fastmath<",
    "true",
    "to",
    "é",
    "\u{0}",
    "\"arith.cmpf\"(",
    "index",
];

/// Returns a text with one or two bytes, pieces or parts removed, inserted or moved.
fn mutate(random: &mut Random, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(2) {
        let place = random.below(bytes.len() + 1);
        let end = (place + random.below(12)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(place..end)),
            1 => drop(bytes.splice(place..place, random.pick(&PIECES).bytes())),
            2 => drop(bytes.splice(place..end, random.pick(&PIECES).bytes())),
            3 => {
                let copied = bytes[place..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copied);
            }
            4 if place < bytes.len() => bytes[place] = random.below(256) as u8,
            _ => bytes.truncate(place.max(1)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[track_caller]
fn check_position(text: &str, error: &ComparatorError) {
    let lines = text.split('\n').count();
    assert!((1..=lines).contains(&error.line), "{error}\n{text}");
    let line = text.split('\n').nth(error.line - 1).unwrap();
    assert!(
        (1..=line.chars().count() + 1).contains(&error.column),
        "{error}\n{text}"
    );
    assert!(!error.message.is_empty());
}

#[track_caller]
fn check_parsed(comparator: &Comparator) {
    let again = Comparator::from_block(&comparator.block().to_string());
    assert_eq!(again.as_ref(), Ok(comparator));
    assert_eq!(
        Comparator::from_compact(comparator.compact(), comparator.element()).as_ref(),
        Ok(comparator)
    );
}

/// Tries `count` mutations of random blocks, operations and compact texts; returns the parsed
/// number.
fn run(count: u64) -> u64 {
    let mut parsed = 0;
    for seed in 0..count {
        let mut random = Random::new(seed);
        let element = random.pick(&ScalarType::ALL[1..]);
        let operations = 1 + random.below(8);
        let region = random.region(element, operations);
        let block = Block::new(&region).to_string();
        let result = match random.below(3) {
            0 => {
                let text = mutate(&mut random, &block);
                Comparator::from_block(&text).map_err(|error| (text, error))
            }
            1 => {
                let operation = format!(
                    "%r:2 = iree_linalg_ext.arg_compare dimension(0) ins(%x : tensor<7x{element}>) \
                     outs(%v, %i : tensor<{element}>, tensor<i32>) {{\n{block}}}"
                );
                let text = mutate(&mut random, &operation);
                match parse_operations(&text) {
                    Ok(operations) => {
                        for operation in operations {
                            check_parsed(&Comparator::new(&operation.region).unwrap());
                            parsed += 1;
                        }
                        continue;
                    }
                    Err(error) => Err((text, error)),
                }
            }
            _ => {
                let comparator = Comparator::new(&region).unwrap();
                let text = mutate(&mut random, comparator.compact());
                Comparator::from_compact(&text, element).map_err(|error| (text, error))
            }
        };
        match result {
            Ok(comparator) => {
                check_parsed(&comparator);
                parsed += 1;
            }
            Err((text, error)) => check_position(&text, &error),
        }
    }
    parsed
}

#[test]
fn mutated_texts() {
    let parsed = run(1200);
    assert!((30..1170).contains(&parsed), "{parsed}");
}

#[test]
#[ignore = "full: 100,000 mutated comparator texts"]
fn mutated_texts_in_full() {
    run(100_000);
}

/// Tries sizes that only a hostile text has.
#[test]
fn deep_and_long_texts() {
    let open = "(<[{".repeat(1 << 16);
    let error = parse_operations(&format!("iree_linalg_ext.arg_compare {{{open}")).unwrap_err();
    assert_eq!((error.line, error.column), (1, 29));
    assert!(parse_operations(&"iree_linalg_ext.arg_compare\n".repeat(1 << 14)).is_err());
    assert!(Comparator::from_block(&open).is_err());
    let quotes = format!("x {}", "\\\"".repeat(1 << 18));
    assert_eq!(parse_operations(&quotes), Ok(Vec::new()));
    // A value with two uses by each of many others has, as a tree, more nodes than there are
    // atoms.
    let mut text = "^bb0(%a: i64, %b: i64):\n%v0 = arith.subi %a, %b : i64\n".to_string();
    for place in 1..250 {
        text += &format!("%v{place} = arith.muli %v{0}, %v{0} : i64\n", place - 1);
    }
    text += "%c = arith.cmpi sgt, %v249, %b : i64\niree_linalg_ext.yield %c : i1";
    let comparator = Comparator::from_block(&text).unwrap();
    check_parsed(&comparator);
    assert!(comparator.order().is_refuted());
}
