//! `wavetune profile`, and what the commands that place kernels in a model say of its times.
//! Needs iree-compile, IREE's runtime, libLLVM and lld.

mod gate;
mod gpu;
mod service;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use serde_json::{Value, json};
use tempfile::TempDir;
use testing::{Failed, Trial};

use crate::iree_kernels::limited;
use crate::iree_kernels::tools::Tools;
use crate::support::needing::Lack;

/// Functions with a dynamic batch, a product of matrices, nothing to do, and a constant.
const FUNCTIONS: &str = include_str!("functions.mlir");

type Test = fn(&Tools) -> Result<(), Failed>;

const TESTS: [(&str, Test); 10] = [
    ("functions_have_a_table_each", functions_have_a_table_each),
    ("answers_have_every_command", answers_have_every_command),
    ("a_trace_has_every_command", a_trace_has_every_command),
    (
        "a_compiled_module_is_profiled",
        a_compiled_module_is_profiled,
    ),
    ("errors_name_what_is_there", errors_name_what_is_there),
    ("a_gpu_has_traced_times", gpu::a_gpu_has_traced_times),
    (
        "another_compiler_is_asked_anew",
        another_compiler_is_asked_anew,
    ),
    (
        "harmful_kernels_are_left_out",
        gate::harmful_kernels_are_left_out,
    ),
    ("fills_of_a_kernel_count", gate::fills_of_a_kernel_count),
    (
        "tuning_ends_with_the_model",
        gate::tuning_ends_with_the_model,
    ),
];

/// Tests of the service, which compiles in a sandbox only.
const SERVICE_TESTS: [(&str, Test); 2] = [
    (
        "a_service_compares_as_the_command_does",
        service::a_service_compares_as_the_command_does,
    ),
    (
        "bad_models_harm_themselves_only",
        service::bad_models_harm_themselves_only,
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    let tools: &'static Result<Tools, String> = Box::leak(Box::new(Tools::find()));
    let trial = |&(name, test): &(&str, Test)| match tools {
        Ok(tools) => Trial::test(name, move || test(tools)),
        // Without the tools a test is ignored, with the reason as its kind; in CI it fails.
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    };
    let lack = Lack::of_sandbox();
    let confined = SERVICE_TESTS.iter().map(|test| match (tools, &lack) {
        (Ok(_), Some(lack)) => lack.mark(trial(test)),
        _ => trial(test),
    });
    TESTS.iter().map(trial).chain(confined).collect()
}

/// A folder with a model and a database of its own.
struct Bed {
    folder: TempDir,
    objects: PathBuf,
    compiler: PathBuf,
    runtime: PathBuf,
    library: PathBuf,
}

/// The end of a command.
struct FinishedCommand {
    code: Option<i32>,
    output: Vec<u8>,
    errors: String,
}

impl Bed {
    fn new(tools: &Tools, model: &str) -> Result<Bed, Failed> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("model.mlir"), model)?;
        let runtime = tools.runner().parent().ok_or("a runner without a folder")?;
        Ok(Bed {
            folder,
            objects: profiles_of_this_program()?,
            compiler: tools.compiler().to_owned(),
            runtime: runtime.to_owned(),
            library: tools.library().to_owned(),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a command of wavetune with the tools, and with a database of its own.
    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wavetune"));
        command
            .current_dir(self.folder.path())
            .env("WAVETUNE_DB", self.path("a.db"))
            .env("WAVETUNE_OBJECTS", &self.objects)
            .env("WAVETUNE_IREE_COMPILE", &self.compiler)
            .env("WAVETUNE_IREE_RUNTIME", &self.runtime)
            .env("WAVETUNE_EMULATED_HIP", &self.library)
            .env("WAVETUNE_HIP_LIBRARY", &self.library)
            .env("ROCM_PATH", self.path("rocm"));
        command
    }

    fn run(&self, words: &str) -> Result<FinishedCommand, Failed> {
        let ended = limited::output(self.command().args(words.split(' ')))?;
        Ok(FinishedCommand {
            code: ended.status.code(),
            output: ended.stdout,
            errors: String::from_utf8_lossy(&ended.stderr).into_owned(),
        })
    }

    /// Returns both outputs of a command that ends with this code and says these words, in order.
    fn check(&self, words: &str, code: i32, expected: &[&str]) -> Result<String, Failed> {
        let ended = self.run(words)?;
        let said = String::from_utf8_lossy(&ended.output).into_owned() + &ended.errors;
        let mut rest = &*said;
        for part in expected {
            let Some((_, after)) = rest.split_once(part) else {
                return Err(format!("{words}: no {part:?} in its place: {said}").into());
            };
            rest = after;
        }
        match ended.code == Some(code) {
            true => Ok(said),
            false => Err(format!("{words}: {:?}, not {code}: {said}", ended.code).into()),
        }
    }

    /// Returns the answer of `wavetune profile`, checked against its schema.
    fn profile(&self, words: &str) -> Result<Value, Failed> {
        let ended = self.run(&format!("profile {words} --output-format=json"))?;
        match ended.code {
            Some(0) => Ok(testing_conformance::answer("profile", &ended.output)),
            _ => Err(ended.errors.into()),
        }
    }
}

/// Returns the folder of the cache that these tests share. It belongs to this build of the program:
/// another build may take another profile of the same module.
fn profiles_of_this_program() -> Result<PathBuf, Failed> {
    let built = std::fs::metadata(env!("CARGO_BIN_EXE_wavetune"))?.modified()?;
    let built = built.duration_since(SystemTime::UNIX_EPOCH)?.as_nanos();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("profiles");
    let shared = folder.join(built.to_string());
    std::fs::create_dir_all(&shared)?;
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        if path != shared {
            // Of an earlier build. Another test may remove it at the same time.
            let _ = std::fs::remove_dir_all(path);
        }
    }
    Ok(shared)
}

