//! Tests of programs with several results: values that others use, and operations over the same
//! rows.

use super::programs::{SUM, fold, map, module, rms_norm};
use super::{COUNTS, found, operations, said};

/// Returns a residual `%h`, the sums `%s` of its rows, and a result `%z` of both, with other
/// operations after the residual.
fn residual(between: &str) -> String {
    let add = "%0 = arith.addf %a, %b : f32\nlinalg.yield %0 : f32";
    let operations = [
        map(("h", "ef32"), &[("x", "ef32"), ("r", "ef32")], add),
        between.to_owned(),
        fold(("s", "rf32"), &[("h", "ef32")], SUM),
        map(
            ("z", "ef32"),
            &[("h", "ef32"), ("s", "rf32"), ("g", "ef32")],
            "%0 = arith.mulf %a, %b : f32\n%1 = arith.addf %0, %c : f32\nlinalg.yield %1 : f32",
        ),
    ];
    module("0.0", &operations)
}

/// Checks that a value with other users is one more result, unless an input of the program needs
/// it or a product makes it.
#[test]
fn values_with_other_users_are_results() {
    let rsqrt = "%0 = math.rsqrt %a : f32\nlinalg.yield %0 : f32";
    let text = rms_norm(rsqrt, "%0 = arith.mulf %a, %b : f16\nlinalg.yield %0 : f16");
    let check = |used: &str, expected: &str| {
        let returned = format!("util.return {used}, %z : tensor<4x8xf16>\n");
        assert_eq!(said(&(text.clone() + &returned)), [expected], "{used}");
    };
    let norm = "e1=f32(x);f16(e1*rsqrt(sum(e1*e1)/8+1e-6))*x1";
    // A widening is repeated.
    check("%w", &format!("rows({norm}):4x[8]xf16,f16(1) chain"));
    check(
        "%q",
        "rows(e1=f32(x);e2=e1*e1;f16(e1*rsqrt(sum(e2)/8+1e-6))*x1,e2):4x[8]xf16,f16(1) chain",
    );
    check(
        "%s, %v",
        "rows(e1=f32(x);r1=sum(e1*e1);r2=rsqrt(r1/8+1e-6);f16(e1*r2)*x1,r1,r2):4x[8]xf16,f16(1) chain",
    );
    let returned_residual =
        |between: &str| residual(between) + "util.return %h, %z : tensor<4x8xf32>\n";
    assert_eq!(
        said(&returned_residual("")),
        ["rows(e1=x+x1;e1*sum(e1)+x2,e1):4x[8]xf32,f32,f32 chain"]
    );
    // The other user may be an operation that is not read, or a body.
    let generic = |inputs: &str, accesses: &str, body: &str| {
        format!(
            "%e = linalg.generic {{indexing_maps = [{accesses}affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]}} \
             {inputs} outs(%o : tensor<4xf32>) {{\n{body}\nlinalg.yield %0 : f32\n}} -> tensor<4xf32>\n"
        )
    };
    for user in [
        "%e = tensor.expand_shape %h [[0], [1, 2]] output_shape [4, 2, 4] : tensor<4x8xf32> into tensor<4x2x4xf32>\n".to_owned(),
        generic(
            "ins(%h : tensor<4x8xf32>)",
            "affine_map<(d0) -> (d0, d0 * 2)>, ",
            "^bb0(%a: f32, %b: f32):\n%0 = arith.addf %a, %a : f32",
        ),
        generic(
            "",
            "",
            "^bb0(%b: f32):\n%i = linalg.index 0 : index\n%0 = tensor.extract %h[%i, %i] : tensor<4x8xf32>",
        ),
    ] {
        let text = returned_residual("").replace("util.return %h", &format!("{user}util.return %e"));
        assert_eq!(
            said(&text),
            ["rows(e1=x+x1;e1*sum(e1)+x2,e1):4x[8]xf32,f32,f32 chain"],
            "{user}"
        );
    }
    let outside = map(
        ("g", "ef32"),
        &[("h", "ef32")],
        "%0 = math.atan %a : f32\nlinalg.yield %0 : f32",
    );
    let cut = "rows(x*sum(x)+x1):4x[8]xf32,f32 chain";
    assert_eq!(said(&returned_residual(&outside)), [cut]);
    let kind = "tensor<4x8xf32>";
    let product = format!(
        "%x = linalg.matmul ins(%k, %l : {kind}, tensor<8x8xf32>) outs(%o : {kind}) -> {kind}\n"
    );
    assert_eq!(said(&(product + &returned_residual(""))), [cut]);
}

