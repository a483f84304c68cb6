//! Modules of many operations, with one export for all of them.

use std::path::Path;

use configgen::Problem;
use iree::MlirModule;
use serde_json::Value;
use testing::Failed;

use crate::iree_kernels::arrived::{ARGMAX, Operation};
use crate::iree_kernels::problems::PROBLEMS;
use crate::iree_kernels::rows::Element;
use crate::iree_kernels::tools::{Tools, tuned_by};

/// The mark of an operation with a configuration from a spec.
const MARK: &str = "__tuning_spec_applied__";

fn parsed(texts: &[&str]) -> Result<Vec<Problem>, Failed> {
    let problems: Result<Vec<Problem>, _> = texts.iter().map(|text| text.parse()).collect();
    Ok(problems?)
}

/// Returns a module with a function `fN` for each problem.
fn module(problems: &[Problem]) -> Result<String, Failed> {
    let mut module = String::new();
    for (number, problem) in problems.iter().enumerate() {
        let function = MlirModule::new(problem, None)?.to_string();
        module += &function.replace("@main", &format!("@f{number}"));
    }
    Ok(module)
}

/// Returns the operation that describes a plain argmax or argmin for the checks.
fn operation(problem: &Problem) -> Result<Operation, Failed> {
    let (sizes, name) = (problem.shape.sizes(), problem.to_string());
    let reduced = problem.shape.reduced().next().ok_or("nothing is reduced")?;
    let product = |sizes: &[u32]| sizes.iter().map(|&size| size as usize).product();
    let element = [
        Element::F32,
        Element::F16,
        Element::Bf16,
        Element::I32,
        Element::I8,
    ];
    let element = element
        .into_iter()
        .find(|it| it.name() == problem.element.to_string());
    Ok(Operation {
        sizes: [
            product(&sizes[..reduced]),
            sizes[reduced] as usize,
            product(&sizes[reduced + 1..]),
        ],
        element: element.ok_or("another element type")?,
        index: if name.ends_with(":i64") { "i64" } else { "i32" },
        greatest_wins: !name.starts_with("argmin"),
        ..ARGMAX
    })
}

/// Returns the problem with few rows, so that its emulation is short.
fn cut(problem: &Problem) -> Result<Problem, Failed> {
    let shape = &problem.shape;
    let many = |d: usize| match (shape.is_reduced(d), shape.sizes()[d]) {
        (true, size) => format!("[{size}]x"),
        (false, size) => format!("{}x", size.min(9)),
    };
    let sizes: String = (0..shape.rank()).map(many).collect();
    let text = problem.to_string();
    let mut parts = text.split(':');
    let (name, index) = (parts.next().unwrap_or_default(), parts.nth(1));
    let index = index.map_or(String::new(), |index| format!(":{index}"));
    Ok(format!("{name}:{sizes}{}{index}", problem.element).parse()?)
}

/// Runs function `number` on hostile rows.
fn check_run(
    tools: &Tools,
    folder: &Path,
    vmfb: &Path,
    number: usize,
    problem: &Problem,
    ties: bool,
) -> Result<(), Failed> {
    let operation = operation(problem)?;
    let mut inputs = operation.inputs();
    let sizes = problem.shape.sizes().iter();
    let sizes: String = sizes.map(|size| format!("{size}x")).collect();
    inputs[0].0 = format!("{sizes}{}", problem.element);
    let results = tools.run(folder, vmfb, &format!("f{number}"), &inputs, 2)?;
    match ties {
        true => operation.check(&results),
        false => operation.check_values(&results),
    }
}

/// A database that `wavetune tune` fills.
struct Tuned<'a> {
    tools: &'a Tools,
    folder: tempfile::TempDir,
}

