//! Tests of expressions against their meaning in Python.

use super::*;
use crate::parameters::{Parameter, ParameterValue};

fn parameters() -> Vec<Parameter> {
    let of = |name: &str, value: ParameterValue| Parameter {
        name: name.to_owned(),
        values: vec![value],
    };
    vec![
        of("a", ParameterValue::Integer(7)),
        of("b", ParameterValue::Integer(-2)),
        of("half", ParameterValue::Real(0.5)),
        of("order", ParameterValue::Text("xy".to_owned())),
        of("zero", ParameterValue::Integer(0)),
        of("is_on", ParameterValue::Boolean(true)),
    ]
}

fn evaluate(text: &str) -> Result<bool, ExpressionError> {
    let parameters = parameters();
    let expression = Expression::parse(text, &parameters)?;
    let of = |&one: &usize| &parameters[one].values[0];
    let values: Vec<&ParameterValue> = expression.parameters().iter().map(of).collect();
    let holds = expression.holds(&values, &mut ExpressionStack::default());
    Ok(holds)
}

/// Checks an expression; Python 3.11 gave the expected results.
#[track_caller]
fn check(text: &str, expected: bool) {
    assert_eq!(evaluate(text), Ok(expected), "{text}");
}

#[test]
fn operators_mean_what_they_mean_in_python() {
    check("a // b == -4", true);
    check("a % b == -1", true);
    check("-a // 2 == -4 and -a % 2 == 1", true);
    check("a / 2 == 3.5", true);
    check("7.5 // 2 == 3 and 7.5 % -2 == -0.5", true);
    check("-2 ** 2 == -4 and 2 ** -1 == half", true);
    check("2 ** 3 ** 2 == 512", true);
    check("2 + 3 * 4 - 1 == 13", true);
    check("(2 + 3) * 4 == 20", true);
    check("--a == a and +-a == b * 3.5", true);
    check("is_on + is_on == 2", true);
    check("True and not False", true);
}

#[test]
fn comparisons_form_chains() {
    check("1 < a < 9", true);
    check("1 < a < 5", false);
    check("9 < a < 10 < 1", false);
    check("a == 7 != 8 > b", true);
    check("1 < 2 in (2, 3)", true);
    check("3 < 2 in (2, 3)", false);
    check("order == 'xy' != \"yx\"", true);
    check("order == a", false);
    check("order != a", true);
    check("order < 'y'", true);
}

#[test]
fn and_or_return_the_deciding_operand() {
    check("(zero or a) == 7", true);
    check("(a and b) == -2", true);
    check("(zero and a) == 0", true);
    check("not zero or a / zero", true);
    check("zero != 0 and a % zero == 0", false);
    check("zero or order", true);
    check("not a == 7 or not not a", true);
    check("1 or 0 and 0", true);
}

#[test]
fn members_of_lists() {
    check("a in [1, 7]", true);
    check("a not in (1, 7,)", false);
    check("order in ['xy', 'yx'] and a in (a,)", true);
    check("order in [1, 2]", false);
    check("a in []", false);
    check("not a in [1]", true);
    check("a in [b + 9, 3]", true);
}

#[test]
fn an_expression_that_fails_does_not_hold() {
    check("a / zero == 1", false);
    check("a % zero == 0", false);
    check("a // zero == 0 or a == 7", false);
    check("a == 7 or a // zero == 0", true);
    check("9223372036854775807 + a > 0", false);
    check("not 9223372036854775807 * 2 > 0", false);
    check("10 ** 400 > 0", false);
    check("(-8) ** 0.5 == 1", false);
    check("(-9223372036854775807 - 1) % -1 == 0", true);
    check("(-9223372036854775807 - 1) // -1 == 0", false);
}

#[track_caller]
fn check_error(text: &str, position: usize, message: &str) {
    let error = evaluate(text).expect_err(text);
    assert_eq!(
        (error.position(), error.message.as_str()),
        (position, message)
    );
}

#[test]
fn errors_point_at_the_fault() {
    check_error("", 0, "a number, a text, a parameter or \"(\" must follow");
    check_error(
        "a +",
        3,
        "a number, a text, a parameter or \"(\" must follow",
    );
    check_error("a = 7", 2, "equality is \"==\"");
    check_error("(a", 2, "\")\" must follow");
    check_error("a 7", 2, "an operator or the end must follow");
    check_error("é", 0, "unexpected 'é'");
    check_error("'é' == $", 7, "unexpected '$'");
    check_error(
        "1 + ordr",
        4,
        "unknown parameter \"ordr\"; did you mean \"order\"?",
    );
    check_error("min(a, 2)", 0, "functions are not supported");
    check_error("a if b else 1", 2, "an operator or the end must follow");
    check_error("lambda", 0, "\"lambda\" is not supported");
    check_error("a + not b", 4, "\"not\" is not supported");
    check_error("order * 2", 6, "this operator needs numbers");
    check_error("-order", 0, "this operator needs numbers");
    check_error("(a or order) + 1 > 0", 13, "this operator needs numbers");
    check_error("a < order", 2, "a number and a text have no order");
    check_error("a not 7", 2, "\"in\" must follow this \"not\"");
    check_error("a in 7", 5, "a list must follow \"in\"");
    check_error("a in [1 2]", 8, "\",\" or \"]\" must follow");
    check_error("'abc", 0, "the text has no closing quote");
    check_error(
        "'a\\n'",
        2,
        "a backslash stands only before a quote or a backslash",
    );
    check_error(
        "12345678901234567890 > a",
        0,
        "12345678901234567890 is no number of 64 bits",
    );
    check_error("1e999 > a", 0, "1e999 is no number of 64 bits");
    check_error("0x10 > a", 0, "0x10 is no number of 64 bits");
}

