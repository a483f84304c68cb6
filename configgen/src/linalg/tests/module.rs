//! Tests of the operations of whole modules, and of their forms.

use super::super::{ModuleReduction, OperationForm, operations};
use super::{COUNTS, accepted, said};

/// Checks that a printed form is the same operation in the same form.
#[test]
fn forms_are_read_back() {
    let mut forms = 0;
    for (text, problem) in accepted() {
        let found = operations(text, &COUNTS).unwrap();
        println!("{problem}: {:?}", said(text));
        let Some(form) = found.iter().find_map(|it| it.form.clone()) else {
            continue;
        };
        // A printed form has no users outside of it.
        if form.outputs().iter().any(|it| it.producer.is_some()) {
            continue;
        }
        forms += 1;
        let text = form.to_string();
        let again = operations(&text, &COUNTS).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.len(), 1, "{text}");
        assert_eq!(
            again[0].problem.as_ref().ok(),
            found[0].problem.as_ref().ok(),
            "{text}"
        );
        assert_eq!(again[0].form.as_ref(), Some(&form), "{text}");
    }
    assert!(forms >= 20, "{forms}");
}

/// Returns the elements divided by their row's sum, which comes with another result of type
/// `other`.
fn with_two_results(other: &str) -> String {
    format!(
        "%zero = arith.constant 0.0 : f32
%more = arith.constant 0 : {other}
%e = tensor.empty() : tensor<4xf32>
%f = tensor.empty() : tensor<4x{other}>
%begin = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
%also = linalg.fill ins(%more : {other}) outs(%f : tensor<4x{other}>) -> tensor<4x{other}>
%s:2 = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]}} ins(%x : tensor<4x8xf32>) outs(%begin, %also : tensor<4xf32>, tensor<4x{other}>) {{
^bb0(%a: f32, %o: f32, %p: {other}):
  %0 = arith.mulf %a, %a : f32
  %1 = arith.addf %0, %o : f32
  linalg.yield %1, %p : f32, {other}
}} -> (tensor<4xf32>, tensor<4x{other}>)
%whole = tensor.empty() : tensor<4x8xf32>
%n = arith.constant 8.0 : f32
%epsilon = arith.constant 1.0e-6 : f32
%r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]}} ins(%x, %s#0, %w : tensor<4x8xf32>, tensor<4xf32>, tensor<8xf32>) outs(%whole : tensor<4x8xf32>) {{
^bb0(%a: f32, %i: f32, %g: f32, %o: f32):
  %0 = arith.divf %i, %n : f32
  %1 = arith.addf %0, %epsilon : f32
  %2 = math.rsqrt %1 : f32
  %3 = arith.mulf %a, %2 : f32
  %4 = arith.mulf %3, %g : f32
  linalg.yield %4 : f32
}} -> tensor<4x8xf32>
"
    )
}

/// Checks that producers with several results of one type have no form: matchers do not compare
/// numbers.
#[test]
fn results_of_one_type_are_not_told_apart() {
    assert_eq!(said(&with_two_results("i32")), ["rms_norm:4x[8]xf32 chain"]);
    let same = with_two_results("f32").replace("constant 0 : f32", "constant 0.0 : f32");
    assert_eq!(said(&same), ["rms_norm:4x[8]xf32 none"]);
}

/// Checks that products of matrices are no reductions, unless one has a single row or column.
#[test]
fn products_of_matrices_are_left_out() {
    let product = |rest: &str, rows: &str| {
        let kinds = [
            format!("{rows}x8xf32"),
            "8x4xf32".to_owned(),
            format!("{rows}x4xf32"),
        ];
        let [x, y, z] = kinds.map(|it| format!("tensor<{it}>"));
        said(&format!(
            "%zero = arith.constant 0.0 : f32
%e = tensor.empty() : {z}
%z = linalg.fill ins(%zero : f32) outs(%e : {z}) -> {z}
%r = linalg.matmul {rest} ins(%x, %y : {x}, {y}) outs(%z : {z}) -> {z}
"
        ))
    };
    assert_eq!(product("", "1"), ["dot:[8]x4xf32,f32(0) product"]);
    assert!(product("", "2").is_empty());
    assert!(product("", "?").is_empty());
    assert!(product("{tag = 1}", "2").is_empty());
    assert!(product("{tag = 1}", "1").is_empty());
    let transposed = "indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d1, d0)>]";
    assert!(product(transposed, "2").is_empty());
    assert!(product("indexing_maps = [affine_map<(d0) -> (d0)>]", "1").is_empty());
}

