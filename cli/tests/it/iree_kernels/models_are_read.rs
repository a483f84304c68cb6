//! `wavetune problems`, `wavetune tune MODEL` and `wavetune iree-compile`.

use std::path::Path;

use serde_json::{Value, json};
use testing::Failed;

use crate::iree_kernels::models::{self, Model};
use crate::iree_kernels::tools::{Tools, compiling_words};

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Returns the answer of `wavetune problems` for a module.
fn problems(tools: &Tools, folder: &Path, mlir: &str) -> Result<Value, Failed> {
    let model = folder.join("model.mlir");
    std::fs::write(&model, mlir)?;
    let arguments = [
        "problems",
        &text(&model),
        "--target=gfx942",
        "--output-format=json",
    ];
    let output = tools.wavetune(&folder.join("a.db"), &arguments.map(str::to_owned))?;
    Ok(testing_conformance::answer("model", &output))
}

/// Checks that the problem of each front end's model is the one that its kernel is exported for.
pub(crate) fn problems_of_models(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    for model in models::all() {
        let answer = problems(tools, folder.path(), &model.mlir)?;
        let found = &answer["problems"];
        let problem = found[0]["problem"].as_str().unwrap_or_default();
        let expected: configgen::Problem = model.read().parse()?;
        let is_one = found.as_array().is_some_and(|all| all.len() == 1);
        let is_replaced = found[0]["forms"][0].is_string();
        if !is_one || !is_replaced || problem != expected.to_string() || found[0]["count"] != 1 {
            return Err(format!("{}: {answer}", model.name).into());
        }
    }
    Ok(())
}

const SEVERAL: &str = "
func.func @two(%x: tensor<4x64xf32>, %y: tensor<4x64xf32>, %d: tensor<?x64xf32>, %n: index) -> (tensor<4xi32>, tensor<4xi32>, tensor<?xi32>, tensor<4xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %sum0 = arith.constant 0.0 : f32
  %a = tensor.empty() : tensor<4xf32>
  %b = tensor.empty() : tensor<4xi32>
  %v = linalg.fill ins(%least : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %i = linalg.fill ins(%none : i32) outs(%b : tensor<4xi32>) -> tensor<4xi32>
  %one:2 = iree_linalg_ext.arg_compare dimension(1) ins(%x : tensor<4x64xf32>) outs(%v, %i : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%new: f32, %held: f32):
    %more = arith.cmpf ogt, %new, %held : f32
    iree_linalg_ext.yield %more : i1
  } -> tensor<4xf32>, tensor<4xi32>
  %two:2 = iree_linalg_ext.arg_compare dimension(1) ins(%y : tensor<4x64xf32>) outs(%v, %i : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%new: f32, %held: f32):
    %more = arith.cmpf ogt, %new, %held : f32
    iree_linalg_ext.yield %more : i1
  } -> tensor<4xf32>, tensor<4xi32>
  %c = tensor.empty(%n) : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %dv = linalg.fill ins(%least : f32) outs(%c : tensor<?xf32>) -> tensor<?xf32>
  %di = linalg.fill ins(%none : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
  %three:2 = iree_linalg_ext.arg_compare dimension(1) ins(%d : tensor<?x64xf32>) outs(%dv, %di : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%new: f32, %held: f32):
    %more = arith.cmpf ogt, %new, %held : f32
    iree_linalg_ext.yield %more : i1
  } -> tensor<?xf32>, tensor<?xi32>
  %s0 = linalg.fill ins(%sum0 : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%x : tensor<4x64xf32>) outs(%s0 : tensor<4xf32>) {
  ^bb0(%new: f32, %held: f32):
    %more = arith.addf %new, %held : f32
    linalg.yield %more : f32
  } -> tensor<4xf32>
  return %one#1, %two#1, %three#1, %sum : tensor<4xi32>, tensor<4xi32>, tensor<?xi32>, tensor<4xf32>
}
";

/// Checks that equal operations are counted, and that an operation without a problem is named
/// with a reason.
pub(crate) fn operations_are_counted(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut answer = problems(tools, folder.path(), SEVERAL)?;
    let mut places = Vec::new();
    for problem in answer["problems"].as_array_mut().into_iter().flatten() {
        let fields = problem.as_object_mut();
        places.extend(fields.and_then(|it| it.remove("places")));
    }
    let lines = |places: &Value| -> Vec<String> {
        let places = places.as_array().into_iter().flatten();
        let locations = places.filter_map(|it| it["location"].as_str());
        let lines = locations.filter_map(|it| it.rsplit(':').nth(1));
        lines.map(str::to_owned).collect()
    };
    let lines: Vec<Vec<String>> = places.iter().map(lines).collect();
    let of_two = &places[0][0];
    if lines != [vec!["10", "15"], vec!["24"], vec!["30"]]
        || of_two["function"] != "two"
        || of_two["operation"] != "iree_linalg_ext.arg_compare"
    {
        return Err(format!("{places:?}").into());
    }
    let untuned = |generator: &str| {
        json!({ "generator": generator, "state": "untuned", "time_us": null, "default_time_us": null,
            "clock": null, "reason": null })
    };
    let expected = json!({
        "target": "gfx942",
        "problems": [{
            "problem": "argmax:4x[64]xf32:i32",
            "count": 2,
            "forms": ["arg_compare"],
            "generators": [untuned("native"), untuned("iree")],
            "shares_with": [],
            "several": [],
        }, {
            "problem": "argmax:?x[64]xf32:i32:count=1..512",
            "count": 1,
            "forms": ["arg_compare"],
            "generators": [untuned("native"), untuned("iree")],
            "shares_with": [],
            "several": [],
        }, {
            "problem": "sum:4x[64]xf32",
            "count": 1,
            "forms": ["generic"],
            "generators": [untuned("native")],
            "shares_with": [],
            "several": [],
        }],
        "others": [],
        "gains": [],
    });
    match answer == expected {
        true => Ok(()),
        false => Err(format!("{answer}").into()),
    }
}

