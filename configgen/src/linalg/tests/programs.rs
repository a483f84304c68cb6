//! Tests of row programs in modules.

use expect_test::expect;

use super::said;

/// Returns an operation over 4x8 elements, or over rows of 4, with its result `name`.
///
/// The letters of `inputs` and of the result state the dimensions: `e` is 4x8, `r` is 4, `c` is 8.
fn operation(
    (name, kind): (&str, &str),
    inputs: &[(&str, &str)],
    body: &str,
    reduces: bool,
) -> String {
    let (of, element) = kind.split_at(1);
    let rank = if of == "r" && !reduces { 1 } else { 2 };
    let dimensions = ["d0", "d0, d1"][rank - 1];
    let map = |of: &str| {
        let to = match of {
            "e" => "d0, d1",
            "r" => "d0",
            _ => "d1",
        };
        format!("affine_map<({dimensions}) -> ({to})>")
    };
    let tensor = |kind: &str| {
        let (of, element) = kind.split_at(1);
        let sizes = match of {
            "e" => "4x8",
            "r" => "4",
            _ => "8",
        };
        format!("tensor<{sizes}x{element}>")
    };
    let kinds = inputs.iter().map(|it| it.1).chain([kind]);
    let maps: Vec<String> = kinds.clone().map(|it| map(&it[..1])).collect();
    let iterators = match (rank, reduces) {
        (1, _) => "\"parallel\"",
        (_, true) => "\"parallel\", \"reduction\"",
        _ => "\"parallel\", \"parallel\"",
    };
    let names: Vec<String> = inputs.iter().map(|it| format!("%{}", it.0)).collect();
    let types: Vec<String> = inputs.iter().map(|it| tensor(it.1)).collect();
    let arguments = kinds
        .zip('a'..)
        .map(|(kind, name)| format!("%{name}: {}", &kind[1..]));
    let arguments: Vec<String> = arguments.collect();
    let fill = match reduces {
        true => format!(
            "%f{name} = linalg.fill ins(%begin{element} : {element}) outs(%i{name} : {t}) -> {t}\n",
            t = tensor(kind)
        ),
        false => String::new(),
    };
    let out = if reduces { "f" } else { "i" };
    format!(
        "%i{name} = tensor.empty() : {t}\n{fill}%{name} = linalg.generic {{indexing_maps = [{}], iterator_types = [{iterators}]}} ins({} : {}) outs(%{out}{name} : {t}) {{\n^bb0({}):\n{body}\n}} -> {t}\n",
        maps.join(", "),
        names.join(", "),
        types.join(", "),
        arguments.join(", "),
        t = tensor(kind),
    )
}

pub(super) fn map(result: (&str, &str), inputs: &[(&str, &str)], body: &str) -> String {
    operation(result, inputs, body, false)
}

pub(super) fn fold(result: (&str, &str), inputs: &[(&str, &str)], body: &str) -> String {
    operation(result, inputs, body, true)
}

/// Returns a module of these operations, whose folds begin at `begin`.
pub(super) fn module(begin: &str, operations: &[String]) -> String {
    let constants =
        ["f32", "f16"].map(|it| format!("%begin{it} = arith.constant {begin} : {it}\n"));
    let numbers = "%n = arith.constant 8.0 : f32\n%epsilon = arith.constant 1.0e-6 : f32\n%one = arith.constant 1.0 : f32\n";
    constants.concat() + numbers + &operations.concat()
}

pub(super) const SUM: &str = "%0 = arith.addf %a, %b : f32\nlinalg.yield %0 : f32";
const EXTEND: &str = "%0 = arith.extf %a : f16 to f32\nlinalg.yield %0 : f32";

