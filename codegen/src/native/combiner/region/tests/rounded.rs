//! Tests of rounded functions: the results of kernels are within the errors that row programs
//! allow.

use configgen::comparator::Opcode;
use configgen::{Problem, Target};

use super::device::{Case, find_tools, results};
use super::operands::Random;

const FUNCTIONS: [(&str, Opcode); 11] = [
    ("exp", Opcode::Exp),
    ("exp2", Opcode::Exp2),
    ("expm1", Opcode::Expm1),
    ("log", Opcode::Log),
    ("log2", Opcode::Log2),
    ("log1p", Opcode::Log1p),
    ("rsqrt", Opcode::Rsqrt),
    ("tanh", Opcode::Tanh),
    ("erf", Opcode::Erf),
    ("sin", Opcode::Sin),
    ("cos", Opcode::Cos),
];

/// The least normal number of f32. Hardware may flush lesser ones to 0.
const LEAST: f64 = 1.175_494_350_822_287_5e-38;

/// Returns 4096 numbers: special ones, and numbers of all magnitudes from 1e-17 to 148.
fn numbers(random: &mut Random) -> Vec<f32> {
    let special = [
        0.0,
        1.0,
        2.0,
        f32::INFINITY,
        f32::NAN,
        0.5,
        0.625,
        4.0,
        1e5,
        3e38,
        // The largest subnormal number, one amid them, and the least.
        1.175_494_2e-38,
        1e-40,
        1e-45,
    ];
    let mut numbers: Vec<f32> = special.into_iter().flat_map(|it| [it, -it]).collect();
    let mut unit = || (random.next() >> 40) as f32 / (1u64 << 24) as f32;
    while numbers.len() < 3000 {
        let scale = (45.0 * unit() - 40.0).exp();
        numbers.push(scale * (2.0 * unit() - 1.0));
    }
    while numbers.len() < 4096 {
        numbers.push(12.0 * unit() - 6.0);
    }
    numbers
}

#[test]
fn functions_are_within_their_errors() {
    let Some(tools) = find_tools() else { return };
    let numbers = numbers(&mut Random(46));
    let cases = FUNCTIONS.map(|(name, opcode)| {
        let problem: Problem = format!("rows(sum({name}(x)+x1)):1x[2]xf32,f32")
            .parse()
            .unwrap();
        let region = problem.reduction.folds()[0].element.clone();
        assert_eq!(region.operations()[0].opcode, opcode);
        let pairs = numbers.iter().map(|it| [u64::from(it.to_bits()), 0]);
        Case {
            region,
            pairs: pairs.collect(),
        }
    });
    for target in ["gfx942", "gfx1100"] {
        let found = results(&tools, Target::named(target).unwrap(), &cases);
        for (&(name, opcode), (case, found)) in FUNCTIONS.iter().zip(cases.iter().zip(found)) {
            let function = opcode.rounded().unwrap();
            let is_wave = matches!(opcode, Opcode::Sin | Opcode::Cos);
            let rows = found.chunks_exact(case.region.values());
            for (&x, values) in numbers.iter().zip(rows) {
                let x = f64::from(x);
                let found = f64::from(f32::from_bits(values[2] as u32));
                let exact = (function.value)(x);
                // The exact number itself lies between two numbers of f32.
                let error = (function.error)(x, exact) + exact.abs() / 16_777_216.0 + LEAST;
                let at_zero = (function.value)(0.0f64.copysign(x));
                let is_flushed = x.abs() < LEAST && found == at_zero;
                let is_right = match exact {
                    _ if x != 0.0 && is_flushed => true,
                    _ if exact.is_nan() => found.is_nan(),
                    0.0 => found.to_bits() == exact.to_bits(),
                    // Only the range of the result is certain for a huge angle.
                    _ if is_wave && x.abs() > 131_072.0 => found.abs() <= 1.0,
                    _ if exact.abs() > f64::from(f32::MAX) => found == f64::from(exact as f32),
                    _ if error.is_nan() => found == exact,
                    _ => (found - exact).abs() <= error,
                };
                assert!(
                    is_right,
                    "{target} {name} {x:e}: {found:e}, not {exact:e} within {error:e}"
                );
            }
        }
    }
}

/// Checks zeros with their signs, infinities and NaN in types that compute in f32.
#[test]
fn functions_of_special_numbers_in_narrow_types() {
    let Some(tools) = find_tools() else { return };
    let of = |(name, opcode): (&'static str, Opcode), element: &str| {
        let problem = format!("rows(sum(f32({name}(x)+x1))):1x[2]x{element},{element}");
        let problem: Problem = problem.parse().unwrap();
        let region = problem.reduction.folds()[0].element.clone();
        assert_eq!(region.operations()[0].opcode, opcode);
        // The high bytes of all numbers, zeros and infinities among them.
        let pairs = (0..256).map(|it| [it << 8, 0]).collect();
        Case { region, pairs }
    };
    let cases = FUNCTIONS.map(|function| ["f16", "bf16"].map(|it| of(function, it)));
    let cases: Vec<Case> = cases.into_iter().flatten().collect();
    let target = Target::named("gfx942").unwrap();
    let found = results(&tools, target, &cases);
    for (case, found) in cases.iter().zip(found) {
        let operation = &case.region.operations()[0];
        let scalar = operation.result;
        let value = operation.opcode.rounded().unwrap().value;
        let rows = found.chunks_exact(case.region.values());
        for (&[bits, _], values) in case.pairs.iter().zip(rows) {
            let x = scalar.to_f64(bits);
            let (exact, found) = (value(x), scalar.to_f64(values[2]));
            let is_right = match exact.is_nan() {
                true => found.is_nan(),
                false => found.to_bits() == exact.to_bits(),
            };
            let is_special = x == 0.0 || !x.is_finite();
            // A limit such as 1 of the tangent is exact, and so is a power of 0.
            assert!(
                !is_special || is_right,
                "{scalar} {:?} {x}: {found}, not {exact}",
                operation.opcode
            );
        }
    }
}
