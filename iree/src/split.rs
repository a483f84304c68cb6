//! Kernels of configurations that split rows: two launches of two kernels in one code object.
//!
//! The module marks its operation to be split. A tuning spec configures the operations that IREE
//! makes of it ([`configgen::SplitReduction`]). Users get the same spec, so that the tuner tries
//! what they run.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::spec::{Spec, SpecEntry};
use configgen::{Configuration, Pipeline, Problem, Target};

use super::compiler::{APPLIED, OUTPUT, only, option, read_text, tiles, workgroup_size};
use super::launch::{Dispatch, ModuleLaunch};
use super::output_cache::SPEC;
use super::{IreeCompiler, IreeError, MlirModule};
use codegen::{CompiledKernel, Merge, Tiling};

/// The ends of the configured executables' names: of the pieces, and of their results.
pub(super) const EXECUTABLES: [&str; 2] = ["_dispatch_0.mlir", "_dispatch_1.mlir"];

impl IreeCompiler {
    /// Compiles a module in a folder as [`IreeCompiler::run`] does, with its configuration in a
    /// spec.
    pub(super) fn run_with_spec(
        &self,
        target: &Target,
        folder: &Path,
        module: &MlirModule<'_>,
        (problem, configuration): (&Problem, &Configuration),
        how: &[OsString],
    ) -> Result<(), IreeError> {
        let pipeline = Pipeline::VectorDistribute(configuration.clone());
        let entry = SpecEntry {
            range: None,
            problem,
            pipeline: &pipeline,
            provenance: "",
        };
        let entries = [entry];
        let spec = Spec::new(target, "iree-compile", &entries);
        let spec = spec.map_err(|error| IreeError::Unreadable(error.to_string()))?;
        let file = folder.join(SPEC);
        fs::write(&file, spec.to_string()).map_err(IreeError::io(&file))?;
        let spec = option("--iree-codegen-tuning-spec-path=", &file);
        self.run(
            target,
            folder,
            &module.to_string(),
            &[how, &[spec]].concat(),
        )
    }

    /// Returns the kernel that was compiled in a folder.
    pub(super) fn split_kernel(
        &self,
        problem: &Problem,
        configuration: &Configuration,
        folder: &Path,
    ) -> Result<CompiledKernel, IreeError> {
        let host = read_text(&folder.join(OUTPUT))?;
        let mut launch = ModuleLaunch::read(&host, problem.results().len(), None)?;
        let unreadable = |message: &str| IreeError::Unreadable(message.to_owned());
        let merge = launch.merge.take();
        let merge = merge.ok_or_else(|| unreadable("no second dispatch of a split"))?;
        let [partial_size, merge_size] = EXECUTABLES.map(|name| {
            let configured = read_text(&only(folder, "configured_", name)?)?;
            // IREE ignores a spec that does not match without a message.
            match configured.contains(APPLIED) {
                true => workgroup_size(&configured),
                false => Err(unreadable("a piece that is not configured")),
            }
        });
        let tiling = tiles(problem, &configuration.lowering.workgroup);
        let count = configuration.knobs.split;
        let boxes = tiling.as_ref().map_or(0, Tiling::boxes);
        let expected = [boxes * u64::from(count), problem.shape.rows()];
        // The tiling holds only if IREE numbers pieces and rows as expected.
        if [&launch.first, &merge].map(linear) != expected.map(Some) {
            return Err(unreadable("other workgroups than those of the pieces"));
        }
        let kernel = self.kernel(folder, launch, partial_size?, tiling)?;
        Ok(CompiledKernel {
            merge: Some(Merge {
                symbol: merge.symbol,
                workgroups: merge.workgroups,
                workgroup_size: merge_size?,
                arguments: merge.arguments,
                pieces: count,
            }),
            ..kernel
        })
    }
}

/// Returns the workgroups of a dispatch that has them in one dimension.
fn linear(dispatch: &Dispatch) -> Option<u64> {
    match dispatch.workgroups {
        [x, 1, 1] => Some(x.into()),
        _ => None,
    }
}