#[test]
fn an_error_shows_the_text_with_a_caret() {
    let error = evaluate("a\t% (c) == 0").unwrap_err().to_string();
    let expected = "character 6: unknown parameter \"c\"\n  a % (c) == 0\n       ^";
    assert_eq!(error, expected);
    let long = format!("{}$", "a + ".repeat(1000));
    let error = evaluate(&long).unwrap_err().to_string();
    let caret = " ".repeat(2 + SHOWN);
    assert!(error.ends_with(&format!("+ $\n{caret}^")), "{error}");
}

#[test]
fn neither_length_nor_nesting_exhausts_the_stack() {
    const MANY: usize = 100_000;
    check(&format!("{}1 > 0", "1 + ".repeat(MANY)), true);
    check(&format!("{}1", "0 or ".repeat(MANY)), true);
    check(&format!("{}1", "not ".repeat(MANY)), true);
    check(&format!("{}1 == 1", "-".repeat(MANY)), true);
    check(&format!("1 {}", "== 1 ".repeat(MANY)), true);
    check(&format!("{}1{}", "(".repeat(64), ")".repeat(64)), true);
    let message = "more than 64 levels of nesting";
    check_error(&"(".repeat(MANY), 64, message);
    check_error(&"2 ** ".repeat(MANY), 5 * 64 + 2, message);
    check_error(&"2 ** (".repeat(MANY), 32 * 6 + 2, message);
}

/// Checks a list; Python 3.11 gave the expected elements.
#[track_caller]
fn check_list(text: &str, expected: &[i64]) {
    let expected: Vec<_> = expected
        .iter()
        .map(|it| ParameterValue::Integer(*it))
        .collect();
    assert_eq!(parse_list(text), Ok(expected), "{text}");
}

#[test]
fn lists_are_those_of_python() {
    check_list("[]", &[]);
    check_list("[1, 2, 4,]", &[1, 2, 4]);
    check_list("range(3)", &[0, 1, 2]);
    check_list("list(range(32, 96 + 1, 32))", &[32, 64, 96]);
    check_list("range(5, 0, -2)", &[5, 3, 1]);
    check_list("range(0, 7, 3) + [9]", &[0, 3, 6, 9]);
    check_list("range(3, 3)", &[]);
    check_list(
        "range(9223372036854775806, 9223372036854775807)",
        &[i64::MAX - 1],
    );
    check_list("[1, 2] + list(range(4, 9, 4))", &[1, 2, 4, 8]);
    check_list("[2**i for i in range(0, 6)]", &[1, 2, 4, 8, 16, 32]);
    check_list("[1] + [2 * i for i in range(1, 4)]", &[1, 2, 4, 6]);
    check_list("[i for i in range(10) if i % 3 == 0]", &[0, 3, 6, 9]);
    check_list("[j * 10 for j in [i + 1 for i in (1, 2)]]", &[20, 30]);
    check_list(
        "[(i + 1) * 2 for i in [3] + [4] if (i > 3) or i in [3]]",
        &[8, 10],
    );
    check_list("[i / 0 for i in []]", &[]);
    let booleans = parse_list("[it for it in [True, False]]");
    let expected = [true, false].map(ParameterValue::Boolean).to_vec();
    assert_eq!(booleans, Ok(expected));
}

#[test]
fn faults_of_lists_have_a_position() {
    let check = |text: &str, position: usize, message: &str| {
        let error = parse_list(text).unwrap_err();
        assert_eq!(
            (error.position, &*error.message),
            (position, message),
            "{text}"
        );
    };
    check("7", 0, "a list begins with \"[\", \"list(\" or \"range(\"");
    check("[1 2]", 3, "\",\" or \"]\" must follow");
    check(
        "range(1, 1000000000)",
        0,
        "999999999 values; at most 65536 are possible",
    );
    check(
        "range(1, 5, 0)",
        0,
        "a range has one to three numbers, and a step of not 0",
    );
    check("range(1.5)", 6, "the numbers of a range are integers");
    check(
        "range(-9223372036854775807, 9223372036854775807)",
        0,
        "18446744073709551614 values; at most 65536 are possible",
    );
    check("[i for j in range(3)]", 1, "unknown parameter \"i\"");
    check("[i for 3 in range(3)]", 7, "a name must follow \"for\"");
    check("[i for i range(3)]", 9, "\"in\" must follow");
    check(
        "[i for i in range(3) i]",
        0,
        "\"if\" or \"]\" must follow the list",
    );
    check("[i for i in range(3)", 0, "\"]\" must follow");
    check(
        "[1 / i for i in range(3)]",
        25,
        "an element is no number of 64 bits",
    );
    check(
        "[1] + ",
        6,
        "a list begins with \"[\", \"list(\" or \"range(\"",
    );
    let deep = "list(".repeat(1_000);
    assert!(parse_list(&deep).unwrap_err().message.contains("64 levels"));
    let deep = "[".repeat(1_000);
    assert!(parse_list(&deep).is_err());
    let deep = "[i for i in ".repeat(1_000);
    assert!(parse_list(&deep).is_err());
}
