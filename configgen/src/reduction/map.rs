//! Maps: compute a function of each element and reduce nothing.

use super::{Extent, Reduce, ReductionState, Scalar, Tensor};
use crate::ElementType;

/// A map: all dimensions are parallel, so each element is a row of its own.
///
/// The problem's function computes the results. Without a function, or with a view alone, it is a
/// copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Map {
    /// Set if the kernel stores elements as they are.
    pub is_copy: bool,
}

impl Map {
    /// The name with a function, and the name of a copy.
    pub(crate) const NAMES: [&str; 2] = ["map", "copy"];
}

impl Reduce for Map {
    fn operation(&self) -> &'static str {
        "map"
    }

    fn name(&self) -> String {
        Self::NAMES[usize::from(self.is_copy)].to_owned()
    }

    fn options(&self) -> String {
        String::new()
    }

    fn symbol(&self) -> String {
        self.name()
    }

    fn state(&self, _: ElementType) -> ReductionState {
        // A lane stores each value at once, so it keeps no state.
        ReductionState {
            words: 0,
            has_position: false,
        }
    }

    fn results(&self, element: ElementType) -> Vec<Tensor> {
        vec![Tensor {
            name: "values",
            scalar: Scalar::Element(element),
            what: "what is computed of the elements at the same place",
            extent: Extent::Elements,
        }]
    }

    fn operations(&self) -> u64 {
        1
    }

    fn meaning(&self) -> String {
        match self.is_copy {
            true => "values are the elements, each at its place.",
            false => "values are what is computed of the elements at the same place.",
        }
        .to_owned()
    }
}
