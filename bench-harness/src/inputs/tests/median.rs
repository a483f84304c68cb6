//! A reduction of somebody else's, of which the host has no reference.

use configgen::reduction::{Reduce, Scalar, State, Tensor};
use configgen::{ElementType, IndexType, Problem, Reduction, Shape};

/// The middle one.
#[derive(Debug)]
struct Median;

impl Reduce for Median {
    fn operation(&self) -> &'static str {
        "median"
    }

    fn name(&self) -> String {
        "median".to_owned()
    }

    fn options(&self) -> String {
        String::new()
    }

    fn symbol(&self) -> String {
        "median".to_owned()
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
            name: "medians",
            scalar: Scalar::Element(element),
            what: "the middle one",
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
        "The result is the middle one of the elements of a row.".to_owned()
    }
}

/// Of the rows of an `argmax`.
pub(super) fn problem() -> Problem {
    Problem {
        reduction: Reduction::new(Median),
        .."argmax:4x[50]xi32".parse().unwrap()
    }
}
