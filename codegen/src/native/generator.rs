//! The generator: compiles configurations to code objects, many at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use configgen::{Configuration, IndexMode, Problem, Target};

use super::CodegenError;
use super::ir::IrKernel;
use super::print;
use super::stage::LoweredConfiguration;
use crate::cache::{Cache, CacheKey};
use crate::link::{self, LinkError, link};
use crate::llvm::{self, Llvm, LlvmError, LlvmOutput, LlvmProcess, LlvmWorkers};
use crate::tools::{self, FoundTool, MissingTool, Tool};
use crate::{CompiledKernel, Compiler, Kernarg, Slot, Workspace};

/// The largest number of kernels in one module and code object. Their shared cost is then small
/// per kernel, and so is the cost of loading a code object for one of them. A caller with many
/// kernels should pass as many at a time.
pub const BATCH: usize = 32;

/// The generator: a loaded libLLVM, a linker and a cache. Threads may share it.
#[derive(Debug)]
pub struct Native {
    llvm: Llvm,
    linker: FoundTool,
    cache: Cache,
    /// The processes of LLVM, and the sandbox of both tools. `None` runs LLVM in this process.
    workers: Option<LlvmWorkers>,
}

/// The reason that a batch of kernels has no code object.
enum Failure {
    Llvm(LlvmError),
    Link(LinkError),
}

impl Native {
    /// Finds and loads the tools.
    ///
    /// # Errors
    ///
    /// [`MissingTool`]: libLLVM or ld.lld is missing, is too old or lacks the AMDGPU target.
    pub fn load(cache: Cache) -> Result<Native, MissingTool> {
        let llvm = tools::load_llvm()?;
        let linker = tools::find_lld_for(llvm.version().major)?;
        Ok(Native {
            llvm,
            linker,
            cache,
            workers: None,
        })
    }

    /// Moves LLVM into processes of its own, and LLVM and linker into the sandbox if there is one.
    /// This process then asks libLLVM only for its version.
    ///
    /// # Errors
    ///
    /// [`MissingTool`]: one of the tools does not work there.
    pub fn in_process(mut self, process: LlvmProcess) -> Result<Native, MissingTool> {
        let refuse = |error: LlvmError| MissingTool {
            tool: Tool::LibLlvm,
            reason: error.to_string(),
        };
        let workers = LlvmWorkers::new(process, self.llvm.path());
        if let Some(sandbox) = workers.sandbox() {
            // Compiling an empty module tests the whole path: sandbox, program, libLLVM and back
            // end.
            let nothing = workers.compile("", "gfx942", LlvmOutput::Object);
            nothing.map_err(refuse)?;
            tools::try_in_sandbox(Tool::Lld, &self.linker.path, sandbox)?;
        }
        self.workers = Some(workers);
        Ok(self)
    }

    /// Returns the compiler's name and versions, for provenance.
    pub fn compiler(&self) -> Compiler {
        Compiler {
            name: "LLVM".into(),
            version: self.llvm.version().to_string(),
            linker: format!("LLD {}", self.linker.version),
        }
    }

    /// Compiles configurations of problems, in order. Up to [`BATCH`] neighbours share a code
    /// object. Each kernel has its own result, so that one failure does not affect the others.
    ///
    /// The work is done on the calling thread; other threads may call this at the same time.
    pub fn compile_batch(
        &self,
        target: &Target,
        kernels: &[(Problem, Configuration)],
    ) -> Vec<Result<CompiledKernel, CodegenError>> {
        let lower = |(problem, configuration): &(Problem, Configuration)| {
            LoweredConfiguration::new(problem, target, configuration)
        };
        kernels
            .chunks(BATCH)
            .flat_map(|chunk| self.compile_together(target, chunk.iter().map(lower).collect()))
            .collect()
    }

    /// Compiles a configuration of a problem into a code object of its own.
    ///
    /// # Errors
    ///
    /// [`CodegenError`], except a missing tool.
    pub fn compile(
        &self,
        target: &Target,
        problem: &Problem,
        configuration: &Configuration,
    ) -> Result<CompiledKernel, CodegenError> {
        self.compile_lowered(
            target,
            LoweredConfiguration::new(problem, target, configuration)?,
        )
    }

    /// Compiles the kernels that could be lowered. If LLVM or the linker refuses the batch,
    /// compiles each kernel alone to find the culprit.
    fn compile_together(
        &self,
        target: &Target,
        kernels: Vec<Result<LoweredConfiguration, CodegenError>>,
    ) -> Vec<Result<CompiledKernel, CodegenError>> {
        // By symbol, so that a configuration that occurs twice is compiled once.
        let distinct: BTreeMap<&str, IrKernel> = kernels
            .iter()
            .flatten()
            .map(|kernel| (kernel.symbol.as_str(), kernel.kernel()))
            .collect();
        let distinct: Vec<(&str, &IrKernel)> = distinct
            .iter()
            .map(|(symbol, kernel)| (*symbol, kernel))
            .collect();
        let together = match distinct.as_slice() {
            [] => None,
            kernels => self.code_object(target, kernels).ok(),
        };
        let finish = |kernel: LoweredConfiguration| match &together {
            Some(code_object) => Ok(self.kernel(kernel, Arc::clone(code_object))),
            None => self.compile_lowered(target, kernel),
        };
        kernels
            .into_iter()
            .map(|kernel| kernel.and_then(finish))
            .collect()
    }

    /// Returns true if `kernel`, compiled by another machine, has exactly the launch that this
    /// configuration would have here. Does not look at its code.
    pub fn is_launch_of(
        &self,
        target: &Target,
        problem: &Problem,
        configuration: &Configuration,
        kernel: &CompiledKernel,
    ) -> bool {
        let lowered = LoweredConfiguration::new(problem, target, configuration);
        lowered.is_ok_and(|own| self.kernel(own, Arc::clone(&kernel.code_object)) == *kernel)
    }

