//! Tests of kernels from another machine.

use std::sync::atomic::Ordering;

use configgen::{Generator, Space, Target, default_configuration};
use store::{FailureKind, Trial, TrialOutcome};
use tuner::{
    Agent, AssignedBatch, Batch, BatchContent, BatchEvent, BatchEventKind, BatchId, BatchKernels,
    BatchSource, Candidate, Choice, InputCache, Pack, StudySetup,
};

use crate::study::PROBLEM;
use crate::study::bed::{ALL_RIGHT, Bed, Planted};

/// A batch source that gives one batch and records its events.
struct Once {
    given: Option<AssignedBatch>,
    told: Vec<BatchEventKind>,
}

impl BatchSource for Once {
    fn next(&mut self, _: Option<&StudySetup>) -> Option<AssignedBatch> {
        self.given.take()
    }

    fn tell(&mut self, event: BatchEvent) -> bool {
        self.told.push(event.news);
        true
    }
}

fn target() -> &'static Target {
    Target::named("gfx942").unwrap()
}

/// Returns a batch of `count` configurations.
fn batch(count: u64) -> Batch {
    let problem = PROBLEM.parse().unwrap();
    let default = default_configuration(&problem, target(), Generator::NATIVE).unwrap();
    let space = Space::new(&problem, target(), Generator::NATIVE);
    let candidates = space.sample(count, 1).into_iter().zip(0..);
    let candidates = candidates.map(|(configuration, ordinal)| Candidate {
        ordinal,
        choice: Choice::Configured(configuration),
        verified_below_us: None,
    });
    Batch {
        id: BatchId {
            owner: "us".to_owned(),
            study: 1,
            number: 1,
        },
        work: BatchContent::Try(candidates.collect()),
        job: StudySetup {
            problem,
            generator: "native".to_owned(),
            input_seed: 0,
            default: Choice::Default(default),
        },
    }
}

/// Returns the pack of a batch, built by such a builder.
fn pack(planted: Planted, batch: &Batch) -> String {
    let (builder, _) = Bed::new(planted).parts();
    let pack = Pack::build(builder.as_ref(), target(), batch);
    pack.unwrap().to_text()
}

/// Returns the trials of a batch by such an agent, and the number of kernels that it built.
/// `built` are the kernels from another machine.
fn trials(planted: Planted, batch: &Batch, built: Option<BatchKernels>) -> (Vec<Trial>, usize) {
    let bed = Bed::new(planted);
    let (builder, mut rig) = bed.parts();
    let given = AssignedBatch {
        batch: batch.clone(),
        built,
    };
    let mut carrier = Once {
        given: Some(given),
        told: Vec::new(),
    };
    let mut agent = Agent {
        rig: rig.as_mut(),
        builder: builder.as_ref(),
        shelf: &InputCache::default(),
    };
    agent.work(&mut carrier);
    assert_eq!(carrier.told.pop(), Some(BatchEventKind::Done));
    let trial = |news| match news {
        BatchEventKind::Trial(trial) => *trial,
        news => panic!("{news:?}"),
    };
    let trials = carrier.told.into_iter().map(trial).collect();
    (trials, bed.built.load(Ordering::SeqCst))
}

/// Returns the kernels of another machine, as an agent gets them.
fn elsewhere(planted: Planted, batch: &Batch) -> Option<BatchKernels> {
    // A builder of the same kind accepts their launch parameters.
    let (builder, _) = Bed::new(planted).parts();
    let pack = Pack::read(&pack(planted, batch)).unwrap();
    let built = pack.into_kernels(builder.as_ref(), target(), batch);
    assert!(built.as_ref().is_some_and(|built| built.elsewhere));
    built
}

fn outcomes(trials: &[Trial]) -> Vec<TrialOutcome> {
    trials.iter().map(|trial| trial.outcome.clone()).collect()
}

