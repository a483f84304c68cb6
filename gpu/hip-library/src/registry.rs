//! The registry of clang-compiled programs: their fat binaries, and the host functions and
//! variables that stand for kernels and device variables.
//!
//! Before `main`, registrations are only recorded. Code is loaded at its first use. The order of
//! locks is the registry's, then the state's.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::copy::MemoryCopy;
use crate::error::{Error, Result};
use crate::ffi::Pointer;
use crate::handles::Handles;
use crate::image;
use crate::module::Function;
use crate::state::{healthy_state, state};

/// A fat binary of the program.
pub(crate) struct Binary {
    pub(crate) bundle: Pointer,
    /// The module, once it is loaded.
    pub(crate) module: Option<u64>,
    /// The names of managed variables and their addresses.
    pub(crate) managed: Vec<(String, Pointer)>,
}

/// The registered functions and variables, by their addresses on the host.
#[derive(Default)]
pub(crate) struct Registry {
    pub(crate) binaries: Handles<Binary>,
    pub(crate) functions: HashMap<Pointer, (u64, String)>,
    pub(crate) variables: HashMap<Pointer, (u64, String)>,
}

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

/// Runs `body` with the registry.
pub(crate) fn with_registry<R>(body: impl FnOnce(&mut Registry) -> R) -> R {
    let mut registry: MutexGuard<'_, _> = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    body(registry.get_or_insert_with(Registry::default))
}

impl Registry {
    /// Returns the module of a binary; loads it if necessary.
    fn module(&mut self, binary: u64) -> Result<u64> {
        let binary = self.binaries.get_mut(binary)?;
        if let Some(module) = binary.module {
            return Ok(module);
        }
        let mut state = healthy_state()?;
        let code = image::load_at(binary.bundle, &state.device)?;
        let module = state.load(code)?;
        for (name, address) in &binary.managed {
            // The device's variable is a pointer to the memory that both see.
            let (place, _) = state.variable(module, name)?;
            let bytes = address.to_le_bytes().to_vec();
            MemoryCopy::bytes(place, bytes).run(&mut state.space)?;
        }
        binary.module = Some(module);
        Ok(module)
    }
}

/// Returns the kernel that a host function stands for.
///
/// # Errors
/// [`Error::InvalidDeviceFunction`], or the reason that the code is not loaded.
pub(crate) fn of_host(host: Pointer) -> Result<Function> {
    with_registry(|registry| {
        let known = registry.functions.get(&host).cloned();
        let (binary, name) = known.ok_or(Error::InvalidDeviceFunction)?;
        let module = registry.module(binary)?;
        let mut state = state()?;
        let handle = state
            .function(module, &name)
            .map_err(|_| Error::InvalidDeviceFunction)?;
        state.functions.get(handle).cloned()
    })
}

/// Returns the kernel of a handle, or of a registered host function.
///
/// # Errors
/// [`Error::InvalidDeviceFunction`], or the reason that the program's code is not loaded.
pub(crate) fn function(handle: Pointer) -> Result<Function> {
    // The lock is released before `of_host`, which takes the registry's first.
    if let Ok(function) = state()?.functions.get(handle) {
        return Ok(function.clone());
    }
    of_host(handle)
}

/// Returns the address and bytes of the device variable that a host variable stands for.
pub(crate) fn variable(host: Pointer) -> Result<(Pointer, u64)> {
    with_registry(|registry| {
        let known = registry.variables.get(&host).cloned();
        let (binary, name) = known.ok_or(Error::InvalidSymbol)?;
        let module = registry.module(binary)?;
        state()?
            .variable(module, &name)
            .map_err(|_| Error::InvalidSymbol)
    })
}

/// Returns the address of `bytes` bytes of a variable from `offset`.
pub(crate) fn part(host: Pointer, bytes: usize, offset: usize) -> Result<Pointer> {
    let (start, size) = variable(host)?;
    let end = (offset as u64).checked_add(bytes as u64);
    end.filter(|end| *end <= size).ok_or(Error::InvalidValue)?;
    Ok(start + offset as u64)
}
