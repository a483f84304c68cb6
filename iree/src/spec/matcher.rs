//! The common parts of matchers: names, and the text of the matched operation.

use std::fmt::{self, Display, Formatter};

use crate::arg_compare_operation::{ArgCompareInit, ArgCompareOperandNames, ArgCompareOperation};
use crate::generic::{self, Generic};
use crate::row_kernel::RowKernel;
use configgen::function::FunctionOperand;
use configgen::{ArgCompare, Function, IndexMode, Pipeline, Problem};

/// Returns the statement that matches `%op` with this operation, for any initial values.
///
/// The names in the block of the operation and in that of the comparator share one name space. A
/// clash is a parse error.
pub(super) fn operation_matched(operation: &ArgCompareOperation<'_>) -> impl Display {
    fmt::from_fn(move |f| {
        let (values, indices) = (operation.values(), operation.indices());
        let begin = format!(", %values: {values}, %indices: {indices}");
        matched(f, operation, &begin, "")
    })
}

/// Returns the same statement for the initial value `worst`, in bits, with index 0.
pub(super) fn operation_matched_from(
    operation: &ArgCompareOperation<'_>,
    worst: u64,
) -> impl Display {
    fmt::from_fn(move |f| {
        let begin = ArgCompareInit {
            arg_compare: operation.arg_compare,
            value: worst,
            index: 0,
            values: operation.values(),
            indices: operation.indices(),
            counts: ["", ""],
        };
        matched(f, operation, "", begin)
    })
}

fn matched(
    f: &mut Formatter<'_>,
    operation: &ArgCompareOperation<'_>,
    begin: &str,
    fills: impl Display,
) -> fmt::Result {
    let input = operation.input();
    let [explicit, base] = match operation.arg_compare.index_mode {
        IndexMode::Position => [String::new(), String::new()],
        IndexMode::Based => [String::new(), ", %base: index".to_owned()],
        IndexMode::Explicit => [
            format!(", %explicit: {}", operation.explicit()),
            String::new(),
        ],
    };
    // "cast compatible" lets a static type in the module match a `?` of the matcher.
    write!(
        f,
        "    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {{
    ^bb0(%input: {input}{explicit}{begin}{base}):
{fills}      %result:2 = {}
    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
",
        operation.to_mlir("", NAMES),
    )
}

/// Returns the statement that matches `%op` with this operation and attributes, for any initial
/// value.
fn generic_matched(generic: &Generic<'_>, attributes: &str) -> impl Display {
    fmt::from_fn(move |f| {
        let types: Vec<String> = generic.inputs().map(|it| it.to_string()).collect();
        let inputs = 0..types.len();
        let inputs: Vec<String> = inputs.map(|number| format!("%input_{number}")).collect();
        let arguments = inputs.iter().zip(&types);
        let arguments: Vec<String> = arguments
            .map(|(name, of)| format!("{name}: {of}"))
            .collect();
        let names = generic::GenericOperandNames {
            inputs: &inputs,
            first: "%first",
            indent: 6,
        };
        write!(
            f,
            "    %ins, %outs = transform.iree.match.cast_compatible_dag_from_root %op {{
    ^bb0({}, %first: {}):
      %result = {}
    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
",
            arguments.join(", "),
            generic.result(),
            generic.to_mlir(attributes, names),
        )
    })
}

/// Returns the statement that matches a plain reduction, and its configuration in the loops'
/// order.
pub(super) fn of_generic(
    generic: Generic<'_>,
    pipeline: &Pipeline,
    form: SpecForm,
) -> Result<(String, String), fmt::Error> {
    let configuration = pipeline.configuration().ok_or(fmt::Error)?;
    let configuration = generic.configuration(configuration).to_string();
    let statement = match form {
        SpecForm::Usual | SpecForm::Torch => generic_matched(&generic, "").to_string(),
        SpecForm::Turned => generic_matched(&generic.turned(), "").to_string(),
        SpecForm::Named => {
            let maps = generic.maps().join(", ");
            let attributes = format!(" attrs = {{linalg.memoized_indexing_maps = [{maps}]}}");
            generic_matched(&generic, &attributes).to_string()
        }
    };
    Ok((statement, configuration))
}

/// A form in which IREE may have an operation when it reads a spec.
///
/// A matcher compares texts, so each form needs a matcher of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpecForm {
    /// The accumulator is the first operand of the last operation, as in a named operation.
    Usual,
    /// The accumulator is the second operand.
    Turned,
    /// torch's form, if it differs.
    Torch,
    /// The form of a former `linalg.matvec` or `linalg.dot`.
    ///
    /// iree-compile 3.13.0 leaves the maps of the named operation on its generic as an attribute.
    Named,
}

impl SpecForm {
    /// Returns the forms of a problem.
    pub(super) fn of(problem: &Problem) -> &'static [SpecForm] {
        let is_row =
            |operand: &FunctionOperand| operand.map.dimensions().eq(problem.shape.reduced());
        let is_dot = |it: &Function| it.name() == Some("dot") && it.operands().iter().all(is_row);
        let shape = &problem.shape;
        // A `linalg.matvec` or `linalg.dot` has at most a parallel dimension, then the reduced
        // one.
        let is_last = shape.rank() <= 2 && shape.is_reduced(shape.rank() - 1);
        match (&problem.function, problem.reduction.accumulator()) {
            (Some(function), Some(_)) if is_last && is_dot(function) => {
                &[SpecForm::Usual, SpecForm::Turned, SpecForm::Named]
            }
            (_, Some(_)) => &[SpecForm::Usual, SpecForm::Turned],
            (_, None) => match RowKernel::of(problem) {
                // torch's form is another text only for f32 norms.
                Some(RowKernel::RmsNorm(norm)) if norm.of_torch().is_some() => {
                    &[SpecForm::Usual, SpecForm::Torch]
                }
                _ => &[SpecForm::Usual],
            },
        }
    }

    /// Returns the suffix of the matcher's name.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            SpecForm::Usual => "",
            SpecForm::Turned => "_turned",
            SpecForm::Torch => "_torch",
            SpecForm::Named => "_named",
        }
    }
}

