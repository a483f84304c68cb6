//! Texts of `accepted.mlir`, `chains.mlir` and `products.mlir`, and the problems that they are; what else is read, and where errors point.

mod compared;
mod errors;
mod module;
mod mutations;

use super::read_reduction;

/// The texts, each with its problem. codegen asks iree-compile whether it takes them, but for products.
fn accepted() -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = [
        include_str!("accepted.mlir"),
        include_str!("chains.mlir"),
        include_str!("products.mlir"),
    ];
    let texts = files.map(|text| text.split("// -----\n").skip(1));
    texts.into_iter().flatten().map(|text| {
        let line = text.lines().find_map(|it| it.strip_prefix("// problem: "));
        (text, line.unwrap_or_else(|| panic!("no problem in {text}")))
    })
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let problem = read_reduction(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let expected: crate::Problem = expected.parse().unwrap();
    assert_eq!(problem.to_string(), expected.to_string(), "{text}");
    assert_eq!(problem, expected, "{text}");
}

#[test]
fn every_text_is_its_problem() {
    for (text, problem) in accepted() {
        check(text, problem);
    }
    assert!(accepted().count() >= 20);
}
