//! Native kernels inside IREE: an unmodified iree-compile accepts the output of `wavetune export
//! iree-kernels`. On libwavetune_hip.so, iree-run-module computes the host's fold, on rows with
//! ties, NaN and infinities. Needs iree-compile, IREE's runtime, libLLVM and lld.

mod arrived;
mod block;
mod compiling;
use crate::iree_rows::element;
mod fold;
use crate::iree_rows::host;
mod iota;
pub(crate) mod limited;
mod linalg;
mod models;
mod models_are_read;
mod open_counts;
mod open_rows;
use crate::iree_rows::operation;
mod pairs;
mod pieces;
mod pointwise;
use crate::iree_table::problems;
mod rank_zero;
mod rows;
mod samplers;
mod several;
mod siblings;
mod together;
pub(crate) mod tools;
mod variances;
mod vectors;
mod wide_indices;

use std::path::Path;

use testing::{Failed, Trial};

use arrived::Operation;
use models::Model;
use tools::Tools;

type Test = fn(&Tools) -> Result<(), Failed>;

/// The tests of CI, then the long ones.
const TESTS: [(&str, Test); 44] = [
    (
        "chains_of_torch_are_replaced",
        linalg::chains_of_torch_are_replaced,
    ),
    (
        "other_linalg_is_left_alone",
        linalg::other_linalg_is_left_alone,
    ),
    ("norms_of_sums", linalg::norms_of_sums),
    ("siblings_share_a_kernel", siblings::siblings_share_a_kernel),
    ("gates_are_one_kernel", pointwise::gates_are_one_kernel),
    (
        "variances_are_one_kernel",
        variances::variances_are_one_kernel,
    ),
    (
        "operations_of_rank_0_stay",
        rank_zero::operations_of_rank_0_stay,
    ),
    (
        "widened_indices_are_of_the_kernel",
        wide_indices::widened_indices_are_of_the_kernel,
    ),
    (
        "the_faster_of_one_and_several",
        several::the_faster_of_one_and_several,
    ),
    (
        "producers_are_fused_into_the_kernel",
        several::producers_are_fused_into_the_kernel,
    ),
    ("usual_forms_are_replaced", linalg::usual_forms_are_replaced),
    ("a_block_is_read", block::a_block_is_read),
    ("linalg_is_replaced", linalg::linalg_is_replaced),
    ("hanging_compilers_are_ended", |_| {
        limited::hanging_compilers_are_ended()
    }),
    (
        "operations_are_counted",
        models_are_read::operations_are_counted,
    ),
    ("reasons_have_places", models_are_read::reasons_have_places),
    ("parts_are_smaller", models_are_read::parts_are_smaller),
    (
        "a_model_is_tuned_and_compiled",
        models_are_read::a_model_is_tuned_and_compiled,
    ),
    (
        "untuned_operations_compile",
        together::untuned_operations_compile,
    ),
    (
        "the_better_generator_is_taken",
        together::the_better_generator_is_taken,
    ),
    (
        "open_counts_are_replaced",
        open_counts::open_counts_are_replaced,
    ),
    ("open_rows_are_replaced", open_rows::open_rows_are_replaced),
    ("known_rows_stay", open_rows::known_rows_stay),
    (
        "matrices_of_one_row_are_vectors",
        vectors::matrices_of_one_row_are_vectors,
    ),
    ("samplers_are_one_kernel", samplers::samplers_are_one_kernel),
    (
        "samplers_of_torch_are_one_kernel",
        samplers::samplers_of_torch_are_one_kernel,
    ),
    (
        "a_spec_matches_open_counts",
        open_counts::a_spec_matches_open_counts,
    ),
    (
        "a_known_count_is_one_of_any",
        open_counts::a_known_count_is_one_of_any,
    ),
    (
        "the_widest_range_is_first",
        open_counts::the_widest_range_is_first,
    ),
    ("pairs_are_told_apart", pairs::pairs_are_told_apart),
    ("commands_of_all_kinds", compiling::commands_of_all_kinds),
    (
        "replaced_operations_are_no_wishes",
        compiling::replaced_operations_are_no_wishes,
    ),
    (
        "stale_kernels_are_removed",
        compiling::stale_kernels_are_removed,
    ),
    ("reports_about_models", compiling::reports_about_models),
    ("onnx_is_imported", compiling::onnx_is_imported),
    (
        "a_signal_leaves_nothing",
        compiling::a_signal_leaves_nothing,
    ),
    ("rows_are_split", rows_are_split),
    ("indices_of_type_index", indices_of_type_index),
    ("truth_values", truth_values),
    ("rows_are_split_by_iree", pieces::rows_are_split_by_iree),
    ("operations_are_replaced", operations_are_replaced),
    ("others_are_left_alone", others_are_left_alone),
    ("an_export_is_deterministic", an_export_is_deterministic),
    (
        "left_out_operations_are_reported",
        left_out_operations_are_reported,
    ),
];
const LONG: [(&str, Test); 8] = [
    (
        "a_block_is_tuned_exported_and_run",
        block::a_block_is_tuned_exported_and_run,
    ),
    (
        "heads_are_tuned_exported_and_run",
        models_are_read::heads_are_tuned_exported_and_run,
    ),
    (
        "a_whole_export_compiles_at_once",
        together::a_whole_export_compiles_at_once,
    ),
    (
        "all_kernels_are_in_one_module",
        together::all_kernels_are_in_one_module,
    ),
    ("problems_of_models", models_are_read::problems_of_models),
    ("models_are_replaced", models_are_replaced),
    ("every_kind_of_operation", every_kind_of_operation),
    ("every_target_compiles", every_target_compiles),
];

