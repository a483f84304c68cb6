//! The MLIR module of a problem, printed from our own types alone.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use crate::arg_compare_operation::{
    ArgCompareOperandNames, ArgCompareOperation, ArgCompareOperationError,
};
use crate::generic::{self, Generic};
use crate::row_kernel::RowKernel;
use configgen::comparator::Constant;
use configgen::{Configuration, IndexMode, Initial, Problem, SPLIT_REDUCTION, SplitReduction};

use super::IreeError;

/// A module whose function `@main` takes the inputs of `problem` and returns its results.
///
/// For an `arg_compare`, the second argument is the explicit indices or the index base. The base
/// has 64 bits for every index type, because IREE passes its type `index` to kernels that way.
///
/// With a configuration, the operation carries it as `compilation_info`. IREE uses that instead
/// of its own choice and of any tuning spec. A configuration that splits rows is on no operation:
/// the `arg_compare` carries the piece size, and a spec configures the resulting operations. A
/// spec configures a row operation, too. `Display` prints the module.
#[derive(Debug)]
pub struct MlirModule<'a> {
    operation: ModuleOperation<'a>,
    configuration: Option<Cow<'a, Configuration>>,
    pieces: Option<SplitReduction>,
}

/// The operation and its start value.
#[derive(Debug)]
enum ModuleOperation<'a> {
    ArgCompare(ArgCompareOperation<'a>, Constant),
    Generic(Generic<'a>),
    RowKernel(RowKernel<'a>),
}

impl<'a> MlirModule<'a> {
    /// Creates the module of a problem.
    ///
    /// # Errors
    ///
    /// - [`IreeError::NoOperation`]: the problem is no `arg_compare`, no plain reduction and no
    ///   row operation that IREE computes in one kernel.
    /// - [`IreeError::SeveralReductions`]: an `arg_compare` reduces more than one dimension.
    /// - [`IreeError::NoWorst`]: the comparator has no known start value.
    /// - [`IreeError::Option`]: the problem has an option that no module supports.
    pub fn new(
        problem: &'a Problem,
        configuration: Option<&'a Configuration>,
    ) -> Result<Self, IreeError> {
        // IREE's tensors are dense, so a module cannot express a pitch.
        if !problem.shape.is_dense() {
            return Err(IreeError::Option { option: "pitch" });
        }
        let pieces =
            configuration.and_then(|configuration| SplitReduction::of(problem, configuration));
        let split = configuration.map_or(1, |configuration| configuration.knobs.split);
        // IREE splits a dimension only into equal pieces.
        if split != 1 && pieces.is_none() {
            return Err(IreeError::Option {
                option: "pieces of different sizes",
            });
        }
        if let Some(generic) = Generic::of(problem) {
            return Ok(Self {
                configuration: configuration.map(|it| generic.configuration(it)),
                operation: ModuleOperation::Generic(generic),
                pieces,
            });
        }
        if let Some(kernel) = RowKernel::of(problem) {
            return Ok(Self {
                configuration: configuration.map(Cow::Borrowed),
                operation: ModuleOperation::RowKernel(kernel),
                pieces,
            });
        }
        let operation = ArgCompareOperation::of(problem).map_err(|reason| match reason {
            ArgCompareOperationError::AnotherReduction => IreeError::NoOperation {
                name: problem.name().into_owned(),
            },
            ArgCompareOperationError::Dimensions(count) => IreeError::SeveralReductions { count },
        })?;
        let arg_compare = operation.arg_compare;
        // The module fills the results with the worst value itself.
        if arg_compare.initial != Initial::Worst {
            return Err(IreeError::Option { option: "initial" });
        }
        let comparator = &arg_compare.comparator;
        let worst = comparator.order().worst.ok_or(IreeError::NoWorst)?;
        Ok(Self {
            operation: ModuleOperation::ArgCompare(
                operation,
                Constant(worst.bits, comparator.element()),
            ),
            configuration: configuration.map(Cow::Borrowed),
            pieces,
        })
    }

    /// Returns the configuration in the form that the operation carries.
    pub(super) fn configuration(&self) -> Option<&Configuration> {
        self.configuration.as_deref()
    }

    /// Returns true if a spec has the configurations of the resulting operations, and the
    /// operation itself has none.
    pub(super) fn has_spec(&self) -> bool {
        let is_several = matches!(self.operation, ModuleOperation::RowKernel(_));
        self.pieces.is_some() || is_several && self.configuration.is_some()
    }

    /// Returns the attributes of the operation, if it has some.
    fn attributes(&self) -> Option<String> {
        match (&self.pieces, &self.configuration) {
            (Some(pieces), _) => Some(format!("{{{SPLIT_REDUCTION} = [{}]}}", pieces.size)),
            (None, Some(configuration)) => Some(format!("{{compilation_info = {configuration}}}")),
            (None, None) => None,
        }
    }
}

impl Display for MlirModule<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let attributes = self.attributes();
        match &self.operation {
            ModuleOperation::ArgCompare(operation, worst) => {
                let attributes = attributes.map(|it| format!(" {it}"));
                arg_compare(f, operation, worst, &attributes.unwrap_or_default())
            }
            ModuleOperation::Generic(generic) => {
                let attributes = attributes.map(|it| format!(" attrs = {it}"));
                self::generic(f, generic, &attributes.unwrap_or_default())
            }
            // A row operation is several operations of IREE, so a spec carries its configuration.
            ModuleOperation::RowKernel(kernel) => kernel.function().fmt(f),
        }
    }
}

