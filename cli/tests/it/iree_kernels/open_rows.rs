//! Row counts known at launch only, of plain reductions and row operations: a module is compiled
//! once and run with several counts.

use std::path::Path;

use testing::Failed;

use crate::iree_kernels::element::Element::{Bf16, F16, F32};
use crate::iree_kernels::linalg::{check, export_with, module_of, replaced};
use crate::iree_kernels::open_counts::{COUNTS, LARGEST};
use crate::iree_kernels::operation::{Kind, Operation, rows};
use crate::iree_kernels::tools::Tools;

/// The rows of the texts before they are made open.
const ROWS: usize = 4;

/// Returns the module with an open count, the rows of its first argument.
fn open(mlir: &str) -> Option<String> {
    let (_, rest) = mlir.split_once("(%")?;
    let (name, rest) = rest.split_once(": ")?;
    let (kind, _) = rest.split_once('>')?;
    let open = usize::from(kind.starts_with("tensor<1x"));
    let size = format!(
        "{{\n  %open = arith.constant {open} : index\n  %count = tensor.dim %{name}, %open : {kind}>\n"
    );
    let mut text = mlir.replacen("{\n", &size, 1);
    text = text.replace(&format!("[{ROWS}, 1]"), "[%count, 1]");
    for before in ["", "1x"] {
        let open = format!("tensor<{before}?x");
        text = text.replace(&format!("tensor<{before}{ROWS}x"), &open);
        text = text.replace(
            &format!("empty() : {open}"),
            &format!("empty(%count) : {open}"),
        );
    }
    Some(text)
}

/// Returns torch's form of a softmax, with dimensions of size 1 that come and go.
fn softmax_of_torch() -> String {
    let text = include_str!("../../../../configgen/src/linalg/frontend_forms/softmax.mlir");
    let text = text.replace("@f", "@main").replace("COLUMNS", "256");
    text.replace("ROWS", &ROWS.to_string())
}

/// Returns the softmax with its result in place of its input.
fn in_place(softmax: &str) -> String {
    softmax.replace("outs(%e", "outs(%x")
}

/// Checks that an operation with known sizes is left to IREE, unless a kernel is made for it: a
/// kernel for a few rows would be launched many times.
pub(crate) fn known_rows_stay(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let operations = [
        rows(Kind::Softmax, ROWS, 128, F32),
        rows(Kind::RmsNorm, ROWS, 128, Bf16),
    ];
    let known = module_of(&operations.each_ref().map(Operation::mlir));
    let texts = operations.iter().map(|it| open(&it.mlir()));
    let texts: Option<Vec<String>> = texts.collect();
    let open = module_of(&texts.ok_or("an argument")?);
    for (shown, expected) in [(&open, 0), (&known, operations.len())] {
        export_with(tools, folder, shown, "gfx942", &[])?;
        let found = replaced(tools, folder, &known, "gfx942")?;
        if found != expected {
            return Err(format!("{found} are replaced in place of {expected}").into());
        }
    }
    Ok(())
}

/// Checks that all operations are replaced, with correct results, at each count: in one launch up
/// to the kernels' largest, in several beyond it. So is an operation with a known count, if
/// nothing in it differs from an open one.
pub(crate) fn open_rows_are_replaced(tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let sum = Operation {
        kind: Kind::Sum,
        sizes: vec![ROWS, 16, 5],
        reduced: 1,
        element: F32,
    };
    // A batch of one sequence.
    let of_one = |kind| Operation {
        kind,
        sizes: vec![1, ROWS, 48],
        reduced: 2,
        element: F32,
    };
    let softmax = rows(Kind::Softmax, ROWS, 256, F32);
    let elsewhere = rows(Kind::Softmax, ROWS, 96, F32);
    let operations = [
        (sum.mlir(), sum),
        of(of_one(Kind::Sum)),
        of(of_one(Kind::Softmax)),
        of(rows(Kind::Dot, ROWS, 256, F16)),
        of(rows(Kind::Softmax, ROWS, 128, F32)),
        (softmax_of_torch(), softmax),
        (in_place(&elsewhere.mlir()), elsewhere),
        of(rows(Kind::LayerNorm, ROWS, 256, F32)),
        of(rows(Kind::RmsNorm, ROWS, 128, Bf16)),
    ];
    let texts = operations.iter().map(|it| open(&it.0));
    let texts: Option<Vec<String>> = texts.collect();
    let mut texts = texts.ok_or("an argument")?;
    let shown = module_of(&texts);
    let counts = format!("--counts=1..{LARGEST}");
    let answer = export_with(tools, folder, &shown, "gfx942", &[&counts])?;
    let found = answer["kernels"].as_array().map_or(0, Vec::len);
    if answer["left_out"] != serde_json::json!([]) || found != operations.len() {
        return Err(format!("{answer}").into());
    }
    // It has no empty tensor with an open size, so it matches any count.
    let known = rows(Kind::Softmax, LARGEST + 1, 96, F32);
    texts.push(in_place(&known.mlir()));
    let mlir = module_of(&texts);
    let kernels = folder.join("kernels");
    let text = tools.preprocessed(&mlir, "gfx942", &kernels)?;
    if let Some(line) = text.lines().find(|it| it.contains("linalg.")) {
        return Err(format!("it is left: {line}").into());
    }
    let module = folder.join("module.vmfb");
    tools.compile(&mlir, "gfx942", Some(&kernels), &module)?;
    check(tools, folder, &format!("f{}", operations.len()), &known)?;
    each_count_is_right(tools, folder, &operations.map(|it| it.1))
}

fn of(operation: Operation) -> (String, Operation) {
    (operation.mlir(), operation)
}

fn each_count_is_right(
    tools: &Tools,
    folder: &Path,
    operations: &[Operation],
) -> Result<(), Failed> {
    for (number, operation) in operations.iter().enumerate() {
        for count in COUNTS {
            let mut operation = operation.clone();
            let open = operation.sizes.iter_mut().find(|size| **size == ROWS);
            *open.ok_or("no dimension of open size")? = count;
            check(tools, folder, &format!("f{number}"), &operation)?;
        }
    }
    Ok(())
}
