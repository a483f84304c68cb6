//! The judge of an export: the gate over the kernels of an [`IreeExport`], in given models.

use std::cell::Cell;
use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use answers::iree_kernels::{JudgedCall, JudgedKernel, ModelJudgement, ReplacementKernel};
use bench_harness::least_us;
use configgen::Clock;
use iree::{IreeError, SpecPaths};
use iree_export::IreeExport;
use kernel_export::ExportFile;
use tempfile::TempDir;

use crate::call_inputs::CallSizes;
use crate::error::ProfileError;
use crate::function_profile::FunctionProfile;
use crate::gate::{Candidate, CandidateVerdict, Gate, GateVerdict, VerdictReason};
use crate::profiler::{ProfiledModule, Profiler};
use crate::verdict_text::reason;

/// A profiler, models, and the sizes of their calls.
pub struct ExportJudge<'a> {
    profiler: &'a Profiler,
    models: Vec<&'a Path>,
    counts: RangeInclusive<u32>,
    /// The code objects, and the specs that place them.
    folder: TempDir,
    /// Learns the number of profiled modules before each profile. False ends the judgement.
    observer: Option<&'a dyn Fn(usize) -> bool>,
}

/// The verdict on an export.
#[derive(Debug)]
pub struct ExportVerdict {
    gate: GateVerdict,
    symbols: Vec<String>,
}

impl<'a> ExportJudge<'a> {
    /// Creates a judge. Dynamic sizes are the ends of `counts` and one count between.
    ///
    /// # Errors
    ///
    /// If there is no temporary folder.
    pub fn new(
        profiler: &'a Profiler,
        models: Vec<&'a Path>,
        counts: &RangeInclusive<u32>,
    ) -> Result<ExportJudge<'a>, ProfileError> {
        let folder = tempfile::Builder::new().prefix("wavetune-gate-").tempdir();
        Ok(ExportJudge {
            profiler,
            models,
            counts: counts.clone(),
            folder: folder.map_err(file_error(&std::env::temp_dir()))?,
            observer: None,
        })
    }

    /// Calls `observer` before each profile with the number of profiled modules. If it returns
    /// false, the judgement ends with [`ProfileError::Interrupted`].
    #[must_use]
    pub fn with_observer(mut self, observer: &'a dyn Fn(usize) -> bool) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Judges the kernels of an export with these files, and a tuning spec beside them.
    ///
    /// # Errors
    ///
    /// The errors of profiling.
    pub fn judge(
        &self,
        export: &IreeExport<'_>,
        files: &[ExportFile],
        tuning_spec: Option<&str>,
    ) -> Result<ExportVerdict, ProfileError> {
        let folder = self.folder.path();
        for file in files {
            let path = folder.join(&file.name);
            fs::write(&path, &file.content).map_err(file_error(&path))?;
        }
        let tuning = folder.join("tuning-spec.mlir");
        if let Some(text) = tuning_spec {
            fs::write(&tuning, text).map_err(file_error(&tuning))?;
        }
        let kernels = export.kernels();
        let symbols: Vec<String> = kernels.iter().map(|it| it.symbol.clone()).collect();
        let same = |kernel: &ReplacementKernel| {
            let earlier = kernels.iter().position(|it| it.problem == kernel.problem);
            // The first kernel of a problem stands in for none.
            earlier.filter(|&it| kernels[it].symbol != kernel.symbol)
        };
        let rivals = |kernel: &ReplacementKernel| {
            let rivals = export.rivals(&kernel.problem);
            let is_rival = |it: &&(usize, &ReplacementKernel)| {
                rivals.contains(&&it.1.problem) && same(it.1).is_none()
            };
            let kernels = kernels.iter().enumerate();
            kernels.filter(|it| is_rival(&it)).map(|it| it.0).collect()
        };
        let mut candidates: Vec<Candidate> = kernels
            .iter()
            .map(|kernel| Candidate {
                kernels: vec![kernel.symbol.clone()],
                stands_in_for: same(kernel),
                rivals: rivals(kernel),
            })
            .collect();
        candidates.extend(tuning_spec.map(|_| Candidate::default()));
        let sizes = CallSizes::of_range(&self.counts);
        let spec = folder.join("spec.mlir");
        let specs = |chosen: &[usize]| -> Result<SpecPaths<'_>, ProfileError> {
            let placed: Vec<&str> = (chosen.iter())
                .filter_map(|&it| symbols.get(it).map(String::as_str))
                .collect();
            // A spec without kernels would still make iree-compile read it.
            let has_spec = !placed.is_empty();
            if has_spec {
                fs::write(&spec, export.spec_of(&placed)).map_err(file_error(&spec))?;
            }
            Ok(SpecPaths {
                replacements: has_spec.then_some(&*spec),
                tuning: (chosen.contains(&symbols.len())).then_some(&*tuning),
            })
        };
        let profiles = Cell::new(0);
        let observe = || match self.observer.is_some_and(|it| !it(profiles.get())) {
            true => Err(ProfileError::Interrupted),
            false => Ok(()),
        };
        let mut gate = Gate::new(&candidates, |chosen: &[usize]| {
            observe()?;
            profiles.set(profiles.get() + 1);
            let specs = specs(chosen)?;
            self.profiler.profile_all(&self.models, specs, &sizes)
        });
        // Functions of several models may have equal names.
        if let [model] = self.models[..] {
            let outline = |chosen: &[usize]| {
                observe()?;
                self.profiler.outline(model, specs(chosen)?)
            };
            let device = self.profiler.device();
            gate = gate.with_outlines(outline, |read, written| least_us(read, written, device));
        }
        Ok(ExportVerdict {
            gate: gate.judge()?,
            symbols,
        })
    }

    /// Describes a verdict for programs.
    pub fn answer(&self, verdict: &ExportVerdict, kernels: &[ReplacementKernel]) -> ModelJudgement {
        let gate = &verdict.gate;
        let plain = gate.plain.as_ref();
        let call = |(number, call): (usize, &FunctionProfile)| {
            let before = plain.and_then(|plain| plain.functions.get(number));
            JudgedCall {
                function: call.function.clone(),
                inputs: call.inputs.clone(),
                plain_us: before.map(FunctionProfile::time_us),
                plain_bounded: before.map_or(0, FunctionProfile::bounded),
                time_us: call.time_us(),
                bounded: call.bounded(),
                plain_kernels: before.map(FunctionProfile::kernels),
                kernels: call.kernels(),
                untimed: call.untimed(),
            }
        };
        let judged = |(position, verdict): (usize, &CandidateVerdict)| JudgedKernel {
            problem: kernels.get(position).map(|kernel| kernel.problem.clone()),
            kept: verdict.kept,
            reason: reason(verdict),
            before_us: verdict.before.us,
            before_is_bound: verdict.before.is_bound,
            after_us: verdict.after.us,
            after_is_bound: verdict.after.is_bound,
            launches: verdict.launches,
        };
        ModelJudgement {
            device: format!("emulated:{}", self.profiler.device().name),
            clock: Clock::Modelled,
            compiler: self.profiler.compiler_version().to_owned(),
            profiles: gate.profiles,
            calls: gate.chosen.functions.iter().enumerate().map(call).collect(),
            kernels: (gate.candidates.iter().enumerate())
                .filter(|(_, it)| it.reason != VerdictReason::OtherIsFaster)
                .map(judged)
                .collect(),
        }
    }
}

