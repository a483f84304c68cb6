//! A fixed amount of work. The times of tests are multiples of its time, so that a budget means the
//! same on every machine.

use std::hint::black_box;

/// Computes integer arithmetic, with loads from a table that fits the second-level cache.
pub fn fixed_work() -> u64 {
    let mut table: Vec<u64> = (0..1 << 15).collect();
    let mut state = 1_u64;
    for _ in 0..20_000_000_u32 {
        // Knuth's multiplier for a linear congruential generator of 64 bits.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 49) as usize;
        table[at] ^= state;
        state ^= table[at ^ 1];
    }
    black_box(state)
}
