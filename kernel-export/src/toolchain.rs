//! What builds kernels: libLLVM and the linker, looked for when the first kernel is to be built.

use std::sync::OnceLock;

use codegen::cache::Cache;
use codegen::native::Native;
use codegen::tools::MissingTool;

/// Finds the tools.
type ToolLoader = fn() -> Result<Native, MissingTool>;

/// The tools, once they were found. Where they are not there they are looked for again the next time: somebody may have
/// installed them meanwhile.
#[derive(Debug)]
pub struct Toolchain {
    find: ToolLoader,
    found: OnceLock<Native>,
}

impl Toolchain {
    /// The tools of this machine, and the code objects that its user has built before.
    pub fn of_user() -> Self {
        Self::new(|| Native::load(Cache::of_user()))
    }

    /// The tools that are found so.
    pub fn new(find: ToolLoader) -> Self {
        Toolchain {
            find,
            found: OnceLock::new(),
        }
    }

    /// What builds kernels.
    ///
    /// # Errors
    ///
    /// [`Missing`]: some tool is not there.
    pub fn native(&self) -> Result<&Native, MissingTool> {
        match self.found.get() {
            Some(native) => Ok(native),
            None => {
                let native = (self.find)()?;
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
    fn what_is_not_there_is_looked_for_again() {
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
