//! Loading and unloading of modules, and lookup by name.

use std::sync::Arc;

use emulator::CodeObject;

use super::LibraryState;
use crate::error::{Error, Result};
use crate::ffi::Pointer;
use crate::module::{Function, HipModule};

impl LibraryState {
    /// Loads a code object and returns the module's handle.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn load(&mut self, code: CodeObject) -> Result<u64> {
        let image = self.space.place(&code)?;
        Ok(self.modules.insert(HipModule {
            code: Arc::new(code),
            image,
        }))
    }

    /// Returns the handle of the kernel called `name`.
    ///
    /// # Errors
    /// [`Error::InvalidHandle`], [`Error::NotFound`].
    pub(crate) fn function(&mut self, module: u64, name: &str) -> Result<u64> {
        let code = Arc::clone(&self.modules.get(module)?.code);
        let mut kernels = code.kernels().iter();
        let index = kernels
            .position(|one| one.name == name)
            .ok_or(Error::NotFound)?;
        // A kernel has one handle, however often a program asks for it.
        let is_same = |one: &Function| one.module == module && one.index == index;
        let known = self.functions.iter().find(|(_, one)| is_same(one));
        if let Some((handle, _)) = known {
            return Ok(handle);
        }
        Ok(self.functions.insert(Function {
            code,
            index,
            module,
        }))
    }

    /// Returns the address and bytes of the variable called `name`.
    ///
    /// # Errors
    /// [`Error::InvalidHandle`], [`Error::NotFound`].
    pub(crate) fn variable(&self, module: u64, name: &str) -> Result<(Pointer, u64)> {
        let module = self.modules.get(module)?;
        let range = module.code.variable(name).ok_or(Error::NotFound)?;
        Ok((module.image + range.start, range.end - range.start))
    }

    /// Unloads a module and frees its variables.
    ///
    /// # Errors
    /// [`Error::InvalidHandle`].
    pub(crate) fn unload(&mut self, module: u64) -> Result<()> {
        let removed = self.modules.remove(module)?;
        self.functions.retain(|function| function.module != module);
        self.times.forget(&removed.code);
        self.space.free(removed.image).map(drop)
    }
}
