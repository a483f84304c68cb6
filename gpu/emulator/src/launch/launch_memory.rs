//! Device memory of a launch besides the caller's buffers: the code object's image and the
//! arguments.

use super::{KernelLaunch, arguments};
use crate::address::Address;
use crate::error::{LaunchFault, MemoryError};
use crate::image::Image;
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;

/// The allocations of one launch.
pub(crate) struct LaunchMemory {
    /// The code object's image.
    pub(crate) image: Address,
    /// True if the image stays after the launch.
    placed: bool,
    /// The argument block.
    pub(crate) kernarg: Address,
    /// The dispatch packet.
    pub(crate) packet: Address,
}

impl LaunchMemory {
    pub(super) fn new(
        code: &CodeObject,
        memory: &mut EmulatedMemory,
        launch: &KernelLaunch<'_>,
    ) -> Result<LaunchMemory, LaunchFault> {
        let block = arguments::block(launch);
        let packet = arguments::packet(launch);
        let image = &code.contents.image;
        let (image, placed) = match memory.images.placed(image.number) {
            Some(image) => (image, true),
            None => match take_kept(memory, image) {
                Some(image) => (image, false),
                None => (load(memory, image)?, false),
            },
        };
        // The slots are separate allocations, so an overrun of the arguments faults.
        let mut put = |bytes: &[u8]| -> Result<Address, LaunchFault> {
            let address = memory.allocate(bytes.len() as u64)?;
            memory.bytes_mut(address).copy_from_slice(bytes);
            Ok(address)
        };
        Ok(LaunchMemory {
            image,
            placed,
            kernarg: put(&block)?,
            packet: put(&packet)?,
        })
    }

    /// Frees the allocations, except for an image that stays or that nothing has written to.
    /// Copying an image takes longer than a small launch.
    pub(super) fn release(&self, code: &CodeObject, memory: &mut EmulatedMemory, unharmed: bool) {
        if unharmed && !self.placed {
            memory.images.keep(code.contents.image.number, self.image);
        }
        let image = (!unharmed && !self.placed).then_some(self.image);
        for address in [self.kernarg, self.packet].into_iter().chain(image) {
            // `new` allocated them and nothing else frees them.
            let freed = memory.free(address);
            debug_assert!(freed.is_ok());
        }
    }
}

impl EmulatedMemory {
    /// Loads a code object's image permanently. All launches of the code object use it, so writes
    /// to its variables persist. The caller may free it as any allocation.
    ///
    /// # Errors
    /// Returns the errors of [`EmulatedMemory::allocate`].
    pub fn place(&mut self, code: &CodeObject) -> Result<Address, MemoryError> {
        let image = &code.contents.image;
        let address = load(self, image)?;
        self.images.place(image.number, address);
        Ok(address)
    }
}

/// Loads a relocated copy of the image.
fn load(memory: &mut EmulatedMemory, image: &Image) -> Result<Address, MemoryError> {
    let address = memory.adopt(image.bytes.clone())?;
    image.relocate(memory.bytes_mut(address), address.get());
    Ok(address)
}

/// Takes the image that the last launch left, and frees one of another code object.
fn take_kept(memory: &mut EmulatedMemory, image: &Image) -> Option<Address> {
    let (number, address) = memory.images.take_kept()?;
    if number == image.number {
        return Some(address);
    }
    // A launch allocated it and nothing else frees it.
    let freed = memory.free(address);
    debug_assert!(freed.is_ok());
    None
}