pub(crate) fn trials() -> Vec<Trial> {
    let tools: &'static Result<Tools, String> = Box::leak(Box::new(Tools::find()));
    let mut trials = Vec::new();
    for (is_long, tests) in [(false, &TESTS[..]), (true, &LONG[..])] {
        for &(name, test) in tests {
            trials.push(match tools {
                Ok(tools) => Trial::test(name, move || test(tools)).with_ignored_flag(is_long),
                // Without the tools a test is ignored, with the reason as its kind; in CI it
                // fails.
                Err(reason) => Trial::test(name, move || Err(reason.into()))
                    .with_kind(reason)
                    .with_ignored_flag(is_long || std::env::var_os("CI").is_none()),
            });
        }
    }
    trials
}

/// Exports kernels for gfx942 into `folder/kernels`.
fn export(tools: &Tools, folder: &Path, problems: &[String]) -> Result<serde_json::Value, Failed> {
    export_for(tools, "gfx942", folder, problems)
}

fn export_for(
    tools: &Tools,
    target: &str,
    folder: &Path,
    problems: &[String],
) -> Result<serde_json::Value, Failed> {
    let out = folder.join("kernels");
    let mut arguments = vec![
        "export".to_owned(),
        "iree-kernels".to_owned(),
        // All kernels are of interest here, not only those that make the model faster.
        "--unjudged".to_owned(),
        format!("--target={target}"),
        format!("--out={}", out.display()),
        "--output-format=json".to_owned(),
    ];
    arguments.extend_from_slice(problems);
    let output = tools.wavetune(&folder.join("none.db"), &arguments)?;
    let answer = testing_conformance::answer("iree-kernels", &output);
    let manifest = std::fs::read(out.join("manifest.json"))?;
    testing_conformance::check("manifest", &serde_json::from_slice(&manifest)?);
    Ok(answer)
}

/// Compiles a module with the kernels and runs its functions, each on its input. The results must
/// equal the fold.
fn check_module(
    tools: &Tools,
    target: &str,
    folder: &Path,
    mlir: &str,
    operations: &[Operation],
) -> Result<(), Failed> {
    let module = folder.join("module.vmfb");
    tools.compile(mlir, target, Some(&folder.join("kernels")), &module)?;
    for (number, operation) in operations.iter().enumerate() {
        let name = format!("f{number}");
        let results = tools.run(folder, &module, &name, &operation.inputs(), 2)?;
        operation.check(&results)?;
    }
    Ok(())
}

