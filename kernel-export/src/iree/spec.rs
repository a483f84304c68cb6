//! The transform spec: a function for each kernel, a matcher for each form of its problem, and what puts one in place of the other.

use std::cmp::Reverse;
use std::fmt::{self, Display, Formatter};

use codegen::CompiledKernel;
use configgen::spec::F64_OPTION;
use configgen::{ElementType, Problem, Target};

use super::dispatch::Dispatch;
use super::form::Form;
use super::launch;
use super::operation::{Operation, Unsaid};
use super::pattern::Pattern;

/// A kernel and the problem that it is put in place of.
#[derive(Debug)]
pub(crate) struct Replacement {
    pub(crate) problem: Problem,
    pub(crate) kernel: CompiledKernel,
    /// The code object's name.
    pub(crate) file: String,
    /// Lanes of a subgroup.
    pub(crate) subgroup_size: u32,
    /// Where its configuration is from, of our own words.
    pub(crate) origin: String,
    /// Whether an arg_compare stays, as IREE's own kernel of it is the better one.
    pub(crate) leaves_arg_compare: bool,
}

impl Replacement {
    /// The names of the forms in which its problem is matched.
    ///
    /// # Errors
    ///
    /// [`Unsaid`]: no form is one of this problem, or the kernel cannot be launched by IREE.
    pub(crate) fn forms(&self) -> Result<Vec<&'static str>, Unsaid> {
        let operation = Operation::of(&self.problem)?;
        launch::check(&operation, &self.kernel)?;
        Ok(self.of(&operation).into_iter().map(Form::name).collect())
    }

    fn of(&self, operation: &Operation<'_>) -> Vec<Form> {
        let mut forms = Form::of(operation);
        forms.retain(|form| !self.leaves_arg_compare || *form != Form::ArgCompare);
        forms
    }

    /// Bytes that are cleared before each launch; 0 where no row is split.
    pub(crate) fn workspace_bytes(&self) -> u64 {
        let workspace = self.kernel.workspace;
        workspace.map_or(0, |workspace| self.kernel.buffers[workspace.buffer])
    }
}

/// A spec for one target; `Display` prints the file.
#[derive(Debug)]
pub(crate) struct Spec<'a> {
    pub(crate) target: &'a Target,
    pub(crate) replacements: &'a [Replacement],
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Display for Spec<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let target = self.target;
        write!(
            f,
            "// Kernels in place of operations: an IREE preprocessing spec by wavetune {VERSION} for {target}.
// iree-compile --iree-rocm-target={target} --iree-preprocessing-transform-spec-filename=THIS_FILE
//   --iree-hal-executable-object-search-path=ITS_FOLDER
module attributes {{transform.with_named_sequence}} {{
"
        )?;
        let mut calls = Vec::new();
        let replacements = self.replacements.iter();
        let mut replacements: Vec<_> = replacements
            .filter_map(|it| Some((it, Operation::of(&it.problem).ok()?)))
            .collect();
        // What begins at any pair matches what begins at a certain one, too, and a count that is open any count: the kernel that is
        // made for the most of them needs the fewest launches.
        replacements.sort_by_key(|(_, operation)| {
            let counts = operation.problem.shape.counts();
            let largest = counts.map(|it| Reverse(*it.end()));
            (operation.begins_at_operands(), largest)
        });
        if replacements.iter().any(|(it, _)| it.leaves_arg_compare) {
            f.write_str(LEAVE)?;
        }
        for (replacement, operation) in &replacements {
            self.replacement(f, replacement, operation, &mut calls)?;
        }
        if calls.is_empty() {
            return f.write_str(NOTHING);
        }
        let casts = replacements.iter().any(|(_, it)| it.casts_indices());
        f.write_str(match casts {
            true => HEAD_OF_CASTS,
            false => HEAD,
        })?;
        f.write_str(FUNCTIONS)?;
        writeln!(
            f,
            "{} : (!transform.any_op) -> !transform.any_op",
            calls.join(",\n")
        )?;
        f.write_str(TAIL)?;
        f.write_str(match casts {
            true => TAIL_OF_CASTS,
            false => "",
        })?;
        f.write_str(END)
    }
}

