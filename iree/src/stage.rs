//! The stages of iree-compile between a problem and its kernel, as text.

use std::ffi::OsString;

use configgen::{Configuration, Problem, SplitReduction, Target};

use super::compiler::{HOST_OPTIONS, folder, only, option, read_text};
use super::split::EXECUTABLES;
use super::{IreeCompiler, IreeError, MlirModule};

/// A stage of iree-compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IreeStage {
    /// The dispatch in MLIR with its configuration, given or chosen by IREE. It exists even if
    /// the dispatch does not compile.
    Configuration,
    /// LLVM IR, optimised.
    Llvm,
    /// Assembly text by LLVM.
    Isa,
}

impl IreeStage {
    /// Every stage, in order.
    pub const ALL: [IreeStage; 3] = [IreeStage::Configuration, IreeStage::Llvm, IreeStage::Isa];

    /// Returns the stage's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            IreeStage::Configuration => "configuration",
            IreeStage::Llvm => "llvm",
            IreeStage::Isa => "isa",
        }
    }

    fn file(self) -> (&'static str, &'static str) {
        match self {
            IreeStage::Configuration => ("configured_", ".mlir"),
            IreeStage::Llvm => ("module_", ".optimized.ll"),
            IreeStage::Isa => ("module_", ".rocmasm"),
        }
    }
}

impl IreeCompiler {
    /// Returns the text of a stage. Without a configuration, IREE makes its own choice.
    ///
    /// # Errors
    ///
    /// Every failure of the compiler; see [`IreeError`].
    pub fn explain(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: Option<&Configuration>,
        stage: IreeStage,
    ) -> Result<String, IreeError> {
        let module = MlirModule::new(problem, configuration)?;
        let folder = folder()?;
        let folder = folder.path();
        let options: Vec<OsString> = match stage {
            IreeStage::Configuration => vec!["--compile-to=executable-configurations".into()],
            IreeStage::Llvm | IreeStage::Isa => {
                let dump = option("--iree-hal-dump-executable-intermediates-to=", folder);
                HOST_OPTIONS
                    .map(OsString::from)
                    .into_iter()
                    .chain([dump])
                    .collect()
            }
        };
        let split = configuration.filter(|it| SplitReduction::of(problem, it).is_some());
        let (prefix, suffix) = stage.file();
        match configuration.filter(|_| module.has_spec()) {
            None => self.run(target, folder, &module.to_string(), &options)?,
            Some(given) => {
                self.run_with_spec(target, folder, &module, (problem, given), &options)?;
            }
        }
        match (split, stage) {
            // The texts of both kernels; the later stages show the code object, which has both.
            (Some(_), IreeStage::Configuration) => {
                let [partial, merge] =
                    EXECUTABLES.map(|end| read_text(&only(folder, prefix, end)?));
                Ok(partial? + &merge?)
            }
            _ => read_text(&only(folder, prefix, suffix)?),
        }
    }
}