/// Returns an array of an answer.
fn array<'a>(answer: &'a Value, name: &str) -> Result<&'a [Value], Failed> {
    let array = answer[name].as_array();
    Ok(array.ok_or_else(|| format!("no {name}: {answer}"))?)
}

/// Returns a number of an answer.
fn number(answer: &Value, name: &str) -> Result<f64, Failed> {
    let number = answer[name].as_f64();
    Ok(number.ok_or_else(|| format!("no {name}: {answer}"))?)
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-6 * one.abs().max(1.0)
}

fn functions_have_a_table_each(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new(tools, FUNCTIONS)?;
    bed.check(
        "profile model.mlir --counts 1..8",
        0,
        &[
            "emulated:mi300x, iree-compile 3.13",
            "; times are modelled\n",
            "\nrows(8x512xf32): ",
            " us, 1 kernel, bound ",
            "softmax\n",
            "\nproduct(256x256xf16, 256x256xf16): ",
            " us, 2 kernels, bound ",
            "matmul\n",
            "reduction(addf)\n",
            "\nidle(4xf32): 0.00 us, 0 kernels, bound 0.00 us\n  the device has nothing to do\n",
            "\nconstant(4xf32): ",
            " us, 0 kernels, 1 copy or fill, bound ",
        ],
    )?;
    // The largest beyond its bound is first.
    bed.check(
        "profile model.mlir --counts 1..8 --function product --sort excess",
        0,
        &["product(256x256xf16, 256x256xf16): ", "dispatch\n"],
    )?;
    bed.check(
        "profile model.mlir --function rows --input 3x512xf32 --device emulated:rx7900xtx",
        0,
        &["emulated:rx7900xtx, ", "\nrows(3x512xf32): "],
    )?;
    Ok(())
}

