//! The comparison of an export with the models as iree-compile compiles them alone.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::path::Path;

use ::model_profile::{
    CallSizes, Candidate, ExportJudge, FunctionProfile, Gate, GateVerdict, ProfileError,
    ProfiledModule, Profiler,
};
use answers::iree_kernels::{JudgedKernel, ModelJudgement};
use codegen_object_cache::Cache;
use configgen::{Device, Target};
use iree::{IreeRuntime, SpecPaths};
use iree_export::IreeExport;
use kernel_export::ExportFile;

use crate::model::{ModelArguments, ModelFile};
use crate::profile::time;
use crate::sandbox::SandboxArgument;

/// The models of a comparison, and the device that it is made for.
pub(crate) struct ModelJudge<'a> {
    /// The name of the device, if one was asked for.
    pub(crate) device: Option<&'a str>,
    pub(crate) target: &'static Target,
    pub(crate) models: &'a [ModelFile],
    pub(crate) of_model: &'a ModelArguments,
    /// The options of the user's iree-compile.
    pub(crate) options: &'a [OsString],
    pub(crate) sandbox: &'a SandboxArgument,
}

impl ModelJudge<'_> {
    /// Judges the kernels of an export and a tuning spec beside them, and removes those that make
    /// no model faster. Returns the reason if nothing can be compared.
    pub(crate) fn judge(
        &self,
        export: &mut IreeExport<'_>,
        objects: &[ExportFile],
        tuning: &mut Option<String>,
    ) -> anyhow::Result<Result<ModelJudgement, String>> {
        let profiler = match self.profiler()? {
            Ok(profiler) => profiler,
            Err(reason) => return Ok(Err(reason)),
        };
        let judge = ExportJudge::new(&profiler, self.modules(), &self.of_model.counts)?;
        let verdict = match judge.judge(export, objects, tuning.as_deref()) {
            Ok(verdict) => verdict,
            Err(error @ ProfileError::NotCompiled { .. }) => {
                // A model has no use for kernels with which it does not compile.
                let kernels = export.kernels().iter();
                let symbols: Vec<String> = kernels.map(|it| it.symbol.clone()).collect();
                for symbol in &symbols {
                    let reason = "the model does not compile with it, nor without it";
                    export.remove(symbol, Some(reason.to_owned()));
                }
                *tuning = None;
                return Ok(Err(format!(
                    "iree-compile compiles the model neither alone nor with kernels: {error}"
                )));
            }
            Err(error) => return Ok(Err(error.to_string())),
        };
        let answer = judge.answer(&verdict, export.kernels());
        for (symbol, reason) in verdict.removed() {
            export.remove(symbol, reason);
        }
        // The spec's entries cannot be told apart in the module, so it stays or goes as a whole.
        if !verdict.keeps_tuning_spec() {
            *tuning = None;
        }
        Ok(Ok(answer))
    }

    /// Judges specs, each in a file. Returns the reason if nothing can be compared.
    pub(crate) fn judge_specs(
        &self,
        given: SpecPaths<'_>,
    ) -> anyhow::Result<Result<GateVerdict, String>> {
        let profiler = match self.profiler()? {
            Ok(profiler) => profiler,
            Err(reason) => return Ok(Err(reason)),
        };
        let verdict = judge_specs(&profiler, &self.modules(), &self.of_model.counts, given);
        Ok(verdict.map_err(|error| error.to_string()))
    }

    /// Returns the files of MLIR.
    fn modules(&self) -> Vec<&Path> {
        self.models.iter().map(ModelFile::module).collect()
    }

    /// Returns a profiler, or the reason that nothing can be compared.
    fn profiler(&self) -> anyhow::Result<Result<Profiler, String>> {
        let Some(device) = device(self.device, self.target) else {
            return Ok(Err(format!("no emulated device is a {}", self.target)));
        };
        // All files were opened with the same compiler.
        let Some(compiler) = self.models.first().map(|it| it.compiler.clone()) else {
            return Ok(Err("no model was named".to_owned()));
        };
        let runtime = match IreeRuntime::find(compiler.path()) {
            Ok(runtime) => runtime.in_sandbox(self.sandbox.sandbox()?),
            Err(missing) => return Ok(Err(missing.to_string())),
        };
        let profiler = Profiler::new(compiler, runtime, device, self.options, Cache::of_user())?;
        Ok(Ok(profiler))
    }
}

