//! Tests of the bounds: exact results equal the evaluator's bit by bit, and the bounds of others
//! contain the formula's result.

use configgen::comparator::{Evaluator, Opcode, RoundedFunction, ScalarType};
use configgen::reduction::Extent;
use configgen::{ElementType, Problem};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::formula::Formula;
use super::super::numeric_interval::NumericInterval;
use super::super::row::{Formulas, RowInputs};
use super::OPERATIONS;
use crate::numbers::{denormals, extremes, nans, power, random, zeros};

/// Returns bits of many kinds.
fn samples(kind: ScalarType, rng: &mut Pcg64Mcg) -> Vec<u64> {
    if !kind.is_float() {
        // These few values make some elements equal.
        return (0..4).chain([kind.mask(), kind.mask() >> 1]).collect();
    }
    let special = [zeros(kind), nans(kind), denormals(kind), extremes(kind)].concat();
    let near = (0..40).map(|_| kind.round(rng.random_range(-9.0..9.0)));
    let near: Vec<u64> = near.collect();
    let any = (0..40).map(|_| random(kind, rng));
    special.into_iter().chain(near).chain(any).collect()
}

/// Checks that the evaluator returns the only number within exact bounds.
#[test]
fn exact_results_equal_the_evaluator() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let mut exact = 0;
    for operation in OPERATIONS {
        for element in ["f32", "f16", "bf16"] {
            let problem: Problem = format!("{operation}:4x[6]x{element}").parse().unwrap();
            let reduction = &problem.reduction;
            let folds = reduction.folds().iter();
            let folds = folds.flat_map(|fold| [&fold.element, &fold.value]);
            let outputs = reduction.outputs().iter().map(|output| &output.element);
            for region in folds.chain(outputs) {
                let (mut formula, mut evaluator) = (Formula::new(region), Evaluator::new(region));
                let result = region.type_of(region.result());
                for _ in 0..400 {
                    let arguments = region.types().iter().map(|&kind| {
                        let samples = samples(kind, &mut rng);
                        samples[rng.random_range(0..samples.len())]
                    });
                    let arguments: Vec<u64> = arguments.collect();
                    for (place, (&bits, &kind)) in arguments.iter().zip(region.types()).enumerate()
                    {
                        let number = match kind.is_float() {
                            true => kind.to_f64(bits),
                            false => kind.signed(bits) as f64,
                        };
                        formula.set(place, NumericInterval::exact(number));
                    }
                    let (bounds, bits) = (formula.result(), evaluator.result(&arguments));
                    let number = result.to_f64(bits);
                    let is_right = bounds.error(number, 0.0) <= 1.0 + 1e-9;
                    assert!(is_right, "{problem} {arguments:x?}: {number} {bounds:?}");
                    exact += usize::from(bounds.number() == Some(number) || bounds.is_nan());
                }
            }
        }
    }
    assert!(exact > 10_000, "{exact}");
}

#[track_caller]
fn check(found: NumericInterval, low: f64, high: f64, nan: bool) {
    let expected = match low.is_nan() {
        true => NumericInterval::NAN,
        false => NumericInterval { low, high, nan },
    };
    assert_eq!(found, expected);
}

fn of(opcode: Opcode) -> &'static RoundedFunction {
    opcode.rounded().unwrap()
}

