//! Models: files that iree-compile reads, and the problems in them.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use codegen_sandbox::Sandbox;
use configgen::{Problem, Target};
use iree::{ImportedModule, IreeCompiler, IreeError, OPSET};
use iree_export::{ModuleProblem, read_module};
use model_profile::parse_counts;

use crate::verbosity::note;

/// Time limit of reading a model: one of a few gigabytes takes minutes.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(600);

/// The advice for a missing importer of ONNX, which the compiler's package alone does not
/// install.
const NEEDS: &str = "if Python modules are missing, run `pip install 'iree-base-compiler[onnx]'`";

/// The facts that a model leaves open.
#[derive(Args)]
pub(crate) struct ModelArguments {
    /// Range of a dynamic size.
    ///
    /// The size of a dimension, such as a batch, may be known only at launch. LEAST and LARGEST
    /// bound that size.
    #[arg(long, value_name = "LEAST..LARGEST", default_value = "1..512", value_parser = parse_counts)]
    pub(crate) counts: RangeInclusive<u32>,
}

/// The options of the user's iree-compile.
#[derive(Args)]
pub(crate) struct CompilerOptions {
    /// Options of iree-compile for the model.
    ///
    /// They stand behind --, as in `-- --iree-input-demote-f64-to-f32=false`.
    #[arg(last = true, value_name = "OPTIONS")]
    pub(crate) options: Vec<OsString>,
}

/// Returns whether a word names a model: a file of MLIR or ONNX.
pub(crate) fn is_model(word: &str) -> bool {
    let end = Path::new(word).extension();
    end.is_some_and(|end| end == "mlir" || end == "mlirbc" || end == "onnx")
}

/// Splits words into models and others.
pub(crate) fn split(words: &[String]) -> (Vec<PathBuf>, Vec<String>) {
    let (models, others): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| is_model(word));
    let models = models.into_iter().map(PathBuf::from).collect();
    (models, others.into_iter().cloned().collect())
}

/// A model that iree-compile can read, with the compiler.
pub(crate) struct ModelFile {
    pub(crate) compiler: IreeCompiler,
    path: PathBuf,
    /// The module of an ONNX model.
    imported: Option<ImportedModule>,
}

impl ModelFile {
    /// Finds the compiler, and imports a model in ONNX.
    pub(crate) fn open(path: &Path, sandbox: Option<Sandbox>) -> anyhow::Result<ModelFile> {
        let shown = path.display();
        let is_onnx = path.extension().is_some_and(|end| end == "onnx");
        let by_hand = || {
            format!(
                "{shown} is ONNX; convert it to MLIR with `iree-import-onnx {shown} -o model.mlir`"
            )
        };
        let is_confined = sandbox.is_some();
        // Before the compiler is looked for: a missing file is the simpler fault.
        std::fs::metadata(path).with_context(|| format!("cannot read {shown}"))?;
        let compiler = IreeCompiler::find()?.with_time_limit(TIME_LIMIT);
        let compiler = match sandbox {
            Some(sandbox) => compiler.in_sandbox(sandbox)?,
            None => compiler,
        };
        let imported = match is_onnx {
            // The importer is a Python program, and the sandbox contains none of its files.
            true if is_confined => bail!(by_hand()),
            true => Some(match compiler.import_onnx(path) {
                Err(error @ IreeError::NotImported { .. }) => {
                    return Err(error).with_context(|| format!("cannot read {shown}; {NEEDS}"));
                }
                imported => imported.with_context(by_hand)?,
            }),
            false => None,
        };
        if let Some(version) = imported.as_ref().and_then(ImportedModule::converted_from) {
            note!("{shown} has operators of opset {version}; they are converted to {OPSET}");
        }
        Ok(ModelFile {
            compiler,
            path: path.to_owned(),
            imported,
        })
    }

    /// Returns the file of MLIR.
    pub(crate) fn module(&self) -> &Path {
        self.imported
            .as_ref()
            .map_or(&self.path, ImportedModule::path)
    }

    /// Reads the operations of the model, as lowered for a target. `options` are iree-compile's
    /// options for reading it.
    pub(crate) fn problems(
        &self,
        target: &Target,
        options: &[OsString],
        model: &ModelArguments,
    ) -> anyhow::Result<Vec<ModuleProblem>> {
        let shown = self.path.display();
        match read_module(
            &self.compiler,
            self.module(),
            target,
            options,
            &model.counts,
        ) {
            Ok(found) => Ok(found),
            Err(IreeError::Rejected { message }) if message.contains("Unknown ROCM target") => {
                bail!("{shown}: iree-compile does not support the target {target}")
            }
            Err(error) => Err(error).with_context(|| format!("cannot read {shown}")),
        }
    }
}

/// Reads the operations of a model, as lowered for a target. `options` are iree-compile's options
/// for reading it.
pub(crate) fn read(
    path: &Path,
    target: &Target,
    options: &[OsString],
    sandbox: Option<Sandbox>,
    model: &ModelArguments,
) -> anyhow::Result<Vec<ModuleProblem>> {
    ModelFile::open(path, sandbox)?.problems(target, options, model)
}

/// Returns the problems of operations that a tuning spec can match and that the IREE generator
/// supports.
pub(crate) fn reached_by_specs<'a>(
    seen: &'a [ModuleProblem],
    target: &'a Target,
) -> impl Iterator<Item = &'a Problem> {
    seen.iter().flat_map(|one| one.spec_problems(target))
}
