//! The command line without compilers: answers, exit codes, and one clear line for each kind of
//! bad input.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::error_lines;

/// Runs `wavetune` with its own database.
pub(crate) fn run(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command
        .args(arguments)
        .env("WAVETUNE_DB", directory.join("test.db"));
    // These tests must not depend on installed compilers.
    command.env("WAVETUNE_LIBLLVM", directory.join("absent.so"));
    command.env("WAVETUNE_IREE_COMPILE", directory.join("absent"));
    command.output().unwrap()
}

#[track_caller]
pub(crate) fn check(arguments: &[&str], exit: i32, part: &str) {
    let directory = tempfile::tempdir().unwrap();
    check_output(&run(directory.path(), arguments), exit, part);
}

/// Checks the exit code and a part of the output: of standard output on success, else of standard
/// error, which is then one line.
#[track_caller]
pub(crate) fn check_output(output: &Output, exit: i32, part: &str) {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(exit), "{out}{err}");
    assert!(!err.contains("panicked"), "{err}");
    if exit == 2 {
        assert!(err.contains(part), "{err}");
        assert_eq!(error_lines(&err), 1, "{err}");
    } else {
        assert!(out.contains(part) || err.contains(part), "{out}{err}");
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const LEGAL: &str = r#"{"workgroup": [1, 0], "partial_reduction": [0, 1024], "thread": [0, 4],
    "lane_basis": [[1, 64], [0, 1]], "subgroup_basis": [[1, 1], [0, 1]], "subgroup_size": 64,
    "workgroup_size": [64, 1, 1]}"#;

#[test]
fn bad_problems_are_pointed_at() {
    check(
        &["tune", "argmax:4x[32000xf32"],
        2,
        "character 16: a reduced dimension ends with \"]\"",
    );
    check(
        &["tune", "argmax:4x[0]xf32"],
        2,
        "character 11: a dimension must be at least 1",
    );
    check(
        &["tune", "argmax:4x[99999999999]xf32"],
        2,
        "character 11: a dimension may be at most",
    );
    check(
        &["tune", "argmax:2000000000x[2000]xf32"],
        2,
        "character 19: the input has more than 2^40",
    );
    check(
        &["lookup", "4x[32000]xf32", "--target", "gfx942"],
        2,
        "character 3: after a comparator such as \"argmax\"",
    );
    check(
        &["space", "", "--count"],
        2,
        "character 1: after a comparator such as \"argmax\"",
    );
    check(&["tune"], 2, "no problem; name one");
    check(
        &["tune", "--problems", "/nonexistent"],
        2,
        "cannot read the problems in /nonexistent",
    );
}

#[test]
fn bad_names_are_answered_with_the_good_ones() {
    let problem = "argmax:4x[8]xf32";
    check(
        &["lookup", problem, "--target", "gfx941"],
        2,
        "[possible values: gfx906, ",
    );
    check(
        &["tune", problem, "--device", "mi30x"],
        2,
        "emulated:mi300x, emulated:mi300a",
    );
    check(
        &["tune", problem, "--device", "mi30x"],
        2,
        "or hip:N, a GPU\nhelp: did you mean emulated:mi300x?",
    );
    check(
        &["lookup", problem, "--device", "mi30x"],
        2,
        "unknown device \"mi30x\": a device is emulated:NAME",
    );
    let other = ["--target", "gfx942", "--device", "emulated:rx9070xt"];
    check(
        &[&["lookup", problem], &other[..]].concat(),
        2,
        "emulated:rx9070xt is a gfx1201, not a gfx942",
    );
    let one = ["--output", "a.mlir", "--splits", "a.mlir"];
    check(
        &[&["export", "iree-spec", "--target", "gfx942"], &one[..]].concat(),
        2,
        "--output and --splits name the same file; name two files",
    );
    check(
        &["tune", problem, "--generator", "triton"],
        2,
        "[possible values: native, iree]",
    );
    check(
        &["tune", problem, "--strategy", "best"],
        2,
        "[possible values: exhaustive, random, evolution, annealing, grey-wolf, forest, auto]",
    );
    check(
        &["explain", problem, "--stage", "x"],
        2,
        "[possible values: gridwise, ",
    );
    check(&["tune", problem, "--budget", "0"], 2, "--budget");
    check(
        &["tune", problem, "--db", "postgres://x"],
        2,
        "WAVETUNE_LIBLLVM",
    );
    check(
        &["space", problem, "--count", "--list"],
        2,
        "cannot be used with",
    );
    check(&["frobnicate"], 2, "unrecognized subcommand");
    check(
        &["tun"],
        2,
        "'tun'\nhelp: a similar subcommand exists: 'tune'; see --help",
    );
    let similar = "'--budgte' found\nhelp: a similar argument exists: '--budget'; see --help";
    check(&["tune", problem, "--budgte", "3"], 2, similar);
}