/// The positions of the candidates of [`judge_specs`].
pub(crate) const TUNING: usize = 0;
pub(crate) const SPLITTING: usize = 1;

/// Judges a tuning spec, and the spec that splits rows beside it, in these models.
pub(crate) fn judge_specs(
    profiler: &Profiler,
    models: &[&Path],
    counts: &RangeInclusive<u32>,
    given: SpecPaths<'_>,
) -> Result<GateVerdict, ProfileError> {
    let mut candidates = vec![Candidate::default()];
    candidates.extend(given.replacements.map(|_| Candidate::default()));
    let sizes = CallSizes::of_range(counts);
    Gate::new(&candidates, |chosen: &[usize]| {
        let specs = SpecPaths {
            tuning: given.tuning.filter(|_| chosen.contains(&TUNING)),
            replacements: given.replacements.filter(|_| chosen.contains(&SPLITTING)),
        };
        profiler.profile_all(models, specs, &sizes)
    })
    .judge()
}

/// Formats the verdict on specs for people.
pub(crate) fn specs_text(verdict: &GateVerdict) -> String {
    let sum = |module: &ProfiledModule| {
        let calls = || module.functions.iter();
        let bounded: usize = calls().map(FunctionProfile::bounded).sum();
        time(calls().map(FunctionProfile::time_us).sum(), bounded > 0)
    };
    match (&verdict.plain, verdict.kept.is_empty()) {
        (Some(plain), false) => format!(
            "the module takes {} with the spec instead of {} (modelled)",
            sum(&verdict.chosen),
            sum(plain)
        ),
        (Some(_), true) => "the module is not faster with the spec, which is left out".to_owned(),
        (None, _) => "iree-compile does not compile the module without the spec".to_owned(),
    }
}

/// Returns the named device if it is emulated, else the first emulated device of the target.
pub(crate) fn device(name: Option<&str>, target: &'static Target) -> Option<&'static Device> {
    let named = name.and_then(|name| bench_harness::emulated_device(name).ok());
    let of_target = || bench_harness::emulated_devices().find(|it| it.target() == target);
    named.filter(|it| it.target() == target).or_else(of_target)
}

/// Formats the comparison for people.
pub(crate) fn text(judgement: &ModelJudgement) -> String {
    let mut text = format!(
        "models on {} with iree-compile {}, modelled:\n",
        judgement.device, judgement.compiler
    );
    for call in &judgement.calls {
        let kernels = |count: usize| match count {
            1 => "1 kernel".to_owned(),
            count => format!("{count} kernels"),
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "  {}({}): {} ({})",
            call.function,
            call.inputs.join(", "),
            time(call.time_us, call.bounded > 0),
            kernels(call.kernels)
        );
        let _ = match call.plain_us.zip(call.plain_kernels) {
            Some((plain, count)) => {
                let plain = time(plain, call.plain_bounded > 0);
                write!(text, " instead of {plain} ({})", kernels(count))
            }
            None => write!(text, "; iree-compile alone does not compile it"),
        };
        if call.untimed > 0 {
            let _ = write!(text, ", plus {} without a time", kernels(call.untimed));
        }
        text += "\n";
    }
    // A spec without effect is of no interest.
    let is_shown = |it: &&JudgedKernel| it.problem.is_some() || it.kept || it.before_us > 0.0;
    for kernel in judgement.kernels.iter().filter(is_shown) {
        let name = kernel.problem.as_ref().map(ToString::to_string);
        let name = name.unwrap_or_else(|| "the tuning spec".to_owned());
        let _ = writeln!(text, "  {name}: {}", kernel.reason);
    }
    text
}