/// Checks that no command is missing in the sum, and that one without a time is not counted as 0.
fn answers_have_every_command(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new(tools, FUNCTIONS)?;
    let answer = bed.profile("model.mlir --counts 1..8")?;
    let functions = array(&answer, "functions")?;
    let shape = |call: &Value| -> Result<Value, Failed> {
        let commands = array(call, "commands")?.iter();
        let kinds: Vec<&Value> = commands.clone().map(|it| &it["kind"]).collect();
        let operations: Vec<&Value> = commands.map(|it| &it["operations"]).collect();
        Ok(json!([
            call["function"],
            call["inputs"],
            call["kernels"],
            call["untimed"],
            kinds,
            operations
        ]))
    };
    let shapes: Vec<Value> = functions.iter().map(shape).collect::<Result<_, _>>()?;
    let expected = json!([
        ["rows", ["8x512xf32"], 1, 0, ["kernel"], [["softmax"]]],
        [
            "product",
            ["256x256xf16", "256x256xf16"],
            2,
            0,
            ["kernel", "kernel"],
            [["matmul"], ["reduction(addf)"]]
        ],
        ["idle", ["4xf32"], 0, 0, [], []],
        ["constant", ["4xf32"], 0, 0, ["copy"], [[]]],
    ]);
    if json!(shapes) != expected {
        return Err(format!("{shapes:?}").into());
    }
    for call in functions {
        let mut sum = 0.0;
        let mut shares = 0.0;
        for command in array(call, "commands")? {
            let time = command["time_us"].as_f64();
            if time.is_some() == command["time_unknown"].is_string()
                || number(command, "bound_us")? > time.unwrap_or(f64::INFINITY)
            {
                return Err(format!("{command}").into());
            }
            sum += time.unwrap_or(0.0);
            shares += command["share"].as_f64().unwrap_or(0.0);
        }
        let expected = if sum > 0.0 { 1.0 } else { 0.0 };
        if !close(sum, number(call, "time_us")?) || !close(shares, expected) {
            return Err(format!("{sum}, {shares}: {call}").into());
        }
    }
    let product = &functions[1]["commands"][0];
    let bytes = [&product["bytes_read"], &product["bytes_written"]];
    // Two matrices of f16 and one of f32, which only the source knows.
    if bytes != [&json!(2 * 256 * 256 * 2), &json!(256 * 256 * 4)] {
        return Err(format!("{product}").into());
    }
    // More rows take other launches.
    let more = bed.profile("model.mlir --counts 1..512 --function rows")?;
    let call = &more["functions"][0];
    if call["inputs"] != json!(["512x512xf32"])
        || call["commands"][0]["workgroups"] != json!([512, 1, 1])
    {
        return Err(format!("{more}").into());
    }
    Ok(())
}

fn a_trace_has_every_command(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new(tools, FUNCTIONS)?;
    let answer = bed.profile("model.mlir --counts 1..8 --trace trace.json")?;
    let trace: Value = serde_json::from_slice(&std::fs::read(bed.path("trace.json"))?)?;
    let events = array(&trace, "traceEvents")?;
    for (number_of, call) in array(&answer, "functions")?.iter().enumerate() {
        let track = json!(number_of + 1);
        let on_track = events
            .iter()
            .filter(|it| it["tid"] == track && it["ph"] != "M");
        let mut end = 0.0;
        let mut names = Vec::new();
        for event in on_track {
            if !close(number(event, "ts")?, end) {
                return Err(format!("it begins before or after {end}: {event}").into());
            }
            end += number(event, "dur")?;
            names.push(&event["name"]);
        }
        let commands = array(call, "commands")?;
        let expected: Vec<&Value> = commands.iter().map(|it| &it["name"]).collect();
        if names != expected || !close(end, number(call, "time_us")?) {
            return Err(format!("{names:?}, {end}: {call}").into());
        }
    }
    let named = events.iter().filter(|it| it["name"] == "thread_name");
    let named: Vec<&Value> = named.map(|it| &it["args"]["name"]).collect();
    match named.get(1) == Some(&&json!("product(256x256xf16, 256x256xf16)")) {
        true => Ok(()),
        false => Err(format!("{named:?}").into()),
    }
}

