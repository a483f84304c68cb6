//! `wavetune iree-compile` with other options of an iree-compile command, and the messages about
//! models.

use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use testing::Failed;

use crate::iree_kernels::tools::Tools;

const MODEL: &str = "
func.func @main(%x: tensor<4x1024xf32>, %first: tensor<4xf32>, %place: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %a = tensor.empty() : tensor<4xf32>
  %b = tensor.empty() : tensor<4xi32>
  %v = linalg.fill ins(%least : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %i = linalg.fill ins(%none : i32) outs(%b : tensor<4xi32>) -> tensor<4xi32>
  %one:2 = iree_linalg_ext.arg_compare dimension(1) ins(%x : tensor<4x1024xf32>) outs(%v, %i : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%new: f32, %held: f32):
    %more = arith.cmpf ogt, %new, %held : f32
    iree_linalg_ext.yield %more : i1
  } -> tensor<4xf32>, tensor<4xi32>
  %two:2 = iree_linalg_ext.arg_compare dimension(1) ins(%x : tensor<4x1024xf32>) outs(%first, %place : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%new: f32, %held: f32):
    %more = arith.cmpf ogt, %new, %held : f32
    iree_linalg_ext.yield %more : i1
  } -> tensor<4xf32>, tensor<4xi32>
  return %one#1, %two#1 : tensor<4xi32>, tensor<4xi32>
}
";
const DEVICE: [&str; 2] = ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"];

/// A folder with the model, and a database with only another problem.
struct Bed {
    folder: tempfile::TempDir,
}

impl Bed {
    fn new() -> Result<Bed, Failed> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("model.mlir"), MODEL)?;
        std::fs::create_dir(folder.path().join("tmp"))?;
        Ok(Bed { folder })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn start(&self, words: &[&str], environment: &[(&str, PathBuf)]) -> Result<Child, Failed> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command
            .args(words)
            .current_dir(self.path())
            .env("WAVETUNE_DB", self.path().join("a.db"))
            .env("TMPDIR", self.path().join("tmp"))
            .envs(environment.iter().map(|(name, value)| (name, value)));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command.spawn()?)
    }

    /// Returns the exit code and both outputs.
    fn run_in(
        &self,
        words: &[&str],
        input: &str,
        environment: &[(&str, PathBuf)],
    ) -> Result<(Option<i32>, String), Failed> {
        let mut child = self.start(words, environment)?;
        let mut stdin = child.stdin.take().ok_or("no standard input")?;
        stdin.write_all(input.as_bytes()).ok();
        drop(stdin);
        let output = child.wait_with_output()?;
        let said = [output.stdout, output.stderr].concat();
        Ok((output.status.code(), String::from_utf8_lossy(&said).into()))
    }

    fn check(&self, words: &[&str], exit: i32, expected: &[&str]) -> Result<String, Failed> {
        self.check_with(words, "", exit, expected)
    }

    fn check_with(
        &self,
        words: &[&str],
        input: &str,
        exit: i32,
        expected: &[&str],
    ) -> Result<String, Failed> {
        let (code, said) = self.run_in(words, input, &[])?;
        let missing = expected.iter().find(|part| !said.contains(**part));
        match (code == Some(exit), missing) {
            (true, None) => Ok(said),
            _ => Err(
                format!("{words:?}: {code:?}, not {exit}, or without {missing:?}: {said}").into(),
            ),
        }
    }

    fn is_clean(&self) -> Result<(), Failed> {
        match self.path().join("tmp").read_dir()?.count() {
            0 => Ok(()),
            count => Err(format!("{count} files are left").into()),
        }
    }
}