#[test]
fn documented_values_of_functions() {
    const INF: f64 = f64::INFINITY;
    let exact = NumericInterval::exact;
    check(exact(0.0).function(of(Opcode::Exp)), 1.0, 1.0, false);
    check(exact(-0.0).function(of(Opcode::Exp)), 1.0, 1.0, false);
    check(exact(-INF).function(of(Opcode::Exp)), 0.0, 0.0, false);
    check(exact(-200.0).function(of(Opcode::Exp)), 0.0, 0.0, false);
    check(exact(INF).function(of(Opcode::Exp)), INF, INF, false);
    check(exact(89.0).function(of(Opcode::Exp)), INF, INF, false);
    check(exact(1.0).function(of(Opcode::Log)), 0.0, 0.0, false);
    check(exact(0.0).function(of(Opcode::Log)), -INF, -INF, false);
    check(exact(INF).function(of(Opcode::Log)), INF, INF, false);
    check(exact(0.0).function(of(Opcode::Rsqrt)), INF, INF, false);
    check(exact(INF).function(of(Opcode::Rsqrt)), 0.0, 0.0, false);
    for nan in [
        exact(-1.0).function(of(Opcode::Log)),
        exact(-1.0).function(of(Opcode::Rsqrt)),
        exact(f64::NAN).function(of(Opcode::Exp)),
    ] {
        assert!(nan.is_nan());
    }
    // Hardware may flush subnormal results, or not.
    let least = exact(-90.0).function(of(Opcode::Exp));
    assert!(
        least.low == 0.0 && least.high > 8.19e-40 && least.high < 8.2e-40,
        "{least:?}"
    );
    let root = exact(power(-130)).function(of(Opcode::Rsqrt));
    assert!(root.low <= power(65) && root.high == INF, "{root:?}");
    for opcode in [
        Opcode::Tanh,
        Opcode::Expm1,
        Opcode::Log1p,
        Opcode::Erf,
        Opcode::Sin,
    ] {
        for zero in [0.0, -0.0] {
            let found = exact(zero).function(of(opcode));
            assert_eq!(
                found.number().map(f64::to_bits),
                Some(zero.to_bits()),
                "{opcode:?}"
            );
        }
    }
    check(exact(-1.0).function(of(Opcode::Log1p)), -INF, -INF, false);
    assert!(exact(-1.5).function(of(Opcode::Log1p)).is_nan());
    assert!(exact(INF).function(of(Opcode::Sin)).is_nan());
    // A whole period, and a part with a crest.
    let angles = |low, high| NumericInterval {
        low,
        high,
        nan: false,
    };
    check(angles(0.0, 7.0).function(of(Opcode::Cos)), -1.0, 1.0, false);
    let crest = angles(1.0, 2.0).function(of(Opcode::Sin));
    assert!(crest.high == 1.0 && crest.low > 0.84, "{crest:?}");
    let slope = angles(-0.5, 0.5).function(of(Opcode::Sin));
    assert!(slope.high < 0.48 && slope.low < -0.47, "{slope:?}");
    // Zero times infinity may occur, but not in a square.
    let around = NumericInterval {
        low: -2.0,
        high: INF,
        nan: false,
    };
    check(around.squared(), 0.0, INF, false);
    assert!(around.times(exact(0.0)).nan);
    // Zero times any number but an infinity is zero.
    let any = NumericInterval {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        nan: false,
    };
    let none = exact(0.0).times(any);
    assert_eq!([none.low, none.high], [0.0; 2]);
    assert!(none.nan && exact(0.0).times(exact(f64::INFINITY)).is_nan());
    let none = any.over(exact(f64::INFINITY));
    assert_eq!([none.low, none.high], [0.0; 2]);
    assert!(none.nan && exact(f64::INFINITY).over(exact(f64::INFINITY)).is_nan());
    check(exact(1.0).over(around), -INF, INF, true);
}

/// Checks conversions to types of 8 bits: numbers beyond a type, and NaN.
#[test]
fn quantised_intervals() {
    let between = |low, high, nan| NumericInterval { low, high, nan };
    let exact = NumericInterval::exact;
    let integer = |it: NumericInterval| it.integer(ScalarType::I8);
    check(integer(exact(-2.75)), -2.0, -2.0, false);
    check(integer(exact(300.0)), 127.0, 127.0, false);
    check(integer(exact(f64::NEG_INFINITY)), -128.0, -128.0, false);
    check(integer(exact(f64::NAN)), 0.0, 0.0, false);
    check(integer(between(2.5, 3.5, true)), 0.0, 3.0, false);
    check(integer(between(-3.5, -2.5, false)), -3.0, -2.0, false);
    let float = |it: NumericInterval| it.rounded(ScalarType::F8E4M3FNUZ);
    check(float(exact(17.0)), 16.0, 16.0, false);
    check(float(exact(-250.0)), f64::NAN, f64::NAN, true);
    check(float(between(201.0, 300.0, false)), 208.0, 240.0, true);
    check(float(between(-300.0, 1.0, false)), -240.0, 1.0, true);
    check(float(between(-300.0, 300.0, false)), -240.0, 240.0, true);
    let wide = |it: NumericInterval| it.rounded(ScalarType::F8E5M2);
    check(wide(exact(1e6)), f64::INFINITY, f64::INFINITY, false);
}

