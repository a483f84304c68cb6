//! Tests of studies with a generator whose kernels may have another tie-break: the best, and the
//! direction of a search.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bench_harness::timing::{Measurement, Mode};
use bench_harness::{
    BenchOutcome, Clock, DeviceError, Difference, EmulatedDevice, Evaluator, Identity, Inputs, Rig,
};
use codegen::{CompiledKernel, Compiler};
use configgen::{Configuration, Generator, Problem, Target};
use store::{Ledger as _, Status, Ties};
use store_sqlite::Sqlite;
use tuner::{BuildError, Builder, Choice, FinalsOutcome, Plan, Pool, Report, Strategy, TuneError};

use crate::kernel::kernel;

/// A function that returns the verdict of a choice and its time in microseconds.
type Planted = fn(&Choice) -> (Status, f64);

fn lanes(configuration: &Configuration) -> u32 {
    configuration.lowering.lane_basis.count_along(1)
}

/// Returns faster times for more lanes per row. Several lanes have another tie-break.
fn by_lanes(choice: &Choice) -> (Status, f64) {
    let lanes = choice.configuration().map_or(1, lanes);
    let status = match (choice, lanes) {
        (Choice::Default(_), _) | (_, 1) => Status::Right,
        _ => Status::Tie,
    };
    let default = f64::from(u8::from(matches!(choice, Choice::Configured(_))));
    (status, 5.0 + default - f64::from(lanes) / 50.0)
}

/// Makes everything but the default faster, and everything with another tie-break.
fn all_ties(choice: &Choice) -> (Status, f64) {
    (Status::Tie, by_lanes(choice).1)
}

/// Makes the default the fastest, and the only one with another tie-break.
fn tie_by_default(choice: &Choice) -> (Status, f64) {
    match choice {
        Choice::Default(_) => (Status::Tie, 3.0),
        Choice::Configured(_) => (Status::Right, by_lanes(choice).1),
    }
}

struct Plain(Planted, Generator);

impl Builder for Plain {
    fn generator(&self) -> Generator {
        self.1
    }

    fn compiler(&self) -> Compiler {
        Compiler {
            name: "plain".into(),
            version: "1".to_owned(),
            linker: String::new(),
        }
    }

    fn generator_version(&self) -> String {
        "1".to_owned()
    }

    fn batch(&self) -> usize {
        4
    }

    fn build(
        &self,
        _: &Problem,
        _: &Target,
        choices: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>> {
        let build = |choice: &Choice| {
            let (status, time_us) = self.0(choice);
            Ok(kernel(
                format!("{} {time_us}", status.name()),
                self.compiler(),
            ))
        };
        choices.iter().map(build).collect()
    }
}

/// A device that believes the builder, and counts.
struct Believing(Identity, Arc<AtomicU64>);

impl Rig for Believing {
    fn identity(&self) -> &Identity {
        &self.0
    }

    fn open<'a>(&'a mut self, _: &'a Inputs) -> Result<Box<dyn Evaluator + 'a>, DeviceError> {
        Ok(Box::new(Counting(&self.1)))
    }
}

/// The error of correct results on this device.
const ERROR: f64 = 0.1 + 0.2;

/// The device, opened for a problem.
struct Counting<'a>(&'a AtomicU64);

impl Evaluator for Counting<'_> {
    fn evaluate(&mut self, kernel: &CompiledKernel) -> Result<BenchOutcome, DeviceError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let (status, time_us) = kernel.symbol.split_once(' ').unwrap();
        let measured = Measurement::exact(Mode::Cold, time_us.parse().unwrap());
        Ok(match status {
            "right" => BenchOutcome::Right(measured, ERROR),
            _ => BenchOutcome::Tie(
                measured,
                Difference {
                    row: 0,
                    pattern: None,
                    given: Vec::new(),
                    expected: "(1.0, 3)".to_owned(),
                    found: "(1.0, 7)".to_owned(),
                },
            ),
        })
    }
}

struct Bed {
    directory: tempfile::TempDir,
    planted: Planted,
    generator: Generator,
    clock: Clock,
    evaluated: Arc<AtomicU64>,
}

impl Bed {
    fn new(planted: Planted, clock: Clock) -> Bed {
        Bed {
            directory: tempfile::tempdir().unwrap(),
            planted,
            generator: Generator::IREE,
            clock,
            evaluated: Arc::default(),
        }
    }

    async fn store(&self) -> Sqlite {
        let path = self.directory.path().join("test.db");
        Sqlite::open(path.to_str().unwrap()).await.unwrap()
    }

    async fn run(&self, ties: Ties, budget: u32) -> Result<Report, TuneError> {
        let store = self.store().await;
        let emulated = EmulatedDevice::named("emulated:mi300x").unwrap();
        let identity = Identity {
            name: "believing".to_owned(),
            clock: self.clock,
            ..bench_harness::KernelDevice::identity(&emulated).clone()
        };
        let plan = Plan {
            problem: "argmax:64x[4096]xf32".parse().unwrap(),
            strategy: Strategy::Evolution,
            seed: 1,
            budget,
            effort: None,
            ties,
        };
        let builder = Arc::new(Plain(self.planted, self.generator));
        let rig = Believing(identity, Arc::clone(&self.evaluated));
        let pool = Pool::start(vec![Box::new(rig)], builder)?;
        let report = tuner::run(&plan, None, &pool, &store, |_| {}).await;
        store.close().await;
        report
    }

