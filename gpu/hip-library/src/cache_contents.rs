//! The buffers that earlier launches left in the last cache before DRAM.

use std::collections::VecDeque;

use crate::ffi::Pointer;

/// A buffer: its address and its bytes.
pub(crate) type CachedBuffer = (Pointer, u64);

/// The buffers in the cache, the latest first.
#[derive(Default)]
pub(crate) struct CacheContents(VecDeque<CachedBuffer>);

impl CacheContents {
    /// Returns the part of the buffers' bytes that the cache holds.
    pub(crate) fn held(&self, buffers: &[CachedBuffer]) -> f64 {
        let all: u64 = buffers.iter().map(|buffer| buffer.1).sum();
        let held = buffers.iter().filter_map(|buffer| {
            let known = self.0.iter().find(|known| known.0 == buffer.0)?;
            Some(known.1.min(buffer.1))
        });
        match all {
            0 => 0.0,
            _ => held.sum::<u64>() as f64 / all as f64,
        }
    }

    /// Records that a launch used the buffers, in a cache of `capacity` bytes.
    pub(crate) fn touch(&mut self, buffers: &[CachedBuffer], capacity: u64) {
        for &buffer in buffers {
            self.0.retain(|known| known.0 != buffer.0);
            self.0.push_front(buffer);
        }
        let mut left = capacity;
        for buffer in &mut self.0 {
            buffer.1 = buffer.1.min(left);
            left -= buffer.1;
        }
        self.0.retain(|buffer| buffer.1 > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_buffers_are_held() {
        let mut cache = CacheContents::default();
        let [a, b, c] = [(1, 60), (2, 40), (3, 50)];
        assert_eq!(cache.held(&[a]), 0.0);
        cache.touch(&[a, b], 100);
        assert_eq!(cache.held(&[a, b]), 1.0);
        assert_eq!(cache.held(&[b, c]), 40.0 / 90.0);
        // Half of the oldest buffer leaves.
        cache.touch(&[c], 100);
        assert_eq!(cache.held(&[c, b]), 1.0);
        assert_eq!(cache.held(&[a]), 10.0 / 60.0);
        // A launch without buffers reads nothing.
        assert_eq!(cache.held(&[]), 0.0);
    }
}