/// Checks that a server without the address, which answers 404, is told from a lookup without an
/// answer.
#[test]
fn other_servers_are_told_from_a_service() {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let other = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 4096];
        assert!(stream.read(&mut asked).unwrap() > 0);
        let answer =
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\nConnection: close\r\n\r\nnothing";
        stream.write_all(answer).unwrap();
    });
    let problem = "argmax:4x[8]xf32";
    let question = [
        "lookup", problem, "--target", "gfx942", "--server", &address,
    ];
    check(&question, 2, "404");
    other.join().unwrap();
}

#[test]
fn legality_is_told_to_programs() {
    let illegal = LEGAL.replace("[0, 1024]", "[0, 1000]");
    for (configuration, exit, is_legal) in [(LEGAL, 0, true), (&illegal, 1, false)] {
        let directory = tempfile::tempdir().unwrap();
        let problem = ["check", "argmax:4x[4096]xf32", "--generator", "iree"];
        let rest = ["--configuration", configuration, "--output-format", "json"];
        let output = run(directory.path(), &[problem, rest].concat());
        check_output(&output, exit, "legal");
        let answer = testing_conformance::answer("check", &output.stdout);
        assert_eq!(answer["legal"], is_legal);
        assert_eq!(answer["rule"].is_string(), !is_legal, "{answer}");
    }
}

#[test]
fn legality_names_the_rule() {
    let problem = "argmax:4x[4096]xf32";
    for generator in ["native", "iree"] {
        let check = |json: &str, exit, part| {
            check(
                &[
                    "check",
                    problem,
                    "--generator",
                    generator,
                    "--configuration",
                    json,
                ],
                exit,
                part,
            );
        };
        check(LEGAL, 0, "legal");
        check(&LEGAL.replace("[0, 1024]", "[0, 1000]"), 1, "1000");
        check(
            &LEGAL.replace("[0, 1024]", "[0, 4294967295]"),
            1,
            "4294967295",
        );
        check(
            &LEGAL.replace("\"thread\": [0, 4]", "\"thread\": [0, 4294967295]"),
            1,
            "rule",
        );
        check(&LEGAL.replace("[[1, 64]", "[[1, 0]"), 1, "rule");
        check(
            &LEGAL.replace("thread", "threads"),
            2,
            "unknown field `threads`",
        );
        check(&LEGAL.replace("[0, 1024]", "[0, -1]"), 2, "-1");
        check("{}", 2, "missing field");
        check("[", 2, "the text is not a configuration");
    }
}

