//! The round trip with IREE: tune iree-compile's kernels, export a spec, and compile with it a
//! module that iree-compile alone cannot compile. Needs iree-compile.

mod ranges;

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use configgen::Configuration;
use iree::{IreeCompiler, MlirModule};
use serde_json::Value;
use testing::{Failed, Trial};

type Test = fn(&IreeCompiler) -> Result<(), Failed>;

const TESTS: [(&str, Test); 11] = [
    (
        "a_spec_compiles_what_the_default_does_not",
        a_spec_compiles_what_the_default_does_not,
    ),
    ("exports_that_cannot_be_made", exports_that_cannot_be_made),
    (
        "unmatchable_problems_are_reported_before_tuning",
        unmatchable_problems_are_reported_before_tuning,
    ),
    ("stages_are_shown", stages_are_shown),
    (
        "advice_of_export_can_be_followed",
        advice_of_export_can_be_followed,
    ),
    (
        "refused_configurations_can_be_tried",
        refused_configurations_can_be_tried,
    ),
    (
        "another_compiler_than_that_of_the_rules_is_told_of",
        another_compiler_than_that_of_the_rules_is_told_of,
    ),
    ("crashes_and_hangs_cost_no_other_trial", |compiler| {
        crashes_and_hangs_cost_no_other_trial(compiler, 13)
    }),
    ("full: crashes_and_hangs_cost_no_other_trial", |compiler| {
        crashes_and_hangs_cost_no_other_trial(compiler, 41)
    }),
    (
        "a_problem_that_is_refused_names_the_rule",
        a_problem_that_is_refused_names_the_rule,
    ),
    (
        "shapes_between_tuned_ones_have_a_configuration",
        ranges::shapes_between_tuned_ones_have_a_configuration,
    ),
];

/// Returns the tests. Without iree-compile they are ignored, with the reason as their kind; in CI
/// they fail.
pub(crate) fn trials() -> Vec<Trial> {
    let found = IreeCompiler::find();
    Vec::from(TESTS.map(|(name, test)| match found.clone() {
        Ok(compiler) => {
            Trial::test(name, move || test(&compiler)).with_ignored_flag(name.starts_with("full: "))
        }
        Err(missing) => {
            let reason = missing.to_string();
            Trial::test(name, move || Err(missing.into()))
                .with_kind(reason)
                .with_ignored_flag(std::env::var_os("CI").is_none())
        }
    }))
}

const PROBLEM: &str = "argmax:4x[4096]xf32";

fn wavetune(db: &Path, arguments: &[&str]) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    Ok(command
        .args(arguments)
        .env("WAVETUNE_DB", db)
        .stdin(Stdio::null())
        .output()?)
}

fn a_spec_compiles_what_the_default_does_not(compiler: &IreeCompiler) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let (db, spec) = (
        directory.path().join("test.db"),
        directory.path().join("spec.mlir"),
    );
    let tune = [
        "tune",
        PROBLEM,
        "--generator",
        "iree",
        "--budget",
        "8",
        "--output-format",
        "json",
    ];
    let output = wavetune(&db, &tune)?;
    let answer = testing_conformance::answer("tune", &output.stdout);
    assert_eq!(output.status.code(), Some(0), "{answer}");
    assert_eq!(answer["default"]["status"], "failed");
    assert!(
        answer["default"]["message"]
            .as_str()
            .unwrap()
            .contains("failed to distribute")
    );
    assert_eq!(answer["trials"]["wrong"], 0);
    assert_eq!(
        answer["trials"]["failed"], 1,
        "only the default fails: {answer}"
    );
    assert!(answer["speedup"].is_null());

    let export = [
        "export",
        "iree-spec",
        "--target",
        "gfx942",
        "--output",
        spec.to_str().unwrap(),
    ];
    assert_eq!(wavetune(&db, &export)?.status.code(), Some(0));
    let help = String::from_utf8(wavetune(&db, &["export", "iree-spec", "--help"])?.stdout)?;
    let early = iree::spec::preload_spec("spec.mlir").ok_or("no option")?;
    // The option is too long for a line, so the help writes its middle into a variable.
    let parts = early
        .trim_end_matches(')')
        .split_once('(')
        .ok_or("no pass")?;
    assert!(help.contains(&format!("PASS='{}'\n", parts.1)), "{help}");
    assert!(help.contains(&format!("\"{}($PASS)\"", parts.0)), "{help}");

    let problem = PROBLEM.parse()?;
    let source = directory.path().join("in.mlir");
    std::fs::write(&source, MlirModule::new(&problem, None)?.to_string())?;
    let plain = compile(compiler, &source, None)?;
    assert!(!plain.status.success(), "IREE's default compiles after all");
    let tuned = compile(compiler, &source, Some(&spec))?;
    assert!(
        tuned.status.success(),
        "{}",
        String::from_utf8_lossy(&tuned.stderr)
    );
    Ok(())
}