    /// Checks verdict and time of the best and of the reported faster tie. The best is the one
    /// that the store serves first.
    async fn check(&self, ties: Ties, best: (Status, f64), faster_tie: Option<f64>) -> Report {
        let report = self.run(ties, 60).await.unwrap();
        let found = report.best.as_ref().unwrap();
        assert_eq!(
            (found.status, found.time_us),
            (best.0, Some(best.1)),
            "{ties}"
        );
        let tie = report.faster_tie.as_ref();
        assert_eq!(tie.and_then(|tie| tie.time_us), faster_tie, "{ties}");
        let store = self.store().await;
        let known = lookup::rankings(&store, &report.problem, Some(report.target), ties, 1);
        let known = known.await.unwrap().rows;
        let served = &known[0].best[0];
        assert_eq!(Some(&served.configuration), found.configuration.as_ref());
        report
    }
}

const MODELLED: Clock = Clock::Modelled;
const MEASURED: Clock = Clock::Measured;

#[tokio::test]
async fn a_right_default_stays_unless_any_index_will_do() {
    for clock in [MODELLED, MEASURED] {
        let bed = Bed::new(by_lanes, clock);
        let default = (Status::Right, 5.0 - 64.0 / 50.0);
        let tie = 6.0 - 64.0 / 50.0;
        assert!(tie > default.1);
        // Slower ties are not reported.
        bed.check(Ties::Fold, default, None).await;
    }
    fn faster(choice: &Choice) -> (Status, f64) {
        let (status, time_us) = by_lanes(choice);
        match choice {
            Choice::Default(_) => (status, 5.0),
            Choice::Configured(_) => (status, time_us - 0.5),
        }
    }
    let tie = 6.0 - 64.0 / 50.0 - 0.5;
    for clock in [MODELLED, MEASURED] {
        let bed = Bed::new(faster, clock);
        let fold = bed.check(Ties::Fold, (Status::Right, 5.0), Some(tie)).await;
        let any = bed.check(Ties::Any, (Status::Tie, tie), None).await;
        assert_ne!(fold.study, any.study);
        assert_eq!(any.resumed, 0);
    }
}

#[tokio::test]
async fn the_fastest_tie_is_best_if_nothing_is_right() {
    for clock in [MODELLED, MEASURED] {
        let bed = Bed::new(all_ties, clock);
        let default = 5.0 - 64.0 / 50.0;
        for ties in Ties::ALL {
            bed.check(ties, (Status::Tie, default), None).await;
        }
    }
}

/// Checks a default that would win the finals but has another tie-break.
#[tokio::test]
async fn a_default_that_is_behind_goes_however_fast_it_is() {
    let best = 6.0 - 64.0 / 50.0;
    for clock in [MODELLED, MEASURED] {
        let bed = Bed::new(tie_by_default, clock);
        let report = bed
            .check(Ties::Fold, (Status::Right, best), Some(3.0))
            .await;
        let speedup = report.speedup().unwrap();
        assert!((speedup - 3.0 / best).abs() < 0.01, "{speedup}");
        assert_eq!(
            matches!(report.finals, Some(FinalsOutcome::Held { .. })),
            clock == MEASURED
        );
        bed.check(Ties::Any, (Status::Tie, 3.0), None).await;
    }
}

/// Checks that the error is stored with and without drift control.
#[tokio::test]
async fn right_trials_are_stored_with_their_error() {
    for clock in [MODELLED, MEASURED] {
        let bed = Bed::new(by_lanes, clock);
        let report = bed.run(Ties::Fold, 60).await.unwrap();
        let store = bed.store().await;
        let study = store.open_study(&report.study, None).await.unwrap();
        let trials = store.trials_of(&study).await.unwrap();
        for status in [Status::Right, Status::Tie] {
            let mut of_it = { trials.iter() }.filter(|it| it.outcome.status() == status);
            let error = (status == Status::Right).then_some(ERROR);
            assert!(of_it.clone().next().is_some());
            assert!(of_it.all(|it| it.error == error), "{status:?}");
        }
    }
}

/// Checks that a search tries more neighbours of configurations with the wanted tie-break.
#[tokio::test]
async fn a_search_continues_from_right_configurations() {
    let fold = Bed::new(by_lanes, MODELLED)
        .run(Ties::Fold, 120)
        .await
        .unwrap();
    let any = Bed::new(by_lanes, MODELLED)
        .run(Ties::Any, 120)
        .await
        .unwrap();
    assert!(
        fold.counts.right > any.counts.right + 20,
        "{:?} {:?}",
        fold.counts,
        any.counts
    );
}

#[tokio::test]
async fn a_study_with_a_trial_that_cannot_be_read_does_not_go_on() {
    let bed = Bed::new(by_lanes, MODELLED);
    bed.run(Ties::Fold, 20).await.unwrap();
    let evaluated = bed.evaluated.load(Ordering::SeqCst);
    let options = sqlx::sqlite::SqliteConnectOptions::new();
    let options = options.filename(bed.directory.path().join("test.db"));
    let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
    let spoil = "UPDATE trial SET configuration = '{}' WHERE ordinal = 7";
    sqlx::raw_sql(spoil).execute(&mut connection).await.unwrap();
    sqlx::Connection::close(connection).await.unwrap();
    let error = bed.run(Ties::Fold, 30).await.unwrap_err();
    assert!(matches!(error, TuneError::Unreadable(_)), "{error}");
    let error = error.to_string();
    for part in [
        "cannot continue: ",
        "trial 8, configuration: missing field",
        "another --seed",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(bed.evaluated.load(Ordering::SeqCst), evaluated);
}
