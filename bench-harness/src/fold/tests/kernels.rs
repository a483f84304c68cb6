//! Tests of correct kernels: the verdict accepts any order.

use configgen::Problem;
use configgen::reduction::Fold;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::{Given, N, evaluate, inputs, odd_problems, problems};
use crate::inputs::Inputs;
use crate::verdict::Verdict;

/// Combines from the initial value on, from the first element to the last.
pub(super) fn left(given: &Given) -> u64 {
    let each = given.widened().into_iter();
    let combine = |acc, it| given.fold.combine(acc, it);
    each.fold(given.fold.initial(), combine)
}

/// Combines two neighbours at a time.
pub(super) fn tree(fold: &Fold, mut values: Vec<u64>) -> u64 {
    while values.len() > 1 {
        let pairs = values.chunks(2);
        let combined = pairs.map(|pair| match *pair {
            [a, b] => fold.combine(a, b),
            _ => pair[0],
        });
        values = combined.collect();
    }
    values[0]
}

/// Returns the partial result of each lane. A lane begins with `neutral`.
pub(super) fn lanes(given: &Given, count: usize, neutral: u64) -> Vec<u64> {
    let elements = given.widened();
    let lane = |lane: usize| {
        let own = elements.iter().skip(lane).step_by(count);
        own.fold(neutral, |acc, &it| given.fold.combine(acc, it))
    };
    (0..count).map(lane).collect()
}

fn pairwise(given: &Given) -> u64 {
    let values = std::iter::once(given.fold.initial());
    tree(&given.fold, values.chain(given.widened()).collect())
}

/// Combines with 64 lanes and a tree over them, and the initial value at the end.
fn strided(given: &Given) -> u64 {
    let fold = given.fold;
    let lanes = lanes(given, 64, fold.identity());
    fold.combine(tree(&fold, lanes), fold.initial())
}

/// Combines with 8 lanes one after the other. The first lane begins with the initial value.
fn few(given: &Given) -> u64 {
    let fold = given.fold;
    let mut lanes = lanes(given, 8, fold.identity());
    lanes[0] = fold.combine(fold.initial(), lanes[0]);
    let combine = |acc, it| fold.combine(it, acc);
    lanes.into_iter().reduce(combine).expect("eight")
}

#[track_caller]
fn check(inputs: &Inputs, name: &str, kernel: &mut dyn FnMut(&Given) -> u64) {
    let verdict = evaluate(inputs, kernel);
    let problem = inputs.problem();
    let is_right = matches!(verdict, Verdict::Right(0.0..=1.0));
    assert!(is_right, "{problem} {name}: {verdict}");
}

#[test]
fn orders_that_kernels_have_are_right() {
    let problems = problems();
    assert!(problems.len() > 150, "{}", problems.len());
    for problem in problems.iter().chain(&odd_problems()) {
        let inputs = inputs(problem);
        check(&inputs, "pairwise", &mut pairwise);
        check(&inputs, "strided", &mut strided);
        if !is_long_sum(problem) {
            check(&inputs, "left", &mut left);
            check(&inputs, "few lanes", &mut few);
        }
    }
}

/// Returns true if some order of additions may have too long a chain.
fn is_long_sum(problem: &Problem) -> bool {
    problem.reduction.adds_floats() && problem.shape.reduced_size() > N as u64
}

/// Checks that the bound of a sum does not grow with a kernel's chains of additions.
#[test]
fn a_long_chain_of_additions_is_wrong() {
    for problem in [
        "sum:[5000]xf32",
        "sum:[5000]xf64",
        "sum:[25000]xf16",
        "sum:[90000]xbf16",
    ] {
        let inputs = inputs(&problem.parse().unwrap());
        let verdict = evaluate(&inputs, &mut left);
        assert!(matches!(verdict, Verdict::Wrong(_)), "{problem}: {verdict}");
        check(&inputs, "pairwise", &mut pairwise);
        check(&inputs, "1024 lanes", &mut |given| {
            tree(&given.fold, lanes(given, 1024, given.fold.identity()))
        });
    }
}

/// Checks that any tree in any order is correct.
#[test]
fn any_tree_is_right() {
    let (problems, odd) = (problems(), odd_problems());
    let all = problems.iter().chain(&odd).filter(|it| !is_long_sum(it));
    // The neighbours of a problem differ from it in one property.
    for (seed, problem) in (0..).zip(all.step_by(3)) {
        let inputs = inputs(problem);
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        check(&inputs, "any tree", &mut |given| {
            let mut values = given.widened();
            values.push(given.fold.initial());
            // The trees range from balanced ones to near lists.
            let near = rng.random_range(1..=values.len());
            while values.len() > 1 {
                let last = values.swap_remove(rng.random_range(0..values.len()));
                let other = values.len() - 1 - rng.random_range(0..values.len().min(near));
                values[other] = match rng.random() {
                    true => given.fold.combine(values[other], last),
                    false => given.fold.combine(last, values[other]),
                };
            }
            values[0]
        });
    }
}

/// Checks that the error is a fraction of the bound: larger for a long chain of additions than
/// for a short one, and less than 1.
#[test]
fn errors_are_told() {
    #[track_caller]
    fn error(problem: &str, kernel: &mut dyn FnMut(&Given) -> u64) -> f64 {
        match evaluate(&inputs(&problem.parse().unwrap()), kernel) {
            Verdict::Right(error) => error,
            verdict => panic!("{problem}: {verdict}"),
        }
    }
    #[track_caller]
    fn check(problem: &str, many: fn(&Given) -> u64) {
        let errors = [many, pairwise].map(|mut kernel| error(problem, &mut kernel));
        let are_parts = errors.iter().all(|error| (1e-6..0.5).contains(error));
        assert!(are_parts && errors[0] > errors[1], "{problem}: {errors:?}");
    }
    check("sum:4x[2000]xf32", strided);
    check("product:4x[2000]xf32", left);
    assert_eq!(error("max:4x[2000]xf32", &mut left), 0.0);
    assert_eq!(error("sum:4x[2000]xi8", &mut left), 0.0);
}
