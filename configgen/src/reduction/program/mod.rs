//! Row programs: chains of pointwise operations and folds of a row, as one graph.
//!
//! A program without folds is pointwise: each element is a row of its own.
//!
//! ```text
//! text ─parse─▶ ProgramGraph ─canonical─▶ Program ──▶ folds and outputs of a row operation
//!                  ▲                        └───────▶ text
//!        a chain of a module, a named operation
//! ```
//!
//! A [`Program`] is canonical: equal computations are one value, and operands that commute have
//! one order. Two programs are equal if their texts are. Nothing is rounded away: a program
//! computes each operation in its type, in the order that its text gives.

mod bounds;
mod canonical;
mod definition;
mod graph;
mod lower;
mod parse;
mod print;
mod range;
mod syntax;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::reduction::{Combining, Extent};
use crate::{ElementType, Shape};

use bounds::has_bounds;
pub(crate) use graph::{ProgramGraph, ProgramValue};
pub(crate) use parse::ProgramError;

/// The word before a program in a problem's text.
pub(crate) const ROWS: &str = "rows";

/// The largest number of values of a program.
const MAX_VALUES: usize = 256;

/// The folds of a program. Each takes elements of f32.
pub(crate) const FOLDS: [(&str, Combining); 5] = [
    ("sum", Combining::Sum),
    ("max", Combining::Max),
    ("min", Combining::Min),
    ("maxnum", Combining::MaxNumber),
    ("minnum", Combining::MinNumber),
];

/// The name of the function that takes a value at a position of the row.
const AT: &str = "at";

/// The name of an element's index along a dimension.
const INDEX: &str = "index";

/// An input of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProgramInput {
    /// The type of its elements.
    pub(crate) element: ElementType,
    /// The part of the problem that it has an element for.
    pub(crate) extent: Extent,
}

/// A canonical program: its values are numbered from the first output on, operands first.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    graph: ProgramGraph,
    outputs: Vec<ProgramValue>,
}

impl Program {
    /// Parses a program of these inputs.
    ///
    /// # Errors
    /// Returns the position of a fault in bytes, and a message.
    pub(crate) fn parse(text: &str, inputs: &[ProgramInput]) -> Result<Program, ProgramError> {
        let (graph, outputs) = parse::parse(text, inputs)?;
        Program::new(&graph, &outputs).map_err(|message| ProgramError {
            at: text.trim_end().len(),
            message,
        })
    }

    /// Returns the canonical program with these outputs of a graph.
    ///
    /// # Errors
    /// Returns a message if the graph does not use an input, or is too large.
    pub(crate) fn new(graph: &ProgramGraph, outputs: &[ProgramValue]) -> Result<Program, String> {
        let (graph, outputs) = canonical::canonical(graph, outputs);
        let program = Program { graph, outputs };
        program.check()?;
        Ok(program)
    }

    fn check(&self) -> Result<(), String> {
        use crate::comparator::{MAX_ARGUMENTS, MAX_ROW_ARGUMENTS};
        let folds = self.graph.folds().count();
        // The inputs, the indices and the values of the row are the arguments of one region.
        let inputs = self.graph.inputs().len();
        let indices = self.graph.indices().len();
        let elements = self.graph.elements_at().count();
        if inputs + indices > MAX_ARGUMENTS {
            return Err(format!(
                "a program has at most {MAX_ARGUMENTS} inputs and indices, and this has {inputs} and {indices}"
            ));
        }
        if inputs + indices + elements + folds > MAX_ROW_ARGUMENTS {
            return Err(format!(
                "a program has at most {MAX_ROW_ARGUMENTS} inputs, indices, folds and elements at positions; {inputs}, {indices}, {folds} and {elements} are more"
            ));
        }
        if elements > 0 && folds == 0 {
            return Err(format!("{AT}() stands beside a fold of the row"));
        }
        if let Some(unused) = (0..inputs).find(|&it| !self.graph.uses(it)) {
            return Err(format!("the program does not use input {unused}"));
        }
        if self.outputs.len() > lower::MAX_OUTPUTS {
            return Err(format!(
                "a program has at most {} results",
                lower::MAX_OUTPUTS
            ));
        }
        let is_other = |output: &&ProgramValue| {
            let scalar = self.graph.scalar(**output);
            !scalar.is_row_float() && scalar.bits() != 8
        };
        if let Some(output) = self.outputs.iter().find(is_other) {
            return Err(format!(
                "a result is f32, f16, bf16, i8 or a float of 8 bits, and this is {}",
                self.graph.scalar(*output)
            ));
        }
        // Without a fold, the elements alone could make a result differ.
        let is_fixed = |it: &ProgramValue| folds == 0 && !self.graph.varies(*it);
        match self.outputs.iter().any(is_fixed) {
            true => Err("a result is a number, and no operation is needed for it".to_owned()),
            false => Ok(()),
        }
    }

    /// Returns whether the program takes elements at positions of the row.
    pub(crate) fn has_positions(&self) -> bool {
        let mut elements = self.graph.elements_at();
        elements.any(|it| !self.graph.node(it).operands().is_empty())
    }

    /// Checks that a shape has the dimensions of indices, and its rows the positions.
    ///
    /// # Errors
    /// Returns a message if a dimension is missing, or several are reduced. Constant positions must
    /// lie inside a row.
    pub(crate) fn check_positions(&self, shape: &Shape) -> Result<(), String> {
        let indices = self.graph.indices();
        if let Some(missing) = indices.into_iter().find(|it| *it >= shape.rank()) {
            let last = shape.rank() - 1;
            return Err(format!(
                "there is no dimension {missing}: dimensions are counted from 0 to {last}"
            ));
        }
        if !self.has_positions() {
            return Ok(());
        }
        let mut reduced = shape.reduced();
        let (Some(row), None) = (reduced.next(), reduced.next()) else {
            return Err(
                "a position is one along a single dimension, so one is in brackets".to_owned(),
            );
        };
        let size = shape.sizes()[row];
        let positions = self.graph.elements_at().filter_map(|it| {
            let operands = self.graph.node(it).operands();
            self.graph.number(*operands.first()?)
        });
        // Such an element would be the number 0, and needs no input.
        match positions
            .into_iter()
            .find(|it| !(0.0..f64::from(size)).contains(it))
        {
            Some(outside) => Err(format!(
                "position {outside} is outside a row of {size} elements: positions begin at 0"
            )),
            None => Ok(()),
        }
    }

    /// Returns whether the program folds nothing, so that each element is a row.
    pub(crate) fn is_pointwise(&self) -> bool {
        self.graph.folds().next().is_none()
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::text(&self.graph, &self.outputs))
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Program) -> bool {
        self.graph.inputs() == other.graph.inputs() && self.to_string() == other.to_string()
    }
}
