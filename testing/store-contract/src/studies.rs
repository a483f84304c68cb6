//! Studies are found by their key, and by features of their problems.

use configgen::{Problem, Target};
use store::{
    Clock, Features, ProblemSelection, RecordOutcome, Role, RuntimeDevice, StoreError, StudyKey,
    Ties, Trial, TrialOutcome, Wish,
};

use crate::Database;
use crate::samples::{default_trial, key, right, timing, trial};

pub(crate) async fn a_study_is_resumed_where_it_stood(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), Some(5.25)).await.unwrap();
    assert_eq!((study.recorded, study.bound_us), (0, Some(5.25)));
    let trials = [default_trial(0, 1, right(61.0)), trial(7, 2, right(8.0))];
    for trial in &trials {
        assert_eq!(
            store.record_trial(&study, trial).await.unwrap(),
            RecordOutcome::Stored
        );
    }
    store.close().await;

    let store = database.open().await;
    let resumed = store.open_study(&key(), None).await.unwrap();
    assert_eq!((resumed.recorded, resumed.bound_us), (2, Some(5.25)));
    assert_eq!(resumed.key, key());
    assert_eq!(store.trials_of(&resumed).await.unwrap(), trials);
}

/// Checks that a key with any difference is another study.
pub(crate) async fn every_part_of_the_key_counts(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    store
        .record_trial(&study, &trial(0, 1, right(8.0)))
        .await
        .unwrap();
    let part = RuntimeDevice {
        name: "AMD".to_owned(),
        isa: "gfx942".to_owned(),
        multiprocessors: 304,
        clock_mhz: 2100,
        memory_mib: 7,
        memory_clock_mhz: 1300,
        memory_bits: 8192,
    };
    let of_device = |change: fn(&mut RuntimeDevice)| {
        let mut part = part.clone();
        change(&mut part);
        move |key: &mut StudyKey| key.provenance.part = Some(part.clone())
    };
    type Change = Box<dyn Fn(&mut StudyKey)>;
    let changes: Vec<Change> = vec![
        Box::new(|key| key.problem = "argmin:4x[32000]xf32".parse().unwrap()),
        Box::new(|key| key.provenance.target = Target::named("gfx950").unwrap()),
        Box::new(|key| key.provenance.device.push('2')),
        Box::new(of_device(|_| {})),
        Box::new(of_device(|part| part.name.push('2'))),
        Box::new(of_device(|part| part.isa.push('2'))),
        Box::new(of_device(|part| part.multiprocessors = 38)),
        Box::new(of_device(|part| part.clock_mhz = 38)),
        Box::new(of_device(|part| part.memory_mib = 38)),
        Box::new(of_device(|part| part.memory_clock_mhz = 38)),
        Box::new(of_device(|part| part.memory_bits = 38)),
        Box::new(|key| key.provenance.driver.push('2')),
        Box::new(|key| key.provenance.driver_version.push('2')),
        Box::new(|key| key.provenance.runtime_version.push('2')),
        Box::new(|key| key.provenance.kernel_driver_version.push('2')),
        Box::new(|key| key.provenance.model.push('2')),
        Box::new(|key| key.provenance.compiler.push('2')),
        Box::new(|key| key.provenance.compiler_version.push('2')),
        Box::new(|key| key.provenance.linker.push('2')),
        Box::new(|key| key.provenance.generator = configgen::Generator::IREE),
        Box::new(|key| key.provenance.generator_version.push('2')),
        Box::new(|key| key.provenance.compile_limit_s = 7),
        Box::new(|key| key.provenance.clock = Clock::Measured),
        Box::new(|key| key.provenance.mode.push('2')),
        Box::new(|key| key.provenance.protocol = 7),
        Box::new(|key| key.provenance.inputs = 7),
        Box::new(|key| key.strategy.push('2')),
        Box::new(|key| key.space.push('2')),
        Box::new(|key| key.ties = Some(Ties::Any)),
        Box::new(|key| key.seed = 0),
    ];
    for change in changes {
        let mut changed = key();
        change(&mut changed);
        let other = store.open_study(&changed, None).await.unwrap();
        assert_eq!((other.recorded, &other.key), (0, &changed));
        assert_ne!(other, study);
    }
    assert_eq!(store.open_study(&key(), None).await.unwrap().recorded, 1);
}

#[track_caller]
fn check_rejected(result: Result<impl std::fmt::Debug, StoreError>, part: &str) {
    let error = result.unwrap_err().to_string();
    assert!(error.contains(part) && !error.contains('\n'), "{error}");
}

