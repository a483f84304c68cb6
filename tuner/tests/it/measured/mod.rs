//! Tests of studies on a device with varying times, which an evaluator simulates.

mod watched;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bench_harness::timing::{Entrant, Measurement, Mode, StopReason};
use bench_harness::{
    BenchOutcome, Clock, DeviceError, EmulatedDevice, Evaluator, Identity, Inputs, Rig,
};
use codegen::{CompiledKernel, Compiler};
use configgen::seeded_random::{Random, below, generator};
use configgen::{Generator, Problem, Target};
use store::{Ties, Trial};
use store_sqlite::Sqlite;
use tuner::{
    BuildError, Builder, Choice, FinalsOutcome, Plan, Pool, Report, Strategy, TuneProgress,
};

use crate::kernel::kernel;
use testing::CapturedLog;

const BATCH: usize = 5;

/// The properties of the kernels and the device.
#[derive(Clone, Copy)]
struct Planted {
    /// The number of kernels built at once.
    batch: usize,
    /// The fraction by which the slowest kernel is slower than the fastest.
    spread: f64,
    /// The first evaluation at which all kernels are slower by 8 %.
    step_at: u64,
    /// The first evaluation at which they are normal again.
    back_at: u64,
    /// The evaluation from which all kernels' results differ.
    unstable_at: u64,
    /// The number of evaluations after which the device switches between normal and 8 % slower.
    restless: Option<u64>,
}

const CALM: Planted = Planted {
    batch: BATCH,
    spread: 0.3,
    step_at: u64::MAX,
    back_at: u64::MAX,
    unstable_at: u64::MAX,
    restless: None,
};

impl Planted {
    /// Returns the true time of a choice, in microseconds.
    fn time_us(&self, choice: &Choice) -> f64 {
        let text = format!("{:?}", choice.configuration());
        let hash = |hash: u64, byte| (hash * 31 + u64::from(byte)) % 1_000_003;
        let part = text.bytes().fold(7, hash) as f64 / 1e6;
        50.0 * (1.0 + self.spread * part)
    }
}

struct Plain(Planted);

impl Builder for Plain {
    fn generator(&self) -> Generator {
        Generator::NATIVE
    }

    fn compiler(&self) -> Compiler {
        Compiler {
            name: "none".into(),
            version: "1".to_owned(),
            linker: String::new(),
        }
    }

    fn generator_version(&self) -> String {
        "1".to_owned()
    }

    fn batch(&self) -> usize {
        self.0.batch
    }

    fn build(
        &self,
        _: &Problem,
        _: &Target,
        choices: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>> {
        let build =
            |choice: &Choice| Ok(kernel(self.0.time_us(choice).to_string(), self.compiler()));
        choices.iter().map(build).collect()
    }
}

/// A device with the number of kernels that it has evaluated.
struct Varying {
    planted: Planted,
    identity: Identity,
    evaluated: Arc<AtomicU64>,
    random: Random,
}

impl Rig for Varying {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn open<'a>(&'a mut self, _: &'a Inputs) -> Result<Box<dyn Evaluator + 'a>, DeviceError> {
        Ok(Box::new(At(self)))
    }
}

/// The device, opened for a problem.
struct At<'a>(&'a mut Varying);

impl Evaluator for At<'_> {
    fn evaluate(&mut self, kernel: &CompiledKernel) -> Result<BenchOutcome, DeviceError> {
        let number = self.0.evaluated.fetch_add(1, Ordering::SeqCst);
        if number >= self.0.planted.unstable_at {
            let message = "planted".to_owned();
            return Ok(BenchOutcome::Failed(DeviceError::Fault(message)));
        }
        let time: f64 = kernel.symbol.parse().unwrap();
        let slow = self.0.planted.step_at..self.0.planted.back_at;
        let restless = (self.0.planted.restless).is_some_and(|each| number / each % 2 == 1);
        let is_slow = slow.contains(&number) || restless;
        let state = if is_slow { 1.08 } else { 1.0 };
        // The level varies by 0.5 % between measurements, and by 0.2 % between samples.
        let mut part = |width: f64| width * (below(&mut self.0.random, 2001) as f64 / 1000.0 - 1.0);
        let level = time * state * (1.0 + part(0.005));
        let samples_us = (0..10).map(|_| level * (1.0 + part(0.002))).collect();
        let measured = Measurement {
            samples_us,
            stop: StopReason::Target,
            ..Measurement::exact(Mode::Cold, time)
        };
        Ok(BenchOutcome::Right(measured, 0.0))
    }
}

fn plan(budget: u32) -> Plan {
    Plan {
        problem: "argmax:4x[32000]xf32".parse().unwrap(),
        strategy: Strategy::Random,
        seed: 1,
        budget,
        effort: None,
        ties: Ties::Fold,
    }
}