fn a_compiled_module_is_profiled(tools: &Tools) -> Result<(), Failed> {
    let bed = Bed::new(tools, FUNCTIONS)?;
    tools.compile(FUNCTIONS, "gfx942", None, &bed.path("model.vmfb"))?;
    let compiled = bed.profile("model.vmfb --counts 1..8")?;
    let module = bed.profile("model.mlir --counts 1..8")?;
    if !compiled["compiler"].is_null() || !module["compiler"].is_string() {
        return Err(format!("{compiled}").into());
    }
    let times = |answer: &Value| -> Result<Vec<Value>, Failed> {
        let functions = array(answer, "functions")?.iter();
        Ok(functions.map(|it| it["time_us"].clone()).collect())
    };
    let (one, other) = (times(&compiled)?, times(&module)?);
    if one != other || one.len() != 4 {
        return Err(format!("{one:?}, from the source {other:?}").into());
    }
    bed.check(
        "profile model.vmfb -- --iree-opt-level=O3",
        2,
        &["model.vmfb is compiled: --kernels and options of iree-compile are for models"],
    )?;
    Ok(())
}

fn errors_name_what_is_there(tools: &Tools) -> Result<(), Failed> {
    // The end of the module, which compiles at once.
    let idle = FUNCTIONS.find("func.func @idle").ok_or("no @idle")?;
    let bed = Bed::new(tools, &FUNCTIONS[idle..])?;
    std::fs::create_dir(bed.path("empty"))?;
    let broken =
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %y : tensor<4xf32>\n}\n";
    std::fs::write(bed.path("broken.mlir"), broken)?;
    let check = |words: &str, expected: &[&str]| bed.check(words, 2, expected).map(drop);
    check(
        "profile model.mlir --function none",
        &["the module has no function none; it has idle, constant"],
    )?;
    check(
        "profile none.mlir",
        &["none.mlir: No such file or directory"],
    )?;
    check(
        "profile none.vmfb",
        &["none.vmfb: No such file or directory"],
    )?;
    check(
        "profile model.mlir --kernels empty",
        &[
            "empty has no spec.mlir; `wavetune export iree-kernels MODEL --target gfx942 --out DIR` writes one",
        ],
    )?;
    check(
        "profile model.mlir --input 4xf32",
        &["name one with --function: idle, constant"],
    )?;
    check(
        "profile model.mlir --device emulated:none",
        &["emulated:none"],
    )?;
    check(
        "profile broken.mlir",
        &["broken.mlir: ", "undeclared SSA value"],
    )?;
    Ok(())
}

/// Checks that a profile is kept, and that it is not the answer for another compiler.
fn another_compiler_is_asked_anew(tools: &Tools) -> Result<(), Failed> {
    let product = FUNCTIONS.find("func.func @product").ok_or("no @product")?;
    let mut bed = Bed::new(tools, &FUNCTIONS[..product])?;
    bed.objects = bed.path("objects");
    let of = |bed: &Bed, name: &str| -> Result<PathBuf, Failed> {
        let path = bed.path(name);
        let (log, compiler) = (bed.path(&format!("{name}.log")), tools.compiler().display());
        let log = log.display();
        let script = format!("#!/bin/sh\necho \"$@\" >> {log}\nexec {compiler} \"$@\"\n");
        std::fs::write(&path, script)?;
        std::fs::set_permissions(&path, Permissions::from_mode(0o755))?;
        Ok(path)
    };
    let compilations = |log: &Path| -> Result<usize, Failed> {
        let log = std::fs::read_to_string(log)?;
        Ok(log.lines().filter(|it| it.contains(" -o ")).count())
    };
    let (one, other) = (of(&bed, "one")?, of(&bed, "other")?);
    let words = "model.mlir --counts 1..8 --function rows";
    let mut answers = Vec::new();
    for (compiler, expected) in [(&one, 1), (&one, 1), (&other, 1)] {
        bed.compiler.clone_from(compiler);
        answers.push(bed.profile(words)?);
        let found = compilations(&compiler.with_extension("log"))?;
        if found != expected {
            return Err(format!("{found} compilations, expected {expected}").into());
        }
    }
    match answers.iter().all(|it| *it == answers[0]) {
        true => Ok(()),
        false => Err(format!("{answers:?}").into()),
    }
}
