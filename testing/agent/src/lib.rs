//! A fake agent for tests, which makes up its results.

use std::borrow::Cow;
use std::time::SystemTime;

use bench_harness::timing::{self, Entrant};
use bench_harness::{Clock, Driver, Identity};
use codegen::{CompiledKernel, Compiler};
use configgen::seeded_random::generator;
use configgen::{Device, Generator, Problem, Target};
use server_fleet::wire::{Lease, LeaseReference, LeaseReport};
use store::{Role, Timing, Trial, TrialOutcome};
use tuner::{BatchContent, BatchEventKind, BuildError, Builder, Candidate, Choice, Offer};

/// A builder that builds nothing.
struct StubBuilder;

impl Builder for StubBuilder {
    fn generator(&self) -> Generator {
        Generator::NATIVE
    }

    fn compiler(&self) -> Compiler {
        Compiler {
            name: Cow::Borrowed("none"),
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
        let none = |_| Err(BuildError::Environment("nobody builds here".to_owned()));
        choices.iter().map(none).collect()
    }
}

/// Returns the offer of an agent with this device.
pub fn offer(device: &str) -> Offer {
    offer_by(device, Clock::Modelled)
}

/// Returns the offer of an agent with this device and clock.
pub fn offer_by(device: &str, clock: Clock) -> Offer {
    let identity = Identity {
        name: format!("emulated:{device}"),
        row: Device::named(device).unwrap(),
        part: None,
        driver: Driver {
            name: "test".to_owned(),
            ..Driver::default()
        },
        clock,
        timing_mode: "cold",
    };
    Offer::new(&identity, &StubBuilder)
}

/// Returns the events of a lease that is done.
pub fn results(lease: &Lease) -> Vec<BatchEventKind> {
    let candidates = match &lease.batch.work {
        BatchContent::Try(candidates) => candidates,
        BatchContent::Finals { finalists, .. } => {
            return vec![finals(finalists.len()), BatchEventKind::Done];
        }
    };
    let trial = |candidate| BatchEventKind::Trial(Box::new(trial(lease, candidate)));
    let trials = candidates.iter().map(trial);
    trials.chain([BatchEventKind::Done]).collect()
}

/// Returns finals of this number of finalists, won by the first.
fn finals(finalists: usize) -> BatchEventKind {
    let sample = |entrant| {
        Ok::<f64, ()>(match entrant {
            Entrant::Default => 100.0,
            Entrant::Finalist(place) => 10.0 + place as f64,
        })
    };
    let held = timing::finals(&mut generator(1, 2), finalists, sample).unwrap();
    // Any fixed seed serves: the samples do not vary.
    BatchEventKind::Finals(Ok(Box::new(held)))
}

/// Returns a trial of a candidate. Its time and error follow from its configuration.
pub fn trial(lease: &Lease, candidate: &Candidate) -> Trial {
    // Deterministic, so that two agents agree on a configuration's time.
    let text = format!("{:?}", candidate.choice.configuration());
    let hash = text.bytes().fold(7_u64, |hash, byte| {
        (hash * 31 + u64::from(byte)) % 1_000_003
    });
    let time_us = 1.0 + hash as f64;
    let timing = Timing {
        time_us,
        samples_us: vec![time_us],
        protocol: None,
    };
    Trial {
        ordinal: candidate.ordinal,
        role: match candidate.choice {
            Choice::Default(_) => Role::Default,
            Choice::Configured(_) => Role::Candidate,
        },
        configuration: candidate.choice.configuration().cloned(),
        outcome: TrialOutcome::Right(timing),
        error: Some(error(time_us)),
        input_seed: lease.batch.job.input_seed,
        compile_ms: Some(1.0),
        started: SystemTime::now(),
        ended: SystemTime::now(),
    }
}

/// Returns the error that these agents report for a kernel of this time.
pub fn error(time_us: f64) -> f64 {
    1.0 / time_us
}

/// Creates the report of a lease's events.
pub fn tell(lease: &Lease, news: Vec<BatchEventKind>) -> LeaseReport {
    LeaseReport {
        token: lease.token.clone(),
        batch: lease.batch.clone(),
        news,
    }
}

/// Creates a reference to a lease.
pub fn hold(lease: &Lease) -> LeaseReference {
    LeaseReference {
        token: lease.token.clone(),
        batch: lease.batch.id.clone(),
    }
}