async fn open(directory: &tempfile::TempDir) -> Sqlite {
    let path = directory.path().join("test.db");
    Sqlite::open(path.to_str().unwrap()).await.unwrap()
}

fn varying(planted: Planted, noise: u64) -> Varying {
    let emulated = EmulatedDevice::named("emulated:mi300x").unwrap();
    Varying {
        planted,
        identity: Identity {
            name: "varying".to_owned(),
            clock: Clock::Measured,
            ..bench_harness::KernelDevice::identity(&emulated).clone()
        },
        evaluated: Arc::default(),
        random: generator(noise, 0),
    }
}

/// Runs one process of a study. Returns the report and the number of evaluated kernels. `noise`
/// is the seed of the device's noise.
async fn process(store: &Sqlite, planted: Planted, budget: u32, noise: u64) -> (Report, u64) {
    let device = varying(planted, noise);
    let evaluated = Arc::clone(&device.evaluated);
    let builder = Arc::new(Plain(planted));
    // An observer sees the finals once, as the last event.
    let (mut in_finals, mut begun) = (false, 0);
    let progress = |progress: &TuneProgress| {
        assert!(!in_finals, "{progress:?}");
        in_finals = progress.finals;
        begun += u64::from(in_finals);
    };
    let pool = Pool::start(vec![Box::new(device)], builder).unwrap();
    let report = tuner::run(&plan(budget), None, &pool, store, progress).await;
    let report = report.unwrap();
    assert!(begun == 1 || report.finals.is_none());
    (report, evaluated.load(Ordering::SeqCst))
}

/// Runs a study. Returns its report, its trials and the number of evaluated kernels.
async fn study(planted: Planted, budget: u32) -> (Report, Vec<Trial>, u64) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(&directory).await;
    let (report, evaluated) = process(&store, planted, budget, 3).await;
    let (target, ties) = (report.target, report.ties);
    let known = lookup::rankings(&store, &report.problem, Some(target), ties, 1000);
    let known = known.await.unwrap();
    let mut trials = Vec::new();
    for ranking in known.rows {
        let served = Some(&ranking.best[0].configuration);
        let best = report.best.as_ref().unwrap();
        let is_held = matches!(report.finals, Some(FinalsOutcome::Held { .. }));
        assert!(!is_held || served == best.configuration.as_ref());
        trials.extend(ranking.best.into_iter().map(|ranked| ranked.trial));
    }
    trials.sort_by_key(|trial| trial.ordinal);
    (report, trials, evaluated)
}

/// Checks that processes of a shared study report the same, although their devices have different
/// noise. One measurement counts for each trial and for the finals: the stored one.
#[tokio::test]
async fn processes_that_share_a_study_tell_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (open(&directory).await, open(&directory).await);
    let (one, other) = tokio::join!(process(&first, CALM, 60, 3), process(&second, CALM, 60, 4));
    let later = process(&first, CALM, 60, 5).await;
    // The later process has measured nothing.
    assert_eq!((later.1, later.0.resumed), (0, 60));
    let made = |report: &Report| report.counts.total - report.resumed;
    // On a loaded machine, one of them may have made all.
    assert_eq!(made(&one.0) + made(&other.0), 60);
    let same = |report: Report| Report {
        resumed: 0,
        ..report
    };
    let told = same(one.0);
    assert!(matches!(told.finals, Some(FinalsOutcome::Held { .. })));
    assert_eq!(told, same(other.0));
    assert_eq!(told, same(later.0));
}

fn true_time(planted: Planted, trial: &Trial) -> f64 {
    planted.time_us(&Choice::Configured(trial.configuration.clone().unwrap()))
}

#[tokio::test]
async fn the_winner_is_the_best_and_its_win_has_an_interval() {
    let (report, trials, _) = study(CALM, 100).await;
    let times = trials.iter().map(|trial| true_time(CALM, trial));
    let best_us = times.fold(f64::INFINITY, f64::min);
    let of = |summary: Option<tuner::Summary>| {
        CALM.time_us(&Choice::Configured(summary.unwrap().configuration.unwrap()))
    };
    let (winner_us, default_us) = (of(report.best.clone()), of(report.default.clone()));
    assert!(winner_us / best_us < 1.003, "{winner_us} {best_us}");
    let Some(FinalsOutcome::Held { finals, .. }) = &report.finals else {
        panic!("{:?}", report.finals);
    };
    let interval = finals.comparison.interval;
    assert!(interval.contains(default_us / winner_us), "{finals}");
    assert_eq!(report.speedup(), Some(finals.comparison.speedup));
    let text = finals.to_string();
    assert!(text.contains("x over the default ("), "{text}");
}