pub(crate) async fn incomplete_trials_are_not_stored(database: &dyn Database) {
    let store = database.open().await;
    let study = store.open_study(&key(), None).await.unwrap();
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut outcome = timing(1.0);
        outcome.time_us = bad;
        let of_time = trial(0, 1, TrialOutcome::Right(outcome.clone()));
        check_rejected(store.record_trial(&study, &of_time).await, "trial 0: ");
        outcome.time_us = 1.0;
        outcome.samples_us.push(bad);
        let of_sample = trial(0, 1, TrialOutcome::Right(outcome));
        check_rejected(
            store.record_trial(&study, &of_sample).await,
            "in microseconds",
        );
    }
    let mut no_samples = timing(1.0);
    no_samples.samples_us.clear();
    let no_samples = trial(0, 1, TrialOutcome::Right(no_samples));
    check_rejected(
        store.record_trial(&study, &no_samples).await,
        "without samples",
    );
    let nameless = Trial {
        configuration: None,
        role: Role::Candidate,
        ..trial(0, 1, right(1.0))
    };
    check_rejected(
        store.record_trial(&study, &nameless).await,
        "without a configuration",
    );
    assert_eq!(store.trials_of(&study).await.unwrap(), []);

    let mut incomplete = key();
    incomplete.provenance.driver.clear();
    check_rejected(store.open_study(&incomplete, None).await, "driver");
}

/// Checks that a search finds studies to learn from: of similar sizes, and of the same operation
/// and type.
pub(crate) async fn studies_of_problems_like_one_are_found(database: &dyn Database) {
    let store = database.open().await;
    let problems = [
        "argmax:4x[32000]xf32",
        "argmin_last:8x[16000]xf32:i64",
        "argmax:16x[8000]xf32:i32:initial",
        "argmax:4x[32000]xf16",
        "argmax:4x[128000]xf32",
        "argmax:17x[32000]xf32",
        "argmax:[32000]xf32",
    ];
    for problem in problems {
        let problem = problem.parse().unwrap();
        let key = StudyKey { problem, ..key() };
        store.open_study(&key, None).await.unwrap();
    }
    let like = Features::near(&key().problem, 4);
    let found = async |target: &str| {
        let (like, target) = (ProblemSelection::Like(like.clone()), Target::named(target));
        let studies = store.studies(like, target).await.unwrap();
        let mut found: Vec<String> = (studies.rows.iter())
            .map(|study| study.problem.to_string())
            .collect();
        found.sort();
        found
    };
    let expected = [
        "argmax:16x[8000]xf32:i32:initial",
        "argmax:4x[128000]xf32:i32",
        "argmax:4x[32000]xf32:i32",
        "argmax:[32000]xf32:i32",
        "argmin_last:8x[16000]xf32:i64",
    ];
    assert_eq!(found("gfx942").await, expected);
    assert!(found("gfx90a").await.is_empty());
    let exactly = Features::near(&key().problem, 1);
    let studies = store
        .studies(ProblemSelection::Like(exactly), None)
        .await
        .unwrap();
    assert_eq!(studies.rows.len(), 1);
}

/// Checks a comparator with hundreds of operations, because PostgreSQL's indices take no text of
/// that length.
pub(crate) async fn long_problems_are_studied_and_wished_for(database: &dyn Database) {
    let store = database.open().await;
    let steps = (2..202).map(|n| format!("{n}=arith.muli({},{});", n - 1, n % 2));
    let steps: String = steps.collect();
    let text = format!("unordered{{{steps}arith.cmpi(sgt,0,201)}}:[8]xi32:i32:initial");
    let problem: Problem = text.parse().unwrap();
    let length = problem.to_string().len();
    assert!(length > 4000, "{length} bytes");
    let key = StudyKey { problem, ..key() };
    store.open_study(&key, None).await.unwrap();
    assert_eq!(store.open_study(&key, None).await.unwrap().key, key);
    let these = ProblemSelection::These(std::slice::from_ref(&key.problem));
    let known = store.studies(these, None).await.unwrap();
    assert_eq!(known.rows[0].problem, key.problem);
    let wish = Wish {
        problem: key.problem,
        target: key.provenance.target,
        device: None,
        generator: None,
    };
    assert!(store.record_wish(&wish).await.unwrap());
    store.flush_wishes().await.unwrap();
    let wishes = store.wishes().await.unwrap().rows;
    assert_eq!(wishes[0].wish, wish);
    store.end_wish(&wish).await.unwrap();
    assert_eq!(store.wishes().await.unwrap().rows, []);
}
