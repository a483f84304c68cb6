//! The MLIR module of a problem, printed from our own types alone.

use std::fmt::{self, Display, Formatter};

use configgen::{Configuration, ElementType, Operation, Problem};

use super::IreeError;
use super::attribute::CompilationInfo;

/// A module whose function `@main` takes the input and returns the values and the indices of `problem`.
///
/// With a configuration the `arg_compare` carries it as `compilation_info`, which IREE uses instead of its own choice
/// and of any tuning spec; without one the choice is IREE's. `Display` prints the module.
#[derive(Debug)]
pub struct Module<'a> {
    problem: &'a Problem,
    configuration: Option<&'a Configuration>,
    dimension: usize,
}

impl<'a> Module<'a> {
    /// The module of a problem.
    ///
    /// # Errors
    ///
    /// [`IreeError::SeveralReductions`] where more than one dimension is reduced.
    pub fn new(
        problem: &'a Problem,
        configuration: Option<&'a Configuration>,
    ) -> Result<Self, IreeError> {
        let reduced: Vec<usize> = problem.shape.reduced().collect();
        match reduced[..] {
            [dimension] => Ok(Self {
                problem,
                configuration,
                dimension,
            }),
            _ => Err(IreeError::SeveralReductions {
                count: reduced.len(),
            }),
        }
    }
}

impl Display for Module<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Problem { element, index, .. } = self.problem;
        let sizes = self.problem.shape.sizes();
        let input = Tensor(sizes.to_vec(), element);
        let rows: Vec<u32> = self.problem.shape.parallel().map(|d| sizes[d]).collect();
        let values = Tensor(rows.clone(), element);
        let indices = Tensor(rows, index);
        let worst = worst(self.problem.operation, *element);
        let compare = comparison(self.problem.operation, *element);
        let dimension = self.dimension;

        writeln!(
            f,
            "func.func @main(%input: {input}) -> ({values}, {indices}) {{"
        )?;
        writeln!(f, "  %worst = arith.constant {worst} : {element}")?;
        writeln!(f, "  %zero = arith.constant 0 : {index}")?;
        writeln!(f, "  %no_values = tensor.empty() : {values}")?;
        writeln!(f, "  %no_indices = tensor.empty() : {indices}")?;
        writeln!(
            f,
            "  %first_values = linalg.fill ins(%worst : {element}) outs(%no_values : {values}) -> {values}"
        )?;
        writeln!(
            f,
            "  %first_indices = linalg.fill ins(%zero : {index}) outs(%no_indices : {indices}) -> {indices}"
        )?;
        write!(f, "  %result:2 = iree_linalg_ext.arg_compare")?;
        if let Some(configuration) = self.configuration {
            write!(
                f,
                " {{compilation_info = {}}}",
                CompilationInfo(configuration)
            )?;
        }
        writeln!(
            f,
            " dimension({dimension}) ins(%input : {input}) outs(%first_values, %first_indices : {values}, {indices}) {{"
        )?;
        writeln!(f, "  ^bb0(%new: {element}, %best: {element}):")?;
        writeln!(f, "    %better = {compare}, %new, %best : {element}")?;
        writeln!(f, "    iree_linalg_ext.yield %better : i1")?;
        writeln!(f, "  }} -> {values}, {indices}")?;
        writeln!(f, "  return %result#0, %result#1 : {values}, {indices}")?;
        writeln!(f, "}}")
    }
}

/// A tensor type: sizes, outermost first, and what the elements are.
struct Tensor<E>(Vec<u32>, E);

impl<E: Display> Display for Tensor<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for size in &self.0 {
            write!(f, "{size}x")?;
        }
        write!(f, "{}>", self.1)
    }
}

/// The comparison that decides whether a new element beats the best so far.
fn comparison(operation: Operation, element: ElementType) -> &'static str {
    match (operation, element.is_float()) {
        (Operation::Argmax, true) => "arith.cmpf ogt",
        (Operation::Argmin, true) => "arith.cmpf olt",
        (Operation::Argmax, false) => "arith.cmpi sgt",
        (Operation::Argmin, false) => "arith.cmpi slt",
    }
}

/// The value that every other element beats, as an MLIR literal: an infinity in IEEE bits, or an end of the range.
fn worst(operation: Operation, element: ElementType) -> &'static str {
    use ElementType::{Bf16, F16, F32, F64, I8, I16, I32, I64};
    match (operation, element) {
        (Operation::Argmax, F64) => "0xFFF0000000000000",
        (Operation::Argmax, F32) => "0xFF800000",
        (Operation::Argmax, F16) => "0xFC00",
        (Operation::Argmax, Bf16) => "0xFF80",
        (Operation::Argmax, I64) => "-9223372036854775808",
        (Operation::Argmax, I32) => "-2147483648",
        (Operation::Argmax, I16) => "-32768",
        (Operation::Argmax, I8) => "-128",
        (Operation::Argmin, F64) => "0x7FF0000000000000",
        (Operation::Argmin, F32) => "0x7F800000",
        (Operation::Argmin, F16) => "0x7C00",
        (Operation::Argmin, Bf16) => "0x7F80",
        (Operation::Argmin, I64) => "9223372036854775807",
        (Operation::Argmin, I32) => "2147483647",
        (Operation::Argmin, I16) => "32767",
        (Operation::Argmin, I8) => "127",
    }
}
