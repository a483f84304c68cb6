//! Summation: how many additions may lie between an element of a floating-point sum and the result.
//!
//! The order of additions changes how a sum is rounded. If no element goes through more than h of
//! them, the computed sum is within γ(h) Σ|x| of the exact one, where γ(h) = h u / (1 - h u) and u
//! is half of the distance from 1 to the next number (Higham, Accuracy and Stability of Numerical
//! Algorithms, 2nd edition, 2002, sections 3.1 and 4.2: recursive summation has h = n - 1, pairwise
//! summation h = ⌈log2 n⌉, blocked summation the length of a block and the height of the tree over
//! the blocks).
//!
//! The depth is a property of the problem: every kernel is held to the same one, the one that a
//! reasonable parallel order has. A kernel whose own order is worse does not get a wider bound for
//! it.

/// The length of a block up to which elements are added one after the other.
const BLOCK: u64 = 64;

/// The number of blocks that a longer sum has: the threads of a workgroup.
const BLOCKS: u64 = 1024;

/// Returns the most additions between an element of a sum of `terms` elements and the result: those
/// of a block of max(64, ⌈terms / 1024⌉) elements, one after the other, and the height of a binary
/// tree over all blocks.
pub fn summation_depth(terms: u64) -> u64 {
    let block = terms.div_ceil(BLOCKS).max(BLOCK);
    let blocks = terms.div_ceil(block).max(1);
    block + u64::from(blocks.next_power_of_two().ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths() {
        for (terms, depth) in [
            (0, 64),
            (1, 64),
            (64, 64),
            (65, 65),
            (128, 65),
            (129, 66),
            (4096, 70),
            (4097, 71),
            (65_536, 74),
            (65_537, 75),
            (1_000_003, 987),
            (1 << 20, 1034),
            (20_971_521, 20_481 + 10),
            (1 << 40, (1 << 30) + 10),
        ] {
            assert_eq!(summation_depth(terms), depth, "{terms}");
        }
    }

    /// A longer sum is not less deep, and a workgroup's threads and a tree over them are enough for
    /// any.
    #[test]
    fn depths_grow_slowly() {
        let mut last = 0;
        for terms in 1..200_000u64 {
            let depth = summation_depth(terms);
            let most = terms.div_ceil(1024).max(64) + 10;
            assert!((last..=most).contains(&depth), "{terms}: {depth}");
            last = depth;
        }
    }
}
