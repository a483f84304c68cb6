//! Tests of the drift status that the control kernel yields.

use configgen::{Generator, Space, Target, default_configuration};
use tuner::{
    Agent, AssignedBatch, Batch, BatchContent, BatchEvent, BatchEventKind, BatchId, BatchSource,
    Candidate, Choice, ControlMeasurement, DriftStatus, InputCache, StudySetup,
};

use crate::measured::{BATCH, CALM, Plain, Planted, plan, varying};

/// A batch source that gives batches of five and records the drift status.
struct Batches {
    left: Vec<Batch>,
    watched: Vec<DriftStatus>,
}

impl BatchSource for Batches {
    fn next(&mut self, _: Option<&StudySetup>) -> Option<AssignedBatch> {
        let batch = self.left.pop()?;
        Some(AssignedBatch { batch, built: None })
    }

    fn tell(&mut self, event: BatchEvent) -> bool {
        // The drift status arrives before the batch is done.
        let done = (BATCHES - self.left.len()).min(self.watched.len());
        assert_eq!(
            event.news == BatchEventKind::Done,
            done == BATCHES - self.left.len()
        );
        true
    }

    fn report_drift(&mut self, watched: DriftStatus) {
        self.watched.push(watched);
    }
}

const BATCHES: usize = 3;

fn batch(number: usize) -> Batch {
    let problem = plan(1).problem;
    let target: &'static Target = "gfx942".parse().unwrap();
    let default = default_configuration(&problem, target, Generator::NATIVE).unwrap();
    let space = Space::new(&problem, target, Generator::NATIVE);
    let sampled = space.sample(BATCH as u64, number as u64).into_iter();
    let candidate = |(configuration, ordinal)| Candidate {
        ordinal,
        choice: Choice::Configured(configuration),
        verified_below_us: None,
    };
    Batch {
        id: BatchId {
            owner: "us".to_owned(),
            study: 1,
            number: number as u64,
        },
        work: BatchContent::Try(sampled.zip(0..).map(candidate).collect()),
        job: StudySetup {
            problem,
            generator: "native".to_owned(),
            input_seed: 0,
            default: Choice::Default(default),
        },
    }
}

/// Checks the drift status in three batches of one study: `s`teady, `u`nsteady or `w`rong, with
/// the slowdown in percent.
#[track_caller]
fn check_watched(planted: Planted, expected: [&str; BATCHES]) {
    let mut batches = Batches {
        left: (0..BATCHES).map(batch).collect(),
        watched: Vec::new(),
    };
    let mut agent = Agent {
        rig: &mut varying(planted, 3),
        builder: &Plain(planted),
        shelf: &InputCache::default(),
    };
    agent.work(&mut batches);
    let of = |(kind, control): (char, ControlMeasurement)| {
        assert!((0.0..0.01).contains(&control.noise), "{control:?}");
        let percent = if control.slowdown > 1.04 { 8 } else { 0 };
        format!("{kind}{percent}")
    };
    let told = batches.watched.into_iter().map(|watched| match watched {
        DriftStatus::Steady(control) => of(('s', control)),
        DriftStatus::Unsteady(control) => of(('u', control)),
        DriftStatus::Wrong => "w".to_owned(),
    });
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

#[test]
fn carriers_receive_the_state_of_the_device() {
    check_watched(CALM, ["s0", "s0", "s0"]);
    // The default is evaluated first, and after each batch.
    let step_at = 8;
    check_watched(Planted { step_at, ..CALM }, ["s0", "s8", "s8"]);
    let restless = Some(1 + BATCH as u64);
    check_watched(Planted { restless, ..CALM }, ["u8", "u0", "u8"]);
    let unstable_at = 8;
    check_watched(
        Planted {
            unstable_at,
            ..CALM
        },
        ["s0", "w", "w"],
    );
}
