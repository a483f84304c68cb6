//! Summation: the number of additions between an element of a floating-point sum and the result.
//!
//! The order of additions changes the rounding of a sum. If no element passes more than h
//! additions, the computed sum is within γ(h) Σ|x| of the exact one. Here γ(h) = h u / (1 - h u),
//! and u is half of the distance from 1 to the next number.
//!
//! Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, 2002, sections
//! 3.1 and 4.2. Recursive summation has h = n - 1, and pairwise summation h = ⌈log2 n⌉. Blocked
//! summation has the length of a block plus the height of the tree over the blocks.
//!
//! The depth is a property of the problem, that of a reasonable parallel order. Every kernel must
//! meet it; a kernel with a worse order gets no wider bound.

/// The length of a block up to which elements are added one after the other.
const BLOCK: u64 = 64;

/// The number of blocks of a longer sum: the threads of a workgroup.
const BLOCKS: u64 = 1024;

/// Returns the summation depth of `terms` elements: the largest number of additions per element.
///
/// An element passes the additions of its block, of max(64, ⌈terms / 1024⌉) elements, one after
/// the other. Then it passes the height of a binary tree over all blocks.
pub fn summation_depth(terms: u64) -> u64 {
    let block = terms.div_ceil(BLOCKS).max(BLOCK);
    let blocks = terms.div_ceil(block);
    block + tree_height(blocks)
}

/// Returns the height of a binary tree with this number of leaves.
pub(crate) fn tree_height(leaves: u64) -> u64 {
    u64::from(leaves.max(1).next_power_of_two().ilog2())
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

    /// Checks that a longer sum is not less deep, and that a workgroup's threads and a tree
    /// always suffice.
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
