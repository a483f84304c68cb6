//! Cut, torn and repeated texts.

use iree_export::find_problems;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Checks that `copies` torn copies of a module are read without a panic.
pub(crate) fn are_read(module: &str, copies: u32, seed: u64) {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut pick = |n: usize| random.random_range(0..n);
    for _ in 0..copies {
        let mut bytes = module.as_bytes().to_vec();
        for _ in 0..=pick(4) {
            let at = pick(bytes.len());
            match pick(4) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = b"%#<>(){}[]\"\\=x?, \n\xc3-"[pick(20)],
                2 => drop(bytes.drain(at..(at + 1 + pick(60)).min(bytes.len()))),
                _ => bytes.extend_from_within(at..),
            }
            bytes.push(b'%');
        }
        find_problems(&String::from_utf8_lossy(&bytes), &(1..=512));
    }
}
