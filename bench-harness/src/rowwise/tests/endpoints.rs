//! Tests of each operation on intervals that end at zeros of both signs, infinities and subnormal
//! numbers: the bounds contain the results at all numbers between the ends.
//!
//! The evaluator of regions is the oracle. Unlike the judge, these tests tell a negative zero from
//! a positive one, because a later quotient or root does so, too.

use configgen::Problem;
use configgen::comparator::{Evaluator, Opcode, ScalarType};

use super::super::formula::Formula;
use super::super::interval_fold::folded;
use super::super::numeric_interval::NumericInterval;

const INF: f64 = f64::INFINITY;
/// A subnormal f32.
const TINY: f64 = 1.0 / (1u128 << 127) as f64 / 8.0;
const LARGEST: f64 = f32::MAX as f64;

const ENDS: [f64; 8] = [-INF, -1.5, -TINY, -0.0, 0.0, TINY, 1.5, INF];
const MORE_ENDS: [f64; 16] = [
    -INF, -LARGEST, -100.5, -1.5, -1.0, -0.25, -TINY, -0.0, 0.0, TINY, 0.25, 1.0, 1.5, 100.5,
    LARGEST, INF,
];

/// Intervals with the numbers that they contain, and NaN.
type Samples = Vec<(NumericInterval, Vec<f64>)>;

/// Returns all intervals between these ends. A negative zero is below a positive one.
fn intervals(ends: &[f64]) -> Samples {
    let firsts = (0..ends.len()).flat_map(|low| (low..ends.len()).map(move |high| (low, high)));
    let all = firsts.flat_map(|(low, high)| [false, true].map(|nan| (low, high, nan)));
    let numbers = all.map(|(low, high, nan)| {
        let interval = NumericInterval {
            low: ends[low],
            high: ends[high],
            nan,
        };
        let nan = nan.then_some(f64::NAN);
        (
            interval,
            ends[low..=high].iter().copied().chain(nan).collect(),
        )
    });
    let none = (NumericInterval::NAN, vec![f64::NAN]);
    numbers.chain([none]).collect()
}

/// Returns whether an interval has a number, or NaN. Zeros of both signs differ.
fn contains(interval: NumericInterval, number: f64) -> bool {
    match number.is_nan() {
        true => interval.nan,
        false => {
            !interval.is_nan()
                && interval.low.total_cmp(&number).is_le()
                && number.total_cmp(&interval.high).is_le()
        }
    }
}

/// Checks an expression of `x`, or of `x` and `x1`.
#[track_caller]
fn check(expression: &str) {
    let inputs = if expression.contains("x1") { 2 } else { 1 };
    let tensors = ["f32", "f32,f32"][inputs - 1];
    // The function of the sum makes it a row program.
    let text = format!("rows(r1=sum({expression});exp(r1)):2x[3]x{tensors}");
    let problem: Problem = text.parse().unwrap();
    let region = &problem.reduction.folds()[0].element;
    assert_eq!(region.types(), vec![ScalarType::F32; inputs], "{text}");
    let (mut formula, mut evaluator) = (Formula::new(region), Evaluator::new(region));
    let bits = |number: f64| u64::from((number as f32).to_bits());
    // Either of two zeros is the result of these.
    let either_zero = region
        .operations()
        .iter()
        .any(|it| matches!(it.opcode, Opcode::Maxnumf | Opcode::Minnumf));
    let mut check = |operands: &[&(NumericInterval, Vec<f64>)], points: &[f64]| {
        for (place, (interval, _)) in operands.iter().enumerate() {
            formula.set(place, *interval);
        }
        let bounds = formula.result();
        let arguments: Vec<u64> = points.iter().copied().map(bits).collect();
        let result = f32::from_bits(evaluator.result(&arguments) as u32);
        let has = contains(bounds, result.into());
        assert!(
            has,
            "{expression} of {operands:?} at {points:?}: {result:?}, {bounds:?}"
        );
        if either_zero && points.iter().all(|&it| it == 0.0) {
            let has = points.iter().all(|&zero| contains(bounds, zero));
            assert!(
                has,
                "{expression} of {operands:?} at {points:?}: {bounds:?}"
            );
        }
    };
    if inputs == 1 {
        for one in &intervals(&MORE_ENDS) {
            for &x in &one.1 {
                check(&[one], &[x]);
            }
        }
        return;
    }
    let all = intervals(&ENDS);
    for (one, other) in all
        .iter()
        .flat_map(|it| all.iter().map(move |other| (it, other)))
    {
        for (&x, &y) in one
            .1
            .iter()
            .flat_map(|x| other.1.iter().map(move |y| (x, y)))
        {
            check(&[one, other], &[x, y]);
        }
    }
}