impl ExportVerdict {
    /// Returns the profile of the module as iree-compile compiles it alone, if it does.
    pub fn plain(&self) -> Option<&ProfiledModule> {
        self.gate.plain.as_ref()
    }

    /// Returns the profile of the module with the kernels that stay.
    pub fn chosen(&self) -> &ProfiledModule {
        &self.gate.chosen
    }

    /// Returns the number of modules that were lowered only.
    pub fn outlines(&self) -> usize {
        self.gate.outlines
    }

    /// Returns the symbols of kernels that do not stay, each with the reason. There is none if
    /// another kernel of the same problem was judged in its place.
    pub fn removed(&self) -> impl Iterator<Item = (&str, Option<String>)> {
        let verdicts = self.symbols.iter().zip(&self.gate.candidates);
        let removed = verdicts.filter(|(_, verdict)| !verdict.kept);
        removed.map(|(symbol, verdict)| {
            let is_judged = verdict.reason != VerdictReason::OtherIsFaster;
            (&**symbol, is_judged.then(|| reason(verdict)))
        })
    }

    /// Returns true if the tuning spec stays.
    pub fn keeps_tuning_spec(&self) -> bool {
        let verdict = self.gate.candidates.get(self.symbols.len());
        verdict.is_some_and(|verdict| verdict.kept)
    }
}

fn file_error(path: &Path) -> impl FnOnce(io::Error) -> ProfileError {
    let path: PathBuf = path.to_owned();
    move |source| ProfileError::Iree(IreeError::Io { path, source })
}
