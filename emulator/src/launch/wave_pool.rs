//! Waves that no launch uses at the moment.
//!
//! The registers of a wave take 128 KiB, and to have the host map and clear them took longer than most launches run:
//! a thread keeps the waves of its last launch for the next one.

use std::cell::RefCell;

use crate::execute::Wave;
use crate::isa::Isa;

/// Most waves that a thread keeps: those of two of the largest workgroups of 64 lanes.
const MOST: usize = 32;

thread_local! {
    static IDLE: RefCell<Vec<Wave>> = const { RefCell::new(Vec::new()) };
}

/// So many waves. What their vector registers hold means nothing.
pub(super) fn take(count: usize, isa: Isa, lanes: u32) -> Vec<Wave> {
    let mut waves = IDLE.with_borrow_mut(|idle| idle.split_off(idle.len().saturating_sub(count)));
    for wave in &mut waves {
        wave.become_new(isa, lanes);
    }
    waves.resize_with(count, || Wave::new(isa, lanes));
    waves
}

/// Keeps waves for the next launch of this thread.
pub(super) fn give_back(mut waves: Vec<Wave>) {
    IDLE.with_borrow_mut(|idle| {
        waves.truncate(MOST - idle.len());
        idle.append(&mut waves);
    });
}
