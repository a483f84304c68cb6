//! The way to IREE and back: tune with iree-compile's kernels, export a spec, and compile with it what iree-compile
//! alone does not compile. Needs iree-compile.

use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};

use codegen::iree::{IreeCompiler, Module};
use libtest_mimic::{Arguments, Failed, Trial};

type Test = fn(&IreeCompiler) -> Result<(), Failed>;

const TESTS: [(&str, Test); 5] = [
    (
        "a_spec_compiles_what_the_default_does_not",
        a_spec_compiles_what_the_default_does_not,
    ),
    ("exports_that_cannot_be_made", exports_that_cannot_be_made),
    (
        "advice_of_export_can_be_followed",
        advice_of_export_can_be_followed,
    ),
    (
        "what_the_rules_refuse_can_be_tried",
        what_the_rules_refuse_can_be_tried,
    ),
    (
        "a_problem_that_is_refused_names_the_rule",
        a_problem_that_is_refused_names_the_rule,
    ),
];

/// Without iree-compile the tests are ignored, with the reason as their kind; in CI they fail.
fn main() -> ExitCode {
    let trials = TESTS.map(|(name, test)| match IreeCompiler::find() {
        Ok(compiler) => Trial::test(name, move || test(&compiler)),
        Err(missing) => {
            let reason = missing.to_string();
            Trial::test(name, move || Err(missing.into()))
                .with_kind(reason)
                .with_ignored_flag(std::env::var_os("CI").is_none())
        }
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit_code()
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
    let answer = answers_conformance::answer("tune", &output.stdout);
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

    let problem = PROBLEM.parse()?;
    let source = directory.path().join("in.mlir");
    std::fs::write(&source, Module::new(&problem, None)?.to_string())?;
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

fn compile(compiler: &IreeCompiler, source: &Path, spec: Option<&Path>) -> Result<Output, Failed> {
    let mut command = Command::new(compiler.path());
    command
        .args(["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"])
        .arg(source);
    if let Some(spec) = spec {
        command.arg(format!(
            "--iree-codegen-tuning-spec-path={}",
            spec.display()
        ));
    }
    Ok(command
        .args(["-o", "/dev/null"])
        .stdin(Stdio::null())
        .output()?)
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
    let answer = answers_conformance::answer("tune", &output.stdout);
    assert_eq!(output.status.code(), Some(1), "{answer}");
    assert_eq!(answer["rule"], "0");
    Ok(())
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

/// What export advises where nothing is known, what it leaves unadvised, and what it says of f64.
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
        said.contains("1 of f64, which matches with --iree-input-demote-f64-to-f32=false only"),
        "{said}"
    );
    Ok(())
}

/// `try` takes the example of its help, whose index on ties is another, and what the rules refuse and IREE compiles: 16 subgroups
/// of one row, of which two lanes read the results back.
fn what_the_rules_refuse_can_be_tried(_: &IreeCompiler) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let db = folder.path().join("test.db");
    let tried =
        |problem: &str, configuration: &str, exit: i32| -> Result<serde_json::Value, Failed> {
            let of = ["try", problem, "--generator", "iree"];
            let how = ["--configuration", configuration, "--output-format", "json"];
            let output = wavetune(&db, &[of, how].concat())?;
            let answer = answers_conformance::answer("try", &output.stdout);
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
    Ok(())
}
