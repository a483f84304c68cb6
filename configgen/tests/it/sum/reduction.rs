//! A second operation, for tests alone: the sum of a row of i32, modulo 2^32. It has no positions, one result, and an element
//! that is taken twice counts twice.
//!
//! Tests of other crates include this file.

use configgen::reduction::{Reduce, Scalar, State, Tensor};
use configgen::{ElementType, IndexType, Problem, Reduction, Shape};

/// The sum.
#[derive(Debug)]
pub(crate) struct Sum;

impl Reduce for Sum {
    fn operation(&self) -> &'static str {
        "sum"
    }

    fn name(&self) -> String {
        "sum".to_owned()
    }

    fn options(&self) -> String {
        String::new()
    }

    fn symbol(&self) -> String {
        "sum".to_owned()
    }

    fn is_serial(&self) -> bool {
        false
    }

    fn why_serial(&self) -> String {
        String::new()
    }

    fn finds_element(&self) -> bool {
        false
    }

    fn state(&self, _: ElementType) -> State {
        State {
            words: 1,
            has_position: false,
        }
    }

    fn results(&self, element: ElementType) -> Vec<Tensor> {
        vec![Tensor {
            name: "sums",
            scalar: Scalar::Element(element),
            what: "the sum",
        }]
    }

    fn operands(&self) -> Vec<Tensor> {
        Vec::new()
    }

    fn scalar(&self) -> Option<(IndexType, &'static str)> {
        None
    }

    fn begins_at_results(&self) -> bool {
        false
    }

    fn bytes_beside(&self, _: &Shape) -> u64 {
        0
    }

    fn operations(&self) -> u64 {
        1
    }

    fn meaning(&self) -> String {
        "The result is the sum of the elements of a row, modulo 2^32.".to_owned()
    }
}

/// The sum of the rows of a shape such as `4x[1000]`.
pub(crate) fn problem(shape: &str) -> Problem {
    let (shape, options) = shape.split_once(':').unwrap_or((shape, ""));
    let colon = if options.is_empty() { "" } else { ":" };
    let twin: Problem = format!("argmax:{shape}xi32:i64{colon}{options}")
        .parse()
        .unwrap();
    Problem {
        reduction: Reduction::new(Sum),
        ..twin
    }
}
