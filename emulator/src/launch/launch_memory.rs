//! What a launch keeps in device memory besides the caller's buffers: the code object's image and the arguments.

use super::{KernelLaunch, arguments};
use crate::address::Address;
use crate::error::{LaunchFault, MemoryError};
use crate::image::Image;
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;

/// Allocations of one launch, or for it.
pub(crate) struct LaunchMemory {
    /// The code object's image.
    pub(crate) image: Address,
    /// Whether the image stays.
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

    /// Frees everything but an image that stays or that nobody has written to: to copy it takes longer than a small
    /// launch.
    pub(super) fn release(&self, code: &CodeObject, memory: &mut EmulatedMemory, unharmed: bool) {
        if unharmed && !self.placed {
            memory.images.keep(code.contents.image.number, self.image);
        }
        let image = (!unharmed && !self.placed).then_some(self.image);
        for address in [self.kernarg, self.packet].into_iter().chain(image) {
            // They were allocated by `new` and nothing else frees them.
            let freed = memory.free(address);
            debug_assert!(freed.is_ok());
        }
    }
}

impl EmulatedMemory {
    /// Loads a code object's image to stay: launches of it use this one, so that what they or the host write to its
    /// variables is there for the next. It is freed as any allocation.
    ///
    /// # Errors
    /// As [`Memory::allocate`].
    pub fn place(&mut self, code: &CodeObject) -> Result<Address, MemoryError> {
        let image = &code.contents.image;
        let address = load(self, image)?;
        self.images.place(image.number, address);
        Ok(address)
    }
}

/// A copy of the image, relocated.
fn load(memory: &mut EmulatedMemory, image: &Image) -> Result<Address, MemoryError> {
    let address = memory.adopt(image.bytes.clone())?;
    image.relocate(memory.bytes_mut(address), address.get());
    Ok(address)
}

/// Takes the copy that the last launch left. One of another image is freed.
fn take_kept(memory: &mut EmulatedMemory, image: &Image) -> Option<Address> {
    let (number, address) = memory.images.take_kept()?;
    if number == image.number {
        return Some(address);
    }
    // It was allocated for a launch and nothing else frees it.
    let freed = memory.free(address);
    debug_assert!(freed.is_ok());
    None
}
