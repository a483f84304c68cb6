//! The values that the last workgroup reads in arrival counters.
//!
//! Workgroups that share work count themselves in a word of memory with an atomic. From its
//! result, or from a load of the word, the last workgroup knows that all others have arrived. It
//! then sums their results, or passes a grid barrier at once.

use std::collections::HashMap;

use crate::address::Address;
use crate::concurrent_memory::AtomicBytes;
use crate::execute::{AccessOperands, MemoryAccess, Region, WorkgroupContext, lanes};
use crate::operation::{AtomicOperation, MemoryOperation};

/// The largest number of recorded words. A kernel that builds a table counts in many words, which
/// are no meeting points.
const WORD_LIMIT: usize = 1 << 20;

/// The values that the last workgroup reads in each arrival counter, one for each time that it
/// counts itself.
#[derive(Debug, Clone, Default)]
pub struct Arrivals {
    words: HashMap<u64, Vec<u64>>,
    /// The number of workgroups that count themselves in each observed word.
    workgroups: HashMap<u64, u64>,
}

impl Arrivals {
    /// Creates a record without words.
    pub fn new() -> Arrivals {
        Arrivals::default()
    }

    /// Adds the word at byte `offset` of an allocation, with the values that the last workgroup
    /// reads there.
    pub fn insert(&mut self, allocation: Address, offset: u64, values: impl Iterator<Item = u32>) {
        let values = values.map(u64::from).collect();
        self.words.insert(allocation.get() + offset, values);
    }

    /// Records the values before the workgroup counts itself. The last workgroup to count
    /// overwrites the values of earlier ones.
    pub(super) fn observe(&mut self, visits: &mut Visits, device: &WorkgroupContext<'_>) {
        for (word, place) in words(device) {
            if self.words.len() >= WORD_LIMIT && !self.words.contains_key(&word) {
                continue;
            }
            // A counter may have 64 bits, so a 32-bit load would miss its upper half.
            let value = match place.len() {
                8 => place.load::<8>(0),
                _ => place.load::<4>(0),
            };
            let values = self.words.entry(word).or_default();
            let visit = visits.next(word);
            if visit == 0 {
                *self.workgroups.entry(word).or_default() += 1;
            }
            match values.get_mut(visit) {
                Some(latest) => *latest = value,
                None => values.push(value),
            }
        }
    }

    /// Returns the largest number of workgroups that were observed to count in one word.
    pub(super) fn most_workgroups(&self) -> u64 {
        self.workgroups.values().copied().max().unwrap_or(0)
    }

    /// Writes the last workgroup's values before the workgroup counts itself.
    pub(super) fn replay(&self, visits: &mut Visits, device: &WorkgroupContext<'_>) {
        for (word, place) in words(device) {
            let values = self.words.get(&word);
            let Some(&value) = values.and_then(|it| it.get(visits.next(word))) else {
                continue;
            };
            match place.len() {
                8 => place.store::<8>(0, value),
                _ => place.store::<4>(0, value),
            }
        }
    }
}

/// The number of times that the running workgroup has counted itself in each word.
#[derive(Default)]
pub(super) struct Visits(HashMap<u64, usize>);

impl Visits {
    fn next(&mut self, word: u64) -> usize {
        let visits = self.0.entry(word).or_default();
        *visits += 1;
        *visits - 1
    }
}

/// Returns true if lanes count with the access; an exchange does not count.
pub(super) fn counts(access: &MemoryAccess, moved: &AccessOperands) -> bool {
    use AtomicOperation::{Add, Decrement, Increment, Or, Sub};
    let operation = match moved.operation {
        MemoryOperation::Atomic { operation, .. } => operation,
        _ => return false,
    };
    let is_count = matches!(operation, Add | Sub | Increment | Decrement | Or);
    is_count && access.region == Region::Global
}

/// Returns the words of an access, each once.
fn words<'a>(device: &WorkgroupContext<'a>) -> Vec<(u64, AtomicBytes<'a>)> {
    let access = &device.access;
    let mut words: Vec<u64> = lanes(access.mask)
        .map(|lane| access.addresses[lane])
        .collect();
    words.sort_unstable();
    words.dedup();
    let there = |word: u64| {
        let place = device.memory.get(word, access.bytes as usize)?;
        Some((word, place))
    };
    words.into_iter().filter_map(there).collect()
}
