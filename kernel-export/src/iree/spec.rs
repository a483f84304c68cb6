//! The transform spec: a function for each kernel, a matcher for each form of its problem, and what puts one in place of the other.
//!
//! What is put where others' operations were is no operation that a matcher finds any more. So operations are gone through several times:
//! those that have the most parts are replaced first.

use std::cmp::Reverse;
use std::fmt::{self, Display, Formatter};

use codegen::CompiledKernel;
use configgen::linalg::{self, ConstantOperation};
use configgen::spec::F64_OPTION;
use configgen::{ElementType, Problem, Target};

use super::dispatch::Dispatch;
use super::extern_dispatch;
use super::frontend_form::FrontendForm;
use super::linalg::Linalg;
use super::module_arg_compare::{ModuleArgCompare, ModuleArgCompareError};
use super::pattern::MatcherPattern;

/// A kernel and the problem that it is put in place of.
#[derive(Debug)]
pub(crate) struct Replacement {
    pub(crate) problem: Problem,
    /// The forms in which it is found, where it is no arg_compare.
    pub(crate) linalg: Vec<linalg::OperationForm>,
    pub(crate) kernel: CompiledKernel,
    /// The code object's name.
    pub(crate) file: String,
    /// Lanes of a subgroup.
    pub(crate) subgroup_size: u32,
    /// Where its configuration is from, of our own words.
    pub(crate) origin: String,
    /// Whether IREE's own kernel is the better one: it stays where IREE has one.
    pub(crate) leaves_arg_compare: bool,
}

impl Replacement {
    /// The names of the forms in which its problem is matched.
    ///
    /// # Errors
    ///
    /// [`Unsaid`]: no form is one of this problem, or the kernel cannot be launched by IREE.
    pub(crate) fn forms(&self) -> Result<Vec<&'static str>, ModuleArgCompareError> {
        extern_dispatch::check(&self.problem, &self.kernel)?;
        if self.problem.arg_compare().is_none() {
            let mut names: Vec<&str> = Vec::new();
            for form in self.linalg() {
                if !names.contains(&form.name()) {
                    names.push(form.name());
                }
            }
            return Ok(names);
        }
        let operation = ModuleArgCompare::of(&self.problem)?;
        Ok(self
            .of(&operation)
            .into_iter()
            .map(FrontendForm::name)
            .collect())
    }

    fn linalg(&self) -> &[linalg::OperationForm] {
        match self.leaves_arg_compare {
            true => &[],
            false => &self.linalg,
        }
    }

    fn of(&self, operation: &ModuleArgCompare<'_>) -> Vec<FrontendForm> {
        let mut forms = FrontendForm::of(operation);
        forms.retain(|form| !self.leaves_arg_compare || *form != FrontendForm::ArgCompare);
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
            .filter_map(|it| Some((it, ModuleArgCompare::of(&it.problem).ok()?)))
            .collect();
        // What begins at any pair matches what begins at a certain one, too.
        replacements.sort_by_key(|(_, it)| (it.begins_at_operands(), reach(it.problem)));
        if replacements.iter().any(|(it, _)| it.leaves_arg_compare) {
            f.write_str(LEAVE)?;
        }
        for (replacement, operation) in &replacements {
            self.replacement(f, replacement, operation, &mut calls)?;
        }
        let passes = self.linalg(f, calls)?;
        if passes.is_empty() {
            return f.write_str(NOTHING);
        }
        let casts = replacements.iter().any(|(_, it)| it.casts_indices());
        let removes = casts || passes.len() > 1;
        f.write_str(match removes {
            true => HEAD_OF_REMOVAL,
            false => HEAD,
        })?;
        for (number, calls) in passes.iter().enumerate() {
            let functions = match number {
                0 => "%functions".to_owned(),
                _ => format!("%functions_{number}"),
            };
            write!(
                f,
                "    {functions} = transform.structured.match ops{{[\"util.func\"]}} in %module : (!transform.any_op) -> !transform.any_op
    transform.foreach {functions} : !transform.any_op {{
    ^bb0(%function: !transform.any_op):
      transform.foreach_match in %function
{} : (!transform.any_op) -> !transform.any_op
    }}
    transform.apply_dce to %module : !transform.any_op
",
                calls.join(",\n")
            )?;
        }
        f.write_str(match removes {
            true => REMOVAL,
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
/// too, and finds in them a cast to `index` that no other follows. Functions of single elements are of no use to anybody.
const HEAD_OF_REMOVAL: &str = "
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
";

const REMOVAL: &str = "    %left = transform.apply_registered_pass \"symbol-dce\" to %module : (!transform.any_op) -> !transform.any_op
";

const END: &str = "    transform.yield
  }
}
";

impl Spec<'_> {
    /// Writes what replaces operations of linalg. Gives what is to be matched, in the order in which the module is gone through: first
    /// what gives constants to the bodies of operations, at last single operations, of which `calls` has some.
    fn linalg(
        &self,
        f: &mut Formatter<'_>,
        calls: Vec<String>,
    ) -> Result<Vec<Vec<String>>, fmt::Error> {
        let replacements = self.replacements.iter();
        let mut all: Vec<(&Replacement, Linalg<'_>)> = replacements
            .flat_map(|replacement| {
                let forms = replacement.linalg().iter().enumerate();
                forms.map(move |(number, form)| {
                    let linalg = Linalg {
                        problem: &replacement.problem,
                        form,
                        number,
                        kernel: &replacement.kernel,
                        target: self.target,
                        file: &replacement.file,
                        subgroup_size: replacement.subgroup_size,
                    };
                    (replacement, linalg)
                })
            })
            .collect();
        all.sort_by_key(|(_, it)| (Reverse(it.form.operations()), reach(it.problem)));
        let mut bound: Vec<ConstantOperation> = Vec::new();
        for one in all.iter().flat_map(|(_, it)| it.form.bound()) {
            if !bound.contains(&one) {
                bound.push(one);
            }
        }
        let mut passes: Vec<Vec<String>> = Vec::new();
        let mut of_bodies = Vec::new();
        for (number, one) in bound.iter().enumerate() {
            of_bodies.push(self.bound(f, number, one)?);
        }
        passes.extend((!of_bodies.is_empty()).then_some(of_bodies));
        let mut calls = calls;
        let mut size = usize::MAX;
        for (replacement, linalg) in &all {
            let call = self.one(f, replacement, linalg)?;
            match linalg.form.operations() {
                1 => calls.push(call),
                operations if operations == size => {
                    passes
                        .last_mut()
                        .into_iter()
                        .for_each(|it| it.push(call.clone()));
                }
                operations => {
                    size = operations;
                    passes.push(vec![call]);
                }
            }
        }
        passes.extend((!calls.is_empty()).then_some(calls));
        Ok(passes)
    }

    fn one(
        &self,
        f: &mut Formatter<'_>,
        replacement: &Replacement,
        linalg: &Linalg<'_>,
    ) -> Result<String, fmt::Error> {
        let Replacement {
            problem, origin, ..
        } = replacement;
        writeln!(f, "\n  // {problem}, {}: {origin}", linalg.form.name())?;
        if problem.element == ElementType::F64 {
            writeln!(f, "  // Matches with {F64_OPTION} only.")?;
        }
        write!(f, "{linalg}")?;
        let name = linalg.name();
        used(f, &name, casts(problem))?;
        matched(f, &name, linalg.form)?;
        Ok(format!("        @match_{name} -> @use_{name}"))
    }

    /// Writes what gives an operation of a body its constants.
    fn bound(
        &self,
        f: &mut Formatter<'_>,
        number: usize,
        bound: &ConstantOperation,
    ) -> Result<String, fmt::Error> {
        let name = format!("wavetune_constants{number}");
        let (arguments, result) = (bound.arguments(), bound.result());
        write!(
            f,
            "
  util.func private @{name}({arguments}) -> {result} {{
{bound}        util.return %bound : {result}
  }}
"
        )?;
        used(f, &name, "")?;
        let block = fmt::from_fn(|f| write!(f, "    ^bb0({arguments}):\n{bound}"));
        matched(f, &name, block)?;
        Ok(format!("        @match_{name} -> @use_{name}"))
    }

    fn replacement(
        &self,
        f: &mut Formatter<'_>,
        replacement: &Replacement,
        operation: &ModuleArgCompare<'_>,
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
            let form = FrontendForm::ArgCompare;
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
            let function = dispatch.name();
            write!(f, "{dispatch}")?;
            used(f, &function, casts(problem))?;
            for &form in forms {
                let name = matcher(f, kernel, operation, form)?;
                calls.push(format!("        {name} -> @use_{function}"));
            }
        }
        Ok(())
    }
}

