//! An export for IREE: kernels that it builds one after the other, and finally the spec by which
//! they replace operations.

use answers::iree_kernels::{IreeKernelExport, LeftOutProblem, ReplacementKernel};
use answers::kernels::ConfigurationChoice;
use configgen::linalg::OperationForm;
use configgen::{Function, Problem, Target};

use crate::replacement::{
    ModuleArgCompare, ModuleArgCompareError, ModuleProblem, Replacement, Spec,
};
use kernel_export::ExportError;
use kernel_export::Toolchain;
use kernel_export::{Choice, ExportRefusal};
use kernel_export::{Export, ExportFile};

/// The spec's file name.
const SPEC: &str = "spec.mlir";

/// An export of kernels for one target, which replace operations. Problems that no kernel can
/// replace are left out, with the reason.
pub struct IreeExport<'a> {
    export: Export<'a>,
    target: &'static Target,
    /// The forms found in models.
    seen: Vec<(Problem, OperationForm)>,
    /// Problems that share operations in models, in pairs.
    rivals: Vec<(Problem, Problem)>,
    /// True if the constants of a model must be folded first.
    folds_scalars: bool,
    replacements: Vec<Replacement>,
    kernels: Vec<ReplacementKernel>,
    left_out: Vec<LeftOutProblem>,
}

impl<'a> IreeExport<'a> {
    /// Creates an export without kernels.
    ///
    /// # Errors
    ///
    /// [`ExportError::Missing`].
    pub fn new(toolchain: &'a Toolchain, target: &'static Target) -> Result<Self, ExportError> {
        Ok(IreeExport {
            export: Export::new(toolchain, target)?,
            target,
            seen: Vec::new(),
            rivals: Vec::new(),
            folds_scalars: false,
            replacements: Vec::new(),
            kernels: Vec::new(),
            left_out: Vec::new(),
        })
    }

    /// Returns the problems that share operations with this one in the models.
    pub fn rivals(&self, problem: &Problem) -> Vec<&Problem> {
        let pairs = self.rivals.iter().filter_map(|(one, other)| {
            let of_one = (one == problem).then_some(other);
            of_one.or((other == problem).then_some(one))
        });
        pairs.collect()
    }

    /// Notes the forms of a model's operations, and the problems that share some.
    pub fn note(&mut self, model: &[ModuleProblem]) {
        for seen in model {
            self.folds_scalars |= seen.needs_folding;
            let rivals = seen.rivals().into_iter();
            self.rivals
                .extend(rivals.filter(|(one, other)| one != other));
            if let (Ok(problem), Some(form)) = (&seen.problem, &seen.linalg)
                // Alone, all forms of arg_compare are known in advance.
                && (problem.arg_compare().is_none() || form.operations() > 1)
            {
                let forms = std::iter::once(form).chain(&seen.beside);
                let forms = forms.map(|form| (problem.clone(), form.clone()));
                self.seen.extend(forms);
            }
        }
    }