/// Checks that the rows of a single batch are a problem's count, as are those of several.
#[test]
fn outer_dimensions_of_size_1_are_left_out() {
    let dot = |length: &str| {
        said(&format!(
            "%zero = arith.constant 0.0 : f32
%e = tensor.empty(%n) : tensor<1x?xf32>
%z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?xf32>) -> tensor<1x?xf32>
%r = linalg.generic {{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}} ins(%x, %y : tensor<1x?x{length}xf32>, tensor<{length}xf32>) outs(%z : tensor<1x?xf32>) {{
^bb0(%a: f32, %b: f32, %o: f32):
  %0 = arith.mulf %a, %b : f32
  %1 = arith.addf %0, %o : f32
  linalg.yield %1 : f32
}} -> tensor<1x?xf32>
"
        ))
    };
    assert_eq!(dot("8"), ["dot:?x[8]xf32,f32(1):count=2..9 generic"]);
    assert_eq!(
        dot("?"),
        ["dimension 2 is dynamic; only the outermost one may be, and only if it is parallel none"]
    );
    let softmax = |sizes: &str, dimension: usize| {
        let kind = format!("tensor<{sizes}xf32>");
        let (ins, outs) = (format!("ins(%x : {kind})"), format!("outs(%e : {kind})"));
        said(&format!(
            "%e = tensor.empty(%n) : {kind}\n%r = linalg.softmax dimension({dimension}) {ins} {outs} -> {kind}\n"
        ))
    };
    assert_eq!(
        softmax("1x1x?x8", 3),
        ["softmax:?x[8]xf32:count=2..9 softmax"]
    );
    assert_eq!(softmax("1x8x5", 1), ["softmax:1x[8]x5xf32 softmax"]);
    let refused =
        "dimension 1 is dynamic; only the outermost one may be, and only if it is parallel none";
    assert_eq!(softmax("1x?x8", 0), [refused]);
    assert_eq!(
        softmax("2x?x8", 2),
        ["softmax:?x[8]xf32:count=2..9 softmax"]
    );
    assert_eq!(softmax("1x?x8", 1), [refused]);
}

/// Checks that an open outermost size is open in all places of a form.
#[test]
fn sizes_are_dynamic_with_their_count() {
    let module = with_two_results("i32");
    let open = module.replace("tensor<4x", "tensor<?x");
    assert_eq!(said(&open), ["rms_norm:?x[8]xf32:count=2..9 chain"]);
    // The output must have an open size too.
    let given = open.replace("%whole = tensor.empty() : tensor<?x8xf32>\n", "");
    assert_eq!(said(&given), ["rms_norm:?x[8]xf32:count=2..9 none"]);
    let differ = [
        (
            "tensor<4xf32>, tensor<8xf32>",
            "tensor<4xf32>, tensor<?xf32>",
        ),
        ("outs(%whole : tensor<4x8", "outs(%whole : tensor<?x8"),
    ];
    for (known, open) in differ {
        let open = module.replace(known, open);
        assert_eq!(said(&open), ["rms_norm:4x[8]xf32 none"], "{known}");
    }
    let softmax = include_str!("../frontend_forms/softmax.mlir").replace("ROWS", "?");
    let softmax = softmax.replace("COLUMNS", "8");
    let problem = "softmax:?x[8]xf32:count=2..9";
    assert_eq!(said(&softmax), [format!("{problem} chain")]);
    let further = softmax.replacen("outs(%6 : tensor<?x8", "outs(%6 : tensor<?x?", 1);
    assert_eq!(said(&further), [format!("{problem} none")]);
}

#[track_caller]
fn check_usual(problem: &str, expected: &[&str]) {
    let problem: crate::Problem = problem.parse().unwrap();
    let forms = OperationForm::frontend_forms(&problem);
    let names: Vec<&str> = forms.iter().map(OperationForm::name).collect();
    assert_eq!(names, expected, "{problem}");
    for form in forms {
        let printed = form.to_string();
        let found =
            operations(&printed, &COUNTS).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        let [found] = &found[..] else {
            panic!("{problem}: several in\n{printed}");
        };
        let read = found
            .problem
            .as_ref()
            .unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(read.to_string(), problem.to_string(), "{printed}");
        assert_eq!(found.form.as_ref(), Some(&form), "{printed}");
    }
}