/// For what is best left to IREE.
const LEAVE: &str = "
  transform.named_sequence @leave(%operation: !transform.any_op {transform.readonly}, %operands: !transform.any_value {transform.readonly}, %results: !transform.any_value {transform.readonly}) {
    transform.yield
  }
";

/// Of no kernels.
const NOTHING: &str = "
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    transform.yield
  }
}
";

const HEAD: &str = "
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
";

/// Where what is called returns indices of type `index`, none of its functions may be left: IREE compiles those that nobody calls,
/// too, and finds in them a cast to `index` that no other follows.
const HEAD_OF_CASTS: &str = "
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
";

const FUNCTIONS: &str = "    %functions = transform.structured.match ops{[\"util.func\"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.foreach %functions : !transform.any_op {
    ^bb0(%function: !transform.any_op):
      transform.foreach_match in %function
";

const TAIL: &str = "    }
    transform.apply_dce to %module : !transform.any_op
";

const TAIL_OF_CASTS: &str = "    %left = transform.apply_registered_pass \"symbol-dce\" to %module : (!transform.any_op) -> !transform.any_op
";

const END: &str = "    transform.yield
  }
}
";

impl Spec<'_> {
    fn replacement(
        &self,
        f: &mut Formatter<'_>,
        replacement: &Replacement,
        operation: &Operation<'_>,
        calls: &mut Vec<String>,
    ) -> fmt::Result {
        let Replacement {
            problem,
            kernel,
            file,
            subgroup_size,
            origin,
            ..
        } = replacement;
        writeln!(f, "\n  // {problem}: {origin}")?;
        if problem.element == ElementType::F64 {
            writeln!(f, "  // Matches with {F64_OPTION} only.")?;
        }
        if replacement.leaves_arg_compare {
            // What begins at any pair would match it, too.
            let form = Form::ArgCompare;
            let name = matcher(f, kernel, operation, form)?;
            calls.push(format!("        {name} -> @leave"));
        }
        let forms = replacement.of(operation);
        for indices_first in [false, true] {
            let mut forms = forms
                .iter()
                .filter(|form| form.has_indices_first() == indices_first)
                .peekable();
            if forms.peek().is_none() {
                continue;
            }
            let dispatch = Dispatch {
                operation,
                kernel,
                target: self.target,
                file,
                subgroup_size: *subgroup_size,
                indices_first,
            };
            // A size that the module knows becomes one that it does not.
            let casts = match operation.is_open() {
                true => " {\n      transform.type_conversion.tensor.cast_shape_dynamic_dims\n    }",
                false => "",
            };
            let function = dispatch.name();
            write!(f, "{dispatch}")?;
            writeln!(
                f,
                "  transform.named_sequence @use_{function}(%operation: !transform.any_op {{transform.readonly}}, %operands: !transform.any_value {{transform.readonly}}, %results: !transform.any_value {{transform.readonly}}) {{
    %module = transform.util.get_nearest_symbol_table %operation : (!transform.any_op) -> !transform.any_op
    %function = transform.util.import_symbol @{function} into %module if undefined : (!transform.any_op) -> !transform.any_op
    transform.util.cast_and_call inline_call %function(%operands) -> %results after %operation{casts} : (!transform.any_op, !transform.any_value, !transform.any_value, !transform.any_op) -> ()
    transform.yield
  }}"
            )?;
            for &form in forms {
                let name = matcher(f, kernel, operation, form)?;
                calls.push(format!("        {name} -> @use_{function}"));
            }
        }
        Ok(())
    }
}

/// Writes what matches a form of an operation, and tells its name.
fn matcher(
    f: &mut Formatter<'_>,
    kernel: &CompiledKernel,
    operation: &Operation<'_>,
    form: Form,
) -> Result<String, fmt::Error> {
    let name = format!("@match_{}_{}", kernel.symbol, form.name());
    write!(
        f,
        "  transform.named_sequence {name}(%operation: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_value, !transform.any_value) {{
    %operands, %found = transform.iree.match.cast_compatible_dag_from_root %operation {{
{}    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    transform.yield %operation, %operands, %found : !transform.any_op, !transform.any_value, !transform.any_value
  }}
",
        Pattern { operation, form }
    )?;
    Ok(name)
}
