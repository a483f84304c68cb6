//! Tests of names: their meaning, and that equal comparators have the name.

use super::super::Comparator;
use super::super::scalar::ScalarType;
use super::parse;

/// Checks the outcomes of (1, 0), (0, 0), (0, 1), (NaN, 0), (0, NaN), (NaN, NaN).
#[track_caller]
fn check_float(name: &str, expected: &str) {
    for element in ScalarType::ALL
        .into_iter()
        .filter(|element| element.is_float())
    {
        let comparator = Comparator::named(name, element).unwrap();
        let [zero, one, nan] = [0.0, 1.0, f64::NAN].map(|value| element.round(value));
        let pairs = [
            (one, zero),
            (zero, zero),
            (zero, one),
            (nan, zero),
            (zero, nan),
            (nan, nan),
        ];
        let outcomes: String = pairs
            .map(|(a, b)| if comparator.evaluate(a, b) { 'y' } else { '-' })
            .into_iter()
            .collect();
        assert_eq!(outcomes, expected, "{element}");
        assert_eq!(comparator.name(), Some(name));
        assert_eq!(comparator.to_string(), name);
        assert_eq!(
            Comparator::from_block(&comparator.block().to_string()),
            Ok(comparator)
        );
    }
}

#[test]
fn names_of_floats() {
    check_float("argmax", "y-----");
    check_float("argmin", "--y---");
    check_float("argmax_nan", "y--y--");
    check_float("argmin_nan", "--yy--");
    check_float("argmax_last", "yy----");
    check_float("argmin_last", "-yy---");
    check_float("argmax.ugt", "y--yyy");
    check_float("argmax.uge", "yy-yyy");
    check_float("argmin.ult", "--yyyy");
    check_float("argmin.ule", "-yyyyy");
}

/// Checks the outcomes of (1, 0), (0, 0), (0, 1), (-1, 0), (0, -1).
#[track_caller]
fn check_integer(name: &str, expected: &str) {
    for element in [
        ScalarType::I8,
        ScalarType::I16,
        ScalarType::I32,
        ScalarType::I64,
    ] {
        let comparator = Comparator::named(name, element).unwrap();
        let minus = element.mask();
        let pairs = [(1, 0), (0, 0), (0, 1), (minus, 0), (0, minus)];
        let outcomes: String = pairs
            .map(|(a, b)| if comparator.evaluate(a, b) { 'y' } else { '-' })
            .into_iter()
            .collect();
        assert_eq!(outcomes, expected, "{element}");
        assert_eq!(comparator.name(), Some(name));
    }
}

#[test]
fn names_of_integers() {
    check_integer("argmax", "y---y");
    check_integer("argmin", "--yy-");
    check_integer("argmax_last", "yy--y");
    check_integer("argmin_last", "-yyy-");
    check_integer("argmax.ugt", "y--y-");
    check_integer("argmax.uge", "yy-y-");
    check_integer("argmin.ult", "--y-y");
    check_integer("argmin.ule", "-yy-y");
}

#[test]
fn several_names_for_one() {
    let named = |name, element| Comparator::named(name, element).unwrap();
    let (f32, i32) = (ScalarType::F32, ScalarType::I32);
    assert_eq!(named("argmax.ogt", f32), named("argmax", f32));
    assert_eq!(named("argmax.oge", f32).name(), Some("argmax_last"));
    assert_eq!(named("argmin.sle", i32).name(), Some("argmin_last"));
    for (name, element) in [
        ("argmax.ogt", i32),
        ("argmax.sgt", f32),
        ("argmax_nan", i32),
        ("argmax.olt", f32),
        ("argmax.", f32),
        ("", f32),
        ("Argmax", f32),
        ("argmax ", f32),
    ] {
        assert_eq!(Comparator::named(name, element), None, "{name} {element}");
    }
    let names: Vec<_> = Comparator::names(i32).collect();
    assert_eq!(
        &names[..4],
        ["argmax", "argmin", "argmax_last", "argmin_last"]
    );
}

#[test]
fn custom_text_gets_its_standard_name() {
    let written = parse(
        "f32",
        "%g = arith.cmpf ult, %a, %b : f32\n%t = arith.constant true\n%c = arith.xori %g, %t : i1",
        "%c",
    );
    assert_eq!(written.name(), Some("argmax_last"));
    let absolute = parse(
        "f32",
        "%x = math.absf %a : f32\n%y = math.absf %b : f32\n%c = arith.cmpf ogt, %x, %y : f32",
        "%c",
    );
    assert_eq!(absolute.name(), None);
    assert_eq!(
        absolute.to_string(),
        "2=math.absf(0);3=math.absf(1);arith.cmpf(ogt,2,3)"
    );
}

/// Checks that digests stay the same.
///
/// A hash is a key in databases. It changes only with the canonical form, and then all entries
/// under it are lost.
#[test]
fn digests_stay() {
    let digest = |name, element| {
        Comparator::named(name, element)
            .unwrap()
            .digest()
            .to_hex()
            .to_string()
    };
    expect_test::expect![[r#"
        3cf2a580260ddc119171f4a0c49801aa8b84e31fac68313076fdd52cdab3f598
        3cb1a98e806e29929a221d37fec3969f5acb8e33309f479fe9b4fb29d5023b28
        840f52a291e4779d0ec6c502a1d52b7ca6b076140cfe6acb3ac18d14834ed537"#]]
    .assert_eq(
        &[
            digest("argmax", ScalarType::F32),
            digest("argmax_nan", ScalarType::F16),
            digest("argmin", ScalarType::I8),
        ]
        .join("\n"),
    );
}