/// Checks that a kept result is none if an equal operation has its inputs in another order, since
/// one matcher finds both.
#[test]
fn kept_results_of_equal_operations() {
    let negated = map(
        ("g", "ef32"),
        &[("w", "ef32")],
        "%0 = math.atan %a : f32\nlinalg.yield %0 : f32",
    );
    let function = |before: &str, between: &str, returned: &str| {
        let text = residual(between);
        format!("func.func @f() {{\n{before}{text}return {returned} : tensor<4x8xf32>\n}}\n")
    };
    let kept = "rows(e1=x+x1;e1*sum(e1)+x2,e1):4x[8]xf32,f32,f32 chain".to_owned();
    let cut = "rows(x*sum(x)+x1):4x[8]xf32,f32 chain".to_owned();
    let whole = "rows(e1=x+x1;e1*sum(e1)+x2):4x[8]xf32,f32,f32 chain".to_owned();
    let first = function("", "", "%h, %z");
    let check = |second: &str, expected: [&String; 2]| {
        assert_eq!(said(&(first.clone() + second)), expected.map(String::clone));
    };
    check(&function(&negated, "", "%h, %z"), [&kept, &kept]);
    check(&function("", &negated, "%h, %z"), [&cut, &cut]);
    // The matcher finds an operation whose value has no other users, too.
    check(&function("", &negated, "%z"), [&cut, &whole]);
    let other = function("", &negated, "%z").replace("addf %0, %c", "subf %0, %c");
    check(&other, [&kept, &whole.replace("+x2", "-x2")]);
}

/// Checks that the norm of one row's residual has its name, whatever the ranks of its inputs.
#[test]
fn the_residual_norm_of_one_row() {
    let rows = |count: &str| {
        let operations = [
            map(
                ("h", "ef32"),
                &[("x", "ef32"), ("r", "ef32")],
                "%0 = arith.addf %a, %b : f32\nlinalg.yield %0 : f32",
            ),
            map(
                ("q", "ef32"),
                &[("h", "ef32")],
                "%0 = arith.mulf %a, %a : f32\nlinalg.yield %0 : f32",
            ),
            fold(("s", "rf32"), &[("q", "ef32")], SUM),
            map(
                ("z", "ef32"),
                &[("h", "ef32"), ("s", "rf32"), ("g", "cf32")],
                "%0 = arith.divf %b, %n : f32\n%1 = arith.addf %0, %epsilon : f32\n%2 = math.rsqrt %1 : f32\n%3 = arith.mulf %a, %2 : f32\n%4 = arith.mulf %3, %c : f32\nlinalg.yield %4 : f32",
            ),
        ];
        let text = module("0.0", &operations) + "util.return %h, %z : tensor<4x8xf32>\n";
        said(&text.replace("tensor<4x", &format!("tensor<{count}x")))
    };
    assert_eq!(rows("4"), ["add_rms_norm:4x[8]xf32 chain"]);
    assert_eq!(rows("1"), ["add_rms_norm:1x[8]xf32 chain"]);
    assert_eq!(rows("?"), ["add_rms_norm:?x[8]xf32:count=2..9 chain"]);
}

