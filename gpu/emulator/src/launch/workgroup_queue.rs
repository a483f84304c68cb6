//! The shared state of a launch's threads: the workgroups that none has begun, the positions of
//! threads, and the progress.
//!
//! Workgroups are numbered in the order of their start. A *move* may let a waiting workgroup
//! proceed: memory changed, or a workgroup began or ended. A thread *stands still* at a number of
//! moves if each of its workgroups has returned to its state without a move in between. Only a
//! move lets them proceed then. If all threads stand still at the present number of moves, the
//! launch has come to its end.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use super::KernelLaunch;
use crate::loaded_code_object::CodeObject;

/// The largest memory of a launch's workgroups on the host: several times that of a device.
const MOST_BYTES: u64 = 4 << 30;
/// The size of a wave's registers on the host, in bytes.
const WAVE_BYTES: u64 = 128 << 10;
/// The largest number of workgroups that a thread takes at once, and the smallest number of
/// portions per thread.
const MOST_AT_ONCE: u64 = 32;
const PARTS: u64 = 16;
/// The value for a thread without workgroups: no position, or any number of moves.
const NONE: u64 = u64::MAX;
/// The value for a thread that does not stand still.
const MOVES: u64 = u64::MAX - 1;

/// The queue of a launch's workgroups, shared by its threads.
pub(super) struct WorkgroupQueue<'a> {
    pub(super) launch: &'a KernelLaunch<'a>,
    count: u64,
    at_once: u64,
    next: AtomicU64,
    /// The largest number of workgroups that have begun and not ended.
    resident: u64,
    /// True if some instruction suspends a workgroup. Only then `live` is maintained.
    gives_way: bool,
    live: AtomicU64,
    moves: AtomicU64,
    /// Workgroups that wait for earlier ones without sleep.
    spent: AtomicU64,
    /// The first workgroup that faulted.
    faulted: AtomicU64,
    /// True if the fault is a lack of progress.
    stuck: AtomicBool,
    threads: Vec<ThreadPosition>,
}

/// The position of a thread.
struct ThreadPosition {
    /// The thread has no workgroup before this one.
    first: AtomicU64,
    /// The number of moves at which it stands still.
    still: AtomicU64,
}