fn unmatchable_problems_are_reported_before_tuning(_: &IreeCompiler) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    let problem = "arg_compare{2=arith.constant(i32,3);3=arith.maxsi(0,2);4=arith.maxsi(1,2);arith.cmpi(sgt,3,4)}:4x[512]xi32:i32";
    for (problem, generator, is_told) in [
        (problem, "iree", true),
        (problem, "native", false),
        (PROBLEM, "iree", false),
    ] {
        let generator = format!("--generator={generator}");
        let output = wavetune(&db, &["tune", problem, &generator, "--budget=2"])?;
        let said = String::from_utf8(output.stderr)?;
        let told = said.contains("no exported spec matches the operation");
        assert_eq!(told, is_told, "{problem} {generator}: {said}");
    }
    let export = ["export", "iree-spec", "--target=gfx942", problem];
    let said = String::from_utf8(wavetune(&db, &export)?.stderr)?;
    assert!(said.contains("constants"), "{said}");
    Ok(())
}

fn compile(compiler: &IreeCompiler, source: &Path, spec: Option<&Path>) -> Result<Output, Failed> {
    compile_with(compiler, source, spec, &["-o", "/dev/null"])
}

fn compile_with(
    compiler: &IreeCompiler,
    source: &Path,
    spec: Option<&Path>,
    options: &[&str],
) -> Result<Output, Failed> {
    let mut command = Command::new(compiler.path());
    command
        .args(["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"])
        .arg(source);
    if let Some(spec) = spec {
        let file = spec.display().to_string();
        let early = iree::spec::preload_spec(&file).ok_or("a path that no pass can have")?;
        command.arg(format!("--iree-codegen-tuning-spec-path={file}"));
        command.arg(early);
    }
    Ok(command.args(options).stdin(Stdio::null()).output()?)
}

/// Writes a program that runs a shell script, and then the compiler.
fn before(compiler: &IreeCompiler, folder: &Path, script: &str) -> Result<PathBuf, Failed> {
    let program = folder.join("iree-compile");
    let compiler = compiler.path().display();
    fs::write(
        &program,
        format!("#!/bin/sh\n{script}\nexec '{compiler}' \"$@\"\n"),
    )?;
    fs::set_permissions(&program, Permissions::from_mode(0o755))?;
    Ok(program)
}

fn tuned_with(compiler: &Path, db: &Path, arguments: &[&str]) -> Result<Output, Failed> {
    let tune = ["tune", PROBLEM, "--generator", "iree", "--jobs", "1"];
    let output = Command::new(env!("CARGO_BIN_EXE_wavetune"))
        .args([&tune, arguments].concat())
        .env("WAVETUNE_DB", db)
        .env("WAVETUNE_IREE_COMPILE", compiler)
        .stdin(Stdio::null())
        .output()?;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    Ok(output)
}

