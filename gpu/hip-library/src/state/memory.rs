//! Device memory: bookkeeping beside the allocation itself.

use super::LibraryState;
use crate::error::{Error, Result};
use crate::ffi::Pointer;
use crate::memory::AllocationKind;

impl LibraryState {
    /// Allocates device memory.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(crate) fn allocate(&mut self, bytes: usize) -> Result<Pointer> {
        self.space.allocate(bytes as u64, self.device.check)
    }

    /// Frees memory that is neither a module's nor registered.
    ///
    /// # Errors
    /// [`Error::InvalidValue`].
    pub(crate) fn free(&mut self, pointer: Pointer) -> Result<()> {
        let kind = self
            .space
            .containing_allocation(pointer)
            .map(|(_, one)| one.kind);
        if !matches!(
            kind,
            Some(AllocationKind::Device | AllocationKind::Pinned | AllocationKind::Managed)
        ) {
            return Err(Error::InvalidValue);
        }
        let freed = self.space.free(pointer)?;
        if let Some(pool) = freed.pool {
            self.pools.freed(pool, freed.bytes);
        }
        Ok(())
    }
}