/// Checks the words behind `--`, from a further `--` to standard input.
pub(crate) fn commands_of_all_kinds(_: &Tools) -> Result<(), Failed> {
    let bed = Bed::new()?;
    let compile = |words: &[&'static str]| [&["iree-compile", "--"], &DEVICE[..], words].concat();
    let db = bed.path().join("a.db").display().to_string();
    let no_database = format!("no database at {db}");
    let to_text = ["--compile-to=input", "-o", "-"];
    let plain = [&["model.mlir"], &to_text[..]].concat();
    bed.check(&compile(&plain), 0, &[&no_database, "arg_compare"])?;
    for asking in ["--version", "--help"] {
        bed.check(&["iree-compile", "--", asking], 0, &["IREE"])?;
    }
    bed.check(&["tune", "argmax:[9]xi32", "--budget=1"], 0, &[])?;
    // One of the two problems is a wish that a spec can serve, and it gets a legal configuration
    // meanwhile.
    let known = "0 of 1 problems of the module are tuned; 1 are new wishes";
    let has_spec = "1 configurations for gfx942, 1 of them not tuned";
    std::fs::write(
        bed.path().join("spec.mlir"),
        "module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    transform.yield
  }
}
",
    )?;
    let with_file = [
        "--iree-preprocessing-transform-spec-filename",
        "spec.mlir",
        "model.mlir",
        "--compile-to=input",
        "-o",
        "-",
    ];
    bed.check(&compile(&with_file), 0, &[known, has_spec])?;
    let behind = [&to_text[..], &["--", "model.mlir"]].concat();
    bed.check(&compile(&behind), 0, &[known, has_spec, "arg_compare"])?;
    let standard = [&["-"], &to_text[..]].concat();
    let expected = [known, has_spec, "arg_compare"];
    bed.check_with(&compile(&standard), MODEL, 0, &expected)?;
    // A device's name stands for its target, and a feature changes nothing. Another target has no
    // configurations.
    for (target, expected) in [
        ("--iree-rocm-target=mi300x", has_spec),
        ("--iree-rocm-target=gfx942:sramecc+", has_spec),
        ("--iree-rocm-target=gfx908", "runs without a spec"),
    ] {
        let words = ["iree-compile", "--", DEVICE[0], target, "model.mlir"];
        bed.check(
            &[&words[..], &to_text].concat(),
            0,
            &[expected, "arg_compare"],
        )?;
    }
    // An error has the place that the compiler itself would name.
    bed.check_with(&compile(&standard), "\n  nonsense", 1, &["<stdin>:2:3"])?;
    let wishes = bed.check(&["wishes"], 0, &["argmax:4x[1024]xf32:i32"])?;
    if wishes.contains(":initial") {
        return Err(format!("a wish that nothing fulfils: {wishes}").into());
    }
    bed.is_clean()
}

/// Checks that an operation replaced by a kernel leaves no wish.
pub(crate) fn replaced_operations_are_no_wishes(_: &Tools) -> Result<(), Failed> {
    let bed = Bed::new()?;
    let out = "kernels of 'mine'";
    let export = [
        "export",
        "iree-kernels",
        "model.mlir",
        "--unjudged",
        "--target=gfx942",
    ];
    let expected = [
        "argmax:4x[1024]xf32:i32: ",
        "argmax:4x[1024]xf32:i32:initial: ",
        r"2 kernels for gfx942",
        r"--iree-preprocessing-transform-spec-filename='kernels of '\''mine'\''/spec.mlir'",
    ];
    let out_option = format!("--out={out}");
    bed.check(&[&export[..], &[&out_option]].concat(), 0, &expected)?;
    bed.check(&["tune", "argmax:[9]xi32", "--budget=1"], 0, &[])?;
    let spec = format!("--iree-preprocessing-transform-spec-filename={out}/spec.mlir");
    let search = format!("--iree-hal-executable-object-search-path={out}");
    let compile = ["iree-compile", "--", DEVICE[0], DEVICE[1], &spec, &search];
    let said = bed.check(
        &[&compile[..], &["model.mlir", "-o", "x.vmfb"]].concat(),
        0,
        &[],
    )?;
    match said.contains("problems of the module") || said.contains("cannot list the problems") {
        true => Err(said.into()),
        false => bed
            .check(&["wishes"], 1, &["there are no wishes"])
            .map(drop),
    }
}

/// Checks that an export removes files that only the old manifest names. Other files stay.
pub(crate) fn stale_kernels_are_removed(_: &Tools) -> Result<(), Failed> {
    let bed = Bed::new()?;
    let out = bed.path().join("kernels");
    let export = |problem: &str, expected: &[&str]| {
        let words = [
            "export",
            "iree-kernels",
            problem,
            "--target=gfx942",
            "--out=kernels",
        ];
        bed.check(&words, 0, expected)
    };
    let objects = || -> Result<usize, Failed> {
        let names = out.read_dir()?.flatten().map(|it| it.path());
        Ok(names
            .filter(|it| it.extension().is_some_and(|end| end == "hsaco"))
            .count())
    };
    export("argmax:4x[64]xf32", &[])?;
    std::fs::write(out.join("other.hsaco"), "")?;
    std::fs::write(bed.path().join("outside.hsaco"), "")?;
    export(
        "argmax:5x[64]xf32",
        &["removed: 2 files of an earlier export"],
    )?;
    let said = export("argmax:5x[64]xf32", &[])?;
    if objects()? != 2 || said.contains("removed") {
        return Err(format!("{} code objects: {said}", objects()?).into());
    }
    // A manifest that names files elsewhere.
    let manifest = r#"{ "kernels": [{ "file": "../outside.hsaco", "source": "spec.mlir" }] }"#;
    std::fs::write(out.join("manifest.json"), manifest)?;
    export("argmax:5x[64]xf32", &[])?;
    match bed.path().join("outside.hsaco").is_file() {
        true => Ok(()),
        false => Err("a file of another folder is removed".into()),
    }
}

