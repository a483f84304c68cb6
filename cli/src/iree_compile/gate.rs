//! The gate of `wavetune iree-compile`: the specs are given to the compiler only if they make the
//! module faster.

use std::path::Path;

use ::model_profile::{GateVerdict, ProfileError, Profiler};
use codegen_object_cache::Cache;
use configgen::Target;
use iree::{IreeCompiler, IreeRuntime, SpecPaths};

use super::compiler_command::{options_of_profile, values};
use super::{IreeCompileArguments, SPLITS, SpecFiles};
use crate::judgement::{SPLITTING, TUNING, device, judge_specs, specs_text};
use crate::model::TIME_LIMIT;
use crate::verbosity::note;

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
    note!("{}", specs_text(&verdict));
    let has_own = !values(&arguments.command, SPLITS).is_empty();
    if verdict.kept.is_empty() {
        return None;
    }
    Some(SpecFiles {
        spec: written.spec.filter(|_| verdict.kept.contains(&TUNING)),
        // With a spec of the user's own, the caller says that no rows are split.
        splits: (written.splits).filter(|_| verdict.kept.contains(&SPLITTING) || has_own),
    })
}

fn judge(
    arguments: &IreeCompileArguments,
    target: &'static Target,
    input: &Path,
    written: &SpecFiles,
) -> Result<Result<GateVerdict, String>, ProfileError> {
    // A profile calls the functions of a whole module, so a part of a compilation has none.
    let Some(options) = options_of_profile(&arguments.command) else {
        return Ok(Err(
            "the command compiles no whole module for HIP".to_owned()
        ));
    };
    let Some(device) = device(None, target) else {
        return Ok(Err(format!("no emulated device is a {target}")));
    };
    let compiler = IreeCompiler::find()?.with_time_limit(TIME_LIMIT);
    let runtime = IreeRuntime::find(compiler.path())?;
    let profiler = Profiler::new(compiler, runtime, device, &options, Cache::of_user())?;
    // The compiler takes one preprocessing spec, and the user's own comes first.
    let splits =
        (written.splits.as_deref()).filter(|_| values(&arguments.command, SPLITS).is_empty());
    let specs = SpecPaths {
        tuning: written.spec.as_deref(),
        replacements: splits,
    };
    let counts = &arguments.of_model.counts;
    judge_specs(&profiler, &[input], counts, specs).map(Ok)
}
