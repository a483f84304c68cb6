//! Tests of the reasons for operations that are no problem.

use iree_export::{ModuleProblem, OperationPlace, find_problems};

const ROW: &str = "affine_map<(d0, d1) -> (d0)>";
const ALL: &str = "affine_map<(d0, d1) -> (d0, d1)>";

/// Returns a pointwise operation on `tensor<4x64x…>`.
fn pointwise(name: &str, inputs: &[(&str, &str, &str)], to: &str, body: &str) -> String {
    let maps: Vec<&str> = inputs.iter().map(|it| it.1).chain([ALL]).collect();
    let names: Vec<&str> = inputs.iter().map(|it| it.0).collect();
    let types: Vec<&str> = inputs.iter().map(|it| it.2).collect();
    let arguments = inputs.iter().enumerate().map(|(number, it)| {
        let element = it.2.rsplit('x').next().unwrap().trim_end_matches('>');
        format!("%in_{number}: {element}, ")
    });
    let arguments: String = arguments.collect();
    format!(
        "    %{name}_to = tensor.empty() : tensor<4x64x{to}>
    %{name} = linalg.generic {{indexing_maps = [{}], iterator_types = [\"parallel\", \"parallel\"]}} ins({} : {}) outs(%{name}_to : tensor<4x64x{to}>) {{
    ^bb0({arguments}%out: {to}):
{body}
    }} -> tensor<4x64x{to}>
",
        maps.join(", "),
        names.join(", "),
        types.join(", ")
    )
}

/// Returns a norm of rows of f16: its f32 result is rounded before a product with the weights.
fn norm(multiply: &str) -> String {
    let wide = pointwise(
        "wide",
        &[("%x", ALL, "tensor<4x64xf16>")],
        "f32",
        "      %1 = arith.extf %in_0 : f16 to f32
      linalg.yield %1 : f32",
    );
    let norm = pointwise(
        "norm",
        &[
            ("%wide", ALL, "tensor<4x64xf32>"),
            ("%sum", ROW, "tensor<4xf32>"),
        ],
        "f16",
        "      %1 = arith.divf %in_1, %n : f32
      %2 = arith.addf %1, %epsilon : f32
      %3 = math.rsqrt %2 : f32
      %4 = arith.mulf %in_0, %3 : f32
      %5 = arith.truncf %4 : f32 to f16
      linalg.yield %5 : f16",
    );
    format!(
        "  util.func public @net$async(%x: tensor<4x64xf16>, %w: tensor<64xf16>) -> tensor<4x64xf16> {{
    %zero = arith.constant 0.0 : f32
    %n = arith.constant 64.0 : f32
    %epsilon = arith.constant 1.0e-6 : f32
{wide}    %e = tensor.empty() : tensor<4xf32>
    %begin = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %sum = linalg.generic {{indexing_maps = [{ALL}, {ROW}], iterator_types = [\"parallel\", \"reduction\"]}} ins(%wide : tensor<4x64xf32>) outs(%begin : tensor<4xf32>) {{
    ^bb0(%in: f32, %out: f32):
      %1 = arith.mulf %in, %in : f32
      %2 = arith.addf %1, %out : f32
      linalg.yield %2 : f32
    }} -> tensor<4xf32>
{norm}{multiply}    util.return %scaled : tensor<4x64xf16>
  }}
"
    )
}

const WEIGHT: &str = "affine_map<(d0, d1) -> (d1)>";

/// A product with the weights.
const BY_WEIGHT: &str = "      %1 = arith.mulf %in_0, %in_1 : f16
      linalg.yield %1 : f16";

/// Returns the entries that are no problem.
fn missed(module: &str) -> Vec<ModuleProblem> {
    let all = find_problems(module, &(1..=512));
    all.into_iter().filter(|it| it.problem.is_err()).collect()
}

/// Checks the only reason, and the operation that departs from a row operation.
#[track_caller]
fn check(module: &str, reason: &str, operation: &str) {
    let missed = missed(module);
    let [one] = &missed[..] else {
        panic!("{missed:?}\n{module}");
    };
    assert_eq!(one.problem.as_ref().err().unwrap(), reason, "{module}");
    assert_eq!(one.count, 1);
    let line = module.lines().position(|it| it.contains(operation));
    let place = OperationPlace {
        function: "net".to_owned(),
        operation: operation.split_whitespace().next().unwrap().to_owned(),
        line: line.unwrap() + 1,
        location: None,
    };
    assert_eq!(one.places, [place], "{module}");
}

/// Checks that a module has one problem, a program of rows, and misses nothing.
#[track_caller]
fn check_program(module: &str, program: &str) {
    let found = find_problems(module, &(1..=512));
    let problems: Vec<_> = found.iter().map(|it| it.problem.as_ref()).collect();
    let texts: Vec<String> = problems
        .iter()
        .map(|it| it.map_or_else(|reason| (*reason).to_string(), |it| it.to_string()))
        .collect();
    assert_eq!(texts, [program], "{module}");
}