/// Checks that operations over the same rows are one program, each with a form of its own.
#[test]
fn siblings_are_one_program() {
    let fold_of = |name: &str, of: &str, opcode: &str| {
        let body = format!("%0 = arith.{opcode} %a, %b : f32\nlinalg.yield %0 : f32");
        fold((name, "rf32"), &[(of, "ef32")], &body)
    };
    let check = |operations: &[String], expected: &[(&str, &[usize])]| {
        let text = module("0xFF800000", operations).replace("0xFF800000 : f16", "0.0 : f16");
        let text = format!("%x = hal.tensor.import %view : !hal.buffer_view\n{text}");
        let found = found(&text);
        let found: Vec<(&str, &[usize])> = (found.iter())
            .map(|(said, results)| (&**said, &**results))
            .collect();
        assert_eq!(found, expected, "{text}");
    };
    let (max, number) = (fold_of("m", "x", "maximumf"), fold_of("s", "x", "maxnumf"));
    check(
        &[max.clone(), number.clone()],
        &[("rows(maxnum(x),max(x)):4x[8]xf32 generic", &[0, 1])],
    );
    // A sum that begins at -inf is no program, and other rows are others.
    check(
        &[max.clone(), fold_of("s", "x", "addf")],
        &[
            ("max:4x[8]xf32 generic", &[0]),
            ("sum:4x[8]xf32:initial=-inf generic", &[0]),
        ],
    );
    check(
        &[max.clone(), fold_of("s", "y", "maximumf")],
        &[
            ("max:4x[8]xf32 generic", &[0]),
            ("max:4x[8]xf32 generic", &[0]),
        ],
    );
    // The arguments of two functions may have one name.
    let arguments = [fold_of("m", "y", "maximumf"), fold_of("s", "y", "maxnumf")];
    check(
        &arguments,
        &[
            ("max:4x[8]xf32 generic", &[0]),
            ("maxnum:4x[8]xf32 generic", &[0]),
        ],
    );
    // A chain has the operations behind its fold, and its sibling its own.
    let half = map(
        ("h", "rf32"),
        &[("s", "rf32")],
        "%0 = arith.mulf %a, %n : f32\nlinalg.yield %0 : f32",
    );
    check(
        &[max, number, half],
        &[("rows(maxnum(x)*8,max(x)):4x[8]xf32 chain", &[0, 1])],
    );
}

/// Checks that a reduction with two results, as StableHLO has it, is one program.
#[test]
fn two_folds_of_one_operation() {
    let both = fold(
        ("m", "rf32"),
        &[("x", "ef32")],
        "%0 = arith.maximumf %a, %b : f32\n%1 = arith.minimumf %a, %c : f32\nlinalg.yield %0, %1 : f32, f32",
    );
    let text = module("0xFF800000", &[both]).replace("0xFF800000 : f16", "0.0 : f16");
    let text = text
        .replace("(d0)>], iter", "(d0)>, affine_map<(d0, d1) -> (d0)>], iter")
        .replace("outs(%fm : tensor<4xf32>) {", "outs(%fm, %fn : tensor<4xf32>, tensor<4xf32>) {")
        .replace("%b: f32):", "%b: f32, %c: f32):")
        .replace("%m = ", "%begin = arith.constant 0x7F800000 : f32\n%fn = linalg.fill ins(%begin : f32) outs(%im : tensor<4xf32>) -> tensor<4xf32>\n%m:2 = ")
        .replace("} -> tensor<4xf32>\n", "} -> (tensor<4xf32>, tensor<4xf32>)\n");
    let text = text + "util.return %m#0, %m#1 : tensor<4xf32>, tensor<4xf32>\n";
    assert_eq!(
        found(&text),
        [(
            "rows(max(x),min(x)):4x[8]xf32 generic".to_owned(),
            vec![0, 1]
        )],
        "{text}"
    );
}

/// Checks that each sibling knows the types of all results, so that their launches are equal.
#[test]
fn siblings_know_all_results() {
    let body = |opcode: &str| format!("%0 = arith.{opcode} %a, %b : f32\nlinalg.yield %0 : f32");
    let max = fold(("m", "rf32"), &[("x", "ef32")], &body("maximumf"));
    let kept = max
        .replace(
            "affine_map<(d0, d1) -> (d0)>",
            "affine_map<(d0, d1) -> (d0, 0)>",
        )
        .replace("tensor<4xf32>", "tensor<4x1xf32>");
    let number = fold(("s", "rf32"), &[("x", "ef32")], &body("maxnumf"));
    let text = module("0xFF800000", &[kept, number]).replace("0xFF800000 : f16", "0.0 : f16");
    let text = format!("%x = hal.tensor.import %view : !hal.buffer_view\n{text}");
    let found = operations(&text, &COUNTS).unwrap();
    let forms = found[0].form.iter().chain(&found[0].beside);
    let types = forms.map(|form| {
        let kind = |result| form.output(result).map(|it| it.kind.to_string());
        [kind(0), kind(1)]
    });
    let expected = ["tensor<4xf32>", "tensor<4x1xf32>"].map(|it| Some(it.to_owned()));
    assert_eq!(types.collect::<Vec<_>>(), [expected.clone(), expected]);
}