/// Checks that each usual form of a problem reads as that problem.
#[test]
fn usual_forms_are_read_as_their_problem() {
    let both = ["generic", "reduce", "generic", "reduce"];
    for problem in [
        "sum:4x[768]xf32",
        "sum:[3]x4x[5]xbf16",
        "sum:[7]x[9]xf16:f64:initial=1.5",
        "max:[768]x4xf32",
        "umin:4x[8]xi16",
        "usum:4x[8]xi8",
        "and:[8]xi64",
        "square_sum:4x[8]xf16",
        "sum(1=arith.constant(f32,40000000);arith.mulf(0,1)):4x[8]xf32",
    ] {
        check_usual(problem, &both);
    }
    // A product with a vector, and one with a matrix of one row.
    let products = ["generic", "generic", "product", "product"];
    for problem in [
        "dot:4x[8]xf32,f32(1)",
        "dot:[4]x8xbf16,bf16(0)",
        "dot:2x4x[8]xf16,f16(0,2)",
    ] {
        check_usual(problem, &products);
    }
    let of_one_row = ["generic", "generic", "product"];
    check_usual("dot:2x[4]x8xf16,f16(0,1)", &of_one_row);
    check_usual("dot:2x4x[8]xf16,f16(1,2)", &["generic", "generic"]);
    check_usual("dot:2x[4]x[8]xf16,f16(0,1)", &["generic", "generic"]);
    check_usual("dot:4x[8]xf32,f32(0,1)", &["generic", "generic"]);
    check_usual("softmax:4x[8]x3xbf16", &["softmax"]);
    for view in [
        "sum:4x[8]xf32(0,-1+7)",
        "dot:4x[8]xf32,f32(1-1:7)",
        "sum:4x[8]xf32(@1:9,1),i32(0)",
        "sum(2=arith.sitofp(1,f32);arith.mulf(0,2)):4x[8]xf32,index(1)",
    ] {
        check_usual(view, &[]);
    }
    for problem in [
        "log_softmax:4x[8]xf32",
        "log_sum_exp:64x[768]xf32",
        "layer_norm:4x[4096]xf32",
        "layer_norm:4x[96]xf32:epsilon=1e-3",
        "rms_norm:5x[1000]xf32",
        "rms_norm:5x[1000]xf32:epsilon=0.25",
    ] {
        check_usual(problem, &["chain"]);
    }
    check_usual("softmax:4x[8]xf32", &["softmax", "chain"]);
    check_usual("layer_norm:1x[8]xf32", &["chain"]);
    check_usual("layer_norm:4x[8]xf16", &[]);
    check_usual("layer_norm:[4]x8xf32", &[]);
    check_usual("layer_norm:2x4x[8]xf32", &[]);
    check_usual("add_rms_norm:4x[8]xf32", &[]);
    check_usual("softmax:[4]x[8]xf32", &[]);
    check_usual("sum:?x[8]xf32:count=2..9", &both);
    check_usual(
        "dot:?x[8]xf16,f16(1):count=2..9",
        &["generic", "generic", "product"],
    );
    check_usual("softmax:?x[8]xf32:count=2..9", &["softmax", "chain"]);
    check_usual("layer_norm:?x[8]xf32:count=2..9", &["chain"]);
    check_usual("sum:4x[8]xf32:pitch=9", &[]);
    check_usual("argmax:4x[8]xf32", &[]);
}

/// Returns the entry, then its parts in brackets, with the traffic of the rest.
fn with_parts(found: &ModuleReduction) -> String {
    let problem = match &found.problem {
        Ok(problem) => problem.to_string(),
        Err(error) => error.message.clone(),
    };
    if found.parts.is_empty() {
        return problem;
    }
    let parts: Vec<String> = found.parts.iter().map(with_parts).collect();
    let rest = found.rest;
    format!(
        "{problem} [{}] {}+{}",
        parts.join(", "),
        rest.read,
        rest.written
    )
}

#[track_caller]
pub(super) fn check_parts(module: &str, expected: &str) {
    let found = operations(module, &COUNTS).unwrap();
    let found: Vec<String> = found.iter().map(with_parts).collect();
    assert_eq!(found.join("; "), expected);
}

