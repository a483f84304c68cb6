//! The epilogue of a row: the folds of a row operation and the outputs that follow. A map has
//! outputs only.
//!
//! The folds run one after the other. If an operation uses a row's result again, every lane of
//! the row has each fold's value before the next fold begins. It has all values before the
//! outputs are computed. All folds have the same distribution over workgroups, subgroups and
//! lanes.

use std::fmt;
use std::sync::Arc;

use configgen::comparator::Region;
use configgen::reduction::{Extent, RowElement};
use configgen::{ElementType, Problem};

use super::operand::{ElementFunction, TensorOperand, text};
use crate::native::combiner::{self, Combiner};

/// The folds of a row and the outputs.
#[derive(Debug, Clone)]
pub(crate) struct Epilogue {
    /// The elements that whole rows use. They come before the values of the folds.
    pub(crate) elements: Vec<RowElement>,
    pub(crate) folds: Vec<RowFold>,
    pub(crate) outputs: Vec<EpilogueOutput>,
}

/// One fold of a row.
#[derive(Debug, Clone)]
pub(crate) struct RowFold {
    pub(crate) combiner: Arc<dyn Combiner>,
    /// The folded element, computed from an element of each source, the row's elements and the
    /// values of the earlier folds.
    pub(crate) element: ElementFunction,
    /// The row's value, computed from the fold's result, the row's elements and the values of the
    /// earlier folds.
    pub(crate) value: Region,
}

/// One output of a row operation or map.
#[derive(Debug, Clone)]
pub(crate) struct EpilogueOutput {
    pub(crate) extent: Extent,
    /// The tensor that the output is written to.
    pub(crate) target: TensorOperand,
    /// The output's element, computed from an element of each source, the row's elements and the
    /// values of all folds.
    pub(crate) element: ElementFunction,
}

impl Epilogue {
    /// Returns the epilogue of a problem, if the problem is pointwise or uses a row's result again.
    pub(super) fn of(problem: &Problem) -> Option<Epilogue> {
        let reduction = &problem.reduction;
        if problem.shape.reduces() && !reduction.uses_rows_again() {
            return None;
        }
        let (combiners, inputs) = (combiner::of_folds(problem), reduction.element_arguments());
        let folds = reduction.folds().iter().zip(combiners);
        let folds = folds.map(|(fold, combiner)| RowFold {
            // Row operations fold in f32 for every element type.
            element: ElementFunction::new(fold.element.clone(), ElementType::F32, inputs),
            value: fold.value.clone(),
            combiner,
        });
        // A map's output is what its function computes. The function of another problem is a view.
        let computed = ElementFunction::of(problem).filter(|_| reduction.keeps_elements());
        let outputs = reduction.outputs().iter().map(|output| {
            let target = TensorOperand::result(problem, &output.tensor);
            let own = || ElementFunction::new(output.element.clone(), target.element, inputs);
            EpilogueOutput {
                extent: output.tensor.extent,
                element: computed.clone().unwrap_or_else(own),
                target,
            }
        });
        Some(Epilogue {
            elements: reduction.elements().to_vec(),
            folds: folds.collect(),
            outputs: outputs.collect(),
        })
    }

    /// Returns a flag for each source: true if a fold or an output reads its elements.
    pub(crate) fn reads(&self) -> Vec<bool> {
        let folds = self.folds.iter().map(|fold| fold.element.reads.clone());
        folds.fold(self.output_reads(), |all, own| either(&all, &own))
    }

    /// Returns a flag for each source: true if an output reads its elements.
    pub(crate) fn output_reads(&self) -> Vec<bool> {
        let outputs = self
            .outputs
            .iter()
            .map(|output| output.element.reads.clone());
        outputs
            .reduce(|all, own| either(&all, &own))
            .unwrap_or_default()
    }
}

fn either(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| a | b).collect()
}

impl fmt::Display for Epilogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for RowElement { input, position } in &self.elements {
            write!(f, "  element of the row = element of input {input}")?;
            match position {
                Some(position) => writeln!(f, " at {}", text(position))?,
                None => writeln!(f)?,
            }
        }
        for (number, fold) in self.folds.iter().enumerate() {
            let (name, element) = (fold.combiner.name(), &fold.element);
            writeln!(f, "  fold {number}  {name} of f32 = {element}")?;
            writeln!(f, "          value of the row f32 = {}", text(&fold.value))?;
        }
        for output in &self.outputs {
            let (name, words) = (output.target.parameter.name(), output.target.words());
            writeln!(f, "  {name:7} {words} = {}", output.element)?;
        }
        Ok(())
    }
}