/// Checks the messages for a faulty model, for operations without a problem, and for words that
/// are no model.
pub(crate) fn reports_about_models(_: &Tools) -> Result<(), Failed> {
    let bed = Bed::new()?;
    let problems = |file: &'static str| ["problems", file, "--target=gfx942"];
    let write = |name: &str, text: &str| std::fs::write(bed.path().join(name), text);
    write(
        "wrong.mlir",
        "module {\n  func.func @f() {\n    nonsense\n  }\n}\n",
    )?;
    bed.check(
        &problems("wrong.mlir"),
        2,
        &["iree-compile: line 3, column 5: "],
    )?;
    write("empty.mlir", "func.func @f() {\n  return\n}\n")?;
    let nothing = "empty.mlir has no operation that reduces elements";
    bed.check(&problems("empty.mlir"), 1, &[nothing])?;
    let is_model = "model.mlir is a model, not a problem";
    for command in [
        &["lookup", "model.mlir", "--target=gfx942"][..],
        &["explain", "model.mlir", "--stage=isa"],
        &[
            "export",
            "kernels",
            "model.mlir",
            "--target=gfx942",
            "--out=k",
        ],
    ] {
        bed.check(command, 2, &[is_model])?;
    }
    let export = [
        "export",
        "iree-kernels",
        "empty.mlir",
        "--target=gfx942",
        "--out=k",
    ];
    let nothing = "empty.mlir has no operation that a kernel can replace";
    bed.check(&export, 1, &[nothing])?;
    match bed.path().join("k").exists() {
        true => Err("a folder is made for nothing".into()),
        false => Ok(()),
    }
}

/// Checks the import of ONNX by the program beside iree-compile; this one needs no Python
/// package.
pub(crate) fn onnx_is_imported(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new()?;
    let bin = bed.path().join("bin");
    std::fs::create_dir(&bin)?;
    let (compiler, importer) = (bin.join("iree-compile"), bin.join("iree-import-onnx"));
    symlink(tools.compiler(), &compiler)?;
    std::fs::write(bed.path().join("model.onnx"), MODEL)?;
    let problems = ["problems", "model.onnx", "--target=gfx942"];
    let check = |words: &[&str], exit: i32, part: &str| -> Result<(), Failed> {
        let environment = [("WAVETUNE_IREE_COMPILE", compiler.clone())];
        let (code, said) = bed.run_in(words, "", &environment)?;
        match code == Some(exit) && said.contains(part) {
            true => Ok(()),
            false => Err(format!("{code:?} without {part:?}: {said}").into()),
        }
    };
    let by_hand = "convert it to MLIR with `iree-import-onnx model.onnx -o model.mlir`";
    check(&problems, 2, by_hand)?;
    let program = |text: &str| -> Result<(), Failed> {
        std::fs::write(&importer, format!("#!/bin/sh\n{text}\n"))?;
        Ok(std::fs::set_permissions(
            &importer,
            Permissions::from_mode(0o755),
        )?)
    };
    program("cp \"$1\" \"$3\"")?;
    check(&problems, 0, "argmax:4x[1024]xf32:i32 (1, arg_compare)")?;
    program("echo Traceback >&2; echo 'no module onnx' >&2; exit 1")?;
    check(&problems, 2, "pip install 'iree-base-compiler[onnx]'")?;
    check(&problems, 2, "iree-import-onnx: no module onnx")?;
    for missing in ["none.onnx", "none.mlir"] {
        let problems = ["problems", missing, "--target=gfx942"];
        let said = format!("error: cannot read {missing}: No such file");
        check(&problems, 2, &said)?;
    }
    bed.is_clean()
}

/// Checks that a signal leaves no files and processes: before, during and after the compiler's
/// start.
pub(crate) fn a_signal_leaves_nothing(_: &Tools) -> Result<(), Failed> {
    for later in [0, 10, 1000] {
        is_ended(Duration::from_millis(later))?;
    }
    Ok(())
}

fn is_ended(later: Duration) -> Result<(), Failed> {
    let bed = Bed::new()?;
    let words = [&["iree-compile", "--"], &DEVICE[..], &["-", "-o", "x.vmfb"]].concat();
    // The compiler waits for its standard input.
    let mut child = bed.start(&words, &[])?;
    let begun = Instant::now();
    while bed.is_clean().is_ok() && begun.elapsed() < Duration::from_secs(60) {
        std::hint::spin_loop();
    }
    std::thread::sleep(later);
    let id = child.id().to_string();
    Command::new("kill").args(["-TERM", &id]).status()?;
    let code = child.wait()?.code();
    match code {
        Some(143) => bed.is_clean(),
        code => Err(format!("it ends with {code:?}").into()),
    }
}
