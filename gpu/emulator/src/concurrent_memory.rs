//! Memory that several host threads access at the same time.
//!
//! While workgroups run, each allocation of an [`EmulatedMemory`](crate::EmulatedMemory) is an
//! [`AtomicBytes`]. Any number of threads may load and store at once, even if the kernel has a
//! race. Each access behaves as one relaxed atomic access per byte. An update (an atomic of the
//! kernel) also excludes all other updates. Threads have no other order; a kernel that needs more
//! has a race on the device too.
//!
//! On x86-64 each access is one instruction, or a loop of them, in assembly. The compiler forbids
//! mixed sizes of atomics and does not vectorize them, but the processor supports both. Other
//! hosts and Miri use the literal bytewise accesses.

use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use crate::address::{Address, offset_of, slot_of};
use crate::undefined_bytes::UndefinedBytes;

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[path = "concurrent_memory/x86.rs"]
mod access;
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[path = "concurrent_memory/bytewise.rs"]
mod access;

/// All allocations of a memory during a launch.
pub(crate) struct ConcurrentMemory<'a> {
    /// The allocations, with the slot indices of the memory.
    pub(crate) slots: Vec<Option<AtomicBytes<'a>>>,
    /// For each slot, the never-written bytes that the checker tracks; empty if there are none.
    pub(crate) undefined: &'a [OnceLock<UndefinedBytes>],
    /// Slots of host memory, which other threads of the host may write during the launch.
    pub(crate) hosts: Vec<usize>,
    /// A slot that must stay unchanged, and a flag that an access has written to it.
    pub(crate) guarded: Option<usize>,
    pub(crate) written: AtomicBool,
}

impl<'a> ConcurrentMemory<'a> {
    /// Starts to detect writes to the allocation that contains `address`.
    pub(crate) fn guard(&mut self, address: Address) {
        self.guarded = slot_of(address.get());
    }

    /// Returns true if no access has written to the guarded allocation.
    pub(crate) fn is_unharmed(&self) -> bool {
        !self.written.load(Relaxed)
    }

    /// Returns true if the allocation that contains `address` is host memory.
    #[inline(always)]
    pub(crate) fn is_host(&self, address: u64) -> bool {
        !self.hosts.is_empty() && slot_of(address).is_some_and(|slot| self.hosts.contains(&slot))
    }

    /// Records that a write to the allocation that contains `address` follows.
    #[inline(always)]
    pub(crate) fn will_write(&self, address: u64) {
        if self.guarded.is_some() && slot_of(address) == self.guarded {
            self.written.store(true, Relaxed);
        }
    }

    /// Returns the whole allocation that contains `address`, if any.
    #[inline(always)]
    pub(crate) fn slot(&self, address: u64) -> Option<AtomicBytes<'a>> {
        *self.slots.get(slot_of(address)?)?
    }

    /// Returns the bytes of the allocation in the slot of `address`; 0 if it has none.
    #[inline(always)]
    pub(crate) fn slot_bytes(&self, address: u64) -> u64 {
        self.slot(address).map_or(0, AtomicBytes::len) as u64
    }

    /// Returns the `bytes` bytes from `address` on, if one allocation contains them all.
    #[inline(always)]
    pub(crate) fn get(&self, address: u64, bytes: usize) -> Option<AtomicBytes<'a>> {
        self.slot(address)?.part(offset_of(address), bytes)
    }

    /// Returns the undefined bytes of the allocation in the slot of `address`; None if it has
    /// none.
    #[inline]
    pub(crate) fn undefined(&self, address: u64) -> Option<&UndefinedBytes> {
        self.undefined.get(slot_of(address)?)?.get()
    }

    /// Returns the same as [`ConcurrentMemory::undefined`], but creates the record if it is
    /// missing.
    pub(crate) fn undefined_or_new(&self, address: u64) -> Option<&UndefinedBytes> {
        let bytes = self.slot(address)?.len() as u64;
        let slot = self.undefined.get(slot_of(address)?)?;
        Some(slot.get_or_init(|| UndefinedBytes::new(bytes, false)))
    }

    /// Describes the position of `address` in the allocation of its slot, for an error.
    pub(crate) fn describe(&self, address: u64) -> String {
        let describe = |bytes: AtomicBytes<'_>| {
            let (offset, length) = (offset_of(address), bytes.len());
            format!(" (offset {offset} of an allocation of {length} bytes)")
        };
        self.slot(address).map_or_else(String::new, describe)
    }
}

/// The bytes of an allocation, or a part of them.
#[derive(Clone, Copy)]
pub(crate) struct AtomicBytes<'a> {
    start: NonNull<u8>,
    length: usize,
    access: PhantomData<&'a [AtomicU8]>,
}

// SAFETY: an `AtomicBytes` is equivalent to a `&[AtomicU8]`: its accesses are all relaxed
// atomics.
unsafe impl Send for AtomicBytes<'_> {}
// SAFETY: as above.
unsafe impl Sync for AtomicBytes<'_> {}

impl<'a> AtomicBytes<'a> {
    /// Creates the view. The exclusive borrow prevents other accesses while the result lives.
    pub(crate) fn new(bytes: &'a mut [u8]) -> AtomicBytes<'a> {
        AtomicBytes {
            length: bytes.len(),
            start: NonNull::from(bytes).cast(),
            access: PhantomData,
        }
    }

    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.length
    }

