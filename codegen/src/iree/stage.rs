//! What iree-compile makes of a problem on the way to its kernel, as text.

use std::ffi::OsString;

use configgen::{Configuration, Pieces, Problem, Target};

use super::compiler::{HOST_OPTIONS, folder, only, option, read_text};
use super::split::EXECUTABLES;
use super::{IreeCompiler, IreeError, Module};

/// A stage of iree-compile's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The dispatch in MLIR, with the configuration that is chosen for it, whoever chose it. That it is there does not say that it
    /// compiles.
    Configuration,
    /// LLVM IR, optimised.
    Llvm,
    /// Assembly text by LLVM.
    Isa,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Stage; 3] = [Stage::Configuration, Stage::Llvm, Stage::Isa];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Configuration => "configuration",
            Stage::Llvm => "llvm",
            Stage::Isa => "isa",
        }
    }

    fn file(self) -> (&'static str, &'static str) {
        match self {
            Stage::Configuration => ("configured_", ".mlir"),
            Stage::Llvm => ("module_", ".optimized.ll"),
            Stage::Isa => ("module_", ".rocmasm"),
        }
    }
}

impl IreeCompiler {
    /// The text of a stage; without a configuration with IREE's own choice.
    ///
    /// # Errors
    ///
    /// Every way in which the compiler can fail; see [`IreeError`].
    pub fn explain(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: Option<&Configuration>,
        stage: Stage,
    ) -> Result<String, IreeError> {
        let module = Module::new(problem, configuration)?;
        let folder = folder()?;
        let folder = folder.path();
        let options: Vec<OsString> = match stage {
            Stage::Configuration => vec!["--compile-to=executable-configurations".into()],
            Stage::Llvm | Stage::Isa => {
                let dump = option("--iree-hal-dump-executable-intermediates-to=", folder);
                HOST_OPTIONS
                    .map(OsString::from)
                    .into_iter()
                    .chain([dump])
                    .collect()
            }
        };
        let split = configuration.filter(|it| Pieces::of(problem, it).is_some());
        let (prefix, suffix) = stage.file();
        match configuration.filter(|_| module.has_spec()) {
            None => self.run(target, folder, &module.to_string(), &options)?,
            Some(given) => {
                self.run_with_spec(target, folder, &module, (problem, given), &options)?;
            }
        }
        match (split, stage) {
            // Of both kernels; the other stages are of the code object that has both.
            (Some(_), Stage::Configuration) => {
                let [partial, merge] =
                    EXECUTABLES.map(|end| read_text(&only(folder, prefix, end)?));
                Ok(partial? + &merge?)
            }
            _ => read_text(&only(folder, prefix, suffix)?),
        }
    }
}
