//! From configurations to code objects, many at a time.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use configgen::{Configuration, Problem, Target};

use super::CodegenError;
use super::last::Final;
use super::stage::Lowered;
use crate::cache::{Cache, Key};
use crate::link::link;
use crate::llvm::{self, Llvm, Output};
use crate::tools::{self, Missing};
use crate::{Argument, CompiledKernel, Compiler, Slot};

/// Kernels of one link: enough that its cost is small beside theirs, few enough that a code object stays small.
const LINK: usize = 32;

/// The generator: a loaded libLLVM, a linker and a cache. Threads may share it.
#[derive(Debug)]
pub struct Native {
    llvm: Llvm,
    linker: PathBuf,
    cache: Cache,
}

/// One kernel on its way.
struct Object {
    symbol: String,
    last: Final,
    bytes: Vec<u8>,
}

impl Native {
    /// Finds and loads the tools.
    ///
    /// # Errors
    ///
    /// [`Missing`]: libLLVM or ld.lld is not there, too old, or lacks the AMDGPU target.
    pub fn load(cache: Cache) -> Result<Native, Missing> {
        let llvm = tools::load_llvm()?;
        let linker = tools::find_lld_for(llvm.version().major)?;
        Ok(Native {
            llvm,
            linker: linker.path,
            cache,
        })
    }

    /// The compiler that makes the objects, for provenance.
    pub fn compiler(&self) -> Compiler {
        Compiler {
            name: "LLVM",
            version: self.llvm.version().to_string(),
        }
    }

    /// Compiles configurations of problems, in order. Each result is that of its own kernel: one that fails does not
    /// spoil the others.
    ///
    /// It works on the calling thread; other threads may call it at the same time.
    pub fn compile_batch(
        &self,
        target: &Target,
        kernels: &[(Problem, Configuration)],
    ) -> Vec<Result<CompiledKernel, CodegenError>> {
        let mut results = Vec::with_capacity(kernels.len());
        for chunk in kernels.chunks(LINK) {
            let objects = chunk
                .iter()
                .map(|(problem, configuration)| self.object(problem, target, configuration));
            let objects: Vec<_> = objects.collect();
            results.extend(self.link(objects));
        }
        results
    }

    fn object(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: &Configuration,
    ) -> Result<Object, CodegenError> {
        let lowered = Lowered::new(problem, target, configuration)?;
        let ir = lowered.llvm_ir();
        let Lowered { symbol, last } = lowered;
        let version = self.llvm.version().to_string();
        let key = Key::of(&[&ir, "LLVM", &version, target.name, llvm::OPTIONS]);
        let bytes = match self.cache.get(key) {
            Some(bytes) => bytes,
            None => match self.llvm.compile(&ir, target.name, Output::Object) {
                Ok(bytes) => {
                    self.cache.put(key, &bytes);
                    bytes
                }
                Err(source) => return Err(CodegenError::Llvm { symbol, source }),
            },
        };
        Ok(Object {
            symbol,
            last,
            bytes,
        })
    }

    /// Links what compiled. Should the linker refuse the lot, each kernel is linked alone, to find the culprit.
    fn link(
        &self,
        objects: Vec<Result<Object, CodegenError>>,
    ) -> Vec<Result<CompiledKernel, CodegenError>> {
        // By symbol: a configuration that occurs twice is linked once.
        let distinct: BTreeMap<&str, &[u8]> = objects
            .iter()
            .flatten()
            .map(|object| (object.symbol.as_str(), object.bytes.as_slice()))
            .collect();
        let linked = match distinct.len() {
            0 => None,
            _ => link(&self.linker, distinct.into_values()).ok(),
        };
        let linked: Option<Arc<[u8]>> = linked.map(Arc::from);
        let kernel = |object: Object| {
            let code_object = match &linked {
                Some(linked) => Arc::clone(linked),
                None => match link(&self.linker, [object.bytes.as_slice()]) {
                    Ok(linked) => linked.into(),
                    Err(source) => {
                        let symbol = object.symbol;
                        return Err(CodegenError::Link { symbol, source });
                    }
                },
            };
            Ok(self.kernel(object, code_object))
        };
        objects
            .into_iter()
            .map(|object| object.and_then(kernel))
            .collect()
    }

    fn kernel(&self, object: Object, code_object: Arc<[u8]>) -> CompiledKernel {
        let grid = &object.last.lanes.block.grid;
        let rows = u64::from(grid.rows);
        let element = u64::from(grid.element_bytes());
        let slot = |buffer| Slot { buffer, offset: 0 };
        let [x, y] = grid.workgroups;
        CompiledKernel {
            code_object,
            symbol: object.symbol,
            workgroups: [x, y, 1],
            workgroup_size: [grid.threads, 1, 1],
            arguments: (0..3).map(Argument::Buffer).collect(),
            buffers: vec![rows * object.last.row_bytes(), rows * element, rows * 4],
            input: slot(0),
            values: slot(1),
            indices: slot(2),
            rows_per_workgroup: Some(grid.tile),
            compiler: self.compiler(),
        }
    }
}