#[test]
fn functions_of_special_ends() {
    for function in [
        "abs",
        "-",
        "sqrt",
        "floor",
        "ceil",
        "trunc",
        "roundeven",
        "rsqrt",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log1p",
        "tanh",
        "erf",
        "sin",
        "cos",
    ] {
        check(&format!("{function}(x)"));
    }
    check("x*x");
    check("1/x");
    check("f32(f16(x))");
    check("f32(bf16(x))");
    check("f32(i8(x))");
    check("rsqrt(sqrt(x))");
    check("1/sqrt(x)");
}

#[test]
fn operations_of_special_ends() {
    for operation in ["x+x1", "x-x1", "x*x1", "x/x1"] {
        check(operation);
    }
}

#[test]
fn extremes_of_special_ends() {
    for operation in ["max(x,x1)", "min(x,x1)", "maxnum(x,x1)", "minnum(x,x1)"] {
        check(operation);
    }
}

#[test]
fn comparisons_of_special_ends() {
    for predicate in ["<", ">=", "==", "!="] {
        check(&format!("select(x{predicate}x1,x,x1)"));
    }
}

fn maximum(x: f32, y: f32) -> f32 {
    match (x.is_nan() || y.is_nan(), x.total_cmp(&y).is_ge()) {
        (true, _) => f32::NAN,
        (_, true) => x,
        _ => y,
    }
}

/// Returns both zeros for zeros of both signs.
fn either_greatest(x: f32, y: f32) -> [f32; 2] {
    match (x.is_nan(), y.is_nan()) {
        (true, _) => [y; 2],
        (_, true) => [x; 2],
        _ if x == y => [x, y],
        _ => [x.max(y); 2],
    }
}

/// Checks that folds of two elements contain their results. A sum may begin with either zero.
#[test]
fn folds_of_special_ends() {
    type Results = fn(f32, f32) -> [f32; 2];
    let folds: [(&str, Results); 5] = [
        ("sum", |x, y| [x + y, 0.0 + x + y]),
        ("max", |x, y| [maximum(x, y); 2]),
        ("min", |x, y| [-maximum(-x, -y); 2]),
        ("maxnum", either_greatest),
        ("minnum", |x, y| either_greatest(-x, -y).map(|it| -it)),
    ];
    let all = intervals(&ENDS);
    for (name, results) in folds {
        let text = format!("rows(r1={name}(x);exp(r1)):2x[2]xf32");
        let problem: Problem = text.parse().unwrap();
        let fold = problem.reduction.folds()[0].combiner.pairwise().unwrap();
        for (one, other) in all
            .iter()
            .flat_map(|it| all.iter().map(move |other| (it, other)))
        {
            let bounds = folded(fold, [one.0, other.0].into_iter());
            for (&x, &y) in one
                .1
                .iter()
                .flat_map(|x| other.1.iter().map(move |y| (x, y)))
            {
                for result in results(x as f32, y as f32) {
                    let has = contains(bounds, result.into());
                    assert!(
                        has,
                        "{name}: {one:?} {other:?} {x} {y}: {result:?} {bounds:?}"
                    );
                }
            }
        }
    }
}

/// Checks sums of i32 between ends near both limits, against the host's.
#[test]
fn sums_of_integers_wrap_around() {
    const INTEGERS: [i32; 7] = [
        i32::MIN,
        i32::MIN + 1,
        -32_000,
        0,
        7,
        i32::MAX - 1,
        i32::MAX,
    ];
    let all: Vec<f64> = INTEGERS.map(f64::from).to_vec();
    let intervals = intervals(&all);
    let intervals: Vec<_> = intervals.iter().filter(|it| !it.0.nan).collect();
    for (one, of_one) in &intervals {
        for (other, of_other) in &intervals {
            let sum = one.integer_sum(*other, ScalarType::I32);
            for (x, y) in of_one
                .iter()
                .flat_map(|x| of_other.iter().map(move |y| (x, y)))
            {
                let expected = f64::from((*x as i32).wrapping_add(*y as i32));
                assert!(contains(sum, expected), "{one:?} + {other:?}: {sum:?}");
            }
            if let (Some(x), Some(y)) = (one.number(), other.number()) {
                let expected = f64::from((x as i32).wrapping_add(y as i32));
                assert_eq!(sum.number(), Some(expected));
            }
        }
    }
}

#[test]
fn the_least_integer_is_its_own_magnitude() {
    let problem: Problem = "rows(x*f32(absi(x1))):4xf32,i32".parse().unwrap();
    let region = &problem.reduction.outputs()[0].element;
    let mut formula = Formula::new(region);
    for (number, expected) in [
        (f64::from(i32::MIN), f64::from(i32::MIN)),
        (-7.0, 7.0),
        (0.0, 0.0),
        (5.0, 5.0),
    ] {
        formula.set(0, NumericInterval::exact(1.0));
        formula.set(1, NumericInterval::exact(number));
        assert_eq!(formula.result().number(), Some(expected), "{number}");
    }
}
