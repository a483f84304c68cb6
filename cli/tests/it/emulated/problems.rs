//! Random problems of every operation.

use configgen::comparator::Comparator;
use configgen::reduction::RowOperation;
use configgen::{ElementType, Problem};

use testing::Random;
use testing_problems as functions;

/// Most elements of a problem.
const MAX_ELEMENTS: u64 = 1 << 17;
const MAX_BYTES: u64 = 1 << 21;

const FOLDS: [&str; 12] = [
    "sum", "usum", "product", "max", "min", "umax", "umin", "maxnum", "minnum", "and", "or", "xor",
];
const MODES: [&str; 6] = [
    "",
    ":i64",
    ":i64:index_base",
    ":i32:explicit_index",
    ":i32:index_base:initial",
    ":i32:explicit_index:initial",
];
/// Maps and copies of two dimensions.
const MAPS: [(&str, &str); 7] = [
    ("map(arith.addf(0,1))", "f32,f32(1)"),
    ("map(arith.mulf(0,1))", "bf16,bf16"),
    ("map(arith.extsi(0,i64))", "i8"),
    ("map(arith.cmpf(olt,0,1))", "f16,f16"),
    ("copy", "bf16"),
    ("copy", "f32(1,0)"),
    ("copy", "f64"),
];

/// Returns `count` random problems, the operations in turn.
pub(crate) fn random(count: usize, seed: u64) -> Vec<Problem> {
    let mut random = Random(seed);
    (0..count).map(|turn| any(turn % 5, &mut random)).collect()
}

/// Returns a small enough problem of one kind.
fn any(kind: usize, random: &mut Random) -> Problem {
    loop {
        let text = match kind {
            0 => arg_compare(random),
            1 => fold(random),
            2 => functions::any_text(random),
            3 => row_operation(random),
            _ => map(random),
        };
        // An operation may lack the type, and a function may cancel out.
        let Ok(problem) = text.parse::<Problem>() else {
            continue;
        };
        let bytes = problem.input_bytes() + problem.operand_bytes();
        if problem.shape.elements() <= MAX_ELEMENTS && bytes <= MAX_BYTES {
            return problem;
        }
    }
}

fn arg_compare(random: &mut Random) -> String {
    let element = one(&ElementType::ALL, random);
    let names: Vec<&str> = Comparator::names(element).collect();
    let (name, mode) = (one(&names, random), one(&MODES, random));
    let options = format!("{mode}{}", pitch(random));
    format!("{name}:{}x{element}{options}", shape(random))
}

fn fold(random: &mut Random) -> String {
    let element = one(&ElementType::ALL, random);
    let (name, pitch) = (one(&FOLDS, random), pitch(random));
    format!("{name}:{}x{element}{pitch}", shape(random))
}

fn row_operation(random: &mut Random) -> String {
    let name = one(&RowOperation::ALL, random).name();
    let element = one(&["f32", "f16", "bf16"], random);
    let (rows, columns) = (1 + random.below(12), 1 + random.below(9000));
    format!("{name}:{rows}x[{columns}]x{element}")
}

fn map(random: &mut Random) -> String {
    let (operation, inputs) = one(&MAPS, random);
    let (rows, columns) = (1 + random.below(200), 1 + random.below(900));
    format!("{operation}:{rows}x{columns}x{inputs}")
}

/// Returns a shape of up to three dimensions; the last one or another is reduced.
fn shape(random: &mut Random) -> String {
    let rank = 1 + random.below(3);
    let reduced = random.below(rank);
    let dimension = |d| {
        let size = 1 + match d == reduced {
            true => random.below(8000) / (1 + random.below(4)),
            false => random.below(12),
        };
        match d == reduced {
            true => format!("[{size}]"),
            false => size.to_string(),
        }
    };
    (0..rank).map(dimension).collect::<Vec<_>>().join("x")
}

fn pitch(random: &mut Random) -> &'static str {
    match random.below(6) {
        0 => ":pitch=9001",
        _ => "",
    }
}

fn one<T: Copy>(all: &[T], random: &mut Random) -> T {
    all[random.below(all.len() as u64) as usize]
}
