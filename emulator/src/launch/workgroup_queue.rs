//! What the threads of a launch share: the workgroups that nobody has begun, who is where, and whether anybody gets further.
//!
//! Workgroups are named by when they begin. A *move* is what may let one that waits go on: memory changed, or a workgroup
//! began or ended. A thread *stands still* at a number of moves if each of its workgroups has come to where it was, with
//! no move in between; nothing but a move makes them go on then. So a launch in which all threads stand still at the number
//! of moves that there are has come to its end.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use super::KernelLaunch;
use crate::loaded_code_object::CodeObject;

/// Most bytes that the workgroups of a launch may take for themselves: several times what a device has for them.
const MOST_BYTES: u64 = 4 << 30;
/// Bytes of a wave's registers here.
const WAVE_BYTES: u64 = 128 << 10;
/// Most workgroups that a thread takes at once, and the parts of a launch that each thread takes at least.
const MOST_AT_ONCE: u64 = 32;
const PARTS: u64 = 16;
/// Of a thread that has no workgroups left: no place, or at any number of moves.
const NONE: u64 = u64::MAX;
/// Of a thread that does not stand still.
const MOVES: u64 = u64::MAX - 1;

/// The workgroups of a launch, to its threads.
pub(super) struct WorkgroupQueue<'a> {
    pub(super) launch: &'a KernelLaunch<'a>,
    count: u64,
    at_once: u64,
    next: AtomicU64,
    /// Most workgroups that have begun and not ended.
    resident: u64,
    /// Some instruction makes a workgroup give way: then it is counted how many have begun and not ended.
    gives_way: bool,
    live: AtomicU64,
    moves: AtomicU64,
    /// Workgroups that wait without sleep for those before them.
    spent: AtomicU64,
    /// The first workgroup that faulted.
    faulted: AtomicU64,
    /// What it faulted by is that nobody gets further.
    stuck: AtomicBool,
    threads: Vec<ThreadPosition>,
}

/// Where a thread is.
struct ThreadPosition {
    /// A workgroup before which it has none left.
    first: AtomicU64,
    /// The number of moves at which it stands still.
    still: AtomicU64,
}

impl<'a> WorkgroupQueue<'a> {
    /// All of the launch, for one thread.
    pub(super) fn new(code: &CodeObject, launch: &'a KernelLaunch<'a>) -> WorkgroupQueue<'a> {
        let count = match launch.workgroup_subset {
            Some(ids) => ids.len() as u64,
            None => launch.total_workgroups(),
        };
        let resident = match launch.resident_workgroups {
            0 => u64::MAX,
            resident => resident.into(),
        };
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

    /// Prepares for as many threads as there are workgroups left for, of `threads`; returns how many these are. The first
    /// one is the one that worked so far.
    pub(super) fn spread(&mut self, threads: u64) -> u64 {
        let begun = *self.next.get_mut();
        let left = self.count.saturating_sub(begun);
        let threads = threads.min(left).min(self.resident).max(1);
        if !self.gives_way {
            self.at_once = (left / (threads * PARTS)).clamp(1, MOST_AT_ONCE);
        }
        self.threads
            .resize_with(threads as usize, || ThreadPosition::at(begun));
        threads
    }

    /// The linear id of a workgroup.
    pub(super) fn id(&self, index: u64) -> u32 {
        match self.launch.workgroup_subset {
            Some(ids) => ids[index as usize],
            None => index as u32,
        }
    }

    /// Takes the next workgroup for a thread, which has taken `mine` and not begun them: if one is left and there is room.
    pub(super) fn begin(&self, mine: &mut Range<u64>) -> Option<u64> {
        if let Some(index) = mine.next() {
            return Some(index);
        }
        if !self.has_more(mine) {
            return None;
        }
        if self.gives_way {
            let more = |live| (live < self.resident).then(|| live + 1);
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

    /// Whether a thread that has not begun `mine` has any left to begin: behind a fault there is none.
    pub(super) fn has_more(&self, mine: &Range<u64>) -> bool {
        let end = self.count.min(self.faulted.load(SeqCst));
        !mine.is_empty() || self.next.load(SeqCst) < end
    }

    pub(super) fn has_room(&self) -> bool {
        self.live.load(SeqCst) < self.resident
    }

    /// A workgroup that had begun is no more.
    pub(super) fn ended(&self) {
        if self.gives_way {
            self.live.fetch_sub(1, SeqCst);
        }
        self.moved();
    }

    /// There was a move.
    pub(super) fn moved(&self) {
        if self.gives_way || self.spent.load(SeqCst) > 0 {
            self.moves.fetch_add(1, SeqCst);
        }
    }

    pub(super) fn moves(&self) -> u64 {
        self.moves.load(SeqCst)
    }

    /// A workgroup waits without sleep for those before it, or does so no more.
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

    /// The thread has no workgroup left before this one; `None`: before those that it may take, of which `mine` are its own.
    pub(super) fn set_first(&self, thread: usize, first: Option<u64>, mine: &Range<u64>) {
        let first = first.unwrap_or_else(|| match mine.is_empty() {
            true => self.next.load(SeqCst),
            false => mine.start,
        });
        self.threads[thread].first.store(first, SeqCst);
    }

    /// Whether all workgroups before this one have ended.
    pub(super) fn is_first(&self, index: u64) -> bool {
        (self.threads.iter()).all(|thread| thread.first.load(SeqCst) >= index)
    }

    /// The thread has no workgroups left.
    pub(super) fn leave(&self, thread: usize) {
        self.threads[thread].first.store(NONE, SeqCst);
        self.moved();
        self.threads[thread].still.store(NONE, SeqCst);
    }

    /// The thread stands still at so many moves. Returns whether all threads do, at the moves that there are.
    pub(super) fn stands_still(&self, thread: usize, moves: u64) -> bool {
        self.threads[thread].still.store(moves, SeqCst);
        let still = |thread: &ThreadPosition| {
            let at = thread.still.load(SeqCst);
            at == moves || at == NONE
        };
        self.threads.iter().all(still) && self.moves() == moves
    }

    /// Workgroups that have begun and not ended, and those that have not begun.
    pub(super) fn counts(&self) -> (u64, u64) {
        let begun = self.next.load(SeqCst).min(self.count);
        (self.live.load(SeqCst), self.count - begun)
    }

    /// A workgroup faults.
    pub(super) fn fault(&self, index: u64) {
        self.faulted.fetch_min(index, SeqCst);
    }

    /// Nobody gets further. Returns whether that is the launch's fault: no workgroup has another one.
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

    /// Whether a workgroup has faulted before this one.
    pub(super) fn is_behind_fault(&self, index: u64) -> bool {
        self.faulted.load(SeqCst) < index
    }

    /// Whether nobody getting further is the launch's fault.
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