    /// Compiles a kernel into a code object of its own.
    pub(super) fn compile_lowered(
        &self,
        target: &Target,
        kernel: LoweredConfiguration,
    ) -> Result<CompiledKernel, CodegenError> {
        let symbol = kernel.symbol.clone();
        let code_object = self.code_object(target, &[(&kernel.symbol, &kernel.kernel())]);
        let code_object = code_object.map_err(|failure| match failure {
            Failure::Llvm(source) => CodegenError::Llvm { symbol, source },
            Failure::Link(source) => CodegenError::Link { symbol, source },
        })?;
        Ok(self.kernel(kernel, code_object))
    }

    /// Returns the code object of kernels with distinct symbols, from the cache if possible.
    fn code_object(
        &self,
        target: &Target,
        kernels: &[(&str, &IrKernel)],
    ) -> Result<Arc<[u8]>, Failure> {
        let ir = print::llvm::module(kernels);
        let llvm = self.llvm.version().to_string();
        let lld = &self.linker.version;
        // The key holds every input of the code object, so that another LLVM, linker or option
        // misses.
        let mut parts = vec![&*ir, "LLVM", &llvm, target.name, llvm::OPTIONS, "LLD", lld];
        parts.extend(link::OPTIONS);
        let key = CacheKey::of(&parts);
        if let Some(code_object) = self.cache.get(key) {
            return Ok(code_object.into());
        }
        let object = self.run_llvm(&ir, target, LlvmOutput::Object);
        let object = object.map_err(Failure::Llvm)?;
        let sandbox = self.workers.as_ref().and_then(LlvmWorkers::sandbox);
        let code_object = link(&self.linker.path, &object, sandbox).map_err(Failure::Link)?;
        self.cache.put(key, &code_object);
        Ok(code_object.into())
    }

    /// Compiles a module, in a process of LLVM if there are any.
    fn run_llvm(
        &self,
        ir: &str,
        target: &Target,
        output: LlvmOutput,
    ) -> Result<Vec<u8>, LlvmError> {
        match &self.workers {
            Some(workers) => workers.compile(ir, target.name, output),
            None => self.llvm.compile(ir, target.name, output),
        }
    }

    /// Returns the assembly text of a module.
    pub(super) fn assembly(
        &self,
        ir: &str,
        target: &Target,
        symbol: &str,
    ) -> Result<String, CodegenError> {
        let text = self.run_llvm(ir, target, LlvmOutput::Assembly);
        let text = text.map_err(|source| CodegenError::Llvm {
            symbol: symbol.to_owned(),
            source,
        })?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn kernel(&self, kernel: LoweredConfiguration, code_object: Arc<[u8]>) -> CompiledKernel {
        let grid = &kernel.last.lanes.block.grid;
        let combiner = &grid.combiner;
        let slot = |buffer| Slot { buffer, offset: 0 };
        let sources = grid.tensors();
        let mut buffers: Vec<u64> = sources.map(|it| it.span * it.bytes()).collect();
        let mut operands: Vec<Slot> = (1..buffers.len()).map(slot).collect();
        let mut results = Vec::new();
        let index = combiner.index();
        let of_row = |bytes: u32| grid.rows() * u64::from(bytes);
        let written: Vec<u64> = match &grid.sequel {
            Some(sequel) => {
                let targets = sequel.outputs.iter().map(|output| &output.target);
                targets.map(|it| it.span * it.bytes()).collect()
            }
            None => {
                let values = of_row(combiner.result().bytes());
                let indices = index.map(|index| of_row(index.kind.bytes()));
                [values].into_iter().chain(indices).collect()
            }
        };
        for bytes in written {
            results.push(slot(buffers.len()));
            buffers.push(bytes);
        }
        // In the order of the kernel's parameters: inputs, results, index base, workspace, count.
        let mut arguments: Vec<Kernarg> = (0..buffers.len()).map(Kernarg::Buffer).collect();
        if let Some(index) = index {
            match index.mode {
                IndexMode::Position => {}
                IndexMode::Based => arguments.push(Kernarg::IndexBase(index.kind)),
                IndexMode::Explicit => {
                    arguments.insert(grid.tensors().count(), Kernarg::Buffer(buffers.len()));
                    operands.push(slot(buffers.len()));
                    buffers.push(grid.elements() * u64::from(index.kind.bytes()));
                }
            }
        }
        let mut workspace = None;
        if grid.split.is_some() {
            arguments.push(Kernarg::Buffer(buffers.len()));
            workspace = Some(Workspace {
                buffer: buffers.len(),
                counters: grid.left_bytes(),
                nobodys: grid.combiner.nobodys(),
                counts: grid.folds() as u32,
                // The workspace lies after all tensors: states first, then one u32 counter per
                // tile.
                waits: grid.waits(),
            });
            buffers.push(grid.left_bytes() + grid.tiles() * 4);
        }
        if let Some(counted) = grid.dimensions.iter().find(|dimension| dimension.counted) {
            arguments.push(Kernarg::Count(counted.size));
        }
        let [x, y] = grid.workgroups;
        CompiledKernel {
            code_object,
            symbol: kernel.symbol,
            workgroups: [x, y, 1],
            workgroup_size: [grid.threads, 1, 1],
            arguments,
            buffers,
            input: slot(0),
            operands,
            workspace,
            sharers: grid.sharers(),
            results,
            tiling: grid.tiling(),
            merge: None,
            compiler: self.compiler(),
        }
    }
}
