//! A study with planted faults in a tenth of its kernels.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use bench_harness::BenchOutcome::{Failed as Failure, Right};
use bench_harness::hip::{ChildCommand, HipOptions, HipRig};
use bench_harness::timing::{DeviceState, Mode};
use bench_harness::{Bench, DeviceError, EmulatedDevice, Inputs, Rig, Verdict};
use codegen::CompiledKernel;
use codegen_sandbox::Sandbox;
use configgen::{Problem, Target, native_default};
use store::{Ledger as _, Ties, Trial, TrialOutcome};
use store_sqlite::Sqlite;
use testing::Failed;
use tuner::{Builder, Choice, Plan, Pool, Strategy};

use crate::hip::bed::{Bed, emulating};
use crate::hip::planted::{Fault, PROBLEM, Planting};

/// The trials of a study, and the faults among them.
#[derive(Clone, Copy)]
struct Size {
    trials: u32,
    /// The highest number of times that a fault is planted.
    times: usize,
}

/// Each fault once.
const SMALL: Size = Size {
    trials: 100,
    times: 1,
};
/// 30 faults, at more distances from each other.
const LARGE: Size = Size {
    trials: 300,
    times: usize::MAX,
};

/// Checks that each fault is recorded under its own status, and that all other trials equal those
/// without faults.
pub(crate) fn faults_are_survived() -> Result<(), Failed> {
    let bed = Bed::new()?;
    survive(&bed, &bed.child(&[]), SMALL)
}

/// Checks the same in a sandbox, which must pass on the end of a child.
pub(crate) fn faults_are_survived_in_a_sandbox() -> Result<(), Failed> {
    survive(&Bed::new()?, &Bed::confined(Sandbox::find()?), SMALL)
}

pub(crate) fn many_faults_are_survived() -> Result<(), Failed> {
    let bed = Bed::new()?;
    survive(&bed, &bed.child(&[]), LARGE)
}

fn survive(bed: &Bed, child: &ChildCommand, size: Size) -> Result<(), Failed> {
    let library = bed.in_front("shim")?;
    let builder = Arc::new(Planting::new("gfx942")?);
    let study = |database: &str, builder: &Arc<Planting>| {
        study(bed, child, &library, database, builder, size.trials)
    };
    let undisturbed = study("undisturbed.db", &builder)?;
    let mut builder = Arc::into_inner(builder).ok_or("a worker still has the builder")?;
    let planted = plant(&undisturbed, size);
    for (ordinal, fault) in &planted {
        let configuration = undisturbed[*ordinal as usize].configuration.clone();
        builder
            .faults
            .insert(configuration.ok_or("a default")?, *fault);
    }
    let disturbed = study("disturbed.db", &Arc::new(builder))?;
    let mut findings = Vec::new();
    for (before, after) in undisturbed.iter().zip(&disturbed) {
        let outcome = &after.outcome;
        let is_right = match planted.get(&before.ordinal) {
            Some(fault) => fault.is_told_by(outcome),
            None => matches!(outcome, TrialOutcome::Right(_)) && *outcome == before.outcome,
        };
        if !is_right || before.configuration != after.configuration {
            let fault = planted.get(&before.ordinal);
            findings.push(format!("{} ({fault:?}): {outcome:?}", before.ordinal));
        }
    }
    match findings.is_empty() {
        true => Ok(()),
        false => Err(findings.join("\n").into()),
    }
}

/// Returns the trials with faults: all faults in turn, at irregular distances.
fn plant(trials: &[Trial], size: Size) -> HashMap<u32, Fault> {
    let all = Fault::ALL.map(|(fault, count)| (fault, count.min(size.times)));
    let count: usize = all.iter().map(|(_, count)| count).sum();
    let faults = all
        .into_iter()
        .flat_map(|(fault, count)| std::iter::repeat_n(fault, count));
    let ordinals = (0..).map(|n: u32| 5 + n * 9 + n * n % 7);
    let planted: HashMap<u32, Fault> = ordinals.zip(faults).collect();
    assert_eq!(planted.len(), count);
    assert!(
        planted
            .keys()
            .all(|&ordinal| (ordinal as usize) < trials.len())
    );
    planted
}

/// Returns the options of a library's first device.
fn options(library: PathBuf, mode: Mode) -> HipOptions {
    HipOptions {
        ordinal: 0,
        library: Some(library),
        wait: true,
        mode,
    }
}

/// Returns the trials of a study, in order. Checks that no process and no lock remains.
fn study(
    bed: &Bed,
    child: &ChildCommand,
    library: &Path,
    database: &str,
    builder: &Arc<Planting>,
    budget: u32,
) -> Result<Vec<Trial>, Failed> {
    let options = options(library.to_owned(), Mode::Cold);
    let rig: Box<dyn Rig> = Box::new(HipRig::start(child.clone(), options)?);
    let plan = Plan {
        problem: PROBLEM.parse()?,
        strategy: Strategy::Random,
        seed: 7,
        budget,
        effort: None,
        ties: Ties::Fold,
    };
    let location = bed.path().join(database);
    let location = location.to_str().ok_or("not UTF-8")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let trials = runtime.block_on(async {
        let store = Sqlite::open(location).await?;
        let builder: Arc<dyn Builder> = Arc::<Planting>::clone(builder);
        let pool = Pool::start(vec![rig], builder)?;
        let report = tuner::run(&plan, None, &pool, &store, |_| {}).await?;
        drop(pool);
        let study = store.open_study(&report.study, None).await?;
        let trials = store.trials_of(&study).await?;
        store.close().await;
        Ok::<_, Failed>(trials)
    })?;
    bed.check_alone()?;
    match trials.len() {
        count if count == budget as usize => Ok(trials),
        count => Err(format!("{count} trials").into()),
    }
}

