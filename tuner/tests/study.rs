//! Studies on a device of the host, with a builder whose kernels are right, wrong or missing as the test says.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bench_harness::timing::{Measurement, Mode};
use bench_harness::{Buffer, Clock, Device, DeviceError, Identity, Launch, Rig};
use codegen::{Argument, CompiledKernel, Compiler, Slot};
use configgen::{Generator, Problem, Target};
use store::{FailureKind, Status, Store, Ties};
use tuner::{BuildError, Builder, Choice, Plan, Report, Strategy, TuneError};

const PROBLEM: &str = "argmax:4x[100]xf32";

/// What kernel number `n` of a study (by a hash of its configuration) is like.
#[derive(Clone, Copy)]
struct Planted {
    wrong_every: u64,
    fails_every: u64,
    /// The disk is full while these are built.
    no_room_every: u64,
    /// The device dies of these.
    deadly_every: u64,
    generator: Generator,
}

const ALL_RIGHT: Planted = Planted {
    wrong_every: 0,
    fails_every: 0,
    no_room_every: 0,
    deadly_every: 0,
    generator: Generator::Native,
};

struct HostBuilder {
    planted: Planted,
    built: Arc<AtomicUsize>,
}

fn number(choice: &Choice) -> u64 {
    let json = format!("{:?}", choice.configuration());
    json.bytes()
        .fold(7, |hash, byte| (hash * 31 + u64::from(byte)) % 1_000_003)
}

fn hits(number: u64, every: u64) -> bool {
    every > 0 && number.is_multiple_of(every)
}

impl Builder for HostBuilder {
    fn generator(&self) -> Generator {
        self.planted.generator
    }

    fn compiler(&self) -> Compiler {
        Compiler {
            name: "host".into(),
            version: "1".to_owned(),
        }
    }

    fn generator_version(&self) -> String {
        "1".to_owned()
    }

    fn batch(&self) -> usize {
        5
    }

    fn build(
        &self,
        problem: &Problem,
        _: &Target,
        choices: &[Choice],
    ) -> Vec<Result<CompiledKernel, BuildError>> {
        self.built.fetch_add(choices.len(), Ordering::SeqCst);
        let kernel = |choice: &Choice| {
            let number = number(choice);
            if hits(number, self.planted.fails_every) {
                let message = "planted".to_owned();
                return Err(BuildError::Failed(FailureKind::Compile, message));
            }
            if hits(number, self.planted.no_room_every) {
                return Err(BuildError::Environment("no room".to_owned()));
            }
            let kind = match number {
                _ if hits(number, self.planted.deadly_every) => "deadly",
                _ if hits(number, self.planted.wrong_every) => "wrong",
                _ => "right",
            };
            let rows = problem.shape.rows();
            Ok(CompiledKernel {
                code_object: Arc::from([]),
                symbol: format!("{number} {kind}"),
                workgroups: [1; 3],
                workgroup_size: [1; 3],
                arguments: (0..3).map(Argument::Buffer).collect(),
                buffers: vec![problem.input_bytes(), rows * 4, rows * 4],
                input: Slot {
                    buffer: 0,
                    offset: 0,
                },
                explicit_indices: None,
                workspace: None,
                values: Slot {
                    buffer: 1,
                    offset: 0,
                },
                indices: Slot {
                    buffer: 2,
                    offset: 0,
                },
                tiling: None,
                compiler: self.compiler(),
            })
        };
        choices.iter().map(kernel).collect()
    }
}

struct HostDevice {
    identity: Identity,
    buffers: HashMap<u64, Vec<u8>>,
    next: u64,
}

impl HostDevice {
    fn boxed() -> Box<dyn Rig> {
        Box::new(HostDevice {
            identity: Identity {
                name: "host".to_owned(),
                row: configgen::Device::named("mi300x").unwrap(),
                driver: "host".to_owned(),
                clock: Clock::Modelled,
                timing_mode: "cold",
            },
            buffers: HashMap::new(),
            next: 0,
        })
    }
}

impl Device for HostDevice {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn runs_parts(&self) -> bool {
        false
    }

    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceError> {
        self.next += 1;
        self.buffers.insert(self.next, vec![0; bytes as usize]);
        Ok(Buffer(self.next))
    }

    fn free(&mut self, buffer: Buffer) {
        self.buffers.remove(&buffer.0);
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let memory = self.buffers.get_mut(&buffer.0).unwrap();
        memory[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, buffer: Buffer, bytes: Range<u64>) -> Result<Cow<'_, [u8]>, DeviceError> {
        Ok(Cow::Borrowed(
            &self.buffers[&buffer.0][bytes.start as usize..bytes.end as usize],
        ))
    }