fn scaled(body: &str) -> String {
    pointwise(
        "scaled",
        &[
            ("%norm", ALL, "tensor<4x64xf16>"),
            ("%w", WEIGHT, "tensor<64xf16>"),
        ],
        "f16",
        body,
    )
}

#[test]
fn norms_that_round_before_the_weight_are_programs() {
    let by_weight = scaled(BY_WEIGHT);
    check_program(
        &norm(&by_weight),
        "rows(e1=f32(x);f16(e1*rsqrt(sum(e1*e1)/64+1e-6))*x1):4x[64]xf16,f16(1)",
    );
    let over_weight = scaled(
        "      %1 = arith.divf %in_0, %in_1 : f16
      linalg.yield %1 : f16",
    );
    check_program(
        &norm(&over_weight),
        "rows(e1=f32(x);f16(e1*rsqrt(sum(e1*e1)/64+1e-6))/x1):4x[64]xf16,f16(1)",
    );
}

/// Checks that operations in front of the norm, such as a residual sum of f16, are part of it.
#[test]
fn operations_in_front_are_part_of_a_program() {
    let by_weight = scaled(BY_WEIGHT);
    let residual = pointwise(
        "residual",
        &[
            ("%x", ALL, "tensor<4x64xf16>"),
            ("%x", ALL, "tensor<4x64xf16>"),
        ],
        "f16",
        "      %1 = arith.addf %in_0, %in_1 : f16
      linalg.yield %1 : f16",
    );
    let module = norm(&by_weight).replace("ins(%x :", "ins(%residual :");
    let module = module.replace("    %wide_to", &format!("{residual}    %wide_to"));
    check_program(
        &module,
        "rows(e1=f32(x+x);f16(e1*rsqrt(sum(e1*e1)/64+1e-6))*x1):4x[64]xf16,f16(1)",
    );
}

/// Checks that a norm is found although the operation behind it is in no program.
#[test]
fn an_operation_that_no_program_has_is_cut() {
    let bent = scaled(
        "      %1 = math.atan %in_0 : f16
      linalg.yield %1 : f16",
    );
    check_program(
        &norm(&bent),
        "rows(e1=f32(x);f16(e1*rsqrt(sum(e1*e1)/64+1e-6))):4x[64]xf16",
    );
}

/// A row's result that the row does not use again is no part of a missed operation.
#[test]
fn a_row_value_is_not_missed() {
    let module = norm("").replace("%scaled : tensor<4x64xf16>", "%sum : tensor<4xf32>");
    let (before, rest) = module.split_once("    %norm_to").unwrap();
    let (_, after) = rest.split_once("tensor<4x64xf16>\n    util").unwrap();
    assert_eq!(missed(&format!("{before}    util{after}")), []);
}

#[test]
fn operations_without_a_reader_are_named() {
    let module = "  util.func public @net(%x: tensor<1x8x7x7xf32>) -> tensor<1x8x1x1xf32> {
    %0 = tensor.empty() : tensor<7x7xf32>
    %1 = linalg.pooling_nchw_sum {dilations = dense<1> : vector<2xi64>} ins(%x, %0 : tensor<1x8x7x7xf32>, tensor<7x7xf32>) outs(%o : tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  }
";
    check(
        module,
        "linalg.pooling_nchw_sum has no kernel; kernels replace linalg.generic, linalg.reduce, linalg.softmax, \
         products with a vector and iree_linalg_ext.arg_compare",
        "linalg.pooling_nchw_sum {",
    );
}

/// The maximum of each row with its index, as torch.max writes it, with these results.
fn maximum(results: &str) -> String {
    format!(
        "  util.func public @net$async(%arg0: tensor<4x64xf32>) {{
    %least = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : i64
    %i_to = tensor.empty() : tensor<4xi64>
    %i = linalg.fill ins(%zero : i64) outs(%i_to : tensor<4xi64>) -> tensor<4xi64>
    %v_to = tensor.empty() : tensor<4xf32>
    %v = linalg.fill ins(%least : f32) outs(%v_to : tensor<4xf32>) -> tensor<4xf32>
    %7:2 = linalg.generic {{indexing_maps = [{ALL}, {ROW}, {ROW}], iterator_types = [\"parallel\", \"reduction\"]}} ins(%arg0 : tensor<4x64xf32>) outs(%v, %i : tensor<4xf32>, tensor<4xi64>) {{
    ^bb0(%in: f32, %out: f32, %out_0: i64):
      %8 = linalg.index 1 : index
      %9 = arith.index_cast %8 : index to i64
      %10 = arith.maximumf %in, %out : f32
      %11 = arith.cmpf ogt, %in, %out : f32
      %12 = arith.select %11, %9, %out_0 : i64
      linalg.yield %10, %12 : f32, i64
    }} -> (tensor<4xf32>, tensor<4xi64>)
    util.return {results}
  }}
"
    )
}

