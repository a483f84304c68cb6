//! The elements that kernels with mistakes read from tensors.

use configgen::comparator::ScalarType;
use configgen::reduction::Scalar;
use configgen::view::ViewSource;
use configgen::{Problem, View};

use super::computed::Mistake;
use super::{image, tensor};
use crate::inputs::Inputs;
use crate::operation::LaunchInput;

/// The inputs of a launch as they lie in memory.
pub(super) struct Tensors<'a> {
    problem: &'a Problem,
    mistake: Mistake,
    own: Vec<u64>,
    /// The elements of each operand. Empty for a coordinate.
    operands: Vec<Vec<u64>>,
}

impl<'a> Tensors<'a> {
    pub(super) fn new(
        inputs: &'a Inputs,
        launch: &LaunchInput,
        set: usize,
        mistake: Mistake,
    ) -> Tensors<'a> {
        let problem = inputs.problem();
        let function = problem.function.as_ref().unwrap();
        let mut number = 0;
        let operands = function.operands().iter().map(|operand| {
            if operand.is_place {
                return Vec::new();
            }
            let count = operand.elements(&problem.shape);
            let scalar = Scalar::Element(operand.element);
            number += 1;
            image(inputs, set, number - 1, scalar, count)
        });
        Tensors {
            problem,
            mistake,
            operands: operands.collect(),
            own: tensor(inputs, launch),
        }
    }

    /// Returns the element of an input at the coordinates `at`. Gather indices are read at
    /// `index_at`, and `own` is the row's element.
    pub(super) fn element(&self, input: usize, own: u64, at: &[u64], index_at: &[u64]) -> u64 {
        let (shape, function) = (&self.problem.shape, self.problem.function.as_ref().unwrap());
        let Some(number) = input.checked_sub(1) else {
            let mask = ScalarType::from(self.problem.element).mask();
            return match self.problem.view() {
                None => own,
                Some(view) => self.seen(view, &self.own, own, at, index_at) & mask,
            };
        };
        let (operand, elements) = (&function.operands()[number], &self.operands[number]);
        let mut dimensions: Vec<usize> = operand.map.dimensions().collect();
        if operand.is_place {
            return at[dimensions[0]] + u64::from(self.mistake == Mistake::NextIndex);
        }
        if let Some(view) = &operand.view {
            return self.seen(view, elements, own, at, index_at);
        }
        if self.mistake == Mistake::OperandNotTransposed {
            dimensions.sort_unstable();
        }
        let place = dimensions
            .iter()
            .fold(0, |place, &d| place * u64::from(shape.sizes()[d]) + at[d]);
        elements[place as usize]
    }

    /// Returns the element that a view shows.
    fn seen(&self, view: &View, elements: &[u64], own: u64, at: &[u64], index_at: &[u64]) -> u64 {
        let function = self.problem.function.as_ref().unwrap();
        let sizes = self.problem.shape.sizes();
        let mut number = 0;
        for (dimension, along) in view.along().iter().enumerate() {
            let (place, of_problem) = match along.by {
                ViewSource::Dimension(d) => (i128::from(at[d]), sizes[d]),
                ViewSource::Gathered(input) => {
                    let kind = match input.checked_sub(1) {
                        None => self.problem.element,
                        Some(number) => function.operands()[number].element,
                    };
                    let bits = self.element(input, own, index_at, index_at);
                    (ScalarType::from(kind).signed(bits).into(), 1)
                }
            };
            let size = i128::from(along.size.unwrap_or(of_problem));
            let offset = i128::from(along.offset);
            let mut place = match (along.is_reversed, self.mistake) {
                (true, Mistake::NotReversed) => offset - i128::from(of_problem) + 1 + place,
                (true, _) => offset - place,
                (false, _) => place + offset,
            };
            if dimension == 0 && self.mistake == Mistake::NextPlace {
                place += 1;
            }
            let is_gathered = matches!(along.by, ViewSource::Gathered(_));
            if !(0..size).contains(&place) {
                match self.mistake {
                    Mistake::OutsideForgotten => return elements[0],
                    Mistake::ClampsIndex if is_gathered => place = place.clamp(0, size - 1),
                    _ => return view.outside(),
                }
            }
            number = number * size + place;
        }
        elements[number as usize]
    }
}
