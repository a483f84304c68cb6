//! Tests of errors of `linalg.softmax`.

use expect_test::{Expect, expect};

const SOFTMAX: &str = "\
%r = linalg.softmax dimension(1)
  ins(%x : tensor<64x768xf32>)
  outs(%e : tensor<64x768xf32>)
  -> tensor<64x768xf32>
";

const GENERIC: &str = "\"linalg.softmax\"(%x, %e) <{dimension = 1 : i64}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>";

#[track_caller]
fn check(text: &str, from: &str, to: &str, expected: Expect) {
    assert!(text.contains(from), "{from}");
    super::check(&text.replace(from, to), expected);
}

#[test]
fn each_part() {
    check(
        SOFTMAX,
        "(1)",
        "(2)",
        expect![
            "line 1, column 31: the input has 2 dimensions, counted from 0, and one of them is reduced"
        ],
    );
    check(
        SOFTMAX,
        "(1)",
        "(-1)",
        expect![[r#"line 1, column 31: expected a number from 0 on, found "-""#]],
    );
    check(
        SOFTMAX,
        "dimension(1)",
        "",
        expect![[r#"line 2, column 3: expected "dimension" and what is reduced, found "ins""#]],
    );
    check(
        SOFTMAX,
        "768",
        "?",
        expect![
            "line 2, column 12: dimension 1 is dynamic; only the outermost one may be, where it is parallel"
        ],
    );
    check(
        SOFTMAX,
        "f32",
        "f64",
        expect!["line 2, column 12: softmax takes f32, f16, bf16, and these are f64"],
    );
    check(
        SOFTMAX,
        "f32",
        "i32",
        expect!["line 2, column 12: softmax takes f32, f16, bf16, and these are i32"],
    );
    check(
        SOFTMAX,
        "tensor",
        "memref",
        expect![[
            r#"line 2, column 12: expected a tensor, such as "tensor<4x32000xf32>", found "memref""#
        ]],
    );
    check(
        SOFTMAX,
        "e : tensor<64x768xf32>",
        "e : tensor<64x768xf16>",
        expect![
            "line 3, column 13: the input, the output and the result of a softmax are of one type"
        ],
    );
    check(
        SOFTMAX,
        "-> tensor<64",
        "-> tensor<63",
        expect![
            "line 4, column 6: the input, the output and the result of a softmax are of one type"
        ],
    );
    check(
        SOFTMAX,
        "64x768",
        "1x1x1x1x1x64x768",
        expect!["line 2, column 12: a problem has at most 6 dimensions"],
    );
    check(
        SOFTMAX,
        "%x :",
        "%x, %z :",
        expect!["line 2, column 6: 2 operands need 2 types, not 1"],
    );
    check(
        SOFTMAX,
        "64x768",
        "0x768",
        expect![[
            r#"line 1, column 6: problem "softmax:0x[768]xf32", character 9: a dimension is at least 1"#
        ]],
    );
    check(
        GENERIC,
        "= 1",
        "= 2",
        expect![
            "line 1, column 40: the input has 2 dimensions, counted from 0, and one of them is reduced"
        ],
    );
    check(
        GENERIC,
        "dimension",
        "axis",
        expect![[r#"line 1, column 27: expected the attribute "dimension", found "{""#]],
    );
    check(
        GENERIC,
        "8xf32>)",
        "8xf64>)",
        expect![
            "line 1, column 70: the input, the output and the result of a softmax are of one type"
        ],
    );
    check(
        GENERIC,
        "%x, ",
        "",
        expect!["line 1, column 1: 1 operands need 1 types, not 2"],
    );
}

#[test]
fn one_of_two() {
    super::check(
        &format!("{SOFTMAX}{SOFTMAX}"),
        expect![
            "line 5, column 6: a second reduction that is a problem; one is expected, and this text has reductions in lines 1, 5"
        ],
    );
    super::super::check(
        &format!("{SOFTMAX}{}", SOFTMAX.replace("768", "?")),
        "softmax:64x[768]xf32",
    );
}
