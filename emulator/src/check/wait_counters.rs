//! Registers whose load may still be outstanding.
//!
//! The device counts outstanding operations by class and a wave waits until few enough of a class remain. Operations
//! of a class end in the order of their issue, so a wait for `n` of them ends all but the last `n`; scalar loads end
//! in any order, so only a wait for none of them ends any. On gfx9 the same is true of a class with a flat access among
//! them, which two counters count.

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
    /// First of the registers that it writes, and how many there are.
    first: u16,
    count: u16,
    /// It is counted by two counters.
    flat: bool,
}

/// The outstanding operations of a wave.
pub(super) struct WaitCounters {
    queues: [VecDeque<OutstandingOperation>; 3],
    /// Outstanding operations that write each register.
    writers: [u8; REGISTERS],
    /// Their sum.
    total: u32,
    /// Operations that were issued.
    issued: [u64; 3],
    /// Flat operations among the outstanding ones, and whether they end out of order.
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

    /// Whether no register is waited for.
    #[inline(always)]
    pub(super) fn is_idle(&self) -> bool {
        self.total == 0
    }

    /// Whether the register's value may not have arrived.
    #[inline(always)]
    pub(super) fn is_pending(&self, register: u16) -> bool {
        self.writers[usize::from(register)] != 0
    }

    /// An operation is issued that writes the registers `to` (consecutive numbers).
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
        // No counter holds more: the device stalls.
        if queue.len() > 64 {
            self.end(counter, 64);
        }
    }

    /// The wave waits.
    pub(super) fn wait(&mut self, wait: Wait) {
        for (counter, remaining) in [(Counter::Load, wait.load), (Counter::Lds, wait.lds)] {
            // Where flat operations end out of order, only a wait for none tells that any has ended.
            let astray = self.flats_astray && self.flats[counter as usize] != 0;
            if remaining == 0 || !astray {
                self.end(counter, remaining);
            }
        }
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

    /// How many operations of the counter were issued, the next one included: its name for
    /// [`Waits::is_outstanding`].
    pub(super) fn next(&self, counter: Counter) -> u64 {
        self.issued[counter as usize] + 1
    }

    /// Whether the operation that was [`Waits::next`] may not have ended.
    pub(super) fn is_outstanding(&self, counter: Counter, number: u64) -> bool {
        let remaining = self.queues[counter as usize].len() as u64;
        number > self.issued[counter as usize] - remaining
    }

    /// The last operation that writes the register, and how many of its class were issued after it.
    pub(super) fn writer(&self, register: u16) -> Option<(Counter, OutstandingOperation, usize)> {
        COUNTERS.into_iter().find_map(|counter| {
            let queue = &self.queues[counter as usize];
            let index = queue
                .iter()
                .rposition(|one| (one.first..one.first + one.count).contains(&register))?;
            Some((counter, queue[index], queue.len() - 1 - index))
        })
    }

    /// Operations of the same class end in order, so one may write what an earlier one writes too.
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

    /// Nothing more is said of the register.
    pub(super) fn forget(&mut self, register: u16) {
        self.total -= u32::from(std::mem::take(&mut self.writers[usize::from(register)]));
    }
}