/// Checks that a row with infinities has one correct result, and that a NaN allows no other.
#[test]
fn log_sum_exp_of_infinities() {
    const INF: f64 = f64::INFINITY;
    let problem: Problem = "log_sum_exp:2x[3]xf32".parse().unwrap();
    let mut formulas = Formulas::new(&problem.reduction);
    let mut bounds = |row: [f64; 3]| {
        let row = RowInputs::of(vec![row.to_vec()]);
        let values = formulas.values(&row);
        let mut found = None;
        formulas.outputs(&row, &values, |_, bounds| found = Some(bounds));
        found.unwrap()
    };
    check(bounds([-INF; 3]), -INF, -INF, false);
    check(bounds([1.0, INF, -INF]), INF, INF, false);
    check(bounds([-INF, -INF, 2.5]), 2.5, 2.5, false);
    assert!(bounds([f64::NAN, INF, 2.0]).is_nan());
    assert!(bounds([f64::NAN; 3]).is_nan());
}

#[test]
fn truth_values_that_are_not_known_leave_both() {
    const EQUAL: u8 = 1;
    let exact = NumericInterval::exact;
    let between = |low, high| NumericInterval {
        low,
        high,
        nan: false,
    };
    let known = exact(2.0).compared(exact(2.0), EQUAL);
    assert_eq!(known.select(exact(5.0), exact(7.0)), exact(5.0));
    let known = between(1.0, 2.0).compared(exact(3.0), EQUAL);
    assert_eq!(known.select(exact(5.0), exact(7.0)), exact(7.0));
    assert!(exact(f64::NAN).compared(exact(3.0), EQUAL).number() == Some(0.0));
    let unknown = between(1.0, 2.0).compared(exact(2.0), EQUAL);
    check(unknown.select(exact(7.0), exact(5.0)), 5.0, 7.0, false);
    assert!(unknown.select(exact(7.0), NumericInterval::NAN).nan);
    check(between(-3.0, 2.0).magnitude(), 0.0, 3.0, false);
    check(between(-3.0, -2.0).magnitude(), 2.0, 3.0, false);
}

/// Checks that the bounds of a function contain the exact number, and reach at most `parts` times
/// 2^-23 beyond it.
#[test]
fn functions_are_bounded_closely() {
    #[track_caller]
    fn check(bounds: NumericInterval, exact: f64, parts: f64, beside: f64) {
        let (low, high) = (bounds.low, bounds.high);
        assert!(low <= exact && exact <= high, "{bounds:?} {exact}");
        let most = 2.0 * (parts + 1.0) * power(-23) * exact.abs() + beside;
        assert!(high - low <= most, "{bounds:?} {exact}: {}", high - low);
    }
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    for _ in 0..20_000 {
        let x = f64::from(rng.random_range(-80f32..80.0));
        check(
            NumericInterval::exact(x).function(of(Opcode::Exp)),
            x.exp(),
            x.abs() + 2.0,
            0.0,
        );
        let x = f64::from(rng.random_range(1e-6f32..1e6));
        check(
            NumericInterval::exact(x).function(of(Opcode::Log)),
            x.ln(),
            2.0,
            power(-22),
        );
        check(
            NumericInterval::exact(x).function(of(Opcode::Rsqrt)),
            x.sqrt().recip(),
            1.0,
            0.0,
        );
    }
}

/// An operation, its inputs, and the expected first output.
type Example<'a> = (&'a str, Vec<&'a Vec<f64>>, Vec<f64>);