/// Checks that writes near a buffer are found, although a GPU's memory has no bounds that stop a
/// kernel. The next kernel's measurement is undisturbed.
pub(crate) fn stores_near_a_buffer_are_found() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let options = options(bed.in_front("pretend")?, Mode::Warm);
    let smi = bed.library("amd_smi", &[])?;
    let folder = smi.parent().ok_or("no folder")?.display();
    let variables = [
        "WAVETUNE_HIP_DEVICE=mi250x".to_owned(),
        format!("PRETEND_LOG={}", bed.path().join("log").display()),
        format!("LD_LIBRARY_PATH={folder}"),
    ];
    let (planting, target) = (Planting::new("gfx90a")?, "gfx90a".parse()?);
    let problem = PROBLEM.parse()?;
    let inputs = Inputs::new(&problem, 0)?;
    let mut rig = HipRig::start(bed.child(&variables), options)?;
    let mut evaluator = rig.open(&inputs)?;
    let right = default(&planting, &problem, target)?;
    let behind = planting.plant(Fault::StoreBehindTheEnd, right.clone());
    let outcome = evaluator.evaluate(&behind)?;
    let Failure(DeviceError::Fault(message)) = &outcome else {
        return Err(format!("{outcome:?}").into());
    };
    assert!(
        message.contains("it wrote to byte 16 of a buffer of 16 bytes"),
        "{message}"
    );
    let Right(measured, _) = evaluator.evaluate(&right)? else {
        return Err("the right kernel is not right".into());
    };
    // Before and after the measurement, as AMD SMI reports them.
    let states = [1700, 1690].map(|clock| DeviceState {
        clock_mhz: Some(clock),
        temperature_c: Some(45),
    });
    assert_eq!(measured.states, states);
    Ok(())
}

/// Returns the default kernel of a problem.
fn default(
    planting: &Planting,
    problem: &Problem,
    target: &'static Target,
) -> Result<CompiledKernel, Failed> {
    let choice = Choice::Configured(native_default(problem, target)?);
    let built = planting.build(problem, target, &[choice]).pop();
    built
        .ok_or("no kernel")?
        .map_err(|_| "it does not build".into())
}

/// Checks that the end of a device's process between kernels harms no kernel.
pub(crate) fn a_child_that_dies_idle_costs_nothing() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let options = options(emulating()?, Mode::Cold);
    let (planting, target) = (Planting::new("gfx942")?, "gfx942".parse()?);
    let problem = PROBLEM.parse()?;
    let inputs = Inputs::new(&problem, 0)?;
    let mut rig = HipRig::start(bed.child(&[]), options)?;
    let mut evaluator = rig.open(&inputs)?;
    let kernel = default(&planting, &problem, target)?;
    let first = evaluator.evaluate(&kernel)?;
    for _ in 0..2 {
        let [child] = bed.processes()[..] else {
            return Err("there is not one child".into());
        };
        let mut kill = Command::new("kill");
        let killed = kill.args(["-KILL", &child.to_string()]).status()?;
        assert!(killed.success());
        assert_eq!(evaluator.evaluate(&kernel)?, first);
    }
    assert!(matches!(first, Right(..)), "{first:?}");
    drop(evaluator);
    drop(rig);
    bed.check_alone()
}

/// Checks that a rig takes several problems in one child, or in a new one if that has ended in
/// between.
pub(crate) fn a_child_takes_several_problems() -> Result<(), Failed> {
    let bed = Bed::new()?;
    let options = options(emulating()?, Mode::Cold);
    let (planting, target) = (Planting::new("gfx942")?, "gfx942".parse()?);
    let mut rig = HipRig::start(bed.child(&[]), options)?;
    let first = bed.processes();
    let problems = [PROBLEM, "sum:3x[700]xf32", PROBLEM, "argmax:[500]xi32"];
    for (turn, problem) in problems.into_iter().enumerate() {
        let problem = problem.parse()?;
        let inputs = Inputs::new(&problem, 0)?;
        let mut evaluator = rig.open(&inputs)?;
        let kernel = default(&planting, &problem, target)?;
        let outcome = evaluator.evaluate(&kernel)?;
        let Right(_, error) = outcome else {
            return Err(format!("{problem}: {outcome:?}").into());
        };
        // The verdict here must be the child's.
        let mut device = EmulatedDevice::named("emulated:mi300x")?;
        let verdict = Bench::new(&mut device, &inputs)?.verify(&kernel)?;
        assert_eq!(verdict, Verdict::Right(error), "{problem}");
        assert_eq!(error > 0.0, turn == 1, "{problem}: {error}");
        drop(evaluator);
        let [child] = bed.processes()[..] else {
            return Err("there is not one child".into());
        };
        assert_eq!(bed.processes() == first, turn < 3, "{problem}");
        if turn == 2 {
            let mut kill = Command::new("kill");
            assert!(kill.args(["-KILL", &child.to_string()]).status()?.success());
        }
    }
    drop(rig);
    bed.check_alone()
}