#[test]
fn an_index_that_nothing_reads_is_not_computed() {
    check_program(
        &maximum("%7#0, %7#1 : tensor<4xf32>, tensor<4xi64>"),
        "argmax:4x[64]xf32:i64",
    );
    let unread = maximum("%7#0 : tensor<4xf32>");
    check_program(&unread, "max:4x[64]xf32");
    check_program(
        &unread.replace("tensor<4x", "tensor<?x"),
        "max:?x[64]xf32:count=1..512",
    );
    // A selection passes over NaN and keeps the first of two zeros, as no fold does.
    let comparison = "      %11 = arith.cmpf ogt, %in, %out : f32\n";
    let extreme = "      %10 = arith.maximumf %in, %out : f32\n";
    let selection = "      %10 = arith.select %11, %in, %out : f32\n";
    let selected = unread.replace(comparison, "");
    let selected = selected.replace(extreme, &[comparison, selection].concat());
    check_program(&selected, "argmax:4x[64]xf32:i64");
    // One matcher would find both.
    let read = maximum("%7#0, %7#1 : tensor<4xf32>, tensor<4xi64>")
        .replace("@net", "@other")
        .replace("%7", "%70");
    check(
        &(unread + &read),
        "it computes the extreme with its index, and nothing reads the index: a kernel needs a \
         fold, such as arith.maximumf, and equal operations without readers of their indices",
        "linalg.generic",
    );
}

/// A loop over elements and their indices, as a reduction of StableHLO with two results becomes.
fn selection(decision: &str, operands: [&str; 2], first: [&str; 2], indices: &str) -> String {
    let [value, place] = [("f32", "%out, %in"), ("i32", "%out_1, %in_0")]
        .map(|(kind, operands)| format!("arith.select %keeps, {operands} : {kind}"));
    let (result, inputs) = (
        "(tensor<4xf32>, tensor<4xi32>)",
        "tensor<4x64xf32>, tensor<4x64xi32>",
    );
    let [begin, at] = first;
    let operands = operands.join(", ");
    format!(
        "  util.func public @net$async(%arg0: tensor<4x64xf32>, %ids: tensor<4x64xi32>) -> {result} {{
    %first = arith.constant {begin} : f32
    %at = arith.constant {at} : i32
    %iota_to = tensor.empty() : tensor<4x64xi32>
    %iota = linalg.generic {{indexing_maps = [{ALL}], iterator_types = [\"parallel\", \"parallel\"]}} outs(%iota_to : tensor<4x64xi32>) {{
    ^bb0(%out: i32):
      %1 = linalg.index 1 : index
      %2 = arith.index_cast %1 : index to i32
      linalg.yield %2 : i32
    }} -> tensor<4x64xi32>
    %v_to = tensor.empty() : tensor<4xf32>
    %v = linalg.fill ins(%first : f32) outs(%v_to : tensor<4xf32>) -> tensor<4xf32>
    %i_to = tensor.empty() : tensor<4xi32>
    %i = linalg.fill ins(%at : i32) outs(%i_to : tensor<4xi32>) -> tensor<4xi32>
    %7:2 = linalg.generic {{indexing_maps = [{ALL}, {ALL}, {ROW}, {ROW}], iterator_types = [\"parallel\", \"reduction\"]}} ins(%arg0, {indices} : {inputs}) outs(%v, %i : tensor<4xf32>, tensor<4xi32>) {{
    ^bb0(%in: f32, %in_0: i32, %out: f32, %out_1: i32):
      %1 = arith.cmpf oeq, %out, %in : f32
      %2 = arith.cmpi slt, %out_1, %in_0 : i32
      %3 = arith.andi %1, %2 : i1
      %4 = arith.cmpf {decision}, %out, %in : f32
      %keeps = arith.ori {operands} : i1
      %5 = {value}
      %6 = {place}
      linalg.yield %5, %6 : f32, i32
    }} -> {result}
    util.return %7#0, %7#1 : tensor<4xf32>, tensor<4xi32>
  }}
"
    )
}

/// Checks the reasons for selections of an element and its index that are not jax.numpy.argmax's.
#[test]
fn selections_by_other_rules() {
    let check = |decision, operands, first, indices, reason: &str| {
        let module = selection(decision, operands, first, indices);
        let missed = missed(&module);
        let reasons: Vec<&str> = missed
            .iter()
            .map(|it| it.problem.as_ref().unwrap_err().as_str())
            .collect();
        assert!(
            matches!(reasons[..], [one] if one.contains(reason)),
            "{reasons:?}\n{module}"
        );
    };
    let worst = ["0xFF800000", "0"];
    let by_both = ["%3", "%4"];
    let alone = ["%4", "%4"];
    check(
        "ogt",
        by_both,
        ["0.0", "-1"],
        "%iota",
        "it also decides by the indices",
    );
    check("ogt", by_both, worst, "%ids", "its indices are an input");
    check(
        "oge",
        alone,
        ["0x7F800000", "0"],
        "%iota",
        "its comparison is no order",
    );
    check(
        "uge",
        alone,
        ["0.0", "0"],
        "%iota",
        "it begins at another pair",
    );
}