/// Checks that a missed row operation has a reason, with a line of the user's module.
pub(crate) fn reasons_have_places(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let module = include_str!("../../../../testing/modules/onnx_classifier_f32_dynamic.mlir");
    let answer = problems(tools, folder.path(), module)?;
    let other = &answer["others"][0];
    let place = &other["places"][0];
    let location = place["location"].as_str().unwrap_or_default();
    let reason = other["reason"].as_str().unwrap_or_default();
    match place["function"] == "onnx_classifier_f32_dynamic"
        && location.ends_with("model.mlir:4:10")
        && reason.starts_with("linalg.pooling_nchw_sum has no kernel")
    {
        true => Ok(()),
        false => Err(format!("{answer}").into()),
    }
}

/// Checks that no operation of a decoder is a part of itself.
pub(crate) fn parts_are_smaller(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let module = include_str!("../../../../testing/modules/jax_decoder_step_f32.mlir");
    let answer = problems(tools, folder.path(), module)?;
    let all = answer["problems"].as_array().into_iter().flatten();
    let is_own_part = |it: &Value| {
        let several = it["several"].as_array().into_iter().flatten();
        let mut parts = several.flat_map(|it| it["parts"].as_array().into_iter().flatten());
        parts.any(|part| part["problem"] == it["problem"])
    };
    match all.clone().count() > 8 && !all.clone().any(is_own_part) {
        true => Ok(()),
        false => Err(format!("{answer}").into()),
    }
}

/// Checks that both generators tune a model as far as they can, and that a compilation then has
/// the spec. A missing problem is noted.
pub(crate) fn a_model_is_tuned_and_compiled(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let db = folder.join("a.db");
    let model = folder.join("model.mlir");
    let shape = |columns: &str| ONE.replace("COLUMNS", columns);
    std::fs::write(&model, shape("4096"))?;
    let run = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        tools.wavetune_said(&db, &arguments)
    };
    let (status, output, _) = run(&["tune", &text(&model), "--budget=3"])?;
    let output = String::from_utf8_lossy(&output).into_owned();
    let (status_text, times) = output
        .split_once("models on emulated:mi300x")
        .unwrap_or_default();
    if !times.contains("; iree-compile alone does not compile it") {
        return Err(output.into());
    }
    let mut lines: Vec<&str> = status_text.lines().rev().take(5).collect();
    lines.resize(5, "");
    let is_tuned = |line: &str| line.contains(" us (modelled)");
    if status != Some(0)
        || !lines[0].starts_with("Each kernel was timed alone. ")
        || !lines[1].starts_with("1 operation on emulated:mi300x: ")
        || !is_tuned(lines[2])
        || !is_tuned(lines[3])
        || !lines[4].starts_with("argmax:4x[4096]xf32:i32 (1, ")
    {
        return Err(output.into());
    }
    let vmfb = folder.join("out.vmfb");
    let compile = |model: &Path, more: &[&str]| {
        let (input, to) = (text(model), text(&vmfb));
        run(&[&compiling_words(&input, &to), more].concat())
    };
    // The compiler alone fails: "failed to distribute".
    if tools
        .compile(&shape("4096"), "gfx942", None, &folder.join("plain.vmfb"))
        .is_ok()
    {
        return Err("iree-compile does it alone".into());
    }
    let (status, _, said) = compile(&model, &[])?;
    if status != Some(0) || !said.contains("1 of 1 problems of the module are tuned") {
        return Err(said.into());
    }
    // Another shape is untuned: it compiles with a legal configuration, and leaves a wish.
    let other = folder.join("other.mlir");
    std::fs::write(&other, shape("1024"))?;
    let (status, _, said) = compile(&other, &[])?;
    if status != Some(0)
        || !said.contains("2 configurations for gfx942, 1 of them not tuned")
        || !said.contains("0 of 1 problems of the module are tuned; 1 are new wishes")
    {
        return Err(format!("{status:?} {said}").into());
    }
    let (status, wishes, _) = run(&["wishes"])?;
    if status != Some(0) || !String::from_utf8_lossy(&wishes).contains("argmax:4x[1024]xf32:i32") {
        return Err(String::from_utf8_lossy(&wishes).into_owned().into());
    }
    let spec = folder.join("spec.mlir");
    std::fs::write(&spec, "// IREE tuning spec by wavetune 0.1.0 for gfx90a.\n")?;
    let option = format!("--iree-codegen-tuning-spec-path={}", spec.display());
    let (status, _, said) = compile(&model, &[&option])?;
    if status != Some(2) || !said.contains("is for gfx90a, but the command compiles for gfx942") {
        return Err(format!("{status:?} {said}").into());
    }
    std::fs::write(&spec, "module {}\n")?;
    let (status, _, said) = compile(&model, &[&option])?;
    if status != Some(2) || !said.contains("the command already has a tuning spec") {
        return Err(format!("{status:?} {said}").into());
    }
    Ok(())
}

