//! Accesses as relaxed atomics of bytes; all writes share one lock.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

static WRITES: Mutex<()> = Mutex::new(());

/// Loads `N` bytes.
///
/// # Safety
/// The bytes must exist during the call, and all other writers must use this module.
pub(super) unsafe fn load<const N: usize>(place: *const u8) -> u64 {
    let mut value = [0; 8];
    for (index, byte) in value.iter_mut().enumerate().take(N) {
        // SAFETY: the caller's guarantee.
        *byte = unsafe { AtomicU8::from_ptr(place.add(index).cast_mut()) }.load(Ordering::Relaxed);
    }
    u64::from_le_bytes(value)
}

/// Stores the low `N` bytes of `value` without the lock.
///
/// # Safety
/// The conditions of [`load`] apply, and the caller must hold the lock.
unsafe fn put<const N: usize>(place: *mut u8, value: u64) {
    for (index, byte) in value.to_le_bytes().into_iter().enumerate().take(N) {
        // SAFETY: the caller's guarantee.
        unsafe { AtomicU8::from_ptr(place.add(index)) }.store(byte, Ordering::Relaxed);
    }
}

/// Stores the low `N` bytes of `value`.
///
/// # Safety
/// The conditions of [`load`] apply.
pub(super) unsafe fn store<const N: usize>(place: *mut u8, value: u64) {
    let _lock = WRITES.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the caller's guarantee.
    unsafe { put::<N>(place, value) }
}

/// Replaces a value of `N` bytes and returns the old one.
///
/// # Safety
/// The conditions of [`load`] apply.
pub(super) unsafe fn update<const N: usize>(place: *mut u8, function: impl Fn(u64) -> u64) -> u64 {
    let _lock = WRITES.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the caller's guarantee.
    unsafe {
        let old = load::<N>(place);
        put::<N>(place, function(old));
        old
    }
}

/// Copies words from memory to `to`.
///
/// # Safety
/// The conditions of [`load`] apply.
pub(super) unsafe fn load_block(place: *const u8, to: &mut [u32]) {
    for (index, word) in to.iter_mut().enumerate() {
        // SAFETY: the caller's guarantee.
        *word = unsafe { load::<4>(place.add(4 * index)) } as u32;
    }
}

/// Copies words from `from` to memory.
///
/// # Safety
/// The conditions of [`load`] apply.
pub(super) unsafe fn store_block(from: &[u32], place: *mut u8) {
    for (index, word) in from.iter().enumerate() {
        // SAFETY: the caller's guarantee.
        unsafe { store::<4>(place.add(4 * index), u64::from(*word)) }
    }
}