    fn launch(&mut self, launch: &Launch<'_>) -> Result<(), DeviceError> {
        let input: Vec<f32> = self.buffers[&launch.buffers[0].0]
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        assert!(!launch.kernel.symbol.ends_with("deadly"), "planted");
        let off_by_one = i32::from(launch.kernel.symbol.ends_with("wrong"));
        for (row, elements) in input.chunks_exact(input.len() / 4).enumerate() {
            let (mut value, mut index) = (f32::NEG_INFINITY, 0);
            for (i, &x) in elements.iter().enumerate() {
                if x > value {
                    (value, index) = (x, i as i32);
                }
            }
            self.write(launch.buffers[1], row as u64 * 4, &value.to_le_bytes())?;
            self.write(
                launch.buffers[2],
                row as u64 * 4,
                &(index + off_by_one).to_le_bytes(),
            )?;
        }
        Ok(())
    }

    fn time(&mut self, launch: &Launch<'_>) -> Result<Measurement, DeviceError> {
        let number = launch.kernel.symbol.split(' ').next().unwrap();
        let time_us = 5.0 + number.parse::<f64>().unwrap() / 1e5;
        Ok(Measurement::exact(Mode::Cold, time_us))
    }
}

struct Bed {
    directory: tempfile::TempDir,
    planted: Planted,
    built: Arc<AtomicUsize>,
}

impl Bed {
    fn new(planted: Planted) -> Bed {
        Bed {
            directory: tempfile::tempdir().unwrap(),
            planted,
            built: Arc::default(),
        }
    }

    async fn store(&self) -> Store {
        Store::open(self.directory.path().join("test.db").to_str().unwrap())
            .await
            .unwrap()
    }

    /// Runs the plan with so many jobs; with `killed_after` the study is dropped when that many trials were reported.
    async fn run(
        &self,
        plan: &Plan,
        jobs: usize,
        killed_after: Option<u64>,
    ) -> Option<Result<Report, TuneError>> {
        let store = self.store().await;
        let builder = Arc::new(HostBuilder {
            planted: self.planted,
            built: Arc::clone(&self.built),
        });
        let (sender, mut reported) = tokio::sync::mpsc::unbounded_channel();
        let devices = (0..jobs).map(|_| HostDevice::boxed()).collect();
        let study = tuner::run(plan, builder, devices, &store, |progress| {
            sender.send(progress.done).unwrap();
        });
        let killed = async {
            while let Some(done) = reported.recv().await {
                if Some(done) == killed_after {
                    return;
                }
            }
            std::future::pending().await
        };
        tokio::select! {
            biased;
            () = killed => None,
            report = study => Some(report),
        }
    }

    async fn report(&self, plan: &Plan, jobs: usize) -> Report {
        self.run(plan, jobs, None).await.unwrap().unwrap()
    }
}

fn plan(budget: u32) -> Plan {
    Plan {
        problem: PROBLEM.parse().unwrap(),
        strategy: Strategy::Evolution,
        seed: 1,
        budget,
        ties: Ties::Fold,
    }
}

#[tokio::test]
async fn the_budget_counts_the_default() {
    let bed = Bed::new(ALL_RIGHT);
    for budget in [1, 2, 40] {
        let bed = Bed::new(ALL_RIGHT);
        let report = bed.report(&plan(budget), 2).await;
        assert_eq!(
            (report.counts.total, report.counts.right),
            (budget.into(), budget.into())
        );
        assert!(report.speedup().unwrap() >= 1.0);
    }
    let report = bed.report(&plan(1), 2).await;
    assert_eq!(report.best, report.default);
}

#[tokio::test]
async fn failures_and_wrong_results_are_counted_and_never_best() {
    let report = Bed::new(Planted {
        wrong_every: 3,
        fails_every: 5,
        ..ALL_RIGHT
    })
    .report(&plan(60), 2)
    .await;
    let counts = report.counts;
    assert!(counts.wrong > 5 && counts.failed > 5, "{counts:?}");
    assert_eq!(counts.right + counts.wrong + counts.failed, 60);
    assert_eq!(report.best.unwrap().status, Status::Right);

    let report = Bed::new(Planted {
        wrong_every: 1,
        fails_every: 0,
        ..ALL_RIGHT
    })
    .report(&plan(7), 1)
    .await;
    assert_eq!((report.best, report.counts.wrong), (None, 7));
}

/// The plan with every strategy.
fn plans(budget: u32) -> impl Iterator<Item = Plan> {
    Strategy::ALL.into_iter().map(move |strategy| Plan {
        strategy,
        ..plan(budget)
    })
}

