//! Kernels in place of plain reductions and row operations of linalg: they compute the host's
//! results, and an operation with one difference stays.

use std::path::Path;

use serde_json::Value;
use testing::Failed;

use crate::iree_kernels::element::Element::{self, Bf16, F16, F32};
use crate::iree_kernels::host::error;
use crate::iree_kernels::operation::{Kind, Operation, joined, rows};
use crate::iree_kernels::tools::Tools;

/// Tolerated error of a result in units in the last place, for f32 and for other types.
const WRONG: (f64, f64) = (100.0, 8.0);

/// Exports kernels for the operations of a model.
fn export(tools: &Tools, folder: &Path, mlir: &str, target: &str) -> Result<Value, Failed> {
    export_with(tools, folder, mlir, target, &[])
}

/// Exports kernels with these options.
pub(crate) fn export_with(
    tools: &Tools,
    folder: &Path,
    mlir: &str,
    target: &str,
    options: &[&str],
) -> Result<Value, Failed> {
    export_known(tools, folder, mlir, target, "none.db", options)
}

/// Exports kernels with the configurations of this database in the folder.
pub(crate) fn export_known(
    tools: &Tools,
    folder: &Path,
    mlir: &str,
    target: &str,
    database: &str,
    options: &[&str],
) -> Result<Value, Failed> {
    let model = folder.join("model.mlir");
    std::fs::write(&model, mlir)?;
    let out = folder.join("kernels");
    let mut arguments = vec![
        "export".to_owned(),
        "iree-kernels".to_owned(),
        // All kernels are of interest here, not only those that make the model faster.
        "--unjudged".to_owned(),
        model.display().to_string(),
        format!("--target={target}"),
        format!("--out={}", out.display()),
        "--output-format=json".to_owned(),
    ];
    arguments.extend(options.iter().map(|it| (*it).to_owned()));
    let output = tools.wavetune(&folder.join(database), &arguments)?;
    Ok(testing_conformance::answer("iree-kernels", &output))
}

/// Counts the replaced operations of a module.
pub(crate) fn replaced(
    tools: &Tools,
    folder: &Path,
    mlir: &str,
    target: &str,
) -> Result<usize, Failed> {
    let text = tools.preprocessed(mlir, target, &folder.join("kernels"))?;
    let all = text.matches(" = hal.dispatch.extern \"").count();
    // Inlined functions may still be in the module.
    let functions = text.matches("util.func private @").count();
    let constants = text
        .matches("util.func private @wavetune_constants")
        .count();
    Ok(all - (functions - constants))
}

fn module(operations: &[Operation]) -> String {
    let texts: Vec<String> = operations.iter().map(Operation::mlir).collect();
    module_of(&texts)
}

/// Returns a module with the functions `f0`, `f1` and so on, from the `main` of each text.
pub(crate) fn module_of(texts: &[String]) -> String {
    let each = texts.iter().enumerate();
    let each = each.map(|(number, it)| it.replace("@main", &format!("@f{number}")));
    each.collect()
}

fn drawn(sizes: &[usize], element: Element, seed: u64) -> Vec<u8> {
    element.drawn(sizes.iter().product(), seed)
}

/// Runs a function of this operation, and compares its result with the host's.
pub(crate) fn check(
    tools: &Tools,
    folder: &Path,
    function: &str,
    operation: &Operation,
) -> Result<(), Failed> {
    let inputs = operation.inputs().into_iter().zip(1..);
    let inputs: Vec<(String, Vec<u8>, Element)> = inputs
        .map(|((sizes, element), seed)| {
            let kind = format!("{}x{}", joined(&sizes), element.name());
            (kind, drawn(&sizes, element, seed), element)
        })
        .collect();
    let given: Vec<(String, Vec<u8>)> = inputs
        .iter()
        .map(|(kind, bytes, _)| (kind.clone(), bytes.clone()))
        .collect();
    let results = tools.run(folder, &folder.join("module.vmfb"), function, &given, 1)?;
    let inputs = inputs.iter().map(|(_, bytes, it)| it.numbers(bytes));
    let inputs: Vec<Vec<f64>> = inputs.collect();
    let found = operation.result().numbers(&results[0]);
    let off = error(operation, &inputs, &found);
    let most = match operation.result() {
        F32 => WRONG.0,
        F16 | Bf16 => WRONG.1,
    };
    match off <= most {
        true => Ok(()),
        false => Err(format!("{function}, {}: off by {off} steps", operation.problem()).into()),
    }
}

