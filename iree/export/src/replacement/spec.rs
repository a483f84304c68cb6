//! The transform spec: a function per kernel, a matcher per form of its problem, and the rules
//! that connect them.
//!
//! No matcher finds an operation that has become part of a replacement. The spec therefore passes
//! over the operations several times, and replaces those with the most parts first.

use std::cmp::Reverse;
use std::fmt::{self, Display, Formatter};

use codegen::CompiledKernel;
use configgen::linalg::{self, ConstantOperation};
use configgen::{ElementType, Problem, Target};
use iree::spec::F64_OPTION;

use super::constant_scalars;
use super::dispatch::Dispatch;
use super::extern_dispatch;
use super::frontend_form::FrontendForm;
use super::gathers::Gathers;
use super::kept_results::KeptResults;
use super::linalg::Linalg;
use super::module_arg_compare::{ModuleArgCompare, ModuleArgCompareError};
use super::pattern::MatcherPattern;
use super::sequences::{matched, used, used_with};

/// A kernel, with the problem that it replaces.
#[derive(Debug)]
pub(crate) struct Replacement {
    pub(crate) problem: Problem,
    /// The problem that the kernel was built for: the same one, for a range of counts that
    /// contains the problem's.
    pub(crate) launched: Problem,
    /// The forms of the problem, unless it is an arg_compare.
    pub(crate) linalg: Vec<linalg::OperationForm>,
    pub(crate) kernel: CompiledKernel,
    /// The code object's file name.
    pub(crate) file: String,
    /// The number of lanes of a subgroup.
    pub(crate) subgroup_size: u32,
    /// The origin of the configuration, as text without names from users.
    pub(crate) origin: String,
    /// True if IREE's own kernel is better and must stay.
    pub(crate) leaves_arg_compare: bool,
}

impl Replacement {
    /// Returns the names of the forms in which the problem is matched.
    ///
    /// # Errors
    ///
    /// [`ModuleArgCompareError`]: no form expresses this problem, or IREE cannot launch the
    /// kernel.
    pub(crate) fn forms(&self) -> Result<Vec<&'static str>, ModuleArgCompareError> {
        extern_dispatch::check(&self.launched, &self.kernel)?;
        let linalg = self.linalg().iter().map(linalg::OperationForm::name);
        let alone = match self.problem.arg_compare() {
            Some(_) => self.of(&ModuleArgCompare::of(&self.problem)?),
            None => Vec::new(),
        };
        let mut names: Vec<&str> = Vec::new();
        for name in linalg.chain(alone.into_iter().map(FrontendForm::name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(names)
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

    /// Returns the size of the workspace that each launch clears, in bytes; 0 if no row is split.
    pub(crate) fn workspace_bytes(&self) -> u64 {
        let workspace = self.kernel.workspace;
        workspace.map_or(0, |workspace| self.kernel.buffers[workspace.buffer])
    }
}

/// A spec for one target; `Display` prints the file.
#[derive(Debug)]
pub(crate) struct Spec<'a> {
    pub(crate) target: &'a Target,
    /// True if constants that the module computes are folded before anything is matched.
    pub(crate) folds_scalars: bool,
    pub(crate) replacements: &'a [&'a Replacement],
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
        let mut replacements: Vec<(&Replacement, _)> = replacements
            .filter_map(|it| Some((*it, ModuleArgCompare::of(&it.problem).ok()?)))
            .collect();
        // A matcher for any initial pair also matches a specific one, so the specific ones come
        // first.
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
        // Passes also import functions of single elements, which are useless once they are inlined.
        let casts = replacements.iter().any(|(_, it)| it.casts_indices());
        let removes = casts || passes.len() > 1;
        if self.folds_scalars {
            constant_scalars::folding(f)?;
        }
        f.write_str(match removes {
            true => HEAD_OF_REMOVAL,
            false => HEAD,
        })?;
        if self.folds_scalars {
            constant_scalars::calls(f)?;
        }
        for (number, calls) in passes.iter().enumerate() {
            // Names of values are unique within a sequence.
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

/// The action for operations that stay with IREE.
const LEAVE: &str = "
  transform.named_sequence @leave(%operation: !transform.any_op {transform.readonly}, %operands: !transform.any_value {transform.readonly}, %results: !transform.any_value {transform.readonly}) {
    transform.yield
  }
";

/// The spec of an export without kernels.
const NOTHING: &str = "
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
    transform.yield
  }
}
";

