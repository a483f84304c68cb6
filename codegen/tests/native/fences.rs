//! What orders the workgroups that share a row: without it the checker finds something, with it nothing.

use std::process::Command;

use codegen::CompiledKernel;
use codegen::llvm::Output;
use codegen::native::{Native, Stage, explain};
use codegen::tools;
use configgen::{Configuration, Problem};
use libtest_mimic::Failed;

use crate::{ensure, run, target};

/// Four workgroups for each two rows. Each of two subgroups leaves the result of a row, and one of them counts for both.
const PROBLEM: &str = "argmax:8x[4096]xf32";
const CONFIGURATION: &str = r#"{"workgroup":[2,0],"partial_reduction":[0,1024],"thread":[0,16],
    "lane_basis":[[1,64],[0,1]],"subgroup_basis":[[2,1],[0,1]],"subgroup_size":64,"workgroup_size":[128,1,1],"split":4}"#;

const RELEASE: &str = "  fence syncscope(\"agent\") release\n";
const ACQUIRE: &str = "  fence syncscope(\"agent\") acquire\n";
const BARRIER: &str = "  fence syncscope(\"workgroup\") release\n  call void @llvm.amdgcn.s.barrier()\n  \
                       fence syncscope(\"workgroup\") acquire\n";
/// The order of the atomic that counts. It releases what its own subgroup stored and acquires for the workgroup, so it
/// stands for the acquisition that follows; a relaxed one does not.
const BOTH: &str = " acq_rel";
const RELAXED: &str = " monotonic";

pub(crate) fn what_is_handed_over_is_fenced(native: &Native) -> Result<(), Failed> {
    let problem: Problem = PROBLEM.parse()?;
    let configuration: Configuration = serde_json::from_str(CONFIGURATION)?;
    let text = explain(&problem, target(), &configuration, Stage::Llvm)?;
    let compiled = native.compile_batch(target(), &[(problem.clone(), configuration)]);
    let kernel = compiled.into_iter().next().ok_or("no kernel")??;
    let workgroup = |fence: &str| fence.replace("agent", "workgroup");
    let counting = format!("{RELEASE}{BARRIER}");
    let (releases, acquires) = (workgroup(RELEASE), workgroup(ACQUIRE));
    let cases: [(&[(&str, &str)], bool); 7] = [
        (&[], false),
        (&[(BOTH, RELAXED)], false),
        (&[(RELEASE, "")], true),
        (&[(RELEASE, releases.as_str())], true),
        (&[(counting.as_str(), RELEASE)], true),
        (&[(ACQUIRE, ""), (BOTH, RELAXED)], true),
        (&[(ACQUIRE, acquires.as_str()), (BOTH, RELAXED)], true),
    ];
    for (changes, is_found) in cases {
        let mut text = text.clone();
        for (from, to) in changes {
            let times = text.matches(from).count();
            ensure(times == 1, || format!("{from:?} is there {times} times"))?;
            text = text.replace(from, to);
        }
        let code_object = built(&text)?.into();
        let kernel = CompiledKernel {
            code_object,
            ..kernel.clone()
        };
        let result = run::check(&problem, &kernel, 5)
            .map_err(|failed| failed.message().unwrap_or_default().to_owned());
        let as_expected = match &result {
            Ok(()) => !is_found,
            Err(message) => is_found && message.contains("missing-fence"),
        };
        ensure(as_expected, || format!("{changes:?}: {result:?}"))?;
    }
    Ok(())
}

/// The code object of a kernel as LLVM IR.
fn built(ir: &str) -> Result<Vec<u8>, Failed> {
    let llvm = tools::load_llvm()?;
    let folder = tempfile::tempdir()?;
    let [object, linked] = ["kernel.o", "kernel.hsaco"].map(|name| folder.path().join(name));
    std::fs::write(&object, llvm.compile(ir, target().name, Output::Object)?)?;
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