    /// Returns the forms of a problem: those found in models, and those that frontends emit.
    fn forms(&self, problem: &Problem) -> Vec<OperationForm> {
        let seen = self.seen.iter().filter(|it| it.0 == *problem);
        let mut forms: Vec<OperationForm> = seen.map(|it| it.1.clone()).collect();
        for form in OperationForm::frontend_forms(problem) {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        forms
    }

    /// Checks that a kernel of this problem can replace an operation.
    fn said(problem: &Problem, forms: &[OperationForm]) -> Result<(), ModuleArgCompareError> {
        // The order of the cases selects the message: the most specific reason comes first.
        let function = problem.function.as_ref();
        let has_view = function.is_some_and(Function::has_view);
        match problem.arg_compare() {
            Some(_) => ModuleArgCompare::of(problem).map(drop),
            None if !problem.shape.is_dense() => Err(ModuleArgCompareError::Pitch),
            None if forms.is_empty() && !problem.shape.reduces() => Err(ModuleArgCompareError::Map),
            None if forms.is_empty() && has_view => Err(ModuleArgCompareError::View),
            None if forms.is_empty() => Err(ModuleArgCompareError::Form),
            None => Ok(()),
        }
    }

    /// Notes that a problem has no kernel.
    pub fn leave_out(&mut self, refused: &ExportRefusal) {
        self.without(&refused.problem, refused.rejection.to_string());
    }

    fn without(&mut self, problem: &Problem, reason: String) {
        self.left_out.push(LeftOutProblem {
            problem: problem.clone(),
            reason,
        });
    }

    /// Builds a kernel and returns its files, or none if it is left out.
    ///
    /// # Errors
    ///
    /// See [`ExportError`]; the export keeps the kernels added before.
    pub fn add(&mut self, choice: &Choice) -> Result<Vec<ExportFile>, ExportError> {
        let problem = &choice.problem;
        let linalg = self.forms(problem);
        if let Err(unsaid) = Self::said(problem, &linalg) {
            self.without(problem, unsaid.to_string());
            return Ok(Vec::new());
        }
        let launched = choice.of_longest_range(self.target);
        let built = self.export.build(&launched)?;
        let replacement = Replacement {
            problem: problem.clone(),
            launched: launched.problem,
            linalg,
            file: built.files[0].name.clone(),
            kernel: built.kernel,
            subgroup_size: built.subgroup_size,
            origin: origin(&choice.chosen),
            // IREE's own arg_compare kernel stays in place if it is faster.
            leaves_arg_compare: choice.is_behind_iree,
        };
        match replacement.forms() {
            Ok(forms) if forms.is_empty() => {
                self.without(
                    problem,
                    "IREE's own kernel is the best known one".to_owned(),
                );
                // The replacement stays in the spec, so that no other kernel takes this
                // operation.
                self.replacements.push(replacement);
                return Ok(Vec::new());
            }
            Ok(forms) => {
                self.kernels.push(ReplacementKernel {
                    problem: problem.clone(),
                    symbol: replacement.kernel.symbol.clone(),
                    file: replacement.file.clone(),
                    forms,
                    workspace_bytes: replacement.workspace_bytes(),
                    chosen: choice.chosen.clone(),
                });
                self.replacements.push(replacement);
            }
            Err(unsaid) => self.without(problem, unsaid.to_string()),
        }
        Ok(built.files.into())
    }

    /// Returns the kernels added so far.
    pub fn kernels(&self) -> &[ReplacementKernel] {
        &self.kernels
    }

    /// Returns the spec that places the kernels with these symbols.
    pub fn spec_of(&self, symbols: &[&str]) -> String {
        // A replacement without forms protects operations of IREE's, and is no kernel.
        let is_chosen = |it: &Replacement| {
            let symbol = &*it.kernel.symbol;
            symbols.contains(&symbol) || !self.kernels.iter().any(|kernel| kernel.symbol == symbol)
        };
        let chosen = self.replacements.iter().filter(|it| is_chosen(it));
        let spec = Spec {
            target: self.target,
            folds_scalars: self.folds_scalars,
            replacements: &chosen.collect::<Vec<_>>(),
        };
        spec.to_string()
    }

    /// Takes a kernel out of the export, and notes the reason if there is one.
    pub fn remove(&mut self, symbol: &str, reason: Option<String>) {
        let Some(at) = self.kernels.iter().position(|it| it.symbol == symbol) else {
            return;
        };
        let kernel = self.kernels.remove(at);
        self.replacements.retain(|it| it.kernel.symbol != symbol);
        self.export.remove(&kernel.file);
        if let Some(reason) = reason {
            self.without(&kernel.problem, reason);
        }
    }

    /// Notes a fact for readers of the manifest.
    pub fn notice(&mut self, notice: String) {
        self.export.notice(notice);
    }

    /// Ends the export. Returns the manifest, the spec and the description of the export.
    /// `tuning_spec` is the name of a tuning spec in the same folder.
    pub fn end(self, tuning_spec: Option<&'static str>) -> ([ExportFile; 2], IreeKernelExport) {
        let spec = Spec {
            target: self.target,
            folds_scalars: self.folds_scalars,
            replacements: &self.replacements.iter().collect::<Vec<_>>(),
        };
        let spec = ExportFile {
            name: SPEC.to_owned(),
            content: spec.to_string().into_bytes(),
        };
        let exported = IreeKernelExport {
            target: self.target.name,
            spec: SPEC,
            tuning_spec,
            kernels: self.kernels,
            left_out: self.left_out,
            judgement: None,
        };
        ([self.export.end(), spec], exported)
    }
}

/// Returns the origin of a configuration as text. It omits the device's name, which is in the
/// manifest: the name is arbitrary text.
fn origin(chosen: &ConfigurationChoice) -> String {
    match chosen {
        ConfigurationChoice::Tuned(known) => {
            format!("tuned, {:.2} us ({})", known.time_us, known.clock)
        }
        ConfigurationChoice::Default => "not tuned".to_owned(),
        ConfigurationChoice::Given => "with a given configuration".to_owned(),
    }
}
