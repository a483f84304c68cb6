//! Helpers of the agent's tests: a builder, an offer and an empty batch.

use bench_harness::{Clock, Driver, Identity};
use codegen::{CompiledKernel, Compiler};
use configgen::{Device, Generator, Problem, Target, default_configuration};
use tuner::{Batch, BatchContent, BatchId, BuildError, Builder, Choice, Offer, StudySetup};

/// A builder of this version without anything to build.
pub(crate) struct Idle(pub(crate) &'static str);

impl Builder for Idle {
    fn generator(&self) -> Generator {
        Generator::NATIVE
    }

    fn compiler(&self) -> Compiler {
        Compiler {
            name: "none".into(),
            version: self.0.to_owned(),
            linker: String::new(),
        }
    }

    fn generator_version(&self) -> String {
        "1".to_owned()
    }

    fn batch(&self) -> usize {
        1
    }

    fn build(
        &self,
        _: &Problem,
        _: &Target,
        _: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>> {
        Vec::new()
    }
}

pub(crate) fn offer(version: &'static str) -> Offer {
    let identity = Identity {
        name: "emulated:mi300x".to_owned(),
        row: Device::named("mi300x").unwrap(),
        part: None,
        driver: Driver {
            name: "test".to_owned(),
            ..Driver::default()
        },
        clock: Clock::Modelled,
        timing_mode: "cold",
    };
    Offer::new(&identity, &Idle(version))
}

/// Returns a batch without candidates, with an empty pack of kernels.
pub(crate) fn batch(number: u64) -> Batch {
    let problem = "argmax:4x[1000]xf32".parse().unwrap();
    let (target, generator) = (Target::named("gfx942").unwrap(), Generator::NATIVE);
    let default = default_configuration(&problem, target, generator).unwrap();
    Batch {
        id: BatchId {
            owner: "a replica".to_owned(),
            study: 7,
            number,
        },
        job: StudySetup {
            problem,
            generator: generator.name().to_owned(),
            input_seed: 0,
            default: Choice::Default(default),
        },
        work: BatchContent::Try(Vec::new()),
    }
}
