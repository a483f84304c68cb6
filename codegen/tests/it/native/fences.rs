//! The fences between workgroups that share a row: without one the checker finds something, with
//! all of them nothing.

use std::process::Command;

use codegen::CompiledKernel;
use codegen::llvm::LlvmOutput;
use codegen::native::{Native, NativeStage, explain};
use codegen::tools;
use configgen::{Configuration, Problem};
use testing::Failed;

use crate::native::{ensure, run, target};

/// Four workgroups for each two rows. Each of two subgroups publishes the result of a row, and
/// one of them counts for both.
const PROBLEM: &str = "argmax:8x[4096]xf32";
const CONFIGURATION: &str = r#"{"workgroup":[2,0],"partial_reduction":[0,1024],"thread":[0,16],
    "lane_basis":[[1,64],[0,1]],"subgroup_basis":[[2,1],[0,1]],"subgroup_size":64,"workgroup_size":[128,1,1],"split":4}"#;

/// One fold with a grid barrier between four workgroups of four subgroups.
const WAITING_PROBLEM: &str = "rms_norm:3x[4000]xf32";
const WAITING: &str = r#"{"workgroup":[1,0],"partial_reduction":[0,1024],"thread":[0,4],
    "lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,4],[0,1]],"subgroup_size":64,"workgroup_size":[256,1,1],"split":4}"#;

const RELEASE: &str = "  fence syncscope(\"agent\") release\n";
const ACQUIRE: &str = "  fence syncscope(\"agent\") acquire\n";
const BARRIER: &str = "  fence syncscope(\"workgroup\") release\n  call void @llvm.amdgcn.s.barrier()\n  \
                       fence syncscope(\"workgroup\") acquire\n";
/// The order of the counting atomic. It releases the stores of its own subgroup and acquires for
/// the workgroup, so it replaces the acquire fence that follows; a relaxed one does not.
const BOTH: &str = " acq_rel";
const RELAXED: &str = " monotonic";

pub(crate) fn handed_over_values_are_fenced(native: &Native) -> Result<(), Failed> {
    let workgroup = |fence: &str| fence.replace("agent", "workgroup");
    let counting = format!("{RELEASE}{BARRIER}");
    let (releases, acquires) = (workgroup(RELEASE), workgroup(ACQUIRE));
    let changed = Changed::new(native, PROBLEM, CONFIGURATION)?;
    let found = Some("missing-fence");
    changed.check(&[], None)?;
    changed.check(&[(BOTH, RELAXED)], None)?;
    changed.check(&[(RELEASE, "")], found)?;
    changed.check(&[(RELEASE, &releases)], found)?;
    changed.check(&[(&counting, RELEASE)], found)?;
    changed.check(&[(ACQUIRE, ""), (BOTH, RELAXED)], found)?;
    changed.check(&[(ACQUIRE, &acquires), (BOTH, RELAXED)], found)
}

/// Checks a grid barrier in which the first subgroup of each of four workgroups publishes the
/// states, counts and waits.
pub(crate) fn awaited_values_are_fenced(native: &Native) -> Result<(), Failed> {
    let changed = Changed::new(native, WAITING_PROBLEM, WAITING)?;
    let found = Some("missing-fence");
    let relaxed = |order: &str| format!(", i32 1 syncscope(\"agent\") {order}");
    changed.check(&[], None)?;
    changed.check(&[(&relaxed("release"), &relaxed("monotonic"))], found)?;
    changed.check(&[(ACQUIRE, "")], found)?;
    changed.check(&[(ACQUIRE, &ACQUIRE.replace("agent", "workgroup"))], found)?;
    // A workgroup that does not subtract all counts; and, with two folds, a workgroup that
    // continues before all have arrived.
    let back = |all: i32| format!(", i32 {all} syncscope(\"agent\") monotonic");
    let left = Some("a counter is not as it was");
    changed.check(&[(&back(-4), &back(-5))], left)?;
    let changed = Changed::new(
        native,
        &WAITING_PROBLEM.replace("rms_norm", "softmax"),
        WAITING,
    )?;
    let mut lines = changed.text.lines();
    let asks = lines.find(|line| line.contains("load atomic"));
    let (asks, all) = asks.zip(lines.next()).ok_or("nobody waits")?;
    let three = all.replace(", 4", ", 3");
    ensure(all != three, || format!("{all:?} after {asks:?}"))?;
    // The last workgroup overwrites a value that another one has read without waiting.
    changed.check(&[(all, &three)], found)
}

/// A kernel with changed lines.
struct Changed {
    problem: Problem,
    kernel: CompiledKernel,
    text: String,
}

impl Changed {
    fn new(native: &Native, problem: &str, configuration: &str) -> Result<Changed, Failed> {
        let problem: Problem = problem.parse()?;
        let configuration: Configuration = serde_json::from_str(configuration)?;
        Ok(Changed {
            kernel: native.compile(target(), &problem, &configuration)?,
            text: explain(&problem, target(), &configuration, NativeStage::Llvm)?,
            problem,
        })
    }

    /// Applies changes, each to a text that occurs once, runs the kernel and expects this
    /// finding, or none.
    fn check(&self, changes: &[(&str, &str)], found: Option<&str>) -> Result<(), Failed> {
        let mut text = self.text.clone();
        for (from, to) in changes {
            let times = text.matches(from).count();
            ensure(times == 1, || {
                format!("{from:?} is there {times} times: {text}")
            })?;
            text = text.replace(from, to);
        }
        let kernel = CompiledKernel {
            code_object: built(&text)?.into(),
            ..self.kernel.clone()
        };
        let result = run::check(&self.problem, &kernel, 5)
            .map_err(|failed| failed.message().unwrap_or_default().to_owned());
        let as_expected = match (&result, found) {
            (Err(message), Some(found)) => message.contains(found),
            (result, found) => result.is_ok() && found.is_none(),
        };
        ensure(as_expected, || format!("{changes:?}: {result:?}"))
    }
}

/// Compiles LLVM IR to a code object.
fn built(ir: &str) -> Result<Vec<u8>, Failed> {
    let llvm = tools::load_llvm()?;
    let folder = tempfile::tempdir()?;
    let [object, linked] = ["kernel.o", "kernel.hsaco"].map(|name| folder.path().join(name));
    std::fs::write(
        &object,
        llvm.compile(ir, target().name, LlvmOutput::Object)?,
    )?;
    let lld = tools::find(tools::Tool::Lld)?.path;
    let result = Command::new(lld)
        .args(["-shared", "-o"])
        .args([&linked, &object])
        .output()?;
    ensure(result.status.success(), || {
        String::from_utf8_lossy(&result.stderr).into_owned()
    })?;
    Ok(std::fs::read(linked)?)
}