impl<'a> WorkgroupQueue<'a> {
    /// Creates the queue of all workgroups, for one thread.
    pub(super) fn new(code: &CodeObject, launch: &'a KernelLaunch<'a>) -> WorkgroupQueue<'a> {
        let count = match launch.workgroup_subset {
            Some(ids) => ids.len() as u64,
            None => launch.total_workgroups(),
        };
        let resident = match launch.resident_workgroups {
            0 => u64::MAX,
            resident => resident.into(),
        };
        // A wave has at most 64 lanes, each with its private memory.
        let private = 64 * u64::from(launch.kernel.scratch_bytes);
        let waves = u64::from(launch.workgroup_waves()) * (WAVE_BYTES + private);
        let room = MOST_BYTES / (waves + u64::from(launch.lds_bytes()));
        WorkgroupQueue {
            launch,
            count,
            at_once: 1,
            next: AtomicU64::new(0),
            resident: resident.min(room.max(1)),
            gives_way: code.prepared.sleeps,
            live: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            spent: AtomicU64::new(0),
            faulted: AtomicU64::new(NONE),
            stuck: AtomicBool::new(false),
            threads: vec![ThreadPosition::at(0)],
        }
    }

    /// Prepares the queue for up to `threads` threads, and returns their number. It does not
    /// exceed the remaining workgroups. Thread 0 is the one that worked so far.
    pub(super) fn spread(&mut self, threads: u64) -> u64 {
        let begun = *self.next.get_mut();
        let left = self.count.saturating_sub(begun);
        // More threads than resident workgroups would only wait.
        let threads = threads.min(left).min(self.resident).max(1);
        // Larger portions reduce contention; with waiting workgroups they would break the order.
        if !self.gives_way {
            self.at_once = (left / (threads * PARTS)).clamp(1, MOST_AT_ONCE);
        }
        self.threads
            .resize_with(threads as usize, || ThreadPosition::at(begun));
        threads
    }

    /// Returns the linear ID of a workgroup.
    pub(super) fn id(&self, index: u64) -> u32 {
        match self.launch.workgroup_subset {
            Some(ids) => ids[index as usize],
            None => index as u32,
        }
    }

    /// Takes the next workgroup of `mine` or of the queue, if one is left and there is room.
    pub(super) fn begin(&self, mine: &mut Range<u64>) -> Option<u64> {
        if let Some(index) = mine.next() {
            return Some(index);
        }
        if !self.has_more(mine) {
            return None;
        }
        if self.gives_way {
            let more = |live| (live < self.resident).then(|| live + 1);
            // The slot is reserved before the workgroup, so that `live` never exceeds the limit.
            self.live.fetch_update(SeqCst, SeqCst, more).ok()?;
        }
        let start = self.next.fetch_add(self.at_once, SeqCst);
        *mine = start..(start + self.at_once).min(self.count);
        let index = mine.next();
        match index {
            Some(_) => self.moved(),
            None => self.ended(),
        }
        index
    }

    /// Returns true if a thread with the unbegun workgroups `mine` has any to begin. Workgroups
    /// after a fault do not count.
    pub(super) fn has_more(&self, mine: &Range<u64>) -> bool {
        let end = self.count.min(self.faulted.load(SeqCst));
        !mine.is_empty() || self.next.load(SeqCst) < end
    }

    pub(super) fn has_room(&self) -> bool {
        self.live.load(SeqCst) < self.resident
    }

    /// Records the end of a workgroup.
    pub(super) fn ended(&self) {
        if self.gives_way {
            self.live.fetch_sub(1, SeqCst);
        }
        self.moved();
    }

    /// Counts a move.
    pub(super) fn moved(&self) {
        if self.gives_way || self.spent.load(SeqCst) > 0 {
            self.moves.fetch_add(1, SeqCst);
        }
    }

    pub(super) fn moves(&self) -> u64 {
        self.moves.load(SeqCst)
    }

    /// Records that a workgroup starts or stops to wait without sleep for earlier ones.
    pub(super) fn set_spent(&self, waits: bool) {
        match waits {
            true => self.spent.fetch_add(1, SeqCst),
            false => self.spent.fetch_sub(1, SeqCst),
        };
        self.moved();
    }

    pub(super) fn any_spent(&self) -> bool {
        self.spent.load(SeqCst) > 0
    }

    /// Records that the thread has no workgroup before this one. With None, it has only those it
    /// may still take, `mine` first.
    pub(super) fn set_first(&self, thread: usize, first: Option<u64>, mine: &Range<u64>) {
        let first = first.unwrap_or_else(|| match mine.is_empty() {
            true => self.next.load(SeqCst),
            false => mine.start,
        });
        self.threads[thread].first.store(first, SeqCst);
    }

    /// Returns true if all workgroups before this one have ended.
    pub(super) fn is_first(&self, index: u64) -> bool {
        (self.threads.iter()).all(|thread| thread.first.load(SeqCst) >= index)
    }

    /// Records that the thread has no workgroups left.
    pub(super) fn leave(&self, thread: usize) {
        self.threads[thread].first.store(NONE, SeqCst);
        // The move comes before `still`, so that no other thread sees a standstill too early.
        self.moved();
        self.threads[thread].still.store(NONE, SeqCst);
    }

    /// Records that the thread stands still at `moves`. Returns true if all threads do, at the
    /// present number of moves.
    pub(super) fn stands_still(&self, thread: usize, moves: u64) -> bool {
        self.threads[thread].still.store(moves, SeqCst);
        let still = |thread: &ThreadPosition| {
            let at = thread.still.load(SeqCst);
            at == moves || at == NONE
        };
        self.threads.iter().all(still) && self.moves() == moves
    }

    /// Returns the number of workgroups that have begun and not ended, and of those that have not
    /// begun.
    pub(super) fn counts(&self) -> (u64, u64) {
        let begun = self.next.load(SeqCst).min(self.count);
        (self.live.load(SeqCst), self.count - begun)
    }

    /// Records the fault of a workgroup.
    pub(super) fn fault(&self, index: u64) {
        self.faulted.fetch_min(index, SeqCst);
    }

    /// Records a lack of progress. Returns true if that is the launch's fault, because no
    /// workgroup has another one.
    pub(super) fn give_up(&self) -> bool {
        let alone = self.faulted.load(SeqCst) == NONE;
        if alone {
            self.stuck.store(true, SeqCst);
        }
        alone || self.stuck.load(SeqCst)
    }

    pub(super) fn has_fault(&self) -> bool {
        self.faulted.load(SeqCst) != NONE
    }

    /// Returns true if a workgroup before this one has faulted.
    pub(super) fn is_behind_fault(&self, index: u64) -> bool {
        self.faulted.load(SeqCst) < index
    }

    /// Returns true if the launch's fault is a lack of progress.
    pub(super) fn is_stuck(&self) -> bool {
        self.stuck.load(SeqCst)
    }
}

impl ThreadPosition {
    fn at(first: u64) -> ThreadPosition {
        ThreadPosition {
            first: AtomicU64::new(first),
            still: AtomicU64::new(MOVES),
        }
    }
}
