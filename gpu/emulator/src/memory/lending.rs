//! Lending of allocations to a launch, while the memory still allocates new ones.

use std::sync::OnceLock;

use super::EmulatedMemory;
use crate::address::{Address, slot_of};
use crate::allocation_storage::AllocationStorage;

impl EmulatedMemory {
    /// Moves all allocations to the result, so that a launch can own them while this memory still
    /// allocates. Until [`EmulatedMemory::take_back`], their addresses stay reserved here without
    /// bytes, and nothing can be launched here.
    ///
    /// The launch does not see allocations made meanwhile: accesses to them are out of bounds.
    #[must_use]
    pub fn lend(&mut self) -> EmulatedMemory {
        let lent = std::mem::take(self);
        let slots = lent.slots.iter();
        self.slots = slots
            .map(|slot| slot.as_ref().map(|_| AllocationStorage::Lent))
            .collect();
        self.undefined.resize_with(self.slots.len(), OnceLock::new);
        lent
    }

    /// Takes back the allocations of [`EmulatedMemory::lend`]. If the borrower or the lender
    /// freed an allocation, it stays free. New allocations of the borrower are freed.
    pub fn take_back(&mut self, mut lent: EmulatedMemory) {
        let slots = &self.slots;
        let is_lent = |address: Address| {
            let slot = slot_of(address.0).and_then(|index| slots.get(index));
            matches!(slot, Some(Some(AllocationStorage::Lent)))
        };
        self.images.join(std::mem::take(&mut lent.images), is_lent);
        let there = lent.slots.into_iter().zip(lent.undefined);
        let here = self.slots.iter_mut().zip(&mut self.undefined);
        for ((slot, undefined), (lent, of_lent)) in here.zip(there) {
            if matches!(slot, Some(AllocationStorage::Lent)) {
                (*slot, *undefined) = (lent, of_lent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::MemoryError;

    #[test]
    fn lent_memory_returns_beside_new_allocations() {
        let mut memory = EmulatedMemory::new();
        let [a, b, c] = [16, 8, 4].map(|bytes| memory.allocate(bytes).unwrap());
        memory.free(b).unwrap();
        memory.mark_undefined(c, 0..4);
        memory.images.place(7, c);
        let mut lent = memory.lend();
        // The lender has free addresses, and none of the lent ones.
        let free = memory.free(a);
        assert_eq!(free, Err(MemoryError::NotAllocated { address: a.get() }));
        assert!(memory.bytes(a).is_empty());
        let (d, e) = (memory.allocate_undefined(8), memory.allocate(32));
        let (d, e) = (d.unwrap(), e.unwrap());
        assert_eq!(d, b);
        assert!(e.get() > c.get());
        memory.images.place(8, e);
        // The borrower has the same bytes, and its own new allocations.
        lent.write(a, 3, &[5]);
        assert_eq!(lent.images.placed(7), Some(c));
        let passing = lent.allocate(64).unwrap();
        assert!(lent.allocate(1).unwrap() != passing);
        memory.take_back(lent);
        let lengths = [a, b, c, e].map(|one| memory.bytes(one).len());
        assert_eq!(lengths, [16, 8, 4, 32]);
        assert_eq!(memory.bytes(a)[3], 5);
        assert_eq!(
            [7, 8].map(|one| memory.images.placed(one)),
            [Some(c), Some(e)]
        );
        let undefined = |one: Address| memory.undefined(one.get()).map(|it| it.get(0, 4));
        assert_eq!(
            [a, c, d, e].map(undefined),
            [None, Some(15), Some(15), None]
        );
        // The borrower's new allocations no longer exist.
        let next = memory.allocate(1).unwrap();
        assert!(![a, b, c, e].contains(&next));
        memory.free(a).unwrap();
        assert_eq!(memory.allocate(2), Ok(a));
    }

    #[test]
    fn lent_memory_can_be_freed() {
        let mut memory = EmulatedMemory::new();
        let a = memory.allocate(16).unwrap();
        memory.images.place(7, a);
        let mut lent = memory.lend();
        lent.free(a).unwrap();
        memory.take_back(lent);
        assert!(memory.bytes(a).is_empty());
        assert_eq!(memory.images.placed(7), None);
        assert_eq!(memory.allocate(8), Ok(a));
    }
}