/// Checks that each operation of a model is replaced, with correct results.
pub(crate) fn linalg_is_replaced(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let of = |sizes: &[usize], reduced| Operation {
        kind: Kind::Sum,
        sizes: sizes.to_vec(),
        reduced,
        element: F32,
    };
    let operations = [
        of(&[3, 16, 5], 1),
        // The sum at the beginning of a layer norm of the same rows.
        of(&[4, 256], 1),
        rows(Kind::Dot, 16, 256, F16),
        rows(Kind::Softmax, 4, 256, F32),
        rows(Kind::LayerNorm, 4, 256, F32),
        rows(Kind::LayerNorm, 3, 128, Bf16),
        rows(Kind::RmsNorm, 4, 256, F32),
        rows(Kind::RmsNorm, 5, 128, F16),
    ];
    let mlir = module(&operations);
    let answer = export(tools, folder, &mlir, "gfx942")?;
    let kernels = answer["kernels"].as_array().map_or(0, Vec::len);
    if answer["left_out"] != serde_json::json!([]) || kernels != operations.len() {
        return Err(format!("{answer}").into());
    }
    let count = replaced(tools, folder, &mlir, "gfx942")?;
    if count != operations.len() {
        return Err(format!("{count} of {} are replaced", operations.len()).into());
    }
    // A part of a chain may have been replaced.
    let text = tools.preprocessed(&mlir, "gfx942", &folder.join("kernels"))?;
    if let Some(line) = text.lines().find(|it| it.contains("linalg.")) {
        return Err(format!("it is left: {line}").into());
    }
    let module = folder.join("module.vmfb");
    tools.compile(&mlir, "gfx942", Some(&folder.join("kernels")), &module)?;
    for (number, operation) in operations.iter().enumerate() {
        check(tools, folder, &format!("f{number}"), operation)?;
    }
    Ok(())
}

/// Single differences: the function, its text, and the changed text.
const DIFFERENCES: [(usize, &str, &str); 16] = [
    // The initial value of a fold.
    (
        0,
        "%zero = arith.constant 0.0",
        "%zero = arith.constant 1.0",
    ),
    (1, "0xFF800000", "0xFF7FFFFF"),
    (
        3,
        "%zero = arith.constant 0.0",
        "%zero = arith.constant 1.0",
    ),
    // Another operation, or another element.
    (0, "arith.addf", "arith.mulf"),
    (1, "arith.maximumf", "arith.maxnumf"),
    (1, "%a, %o : f32", "%a, %a : f32"),
    (3, "math.rsqrt", "math.sqrt"),
    (3, "%v = arith.divf %a, %n", "%v = arith.mulf %a, %n"),
    (3, "%q = arith.mulf %a, %a", "%q = arith.mulf %a, %o"),
    (
        4,
        "%d = arith.subf %a, %m : f32\n    %s",
        "%d = arith.addf %a, %m : f32\n    %s",
    ),
    // Another constant.
    (3, "1.0e-6", "1.0e-5"),
    (3, "constant 256.0", "constant 255.0"),
    (4, "1.0e-5", "1.00001e-5"),
    // Another dimension, another operand, another order.
    (2, "dimension(1)", "dimension(0)"),
    (
        4,
        "ins(%x, %mean, %scale, %weight, %bias",
        "ins(%x, %scale, %mean, %weight, %bias",
    ),
    (3, "%h = arith.mulf %s, %g", "%h = arith.mulf %g, %s"),
];

const MAX: &str = "func.func @main(%x: tensor<6x96xf32>) -> tensor<6xf32> {
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6xf32>
  %z = linalg.fill ins(%least : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%x : tensor<6x96xf32>) outs(%z : tensor<6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}
";