/// Checks the parts of chains, and the traffic of the rest, which was counted by hand.
#[test]
fn chains_have_parts() {
    let text = |begins: &str, has: &str| {
        let found = accepted().find(|it| it.1 == begins && it.0.contains(has));
        found.unwrap().0
    };
    // All are 64 x 768 numbers: the norm's, the weight and the bias are read; then the result is
    // written. Within it: the elements and two numbers per row; then the squared values and the
    // norm.
    check_parts(
        text("layer_norm:64x[768]xf32", ""),
        "layer_norm:64x[768]xf32 [standardize:64x[768]xf32 [sum:64x[768]xf32, square_sum:64x[768]xf32 [sum:64x[768]xf32] 196608+196608] 197120+393216] 202752+196608",
    );
    // The elements, the greatest of each row, and the sum; exponentials of 32 bits, and the
    // result.
    check_parts(
        text("softmax:[8]x4xf16", "linalg.generic"),
        "softmax:[8]x4xf16 [maxnum:[8]x4xf16, sum:[8]x4xf32] 88+192",
    );
    // Each of them uses both inputs.
    check_parts(
        text("add_rms_norm:4x[8]xf32", ""),
        "add_rms_norm:4x[8]xf32 [sum(2=arith.addf(0,1);arith.mulf(2,2)):4x[8]xf32,f32] 304+256",
    );
    // The sums belong to the norm, with or without other users.
    let sums = text("add_rms_norm:2x3x[16]xbf16", "");
    let parts = "add_rms_norm:2x3x[16]xbf16 [rms_norm:2x3x[16]xbf16 [square_sum:2x3x[16]xbf16] 248+192] 384+192";
    check_parts(sums, parts);
    check_parts(
        &sums.replace("return %r, %sums : tensor<2x3x16xbf16>,", "return %r :"),
        parts,
    );
    // Reshapes behind it are free, and it is no part of itself. The elements and the sums are
    // read; the summed values and the result are written.
    check_parts(
        text("log_sum_exp:64x[768]xf32", ""),
        "log_sum_exp:64x[768]xf32 [max:64x[768]xf32, sum:64x[768]xf32] 197120+196864",
    );
    // torch's form: the squares are computed first, and the greatest element comes with its
    // index.
    let usual = |problem: &str| {
        let forms = OperationForm::frontend_forms(&problem.parse().unwrap());
        forms.last().unwrap().to_string()
    };
    check_parts(
        &usual("rms_norm:4x[8]xf32"),
        "rms_norm:4x[8]xf32 [square_sum:4x[8]xf32 [sum:4x[8]xf32] 128+128] 176+128",
    );
    check_parts(
        &usual("softmax:4x[8]xf32"),
        "softmax:4x[8]xf32 [max:4x[8]xf32, sum:4x[8]xf32] 160+256",
    );
    check_parts(
        &usual("layer_norm:4x[8]xf32"),
        "layer_norm:4x[8]xf32 [standardize:4x[8]xf32 [sum:4x[8]xf32, square_sum:4x[8]xf32 [sum:4x[8]xf32] 128+128] 160+256] 192+128",
    );
    // A sum with a second result that nothing reads is the sum.
    check_parts(
        &with_two_results("i32"),
        "rms_norm:4x[8]xf32 [square_sum:4x[8]xf32] 176+128",
    );
}

