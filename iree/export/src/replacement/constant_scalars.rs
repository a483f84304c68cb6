//! Constants that a module computes: operations without dimensions, such as JAX's `N - ddof`.
//!
//! A kernel needs such a number when it is compiled, and IREE folds it only after the spec has been
//! applied. So the spec folds it first, and the module is read as the spec leaves it. Folding moves
//! all operands without dimensions into the bodies of operations, also those that only a call
//! gives. A module is therefore read both ways, and folded only if it then needs fewer kernels.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::Path;

use configgen::Target;
use iree::{IreeCompiler, IreeError, LoweredModule};

use super::module_problems::{ModuleProblem, find_problems};
use super::module_text::{Statement, functions};

/// The largest number of operations in a row that are folded, each of the one before.
const ROUNDS: usize = 4;

/// The action that makes a `linalg.fill` of an operation that gives a constant. The matchers also
/// find operations that compute something. They stay, because a failure is suppressed.
const FILL: &str = "
  transform.named_sequence @fill(%operation: !transform.any_op {transform.consumed}) {
    transform.sequence %operation : !transform.any_op failures(suppress) {
    ^bb0(%constant: !transform.any_op):
      %fill = transform.structured.specialize %constant : (!transform.any_op) -> !transform.any_op
      transform.yield
    }
    transform.yield
  }
";

/// One round of folding. Canonicalization reads the constant from a fill.
const FOLD: &str = "
  transform.named_sequence @fold_scalars(%functions: !transform.any_op {transform.consumed}) -> !transform.any_op {
    %filled = transform.foreach_match in %functions
        @match_without_inputs -> @fill : (!transform.any_op) -> !transform.any_op
    %inlined = transform.apply_registered_pass \"linalg-inline-scalar-operands\" to %filled : (!transform.any_op) -> !transform.any_op
    %folded = transform.apply_registered_pass \"canonicalize\" to %inlined : (!transform.any_op) -> !transform.any_op
    transform.yield %folded : !transform.any_op
  }
";

/// The numbers of a `linalg.generic` that are 0.
const INPUTS: &str = "num_inputs";
const DIMENSIONS: &str = "rank";

