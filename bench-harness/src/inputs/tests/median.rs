//! A third-party reduction without a reference on the host.

use configgen::reduction::{Extent, Reduce, ReductionState, Scalar, Tensor};
use configgen::{ElementType, Problem, Reduction};

/// The reduction to the median.
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

    fn state(&self, _: ElementType) -> ReductionState {
        ReductionState {
            words: 1,
            has_position: false,
        }
    }

    fn results(&self, element: ElementType) -> Vec<Tensor> {
        vec![Tensor {
            name: "medians",
            scalar: Scalar::Element(element),
            what: "the middle one",
            extent: Extent::Rows,
        }]
    }

    fn operations(&self) -> u64 {
        1
    }

    fn meaning(&self) -> String {
        "The result is the middle one of the elements of a row.".to_owned()
    }
}

/// Returns the problem on the rows of an `argmax`.
pub(super) fn problem() -> Problem {
    Problem {
        reduction: Reduction::new(Median),
        .."argmax:4x[50]xi32".parse().unwrap()
    }
}
