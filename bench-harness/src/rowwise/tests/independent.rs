//! Random row programs, evaluated with the f64 of another language: the verdict accepts its
//! results.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use configgen::Problem;
use configgen::comparator::ScalarType;
use testing::Random;

use super::{Mistake, rows, scalar_type};
use crate::inputs::Inputs;
use crate::inputs::tests::places;
use crate::operation::POISON;
use crate::verdict::{Outputs, Verdict, compare};

/// The most elements of a program, since the other language is slow.
const MAX_ELEMENTS: u64 = 160;

/// Returns random programs that are small.
fn programs(seed: u64) -> impl Iterator<Item = Problem> {
    let mut random = Random(seed);
    let parsed = std::iter::from_fn(move || Some(testing_problems::any_program(&mut random)));
    let parsed = parsed.filter_map(|text| text.parse::<Problem>().ok());
    parsed
        .filter(|it| it.reduction.operation() == "rowwise")
        .filter(|it| it.reduction.row_operation().is_none())
        .filter(|it| it.shape.elements() <= MAX_ELEMENTS)
}

/// Returns the outputs of a launch as the other language computes them.
fn outputs(problem: &Problem, found: &[Vec<Vec<u64>>]) -> Outputs<'static> {
    let shape = &problem.shape;
    let results = problem.results();
    let tensors = results.iter().enumerate().map(|(output, tensor)| {
        let (kind, size) = (scalar_type(tensor.scalar), tensor.scalar.bytes() as usize);
        let mut bytes = vec![POISON; tensor.bytes(shape) as usize];
        for (row, found) in found.iter().enumerate() {
            for (column, &number) in found[output].iter().enumerate() {
                let at = places(problem, row as u64, column as u64);
                let map = tensor.extent.map(shape);
                let dimensions = map.dimensions();
                let place = dimensions.fold(0, |it, d| it * u64::from(shape.sizes()[d]) + at[d]);
                let number = f64::from_bits(number);
                let bits = match kind.is_float() {
                    true => kind.round(number),
                    false => number as i64 as u64,
                };
                bytes[place as usize * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        bytes.into()
    });
    Outputs(tensors.collect())
}

/// Checks so many programs.
fn check(count: usize, seed: u64) {
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/rowwise/tests/independent.py"
    );
    let mut python = Command::new("python3")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut given = python.stdin.take().unwrap();
    let mut answers = BufReader::new(python.stdout.take().unwrap()).lines();
    let mut narrow = 0;
    for problem in programs(seed).take(count) {
        let name = problem.name();
        let text = name
            .strip_prefix("rows(")
            .and_then(|it| it.strip_suffix(')'))
            .unwrap();
        let operands = problem.operands();
        let kinds: Vec<String> = std::iter::once(ScalarType::from(problem.element).to_string())
            .chain(operands.iter().map(|it| it.scalar.to_string()))
            .collect();
        let inputs = Inputs::new(&problem, seed).unwrap();
        for (number, launch) in inputs.launches().iter().enumerate() {
            let rows = rows(&inputs, number, Mistake::None);
            let bits: Vec<Vec<Vec<u32>>> = rows
                .iter()
                .map(|row| {
                    let inputs = row.iter();
                    inputs
                        .map(|it| it.iter().map(|x| x.to_bits()).collect())
                        .collect()
                })
                .collect();
            let line =
                serde_json::to_string(&(text, &kinds, problem.reduction.indices(), bits)).unwrap();
            writeln!(given, "{line}").unwrap();
            let answer = answers.next().unwrap().unwrap();
            let found: Vec<Vec<Vec<u64>>> = serde_json::from_str(&answer).unwrap();
            let all = 0..problem.shape.rows();
            let outputs = outputs(&problem, &found);
            match compare(&inputs, launch, &outputs, std::slice::from_ref(&all)) {
                Verdict::Right(error) => narrow += usize::from(error > 0.0),
                verdict => panic!("{problem}, launch {number}: {verdict}"),
            }
        }
    }
    drop(given);
    assert!(python.wait().unwrap().success());
    // A bound that accepts every number would show nothing.
    assert!(narrow > count, "{narrow}");
}

#[test]
fn another_language_agrees() {
    check(8, 1);
}

#[test]
#[ignore = "500 programs"]
fn full_another_language_agrees() {
    check(500, 2);
}
