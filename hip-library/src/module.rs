//! Modules and their kernels and variables.

use std::sync::Arc;

use emulator::{CodeObject, Kernel};

use crate::error::{Error, Result, Status, enter};
use crate::ffi::{Out, Pointer, Text};
use crate::image;
use crate::state::{State, state, working};

/// A loaded code object.
pub(crate) struct Module {
    pub(crate) code: Arc<CodeObject>,
    /// Where its variables are.
    image: Pointer,
}

/// A kernel of a module.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) code: Arc<CodeObject>,
    /// The place in [`CodeObject::kernels`].
    index: usize,
    pub(crate) module: u64,
}

impl Function {
    pub(crate) fn kernel(&self) -> &Kernel {
        &self.code.kernels()[self.index]
    }
}

impl State {
    /// Loads a code object; returns the module's handle.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn load(&mut self, code: CodeObject) -> Result<u64> {
        let image = self.space.place(&code)?;
        Ok(self.modules.insert(Module {
            code: Arc::new(code),
            image,
        }))
    }

    /// The handle of the kernel called `name`.
    ///
    /// # Errors
    /// [`Error::InvalidHandle`], [`Error::NotFound`].
    pub(crate) fn function(&mut self, module: u64, name: &str) -> Result<u64> {
        let code = Arc::clone(&self.modules.get(module)?.code);
        let mut kernels = code.kernels().iter();
        let index = kernels
            .position(|one| one.name == name)
            .ok_or(Error::NotFound)?;
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

    /// Address and bytes of the variable called `name`.
    ///
    /// # Errors
    /// [`Error::InvalidHandle`], [`Error::NotFound`].
    pub(crate) fn variable(&self, module: u64, name: &str) -> Result<(Pointer, u64)> {
        let module = self.modules.get(module)?;
        let range = module.code.variable(name).ok_or(Error::NotFound)?;
        Ok((module.image + range.start, range.end - range.start))
    }

    /// # Errors
    /// [`Error::InvalidHandle`].
    pub(crate) fn unload(&mut self, module: u64) -> Result<()> {
        let removed = self.modules.remove(module)?;
        self.functions.retain(|function| function.module != module);
        self.times.forget(&removed.code);
        self.space.free(removed.image).map(drop)
    }
}

fn load_data(module: Out<u64>, start: Pointer) -> Result<()> {
    module.check()?;
    let mut state = working()?;
    let code = image::load_at(start, &state.device)?;
    module.put(state.load(code)?)
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleLoadData(module: Out<u64>, image: Pointer) -> Status {
    enter(|| load_data(module, image))
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleLoadDataEx(
    module: Out<u64>,
    image: Pointer,
    _options: u32,
    _names: Pointer,
    _values: Pointer,
) -> Status {
    // Options are for a compiler, which there is none of here.
    enter(|| load_data(module, image))
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleLoad(module: Out<u64>, path: Text) -> Status {
    enter(|| {
        module.check()?;
        let file = std::fs::read(path.get()?).map_err(|_| Error::FileNotFound)?;
        let mut state = working()?;
        let code = image::load(&file, &state.device)?;
        module.put(state.load(code)?)
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleUnload(module: u64) -> Status {
    enter(|| {
        // What a kernel broke can be cleaned up.
        let waited = crate::stream::synchronize_all();
        state()?.unload(module)?;
        waited
    })
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleGetFunction(function: Out<u64>, module: u64, name: Text) -> Status {
    enter(|| function.put(state()?.function(module, &name.get()?)?))
}

#[unsafe(no_mangle)]
extern "C" fn hipModuleGetGlobal(
    address: Out<Pointer>,
    bytes: Out<usize>,
    module: u64,
    name: Text,
) -> Status {
    enter(|| {
        let found = state()?.variable(module, &name.get()?)?;
        address.put_if_wanted(found.0);
        bytes.put_if_wanted(found.1 as usize);
        Ok(())
    })
}
