//! The scheduler of one thread's workgroups.
//!
//! A workgroup begins only after another one has had a turn, so that few are suspended at a time.
//! Workgroups that wait for a few others thus end before many have begun.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use super::Execution;
use super::workgroup::{Runner, SuspendedWorkgroup, TurnOutcome};
use super::workgroup_queue::WorkgroupQueue;
use crate::error::LaunchFault;
use crate::execute::ExecutionObserver;

/// The pause of a thread that waits for others.
const PAUSE: Duration = Duration::from_micros(50);

/// The workgroups of a thread.
pub(super) struct ThreadScheduler<'a, W: ExecutionObserver> {
    runner: Runner<'a, W>,
    /// Suspended workgroups that sleep, in the order of their turns.
    asleep: VecDeque<WaitingWorkgroup<W::SuspendedState>>,
    /// Workgroups at their instruction limit, with that fault. They may wait for earlier
    /// workgroups without sleep.
    spent: Vec<(WaitingWorkgroup<W::SuspendedState>, LaunchFault)>,
    /// Workgroups taken from the queue and not begun.
    mine: Range<u64>,
    /// True if the next turn belongs to a new workgroup, if one may begin.
    begins: bool,
    calm: StandstillDetector,
    fault: Option<(u64, LaunchFault)>,
}

/// A suspended workgroup.
struct WaitingWorkgroup<K> {
    index: u64,
    workgroup: SuspendedWorkgroup<K>,
    known: Option<SuspensionPoint>,
}

/// The point of a suspension: the workgroup's state, and the number of moves so far.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SuspensionPoint {
    state: u64,
    moves: u64,
}

/// The detector of a time without moves.
#[derive(Default)]
struct StandstillDetector {
    /// The number of moves so far.
    moves: u64,
    /// Turns since the last move.
    turns: usize,
    /// The length of the latest run of turns that returned to an earlier state.
    still: usize,
}

impl<'a, W: ExecutionObserver> ThreadScheduler<'a, W> {
    pub(super) fn new(runner: Runner<'a, W>) -> ThreadScheduler<'a, W> {
        ThreadScheduler {
            runner,
            asleep: VecDeque::new(),
            spent: Vec::new(),
            mine: 0..0,
            begins: true,
            calm: StandstillDetector::default(),
            fault: None,
        }
    }

    /// Gives turns to workgroups until the thread has none left. A sole thread may stop after
    /// `most` instructions; then the result is false.
    pub(super) fn run(&mut self, work: &WorkgroupQueue<'_>, thread: usize, most: u64) -> bool {
        loop {
            // The count is read before the pass: a later move that this pass misses changes it.
            self.calm.look(work.moves());
            if work.has_fault() && !self.heed_fault(work, thread) {
                break;
            }
            // A first workgroup at its limit has nobody to wait for, so it gets more
            // instructions.
            if let Some(ready) = (self.spent.iter()).position(|(one, _)| work.is_first(one.index)) {
                let (mut one, _) = self.spent.swap_remove(ready);
                one.workgroup.extend_limit(work.launch.instruction_limit);
                work.set_spent(false);
                self.resume(work, thread, one);
                continue;
            }
            if self.runner.executed() >= most {
                return false;
            }
            let is_still = self.calm.still >= self.asleep.len();
            if self.spent.is_empty() && (self.begins || is_still) && self.begin(work, thread) {
                continue;
            }
            if self.asleep.is_empty() && self.spent.is_empty() && !work.has_more(&self.mine) {
                break;
            }
            if !is_still && let Some(one) = self.asleep.pop_front() {
                self.begins = true;
                self.resume(work, thread, one);
                continue;
            }
            if work.stands_still(thread, self.calm.moves) {
                // A workgroup without sleep may wait for a later one than the sleeping workgroups
                // do.
                if !self.spent.is_empty() && self.begin(work, thread) {
                    continue;
                }
                // Another thread may still begin a workgroup that the spent ones wait for.
                if !(work.any_spent() && work.has_room() && work.has_more(&self.mine)) {
                    self.give_up(work);
                    break;
                }
            }
            std::thread::sleep(PAUSE);
            // Another thread may have moved meanwhile, so the standstill must be proved anew.
            self.calm.still = 0;
        }
        work.leave(thread);
        true
    }

    /// Returns the counters of the ended workgroups, and the fault of the first faulted one.
    pub(super) fn into_result(self) -> (Execution, Option<(u64, LaunchFault)>) {
        (self.runner.execution(), self.fault)
    }

    /// Returns the result of the only thread.
    pub(super) fn result(self) -> Result<Execution, LaunchFault> {
        match self.into_result() {
            (_, Some((_, fault))) => Err(fault),
            (execution, None) => Ok(execution),
        }
    }

    /// Begins a workgroup if one may begin; otherwise returns false.
    fn begin(&mut self, work: &WorkgroupQueue<'_>, thread: usize) -> bool {
        let Some(index) = work.begin(&mut self.mine) else {
            return false;
        };
        self.set_first(work, thread, Some(index));
        self.begins = false;
        // The launch reports the first fault, so later workgroups need not run.
        if work.is_behind_fault(index) {
            self.mine = 0..0;
            work.ended();
        } else {
            self.runner.begin(work.id(index));
            self.turn(work, thread, index, None);
        }
        true
    }

    fn resume(
        &mut self,
        work: &WorkgroupQueue<'_>,
        thread: usize,
        one: WaitingWorkgroup<W::SuspendedState>,
    ) {
        self.runner.resume(one.workgroup);
        self.turn(work, thread, one.index, one.known);
    }

    /// Runs one turn of the workgroup in the runner.
    fn turn(
        &mut self,
        work: &WorkgroupQueue<'_>,
        thread: usize,
        index: u64,
        known: Option<SuspensionPoint>,
    ) {
        let aside = |runner: &mut Runner<'a, W>, known| WaitingWorkgroup {
            index,
            workgroup: runner.suspend(),
            known,
        };
        match self.runner.go_on() {
            Ok(TurnOutcome::Asleep { moved }) => {
                if moved {
                    work.moved();
                }
                let runner = &mut self.runner;
                let known = self
                    .calm
                    .turn(work.moves(), known, self.asleep.len(), || runner.state());
                self.asleep.push_back(aside(runner, known));
                return;
            }
            // The limit is a fault only for the first workgroup: others may wait for an earlier
            // one.
            Ok(TurnOutcome::Spent(fault)) if !work.is_first(index) => {
                self.spent.push((aside(&mut self.runner, None), fault));
                work.set_spent(true);
                return;
            }
            Ok(TurnOutcome::Ended) => {}
            Ok(TurnOutcome::Spent(fault)) | Err(fault) => {
                self.note(index, fault);
                work.fault(index);
            }
        }
        self.set_first(work, thread, None);
        work.ended();
    }