#[tokio::test]
async fn the_default_stays_unless_another_is_faster() {
    let alike = Planted {
        spread: 0.0,
        ..CALM
    };
    let (report, ..) = study(alike, 60).await;
    assert_eq!(report.best, report.default);
    assert_eq!(report.speedup(), Some(1.0));
    let Some(FinalsOutcome::Held { finals, .. }) = &report.finals else {
        panic!("{:?}", report.finals);
    };
    assert_eq!(finals.winner(), Entrant::Default);
    let text = finals.to_string();
    assert!(
        text.starts_with("not significant: the default stays ("),
        "{text}"
    );
}

/// Returns which trials after the default were measured while the device was slow.
fn slow(planted: Planted, trials: &[Trial]) -> Vec<bool> {
    let is_slow = |trial: &Trial| {
        let time_us = trial.outcome.timing().unwrap().time_us;
        time_us / true_time(planted, trial) > 1.04
    };
    trials.iter().skip(1).map(is_slow).collect()
}

/// Checks that all trials of a batch are from one state of the device. After a change, at most
/// one batch is measured again.
#[tokio::test]
async fn trials_around_a_change_are_repeated() {
    for step_at in [1, 10, 23, 24, 25, 26, 27, 28, 29] {
        let planted = Planted { step_at, ..CALM };
        let (_, trials, _) = study(planted, 1 + 8 * BATCH as u32).await;
        let candidates = slow(planted, &trials);
        assert_eq!(candidates.len(), 8 * BATCH);
        for batch in candidates.chunks(BATCH) {
            let one = batch.iter().all(|slow| *slow == batch[0]);
            assert!(one, "{step_at}: {candidates:?}");
        }
        assert!(candidates.last() == Some(&true), "{step_at}");
    }
    let (_, _, evaluated) = study(CALM, 1).await;
    // The default at the beginning, as a trial, and after the trial.
    assert_eq!(evaluated, 3);
}

/// Checks that repeated trials are repeated again if the device changes back meanwhile.
#[tokio::test]
async fn repetitions_around_a_change_are_repeated() {
    // The second batch has evaluations 9 to 13, and its repetition 15 to 19.
    for (step_at, back_at) in [(10, 16), (12, 17), (13, 18), (11, 19)] {
        let planted = Planted {
            step_at,
            back_at,
            ..CALM
        };
        let (_, trials, _) = study(planted, 1 + 4 * BATCH as u32).await;
        let candidates = slow(planted, &trials);
        assert_eq!(candidates, [false; 4 * BATCH], "{step_at} to {back_at}");
    }
}

/// Checks that in a batch of 24 the default is measured after 16 trials.
#[tokio::test]
async fn a_large_batch_is_not_repeated_as_a_whole() {
    let planted = Planted {
        batch: 24,
        step_at: 24,
        ..CALM
    };
    let (_, trials, _) = study(planted, 49).await;
    let candidates = slow(planted, &trials);
    let expected: Vec<bool> = (0..48).map(|place| place >= 16).collect();
    assert_eq!(candidates, expected);
}

#[tokio::test]
async fn a_kernel_that_fails_in_the_finals_is_told() {
    let (_, _, evaluated) = study(CALM, 1 + 4 * BATCH as u32).await;
    assert!(evaluated > 60);
    let planted = Planted {
        unstable_at: 60,
        ..CALM
    };
    let (report, ..) = study(planted, 1 + 4 * BATCH as u32).await;
    let Some(FinalsOutcome::Abandoned(reason)) = report.finals else {
        panic!("{:?}", report.finals);
    };
    assert!(reason.contains("planted"), "{reason}");
    assert!(report.best.is_some());
}

/// Checks how often each of these log messages occurs in a study of 21 trials.
async fn check_told(planted: Planted, expected: [(&str, usize); 4]) {
    let (log, _hears) = CapturedLog::capture();
    study(planted, 1 + 4 * BATCH as u32).await;
    for (part, count) in expected {
        let lines = log.lines(part);
        assert_eq!(lines.len(), count, "{part}: {lines:?}");
    }
}

#[tokio::test]
async fn drift_and_finals_are_told() {
    let planted = Planted {
        step_at: 10,
        ..CALM
    };
    let drifted = "INFO agent{number=0}:batch{study=1 number=3}: tuner::agent::drift_control: the device drifted: its \
                   trials are repeated trials=5 default_us=";
    check_told(
        planted,
        [
            (drifted, 1),
            ("the device is steady", 5),
            (": finals held finalists=", 1),
            ("abandoned", 0),
        ],
    )
    .await;
    let planted = Planted {
        unstable_at: 60,
        ..CALM
    };
    check_told(
        planted,
        [
            ("drifted", 0),
            ("the device is steady", 5),
            (": finals held finalists=", 0),
            (": finals abandoned reason=", 1),
        ],
    )
    .await;
}