/// Checks that the mathematical results in f64 lie within the bounds of f32 rows, and that these
/// are narrow.
#[test]
fn formulas_are_within_the_bounds() {
    let mut rng = Pcg64Mcg::seed_from_u64(11);
    let n = 40;
    for _ in 0..20 {
        let mut row = |scale: f64| -> Vec<f64> {
            let number = |_| f64::from((scale * rng.random_range(-1.0..1.0)) as f32);
            (0..n).map(number).collect()
        };
        let (x, weight, bias, residual) = (row(6.0), row(2.0), row(1.0), row(3.0));
        let greatest = x.iter().copied().fold(f64::MIN, f64::max);
        let sum: f64 = x.iter().map(|x| (x - greatest).exp()).sum();
        let mean = x.iter().sum::<f64>() / n as f64;
        let mean_of = |f: &dyn Fn(usize) -> f64| (0..n).map(f).sum::<f64>() / n as f64;
        let variance = mean_of(&|at| (x[at] - mean).powi(2));
        let square = mean_of(&|at| x[at].powi(2));
        let sums: Vec<f64> = (0..n)
            .map(|at| f64::from((x[at] + residual[at]) as f32))
            .collect();
        let square_of_sums = mean_of(&|at| sums[at].powi(2));
        // These are the epsilons of problems that name none.
        let [wide, narrow] = [1e-5f32, 1e-6].map(f64::from);
        let (label, places) = (vec![7.0; n], (0..n).map(|at| at as f64).collect());
        let formulas: [Example<'_>; 7] = [
            (
                "softmax",
                vec![&x],
                x.iter().map(|x| (x - greatest).exp() / sum).collect(),
            ),
            (
                "log_softmax",
                vec![&x],
                x.iter().map(|x| x - greatest - sum.ln()).collect(),
            ),
            ("log_sum_exp", vec![&x], vec![greatest + sum.ln()]),
            (
                "cross_entropy",
                vec![&x, &label, &places],
                vec![greatest + sum.ln() - x[7]],
            ),
            (
                "layer_norm",
                vec![&x, &weight, &bias],
                (0..n)
                    .map(|at| (x[at] - mean) / (variance + wide).sqrt() * weight[at] + bias[at])
                    .collect(),
            ),
            (
                "rms_norm",
                vec![&x, &weight],
                (0..n)
                    .map(|at| x[at] / (square + narrow).sqrt() * weight[at])
                    .collect(),
            ),
            (
                "add_rms_norm",
                vec![&x, &residual, &weight],
                (0..n)
                    .map(|at| sums[at] / (square_of_sums + narrow).sqrt() * weight[at])
                    .collect(),
            ),
        ];
        for (name, inputs, expected) in formulas {
            let problem: Problem = format!("{name}:2x[{n}]xf32").parse().unwrap();
            assert_eq!(problem.element, ElementType::F32);
            let reduction = &problem.reduction;
            let mut formulas = Formulas::new(reduction);
            let row = RowInputs::of(inputs.into_iter().cloned().collect());
            let values = formulas.values(&row);
            let is_one = reduction.outputs()[0].tensor.extent == Extent::Rows;
            let (mut count, mut all_sums) = (0, sums.iter());
            formulas.outputs(&row, &values, |output, bounds| {
                if output > 0 {
                    return assert_eq!(bounds.number(), all_sums.next().copied());
                }
                let (column, exact) = (count, expected[count]);
                let NumericInterval { low, high, .. } = bounds;
                // The exact result may lie between two numbers, if both bounds are one of them.
                let room = exact.abs() * power(-23);
                let is_within = low - room <= exact && exact <= high + room;
                assert!(is_within, "{name} {column}: {exact} {bounds:?}");
                let most = 2e-5 * (1.0 + exact.abs());
                assert!(high - low < most, "{name} {column}: {exact} {bounds:?}");
                count += 1;
            });
            assert_eq!(count, if is_one { 1 } else { n });
        }
    }
}