const HEAD: &str = "
  transform.named_sequence @__transform_main(%module: !transform.any_op) {
";

/// The sequence that removes unused functions at its end. A function that returns indices of type
/// `index` must not remain. IREE also compiles unused functions, and finds in them a cast to
/// `index` without a cast back.
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
    /// Prints the replacements of linalg operations. Returns the matchers of each pass over the
    /// module. The first passes give constants to the bodies of operations and tie gathers to their
    /// tensors. The last one matches single operations, including `calls`.
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
                        problem: &replacement.launched,
                        form,
                        number,
                        kernel: &replacement.kernel,
                        target: self.target,
                        file: &replacement.file,
                        subgroup_size: replacement.subgroup_size,
                    };
                    (*replacement, linalg)
                })
            })
            .collect();
        // The longest chains come first, because a matched single operation would break its
        // chain.
        all.sort_by_key(|(replacement, it)| {
            (Reverse(it.form.operations()), reach(&replacement.problem))
        });
        let mut bound: Vec<ConstantOperation> = Vec::new();
        for one in all.iter().flat_map(|(_, it)| it.form.bound()) {
            // Several forms share a constant operation, which needs one matcher only.
            if !bound.contains(&one) {
                bound.push(one);
            }
        }
        let mut passes: Vec<Vec<String>> = Vec::new();
        let fills_scalar = all.iter().any(|(_, it)| it.form.fills_scalar());
        if fills_scalar && !self.folds_scalars {
            passes.push(vec![constant_scalars::fill_scalars(f)?]);
        }
        let mut of_bodies = Vec::new();
        for (number, one) in bound.iter().enumerate() {
            of_bodies.push(self.bound(f, number, one)?);
        }
        passes.extend((!of_bodies.is_empty()).then_some(of_bodies));
        let gathers = all.iter().flat_map(|(_, it)| it.form.gathers());
        let gathers = gathers.collect::<Gathers>().passes(f)?;
        passes.extend(gathers.into_iter().filter(|it| !it.is_empty()));
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
        let kept = KeptResults(linalg.form).to_string();
        used_with(f, &name, casts(problem), &kept)?;
        matched(f, &name, linalg.form)?;
        Ok(format!("        @match_{name} -> @use_{name}"))
    }

    /// Prints the function that gives an operation of a body its constants.
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
            launched,
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
            // A matcher for any initial pair would match this operation, too.
            let form = FrontendForm::ArgCompare;
            let name = matcher(f, kernel, operation, form)?;
            calls.push(format!("        {name} -> @leave"));
        }
        let forms = replacement.of(operation);
        // Forms differ in the order of their results. One function per order serves all forms
        // with it.
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
                launched,
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

/// Returns the sort key of problems that differ only in their counts. An open count matches any
/// count, so the kernel with the largest maximum comes first: it needs the fewest launches.
fn reach(problem: &Problem) -> Option<Reverse<u32>> {
    let counts = problem.shape.counts();
    counts.map(|it| Reverse(*it.end()))
}

/// Returns the type conversion from a known size to an open one.
fn casts(problem: &Problem) -> &'static str {
    match problem.shape.counts() {
        Some(_) => " {\n      transform.type_conversion.tensor.cast_shape_dynamic_dims\n    }",
        None => "",
    }
}

/// Prints the matcher of a form and returns its name.
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