pub(crate) fn other_linalg_is_left_alone(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let sum = Operation {
        kind: Kind::Sum,
        sizes: vec![6, 64],
        reduced: 1,
        element: F32,
    };
    let functions = [
        sum.mlir(),
        MAX.to_owned(),
        rows(Kind::Softmax, 4, 256, F32).mlir(),
        rows(Kind::RmsNorm, 4, 256, F32).mlir(),
        rows(Kind::LayerNorm, 4, 256, F32).mlir(),
    ];
    let whole = module_of(&functions);
    export(tools, folder, &whole, "gfx942")?;
    let count = |mlir: &str| replaced(tools, folder, mlir, "gfx942");
    let all = count(&whole)?;
    if all != functions.len() {
        return Err(format!("{all} are replaced").into());
    }
    for (number, from, to) in DIFFERENCES {
        let mut others = functions.clone();
        others[number] = functions[number].replacen(from, to, 1);
        if others == functions {
            return Err(format!("nothing is {from:?}").into());
        }
        let found = count(&module_of(&others))?;
        if found != all - 1 {
            let were = format!("{found} are replaced where {to:?} stands for {from:?}");
            return Err(were.into());
        }
    }
    Ok(())
}

/// Returns an RMS norm of sums. `with` uses the sums elsewhere, and `results` are the types of
/// the results.
fn of_sums(with: &str, results: &str, returned: &str) -> String {
    let norm = rows(Kind::RmsNorm, 4, 256, F32).mlir();
    let norm = norm.replace(
        "%x: tensor<4x256xf32>",
        "%left: tensor<4x256xf32>, %right: tensor<4x256xf32>",
    );
    let sums = "  %whole = tensor.empty() : tensor<4x256xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%left, %right : tensor<4x256xf32>, tensor<4x256xf32>) outs(%whole : tensor<4x256xf32>) {
  ^bb0(%c: f32, %d: f32, %o: f32):
    %s = arith.addf %c, %d : f32
    linalg.yield %s : f32
  } -> tensor<4x256xf32>
";
    let (head, body) = norm.split_once("{\n").unwrap_or_default();
    let body = body.replace(
        "  return %result : tensor<4x256xf32>\n",
        &format!("{with}  return {returned} : {results}\n"),
    );
    let head = head.replace("-> tensor<4x256xf32>", &format!("-> ({results})"));
    format!("{head}{{\n{sums}{body}")
}

/// Checks both problems: the normed sums have another use, or none.
pub(crate) fn norms_of_sums(tools: &Tools) -> Result<(), Failed> {
    let one = "tensor<4x256xf32>";
    let cases = [
        (of_sums("", one, "%result"), "add_rms_norm:4x[256]xf32", 1),
        (
            of_sums("", &format!("{one}, {one}"), "%result, %x"),
            "add_rms_norm:4x[256]xf32",
            2,
        ),
    ];
    for (mlir, problem, results) in cases {
        let folder = tempfile::tempdir()?;
        let folder = folder.path();
        let answer = export(tools, folder, &mlir, "gfx942")?;
        if answer["kernels"][0]["problem"] != problem {
            return Err(format!("{problem}: {answer}").into());
        }
        norm_of_sums_is_right(tools, folder, &mlir, results)?;
    }
    Ok(())
}

/// Returns the RMS norm of a sum without another use.
pub(crate) fn norm_of_sums() -> String {
    of_sums("", "tensor<4x256xf32>", "%result")
}

/// Checks that the folder's kernels replace one operation of a norm of sums. The norm equals the
/// host's, and the sums too if they are results.
pub(crate) fn norm_of_sums_is_right(
    tools: &Tools,
    folder: &Path,
    mlir: &str,
    results: usize,
) -> Result<(), Failed> {
    let operation = rows(Kind::RmsNorm, 4, 256, F32);
    if replaced(tools, folder, mlir, "gfx942")? != 1 {
        return Err("not one operation is replaced".into());
    }
    let module = folder.join("module.vmfb");
    tools.compile(mlir, "gfx942", Some(&folder.join("kernels")), &module)?;
    let inputs = [(vec![4, 256], 1), (vec![4, 256], 2), (vec![256], 3)];
    let inputs = inputs.map(|(sizes, seed)| {
        let bytes = drawn(&sizes, F32, seed);
        (format!("{}xf32", joined(&sizes)), bytes)
    });
    let found = tools.run(folder, &module, "main", &inputs, results)?;
    let [a, b, weight] = inputs.map(|(_, bytes)| F32.numbers(&bytes));
    let sums = a.iter().zip(&b).map(|(a, b)| f64::from((a + b) as f32));
    let sums: Vec<f64> = sums.collect();
    let off = error(&operation, &[sums.clone(), weight], &F32.numbers(&found[0]));
    if off > WRONG.0 || found.get(1).is_some_and(|it| F32.numbers(it) != sums) {
        return Err(format!("off by {off} steps, or its sums are wrong").into());
    }
    Ok(())
}

