//! Modules and their kernels.

use std::sync::Arc;

use emulator::{CodeObject, LoadedKernel};

use crate::ffi::Pointer;

/// A loaded code object.
pub(crate) struct HipModule {
    pub(crate) code: Arc<CodeObject>,
    /// The address of its variables.
    pub(crate) image: Pointer,
}

/// A kernel of a module.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) code: Arc<CodeObject>,
    /// The index in [`CodeObject::kernels`].
    pub(crate) index: usize,
    pub(crate) module: u64,
}

impl Function {
    pub(crate) fn kernel(&self) -> &LoadedKernel {
        &self.code.kernels()[self.index]
    }
}