fn another_compiler_than_that_of_the_rules_is_told_of(
    compiler: &IreeCompiler,
) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let version = "case \"$*\" in *--version*) echo 'IREE compiler version 3.14.0'; exit;; esac";
    let newer = before(compiler, directory.path(), version)?;
    let db = directory.path().join("test.db");
    let said = |compiler: &Path| -> Result<String, Failed> {
        let output = tuned_with(compiler, &db, &["--budget", "2"])?;
        Ok(String::from_utf8(output.stderr)?)
    };
    let told = said(&newer)?;
    assert_eq!(told.matches("3.14.0").count(), 1, "{told}");
    assert!(told.contains("3.13.0"), "{told}");
    let told = said(compiler.path())?;
    assert!(!told.contains("3.13.0"), "{told}");
    Ok(())
}

/// Endings of a compiler in shell, and the message for each.
const PLANTED: [(&str, &str); 6] = [
    ("kill -ABRT $$", "crashed with signal 6"),
    ("kill -FPE $$", "crashed with signal 8"),
    ("kill -SEGV $$", "crashed with signal 11"),
    ("sleep 60", "time limit"),
    ("exec perl -e '$all = \"x\" x (8 << 30)'", "emory"),
    ("exit 0", "not understood"),
];

/// Plants an ending in every other trial of a study.
fn crashes_and_hangs_cost_no_other_trial(
    compiler: &IreeCompiler,
    trials: usize,
) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let study = |program: &Path, name: &str| -> Result<Vec<Value>, Failed> {
        let db = directory.path().join(name);
        let budget = trials.to_string();
        let random = ["--strategy", "random", "--budget", &budget];
        tuned_with(
            program,
            &db,
            &[&random[..], &["--compile-limit", "4"]].concat(),
        )?;
        let output = wavetune(&db, &["trials", "--output-format", "json"])?;
        Ok(testing_conformance::answers("trial", &output.stdout))
    };
    let undisturbed = study(compiler.path(), "undisturbed.db")?;
    assert_eq!(undisturbed.len(), trials);

    let calls = directory.path().join("calls");
    let mut script = format!(
        "echo \"$@\" >> '{}'\ngiven=\nfor one; do case \"$one\" in *.mlir) given=\"$given ${{one#*=}}\";; esac; done\n",
        calls.display()
    );
    // The module contains the configuration, or the spec beside it if the rows are split. The
    // first trial is IREE's own choice.
    let planted = || {
        undisturbed
            .iter()
            .skip(1)
            .step_by(2)
            .zip(PLANTED.iter().cycle())
    };
    for (trial, (end, _)) in planted() {
        let configuration: Configuration = serde_json::from_value(trial["configuration"].clone())?;
        script += &format!("grep -qsF -e '{configuration}' -- $given && {{ {end}; exit; }}\n");
    }
    let program = before(compiler, directory.path(), &script)?;
    let disturbed = study(&program, "disturbed.db")?;

    let told: BTreeMap<u64, &str> = planted()
        .map(|(trial, (_, told))| (trial["ordinal"].as_u64().unwrap_or_default(), *told))
        .collect();
    assert_eq!(told.len(), trials / 2);
    for (was, is) in undisturbed.iter().zip(&disturbed) {
        let what = ["ordinal", "configuration", "status", "time_us", "message"];
        let of = |trial: &Value| what.map(|name| trial[name].clone());
        match told.get(&was["ordinal"].as_u64().unwrap_or_default()) {
            None => assert_eq!(of(was), of(is)),
            Some(told) => {
                assert_eq!(
                    (&was["configuration"], "failed".into()),
                    (&is["configuration"], is["status"].clone())
                );
                assert!(
                    is["message"].as_str().unwrap_or_default().contains(told),
                    "{told}: {is}"
                );
            }
        }
    }
    // All trials but the default and the first unplanted one start from the problem's executable,
    // once there is one; split rows have two.
    let calls = fs::read_to_string(calls)?;
    let short = calls.matches("--compile-mode=hal-executable").count();
    let has_pieces = |trial: &&Value| !trial["configuration"]["split"].is_null();
    let in_pieces = undisturbed.iter().filter(has_pieces).count();
    let counted = format!("{short} and {in_pieces} in pieces of {trials}");
    assert!(short > 0 && short + in_pieces > trials - 5, "{counted}");
    Ok(())
}