/// Returns the norm of Hugging Face's models, with this weighting of the rounded values.
pub(super) fn rms_norm(root: &str, weighting: &str) -> String {
    module(
        "0.0",
        &[
            map(("w", "ef32"), &[("x", "ef16")], EXTEND),
            map(
                ("q", "ef32"),
                &[("w", "ef32")],
                "%0 = arith.mulf %a, %a : f32\nlinalg.yield %0 : f32",
            ),
            fold(("s", "rf32"), &[("q", "ef32")], SUM),
            map(
                ("m", "rf32"),
                &[("s", "rf32")],
                "%0 = arith.divf %a, %n : f32\n%1 = arith.addf %0, %epsilon : f32\nlinalg.yield %1 : f32",
            ),
            map(("v", "rf32"), &[("m", "rf32")], root),
            map(
                ("y", "ef32"),
                &[("w", "ef32"), ("v", "rf32")],
                "%0 = arith.mulf %a, %b : f32\nlinalg.yield %0 : f32",
            ),
            map(
                ("t", "ef16"),
                &[("y", "ef32")],
                "%0 = arith.truncf %a : f32 to f16\nlinalg.yield %0 : f16",
            ),
            map(("z", "ef16"), &[("t", "ef16"), ("g", "cf16")], weighting),
        ],
    )
}

#[test]
fn norms_that_round_before_the_weight() {
    let rsqrt = "%0 = math.rsqrt %a : f32\nlinalg.yield %0 : f32";
    let root = "%0 = math.sqrt %a : f32\n%1 = arith.divf %one, %0 : f32\nlinalg.yield %1 : f32";
    let weight = "%0 = arith.mulf %a, %b : f16\nlinalg.yield %0 : f16";
    assert_eq!(
        said(&rms_norm(rsqrt, weight)),
        ["rows(e1=f32(x);f16(e1*rsqrt(sum(e1*e1)/8+1e-6))*x1):4x[8]xf16,f16(1) chain"]
    );
    let one = "%0 = arith.extf %b : f16 to f32\n%1 = arith.addf %0, %one : f32\n%2 = arith.truncf %1 : f32 to f16\n%3 = arith.mulf %a, %2 : f16\nlinalg.yield %3 : f16";
    assert_eq!(
        said(&rms_norm(root, one)),
        [
            "rows(e1=f32(x);f16(f32(x1)+1)*f16(e1*(1/sqrt(sum(e1*e1)/8+1e-6)))):4x[8]xf16,f16(1) chain"
        ]
    );
    // An operation that no program has stays behind the program.
    let tangent = "%0 = arith.mulf %a, %b : f16\n%1 = math.atan %0 : f16\nlinalg.yield %1 : f16";
    assert_eq!(
        said(&rms_norm(rsqrt, tangent)),
        ["rows(e1=f32(x);f16(e1*rsqrt(sum(e1*e1)/8+1e-6))):4x[8]xf16 chain"]
    );
}

/// Checks that activations behind a norm are part of it: GELU by erf and by tanh, and SiLU.
#[test]
fn activations_behind_a_norm() {
    let rsqrt = "%0 = math.rsqrt %a : f32\nlinalg.yield %0 : f32";
    let check = |body: &str, result: &str| {
        let program = format!(
            "rows(e1=f32(x);e2=f16(e1*rsqrt(sum(e1*e1)/8+1e-6))*x1;{result}):4x[8]xf16,f16(1) chain"
        );
        let body = format!("%0 = arith.mulf %a, %b : f16\n{body}\nlinalg.yield %9 : f16");
        assert_eq!(said(&rms_norm(rsqrt, &body)), [program]);
    };
    check(
        "%half = arith.constant 0.5 : f16\n%1 = arith.mulf %0, %half : f16\n%2 = math.erf %0 : f16\n%9 = arith.mulf %1, %2 : f16",
        "e2*0.5*erf(e2)",
    );
    check(
        "%three = arith.constant 3.0 : f16\n%1 = math.powf %0, %three : f16\n%2 = arith.addf %0, %1 : f16\n%9 = math.tanh %2 : f16",
        "tanh(e2*e2*e2+e2)",
    );
    check(
        "%1 = arith.negf %0 : f16\n%2 = math.exp %1 : f16\n%unit = arith.constant 1.0 : f16\n%3 = arith.addf %2, %unit : f16\n%9 = arith.divf %0, %3 : f16",
        "e2/(exp(-e2)+1)",
    );
}

