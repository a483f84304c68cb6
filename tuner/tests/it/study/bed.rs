//! The test bed: a device on the host, a builder whose kernels are correct, wrong or missing as a
//! test says, and a database.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bench_harness::timing::{Measurement, Mode};
use bench_harness::{
    Buffer, Clock, DeviceError, DeviceLaunch, Driver, Identity, KernelDevice, Rig,
};
use codegen::{CompiledKernel, Compiler, Kernarg, Slot};
use configgen::{Generator, Problem, Target};
use store::{FailureKind, Ledger as _, Trial};
use store_sqlite::Sqlite;
use tuner::{BuildError, Builder, Choice, Plan, Pool, Report, TuneError};

use crate::kernel::kernel;

/// The properties of a study's kernels, selected by a hash of the configuration.
#[derive(Clone, Copy)]
pub(crate) struct Planted {
    pub(crate) wrong_every: u64,
    pub(crate) fails_every: u64,
    /// The kernels whose build finds a full disk.
    pub(crate) no_room_every: u64,
    /// The kernels that kill a device,
    pub(crate) deadly_every: u64,
    /// up to this number of devices.
    pub(crate) deaths: usize,
    pub(crate) generator: Generator,
}

pub(crate) const ALL_RIGHT: Planted = Planted {
    wrong_every: 0,
    fails_every: 0,
    no_room_every: 0,
    deadly_every: 0,
    deaths: usize::MAX,
    generator: Generator::NATIVE,
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
            linker: String::new(),
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
        let build = |choice: &Choice| {
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
                arguments: (0..3).map(Kernarg::Buffer).collect(),
                buffers: vec![problem.input_bytes(), rows * 4, rows * 4],
                results: [1, 2].map(|buffer| Slot { buffer, offset: 0 }).to_vec(),
                ..kernel(format!("{number} {kind}"), self.compiler())
            })
        };
        choices.iter().map(build).collect()
    }

    fn is_launch_of(
        &self,
        problem: &Problem,
        target: &Target,
        choice: &Choice,
        kernel: &CompiledKernel,
    ) -> bool {
        let own = self.build(problem, target, std::slice::from_ref(choice));
        own[0].as_ref() == Ok(kernel)
    }
}

struct HostDevice {
    identity: Identity,
    /// The number of devices that may still die.
    deaths: Arc<AtomicUsize>,
    buffers: HashMap<u64, Vec<u8>>,
    next: u64,
}

impl HostDevice {
    fn boxed(deaths: &Arc<AtomicUsize>) -> Box<dyn Rig> {
        Box::new(HostDevice {
            deaths: Arc::clone(deaths),
            identity: Identity {
                name: "host".to_owned(),
                row: configgen::Device::named("mi300x").unwrap(),
                part: None,
                driver: Driver {
                    name: "host".to_owned(),
                    ..Driver::default()
                },
                clock: Clock::Modelled,
                timing_mode: "cold",
            },
            buffers: HashMap::new(),
            next: 0,
        })
    }
}

impl HostDevice {
    /// Panics if the kernel is deadly and a death is left.
    fn die_of(&self, launch: &DeviceLaunch<'_>) {
        if launch.kernel.symbol.ends_with("deadly") {
            let one_less = |deaths: usize| deaths.checked_sub(1);
            let dies = (self.deaths).try_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
            assert!(dies.is_err(), "planted");
        }
    }
}

impl KernelDevice for HostDevice {
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

    fn launch(&mut self, launch: &DeviceLaunch<'_>) -> Result<(), DeviceError> {
        let input: Vec<f32> = self.buffers[&launch.buffers[0].0]
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        self.die_of(launch);
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

    fn time(&mut self, launches: &[DeviceLaunch<'_>]) -> Result<Measurement, DeviceError> {
        self.die_of(&launches[0]);
        let number = launches[0].kernel.symbol.split(' ').next().unwrap();
        let time_us = 5.0 + number.parse::<f64>().unwrap() / 1e5;
        Ok(Measurement::exact(Mode::Cold, time_us))
    }
}

/// The time without heartbeats after which a process counts as dead. Living processes send five
/// heartbeats in it.
const PATIENCE: Duration = Duration::from_millis(200);

pub(crate) struct Bed {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) planted: Planted,
    /// The number of built kernels.
    pub(crate) built: Arc<AtomicUsize>,
}

impl Bed {
    pub(crate) fn new(planted: Planted) -> Bed {
        Bed {
            directory: tempfile::tempdir().unwrap(),
            planted,
            built: Arc::default(),
        }
    }

    /// Returns the builder and a device.
    pub(crate) fn parts(&self) -> (Arc<dyn Builder>, Box<dyn Rig>) {
        let builder = Arc::new(HostBuilder {
            planted: self.planted,
            built: Arc::clone(&self.built),
        });
        (builder, HostDevice::boxed(&Arc::default()))
    }

    /// Starts a pool with `jobs` agents.
    pub(crate) fn pool(&self, jobs: usize) -> Result<Pool, TuneError> {
        let builder = Arc::new(HostBuilder {
            planted: self.planted,
            built: Arc::clone(&self.built),
        });
        let deaths = Arc::new(AtomicUsize::new(self.planted.deaths));
        let devices = (0..jobs).map(|_| HostDevice::boxed(&deaths)).collect();
        Pool::start(devices, builder)
    }

    pub(crate) async fn store(&self) -> Sqlite {
        let path = self.directory.path().join("test.db");
        let store = Sqlite::open(path.to_str().unwrap()).await.unwrap();
        // Candidates of a killed process are soon free.
        store.with_patience(PATIENCE)
    }

    /// Runs the plan with `jobs` agents. With `killed_after`, the study is dropped after so many
    /// reported trials.
    pub(crate) async fn run(
        &self,
        plan: &Plan,
        jobs: usize,
        killed_after: Option<u64>,
    ) -> Option<Result<Report, TuneError>> {
        let store = self.store().await;
        let (sender, mut reported) = tokio::sync::mpsc::unbounded_channel();
        let pool = match self.pool(jobs) {
            Ok(pool) => pool,
            Err(error) => return Some(Err(error)),
        };
        let study = tuner::run(plan, None, &pool, &store, |progress| {
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

    pub(crate) async fn report(&self, plan: &Plan, jobs: usize) -> Report {
        self.run(plan, jobs, None).await.unwrap().unwrap()
    }

    /// Returns the trials of the plan, by ordinal.
    pub(crate) async fn trials(&self, plan: &Plan) -> Vec<Trial> {
        let report = self.report(plan, 2).await;
        let store = self.store().await;
        let study = store.open_study(&report.study, None).await.unwrap();
        store.trials_of(&study).await.unwrap()
    }
}
