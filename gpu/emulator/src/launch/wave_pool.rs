//! A pool of idle waves.
//!
//! The registers of a wave take 128 KiB. Mapping and clearing them takes the host longer than
//! most launches run, so each thread keeps the waves of its last launch.

use std::cell::RefCell;

use crate::execute::Wave;
use crate::isa::Isa;

/// The largest number of waves that a thread keeps: those of two workgroups of the largest size
/// with 64 lanes.
const MOST: usize = 32;

thread_local! {
    static IDLE: RefCell<Vec<Wave>> = const { RefCell::new(Vec::new()) };
}

/// Returns `count` waves with arbitrary vector registers.
pub(super) fn take(count: usize, isa: Isa, lanes: u32) -> Vec<Wave> {
    let mut waves = IDLE.with_borrow_mut(|idle| idle.split_off(idle.len().saturating_sub(count)));
    for wave in &mut waves {
        wave.become_new(isa, lanes);
    }
    waves.resize_with(count, || Wave::new(isa, lanes));
    waves
}

/// Returns waves to the pool of this thread.
pub(super) fn give_back(mut waves: Vec<Wave>) {
    IDLE.with_borrow_mut(|idle| {
        waves.truncate(MOST - idle.len());
        idle.append(&mut waves);
    });
}
