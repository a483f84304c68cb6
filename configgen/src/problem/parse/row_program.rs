//! The parser of row programs: `rows(m=max(x);sum(exp(x-m))):64x[768]xf32`.

use super::Parser;
use crate::ElementType;
use crate::comparator::ScalarType;
use crate::function::FunctionOperand;
use crate::problem::ProblemError;
use crate::reduction::program::{Program, ProgramInput};
use crate::reduction::{Extent, Reduction};
use crate::shape::Shape;

impl<'a> Parser<'a> {
    /// Parses the options of a program, and the program itself with its text at `at`.
    pub(super) fn row_program(
        &mut self,
        (at, text): (&'a str, &'a str),
        (element, unsigned): (ElementType, bool),
        operands: Vec<FunctionOperand>,
        shape: &mut Shape,
    ) -> Result<Reduction, ProblemError> {
        if unsigned || !ScalarType::from(element).is_row_float() {
            let message =
                format!("the first input of a row program is f32, f16 or bf16, not {element}");
            return Err(self.error(at, message));
        }
        let mut inputs = vec![ProgramInput {
            element,
            extent: Extent::Elements,
        }];
        let is_viewed = |it: &FunctionOperand| it.view.is_some() || it.is_place;
        if operands.iter().any(is_viewed) {
            let message = "the inputs behind the first one are whole tensors without offsets";
            return Err(self.error(at, message));
        }
        for operand in &operands {
            let Some(extent) = Extent::of(&operand.map, shape) else {
                let message =
                    "an operand of a row program has its dimensions in the order of the problem";
                return Err(self.error(at, message));
            };
            inputs.push(ProgramInput {
                element: operand.element,
                extent,
            });
        }
        let program = Program::parse(text, &inputs);
        let program = program.map_err(|error| self.error(&at[error.at..], error.message))?;
        match (program.is_pointwise(), shape.reduces()) {
            (true, true) => {
                let message = "nothing is folded here, so no dimension may be in brackets";
                return Err(self.error(at, message));
            }
            (false, false) => {
                let message = "this program folds rows, so a dimension is in brackets, as in \
                               4x[32000]xf32";
                return Err(self.error(at, message));
            }
            _ => {}
        }
        let positions = program.check_positions(shape);
        positions.map_err(|message| self.error(at, message))?;
        self.options(shape, "", |_, _, _| Ok(false))?;
        Ok(Reduction::of_program(&program, shape))
    }
}
