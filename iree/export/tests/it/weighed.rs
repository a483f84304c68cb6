//! Tests of the fusion decision: one kernel or several for an operation of a model, by known
//! times.

use bench_harness::bound_us;
use configgen::Device;
use iree_export::{ModuleProblem, find_problems, weigh};
use kernel_export::ExportRequest;
use store::{Provenance, StudyKey};
use store_sqlite::Sqlite;
use testing_store_contract::samples::{key, key_made, record, right, trial};

/// The RMS norm of a sum without other uses, in iree-compile's output.
const MODULE: &str = "  util.func public @norm(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>, %weight: tensor<64xf32>) -> tensor<4x64xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 6.400000e+01 : f32
    %cst_1 = arith.constant 9.99999997E-7 : f32
    %1 = tensor.empty() : tensor<4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
    %4 = tensor.empty() : tensor<4x64xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%x, %y : tensor<4x64xf32>, tensor<4x64xf32>) outs(%4 : tensor<4x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %8 = arith.addf %in, %in_1 : f32
      linalg.yield %8 : f32
    } -> tensor<4x64xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%0 : tensor<4x64xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %8 = arith.mulf %in, %in : f32
      %9 = arith.addf %8, %out : f32
      linalg.yield %9 : f32
    } -> tensor<4xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%0, %3, %weight : tensor<4x64xf32>, tensor<4xf32>, tensor<64xf32>) outs(%4 : tensor<4x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %in_2: f32, %out: f32):
      %8 = arith.divf %in_1, %cst_0 : f32
      %9 = arith.addf %8, %cst_1 : f32
      %10 = math.rsqrt %9 : f32
      %11 = arith.mulf %in, %10 : f32
      %12 = arith.mulf %11, %in_2 : f32
      linalg.yield %12 : f32
    } -> tensor<4x64xf32>
    util.return %5 : tensor<4x64xf32>
  }
";

const WHOLE: &str = "add_rms_norm:4x[64]xf32";
const NORM: &str = "rms_norm:4x[64]xf32";
const SQUARES: &str = "square_sum:4x[64]xf32";

fn known(problem: &str, made: impl FnOnce(&mut Provenance)) -> StudyKey {
    StudyKey {
        problem: problem.parse().unwrap(),
        ..key_made(made)
    }
}

/// Returns the chosen kernels of the operation and their total time, given the times of these
/// studies.
async fn weighed(known: &[(StudyKey, f64)]) -> (Vec<String>, Option<f64>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("trials.db");
    let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
    for (key, time_us) in known {
        record(&store, key, &[trial(1, 256, right(*time_us))]).await;
    }
    let seen: Vec<ModuleProblem> = find_problems(MODULE, &(1..=512));
    let wanted = ExportRequest {
        target: key().provenance.target,
        device: None,
        wish: false,
        beside_iree: false,
    };
    let weighed = weigh(Some(&store), &wanted, &seen[0]).await.unwrap();
    let kernels = weighed.kernels().into_iter();
    let kernels = kernels.map(|it| it.seen.replaced_problem().unwrap().to_string());
    (kernels.collect(), weighed.time_us())
}

/// Checks the decision for known times of the whole, the norm and the sum of squares.
async fn check(times: &[(&str, f64)], kernels: &[&str], time_us: Option<f64>) {
    let times: Vec<(StudyKey, f64)> = times
        .iter()
        .map(|(problem, time_us)| (known(problem, |_| {}), *time_us))
        .collect();
    let found = weighed(&times).await;
    assert_eq!(found.0, kernels);
    match (found.1, time_us) {
        (Some(found), Some(expected)) => assert!((found - expected).abs() < 1e-9, "{found}"),
        (found, expected) => assert_eq!(found, expected),
    }
}

/// Returns the least time of a kernel for this problem.
fn least(problem: &str) -> f64 {
    bound_us(&problem.parse().unwrap(), Device::named("mi300x").unwrap())
}

/// Checks that several kernels are chosen if their times and the least time of the rest are below
/// that of one.
#[tokio::test]
async fn the_faster_is_taken() {
    let addition = least("map(arith.addf(0,1)):4x64xf32,f32");
    check(&[], &[WHOLE], None).await;
    check(&[(WHOLE, 10.0)], &[WHOLE], Some(10.0)).await;
    check(&[(NORM, 1.0), (SQUARES, 1.0)], &[WHOLE], None).await;
    let both = |whole| [(WHOLE, whole), (NORM, 4.0)];
    check(&both(10.0), &[NORM], Some(4.0 + addition)).await;
    check(&both(6.0), &[WHOLE], Some(6.0)).await;
    // With equal times, one kernel is chosen.
    check(&both(4.0 + addition), &[WHOLE], Some(4.0 + addition)).await;
    // The sum of squares does not include the norm: without it, several kernels have no known
    // time.
    check(&[(WHOLE, 30.0), (SQUARES, 1.0)], &[WHOLE], Some(30.0)).await;
    // The traffic of elements, sums of squares, weight and result.
    let scaling = least("map(3=arith.mulf(0,1);arith.mulf(2,3)):4x64xf32,f32(0),f32(1)");
    let times = [(WHOLE, 30.0), (NORM, 20.0), (SQUARES, 5.0)];
    check(&times, &[SQUARES], Some(5.0 + scaling + addition)).await;
}

/// Checks that times of other provenances are not compared.
#[tokio::test]
async fn other_times_are_not_compared() {
    #[track_caller]
    fn is(found: (Vec<String>, Option<f64>), kernel: &str) {
        assert_eq!(found.0, [kernel]);
    }
    let whole = || (known(WHOLE, |_| {}), 10.0);
    let norm = |made: fn(&mut Provenance)| (known(NORM, made), 1.0);
    is(weighed(&[whole(), norm(|_| {})]).await, NORM);
    let elsewhere = norm(|it| it.device = "emulated:mi325x".to_owned());
    is(weighed(&[whole(), elsewhere]).await, WHOLE);
    let by_another = norm(|it| it.compiler_version = "23.0.0".to_owned());
    is(weighed(&[whole(), by_another]).await, WHOLE);
    let by_another = norm(|it| it.generator_version = "0.2.0".to_owned());
    is(weighed(&[whole(), by_another]).await, WHOLE);
}