/// Checks the usual forms, with problems named by hand; a largest element is one of the elements.
pub(crate) fn usual_forms_are_replaced(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let softmax = rows(Kind::Softmax, 4, 256, F32);
    let dot = rows(Kind::Dot, 16, 256, F16);
    let mlir = [
        MAX.replace("@main", "@f0"),
        softmax.mlir().replace("@main", "@f1"),
        dot.mlir().replace("@main", "@f2"),
    ];
    let mlir = mlir.concat();
    let problems = [
        "max:6x[96]xf32".to_owned(),
        softmax.problem(),
        dot.problem(),
    ];
    super::export(tools, folder, &problems)?;
    let count = replaced(tools, folder, &mlir, "gfx942")?;
    if count != problems.len() {
        return Err(format!("{count} are replaced").into());
    }
    let module = folder.join("module.vmfb");
    tools.compile(&mlir, "gfx942", Some(&folder.join("kernels")), &module)?;
    check(tools, folder, "f1", &softmax)?;
    check(tools, folder, "f2", &dot)?;
    let bytes = drawn(&[6, 96], F32, 5);
    let input = [("6x96xf32".to_owned(), bytes.clone())];
    let found = tools.run(folder, &module, "f0", &input, 1)?;
    let numbers = F32.numbers(&bytes);
    let rows = numbers.chunks(96);
    let expected = rows.map(|row| row.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    match F32.numbers(&found[0]).into_iter().eq(expected) {
        true => Ok(()),
        false => Err("the greatest elements are others".into()),
    }
}

/// Checks that the chains of torch's operations are replaced, with or without a model.
pub(crate) fn chains_of_torch_are_replaced(tools: &Tools) -> Result<(), Failed> {
    let chains = [
        (
            include_str!("../../../../configgen/src/linalg/frontend_forms/softmax.mlir"),
            "softmax:4x[256]xf32",
            Some(Kind::Softmax),
        ),
        (
            include_str!("../../../../configgen/src/linalg/frontend_forms/log_softmax.mlir"),
            "log_softmax:4x[256]xf32",
            None,
        ),
        (
            include_str!("../../../../configgen/src/linalg/frontend_forms/log_sum_exp.mlir"),
            "log_sum_exp:4x[256]xf32",
            None,
        ),
        (
            include_str!("../../../../configgen/src/linalg/frontend_forms/layer_norm.mlir"),
            "layer_norm:4x[256]xf32",
            Some(Kind::LayerNorm),
        ),
        (
            include_str!("../../../../configgen/src/linalg/frontend_forms/rms_norm.mlir"),
            "rms_norm:4x[256]xf32",
            Some(Kind::RmsNorm),
        ),
    ];
    let mlir: String = chains
        .iter()
        .enumerate()
        .map(|(number, (text, problem, _))| {
            let epsilon = if problem.starts_with("rms") {
                "1.0e-6"
            } else {
                "1.0e-5"
            };
            text.replace("@f", &format!("@f{number}"))
                .replace("ROWS", "4")
                .replace("COLUMNS", "256")
                .replace("COUNT", "256.0 : f32")
                .replace("EPSILON", &format!("{epsilon} : f32"))
        })
        .collect();
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let shown = export(tools, folder, &mlir, "gfx942")?;
    let found = |answer: &Value| -> Vec<String> {
        let kernels = answer["kernels"].as_array().into_iter().flatten();
        let problems = kernels.filter_map(|it| it["problem"].as_str());
        problems.map(str::to_owned).collect()
    };
    let problems = chains.map(|(_, problem, _)| problem.to_owned());
    if found(&shown) != problems {
        return Err(format!("{shown}").into());
    }
    super::export(tools, folder, &problems)?;
    let count = replaced(tools, folder, &mlir, "gfx942")?;
    if count != chains.len() {
        return Err(format!("{count} of {} are replaced", chains.len()).into());
    }
    let module = folder.join("module.vmfb");
    tools.compile(&mlir, "gfx942", Some(&folder.join("kernels")), &module)?;
    for (number, (_, _, kind)) in chains.iter().enumerate() {
        if let Some(kind) = kind {
            let operation = rows(*kind, 4, 256, F32);
            check(tools, folder, &format!("f{number}"), &operation)?;
        }
    }
    Ok(())
}