#[test]
fn spaces_are_counted_sampled_and_listed() {
    let directory = tempfile::tempdir().unwrap();
    let space = |arguments: &[&str]| {
        let output = run(
            directory.path(),
            &[&["space", "argmax:8x[64]xf16"], arguments].concat(),
        );
        assert_eq!(output.status.code(), Some(0));
        text(&output.stdout)
    };
    let count: u64 = space(&["--count"]).trim().parse().unwrap();
    let json = space(&["--count", "--output-format", "json"]);
    let json = testing_conformance::answer("space", json.as_bytes());
    assert_eq!(json["configurations"], count);
    assert!(json["seconds"].as_f64().unwrap() < 10.0);
    let list = space(&["--list"]);
    assert_eq!(list.lines().count() as u64, count);
    let sample = space(&["--sample", "20", "--seed", "7"]);
    assert_eq!(sample.lines().count(), 20);
    testing_conformance::answers("configuration", sample.as_bytes());
    assert!(
        sample
            .lines()
            .all(|line| list.lines().any(|other| other == line))
    );
    assert_eq!(sample, space(&["--sample", "20", "--seed", "7"]));
    assert_ne!(sample, space(&["--sample", "20", "--seed", "8"]));

    check(
        &[
            "space",
            "argmax:[8]x[4]xi8",
            "--generator",
            "iree",
            "--count",
        ],
        1,
        "rule 0",
    );
}

#[test]
fn devices_are_listed() {
    check(&["devices"], 0, "emulated:mi300x");
    let errors = "in sample     bandwidth over occupancy, fit: 32 points, mean error ";
    check(&["devices"], 0, errors);
    check(&["devices"], 0, "uncalibrated");
    let part = r#"{"name":"emulated:mi300x","product":"Instinct MI300X","target":"gfx942""#;
    let directory = tempfile::tempdir().unwrap();
    let json = run(directory.path(), &["devices", "--output-format", "json"]);
    check_output(&json, 0, part);
    testing_conformance::answer("devices", &json.stdout);
}

#[test]
fn errors_about_missing_tools_name_the_package() {
    check(&["tune", "argmax:4x[8]xf32"], 2, "apt-get install libllvm");
    check(
        &["tune", "argmax:4x[8]xf32", "--generator", "iree"],
        2,
        "pip install iree-base-compiler==3.13.0` or set WAVETUNE_IREE_COMPILE",
    );
    check(
        &["explain", "argmax:4x[8]xf32", "--stage", "isa"],
        2,
        "apt-get install libllvm",
    );
    check(&["doctor"], 1, "install it with");
    let directory = tempfile::tempdir().unwrap();
    let json = run(directory.path(), &["doctor", "--output-format", "json"]);
    check_output(&json, 1, "install libllvm");
    testing_conformance::answer("doctor", &json.stdout);
}

#[test]
fn stages_need_no_compiler() {
    let parts = [
        "gridwise",
        "blockwise",
        "lanewise",
        "final",
        "layout",
        "ops",
    ]
    .map(|stage| (stage, stage));
    for (stage, part) in parts.into_iter().chain([
        ("hip", "extern \"C\" __global__ void"),
        ("llvm", "amdgpu_kernel void @argmax"),
    ]) {
        check(
            &["explain", "argmax:4x[32000]xf32", "--stage", stage],
            0,
            part,
        );
    }
    let illegal = LEGAL.replace("64, 1, 1", "65, 1, 1");
    check(
        &[
            "explain",
            "argmax:4x[4096]xf32",
            "--stage",
            "final",
            "--configuration",
            &illegal,
        ],
        1,
        "rule N5",
    );
}

#[test]
fn databases_that_cannot_be_used() {
    let directory = tempfile::tempdir().unwrap();
    let lookup = ["lookup", "argmax:4x[8]xf32", "--target", "gfx942"];
    check_output(
        &run(directory.path(), &lookup),
        2,
        "does not exist; `wavetune tune PROBLEM` creates it",
    );
    std::fs::write(
        directory.path().join("test.db"),
        "no database, but long enough".repeat(99),
    )
    .unwrap();
    check_output(
        &run(directory.path(), &lookup),
        2,
        "is not an SQLite database",
    );
    check_output(
        &run(
            directory.path(),
            &["serve", "--no-agent", "--listen", "127.0.0.1:0"],
        ),
        2,
        "is not an SQLite",
    );
    std::fs::remove_file(directory.path().join("test.db")).unwrap();
    std::fs::create_dir(directory.path().join("test.db")).unwrap();
    check_output(
        &run(directory.path(), &lookup),
        2,
        "is not an SQLite database",
    );
}
