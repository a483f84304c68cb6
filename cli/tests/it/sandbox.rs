//! Studies with their compilers in a sandbox: they end as others do, and a compiler cannot leave
//! the sandbox. Needs bubblewrap; some need libLLVM and lld, or iree-compile.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::cache::Cache;
use codegen::llvm::LlvmProcess;
use codegen::native::Native;
use codegen::tools::{self, Tool};
use codegen_sandbox::Sandbox;
use configgen::{Generator, Problem, Space, Target};
use iree::IreeCompiler;
use serde_json::Value;
use testing::{Failed, Trial};

use crate::llvm_process::refused_default;
use crate::support::needing;
use crate::support::{faultless, running};

use needing::{Lack, needing};
use running::{Running, ask, lent, llvm_process, wavetune};

type Test = fn() -> Result<(), Failed>;

/// Tests of the native generator.
const NATIVE: [(&str, Test); 4] = [
    (
        "native_code_objects_are_the_same",
        native_code_objects_are_the_same,
    ),
    ("a_study_is_the_same", a_study_is_the_same),
    ("a_linker_is_confined", a_linker_is_confined),
    ("llvm_is_confined", llvm_is_confined),
];

/// Tests of the IREE generator.
const IREE: [(&str, Test); 2] = [
    ("code_objects_are_the_same", code_objects_are_the_same),
    ("an_agent_tells_the_same", an_agent_tells_the_same),
];

/// Tests without a compiler.
const NONE: [(&str, Test); 2] = [
    ("a_compiler_is_confined", a_compiler_is_confined),
    (
        "a_memory_limit_ends_the_process",
        a_memory_limit_ends_the_process,
    ),
];

/// Returns the tests. Without the tools they are ignored, with the reason as their kind; in CI
/// they fail if a tool is not installed. The messages without bubblewrap are tested everywhere.
pub(crate) fn trials() -> Vec<Trial> {
    let refused = Lack::of_sandbox();
    let native = Native::load(Cache::none()).err().map(Lack::of_tool);
    let iree = IreeCompiler::find().err().map(Lack::of_tool);
    let refused = refused.as_ref();
    let mut trials = vec![Trial::test("without_bubblewrap", without_bubblewrap)];
    trials.extend(NATIVE.map(|test| needing(test, refused.or(native.as_ref()))));
    trials.extend(IREE.map(|test| needing(test, refused.or(iree.as_ref()))));
    trials.extend(NONE.map(|test| needing(test, refused)));
    trials
}

const PROBLEM: &str = "argmax:4x[4096]xf32";

/// Returns a `tune` command with its own database and cache in a folder.
fn tune(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = wavetune(folder.join("test.db"));
    command
        .args(["tune", PROBLEM, "--output-format", "json"])
        .args(arguments)
        .env("XDG_CACHE_HOME", folder.join("cache"))
        .env_remove("WAVETUNE_OBJECTS")
        .env("WAVETUNE_TOKEN", "wt_secret");
    command
}

/// Returns the JSON answer, without the duration.
fn answer(command: &mut Command) -> Result<Value, Failed> {
    let output = command.output()?;
    let mut answer: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    answer["seconds"] = Value::Null;
    Ok(answer)
}

fn a_study_is_the_same() -> Result<(), Failed> {
    let doctor = wavetune("")
        .args(["doctor", "--output-format=json"])
        .output()?;
    let told = testing_conformance::answer("doctor", &doctor.stdout);
    assert!(told["sandbox"]["problem"].is_null(), "{told}");
    assert!(
        !told["sandbox"]["version"]
            .as_str()
            .unwrap_or_default()
            .is_empty()
    );
    let (plain, confined) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let found = answer(&mut tune(plain.path(), &["--budget=40"]))?;
    assert_eq!(faultless(&found), 40, "{found}");
    let sandbox = ["--budget=40", "--sandbox"];
    assert_eq!(answer(&mut tune(confined.path(), &sandbox))?, found);
    Ok(())
}

/// Returns this program as LLVM's process in a sandbox.
fn confined() -> Result<LlvmProcess, Failed> {
    Ok(LlvmProcess {
        sandbox: Some(Sandbox::find()?),
        ..llvm_process()
    })
}

/// Checks that LLVM and lld produce the same bytes on each target.
fn native_code_objects_are_the_same() -> Result<(), Failed> {
    let plain = Native::load(Cache::none())?;
    let confined = Native::load(Cache::none())?.in_process(confined()?)?;
    let problem: Problem = PROBLEM.parse()?;
    for name in ["gfx906", "gfx942", "gfx1030", "gfx1100", "gfx1201"] {
        let target = Target::named(name).ok_or(name)?;
        let space = Space::new(&problem, target, Generator::NATIVE);
        let sample = space.sample(4, 1).into_iter();
        let batch: Vec<_> = sample.map(|it| (problem.clone(), it)).collect();
        let outside = plain.compile_batch(target, &batch).into_iter();
        let inside = confined.compile_batch(target, &batch).into_iter();
        for (outside, inside) in outside.zip(inside) {
            assert_eq!(outside?, inside?, "{name}");
        }
    }
    Ok(())
}