    /// Publishes the first of this thread's workgroups, including the one of the turn.
    fn set_first(&self, work: &WorkgroupQueue<'_>, thread: usize, turn: Option<u64>) {
        let asleep = self.asleep.iter().map(|one| one.index);
        let spent = self.spent.iter().map(|(one, _)| one.index);
        let first = asleep.chain(spent).chain(turn).min();
        work.set_first(thread, first, &self.mine);
    }

    fn note(&mut self, index: u64, fault: LaunchFault) {
        if self
            .fault
            .as_ref()
            .is_none_or(|(before, _)| index < *before)
        {
            self.fault = Some((index, fault));
        }
    }

    /// Ends the workgroups after the first fault. Returns true if the others may continue.
    fn heed_fault(&mut self, work: &WorkgroupQueue<'_>, thread: usize) -> bool {
        if work.is_stuck() {
            self.give_up(work);
            return false;
        }
        let before = self.asleep.len() + self.spent.len();
        self.asleep.retain(|one| !work.is_behind_fault(one.index));
        let spent = self.spent.len();
        self.spent
            .retain(|(one, _)| !work.is_behind_fault(one.index));
        (self.spent.len()..spent).for_each(|_| work.set_spent(false));
        let dropped = before - self.asleep.len() - self.spent.len();
        if dropped > 0 {
            self.set_first(work, thread, None);
            (0..dropped).for_each(|_| work.ended());
        }
        true
    }

    /// Records the fault of a launch without progress, unless another fault explains it.
    fn give_up(&mut self, work: &WorkgroupQueue<'_>) {
        if !work.give_up() {
            return;
        }
        let fault = match work.any_spent() {
            // Sleeping workgroups may wait for a result that the spent one would produce with
            // more instructions.
            true => {
                let first = std::mem::take(&mut self.spent)
                    .into_iter()
                    .min_by_key(|(one, _)| one.index);
                first.map(|(one, fault)| (one.index, fault))
            }
            false => {
                let first = self.asleep.iter().min_by_key(|one| one.index);
                first.map(|one| {
                    (
                        one.index,
                        self.runner.standstill(&one.workgroup, work.counts()),
                    )
                })
            }
        };
        if let Some((index, fault)) = fault {
            self.note(index, fault);
            work.fault(index);
        }
    }
}

impl StandstillDetector {
    /// Resets the detector if the number of moves changed.
    fn look(&mut self, moves: u64) {
        if self.moves != moves {
            *self = StandstillDetector {
                moves,
                ..StandstillDetector::default()
            };
        }
    }

    /// Records a workgroup's turn beside `others` suspended ones; returns its suspension point.
    /// The state is expensive, so it is computed only after a full round without moves.
    fn turn(
        &mut self,
        moves: u64,
        before: Option<SuspensionPoint>,
        others: usize,
        state: impl FnOnce() -> u64,
    ) -> Option<SuspensionPoint> {
        self.look(moves);
        self.turns += 1;
        // The first round after a move only lets every workgroup react to it.
        if self.turns <= others {
            return None;
        }
        let known = Some(SuspensionPoint {
            state: state(),
            moves,
        });
        // An equal state without a move in between proves that the workgroup cannot proceed
        // alone.
        self.still = if known == before { self.still + 1 } else { 0 };
        known
    }
}
