//! The workgroups of a thread, by turns.
//!
//! One begins when another has gone on, so that no more are set aside than have to be: those that wait for a few others
//! are done before many have begun.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use super::Execution;
use super::workgroup::{Runner, SuspendedWorkgroup, TurnOutcome};
use super::workgroup_queue::WorkgroupQueue;
use crate::error::LaunchFault;
use crate::execute::ExecutionObserver;

/// How long a thread waits for others before it looks again.
const PAUSE: Duration = Duration::from_micros(50);

/// The workgroups of a thread.
pub(super) struct ThreadScheduler<'a, W: ExecutionObserver> {
    runner: Runner<'a, W>,
    /// Those that sleep, in the order of their turns.
    asleep: VecDeque<WaitingWorkgroup<W::SuspendedState>>,
    /// Those that have reached the limit of their instructions, as the fault says, and may wait for those before them.
    spent: Vec<(WaitingWorkgroup<W::SuspendedState>, LaunchFault)>,
    /// Taken and not begun.
    mine: Range<u64>,
    /// The next turn is that of one that begins, if one may.
    begins: bool,
    calm: StandstillDetector,
    fault: Option<(u64, LaunchFault)>,
}

/// A workgroup that is set aside.
struct WaitingWorkgroup<K> {
    index: u64,
    workgroup: SuspendedWorkgroup<K>,
    known: Option<SuspensionPoint>,
}

/// Where a workgroup was when it was set aside: its state, and how many moves there had been.
#[derive(Clone, Copy, PartialEq, Eq)]
struct SuspensionPoint {
    state: u64,
    moves: u64,
}

/// How long nothing has moved.
#[derive(Default)]
struct StandstillDetector {
    /// The moves that there have been.
    moves: u64,
    /// Turns since the last one.
    turns: usize,
    /// The last ones of them, whose workgroups have come to where they were.
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

    /// Gives turns to workgroups until none is left for the thread. If it is the only one, it may stop when so many
    /// instructions were executed; then it returns false.
    pub(super) fn run(&mut self, work: &WorkgroupQueue<'_>, thread: usize, most: u64) -> bool {
        loop {
            // Whoever moves after this is seen in the next pass, if what it changed was not seen in this one.
            self.calm.look(work.moves());
            if work.has_fault() && !self.heed_fault(work, thread) {
                break;
            }
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
                // What one without sleep waits for may be later than what those that sleep wait for.
                if !self.spent.is_empty() && self.begin(work, thread) {
                    continue;
                }
                if !(work.any_spent() && work.has_room() && work.has_more(&self.mine)) {
                    self.give_up(work);
                    break;
                }
            }
            std::thread::sleep(PAUSE);
            self.calm.still = 0;
        }
        work.leave(thread);
        true
    }

    /// What the workgroups that have ended did, and the first of those that faulted.
    pub(super) fn into_result(self) -> (Execution, Option<(u64, LaunchFault)>) {
        (self.runner.execution(), self.fault)
    }

    /// As [`Turns::into_result`], of the only thread.
    pub(super) fn result(self) -> Result<Execution, LaunchFault> {
        match self.into_result() {
            (_, Some((_, fault))) => Err(fault),
            (execution, None) => Ok(execution),
        }
    }

    /// Begins a workgroup, if one may; otherwise returns false.
    fn begin(&mut self, work: &WorkgroupQueue<'_>, thread: usize) -> bool {
        let Some(index) = work.begin(&mut self.mine) else {
            return false;
        };
        self.set_first(work, thread, Some(index));
        self.begins = false;
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

    /// The turn of the workgroup that the runner has.
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

    /// Tells the others which is the first of its workgroups, of which one is that of the turn.
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

    /// A workgroup has faulted: those behind it end here. Returns whether the others may go on.
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

    /// Nobody gets further: the first one that waits has a fault, unless another fault is why.
    fn give_up(&mut self, work: &WorkgroupQueue<'_>) {
        if !work.give_up() {
            return;
        }
        let fault = match work.any_spent() {
            // Those that sleep may wait for what it would do with more instructions.
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
    /// There have been so many moves.
    fn look(&mut self, moves: u64) {
        if self.moves != moves {
            *self = StandstillDetector {
                moves,
                ..StandstillDetector::default()
            };
        }
    }

    /// A workgroup had its turn, beside `others`, after which there have been so many moves. Returns what is known of it. Its state
    /// takes long to find, and nobody asks while there are moves.
    fn turn(
        &mut self,
        moves: u64,
        before: Option<SuspensionPoint>,
        others: usize,
        state: impl FnOnce() -> u64,
    ) -> Option<SuspensionPoint> {
        self.look(moves);
        self.turns += 1;
        if self.turns <= others {
            return None;
        }
        let known = Some(SuspensionPoint {
            state: state(),
            moves,
        });
        self.still = if known == before { self.still + 1 } else { 0 };
        known
    }
}