fn replaced(tools: &Tools, mlir: &str, target: &str, folder: &Path) -> Result<usize, Failed> {
    let text = tools.preprocessed(mlir, target, &folder.join("kernels"))?;
    // The called functions are still in the module, inlined.
    let all = text.matches(" = hal.dispatch.extern \"arg").count();
    Ok(all - text.matches("util.func private @arg").count())
}

fn operations_on_gfx942(tools: &Tools, operations: &[Operation]) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let problems: Vec<String> = operations.iter().map(Operation::problem).collect();
    let answer = export(tools, folder, &problems)?;
    if answer["left_out"] != serde_json::json!([]) {
        return Err(format!("skipped: {}", answer["left_out"]).into());
    }
    let mlir = arrived::module(operations);
    let count = replaced(tools, &mlir, "gfx942", folder)?;
    if count != operations.len() {
        for operation in operations {
            if replaced(tools, &arrived::module(&[*operation]), "gfx942", folder)? == 0 {
                return Err(format!("not replaced: {}", operation.said()).into());
            }
        }
        return Err(format!("{count} of {} are replaced", operations.len()).into());
    }
    check_module(tools, "gfx942", folder, &mlir, operations)
}

/// Checks a few of all kinds: two results and one, forms, index modes, a split row with its
/// workspace, an initial pair.
fn operations_are_replaced(tools: &Tools) -> Result<(), Failed> {
    operations_on_gfx942(tools, &arrived::some())
}

/// Checks split rows: their workgroups meet in a workspace, which is cleared before each launch.
fn rows_are_split(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let operation = arrived::split();
    let configuration = r#"--configuration={"workgroup":[1,0],"partial_reduction":[0,256],"thread":[0,4],
        "lane_basis":[[1,64],[0,1]],"subgroup_basis":[[1,1],[0,1]],"subgroup_size":64,
        "workgroup_size":[64,1,1],"split":4}"#;
    let arguments = [operation.problem(), configuration.to_owned()];
    let answer = export(tools, folder, &arguments)?;
    if answer["kernels"][0]["workspace_bytes"].as_u64() <= Some(0) {
        return Err("it has no workspace".into());
    }
    // Twice in one module, so that the kernel is launched twice.
    let operations = [operation, operation];
    let mlir = arrived::module(&operations);
    check_module(tools, "gfx942", folder, &mlir, &operations)?;
    // IREE would keep a `tensor.empty` as a constant, and copy it into the result of each launch.
    export(tools, folder, &["log_softmax:64x[4096]xf32".to_owned()])?;
    let spec = std::fs::read_to_string(folder.join("kernels/spec.mlir"))?;
    match spec.contains("%workspace") && spec.contains("= flow.tensor.empty : ") {
        true => Ok(()),
        false => Err(spec.into()),
    }
}

fn every_kind_of_operation(tools: &Tools) -> Result<(), Failed> {
    operations_on_gfx942(tools, &arrived::all())
}

/// Checks that an operation with a single difference stays.
fn others_are_left_alone(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    export(tools, folder.path(), &["argmax:3x[64]xf32".to_owned()])?;
    let plain = arrived::plain();
    let count = |mlir: &str| replaced(tools, mlir, "gfx942", folder.path());
    if count(&plain)? != 1 {
        return Err("the operation itself is not replaced".into());
    }
    for (from, to) in arrived::DIFFERENCES {
        let other = plain.replace(from, to);
        if other == plain {
            return Err(format!("nothing is {from:?}").into());
        }
        if count(&other)? != 0 {
            return Err(format!("replaced although {to:?} is not {from:?}").into());
        }
    }
    Ok(())
}

fn an_export_is_deterministic(tools: &Tools) -> Result<(), Failed> {
    let problems = ["argmax:3x[64]xf32", "argmin_nan:2x[100]x3xbf16:i64"].map(str::to_owned);
    let mut written = Vec::new();
    for _ in 0..2 {
        let folder = tempfile::tempdir()?;
        export(tools, folder.path(), &problems)?;
        let mut files = Vec::new();
        for file in std::fs::read_dir(folder.path().join("kernels"))? {
            let path = file?.path();
            files.push((
                path.file_name().map(ToOwned::to_owned),
                std::fs::read(&path)?,
            ));
        }
        files.sort();
        written.push(files);
    }
    match written[0] == written[1] && written[0].len() == 6 {
        true => Ok(()),
        false => Err("two exports differ, or do not have their six files".into()),
    }
}

