//! Handles: what a program holds instead of a stream, an event, a module.
//!
//! A handle is a number that no pointer is, and never used again, so that a stale or invented one is an error and no
//! crash.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::error::{Error, Result};

/// Set in every handle: such an address belongs to nobody, on any machine with 48 or 57 bits of address space.
const MARK: u64 = 0x5a << 56;

/// Everything of a kind that there is.
pub(crate) struct Handles<T>(HashMap<u64, T>);

impl<T> Default for Handles<T> {
    fn default() -> Handles<T> {
        Handles(HashMap::new())
    }
}

impl<T> Handles<T> {
    pub(crate) fn insert(&mut self, value: T) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let handle = MARK | (NEXT.fetch_add(1, Relaxed) << 4);
        self.0.insert(handle, value);
        handle
    }

    /// # Errors
    /// [`Error::InvalidHandle`], here and below: there is none of this kind with this handle.
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
