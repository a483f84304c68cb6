//! An external generator: it copies `native` under another name, and is tuned, stored and looked
//! up.

use std::sync::Arc;
use std::time::Duration;

use bench_harness::{EmulatedDevice, Rig};
use codegen::{CompiledKernel, Compiler};
use configgen::{
    Configuration, Generator, Pipeline, Problem, Rejection, Rules, Target, space::Contents,
};
use lookup::LookupRequest;
use store::{Catalogue as _, Ties};
use store_sqlite::Sqlite;
use testing::Failed;
use tuner::{BuildError, Builder, Choice, Plan, Pool, Strategy};

use crate::tuning::running::llvm_process;

/// A generator with the space of native kernels, under another name.
#[derive(Debug)]
struct Twin;

static TWIN: Generator = Generator::new(&Twin);
static KNOWN: [Generator; 3] = [Generator::NATIVE, Generator::IREE, Generator::new(&Twin)];

impl Rules for Twin {
    fn name(&self) -> &'static str {
        "twin"
    }

    fn promises_fold(&self) -> bool {
        Generator::NATIVE.promises_fold()
    }

    fn clamps_tiles(&self) -> bool {
        Generator::NATIVE.clamps_tiles()
    }

    fn check_problem(&self, problem: &Problem, target: &Target) -> Result<(), Rejection> {
        Generator::NATIVE.check_problem(problem, target)
    }

    fn check(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: &Configuration,
    ) -> Result<(), Rejection> {
        Generator::NATIVE.check(problem, target, configuration)
    }

    fn default_configuration(
        &self,
        problem: &Problem,
        target: &Target,
    ) -> Result<Pipeline, Rejection> {
        Generator::NATIVE.default_configuration(problem, target)
    }

    fn space(&self, problem: &Problem, target: &Target) -> Contents {
        Generator::NATIVE.space(problem, target)
    }
}

/// The builder of native kernels, for the twin.
struct TwinBuilder(Arc<dyn Builder>);

impl Builder for TwinBuilder {
    fn generator(&self) -> Generator {
        TWIN
    }

    fn compiler(&self) -> Compiler {
        self.0.compiler()
    }

    fn generator_version(&self) -> String {
        self.0.generator_version()
    }

    fn batch(&self) -> usize {
        self.0.batch()
    }

    fn build(
        &self,
        problem: &Problem,
        target: &Target,
        choices: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>> {
        self.0.build(problem, target, choices)
    }
}

pub(super) fn a_third_generator_is_tuned_stored_and_looked_up() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let location = directory.path().join("twin.db");
    let location = location.to_str().ok_or("not UTF-8")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(tuned_stored_and_looked_up(location))
}

async fn tuned_stored_and_looked_up(location: &str) -> Result<(), Failed> {
    let store = Sqlite::open(location).await?.with_generators(&KNOWN);
    let plan = Plan {
        problem: "argmax:4x[1000]xf32".parse()?,
        strategy: Strategy::Evolution,
        seed: 1,
        budget: 8,
        effort: None,
        ties: Ties::Fold,
    };
    let native = tuner::builder(Generator::NATIVE, Duration::from_secs(10), llvm_process())?;
    let mut fastest = Vec::new();
    for builder in [native.clone(), Arc::new(TwinBuilder(native))] {
        let generator = builder.generator();
        let rig: Box<dyn Rig> = Box::new(EmulatedDevice::named("emulated:mi300x")?);
        let pool = Pool::start(vec![rig], builder)?;
        let report = tuner::run(&plan, None, &pool, &store, |_| {}).await?;
        assert_eq!(
            (
                report.generator,
                report.resumed,
                report.counts.right + report.counts.timed
            ),
            (generator, 0, 8)
        );
        fastest.push(report.best.ok_or("nothing right")?.configuration);
    }
    // The copy's search equals the original's.
    assert_eq!(fastest[0], fastest[1]);

    let request = LookupRequest {
        generator: Some(Generator::among(store.generators(), "twin")?),
        ..LookupRequest::new(plan.problem.clone(), Target::named("gfx942").ok_or("gone")?)
    };
    let answer = lookup::answer(&store, &request).await?;
    let found = answer.found().ok_or("not found")?;
    assert_eq!(found.generator.name(), "twin");
    assert_eq!(Some(&found.configuration), fastest[1].as_ref());
    assert!(found.unreadable.is_none() && answers::line(&answer).contains("\"twin\""));
    store.close().await;

    // A program without the generator reports an unreadable row.
    let store = Sqlite::open(location).await?;
    let answer = lookup::answer(&store, &request).await?;
    assert!(answer.found().is_none() && !answer.unreadable().is_none());
    assert!(Generator::among(store.generators(), "twin").is_err());
    store.close().await;
    Ok(())
}