#[tokio::test]
async fn the_number_of_jobs_changes_nothing() {
    let planted = Planted {
        wrong_every: 3,
        fails_every: 7,
        ..ALL_RIGHT
    };
    for plan in plans(90) {
        let one = Bed::new(planted).report(&plan, 1).await;
        let four = Bed::new(planted).report(&plan, 4).await;
        assert_eq!(one, four);
    }
}

#[tokio::test]
async fn an_interrupted_study_goes_on_where_it_stood() {
    for plan in plans(60) {
        check_interrupted(&plan, &[1, 13, 40, 59]).await;
    }
}

async fn check_interrupted(plan: &Plan, kills: &[u64]) {
    let undisturbed = Bed::new(ALL_RIGHT).report(plan, 2).await;
    for &killed_after in kills {
        let bed = Bed::new(ALL_RIGHT);
        assert!(bed.run(plan, 2, Some(killed_after)).await.is_none());
        let report = bed.report(plan, 2).await;
        assert!(
            report.resumed >= killed_after,
            "{} < {killed_after}",
            report.resumed
        );
        assert_eq!(
            Report {
                resumed: 0,
                ..report
            },
            undisturbed
        );
    }
}

#[tokio::test]
async fn what_is_known_is_not_built_again() {
    let bed = Bed::new(ALL_RIGHT);
    let first = bed.report(&plan(30), 2).await;
    assert_eq!(bed.built.load(Ordering::SeqCst), 30);
    let again = bed.report(&plan(30), 2).await;
    assert_eq!((bed.built.load(Ordering::SeqCst), again.resumed), (30, 30));
    assert_eq!(again.best, first.best);
    // A larger budget goes on, to what it would have been at once; a smaller one reports its own part.
    let larger = bed.report(&plan(50), 2).await;
    assert_eq!(bed.built.load(Ordering::SeqCst), 50);
    assert_eq!(
        larger.best,
        Bed::new(ALL_RIGHT).report(&plan(50), 2).await.best
    );
    assert_eq!(bed.report(&plan(30), 2).await.best, first.best);
    // Another seed is another study.
    bed.report(
        &Plan {
            seed: 2,
            ..plan(30)
        },
        2,
    )
    .await;
    assert_eq!(bed.built.load(Ordering::SeqCst), 80);
}

#[tokio::test]
async fn a_budget_beyond_the_space_is_the_space() {
    let bed = Bed::new(ALL_RIGHT);
    let problem: Problem = "argmax:4x[1]xf32".parse().unwrap();
    for strategy in Strategy::ALL {
        let plan = Plan {
            problem: problem.clone(),
            strategy,
            budget: u32::MAX,
            ..plan(1)
        };
        let report = bed.report(&plan, 2).await;
        // The default may be one of the space.
        assert!(report.counts.total - report.space <= 1, "{report:?}");
    }
}

#[tokio::test]
async fn what_is_no_fault_of_a_kernel_is_no_trial() {
    let bed = Bed::new(Planted {
        no_room_every: 5,
        ..ALL_RIGHT
    });
    let error = bed.run(&plan(60), 2, None).await.unwrap().unwrap_err();
    assert!(matches!(error, TuneError::Environment(_)), "{error}");
    // With room again, the study goes on, and is the same as any other.
    let bed = Bed {
        planted: ALL_RIGHT,
        ..bed
    };
    let report = bed.report(&plan(60), 2).await;
    let undisturbed = Bed::new(ALL_RIGHT).report(&plan(60), 2).await;
    assert_eq!(
        Report {
            resumed: 0,
            ..report
        },
        undisturbed
    );
}

#[tokio::test]
async fn a_worker_that_dies_is_told() {
    let bed = Bed::new(Planted {
        deadly_every: 7,
        ..ALL_RIGHT
    });
    let error = bed.run(&plan(60), 2, None).await.unwrap().unwrap_err();
    assert!(
        matches!(error, TuneError::Lost(missing) if missing > 0),
        "{error}"
    );
}

#[tokio::test]
async fn a_problem_that_the_generator_does_not_take_is_named() {
    let bed = Bed::new(Planted {
        generator: Generator::Iree,
        ..ALL_RIGHT
    });
    let plan = Plan {
        problem: "argmax:[3]x[4]xf32".parse().unwrap(),
        ..plan(5)
    };
    let error = bed
        .run(&plan, 1, None)
        .await
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(error.contains("argmax:[3]x[4]xf32:i32: rule 0"), "{error}");
    let error = bed.run(&plan, 0, None).await.unwrap().unwrap_err();
    assert!(matches!(error, TuneError::NoDevice));
}
