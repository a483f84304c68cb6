//! The help, completions, suggestions and times of the command line, as a user gets them.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::FromRawFd as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::offline::{check, check_output, run, text};

#[test]
fn shells_and_man_are_told_the_command_line() {
    for (shell, part) in [
        ("bash", "complete -F _wavetune"),
        ("zsh", "#compdef wavetune"),
        ("fish", "__fish_wavetune_using_subcommand tune"),
    ] {
        check(&["completions", shell], 0, part);
    }
    check(&["completions", "csh"], 2, "[possible values: bash, ");
    let directory = tempfile::tempdir().unwrap();
    let pages = directory.path().join("man1");
    let output = run(directory.path(), &["man-pages", pages.to_str().unwrap()]);
    check_output(&output, 0, "");
    let page = |name: &str| std::fs::read_to_string(pages.join(name)).unwrap();
    assert!(page("wavetune.1").contains("wavetune\\-lookup"));
    assert!(page("wavetune-tune.1").contains("Maximum trials per problem"));
    assert!(page("wavetune-export-kernels.1").contains("manifest.json"));
    for own in ["device", "compiler"] {
        assert!(!pages.join(format!("wavetune-{own}-process.1")).exists());
    }
}

/// Runs bash's completion of the last word of a command line.
fn completed(script: &Path, line: &[&str]) -> Vec<String> {
    let (last, before) = (line[line.len() - 1], line[line.len() - 2]);
    let words: Vec<String> = line.iter().map(|word| format!("'{word}'")).collect();
    let bash = format!(
        "source '{}'; COMP_WORDS=({}); COMP_CWORD={}; _wavetune wavetune '{last}' '{before}'; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        words.join(" "),
        line.len() - 1
    );
    let output = Command::new("bash").args(["-c", &bash]).output().unwrap();
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_names() {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("wavetune.bash");
    let output = run(directory.path(), &["completions", "bash"]);
    std::fs::write(&script, output.stdout).unwrap();
    let commands = completed(&script, &["wavetune", "d"]);
    assert_eq!(commands, ["devices", "doctor", "db"]);
    let devices = completed(&script, &["wavetune", "tune", "--device", "mi30"]);
    assert_eq!(devices, ["mi300x", "mi300a"]);
    let devices = completed(&script, &["wavetune", "lookup", "--device", "emu"]);
    assert!(
        devices.contains(&"emulated:mi300x".to_owned()),
        "{devices:?}"
    );
    let targets = completed(&script, &["wavetune", "lookup", "--target", "gfx94"]);
    assert_eq!(targets, ["gfx942"]);
    let operations = completed(&script, &["wavetune", "tune", "soft"]);
    assert_eq!(operations, ["softmax"]);
}

/// Checks that a device may be named without its prefix, and that `--quiet` drops the note.
#[test]
fn a_device_without_its_prefix_is_emulated() {
    let directory = tempfile::tempdir().unwrap();
    let problem = "argmax:4x[8]xf32";
    let lookup = [
        "lookup", problem, "--target", "gfx942", "--device", "mi300x",
    ];
    // Without a database the lookup fails, but not for its device.
    let said = text(&run(directory.path(), &lookup).stderr);
    let note = "note: --device mi300x is emulated:mi300x; a GPU of this machine is hip:N\n";
    assert!(said.starts_with(note), "{said}");
    let said = text(&run(directory.path(), &[&lookup[..], &["-q"]].concat()).stderr);
    assert!(
        !said.contains("note: ") && said.contains("does not exist"),
        "{said}"
    );
    let full = ["lookup", problem, "--device", "emulated:mi300x"];
    let said = text(&run(directory.path(), &full).stderr);
    assert!(!said.contains("note: "), "{said}");
}

#[test]
fn an_option_of_another_command_is_named() {
    let problem = "argmax:4x[8]xf32";
    check(
        &["tune", problem, "--target", "gfx942"],
        2,
        "\nhelp: `wavetune tune` takes --device, such as --device emulated:mi300x; see --help",
    );
}

#[test]
fn a_problem_s_error_has_a_caret_and_help() {
    let directory = tempfile::tempdir().unwrap();
    let output = run(directory.path(), &["tune", "argmx:4x[8]xf32"]);
    let said = text(&output.stderr);
    let end = "\n  argmx:4x[8]xf32\n  ^\nhelp: did you mean 'argmax:4x[8]xf32'?\n";
    assert!(
        said.starts_with("error: character 1: ") && said.ends_with(end),
        "{said}"
    );
}

#[test]
fn help_ends_with_examples() {
    for command in [
        "tune",
        "lookup",
        "space",
        "check",
        "explain",
        "devices",
        "doctor",
        "serve",
        "agent",
        "token",
        "wishes",
        "export iree-spec",
        "export kernels",
        "export table",
        "table",
        "table lookup",
        "table dump",
        "table diff",
        "table merge",
        "completions",
    ] {
        let arguments: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        check(&arguments, 0, "Examples:\n  wavetune");
    }
}

/// Returns the output of `wavetune` on a terminal, in a zone two and a half hours behind UTC.
fn on_a_terminal(directory: &Path, arguments: &[&str]) -> String {
    let (mut ours, mut theirs) = (-1, -1);
    let none = std::ptr::null_mut;
    // SAFETY: both descriptors are valid for writing, and the other pointers may be null.
    let opened =
        unsafe { libc::openpty(&mut ours, &mut theirs, none(), none().cast(), none().cast()) };
    assert_eq!(opened, 0);
    // SAFETY: openpty has opened both descriptors, and nothing else closes them.
    let (mut ours, theirs) = unsafe { (File::from_raw_fd(ours), File::from_raw_fd(theirs)) };
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
    command.args(arguments).current_dir(directory);
    command.env("WAVETUNE_DB", directory.join("test.db"));
    // POSIX counts westwards.
    command.env("TZ", "WEST2:30").env_remove("WAVETUNE_LOG");
    command.stdout(Stdio::from(theirs)).stdin(Stdio::null());
    let mut child = command.spawn().unwrap();
    // The command keeps our copy of the terminal open.
    drop(command);
    assert!(child.wait().unwrap().success());
    let mut said = Vec::new();
    // The end of a terminal is the error EIO.
    ours.read_to_end(&mut said).ok();
    text(&said).replace('\r', "")
}

#[test]
fn a_terminal_has_local_times() {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("test.db");
    let db = ["--db", database.to_str().unwrap()];
    let create = ["token", "create", "ann", "--scope", "read", "-q"];
    check_output(&run(directory.path(), &[&create[..], &db].concat()), 0, "");
    let list = [&["token", "list"][..], &db].concat();
    let piped = text(&run(directory.path(), &list).stdout);
    let shown = on_a_terminal(directory.path(), &list);
    assert!(piped.contains("EXPIRES, UTC"), "{piped}");
    assert!(
        shown.contains("EXPIRES") && !shown.contains("UTC"),
        "{shown}"
    );
    let end = |table: &str| table.trim_end()[table.trim_end().len() - 16..].to_owned();
    let time = |table: &str| {
        let rfc3339 = end(table).replace(' ', "T") + ":00Z";
        humantime::parse_rfc3339(&rfc3339).unwrap()
    };
    let behind = time(&piped).duration_since(time(&shown)).unwrap();
    assert_eq!(behind.as_secs(), 9000, "{piped}{shown}");
    let json = [&list[..], &["--output-format", "json"]].concat();
    let answer = text(&run(directory.path(), &json).stdout);
    assert_eq!(on_a_terminal(directory.path(), &json), answer);
}
