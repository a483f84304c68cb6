//! The gate of `wavetune iree-compile`: the specs are given to the compiler only if they make the
//! module faster.

use std::path::Path;

use ::model_profile::{
    CallSizes, Candidate, FunctionProfile, Gate, GateVerdict, ProfileError, ProfiledModule,
    Profiler,
};
use codegen::iree::{IreeCompiler, IreeRuntime, SpecPaths};
use configgen::Target;
use object_cache::Cache;

use super::compiler_command::{options_of_profile, values};
use super::{IreeCompileArguments, SPLITS, SpecFiles};
use crate::judgement::device;
use crate::model::TIME_LIMIT;

/// The positions of the candidates.
const SPEC: usize = 0;
const SPLIT_ROWS: usize = 1;

/// Returns the specs that make the module faster, and prints the times. If the module cannot be
/// profiled, it says so and returns all.
pub(super) fn judged(
    arguments: &IreeCompileArguments,
    target: &'static Target,
    input: &Path,
    written: SpecFiles,
) -> Option<SpecFiles> {
    let verdict = match judge(arguments, target, input, &written) {
        Ok(Ok(verdict)) => verdict,
        Ok(Err(reason)) => {
            eprintln!("the module is not compared with and without the spec: {reason}");
            return Some(written);
        }
        Err(error) => {
            eprintln!("the module is not compared with and without the spec: {error}");
            return Some(written);
        }
    };
    let sum = |module: &ProfiledModule| {
        let calls = module.functions.iter();
        calls.map(FunctionProfile::time_us).sum::<f64>()
    };
    let chosen = sum(&verdict.chosen);
    match (&verdict.plain, verdict.kept.is_empty()) {
        (Some(plain), false) => eprintln!(
            "the module takes {chosen:.2} us with the spec instead of {:.2} us (modelled)",
            sum(plain)
        ),
        (Some(_), true) => {
            eprintln!("the module is not faster with the spec: iree-compile is run without it");
        }
        (None, _) => {}
    }
    if verdict.kept.is_empty() {
        return None;
    }
    Some(SpecFiles {
        spec: written.spec.filter(|_| verdict.kept.contains(&SPEC)),
        splits: (written.splits).filter(|_| verdict.kept.contains(&SPLIT_ROWS)),
    })
}

fn judge(
    arguments: &IreeCompileArguments,
    target: &'static Target,
    input: &Path,
    written: &SpecFiles,
) -> Result<Result<GateVerdict, String>, ProfileError> {
    let Some(options) = options_of_profile(&arguments.command) else {
        return Ok(Err("the command compiles no whole module for HIP".to_owned()));
    };
    let Some(device) = device(None, target) else {
        return Ok(Err(format!("no emulated device is a {target}")));
    };
    let compiler = IreeCompiler::find()?.with_time_limit(TIME_LIMIT);
    let runtime = IreeRuntime::find(compiler.path())?;
    let profiler = Profiler::new(compiler, runtime, device, &options, Cache::of_user())?;
    // The compiler takes one preprocessing spec, and the user's own comes first.
    let splits = (written.splits.as_deref())
        .filter(|_| values(&arguments.command, SPLITS).is_empty());
    let unnamed = Candidate {
        kernels: Vec::new(),
        stands_in_for: None,
    };
    let mut candidates = vec![unnamed.clone()];
    candidates.extend(splits.map(|_| unnamed));
    let sizes = [CallSizes {
        count: *arguments.of_model.counts.end(),
        inputs: None,
    }];
    let gate = Gate::new(&candidates, |chosen: &[usize]| {
        let specs = SpecPaths {
            tuning: (written.spec.as_deref()).filter(|_| chosen.contains(&SPEC)),
            replacements: splits.filter(|_| chosen.contains(&SPLIT_ROWS)),
        };
        profiler.profile(input, specs, None, &sizes)
    });
    gate.judge().map(Ok)
}