/// Returns a sum of rows of a body's values, on %x of 4 x 8 and on %y, which this map accesses.
fn sum_of(y: &str, map: &str, body: &str) -> String {
    format!(
        "#all = affine_map<(d0, d1) -> (d0, d1)>
util.func public @f(%x: tensor<4x8xf32>, %y: tensor<{y}>) -> tensor<4xf32> {{
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %row = tensor.empty() : tensor<4xf32>
  %whole = tensor.empty() : tensor<4x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%row : tensor<4xf32>) -> tensor<4xf32>
  %z = linalg.generic {{indexing_maps = [#all, affine_map<(d0, d1) -> {map}>, #all], iterator_types = [\"parallel\", \"parallel\"]}} ins(%x, %y : tensor<4x8xf32>, tensor<{y}>) outs(%whole : tensor<4x8xf32>) {{
  ^bb0(%a: f32, %b: f32, %out: f32):
{body}
  }} -> tensor<4x8xf32>
  %r = linalg.generic {{indexing_maps = [#all, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]}} ins(%z : tensor<4x8xf32>) outs(%none : tensor<4xf32>) {{
  ^bb0(%a: f32, %out: f32):
    %0 = arith.addf %a, %out : f32
    linalg.yield %0 : f32
  }} -> tensor<4xf32>
  util.return %r : tensor<4xf32>
}}
"
    )
}

/// Checks that operations without other users become a reduction's function.
#[test]
fn reductions_use_computed_values() {
    const PRODUCT: &str = "    %0 = arith.mulf %a, %b : f32\n    linalg.yield %0 : f32";
    #[track_caller]
    fn check_of(y: &str, map: &str, body: &str, expected: &str) {
        check_parts(&sum_of(y, map, body), expected);
    }
    let alone = "[sum:4x[8]xf32]";
    check_of(
        "4x8xf32",
        "(d0, d1)",
        PRODUCT,
        &format!("dot:4x[8]xf32,f32 {alone} 256+128"),
    );
    check_of(
        "8xf32",
        "(d1)",
        PRODUCT,
        &format!("dot:4x[8]xf32,f32(1) {alone} 160+128"),
    );
    check_of(
        "8x4xf32",
        "(d1, d0)",
        PRODUCT,
        &format!("dot:4x[8]xf32,f32(1,0) {alone} 256+128"),
    );
    check_of(
        "1x8xf32",
        "(0, d1)",
        PRODUCT,
        &format!("dot:4x[8]xf32,f32(1) {alone} 160+128"),
    );
    let scaled = "    %0 = arith.mulf %b, %two : f32\n    %1 = arith.subf %a, %0 : f32\n    linalg.yield %1 : f32";
    check_of(
        "4xf32",
        "(d0)",
        scaled,
        &format!(
            "sum(2=arith.constant(f32,40000000);3=arith.mulf(1,2);arith.subf(0,3)):4x[8]xf32,f32(0) {alone} 144+128"
        ),
    );
    // A producer may have its loops in another order.
    let turned = sum_of("8xf32", "(d0)", PRODUCT)
        .replace(
            "#all = ",
            "#turned = affine_map<(d0, d1) -> (d1, d0)>\n#all = ",
        )
        .replace(
            "[#all, affine_map<(d0, d1) -> (d0)>, #all]",
            "[#turned, affine_map<(d0, d1) -> (d0)>, #turned]",
        );
    check_parts(&turned, &format!("dot:4x[8]xf32,f32(1) {alone} 160+128"));
    // With an inexact operation it is a row program. An operation with other users is a result,
    // and one read from outside of the iteration is an input.
    let exponential =
        "    %0 = math.exp %a : f32\n    %1 = arith.mulf %0, %b : f32\n    linalg.yield %1 : f32";
    check_of(
        "8xf32",
        "(d1)",
        exponential,
        "rows(sum(exp(x)*x1)):4x[8]xf32,f32(1) [sum:4x[8]xf32] 160+128",
    );
    check_of("2x8xf32", "(0, d1)", PRODUCT, "sum:4x[8]xf32");
    let both = sum_of("8xf32", "(d1)", PRODUCT).replace("util.return %r :", "util.return %r, %z :");
    check_parts(
        &both,
        "rows(e1=x*x1;sum(e1),e1):4x[8]xf32,f32(1) [sum:4x[8]xf32] 160+128",
    );
    // One input is unused.
    let of_one = "    %0 = arith.mulf %a, %a : f32\n    linalg.yield %0 : f32";
    check_of(
        "8xf32",
        "(d1)",
        of_one,
        "square_sum:4x[8]xf32 [sum:4x[8]xf32] 160+128",
    );
}

/// Checks that an operation that no program has stays outside of a row operation, and that the
/// operation is found.
#[test]
fn a_chain_is_cut_behind_pointwise_operations() {
    #[track_caller]
    fn check(problem: &str) {
        let problem: crate::Problem = problem.parse().unwrap();
        let forms = OperationForm::frontend_forms(&problem);
        let chain = forms.iter().find(|form| form.operations() > 1).unwrap();
        let scale = "%made = tensor.empty() : tensor<4x256xf32>
%scaled = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%argument0 : tensor<4x256xf32>) outs(%made : tensor<4x256xf32>) {
^bb0(%a: f32, %o: f32):
  %0 = math.atan %a : f32
  linalg.yield %0 : f32
} -> tensor<4x256xf32>
";
        let chain = chain.to_string();
        let (arguments, operations) = chain.split_once('\n').unwrap();
        let operations = operations.replace("%argument0", "%scaled");
        let module = format!("{arguments}\n{scale}{operations}");
        assert_eq!(said(&module), [format!("{problem} chain")], "{module}");
    }

    check("softmax:4x[256]xf32");
    check("log_softmax:4x[256]xf32");
    check("log_sum_exp:4x[256]xf32");
}