fn a_problem_that_is_refused_names_the_rule(_: &IreeCompiler) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    let output = wavetune(
        &db,
        &[
            "tune",
            "argmax:[4]x[32]xf32",
            "--generator",
            "iree",
            "--output-format",
            "json",
        ],
    )?;
    let answer = testing_conformance::answer("tune", &output.stdout);
    assert_eq!(output.status.code(), Some(1), "{answer}");
    assert_eq!(answer["rule"], "0");
    Ok(())
}

/// Checks the stages of a configuration and of the compiler's own choice, even if that does not
/// compile.
fn stages_are_shown(_: &IreeCompiler) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    let check = |arguments: &[&str], code: i32, expected: &[&str]| -> Result<(), Failed> {
        let all = [&["explain"], arguments].concat();
        let output = wavetune(&db, &all)?;
        let text = String::from_utf8([output.stdout, output.stderr].concat())?;
        assert_eq!(output.status.code(), Some(code), "{text}");
        for part in expected {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
        Ok(())
    };
    let stage = |stage: &'static str| [PROBLEM, "--generator", "iree", "--stage", stage];
    let given = [
        "--configuration",
        r#"{"workgroup":[1,0],"partial_reduction":[0,1024],"thread":[0,4],"lane_basis":[[1,64],[0,1]],
            "subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,"workgroup_size":[64,1,1]}"#,
    ];
    let with = |name| [&stage(name)[..], &given].concat();
    let p4096 = "partial_reduction = [0, 4096]";
    check(&stage("configuration"), 0, &[p4096, "hal.executable"])?;
    check(&stage("spec"), 0, &[p4096, "IREE's own choice"])?;
    check(&stage("isa"), 2, &["failed to distribute"])?;
    let p1024 = "partial_reduction = [0, 1024]";
    check(&with("configuration"), 0, &[p1024])?;
    check(&with("spec"), 0, &[p1024, "a given configuration"])?;
    check(&with("llvm"), 0, &["define amdgpu_kernel void"])?;
    check(&with("isa"), 0, &["s_endpgm", ".amdhsa_next_free_vgpr"])?;
    check(&with("splits"), 2, &["does not split rows"])?;
    let split = given[1].replace("\"workgroup_size\"", "\"split\":4,\"workgroup_size\"");
    let with = |name| [&stage(name)[..], &[given[0], &split]].concat();
    let of_both = [
        "@match_argmax_4xr1024xf32_i32_based",
        "@match_argmax_4xr4xf32_i32_explicit",
    ];
    check(&with("spec"), 0, &of_both)?;
    check(&with("splits"), 0, &["transform.param.constant [1024]"])?;
    let of_both = [
        "@main_dispatch_0_arg_compare_4x1024xf32",
        "@main_dispatch_1_arg_compare_4x4xf32",
    ];
    check(&with("configuration"), 0, &of_both)?;
    check(&with("isa"), 0, &of_both.map(|name| &name[1..]))?;
    check(
        &stage("lanewise"),
        2,
        &["no stage lanewise; the stages are spec, splits, configuration, llvm, isa"],
    )?;
    let spec = [PROBLEM, "--stage", "spec"];
    check(&spec, 2, &["no stage spec; the stages are gridwise, "])
}

fn exports_that_cannot_be_made(_: &IreeCompiler) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    let output = wavetune(&db, &["export", "iree-spec", "--target", "gfx942"])?;
    assert_eq!(output.status.code(), Some(2), "there is no database");
    let tune = ["tune", PROBLEM, "--generator", "iree", "--budget", "2"];
    assert_eq!(wavetune(&db, &tune)?.status.code(), Some(0));
    let export = |arguments: &[&str]| {
        let all = [&["export", "iree-spec"], arguments].concat();
        wavetune(&db, &all).map(|output| output.status.code())
    };
    assert_eq!(export(&["--target", "gfx942", PROBLEM])?, Some(0));
    assert_eq!(export(&["--target", "gfx90a"])?, Some(1));
    assert_eq!(
        export(&["--target", "gfx942", "argmax:5x[4096]xf32"])?,
        Some(1)
    );
    assert_eq!(
        export(&["--target", "gfx942", "--compiler-version", "1.0"])?,
        Some(1)
    );
    assert_eq!(
        export(&["--target", "gfx942", "--output", "/nonexistent/spec.mlir"])?,
        Some(2)
    );
    Ok(())
}