fn left_out_operations_are_reported(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let problems = [
        "argmax:3x[64]xf32",
        "argmax:[3]x[64]xf32",
        "argmax:3x[64]xf32:i32:pitch=80",
        "argmax:3x[64]xf32:i64:index_base",
        "arg_compare{2=arith.constant(i32,ffffffff);3=arith.xori(0,2);4=arith.xori(1,2);arith.cmpi(sgt,3,4)}:3x[64]xi32:i32:initial",
    ];
    let answer = export(tools, folder.path(), &problems.map(str::to_owned))?;
    let reasons = [0, 1, 2, 3].map(|at| {
        answer["left_out"][at]["reason"]
            .as_str()
            .unwrap_or_default()
    });
    let expected = [
        "IREE's arg_compare reduces one dimension, this problem 2",
        "a tensor of a module cannot have a pitch",
        "IREE passes only 32-bit numbers to kernels, and this index base has 64 bits",
        "iree-compile moves the constants out of its comparator before it applies a spec, so no matcher finds the operation",
    ];
    match reasons == expected {
        true => Ok(()),
        false => Err(format!("{answer}").into()),
    }
}

/// Checks models of each front end: an operation is replaced, and the results equal numpy's.
fn models_are_replaced(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let models = models::all();
    let problems: Vec<String> = models
        .iter()
        .map(|model| model.problem.to_owned())
        .collect();
    export(tools, folder, &problems)?;
    for model in &models {
        let said = |error: Failed| Failed::from(format!("{}: {error:?}", model.name));
        replaces(tools, folder, model).map_err(said)?;
    }
    Ok(())
}

/// Checks truth values, which IREE stores as bytes 0 or 1.
fn truth_values(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let model = models::of_truths();
    export(tools, folder.path(), &[model.problem.to_owned()])?;
    replaces(tools, folder.path(), &model)
}

/// Checks that a kernel makes a module compile that iree-compile alone refuses.
fn indices_of_type_index(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    for model in models::of_index() {
        let said = |error: Failed| Failed::from(format!("{}: {error:?}", model.name));
        export(tools, folder, &[model.problem.to_owned()])?;
        let refused = tools.compile(&model.mlir, "gfx942", None, &folder.join("none.vmfb"));
        let reason = "index types must not cross the dispatch boundary";
        if !refused.is_err_and(|error| format!("{error:?}").contains(reason)) {
            return Err(format!("{}: iree-compile takes it by itself", model.name).into());
        }
        replaces(tools, folder, &model).map_err(said)?;
    }
    Ok(())
}

fn replaces(tools: &Tools, folder: &Path, model: &Model) -> Result<(), Failed> {
    // An open count has two launches, and the function one more than is subtracted.
    let expected = if model.problem.contains('?') { 3 } else { 1 };
    if replaced(tools, &model.mlir, "gfx942", folder)? != expected {
        return Err("it is not replaced".into());
    }
    let module = folder.join("model.vmfb");
    tools.compile(
        &model.mlir,
        "gfx942",
        Some(&folder.join("kernels")),
        &module,
    )?;
    let results = tools.run(folder, &module, "main", &[model.input()], model.results)?;
    model.check(&results)
}

/// Compiles code objects and specs for the other targets.
fn every_target_compiles(tools: &Tools) -> Result<(), Failed> {
    for target in ["gfx90a", "gfx950", "gfx1100", "gfx1151", "gfx1201"] {
        let folder = tempfile::tempdir()?;
        let folder = folder.path();
        let operations = arrived::some();
        let problems: Vec<String> = operations.iter().map(Operation::problem).collect();
        export_for(tools, target, folder, &problems)?;
        let mlir = arrived::module(&operations);
        let kernels = folder.join("kernels");
        tools.compile(&mlir, target, Some(&kernels), &folder.join("module.vmfb"))?;
    }
    Ok(())
}
