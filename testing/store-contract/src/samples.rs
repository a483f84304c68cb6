//! Studies and trials for tests.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use configgen::{Configuration, Generator, Target};
use store::{
    Clock, Priority, Provenance, Role, RunState, Store, StudyId, StudyKey, Submission,
    SubmissionOutcome, Timing, Trial, TrialOutcome,
};

/// Returns the key of the study in most tests.
pub fn key() -> StudyKey {
    StudyKey {
        problem: "argmax:4x[32000]xf32".parse().unwrap(),
        provenance: provenance("22.1.0"),
        strategy: "random".to_owned(),
        space: "2-7-0123456789abcdef".to_owned(),
        ties: None,
        seed: u64::MAX,
    }
}

/// Returns the same key with a changed provenance.
pub fn key_made(change: impl FnOnce(&mut Provenance)) -> StudyKey {
    let mut key = key();
    change(&mut key.provenance);
    key
}

/// Returns a provenance with this version of the compiler.
pub fn provenance(compiler_version: &str) -> Provenance {
    Provenance {
        target: Target::named("gfx942").unwrap(),
        device: "emulated:mi300x".to_owned(),
        part: None,
        driver: "wavetune emulator".to_owned(),
        driver_version: "0.1.0".to_owned(),
        runtime_version: String::new(),
        kernel_driver_version: String::new(),
        model: "01234567".to_owned(),
        compiler: "LLVM".to_owned(),
        compiler_version: compiler_version.to_owned(),
        linker: "LLD 22.1.0".to_owned(),
        generator: Generator::NATIVE,
        generator_version: "0.1.0".to_owned(),
        compile_limit_s: 0,
        clock: Clock::Modelled,
        mode: "cold".to_owned(),
        protocol: 0,
        inputs: 2,
    }
}

/// Returns configuration number `n`; different numbers give different configurations.
pub fn configuration(n: u32) -> Configuration {
    let json = format!(
        r#"{{"workgroup": [1, 0], "partial_reduction": [0, {n}], "thread": [0, 4], "lane_basis": [[1, 64], [0, 1]],
            "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64, "workgroup_size": [64, 1, 1]}}"#
    );
    serde_json::from_str(&json).unwrap()
}

/// Returns a candidate with configuration `n` that ended in second `ordinal`.
pub fn trial(ordinal: u32, n: u32, outcome: TrialOutcome) -> Trial {
    Trial {
        ordinal,
        role: Role::Candidate,
        configuration: Some(configuration(n)),
        outcome,
        error: None,
        input_seed: u64::MAX - 1,
        compile_ms: Some(7.25),
        started: at(u64::from(ordinal)),
        ended: at(u64::from(ordinal) + 1),
    }
}

/// Returns the same trial as a default.
pub fn default_trial(ordinal: u32, n: u32, outcome: TrialOutcome) -> Trial {
    Trial {
        role: Role::Default,
        ..trial(ordinal, n, outcome)
    }
}

/// Returns the trial with this error.
pub fn with_error(error: Option<f64>, trial: Trial) -> Trial {
    Trial { error, ..trial }
}

/// Returns a second of a day in 2026.
pub fn at(second: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_780_000_000 + second)
}

/// Returns a timing with three samples.
pub fn timing(time_us: f64) -> Timing {
    Timing {
        time_us,
        samples_us: vec![time_us, time_us * 1.25, time_us * 0.75],
        protocol: Some(r#"{"mode":"cold"}"#.to_owned()),
    }
}

/// Returns a correct outcome.
pub fn right(time_us: f64) -> TrialOutcome {
    TrialOutcome::Right(timing(time_us))
}

/// Opens a study and records these trials.
pub async fn record(store: &dyn Store, key: &StudyKey, trials: &[Trial]) -> StudyId {
    let study = store.open_study(key, Some(2.5)).await.unwrap();
    for trial in trials {
        store.record_trial(&study, trial).await.unwrap();
    }
    study.id
}

/// Submits this many runs, in a request with this key and digest.
pub async fn submitted(
    store: &dyn Store,
    count: usize,
    request: Option<(&str, &str)>,
) -> SubmissionOutcome {
    let orders = vec!["an order".to_owned(); count];
    let submission = Submission {
        orders: &orders,
        priority: Priority::default(),
        state: RunState::Running,
        most_open: None,
        request,
    };
    store.submit_runs(submission).await.unwrap()
}