/// Checks the advice of an export without configurations, its silence where none helps, and its
/// note on f64.
fn advice_of_export_can_be_followed(_: &IreeCompiler) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let db = directory.path().join("test.db");
    let native = ["tune", "argmax:[9]xi32", "--budget", "1"];
    assert_eq!(wavetune(&db, &native)?.status.code(), Some(0));
    let problem = "argmax_last:8x[1024]xf64";
    let export = |target: &str| -> Result<(Option<i32>, String), Failed> {
        let output = wavetune(&db, &["export", "iree-spec", "--target", target, problem])?;
        Ok((output.status.code(), String::from_utf8(output.stderr)?))
    };
    let (code, said) = export("gfx1030")?;
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("rule 0: the target is gfx1030") && !said.contains('`'),
        "{said}"
    );
    let (code, said) = export("gfx942")?;
    assert_eq!(code, Some(1), "{said}");
    let command = said.split('`').nth(1).unwrap_or_default();
    let command = command.strip_prefix("wavetune ").ok_or("no command")?;
    let words: Vec<&str> = command
        .split(' ')
        .map(|word| word.trim_matches('\''))
        .collect();
    let words = [&words[..], &["--budget", "3"]].concat();
    let output = wavetune(&db, &words)?;
    assert_eq!(output.status.code(), Some(0), "{words:?}");
    let (code, said) = export("gfx942")?;
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("1 of f64, which match only with --iree-input-demote-f64-to-f32=false"),
        "{said}"
    );
    Ok(())
}

/// Checks that `try` accepts the example of its help, which has another tie-break. It also
/// accepts a configuration that the rules refuse and IREE compiles: 16 subgroups of one row, with
/// two lanes that read the results back.
fn refused_configurations_can_be_tried(_: &IreeCompiler) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let db = folder.path().join("test.db");
    let tried =
        |problem: &str, configuration: &str, exit: i32| -> Result<serde_json::Value, Failed> {
            let of = ["try", problem, "--generator", "iree"];
            let how = ["--configuration", configuration, "--output-format", "json"];
            let output = wavetune(&db, &[of, how].concat())?;
            let answer = testing_conformance::answer("try", &output.stdout);
            assert_eq!(output.status.code(), Some(exit), "{answer}");
            Ok(answer)
        };
    let help = String::from_utf8(wavetune(&db, &["try", "--help"])?.stdout)?;
    let example = help.split('\'').rfind(|part| part.starts_with('{'));
    let answer = tried(PROBLEM, example.ok_or("no example in the help")?, 0)?;
    assert_eq!(answer["status"], "tie");
    assert_eq!(answer["legality"]["legal"], true);

    let few_lanes = r#"{"workgroup": [0], "partial_reduction": [128], "thread": [4], "lane_basis": [[2], [0]],
        "subgroup_basis": [[16], [0]], "subgroup_size": 64, "workgroup_size": [1024, 1, 1]}"#;
    let answer = tried("argmax:[4096]xf32", few_lanes, 1)?;
    assert_eq!(answer["status"], "wrong");
    assert_eq!(answer["legality"]["rule"], "5");
    // Correct, but illegal: no study tries it, so it is not served.
    let no_tile = r#"{"workgroup": [0, 0], "partial_reduction": [0, 4096], "thread": [0, 64], "lane_basis": [[1, 64], [0, 1]],
        "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64, "workgroup_size": [64, 1, 1]}"#;
    let answer = tried(PROBLEM, no_tile, 1)?;
    assert_eq!(answer["legality"]["rule"], "3");
    assert!(
        ["right", "tie"].contains(&answer["status"].as_str().unwrap_or_default()),
        "{answer}"
    );
    Ok(())
}
