//! The comparison of a model with the kernels that a catalogue has for it. `wavetune tune` and the
//! service make the same one.

use std::ops::RangeInclusive;
use std::path::Path;

use answers::models::ModelComparison;
use configgen::{Problem, Target};
use iree_export::tuning_spec::{ExportError as SpecError, SpecSelection, iree_spec};
use iree_export::{FusionDecision, IreeExport, ModuleProblem, weigh};
use kernel_export::{Choice, ExportError, ExportFile, ExportRequest, Toolchain, choose};
use store::{Catalogue, StoreError, Ties};

use crate::error::ProfileError;
use crate::export_judge::ExportJudge;
use crate::profile_answer::describe_profile;
use crate::profiler::Profiler;

/// The best known kernels for the operations of a model.
pub struct ModelKernels {
    operations: Vec<ModuleProblem>,
    choices: Vec<Choice>,
    tuning_spec: Option<String>,
}

/// Kernels that are built and can be placed in a model.
pub struct BuiltKernels<'a> {
    /// The kernels.
    pub export: IreeExport<'a>,
    /// Their code objects.
    pub objects: Vec<ExportFile>,
    /// The tuning spec of IREE's own kernels.
    pub tuning_spec: Option<String>,
}

impl ModelKernels {
    /// Chooses the kernels for these operations: one kernel or several, whichever is known to be
    /// faster. `tuning_for` is the version of iree-compile that takes a tuning spec, or `None` if
    /// the kernels of IREE do not count.
    ///
    /// # Errors
    ///
    /// Those of reading the catalogue.
    pub async fn choose(
        catalogue: &dyn Catalogue,
        wanted: &ExportRequest<'_>,
        seen: &[ModuleProblem],
        tuning_for: Option<&str>,
    ) -> Result<ModelKernels, SpecError> {
        let ReplacedOperations {
            mut chosen,
            alternatives,
        } = replaced_operations(Some(catalogue), wanted, seen).await?;
        let problems = chosen.iter().filter_map(ModuleProblem::replaced_problem);
        let mut problems: Vec<Problem> = problems.cloned().collect();
        let tuning_spec = match tuning_for {
            Some(version) => {
                match tuning_spec(catalogue, wanted, &problems, Some(version)).await {
                    // The native kernels are of use without the tuning spec.
                    Err(SpecError::AnotherCompiler { .. }) => None,
                    tuning_spec => tuning_spec?,
                }
            }
            None => None,
        };
        let others = alternatives.iter();
        problems.extend(others.filter_map(ModuleProblem::replaced_problem).cloned());
        let selection = choose(Some(catalogue), wanted, problems).await?;
        chosen.extend(alternatives);
        Ok(ModelKernels {
            operations: chosen,
            choices: selection.choices,
            tuning_spec,
        })
    }

    /// Builds the kernels. A kernel with split rows gets one without them beside it, which the
    /// judge may prefer.
    ///
    /// # Errors
    ///
    /// [`ExportError`].
    pub fn build<'a>(
        self,
        toolchain: &'a Toolchain,
        target: &'static Target,
    ) -> Result<BuiltKernels<'a>, ExportError> {
        let mut export = IreeExport::new(toolchain, target)?;
        export.note(&self.operations);
        let mut objects = Vec::new();
        for choice in &self.choices {
            objects.extend(export.add(choice)?);
            add_variant(&mut export, &mut objects, choice, target)?;
        }
        Ok(BuiltKernels {
            export,
            objects,
            tuning_spec: self.tuning_spec,
        })
    }
}

impl BuiltKernels<'_> {
    /// Returns true if there is nothing to place.
    pub fn is_empty(&self) -> bool {
        self.export.kernels().is_empty() && self.tuning_spec.is_none()
    }

    /// Compares the module in this file with and without the kernels. `observer` is that of
    /// [`ExportJudge::with_observer`].
    ///
    /// # Errors
    ///
    /// See [`ProfileError`].
    pub fn compare(
        &self,
        profiler: &Profiler,
        module: &Path,
        counts: &RangeInclusive<u32>,
        observer: &dyn Fn(usize) -> bool,
    ) -> Result<ModelComparison, ProfileError> {
        let judge = ExportJudge::new(profiler, vec![module], counts)?.with_observer(observer);
        let verdict = judge.judge(&self.export, &self.objects, self.tuning_spec.as_deref())?;
        let profile = |module| {
            let compiler = profiler.compiler_version().to_owned();
            describe_profile(profiler.device(), None, Some(compiler), module)
        };
        Ok(ModelComparison {
            before: verdict.plain().map(profile),
            after: profile(verdict.chosen()),
            judgement: judge.answer(&verdict, self.export.kernels()),
        })
    }
}

/// The operations of a model as kernels.
pub struct ReplacedOperations {
    /// Each as one kernel or as several, whichever is known to be faster.
    pub chosen: Vec<ModuleProblem>,
    /// The other way of each. The gate tries it, too.
    pub alternatives: Vec<ModuleProblem>,
}

/// Returns the operations as one kernel and as several.
///
/// # Errors
///
/// Those of reading the catalogue.
pub async fn replaced_operations(
    catalogue: Option<&dyn Catalogue>,
    wanted: &ExportRequest<'_>,
    seen: &[ModuleProblem],
) -> Result<ReplacedOperations, StoreError> {
    let (mut chosen, mut alternatives) = (Vec::new(), Vec::new());
    for one in seen {
        let weighed = weigh(catalogue, wanted, one).await?;
        let own = |kernels: Vec<&FusionDecision<'_>>| {
            let kernels = kernels.into_iter();
            kernels.map(|it| it.seen.clone()).collect::<Vec<_>>()
        };
        chosen.extend(own(weighed.kernels()));
        alternatives.extend(own(weighed.other_kernels()));
    }
    Ok(ReplacedOperations {
        chosen,
        alternatives,
    })
}

/// Returns the tuning spec of IREE's own kernels, of the named problems or of all. It omits
/// operations that a native kernel replaces, since the tuning spec could not match them. There is
/// none if no kernel of IREE is known.
///
/// # Errors
///
/// Those of reading the catalogue; [`SpecError::AnotherCompiler`] if the known kernels are of
/// another version of iree-compile than `taking`.
pub async fn tuning_spec(
    catalogue: &dyn Catalogue,
    wanted: &ExportRequest<'_>,
    problems: &[Problem],
    taking: Option<&str>,
) -> Result<Option<String>, SpecError> {
    let wanted = SpecSelection {
        target: wanted.target,
        problems,
        device: wanted.device,
        compiler_version: None,
        taking,
        ties: Ties::default(),
        stand_ins: problems,
        ranges: None,
    };
    let export = iree_spec(catalogue, &wanted).await?;
    Ok(export.spec.ok().map(|spec| spec.text))
}

/// Adds the kernel that can stand in for a chosen one: one without split rows.
///
/// # Errors
///
/// [`ExportError`].
pub fn add_variant(
    export: &mut IreeExport<'_>,
    objects: &mut Vec<ExportFile>,
    choice: &Choice,
    target: &Target,
) -> Result<(), ExportError> {
    if let Some(variant) = choice.without_split(target) {
        objects.extend(export.add(&variant)?);
    }
    Ok(())
}