/// The operand names in a matcher.
const NAMES: ArgCompareOperandNames<'_> = ArgCompareOperandNames {
    input: "%input",
    explicit: "%explicit",
    values: "%values",
    indices: "%indices",
    base: "%base",
    indent: 6,
};

/// A unique symbol name: `argmax_4xr32000xf32_i32`.
///
/// `r` marks a reduced dimension, and `n` stands for an open size.
pub(super) struct MatcherName<'a>(pub(super) &'a Problem, pub(super) &'a ArgCompare);

impl Display for MatcherName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let MatcherName(problem, arg_compare) = self;
        let symbol = arg_compare.comparator.symbol();
        write!(
            f,
            "{symbol}_{}{}",
            sizes(problem),
            types(problem, arg_compare)
        )
    }
}

/// The name of a plain reduction: `sum_64xr4096xf16_f32`, with its accumulator's type at the end.
///
/// With a function it contains the operands and their dimensions: `dot_64xr4096xf16_f16d1_f32`.
pub(super) struct GenericName<'a>(pub(super) &'a Problem);

impl Display for GenericName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let GenericName(problem) = self;
        write_elements(f, problem)?;
        let function = problem.function.as_ref();
        for operand in function.iter().flat_map(|it| it.operands()) {
            write!(f, "_{}", operand.element)?;
            let mut dimensions = operand.map.dimensions();
            dimensions.try_for_each(|d| write!(f, "d{d}"))?;
        }
        if let Some(function) = function.filter(|it| it.name().is_none()) {
            // The text of a function without a name has no valid symbol characters, so its hash
            // stands for it.
            let digest = blake3::hash(function.compact().as_bytes());
            write!(f, "_{}", &digest.to_hex()[..16])?;
        }
        let mut results = problem.results().into_iter();
        results.try_for_each(|result| write!(f, "_{}", result.scalar))
    }
}

/// Writes the start of a name: the operation, and the sizes and the type of its elements.
fn write_elements(f: &mut Formatter<'_>, problem: &Problem) -> fmt::Result {
    let symbol = problem.symbol();
    write!(f, "{symbol}_{}{}", sizes(problem), problem.element)
}

/// The name of a row operation that IREE compiles to one kernel: `softmax_64xr4096xf32`.
///
/// The name of an RMS norm contains the bits of its epsilon.
pub(super) struct RowKernelName<'a>(pub(super) &'a Problem);

impl Display for RowKernelName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let RowKernelName(problem) = self;
        write_elements(f, problem)?;
        match RowKernel::of(problem).and_then(|kernel| kernel.epsilon()) {
            None => Ok(()),
            Some(epsilon) => write!(f, "_{epsilon:08x}"),
        }
    }
}

/// Returns the sizes in a name, each with an `x` behind it.
pub(super) fn sizes(problem: &Problem) -> impl Display {
    fmt::from_fn(move |f| {
        for (d, size) in problem.shape.sizes().iter().enumerate() {
            match (problem.shape.is_reduced(d), problem.shape.is_counted(d)) {
                (true, _) => write!(f, "r{size}x")?,
                (false, false) => write!(f, "{size}x")?,
                (false, true) => write!(f, "nx")?,
            }
        }
        Ok(())
    })
}

/// Returns the end of a name.
pub(super) fn types(problem: &Problem, arg_compare: &ArgCompare) -> impl Display {
    let mode = match arg_compare.index_mode {
        IndexMode::Position => "",
        IndexMode::Based => "_based",
        IndexMode::Explicit => "_explicit",
    };
    let (element, index) = (problem.element, arg_compare.index);
    fmt::from_fn(move |f| write!(f, "{element}_{index}{mode}"))
}

/// Foreign text in a comment, without characters that would end the line.
pub(super) struct Comment<'a>(pub(super) &'a str);

impl Display for Comment<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Control characters would end an MLIR comment, and the rest would be code.
        let line = self
            .0
            .split(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
        line.filter(|part| !part.is_empty())
            .enumerate()
            .try_for_each(|(position, part)| {
                let space = if position == 0 { "" } else { " " };
                write!(f, "{space}{part}")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_name(problem: &str, expected: &str) {
        let problem: Problem = problem.parse().unwrap();
        assert_eq!(
            MatcherName(&problem, problem.arg_compare().unwrap()).to_string(),
            expected
        );
    }

    #[test]
    fn different_problems_have_different_names() {
        check_name("argmax:4x[32000]xf32", "argmax_4xr32000xf32_i32");
        check_name("argmin:[4]x32000xf32", "argmin_r4x32000xf32_i32");
        check_name("argmax:[7]xi8:i64", "argmax_r7xi8_i64");
        check_name("argmax:?x[7]xi8:i64", "argmax_nxr7xi8_i64");
        check_name("argmax:[7]xi8:i64:index_base", "argmax_r7xi8_i64_based");
        check_name(
            "argmax:[7]xi8:i64:explicit_index",
            "argmax_r7xi8_i64_explicit",
        );
    }
}
