//! An export: kernels that it builds one after the other, and finally the manifest of all of
//! them.

use answers::kernels::{FORMAT, KernelOrigin, Manifest};
use codegen::CompiledKernel;
use codegen::native::{Native, NativeStage, explain, generator_version};
use configgen::{Generator, Target};

use crate::Toolchain;
use crate::choice::Choice;
use crate::error::ExportError;
use crate::manifest::kernel;

/// The manifest's file name.
const MANIFEST: &str = "manifest.json";

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// The file name, unique within the export.
    pub name: String,
    /// The contents.
    pub content: Vec<u8>,
}

/// A kernel added to an export.
pub struct ExportedKernel {
    /// The code object and the HIP C++ source.
    pub files: [ExportFile; 2],
    /// The kernel with its launch.
    pub kernel: CompiledKernel,
    /// The number of lanes of a subgroup.
    pub subgroup_size: u32,
}

/// An export of kernels for one target. It builds each kernel when it is added, so only one
/// kernel at a time is in memory. If the caller writes the manifest last, a folder with a
/// manifest is complete.
pub struct Export<'a> {
    native: &'a Native,
    target: &'static Target,
    manifest: Manifest,
}

impl<'a> Export<'a> {
    /// Creates an export without kernels.
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
                notice: None,
                kernels: Vec::new(),
            },
        })
    }

    /// Builds a kernel: its code object, and the same kernel as HIP C++.
    ///
    /// # Errors
    ///
    /// See [`ExportError`]; the export keeps the kernels added before.
    pub fn add(&mut self, choice: &Choice) -> Result<[ExportFile; 2], ExportError> {
        Ok(self.build(choice)?.files)
    }

    /// Builds a kernel and returns it with its properties.
    pub fn build(&mut self, choice: &Choice) -> Result<ExportedKernel, ExportError> {
        let Choice {
            problem,
            configuration,
            ..
        } = choice;
        // The source is printed from the same configuration, and not derived from the code
        // object.
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
        // The manifest takes the kernel, so its subgroup size is copied first.
        let subgroup_size = kernel.subgroup_size;
        self.manifest.kernels.push(kernel);
        Ok(ExportedKernel {
            files,
            kernel: compiled,
            subgroup_size,
        })
    }

    /// Removes the kernel with this code object from the manifest.
    pub fn remove(&mut self, file: &str) {
        self.manifest.kernels.retain(|kernel| kernel.file != file);
    }

    /// Notes a fact for readers of the manifest.
    pub fn notice(&mut self, notice: String) {
        self.manifest.notice = Some(notice);
    }

    /// Returns the manifest of all added kernels.
    pub fn end(self) -> ExportFile {
        let text = answers::pretty(&self.manifest) + "\n";
        ExportFile {
            name: MANIFEST.to_owned(),
            content: text.into_bytes(),
        }
    }
}
