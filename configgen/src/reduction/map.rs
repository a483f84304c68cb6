//! Maps: what is computed of the elements at each place, where nothing is reduced.

use super::{Extent, Reduce, ReductionState, Scalar, Tensor};
use crate::ElementType;

/// What reduces nothing: every dimension is parallel, and so each element is a row of its own. What is computed of it is the
/// problem's function; without one, or where that is a view alone, it is a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Map {
    /// Whether elements are stored as they are.
    pub is_copy: bool,
}

impl Map {
    /// What it is called where something is computed, and where elements are stored as they are.
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