/// Tunes heads of models. Both exports go into one unmodified compilation, which computes the
/// fold, ties included.
pub(crate) fn heads_are_tuned_exported_and_run(tools: &Tools) -> Result<(), Failed> {
    for model in models::all() {
        let name = model.name;
        let said = |error: Failed| Failed::from(format!("{name}: {error:?}"));
        tuned_exported_and_run(tools, model).map_err(said)?;
    }
    Ok(())
}

fn tuned_exported_and_run(tools: &Tools, model: Model) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let (db, file) = (folder.join("a.db"), folder.join("model.mlir"));
    let (kernels, spec) = (folder.join("kernels"), folder.join("spec.mlir"));
    std::fs::write(&file, &model.mlir)?;
    let run = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        tools.wavetune_said(&db, &arguments)
    };
    let (status, output, said) = run(&["tune", &text(&file), "--budget=3"])?;
    let output = String::from_utf8_lossy(&output).into_owned();
    if status != Some(0) || !output.contains("  native: ") || output.contains("native: not tuned") {
        return Err(format!("{status:?} {output} {said}").into());
    }
    let to = text(&kernels);
    let of_model = ["export", "iree-kernels", &text(&file), "--target=gfx942"];
    let exported = run(&[&of_model[..], &["--out", &to]].concat())?;
    if exported.0 != Some(0) {
        return Err(exported.2.into());
    }
    // A spec reaches only an arg_compare, alone or as a part of the operation, and has no
    // configuration that is slower than the compiler's own choice.
    let standing = output.lines().find(|line| line.starts_with("  iree: "));
    let fails_alone = standing.is_some_and(|line| line.ends_with("untuned no time"));
    let to = text(&spec);
    let exported = run(&["export", "iree-spec", "--target=gfx942", "--output", &to])?;
    let has_spec = exported.0 == Some(0);
    let is_part = output.contains("  as several: ");
    if fails_alone && !has_spec || has_spec && standing.is_none() && !is_part {
        return Err(format!("{output} {}", exported.2).into());
    }
    println!("{}: {}", model.name, alone(tools, folder, &model));
    let module = folder.join("tuned.vmfb");
    let spec = has_spec.then_some(spec.as_path());
    tools.compile_tuned(&model.mlir, "gfx942", Some(&kernels), spec, &module)?;
    let lowered = tools.preprocessed(&model.mlir, "gfx942", &kernels)?;
    if !lowered.contains("hal.dispatch.extern") {
        return Err("no kernel is in its place".into());
    }
    for model in model.batches() {
        let results = tools.run(folder, &module, "main", &[model.input()], model.results)?;
        model.check(&results)?;
    }
    Ok(())
}

/// Returns the result of a model without our files.
fn alone(tools: &Tools, folder: &Path, model: &Model) -> String {
    let module = folder.join("alone.vmfb");
    if let Err(error) = tools.compile(&model.mlir, "gfx942", None, &module) {
        let said = format!("{error:?}");
        let reason = said.split("error: ").nth(1).unwrap_or_default();
        return format!(
            "does not compile: {}",
            reason.split("\\n").next().unwrap_or_default()
        );
    }
    let results = tools.run(folder, &module, "main", &[model.input()], model.results);
    match results.and_then(|results| model.check(&results)) {
        Ok(()) => "compiles, and is right".to_owned(),
        Err(error) => format!("compiles; {error:?}").chars().take(200).collect(),
    }
}

const ONE: &str = "
func.func @main(%x: tensor<4xCOLUMNSxf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i32
  %a = tensor.empty() : tensor<4xf32>
  %b = tensor.empty() : tensor<4xi32>
  %v = linalg.fill ins(%least : f32) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %i = linalg.fill ins(%none : i32) outs(%b : tensor<4xi32>) -> tensor<4xi32>
  %r:2 = iree_linalg_ext.arg_compare dimension(1) ins(%x : tensor<4xCOLUMNSxf32>) outs(%v, %i : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%new: f32, %held: f32):
    %more = arith.cmpf ogt, %new, %held : f32
    iree_linalg_ext.yield %more : i1
  } -> tensor<4xf32>, tensor<4xi32>
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
}
";