impl<'a> Tuned<'a> {
    fn new(tools: &'a Tools) -> Result<Tuned<'a>, Failed> {
        Ok(Tuned {
            tools,
            folder: tempfile::tempdir()?,
        })
    }

    fn run(&self, arguments: &[&str]) -> Result<String, Failed> {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        let db = self.folder.path().join("a.db");
        let (status, output, said) = self.tools.wavetune_said(&db, &arguments)?;
        match status {
            Some(0) => Ok(String::from_utf8_lossy(&output).into_owned() + &said),
            _ => Err(format!("{arguments:?}: {said}").into()),
        }
    }

    fn tune(&self, problems: &[Problem], more: &[&str]) -> Result<(), Failed> {
        let list = self.folder.path().join("problems");
        let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
        std::fs::write(&list, lines.join("\n"))?;
        let list = list.display().to_string();
        self.run(&[&["tune", "--problems", &list], more].concat())
            .map(drop)
    }

    /// Counts the operations of a module with the spec's mark, and compiles the module.
    fn compiled(&self, mlir: &str, target: &str, spec: &Path) -> Result<usize, Failed> {
        let marked = self.folder.path().join("marked.txt");
        let tuned = tuned_by(spec)?;
        let [tuned, early] = tuned.each_ref().map(String::as_str);
        let to = "--compile-to=executable-configurations";
        let compile =
            |options: &[&str], to: &Path| self.tools.compile_with(mlir, target, options, to);
        compile(&[tuned, early, to], &marked)?;
        compile(&[tuned, early], &self.folder.path().join("a.vmfb"))?;
        Ok(std::fs::read_to_string(marked)?.matches(MARK).count())
    }
}

/// Checks a model with one tuned operation. Another is like it, one does not compile unaided, and
/// two are best left alone.
pub(crate) fn untuned_operations_compile(tools: &Tools) -> Result<(), Failed> {
    let problems = parsed(&[
        "argmax:4x[4096]xf32",
        "argmax:6x[3072]xf32",
        "argmin:3x[1024]xf16",
        "argmax:64x[8]xf32",
        "argmax:4x[32000]xf32",
    ])?;
    /// The operation that gets a block of a row for each lane, and so the lowest index of equals.
    const BLOCKS: usize = 2;
    let mlir = module(&problems)?;
    let tuned = Tuned::new(tools)?;
    tuned.tune(&problems[..1], &["--generator=iree", "--budget=3"])?;
    let folder = tuned.folder.path();
    let (model, spec) = (folder.join("model.mlir"), folder.join("spec.mlir"));
    std::fs::write(&model, &mlir)?;
    let (from, to) = (model.display().to_string(), spec.display().to_string());
    let export = ["export", "iree-spec", "--target=gfx942", "--output", &to];
    let said = tuned.run(&[&export[..], &[&from]].concat())?;
    for expected in [
        "not tuned, so iree-compile chooses: 2",
        "3 configurations for gfx942",
        "2 of them not tuned",
    ] {
        if !said.contains(expected) {
            return Err(format!("{expected:?} is not in {said}").into());
        }
    }
    let text = std::fs::read_to_string(&spec)?;
    for expected in [
        "argmax:6x[3072]xf32:i32: not tuned; fitted from argmax:4x[4096]xf32:i32; ",
        "argmin:3x[1024]xf16:i32: not tuned; IREE's own default does not compile, or is wrong; each lane has one block ",
    ] {
        if !text.contains(expected) {
            return Err(format!("{expected:?} is not in {text}").into());
        }
    }
    // For another compiler, the compilable configurations are unknown.
    let newer = [
        "export",
        "iree-spec",
        "--target=gfx942",
        "--compiler-version=3.14.0",
        &from,
    ];
    let refused = tuned.run(&newer).err();
    let said = refused
        .as_ref()
        .and_then(Failed::message)
        .unwrap_or_default();
    if !said.contains("the request is for 3.14.0") {
        return Err(format!("stand-ins for a compiler that is not known: {said}").into());
    }
    // The operations left alone compile unaided.
    let alone = module(&problems[3..])?;
    tools.compile(&alone, "gfx942", None, &folder.join("alone.vmfb"))?;
    let marks = tuned.compiled(&mlir, "gfx942", &spec)?;
    if marks != 3 {
        return Err(format!("{marks} operations are marked").into());
    }
    for (number, problem) in problems.iter().enumerate() {
        check_run(
            tools,
            folder,
            &folder.join("a.vmfb"),
            number,
            problem,
            number == BLOCKS,
        )?;
    }
    Ok(())
}

/// Checks that each operation gets the kernel of the better generator with both files.
pub(crate) fn the_better_generator_is_taken(tools: &Tools) -> Result<(), Failed> {
    let problems = parsed(&["argmax:4x[4096]xf32", "argmin:3x[1024]xf16"])?;
    let tuned = Tuned::new(tools)?;
    tuned.tune(&problems, &["--generator=iree", "--budget=2"])?;
    tuned.tune(&problems[..1], &["--budget=6"])?;
    let folder = tuned.folder.path();
    let kernels = folder.join("kernels");
    let to = kernels.display().to_string();
    // A kernel for any initial pair would match an operation left to IREE.
    let open = parsed(&["argmin:3x[1024]xf16:i32:initial"])?;
    tuned.tune(&open, &["--budget=2"])?;
    let names = problems.iter().chain(&open);
    let names: Vec<String> = names.map(Problem::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let export = [
        "export",
        "iree-kernels",
        "--target=gfx942",
        "--best",
        "--out",
        &to,
    ];
    let said = tuned.run(&[&export[..], &names].concat())?;
    let [option, early] = tuned_by(&kernels.join("tuning-spec.mlir"))?;
    if !said.contains(&format!("'{early}' {option}")) {
        return Err(said.into());
    }
    let mlir = module(&problems)?;
    let lowered = tools.preprocessed(&mlir, "gfx942", &kernels)?;
    let calls = lowered.matches(" = hal.dispatch.extern \"arg").count();
    let replaced = calls - lowered.matches("util.func private @arg").count();
    let marks = tuned.compiled(
        &module(&problems[1..])?,
        "gfx942",
        &kernels.join("tuning-spec.mlir"),
    )?;
    if (replaced, marks) != (1, 1) {
        return Err(format!("{replaced} are replaced, {marks} marked").into());
    }
    let (vmfb, spec) = (folder.join("both.vmfb"), kernels.join("tuning-spec.mlir"));
    tools.compile_tuned(&mlir, "gfx942", Some(&kernels), Some(&spec), &vmfb)?;
    check_run(tools, folder, &vmfb, 0, &problems[0], true)?;
    check_run(tools, folder, &vmfb, 1, &problems[1], false)?;
    // An index base has no other form: no kernel remains, and both files are still accepted.
    let based = parsed(&["argmax:4x[1024]xf32:i32:index_base"])?;
    tuned.tune(&based, &["--generator=iree", "--budget=2"])?;
    let kernels = folder.join("none");
    let to = kernels.display().to_string();
    let export = [
        "export",
        "iree-kernels",
        "--target=gfx942",
        "--best",
        "--out",
        &to,
    ];
    tuned.run(&[&export[..], &[&based[0].to_string()]].concat())?;
    let spec = kernels.join("tuning-spec.mlir");
    let mlir = module(&based)?;
    tools.compile_tuned(&mlir, "gfx942", Some(&kernels), Some(&spec), &vmfb)
}

/// Checks that the tuned problems of docs/iree-table.md compile together, with the spec's mark on
/// every operation.
pub(crate) fn a_whole_export_compiles_at_once(tools: &Tools) -> Result<(), Failed> {
    for (device, texts) in PROBLEMS {
        let texts: Vec<&str> = texts.iter().map(|(problem, _)| *problem).collect();
        let problems = parsed(&texts)?;
        let tuned = Tuned::new(tools)?;
        let device = format!("--device={device}");
        // In parts, because a command has a time limit.
        for some in problems.chunks(16) {
            tuned.tune(some, &["--generator=iree", "--budget=6", &device])?;
        }
        let name = device.split(':').next_back().unwrap_or_default();
        let target = configgen::DEVICES.iter().find(|row| row.name == name);
        let target = target.ok_or("an unknown device")?.target().name;
        let spec = tuned.folder.path().join("spec.mlir");
        let to = spec.display().to_string();
        let said = tuned.run(&["export", "iree-spec", "--target", target, "--output", &to])?;
        let marks = tuned.compiled(&module(&problems)?, target, &spec)?;
        println!("{target}: {marks} of {} marked; {said}", problems.len());
        if marks != problems.len() {
            return Err(format!("{target}: {marks} of {} are marked", problems.len()).into());
        }
    }
    Ok(())
}

/// Puts kernels for all problems of one target, cut to a few rows, into one module, and runs it
/// function by function.
pub(crate) fn all_kernels_are_in_one_module(tools: &Tools) -> Result<(), Failed> {
    let texts: Vec<&str> = PROBLEMS[0].1.iter().map(|(problem, _)| *problem).collect();
    let mut problems = Vec::new();
    for problem in parsed(&texts)? {
        let problem = cut(&problem)?;
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    let tuned = Tuned::new(tools)?;
    tuned.tune(&problems, &["--budget=12"])?;
    let folder = tuned.folder.path();
    let kernels = folder.join("kernels");
    let to = kernels.display().to_string();
    let answer = tuned.run(&[
        "export",
        "iree-kernels",
        "--target=gfx942",
        "--out",
        &to,
        "--output-format=json",
    ])?;
    let answer: Value = serde_json::from_str(answer.lines().next().unwrap_or_default())?;
    let exported = answer["kernels"].as_array().map_or(&[][..], Vec::as_slice);
    let has_workspace = |kernel: &&Value| kernel["workspace_bytes"].as_u64() > Some(0);
    let split = exported.iter().filter(has_workspace).count();
    let mlir = module(&problems)?;
    let lowered = tools.preprocessed(&mlir, "gfx942", &kernels)?;
    let calls = lowered.matches(" = hal.dispatch.extern \"arg").count();
    let replaced = calls - lowered.matches("util.func private @arg").count();
    println!(
        "{} problems, {} kernels, {split} of them split, {replaced} replaced",
        problems.len(),
        exported.len()
    );
    if replaced != problems.len() || split == 0 {
        return Err(format!("{replaced} are replaced, {split} split: {answer}").into());
    }
    let vmfb = folder.join("all.vmfb");
    tools.compile(&mlir, "gfx942", Some(&kernels), &vmfb)?;
    for (number, problem) in problems.iter().enumerate() {
        check_run(tools, folder, &vmfb, number, problem, true)?;
    }
    Ok(())
}
