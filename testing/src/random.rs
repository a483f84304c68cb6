//! A generator of random numbers for tests.

/// A generator of numbers (splitmix64), so that a failure can be repeated from its seed.
pub struct Random(
    /// The seed, and later the state.
    pub u64,
);

impl Random {
    /// Returns the next number.
    #[allow(clippy::should_implement_trait, reason = "it has no end")]
    pub fn next(&mut self) -> u64 {
        // The constants of splitmix64 (Steele, Lea and Flood, 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns the next number, modulo the limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        // The bias is below `limit / 2^64`, which does not matter here.
        self.next() % limit
    }
}
