//! Registers with possibly outstanding loads.
//!
//! The device counts outstanding operations by class, and a wave waits until few enough remain.
//! Operations of a class end in the order of their issue, so a wait for `n` ends all but the last
//! `n`. Scalar loads end in any order, so only a wait for none ends any. The same holds on gfx9
//! for a class with an outstanding flat access, which counts in two classes.

use std::collections::VecDeque;

use crate::effects::{Counter, REGISTERS};
use crate::instruction::Wait;
use crate::isa::{EncodingFamily, Isa};

const COUNTERS: [Counter; 3] = [Counter::Load, Counter::Lds, Counter::Scalar];

/// An operation that may be outstanding.
#[derive(Clone, Copy)]
pub(super) struct OutstandingOperation {
    /// Index of its instruction.
    pub(super) step: u32,
    /// The first register that it writes, and their number.
    first: u16,
    count: u16,
    /// True if two counters count it.
    flat: bool,
}

/// The outstanding operations of a wave.
pub(super) struct WaitCounters {
    queues: [VecDeque<OutstandingOperation>; 3],
    /// The number of outstanding operations that write each register.
    writers: [u8; REGISTERS],
    /// The sum of `writers`.
    total: u32,
    /// The number of issued operations.
    issued: [u64; 3],
    /// The outstanding flat operations, and a flag that they end out of order.
    flats: [u32; 3],
    flats_astray: bool,
}

impl WaitCounters {
    pub(super) fn new(isa: Isa) -> WaitCounters {
        WaitCounters {
            issued: [0; 3],
            flats: [0; 3],
            flats_astray: isa.family() == EncodingFamily::Gfx9,
            queues: Default::default(),
            writers: [0; REGISTERS],
            total: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        for counter in COUNTERS {
            self.end(counter, 0);
        }
    }

    /// Returns true if no register is outstanding.
    #[inline(always)]
    pub(super) fn is_idle(&self) -> bool {
        self.total == 0
    }

    /// Returns true if the register's value may not have arrived.
    #[inline(always)]
    pub(super) fn is_pending(&self, register: u16) -> bool {
        self.writers[usize::from(register)] != 0
    }

    /// Records the issue of an operation that writes the registers `to` (consecutive numbers).
    pub(super) fn issue(&mut self, counter: Counter, step: usize, to: &[u16], flat: bool) {
        let (first, count) = (to.first().copied().unwrap_or(0), to.len() as u16);
        for register in first..first + count {
            if let Some(writers) = self.writers.get_mut(usize::from(register)) {
                *writers = writers.saturating_add(1);
                self.total += 1;
            }
        }
        self.issued[counter as usize] += 1;
        self.flats[counter as usize] += u32::from(flat);
        let queue = &mut self.queues[counter as usize];
        queue.push_back(OutstandingOperation {
            flat,
            step: step as u32,
            first,
            count,
        });
        // The largest hardware counter has 6 bits, so the device stalls at this number.
        if queue.len() > 64 {
            self.end(counter, 64);
        }
    }

    /// Ends the operations that a wait covers.
    pub(super) fn wait(&mut self, wait: Wait) {
        for (counter, remaining) in [(Counter::Load, wait.load), (Counter::Lds, wait.lds)] {
            // Flat operations may end out of order; then only a wait for none proves an end.
            let astray = self.flats_astray && self.flats[counter as usize] != 0;
            if remaining == 0 || !astray {
                self.end(counter, remaining);
            }
        }
        // Scalar loads return out of order, so only a wait for all proves that one has ended.
        if wait.scalar == 0 {
            self.end(Counter::Scalar, 0);
        }
    }

    fn end(&mut self, counter: Counter, remaining: u8) {
        while self.queues[counter as usize].len() > usize::from(remaining) {
            let Some(ended) = self.queues[counter as usize].pop_front() else {
                return;
            };
            self.flats[counter as usize] -= u32::from(ended.flat);
            for register in ended.first..ended.first + ended.count {
                if let Some(writers) = self
                    .writers
                    .get_mut(usize::from(register))
                    .filter(|writers| **writers > 0)
                {
                    *writers -= 1;
                    self.total -= 1;
                }
            }
        }
    }

    /// Returns the number of the next operation of the counter, for
    /// [`WaitCounters::is_outstanding`].
    pub(super) fn next(&self, counter: Counter) -> u64 {
        self.issued[counter as usize] + 1
    }

    /// Returns true if the operation with this number may not have ended.
    pub(super) fn is_outstanding(&self, counter: Counter, number: u64) -> bool {
        let remaining = self.queues[counter as usize].len() as u64;
        number > self.issued[counter as usize] - remaining
    }

    /// Returns the last operation that writes the register, and the number of later operations of
    /// its class.
    pub(super) fn writer(&self, register: u16) -> Option<(Counter, OutstandingOperation, usize)> {
        COUNTERS.into_iter().find_map(|counter| {
            let queue = &self.queues[counter as usize];
            let index = queue
                .iter()
                .rposition(|one| (one.first..one.first + one.count).contains(&register))?;
            Some((counter, queue[index], queue.len() - 1 - index))
        })
    }

    /// Returns true if only operations of this class write the register. They end in order, so a
    /// later one may write the same register.
    pub(super) fn only_of(&self, counter: Counter, register: u16) -> bool {
        counter != Counter::Scalar
            && COUNTERS
                .into_iter()
                .filter(|one| *one != counter)
                .all(|one| {
                    let queue = &self.queues[one as usize];
                    queue
                        .iter()
                        .all(|one| !(one.first..one.first + one.count).contains(&register))
                })
    }

    /// Removes the register from the outstanding ones.
    pub(super) fn forget(&mut self, register: u16) {
        self.total -= u32::from(std::mem::take(&mut self.writers[usize::from(register)]));
    }
}
