//! Tests of programs that take elements at labels.

use expect_test::{Expect, expect};

use super::programs::{SUM, fold, map, module};
use super::said;

const TABLE: &str = "%r = linalg.index 0 : index
%i = arith.index_cast %a : i64 to index
%below = arith.cmpi slt, %i, %columns : index
cf.assert %below, \"index must be smaller than dim size\"
%t = tensor.extract %below1[%r, %i] : tensor<4x8xf32>
linalg.yield %t : f32";

/// Returns a module with a loss: this body gathers, and this one ends it.
fn loss(gather: &str, last: &str) -> String {
    let greatest = "%y = arith.maximumf %a, %b : f32\nlinalg.yield %y : f32";
    let less = "%y = arith.subf %a, %b : f32\nlinalg.yield %y : f32";
    let operations = [
        fold(("m", "rf32"), &[("x", "ef32")], greatest),
        map(("below1", "ef32"), &[("x", "ef32"), ("m", "rf32")], less),
        map(("picked", "rf32"), &[("labels", "ri64")], gather),
        map(
            ("loss", "rf32"),
            &[("picked", "rf32"), ("m", "rf32"), ("labels", "ri64")],
            last,
        ),
    ];
    let constants = "%columns = arith.constant 8 : index\n%ignored = arith.constant -100 : i64\n%none = arith.constant 0.0 : f32\n";
    constants.to_owned() + &module("0xFF800000", &operations)
}

/// Checks the problems of a module with a loss.
#[track_caller]
fn check(gather: &str, last: &str, expected: &Expect) {
    expected.assert_eq(&said(&loss(gather, last)).join("\n"));
}

#[test]
fn a_gather_is_an_element_at_a_position() {
    check(
        TABLE,
        SUM,
        &expect!["rows(r1=max(x);r1+(at(x,at(x1))-r1)):4x[8]xf32,i64(0) chain"],
    );
    let ignored = "%is = arith.cmpi ne, %c, %ignored : i64\n%y = arith.select %is, %a, %none : f32\nlinalg.yield %y : f32";
    check(
        TABLE,
        ignored,
        &expect!["rows(r1=at(x1);select(r1!=-100,at(x,r1)-max(x),0)):4x[8]xf32,i64(0) chain"],
    );
    // Another row's element is none of a program.
    check(
        &TABLE.replace("[%r, %i]", "[%i, %r]"),
        SUM,
        &expect!["rows(r1=max(x);x-r1,r1):4x[8]xf32 chain"],
    );
    check(
        &TABLE.replace("smaller than", "within"),
        SUM,
        &expect!["rows(r1=max(x);x-r1,r1):4x[8]xf32 chain"],
    );
    // The elements of the first row alone, in each row.
    let of_first = TABLE.replace("linalg.index 0 : index", "arith.constant 0 : index");
    check(
        &of_first,
        SUM,
        &expect!["rows(r1=max(x);x-r1,r1):4x[8]xf32 chain"],
    );
}

/// Checks that labels of fewer rows than the tensor's, as torch allows, are no rows of a program.
#[test]
fn a_gather_of_fewer_rows_stays_outside() {
    let open = loss(TABLE, SUM).replace("tensor<4x", "tensor<?x");
    let open = open.replace("tensor.empty()", "tensor.empty(%rows)");
    let found = said(&open).join("\n");
    assert!(
        found.contains("?x[8]xf32") && !found.contains("at("),
        "{found}"
    );
}
