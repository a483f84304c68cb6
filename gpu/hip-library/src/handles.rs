//! Handles: the numbers that a program holds for streams, events and modules.
//!
//! A handle is no valid pointer and is never reused. A stale or invented handle is therefore an
//! error and no crash.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::error::{Error, Result};

/// The bits that are set in every handle. No program has such an address on a machine with 48 or
/// 57 address bits.
const MARK: u64 = 0x5a << 56;

/// All objects of one kind.
pub(crate) struct Handles<T>(HashMap<u64, T>);

impl<T> Default for Handles<T> {
    fn default() -> Handles<T> {
        Handles(HashMap::new())
    }
}

impl<T> Handles<T> {
    pub(crate) fn insert(&mut self, value: T) -> u64 {
        // One counter for all kinds, so that a handle of another kind is never valid.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let handle = MARK | (NEXT.fetch_add(1, Relaxed) << 4);
        self.0.insert(handle, value);
        handle
    }

    /// Returns the object with this handle.
    ///
    /// # Errors
    /// [`Error::InvalidHandle`], here and below: no object of this kind has this handle.
    pub(crate) fn get(&self, handle: u64) -> Result<&T> {
        self.0.get(&handle).ok_or(Error::InvalidHandle)
    }

    pub(crate) fn get_mut(&mut self, handle: u64) -> Result<&mut T> {
        self.0.get_mut(&handle).ok_or(Error::InvalidHandle)
    }

    pub(crate) fn remove(&mut self, handle: u64) -> Result<T> {
        self.0.remove(&handle).ok_or(Error::InvalidHandle)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.0.iter().map(|(handle, value)| (*handle, value))
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.values_mut()
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.0.retain(|_, value| keep(value));
    }
}
