//! LLVM's processes, with a script between this program and the real one. Needs libLLVM and lld.

use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use codegen::CompiledKernel;
use codegen::cache::Cache;
use codegen::llvm::LlvmProcess;
use codegen::native::Native;
use configgen::{Generator, Problem, Space, Target, native_default};
use store::FailureKind;
use testing::{Failed, Trial};
use tuner::{BuildError, Builder, Choice};

use crate::support::needing::{Lack, needing};
use crate::support::running::llvm_process;

type Test = fn() -> Result<(), Failed>;

const TESTS: [(&str, Test); 3] = [
    (
        "a_crash_of_llvm_costs_one_kernel",
        a_crash_of_llvm_costs_one_kernel,
    ),
    (
        "a_process_without_llvm_is_the_machines_fault",
        a_process_without_llvm_is_the_machines_fault,
    ),
    ("an_idle_process_may_end", an_idle_process_may_end),
];

/// Returns the tests. Without the tools they are ignored, with the reason as their kind; in CI
/// they fail if a tool is not installed.
pub(crate) fn trials() -> Vec<Trial> {
    let lack = Native::load(Cache::none()).err().map(Lack::of_tool);
    TESTS.map(|test| needing(test, lack.as_ref())).into()
}

const PROBLEM: &str = "argmax:4x[4096]xf32";

/// Returns the reason for which the default configuration does not compile.
pub(crate) fn refused_default(native: &Native) -> Result<String, Failed> {
    let problem: Problem = PROBLEM.parse()?;
    let target = Target::named("gfx942").ok_or("no target")?;
    let default = native_default(&problem, target)?;
    let refused = native.compile(target, &problem, &default);
    let refused = refused.err().ok_or("it compiles elsewhere")?;
    let source = std::error::Error::source(&refused);
    Ok(source.map_or_else(|| refused.to_string(), ToString::to_string))
}

/// Checks that a process that cannot load libLLVM is no kernel's crash.
fn a_process_without_llvm_is_the_machines_fault() -> Result<(), Failed> {
    let check = |script: &str, expected: &str| -> Result<(), Failed> {
        let native = Native::load(Cache::none())?.in_process(scripted(script))?;
        assert_eq!(
            refused_default(&native)?,
            format!("LLVM's process: {expected}")
        );
        Ok(())
    };
    check("exit 1", "LLVM failed")?;
    check(
        "echo no memory >&2; kill -KILL $$",
        "LLVM was ended by signal 9: no memory",
    )?;
    check("echo who 0; sleep 60", "it answers \"who\"")?;
    let missing = "/nonexistent/llvm.so";
    let loads = format!(
        "read -r line; (echo load {}; echo -n {missing}) | LLVM",
        missing.len()
    );
    check(
        &loads,
        "/nonexistent/llvm.so cannot be loaded as libLLVM: /nonexistent/llvm.so: cannot open shared object file: No such file or directory",
    )
}

/// Returns a shell script as LLVM's process. `LLVM` in it stands for the real one.
fn scripted(text: &str) -> LlvmProcess {
    let real = llvm_process();
    let command = format!("{} {}", real.program.display(), real.arguments[0]);
    LlvmProcess {
        program: "/bin/sh".into(),
        arguments: vec!["-c".to_owned(), text.replace("LLVM", &command)],
        ..real
    }
}

/// Checks a process that ends between two compilations.
fn an_idle_process_may_end() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let id = folder.path().join("id");
    // It passes on two messages: the library and a module.
    let text = format!(
        "echo $$ > {}\n\
         for message in 1 2; do read -r line; echo \"$line\"; head -c ${{line##* }}; done | LLVM",
        id.display()
    );
    let native = Native::load(Cache::none())?.in_process(scripted(&text))?;
    let problem: Problem = PROBLEM.parse()?;
    let target = Target::named("gfx942").ok_or("no target")?;
    let default = native_default(&problem, target)?;
    for _ in 0..2 {
        native.compile(target, &problem, &default)?;
        let status = format!("/proc/{}/stat", fs::read_to_string(&id)?.trim());
        // Ended, and not waited for.
        while !fs::read_to_string(&status)?.contains(") Z ") {
            thread::sleep(Duration::from_millis(5));
        }
    }
    Ok(())
}

/// Checks an LLVM that crashes for one kernel of a batch.
fn a_crash_of_llvm_costs_one_kernel() -> Result<(), Failed> {
    let problem: Problem = PROBLEM.parse()?;
    let target = Target::named("gfx942").ok_or("no target")?;
    let space = Space::new(&problem, target, Generator::NATIVE);
    let sample = space.sample(3, 1).into_iter();
    let batch: Vec<_> = sample.map(|it| (problem.clone(), it)).collect();
    let plain = Native::load(Cache::none())?;
    let expected: Result<Vec<CompiledKernel>, _> =
        plain.compile_batch(target, &batch).into_iter().collect();
    let expected = expected?;
    let crashes = &expected[1].symbol;
    let folder = tempfile::tempdir()?;
    let ir = folder.path().join("kernels.ll");
    let ir = ir.display();
    let process = scripted(&format!(
        "while read -r line; do\n\
         head -c ${{line##* }} > {ir}\n\
         grep -q {crashes} {ir} && kill -SEGV $$ && exit\n\
         echo \"$line\"; cat {ir}\n\
         done | LLVM"
    ));
    let native: Arc<dyn Builder> = Arc::new(Native::load(Cache::none())?.in_process(process)?);
    let choices: Vec<Choice> = (batch.into_iter())
        .map(|it| Choice::Configured(it.1))
        .collect();
    let built = native.build(&problem, target, &choices);
    let same = |at: usize| {
        built[at]
            .as_ref()
            .map(|it| it.symbol == expected[at].symbol)
    };
    assert_eq!([same(0), same(2)], [Ok(true), Ok(true)]);
    let Err(BuildError::Failed(FailureKind::Crash, message)) = &built[1] else {
        return Err(format!("{:?}", built[1].as_ref().err()).into());
    };
    assert!(message.contains("LLVM was ended by signal 11"), "{message}");
    Ok(())
}