/// Checks that IREE's compiler produces the same bytes.
fn code_objects_are_the_same() -> Result<(), Failed> {
    let problem: Problem = PROBLEM.parse()?;
    let target = Target::named("gfx942").ok_or("no target")?;
    let plain = IreeCompiler::find()?.without_cache();
    let confined = plain.clone().in_sandbox(Sandbox::find()?)?;
    let space = Space::new(&problem, target, Generator::IREE);
    for configuration in space.sample(3, 1) {
        let outside = plain.compile(&problem, target, Some(&configuration))?;
        assert_eq!(
            confined.compile(&problem, target, Some(&configuration))?,
            outside
        );
    }
    // The errors are equal, too.
    let [outside, inside] = [&plain, &confined].map(|compiler| {
        let refused = compiler.compile(&problem, target, None).err();
        refused.map(|error| error.to_string())
    });
    assert!(
        outside.as_ref().is_some_and(|it| it.contains("distribute")),
        "{outside:?}"
    );
    assert_eq!(inside, outside);
    Ok(())
}

/// Checks that an agent with IREE's compiler in a sandbox carries out a study as `tune` does
/// without one.
fn an_agent_tells_the_same() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let alone = answer(&mut tune(
        folder.path(),
        &["--generator=iree", "--budget=8"],
    ))?;
    let db = folder.path().join("served.db");
    let service = Running::service(wavetune(&db), "127.0.0.1:0")?;
    let mut agent = lent(wavetune(&db), service.address());
    agent.args(["--generator", "iree", "--sandbox"]);
    let agent = Running::start(agent, "connected")?;
    let server = format!("http://{}", service.address());
    let asked = ["--generator=iree", "--budget=8", "--server", &server];
    let mut asked = tune(folder.path(), &asked);
    let mut found = answer(asked.env_remove("WAVETUNE_TOKEN"))?;
    for same in ["best", "default", "trials"] {
        assert_eq!(found[same].take(), alone[same], "{same}");
    }
    let agents = ask(service.address(), "GET /api/v1/agents", "")?;
    assert_eq!(agents["agents"].as_array().map(Vec::len), Some(1));
    assert_eq!(agent.end()?, Some(0));
    assert_eq!(service.end()?, Some(0));
    Ok(())
}

/// Writes a shell script as a program.
fn script(path: &Path, text: &str) -> Result<(), Failed> {
    fs::write(path, format!("#!/bin/sh\n{text}"))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// Returns shell code that reports access to a secret in another folder, to the agent's token,
/// and to a file beside its own.
fn probe(secret: &Path, beside: &Path) -> String {
    format!(
        "reach=\n\
         cat {} > /dev/null 2>&1 && reach=\"$reach secret\"\n\
         [ -n \"$WAVETUNE_TOKEN\" ] && reach=\"$reach token\"\n\
         (echo > {}) 2> /dev/null && reach=\"$reach write\"\n",
        secret.display(),
        beside.display()
    )
}

/// Checks a linker that fails if it reaches a forbidden file.
fn a_linker_is_confined() -> Result<(), Failed> {
    let (folder, tools) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let real = tools::find(Tool::Lld)?.path;
    let secret = folder.path().join("secret");
    fs::write(&secret, "")?;
    let planted = tools.path().join("ld.lld");
    let text = format!(
        "{}[ \"$1\" = --version ] || [ -z \"$reach\" ] || {{ echo reaches $reach >&2; exit 1; }}\nexec {} \"$@\"\n",
        probe(&secret, &tools.path().join("written")),
        real.display()
    );
    script(&planted, &text)?;
    let run = |more: &[&str]| {
        let own = tempfile::tempdir()?;
        let mut command = tune(own.path(), more);
        answer(command.env("WAVETUNE_LLD", &planted))
    };
    let confined = run(&["--budget=3", "--sandbox"])?;
    assert_eq!(faultless(&confined), 3, "{confined}");
    let plain = run(&["--budget=3"])?;
    let message = plain["default"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("reaches secret token write"), "{plain}");
    Ok(())
}

/// Checks LLVM's process, with a script in its place.
fn llvm_is_confined() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let secret = folder.path().join("secret");
    fs::write(&secret, "")?;
    let text = format!(
        "{}echo reaches $reach nothing more >&2; exit 1",
        probe(&secret, &folder.path().join("written"))
    );
    let confined = LlvmProcess {
        sandbox: Some(Sandbox::find()?),
        program: "/bin/sh".into(),
        arguments: vec!["-c".to_owned(), text],
    };
    let refused = Native::load(Cache::none())?.in_process(confined.clone());
    let refused = refused.err().ok_or("it compiles")?.to_string();
    assert!(refused.contains("reaches nothing more"), "{refused}");
    // The script loads anything, and compiles only the module of the check.
    let text = "while read -r question; do\n\
                length=${question##* }\n\
                head -c $length > /dev/null\n\
                case $question in load*|*\" 0\") echo done 0;; *) echo failed 10; printf 'no kernels';; esac\n\
                done";
    let confined = LlvmProcess {
        arguments: vec!["-c".to_owned(), text.to_owned()],
        ..confined
    };
    let native = Native::load(Cache::none())?.in_process(confined)?;
    assert_eq!(refused_default(&native)?, "LLVM: no kernels");
    Ok(())
}