/// Checks that open parallel dimensions, and those before and between them, become one.
#[test]
fn open_dimensions_are_one() {
    // A row is x less its mean, with operands of all dimensions, of the columns, and of a part.
    let centred = |sizes: &str, rank: usize, beside: &str| {
        let all: Vec<String> = (0..rank).map(|d| format!("d{d}")).collect();
        let rows = all[..rank - 1].join(", ");
        let all = all.join(", ");
        let (kept, part) = match beside {
            "all" => (all.clone(), format!("{sizes}x8")),
            "columns" => (format!("d{}", rank - 1), "8".to_owned()),
            _ => (
                format!("d{}, d{}", rank - 2, rank - 1),
                format!("{}x8", sizes.rsplit('x').next().unwrap()),
            ),
        };
        let map = |to: &str| format!("affine_map<({all}) -> ({to})>");
        let parallel = vec!["\"parallel\""; rank - 1].join(", ");
        let (wide, narrow) = (
            format!("tensor<{sizes}x8xf32>"),
            format!("tensor<{sizes}xf32>"),
        );
        format!(
            "%begin = arith.constant 0.0 : f32
%to = tensor.empty(%n, %m) : {narrow}
%fill = linalg.fill ins(%begin : f32) outs(%to : {narrow}) -> {narrow}
%s = linalg.generic {{indexing_maps = [{e}, {r}], iterator_types = [{parallel}, \"reduction\"]}} ins(%x : {wide}) outs(%fill : {narrow}) {{
^bb0(%a: f32, %b: f32):
%0 = arith.addf %a, %b : f32
linalg.yield %0 : f32
}} -> {narrow}
%into = tensor.empty(%n, %m) : {wide}
%z = linalg.generic {{indexing_maps = [{e}, {r}, {k}, {e}], iterator_types = [{parallel}, \"parallel\"]}} ins(%x, %s, %y : {wide}, {narrow}, tensor<{part}xf32>) outs(%into : {wide}) {{
^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
%0 = arith.subf %a, %b : f32
%1 = arith.mulf %0, %c : f32
linalg.yield %1 : f32
}} -> {wide}
",
            e = map(&all),
            r = map(&rows),
            k = map(&kept),
        )
    };
    let program =
        |operand: &str| format!("rows((x-sum(x))*x1):?x[8]xf32,f32{operand}:count=2..9 chain");
    assert_eq!(said(&centred("?x?", 3, "columns")), [program("(1)")]);
    assert_eq!(said(&centred("?x?", 3, "all")), [program("")]);
    assert_eq!(said(&centred("?x6x?", 4, "columns")), [program("(1)")]);
    assert_eq!(said(&centred("4x?", 3, "columns")), [program("(1)")]);
    // Static dimensions behind the last open one stay.
    assert_eq!(
        said(&centred("?x?x6", 4, "columns")),
        ["rows((x-sum(x))*x1):?x6x[8]xf32,f32(2):count=2..9 chain"]
    );
    assert_eq!(
        said(&centred("?x?x6", 4, "part")),
        ["rows((x-sum(x))*x1):?x6x[8]xf32,f32(1,2):count=2..9 chain"]
    );
    // An operand with a part of the joined dimensions has no place in the problem.
    let part = said(&centred("?x?", 3, "part"));
    assert!(!part.iter().any(|it| it.contains("x1")), "{part:?}");
}

#[test]
fn softmax_of_scaled_and_masked_scores() {
    let scores = |last: &str| {
        let before = [
            map(
                ("y", "ef32"),
                &[("x", "ef32"), ("k", "cf32")],
                "%0 = arith.mulf %a, %epsilon : f32\n%1 = arith.addf %0, %b : f32\nlinalg.yield %1 : f32",
            ),
            fold(
                ("m", "rf32"),
                &[("y", "ef32")],
                "%0 = arith.maximumf %a, %b : f32\nlinalg.yield %0 : f32",
            ),
            map(
                ("e", "ef32"),
                &[("y", "ef32"), ("m", "rf32")],
                "%0 = arith.subf %a, %b : f32\n%1 = math.exp %0 : f32\nlinalg.yield %1 : f32",
            ),
            "%zero = arith.constant 0.0 : f32\n".to_owned(),
            fold(("s", "rf32"), &[("e", "ef32")], SUM).replace("%beginf32 :", "%zero :"),
            map(
                ("z", "ef32"),
                &[("e", "ef32"), ("s", "rf32")],
                "%0 = arith.divf %a, %b : f32\nlinalg.yield %0 : f32",
            ),
        ];
        module(last, &before)
    };
    let infinite = scores("0xFF800000").replace("0xFF800000 : f16", "0xFC00 : f16");
    assert_eq!(
        said(&infinite),
        ["rows(e1=x*1e-6+x1;e2=exp(e1-max(e1));e2/sum(e2)):4x[8]xf32,f32(1) chain"]
    );
    // A greatest value that begins at a number is compared with it.
    let finite = scores("-9.0");
    assert_eq!(
        said(&finite),
        ["rows(e1=x*1e-6+x1;e2=exp(e1-max(max(e1),-9));e2/sum(e2)):4x[8]xf32,f32(1) chain"]
    );
}

#[test]
fn results_of_rows() {
    let mean = map(
        ("m", "rf32"),
        &[("s", "rf32")],
        "%0 = arith.divf %a, %n : f32\nlinalg.yield %0 : f32",
    );
    let sum = fold(("s", "rf32"), &[("x", "ef32")], SUM);
    assert_eq!(
        said(&module("0.0", &[sum.clone(), mean])),
        ["rows(sum(x)/8):4x[8]xf32 chain"]
    );
    // A narrow accumulator is rounded once.
    let narrow = fold(
        ("s", "rf16"),
        &[("x", "ef16")],
        "%0 = arith.addf %b, %a : f16\nlinalg.yield %0 : f16",
    );
    assert_eq!(
        said(&module("0.0", &[narrow])),
        ["rows(f16(sum(f32(x)))):4x[8]xf16 generic"]
    );
    // A fold that begins at a number that is no neutral one is no program.
    let one = said(&module("1.0", &[sum]));
    assert_eq!(one, ["sum:4x[8]xf32:initial=1.0 generic"]);
}

/// Checks quantisation with its scale. The limit is an operation without dimensions, as JAX has it.
#[test]
fn quantised_rows_with_their_scale() {
    let limit = "%none = tensor.empty() : tensor<f32>
%limit = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%none : tensor<f32>) {
^bb0(%o: f32):
linalg.yield %n : f32
} -> tensor<f32>
";
    let quantised = "%to = tensor.empty() : tensor<4x8xi8>
%z = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [\"parallel\", \"parallel\"]} ins(%x, %s, %limit : tensor<4x8xf32>, tensor<4xf32>, tensor<f32>) outs(%to : tensor<4x8xi8>) {
^bb0(%a: f32, %b: f32, %c: f32, %d: i8):
%0 = arith.divf %a, %b : f32
%1 = math.roundeven %0 : f32
%2 = arith.minimumf %1, %c : f32
%low = arith.constant -128.0 : f32
%4 = arith.maximumf %2, %low : f32
%3 = arith.fptosi %4 : f32 to i8
linalg.yield %3 : i8
} -> tensor<4x8xi8>
util.return %s, %z : tensor<4xf32>, tensor<4x8xi8>
";
    let scale = fold(
        ("s", "rf32"),
        &[("x", "ef32")],
        "%0 = arith.maximumf %a, %b : f32\nlinalg.yield %0 : f32",
    );
    let text = module(
        "0xFF800000",
        &[limit.to_owned(), scale, quantised.to_owned()],
    );
    assert_eq!(
        said(&text.replace("0xFF800000 : f16", "0.0 : f16")),
        ["rows(r1=max(x);i8(max(min(roundeven(x/r1),8),-128)),r1):4x[8]xf32 chain"]
    );
    // A conversion that may be out of range is left to IREE: it may be one to an unsigned type.
    let unsigned = text
        .replace("-128.0", "0.0")
        .replace("%n = arith.constant 8.0", "%n = arith.constant 255.0");
    for text in [unsigned, text.replace("fptosi %4", "fptosi %2")] {
        let found = said(&text.replace("0xFF800000 : f16", "0.0 : f16"));
        assert!(!found.iter().any(|it| it.contains("i8(")), "{found:?}");
    }
}

/// Checks that a reshape from more dimensions than a problem has is left to IREE.
#[test]
fn a_reshape_from_many_dimensions_stays() {
    let wide = format!("tensor<{}4x8xf32>", "1x".repeat(40));
    let groups: Vec<String> = (0..41).map(|it| it.to_string()).collect();
    let reshape = format!(
        "%x = tensor.collapse_shape %wide [[{}], [41]] : {wide} into tensor<4x8xf32>\n",
        groups.join(", ")
    );
    let text = reshape + &module("0.0", &[fold(("s", "rf32"), &[("x", "ef32")], SUM)]);
    assert_eq!(said(&text), ["sum:4x[8]xf32 generic"]);
}

const SILU: &str = "%0 = arith.negf %a : f32\n%1 = math.exp %0 : f32\n%2 = arith.addf %1, %one : f32\n%3 = arith.divf %a, %2 : f32\nlinalg.yield %3 : f32";

/// Returns a SiLU of `x`, times a gate.
fn swiglu(x: &str) -> [String; 2] {
    let product = "%0 = arith.mulf %a, %b : f32\nlinalg.yield %0 : f32";
    [
        map(("s", "ef32"), &[(x, "ef32")], SILU),
        map(("y", "ef32"), &[("s", "ef32"), ("u", "ef32")], product),
    ]
}

#[test]
fn pointwise_operations_with_rounded_functions() {
    assert_eq!(
        said(&module("0.0", &swiglu("x"))),
        ["rows(x/(exp(-x)+1)*x1):4x8xf32,f32 chain"]
    );
    // The time of exact operations is that of their bytes.
    let exact = map(
        ("y", "ef32"),
        &[("x", "ef32")],
        "%0 = arith.mulf %a, %a : f32\nlinalg.yield %0 : f32",
    );
    assert!(said(&module("0.0", &[exact])).is_empty());
    // IREE computes them behind a product, and before a reduction of their results.
    let product = "%e = tensor.empty() : tensor<4x8xf32>\n%x = linalg.matmul ins(%p, %q : tensor<4x2xf32>, tensor<2x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>\n";
    let behind = [&[product.to_owned()], &swiglu("x")[..]].concat();
    assert!(said(&module("0.0", &behind)).is_empty());
    let reshaped = product.replace("%x =", "%m =")
        + "%k = tensor.expand_shape %m [[0, 1], [2]] output_shape [1, 4, 8] : tensor<4x8xf32> into tensor<1x4x8xf32>\n"
        + "%x = tensor.collapse_shape %k [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32>\n";
    let behind = [&[reshaped], &swiglu("x")[..]].concat();
    assert!(said(&module("0.0", &behind)).is_empty());
    let before = [
        &swiglu("x")[..],
        &[fold(("m", "rf32"), &[("y", "ef32")], SUM)],
    ]
    .concat();
    assert_eq!(
        said(&module("0.0", &before)),
        ["rows(sum(x/(exp(-x)+1)*x1)):4x[8]xf32,f32 chain"]
    );
}

/// Checks the text of a power of a value that the operations before it compute.
#[track_caller]
fn check_power(exponent: &str, before: &str, expected: &str) {
    let power = format!(
        "{before}%9 = arith.constant {exponent} : f32\n%8 = math.powf %0, %9 : f32\nlinalg.yield %8 : f32"
    );
    let all = [
        map(("y", "ef32"), &[("x", "ef32")], &power),
        fold(("s", "rf32"), &[("y", "ef32")], SUM),
    ];
    let expected = format!("rows({expected}):4x[8]xf32 chain");
    assert_eq!(said(&module("0.0", &all)), [expected]);
}

#[test]
fn powers_that_are_roots() {
    let square = "%0 = arith.mulf %a, %a : f32\n";
    check_power("0.5", square, "sum(sqrt(x*x))");
    check_power("-0.5", square, "sum(rsqrt(x*x))");
    // The power of minus infinity is no root, and that of -0 has no sign.
    let negative = "%0 = arith.negf %a : f32\n";
    check_power(
        "0.5",
        negative,
        "e1=-x;sum(select(e1==-inf,inf,sqrt(e1+0)))",
    );
    check_power(
        "-0.5",
        negative,
        "e1=-x;sum(select(e1==-inf,0,rsqrt(e1+0)))",
    );
}

/// Checks that waves are in programs only if a clamp bounds their angles.
#[test]
fn waves_of_bounded_angles() {
    let wave = |clamp: &str| {
        let body = format!("{clamp}%1 = math.sin %0 : f32\nlinalg.yield %1 : f32");
        said(&module(
            "0.0",
            &[map(("y", "ef32"), &[("x", "ef32")], &body)],
        ))
    };
    let clamp = |least: &str| {
        format!(
            "%low = arith.constant {least} : f32\n%high = arith.constant 1000.0 : f32\n%2 = arith.maximumf %a, %low : f32\n%0 = arith.minimumf %2, %high : f32\n"
        )
    };
    assert_eq!(
        wave(&clamp("-1000.0")),
        ["rows(sin(min(max(x,-1000),1000))):4x8xf32 generic"]
    );
    assert!(wave(&clamp("-200000.0")).is_empty());
    assert!(wave("%0 = arith.negf %a : f32\n").is_empty());
}

/// Checks that a product of a vector that is added in its narrow type is a program.
#[test]
fn narrow_products_of_vectors() {
    let product = "%i = tensor.empty() : tensor<4xf16>\n%f = linalg.fill ins(%beginf16 : f16) outs(%i : tensor<4xf16>) -> tensor<4xf16>\n%r = linalg.matvec ins(%a, %v : tensor<4x8xf16>, tensor<8xf16>) outs(%f : tensor<4xf16>) -> tensor<4xf16>\n";
    assert_eq!(
        said(&module("0.0", &[product.to_owned()])),
        ["rows(f16(sum(f32(x*x1)))):4x[8]xf16,f16(1) product"]
    );
}

/// Checks that a value of each row belongs to the program of the rows, before a mean over all.
#[test]
fn a_value_of_rows_is_computed_where_its_reduction_is() {
    let logarithm = "%y = math.log %a : f32\nlinalg.yield %y : f32";
    let exponential = "%y = math.exp %a : f32\nlinalg.yield %y : f32";
    let mean = "%im = tensor.empty() : tensor<f32>
%fm = linalg.fill ins(%beginf32 : f32) outs(%im : tensor<f32>) -> tensor<f32>
%mean = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = [\"reduction\"]} ins(%l : tensor<4xf32>) outs(%fm : tensor<f32>) {
^bb0(%a: f32, %b: f32):
%0 = arith.divf %a, %n : f32
%1 = arith.addf %b, %0 : f32
linalg.yield %1 : f32
} -> tensor<f32>\n";
    let operations = [
        map(("e", "ef32"), &[("x", "ef32")], exponential),
        fold(("s", "rf32"), &[("e", "ef32")], SUM),
        map(("l", "rf32"), &[("s", "rf32")], logarithm),
        mean.to_owned(),
    ];
    expect![[r#"
        rows(log(sum(exp(x)))):4x[8]xf32 chain
        sum(1=arith.constant(f32,41000000);arith.divf(0,1)):[4]xf32 generic"#]]
    .assert_eq(&said(&module("0.0", &operations)).join("\n"));
}
