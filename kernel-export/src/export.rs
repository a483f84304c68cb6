//! An export: kernels that are built one after the other, and at last the manifest of all of them.

use answers::kernels::{FORMAT, KernelOrigin, Manifest};
use codegen::CompiledKernel;
use codegen::native::{Native, NativeStage, explain, generator_version};
use configgen::{Generator, Target};

use crate::Toolchain;
use crate::choice::Choice;
use crate::error::ExportError;
use crate::manifest::kernel;

/// The manifest's name.
const MANIFEST: &str = "manifest.json";

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Its name, which no other file of the export has.
    pub name: String,
    /// What is in it.
    pub content: Vec<u8>,
}

/// A kernel that was added.
pub(crate) struct ExportedKernel {
    /// Its code object, and its HIP C++.
    pub(crate) files: [ExportFile; 2],
    pub(crate) kernel: CompiledKernel,
    /// Lanes of a subgroup.
    pub(crate) subgroup_size: u32,
}

/// Kernels for one target. Each is built when it is added, so that whoever writes the files has one kernel in memory at a
/// time; who writes the manifest last has a folder that is complete where it has a manifest.
pub struct Export<'a> {
    native: &'a Native,
    target: &'static Target,
    manifest: Manifest,
}

impl<'a> Export<'a> {
    /// An export of no kernels yet.
    ///
    /// # Errors
    ///
    /// [`ExportError::Missing`].
    pub fn new(toolchain: &'a Toolchain, target: &'static Target) -> Result<Self, ExportError> {
        Ok(Export {
            native: toolchain.native()?,
            target,
            manifest: Manifest {
                format: FORMAT,
                wavetune: env!("CARGO_PKG_VERSION"),
                target: target.name,
                kernels: Vec::new(),
            },
        })
    }

    /// Builds a kernel: its code object, and the same kernel as HIP C++.
    ///
    /// # Errors
    ///
    /// See [`ExportError`]; the export has the kernels that were added before.
    pub fn add(&mut self, choice: &Choice) -> Result<[ExportFile; 2], ExportError> {
        Ok(self.build(choice)?.files)
    }

    /// Builds a kernel and keeps what else is known of it.
    pub(crate) fn build(&mut self, choice: &Choice) -> Result<ExportedKernel, ExportError> {
        let Choice {
            problem,
            configuration,
            ..
        } = choice;
        let compiled = self.native.compile(self.target, problem, configuration)?;
        let source = explain(problem, self.target, configuration, NativeStage::Hip)?;
        let made_by = KernelOrigin {
            generator: Generator::NATIVE,
            generator_version: generator_version(),
            compiler: compiled.compiler.name.clone().into_owned(),
            compiler_version: compiled.compiler.version.clone(),
        };
        let kernel = kernel(choice, &compiled, made_by)?;
        let files = [
            ExportFile {
                name: kernel.file.clone(),
                content: compiled.code_object.to_vec(),
            },
            ExportFile {
                name: kernel.source.clone(),
                content: source.into_bytes(),
            },
        ];
        let subgroup_size = kernel.subgroup_size;
        self.manifest.kernels.push(kernel);
        Ok(ExportedKernel {
            files,
            kernel: compiled,
            subgroup_size,
        })
    }

    /// The manifest of all kernels that were added.
    pub fn end(self) -> ExportFile {
        let text = answers::pretty(&self.manifest) + "\n";
        ExportFile {
            name: MANIFEST.to_owned(),
            content: text.into_bytes(),
        }
    }
}