/// The names of the operands of an `arg_compare` in the module.
const NAMES: ArgCompareOperandNames<'_> = ArgCompareOperandNames {
    input: "%input",
    explicit: "%explicit",
    values: "%first_values",
    indices: "%first_indices",
    base: "%first",
    indent: 2,
};

fn arg_compare(
    f: &mut Formatter<'_>,
    operation: &ArgCompareOperation<'_>,
    worst: &Constant,
    attributes: &str,
) -> fmt::Result {
    let (values, indices) = (operation.values(), operation.indices());
    let (element, index) = (values.element, indices.element);
    let mode = operation.arg_compare.index_mode;

    write!(f, "func.func @main(%input: {}", operation.input())?;
    match mode {
        IndexMode::Position => {}
        // IREE passes a value of type `index` to kernels as i64.
        IndexMode::Based => write!(f, ", %base: i64")?,
        IndexMode::Explicit => write!(f, ", %explicit: {}", operation.explicit())?,
    }
    writeln!(f, ") -> ({values}, {indices}) {{")?;
    if mode == IndexMode::Based {
        writeln!(f, "  %first = arith.index_cast %base : i64 to index")?;
    }
    writeln!(f, "  %worst = arith.constant {worst}")?;
    writeln!(f, "  %zero = arith.constant 0 : {index}")?;
    let count = count(f, operation.is_open(), operation.input())?;
    writeln!(f, "  %no_values = tensor.empty({count}) : {values}")?;
    writeln!(f, "  %no_indices = tensor.empty({count}) : {indices}")?;
    writeln!(
        f,
        "  %first_values = linalg.fill ins(%worst : {element}) outs(%no_values : {values}) -> {values}"
    )?;
    writeln!(
        f,
        "  %first_indices = linalg.fill ins(%zero : {index}) outs(%no_indices : {indices}) -> {indices}"
    )?;
    writeln!(f, "  %result:2 = {}", operation.to_mlir(attributes, NAMES))?;
    writeln!(f, "  return %result#0, %result#1 : {values}, {indices}")?;
    writeln!(f, "}}")
}

fn generic(f: &mut Formatter<'_>, generic: &Generic<'_>, attributes: &str) -> fmt::Result {
    let types: Vec<String> = generic.inputs().map(|it| it.to_string()).collect();
    let operands = (1..types.len()).map(|number| format!("%operand_{number}"));
    let inputs: Vec<String> = ["%input".to_owned()].into_iter().chain(operands).collect();
    let parameters = inputs.iter().zip(&types);
    let parameters: Vec<String> = parameters
        .map(|(name, of)| format!("{name}: {of}"))
        .collect();
    let (result, initial) = (generic.result(), generic.initial());
    writeln!(
        f,
        "func.func @main({}) -> {result} {{",
        parameters.join(", ")
    )?;
    writeln!(f, "  %begin = arith.constant {initial}")?;
    let count = count(f, generic.is_open(), &types[0])?;
    writeln!(f, "  %none = tensor.empty({count}) : {result}")?;
    writeln!(
        f,
        "  %first = linalg.fill ins(%begin : {}) outs(%none : {result}) -> {result}",
        initial.1
    )?;
    let names = generic::GenericOperandNames {
        inputs: &inputs,
        first: "%first",
        indent: 2,
    };
    writeln!(f, "  %result = {}", generic.to_mlir(attributes, names))?;
    writeln!(f, "  return %result : {result}")?;
    writeln!(f, "}}")
}

/// Writes the statements that compute the count of the outermost dimension of `%input`, if it is
/// open. Returns the name of the count.
fn count(
    f: &mut Formatter<'_>,
    is_open: bool,
    input: impl Display,
) -> Result<&'static str, fmt::Error> {
    if !is_open {
        return Ok("");
    }
    writeln!(f, "  %outermost = arith.constant 0 : index")?;
    writeln!(f, "  %count = tensor.dim %input, %outermost : {input}")?;
    Ok("%count")
}

#[cfg(test)]
mod tests;