/// Prints the matcher of operations with 0 for each of these numbers.
fn matcher(f: &mut fmt::Formatter<'_>, name: &str, zeros: &[&str]) -> fmt::Result {
    write!(
        f,
        "
  transform.named_sequence @{name}(%operation: !transform.any_op {{transform.readonly}}) -> !transform.any_op {{
    transform.match.operation_name %operation [\"linalg.generic\"] : !transform.any_op
    %matched = transform.match.structured failures(propagate) %operation : (!transform.any_op) -> !transform.any_op {{
    ^bb0(%structured: !transform.any_op):
      %none = transform.param.constant 0 : i64 -> !transform.param<i64>
"
    )?;
    for number in zeros {
        write!(
            f,
            "      %{number} = transform.match.structured.{number} %structured : (!transform.any_op) -> !transform.param<i64>
      transform.match.param.cmpi eq %{number}, %none : !transform.param<i64>
"
        )?;
    }
    f.write_str(
        "      transform.match.structured.yield %structured : !transform.any_op
    }
    transform.yield %matched : !transform.any_op
  }
",
    )
}

/// Prints the sequences that make a `linalg.fill` of an operation without dimensions that gives a
/// constant, and returns their rule. The constant is outside of its body, and no matcher compares
/// it there.
pub(super) fn fill_scalars(f: &mut fmt::Formatter<'_>) -> Result<String, fmt::Error> {
    matcher(f, "match_scalar", &[DIMENSIONS, INPUTS])?;
    f.write_str(FILL)?;
    Ok("        @match_scalar -> @fill".to_owned())
}

/// Prints the sequences that [`calls`] needs.
pub(super) fn folding(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    matcher(f, "match_without_inputs", &[INPUTS])?;
    f.write_str(FILL)?;
    f.write_str(FOLD)
}

/// Prints the operations that fold the constants of `%module`.
pub(super) fn calls(f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let functions = "transform.structured.match ops{[\"util.func\"]} in %module";
    writeln!(
        f,
        "    %unfolded0 = {functions} : (!transform.any_op) -> !transform.any_op"
    )?;
    for round in 0..ROUNDS {
        let next = round + 1;
        writeln!(
            f,
            "    %unfolded{next} = transform.include @fold_scalars failures(propagate) (%unfolded{round}) : (!transform.any_op) -> !transform.any_op"
        )?;
    }
    Ok(())
}

/// Returns a spec that only folds.
fn spec() -> String {
    let body = fmt::from_fn(|f| {
        folding(f)?;
        f.write_str(
            "  transform.named_sequence @__transform_main(%module: !transform.any_op) {\n",
        )?;
        calls(f)?;
        f.write_str("    transform.yield\n  }\n")
    });
    format!("module attributes {{transform.with_named_sequence}} {{\n{body}}}\n")
}

/// Reads the operations of the module in a file, as iree-compile lowers it for a target. `options`
/// are those that the module needs, and `counts` bounds its open sizes.
///
/// # Errors
///
/// Every failure of the compiler, and a spec that cannot be written.
pub fn read_module(
    compiler: &IreeCompiler,
    source: &Path,
    target: &Target,
    options: &[OsString],
    counts: &RangeInclusive<u32>,
) -> Result<Vec<ModuleProblem>, IreeError> {
    let read = |lowered: &LoweredModule| {
        let mut found = find_problems(&lowered.text, counts);
        for one in &mut found {
            one.locate(|line| lowered.location(line));
        }
        found
    };
    let lowered = compiler.lower(source, target, options, None)?;
    let found = read(&lowered);
    if !computes_constants(&lowered.text) {
        return Ok(found);
    }
    let mut file = tempfile::NamedTempFile::new().map_err(IreeError::io(source))?;
    let path = file.path().to_owned();
    (file.write_all(spec().as_bytes())).map_err(IreeError::io(&path))?;
    let folded_module = compiler.lower(source, target, options, Some(&path))?;
    let mut folded = read(&folded_module);
    if kernel_count(&folded_module.text, &folded) >= kernel_count(&lowered.text, &found) {
        return Ok(found);
    }
    folded.iter_mut().for_each(ModuleProblem::expect_folding);
    Ok(folded)
}

/// Returns the number of kernels that a module needs if each other operation is its own kernel.
///
/// An operation in two kernels is subtracted twice. The number compares two readings of one module.
fn kernel_count(module: &str, found: &[ModuleProblem]) -> i64 {
    let functions = functions(module);
    let statements = functions.iter().flat_map(|it| &it.statements);
    let all = statements.filter(|it| is_counted(it.name())).count() as i64;
    let replaced = found.iter().filter(|it| it.replaced_problem().is_some());
    let saved = |it: &ModuleProblem| {
        let operations = it.linalg.as_ref().map_or(1, |form| form.operations());
        (operations as i64 - 1) * it.count as i64
    };
    all - replaced.map(saved).sum::<i64>()
}

/// Returns whether operations of this name are among those of a form.
fn is_counted(name: &str) -> bool {
    let is_moved = [
        "tensor.expand_shape",
        "tensor.collapse_shape",
        "tensor.extract_slice",
        "tensor.insert_slice",
        "tensor.concat",
    ]
    .contains(&name);
    is_moved || name.starts_with("linalg.") && name != "linalg.fill"
}

/// Returns true if an operation without dimensions computes a constant of other constants.
fn computes_constants(module: &str) -> bool {
    functions(module).iter().any(|function| {
        let mut constants: HashSet<&str> = HashSet::new();
        function.named_statements().any(|(name, statement)| {
            let Some(operands) = scalar_operands(statement) else {
                return false;
            };
            let is_constant = operands.clone().all(|it| constants.contains(it));
            if is_constant {
                constants.insert(name);
            }
            is_constant && operands.count() > 0
        })
    })
}

/// Returns the names of the inputs of a `linalg.generic` without dimensions; none for another
/// operation.
fn scalar_operands(statement: Statement<'_>) -> Option<impl Iterator<Item = &str> + Clone> {
    let is_scalar =
        statement.name() == "linalg.generic" && statement.text.contains("iterator_types = []");
    let (head, _) = statement.text.split_once("outs(").filter(|_| is_scalar)?;
    let inputs = head.split_once("ins(").map_or("", |it| it.1);
    let (names, _) = inputs.split_once(':').unwrap_or_default();
    let names = names.split(',').map(|it| it.trim().trim_start_matches('%'));
    Some(names.filter(|it| !it.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, expected: bool) {
        let module = format!("module {{\n  util.func public @f() {{\n{body}\n  }}\n}}\n");
        assert_eq!(computes_constants(&module), expected, "{body}");
    }

    const CONSTANT: &str = "    %1 = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%0 : tensor<f32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<f32>
";

    fn computed(inputs: &str) -> String {
        format!(
            "    %2 = linalg.generic {{indexing_maps = [], iterator_types = []}} ins({inputs}) outs(%0 : tensor<f32>) {{
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }} -> tensor<f32>"
        )
    }

    #[test]
    fn computed_constants_are_seen() {
        check(CONSTANT, false);
        check(&(CONSTANT.to_owned() + &computed("%1 : tensor<f32>")), true);
        let two = computed("%1, %1 : tensor<f32>, tensor<f32>");
        check(&(CONSTANT.to_owned() + &two), true);
        // An input that a call gives is no constant.
        check(&computed("%arg0 : tensor<f32>"), false);
        let mixed = computed("%1, %arg0 : tensor<f32>, tensor<f32>");
        check(&(CONSTANT.to_owned() + &mixed), false);
        let with_dimension =
            computed("%1 : tensor<f32>").replace("types = []", "types = [\"parallel\"]");
        check(&(CONSTANT.to_owned() + &with_dimension), false);
    }

    const MEAN: &str = "    %fill = linalg.fill ins(%zero : f32) outs(%rows : tensor<4xf32>) -> tensor<4xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%x : tensor<4x64xf32>) outs(%fill : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %out : f32
      linalg.yield %10 : f32
    } -> tensor<4xf32>
    %mean = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} ins(%sum : tensor<4xf32>) outs(%rows : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.mulf %in, %half : f32
      linalg.yield %10 : f32
    } -> tensor<4xf32>
";

    #[test]
    fn operations_of_one_kernel_count_once() {
        let product = "    %product = linalg.matmul ins(%x, %y : tensor<4x64xf32>, tensor<64x8xf32>) outs(%z : tensor<4x8xf32>) -> tensor<4x8xf32>\n";
        for (body, expected) in [(MEAN, 1), (product, 1), (&[MEAN, product].concat(), 2)] {
            let module = format!(
                "module {{
  util.func public @f(%x: tensor<4x64xf32>, %y: tensor<64x8xf32>, %z: tensor<4x8xf32>) {{
    %zero = arith.constant 0.000000e+00 : f32
    %half = arith.constant 5.000000e-01 : f32
    %rows = tensor.empty() : tensor<4xf32>
{body}    util.return %x : tensor<4x64xf32>
  }}
}}
"
            );
            let found = find_problems(&module, &(1..=512));
            assert_eq!(kernel_count(&module, &found), expected, "{body}");
        }
    }
}