/// In which order problems are tried that differ in this alone: an open count matches any count, and of several the kernel that is made for the
/// most of them needs the fewest launches.
fn reach(problem: &Problem) -> Option<Reverse<u32>> {
    let counts = problem.shape.counts();
    counts.map(|it| Reverse(*it.end()))
}

/// What makes of a size that the module knows one that it does not.
fn casts(problem: &Problem) -> &'static str {
    match problem.shape.counts() {
        Some(_) => " {\n      transform.type_conversion.tensor.cast_shape_dynamic_dims\n    }",
        None => "",
    }
}

/// Writes what puts a function in place of an operation.
fn used(f: &mut Formatter<'_>, function: &str, casts: &str) -> fmt::Result {
    writeln!(
        f,
        "  transform.named_sequence @use_{function}(%operation: !transform.any_op {{transform.readonly}}, %operands: !transform.any_value {{transform.readonly}}, %results: !transform.any_value {{transform.readonly}}) {{
    %module = transform.util.get_nearest_symbol_table %operation : (!transform.any_op) -> !transform.any_op
    %function = transform.util.import_symbol @{function} into %module if undefined : (!transform.any_op) -> !transform.any_op
    transform.util.cast_and_call inline_call %function(%operands) -> %results after %operation{casts} : (!transform.any_op, !transform.any_value, !transform.any_value, !transform.any_op) -> ()
    transform.yield
  }}"
    )
}

/// Writes what matches a block.
fn matched(f: &mut Formatter<'_>, name: &str, block: impl Display) -> fmt::Result {
    writeln!(
        f,
        "  transform.named_sequence @match_{name}(%operation: !transform.any_op {{transform.readonly}}) -> (!transform.any_op, !transform.any_value, !transform.any_value) {{
    %operands, %found = transform.iree.match.cast_compatible_dag_from_root %operation {{
{block}    }} : (!transform.any_op) -> (!transform.any_value, !transform.any_value)
    transform.yield %operation, %operands, %found : !transform.any_op, !transform.any_value, !transform.any_value
  }}"
    )
}

/// Writes what matches a form of an operation, and tells its name.
fn matcher(
    f: &mut Formatter<'_>,
    kernel: &CompiledKernel,
    operation: &ModuleArgCompare<'_>,
    form: FrontendForm,
) -> Result<String, fmt::Error> {
    let name = format!("{}_{}", kernel.symbol, form.name());
    matched(f, &name, MatcherPattern { operation, form })?;
    Ok(format!("@match_{name}"))
}
