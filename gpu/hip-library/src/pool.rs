//! Pools, and memory that is allocated and freed in a stream's order.
//!
//! A pool only counts. Memory is allocated at the call, which is before its turn, and freed in
//! its turn.

use crate::handles::Handles;

/// The figures of a pool.
#[derive(Default)]
pub(crate) struct Pool {
    pub(crate) switches: [u32; 3],
    pub(crate) release_threshold: u64,
    pub(crate) used: u64,
    pub(crate) used_high: u64,
}

/// All pools.
pub(crate) struct Pools {
    pub(crate) made: Handles<Pool>,
    /// The device's own pool, and the one in use.
    pub(crate) default: u64,
    pub(crate) current: u64,
}

impl Pools {
    pub(crate) fn new() -> Pools {
        let mut made = Handles::default();
        let default = made.insert(Pool::default());
        Pools {
            made,
            default,
            current: default,
        }
    }

    /// Subtracts `bytes` freed bytes from a pool. The pool may have been destroyed before its
    /// memory.
    pub(crate) fn freed(&mut self, pool: u64, bytes: u64) {
        if let Ok(pool) = self.made.get_mut(pool) {
            pool.used -= bytes;
        }
    }
}