    /// Returns the `length` bytes from `offset` on, if they exist.
    #[inline(always)]
    pub(crate) fn part(self, offset: usize, length: usize) -> Option<AtomicBytes<'a>> {
        let end = offset.checked_add(length)?;
        (end <= self.length).then(|| AtomicBytes {
            // SAFETY: the offset is within the allocation or at its end.
            start: unsafe { self.start.add(offset) },
            length,
            access: PhantomData,
        })
    }

    /// Returns the pointer to `length` bytes from `offset` on.
    ///
    /// # Panics
    /// Panics if the allocation ends earlier.
    #[inline(always)]
    fn place(self, offset: usize, length: usize) -> *mut u8 {
        // The subtraction cannot overflow after the first comparison, but a sum could.
        let fits = offset <= self.length && length <= self.length - offset;
        assert!(fits, "{offset} + {length} of {}", self.length);
        // SAFETY: the offset is within the allocation or at its end.
        unsafe { self.start.as_ptr().add(offset) }
    }

    /// Loads 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(self, offset: usize) -> u64 {
        let place = self.place(offset, N);
        // SAFETY: `place` checks that the bytes exist, and all threads use atomic accesses.
        unsafe { access::load::<N>(place) }
    }

    /// Stores the low 1, 2, 4 or 8 bytes of `value`.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(self, offset: usize, value: u64) {
        let place = self.place(offset, N);
        // SAFETY: as in `load`.
        unsafe { access::store::<N>(place, value) }
    }

    /// Replaces 4 or 8 bytes with `function` of their value, excluding other updates, and returns
    /// the old value. It may call the function more than once.
    #[inline(always)]
    pub(crate) fn update<const N: usize>(
        self,
        offset: usize,
        function: impl Fn(u64) -> u64,
    ) -> u64 {
        let place = self.place(offset, N);
        // SAFETY: as in `load`.
        unsafe { access::update::<N>(place, function) }
    }

    /// Loads `N` words.
    #[inline(always)]
    pub(crate) fn load_words<const N: usize>(self, offset: usize) -> [u32; N] {
        let place = self.place(offset, 4 * N);
        let mut words = [0; N];
        for (index, word) in words.iter_mut().enumerate() {
            // SAFETY: as in `load`.
            *word = unsafe { access::load::<4>(place.add(4 * index)) } as u32;
        }
        words
    }

    /// Stores `N` words.
    #[inline(always)]
    pub(crate) fn store_words<const N: usize>(self, offset: usize, words: [u32; N]) {
        let place = self.place(offset, 4 * N);
        for (index, word) in words.into_iter().enumerate() {
            // SAFETY: as in `load`.
            unsafe { access::store::<4>(place.add(4 * index), word.into()) };
        }
    }

    /// Copies words from `offset` on into `to`.
    #[inline(always)]
    pub(crate) fn load_block(self, offset: usize, to: &mut [u32]) {
        let place = self.place(offset, size_of_val(to));
        // SAFETY: as in `load`.
        unsafe { access::load_block(place, to) }
    }

    /// Copies words from `from` to `offset` and onwards.
    #[inline(always)]
    pub(crate) fn store_block(self, offset: usize, from: &[u32]) {
        let place = self.place(offset, size_of_val(from));
        // SAFETY: as in `load`.
        unsafe { access::store_block(from, place) }
    }
}

#[cfg(test)]
mod tests {
    use super::AtomicBytes;

    #[test]
    fn stored_values_are_loaded() {
        let mut bytes = [0u8; 600];
        let shared = AtomicBytes::new(&mut bytes);
        shared.store::<8>(3, 0x8877_6655_4433_2211);
        assert_eq!(shared.load::<1>(3), 0x11);
        assert_eq!(shared.load::<2>(4), 0x3322);
        assert_eq!(shared.load::<4>(5), 0x6655_4433);
        assert_eq!(shared.load::<8>(3), 0x8877_6655_4433_2211);
        shared.store::<2>(4, 0xffff_0000);
        shared.store::<1>(10, 0x1ff);
        assert_eq!(shared.load::<8>(3), 0xff77_6655_4400_0011);
        assert_eq!(shared.update::<4>(3, |old| old + 1), 0x4400_0011);
        assert_eq!(shared.update::<8>(3, |old| !old), 0xff77_6655_4400_0012);
        assert_eq!(shared.load::<4>(3), 0xbbff_ffed);
        let words: Vec<u32> = (0..137).map(|word| word * 0x0101_0101).collect();
        shared.store_block(5, &words);
        let mut back = vec![0; 137];
        shared.load_block(5, &mut back);
        assert_eq!(back, words);
        let part = shared.part(9, 4).unwrap();
        assert_eq!((part.len(), part.load::<4>(0)), (4, 0x0101_0101));
        assert!(shared.part(598, 3).is_none());
        assert!(shared.part(usize::MAX, 2).is_none());
        assert_eq!(bytes[5..13], [0, 0, 0, 0, 1, 1, 1, 1]);
    }

    #[test]
    #[should_panic(expected = "597 + 4 of 600")]
    fn nothing_is_loaded_beyond_the_end() {
        AtomicBytes::new(&mut [0; 600]).load::<4>(597);
    }

    #[test]
    fn updates_by_threads_are_not_lost() {
        let mut bytes = [0u8; 16];
        let shared = AtomicBytes::new(&mut bytes);
        let rounds = if cfg!(miri) { 20 } else { 10_000 };
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(move || {
                    for _ in 0..rounds {
                        shared.update::<4>(0, |old| old + 1);
                        shared.update::<8>(8, |old| old + (1 << 33));
                    }
                });
            }
            // Accesses of two sizes meet here.
            scope.spawn(move || (0..rounds).for_each(|_| shared.store::<1>(5, 7)));
            scope.spawn(move || {
                for _ in 0..rounds {
                    assert!(matches!(shared.load::<2>(4), 0 | 0x700));
                }
            });
        });
        assert_eq!(bytes[..4], (3 * rounds as u32).to_le_bytes());
        assert_eq!(bytes[8..], (3 * rounds as u64 * (1 << 33)).to_le_bytes());
    }
}
