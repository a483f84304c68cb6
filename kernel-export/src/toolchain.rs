//! The toolchain of an export: libLLVM and the linker, loaded for the first kernel.

use std::sync::OnceLock;

use codegen::cache::Cache;
use codegen::llvm::LlvmProcess;
use codegen::native::Native;
use codegen::tools::MissingTool;

/// A function that finds the tools.
type ToolLoader = dyn Fn() -> Result<Native, MissingTool> + Send + Sync;

/// The tools, once found. If they are missing, the next request searches again, because a user
/// may have installed them.
pub struct Toolchain {
    find: Box<ToolLoader>,
    found: OnceLock<Native>,
}

impl Toolchain {
    /// Creates the toolchain of this machine, with its user's cache of code objects. LLVM runs in
    /// this kind of process.
    pub fn of_user(process: LlvmProcess) -> Self {
        Self::new(move || Native::load(Cache::of_user())?.in_process(process.clone()))
    }

    /// Creates a toolchain with this search function.
    pub fn new(find: impl Fn() -> Result<Native, MissingTool> + Send + Sync + 'static) -> Self {
        Toolchain {
            find: Box::new(find),
            found: OnceLock::new(),
        }
    }

    /// Returns the native generator.
    ///
    /// # Errors
    ///
    /// [`MissingTool`].
    pub fn native(&self) -> Result<&Native, MissingTool> {
        match self.found.get() {
            Some(native) => Ok(native),
            None => {
                let native = (self.find)()?;
                // Two threads may both find the tools; they then share the first result.
                Ok(self.found.get_or_init(|| native))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    use codegen::tools::Tool;

    use super::*;

    #[test]
    fn missing_tools_are_searched_again() {
        static LOOKS: AtomicU32 = AtomicU32::new(0);
        let toolchain = Toolchain::new(|| {
            LOOKS.fetch_add(1, SeqCst);
            Err(MissingTool {
                tool: Tool::Lld,
                reason: "not found".to_owned(),
            })
        });
        assert_eq!(LOOKS.load(SeqCst), 0);
        for looks in 1..4 {
            assert_eq!(toolchain.native().unwrap_err().tool, Tool::Lld);
            assert_eq!(LOOKS.load(SeqCst), looks);
        }
    }
}
