//! Tests of programs that take elements at labels.

use expect_test::{Expect, expect};

use super::super::operations;
use super::programs::{SUM, fold, map, module};
use super::{COUNTS, said};

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

/// The element at a label of a tensor around the body, within the row.
pub(super) const CLAMPED: &str = "%r = linalg.index 0 : index
%l = tensor.extract %labels[%r] : tensor<4xi64>
%i = arith.index_cast %l : i64 to index
%least = arith.maxsi %i, %first : index
%most = arith.minsi %least, %last : index
%t = tensor.extract %below1[%r, %most] : tensor<4x8xf32>
linalg.yield %t : f32";

/// Returns a loss as JAX's `take_along_axis` has it, with this gather: labels below 0 count from
/// the end, and others outside of the row give NaN.
pub(super) fn taken(gather: &str) -> String {
    let greatest = "%y = arith.maximumf %a, %b : f32\nlinalg.yield %y : f32";
    let less = "%y = arith.subf %a, %b : f32\nlinalg.yield %y : f32";
    let from_end = "%is = arith.cmpi slt, %a, %zero : i64\n%s = arith.addi %a, %size : i64\n%y = arith.select %is, %s, %a : i64\nlinalg.yield %y : i64";
    let is_inside = "%y = arith.cmpi sge, %a, %zero : i64\nlinalg.yield %y : i1";
    let all = "%expanded = tensor.expand_shape %inside [[0, 1]] output_shape [4, 1] : tensor<4xi1> into tensor<4x1xi1>
%iall = tensor.empty() : tensor<4xi1>
%fall = linalg.fill ins(%true : i1) outs(%iall : tensor<4xi1>) -> tensor<4xi1>
%all = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%expanded : tensor<4x1xi1>) outs(%fall : tensor<4xi1>) {
^bb0(%a: i1, %b: i1):
%0 = arith.andi %b, %a : i1
linalg.yield %0 : i1
} -> tensor<4xi1>\n";
    let chosen = "%y = arith.select %a, %b, %none : f32\nlinalg.yield %y : f32";
    let operations = [
        fold(("m", "rf32"), &[("x", "ef32")], greatest),
        map(("below1", "ef32"), &[("x", "ef32"), ("m", "rf32")], less),
        map(("labels", "ri64"), &[("given", "ri64")], from_end),
        map(("inside", "ri1"), &[("labels", "ri64")], is_inside),
        all.to_owned(),
        map(("picked", "rf32"), &[("m", "rf32")], gather),
        map(
            ("loss", "rf32"),
            &[("all", "ri1"), ("picked", "rf32")],
            chosen,
        ),
    ];
    let constants = "%first = arith.constant 0 : index\n%last = arith.constant 7 : index\n%zero = arith.constant 0 : i64\n%size = arith.constant 8 : i64\n%true = arith.constant true\n%none = arith.constant 0x7FC00000 : f32\n";
    constants.to_owned() + &module("0xFF800000", &operations)
}

/// Checks the problems of such a module.
#[track_caller]
fn check_taken(gather: &str, expected: &Expect) {
    expected.assert_eq(&said(&taken(gather)).join("\n"));
}

#[test]
fn labels_are_computed() {
    check_taken(
        CLAMPED,
        &expect![
            "rows(r1=at(x1);r2=select(r1<0,r1+8,r1);select(r2>=0,at(x,minsi(maxsi(r2,0),7))-max(x),nan)):4x[8]xf32,i64(0) chain"
        ],
    );
    // An addition of indices may leave the labels' range.
    check_taken(
        &CLAMPED.replace("maxsi %i, %first", "addi %i, %last"),
        &expect![[r#"
            rows(r1=max(x);x-r1,r1):4x[8]xf32 chain
            and:4x[1]xi1 generic"#]],
    );
    // A constant index is none of a label.
    check_taken(
        &CLAMPED.replace("%labels[%r]", "%labels[%first]"),
        &expect![[r#"
            rows(r1=max(x);x-r1,r1):4x[8]xf32 chain
            and:4x[1]xi1 generic"#]],
    );
}

/// Checks that the limit of a label is one of its type: 2^31 is none of i32.
#[test]
fn limits_of_labels_have_their_type() {
    let narrow = taken(CLAMPED).replace("i64", "i32");
    for (last, is_taken) in [("2147483647", true), ("2147483648", false)] {
        let limited = format!("%last = arith.constant {last} : index");
        let text = narrow.replace("%last = arith.constant 7 : index", &limited);
        assert_eq!(said(&text).join("\n").contains("at("), is_taken, "{last}");
    }
}

/// Checks that a gather in another place of its form is the same one, which a spec has once.
#[test]
fn equal_gathers_are_one() {
    let text = taken(CLAMPED);
    let more = map(
        ("m2", "rf32"),
        &[("m", "rf32")],
        "%y = math.absf %a : f32\nlinalg.yield %y : f32",
    );
    let other = text.replacen("%ibelow1 = ", &(more + "%ibelow1 = "), 1);
    let other = other.replace("ins(%x, %m :", "ins(%x, %m2 :");
    let [one, other] = [&text, &other].map(|text| {
        let found = operations(text, &COUNTS).unwrap();
        let form = found[0].form.clone().unwrap();
        (form.operations(), form.gathers().collect::<Vec<_>>())
    });
    assert_eq!(other.0, one.0 + 1);
    assert_eq!((one.1.len(), &one.1), (1, &other.1));
    assert_eq!(one.1[0].name(), other.1[0].name());
}