/// Writes a fake compiler for IREE's generator, which reports its access.
fn planted(tools: &Path, does: &str) -> Result<PathBuf, Failed> {
    let planted = tools.join("iree-compile");
    let text =
        format!("[ \"$1\" = --version ] && {{ echo IREE compiler version 3.13.0; exit; }}\n{does}");
    script(&planted, &text)?;
    Ok(planted)
}

fn a_compiler_is_confined() -> Result<(), Failed> {
    let (folder, tools) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let secret = folder.path().join("secret");
    fs::write(&secret, "")?;
    let does = format!(
        "{}echo \"module.mlir:1:1: error: reaches$reach nothing more\" >&2; exit 1\n",
        probe(&secret, &tools.path().join("written"))
    );
    let planted = planted(tools.path(), &does)?;
    let reached = |more: &[&str], expected: &str| -> Result<(), Failed> {
        let database = tempfile::tempdir()?;
        let mut command = tune(database.path(), &["--generator=iree", "--budget=1"]);
        let found = answer(command.args(more).env("WAVETUNE_IREE_COMPILE", &planted))?;
        let message = found["default"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(expected), "{message}");
        Ok(())
    };
    reached(&["--sandbox"], "reaches nothing more")?;
    reached(&[], "reaches secret token write nothing more")
}

/// Checks that a compiler above its memory limit fails, but not the study.
fn a_memory_limit_ends_the_process() -> Result<(), Failed> {
    let (folder, tools) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let planted = planted(
        tools.path(),
        "exec dd if=/dev/zero of=/dev/null bs=5G count=1\n",
    )?;
    let mut command = tune(
        folder.path(),
        &["--generator=iree", "--budget=1", "--sandbox"],
    );
    let found = answer(command.env("WAVETUNE_IREE_COMPILE", &planted))?;
    let message = found["default"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("memory exhausted"), "{found}");
    Ok(())
}

/// Checks that a command without bubblewrap names the package to install at its start, and runs
/// nothing.
fn without_bubblewrap() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let check = |mut command: Command, expected: &str| -> Result<(), Failed> {
        let output = command.env("PATH", folder.path()).output()?;
        let said = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains(expected), "{said}");
        Ok(())
    };
    let install = "install it with `sudo apt-get install bubblewrap`";
    let doctor = |more: &[&str]| -> Result<String, Failed> {
        let mut doctor = wavetune(folder.path().join("test.db"));
        let doctor = doctor.arg("doctor").args(more);
        Ok(String::from_utf8(
            doctor.env("PATH", folder.path()).output()?.stdout,
        )?)
    };
    assert!(doctor(&[])?.contains(install), "{}", doctor(&[])?);
    let told = doctor(&["--output-format=json"])?;
    let told = testing_conformance::answer("doctor", told.as_bytes());
    assert_eq!(
        told["sandbox"]["install"],
        "sudo apt-get install bubblewrap"
    );
    check(tune(folder.path(), &["--sandbox"]), install)?;
    let mut agent = lent(wavetune(folder.path().join("test.db")), "127.0.0.1:9");
    agent.arg("--sandbox");
    check(agent, install)?;
    assert!(!folder.path().join("test.db").exists());
    // bubblewrap is installed but does not work: its own message is printed.
    let says = |words: &str| {
        script(
            &folder.path().join("bwrap"),
            &format!("echo '{words}' >&2; exit 1\n"),
        )
    };
    says("bwrap: Unknown option --disable-userns")?;
    check(
        tune(folder.path(), &["--sandbox"]),
        "the sandbox needs bubblewrap 0.8 or newer: bwrap: Unknown option",
    )?;
    says(
        "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
    )?;
    check(
        tune(folder.path(), &["--sandbox"]),
        "`sudo sysctl user.max_user_namespaces=",
    )?;
    // The sandbox is the agents' choice, on other machines.
    let server = ["--sandbox", "--server", "http://127.0.0.1:9"];
    check(
        tune(folder.path(), &server),
        "pass --sandbox to `wavetune agent`",
    )?;
    Ok(())
}