/// Checks that correct kernels are not built again and give the same trials.
#[test]
fn right_packs_are_used() {
    let batch = batch(7);
    let (own, built) = trials(ALL_RIGHT, &batch, None);
    assert_eq!(built, 7);
    let (foreign, built) = trials(ALL_RIGHT, &batch, elsewhere(ALL_RIGHT, &batch));
    assert_eq!(built, 0);
    assert_eq!(outcomes(&foreign), outcomes(&own));
}

/// Checks that a wrong kernel is built again by the agent, and that its own kernel counts.
#[test]
fn wrong_packs_are_built_locally() {
    let batch = batch(7);
    let wrong = Planted {
        wrong_every: 1,
        ..ALL_RIGHT
    };
    let (own, _) = trials(ALL_RIGHT, &batch, None);
    let (foreign, built) = trials(ALL_RIGHT, &batch, elsewhere(wrong, &batch));
    assert_eq!(built, 7);
    assert_eq!(outcomes(&foreign), outcomes(&own));
    // If the agent's own kernel is wrong too, or is not built, that is the trial.
    let (own, _) = trials(wrong, &batch, None);
    let (foreign, _) = trials(wrong, &batch, elsewhere(wrong, &batch));
    assert_eq!(outcomes(&foreign), outcomes(&own));
    let fails = Planted {
        fails_every: 1,
        ..ALL_RIGHT
    };
    let (foreign, _) = trials(fails, &batch, elsewhere(wrong, &batch));
    let failed = TrialOutcome::Failed(FailureKind::Compile, "planted".to_owned());
    assert_eq!(outcomes(&foreign), vec![failed; 7]);
}

/// Checks that a failed build makes no pack.
#[test]
fn truncated_packs_are_refused() {
    let fails = Planted {
        fails_every: 3,
        ..ALL_RIGHT
    };
    let (builder, _) = Bed::new(fails).parts();
    assert!(Pack::build(builder.as_ref(), target(), &batch(40)).is_err());
}

/// Checks if this text, a changed pack, is accepted for a batch.
#[track_caller]
fn check(change: impl FnOnce(&str) -> String, expected: bool) {
    let batch = batch(3);
    let text = change(&pack(ALL_RIGHT, &batch));
    let (builder, _) = Bed::new(ALL_RIGHT).parts();
    let taken = Pack::read(&text).ok();
    let taken = taken.and_then(|pack| pack.into_kernels(builder.as_ref(), target(), &batch));
    assert_eq!(taken.is_some(), expected, "{text}");
}

#[test]
fn packs_are_read_back_or_refused() {
    check(str::to_owned, true);
    check(|_| String::new(), false);
    check(|_| "[]".to_owned(), false);
    check(|text| text.replace("right", "wrong"), false);
    check(
        |text| text.replace("\"code_object\":0", "\"code_object\":1"),
        false,
    );
    check(
        |text| text.replace("\"workgroups\":[1,1,1]", "\"workgroups\":[2,1,1]"),
        false,
    );
    check(
        |text| text.replace("\"compile_ms\":", "\"compile_ms\":-1"),
        false,
    );
    check(
        |text| text.replace("\"code_objects\":[\"\"]", "\"code_objects\":[\"?\"]"),
        false,
    );
    check(|text| text.replacen('{', "{\"more\":1,", 1), false);
    check(|text| format!("{text}{}", " ".repeat(Pack::BYTES)), false);
    let fewer = |text: &str| {
        let mut read: serde_json::Value = serde_json::from_str(text).unwrap();
        read["kernels"].as_array_mut().unwrap().pop();
        read.to_string()
    };
    check(fewer, false);
    let swapped = |text: &str| {
        let mut read: serde_json::Value = serde_json::from_str(text).unwrap();
        read["kernels"].as_array_mut().unwrap().swap(0, 1);
        read.to_string()
    };
    check(swapped, false);
    let whole = pack(ALL_RIGHT, &batch(3));
    for length in 0..whole.len() {
        assert!(Pack::read(&whole[..length]).is_err(), "{length}");
    }
}
