//! Workgroups spread over threads.
//!
//! Each thread takes the next few workgroups until none is left; the first thread begins alone, since most launches
//! are over before a second one has started. Workgroups begin in their order, so that one which waits for another
//! before it waits for one that has begun.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use super::workgroup::Runner;
use super::{Execution, Launch, Progress, Resident};
use crate::error::Fault;
use crate::execute::Unwatched;
use crate::loaded::CodeObject;
use crate::shared::Shared;

/// Instructions that the first thread executes alone: some hundred microseconds, ten times what a thread costs.
const ALONE: u64 = 20_000;
/// Most workgroups that a thread takes at once, and the parts of a launch that each thread takes at least.
const MOST_AT_ONCE: u64 = 32;
const PARTS: u64 = 16;

/// Runs all workgroups of the launch.
pub(super) fn run(
    code: &CodeObject,
    memory: &Shared<'_>,
    launch: &Launch<'_>,
    resident: &Resident,
    progress: &Progress,
) -> Result<Execution, Fault> {
    let count = match launch.only {
        Some(ids) => ids.len() as u64,
        None => launch.total_workgroups(),
    };
    let threads = match launch.threads {
        0 => host_threads(),
        threads => u64::from(threads),
    };
    let mut watch = Unwatched;
    let mut first = Runner::new(code, memory, launch, resident, &mut watch, progress)?;
    let mut done = 0;
    while done < count && (threads == 1 || first.execution().wave_instructions < ALONE) {
        first.run(id(launch, done), &|| false)?;
        done += 1;
    }
    let threads = threads.min(count - done);
    if threads == 0 {
        return Ok(first.execution());
    }
    let work = Work {
        launch,
        count,
        at_once: ((count - done) / (threads * PARTS)).clamp(1, MOST_AT_ONCE),
        next: AtomicU64::new(done),
        faulted: AtomicU64::new(u64::MAX),
        current: (0..threads).map(|_| AtomicU64::new(done)).collect(),
    };
    let results = std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = (1..threads as usize)
            .map(|thread| {
                scope.spawn(move || {
                    let mut watch = Unwatched;
                    match Runner::new(code, memory, launch, resident, &mut watch, progress) {
                        Ok(runner) => work.run(thread, runner),
                        Err(fault) => work.stopped(thread, Execution::default(), Some((0, fault))),
                    }
                })
            })
            .collect();
        let mut results = vec![work.run(0, first)];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    let mut all = Execution::default();
    let mut fault: Option<(u64, Fault)> = None;
    for result in results {
        all.add(&result.execution);
        if let Some(one) = result.fault
            && fault.as_ref().is_none_or(|before| one.0 < before.0)
        {
            fault = Some(one);
        }
    }
    match fault {
        Some((_, fault)) => Err(fault),
        None => Ok(all),
    }
}

/// Threads that the host runs at once.
fn host_threads() -> u64 {
    // The answer takes longer to find than a small launch runs.
    static THREADS: OnceLock<u64> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, |one| one.get() as u64))
}

/// The linear id of the workgroup that is the `index`th to run.
fn id(launch: &Launch<'_>, index: u64) -> u32 {
    match launch.only {
        Some(ids) => ids[index as usize],
        None => index as u32,
    }
}

/// The workgroups that no thread has taken yet, and who is where. Workgroups are named by when they begin.
struct Work<'a> {
    launch: &'a Launch<'a>,
    count: u64,
    at_once: u64,
    next: AtomicU64,
    /// The first workgroup that faulted.
    faulted: AtomicU64,
    /// For each thread, a workgroup before which it has none left.
    current: Vec<AtomicU64>,
}

/// What a thread did.
struct Stopped {
    execution: Execution,
    /// The workgroup that faulted, and how.
    fault: Option<(u64, Fault)>,
}

impl Work<'_> {
    fn run(&self, thread: usize, mut runner: Runner<'_, Unwatched>) -> Stopped {
        let current = &self.current[thread];
        loop {
            // What the thread takes comes after everything that was taken before.
            current.store(self.next.load(SeqCst), SeqCst);
            let start = self.next.fetch_add(self.at_once, SeqCst);
            for index in start..(start + self.at_once).min(self.count) {
                if self.faulted.load(SeqCst) < index {
                    return self.stopped(thread, runner.execution(), None);
                }
                current.store(index, SeqCst);
                let waits = || self.wait_for_those_before(index);
                if let Err(fault) = runner.run(id(self.launch, index), &waits) {
                    self.faulted.fetch_min(index, SeqCst);
                    return self.stopped(thread, runner.execution(), Some((index, fault)));
                }
            }
            if start + self.at_once >= self.count {
                return self.stopped(thread, runner.execution(), None);
            }
        }
    }

    fn stopped(&self, thread: usize, execution: Execution, fault: Option<(u64, Fault)>) -> Stopped {
        self.current[thread].store(u64::MAX, SeqCst);
        Stopped { execution, fault }
    }

    /// Waits until all workgroups before this one have ended; false if they had.
    fn wait_for_those_before(&self, index: u64) -> bool {
        let mut waited = false;
        while self.faulted.load(SeqCst) > index
            && self.current.iter().any(|one| one.load(SeqCst) < index)
        {
            waited = true;
            std::thread::sleep(Duration::from_micros(50));
        }
        waited
    }
}
