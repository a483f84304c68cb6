//! The distribution of workgroups over threads.
//!
//! Each thread takes the next few workgroups until none is left. The first thread begins alone,
//! because most launches end before a second one has started. Workgroups begin in order, so a
//! workgroup that waits for an earlier one waits for a running one. A workgroup stays with the
//! thread that began it.

use std::sync::OnceLock;

use super::thread_scheduler::ThreadScheduler;
use super::workgroup::Runner;
use super::workgroup_queue::WorkgroupQueue;
use super::{Execution, KernelLaunch, LaunchMemory, LaunchProgress};
use crate::concurrent_memory::ConcurrentMemory;
use crate::error::LaunchFault;
use crate::execute::NoObserver;
use crate::loaded_code_object::CodeObject;

/// The number of instructions that the first thread executes alone. They take some hundred
/// microseconds, ten times the cost of a thread.
const ALONE: u64 = 20_000;

/// Runs all workgroups of the launch.
pub(super) fn run(
    code: &CodeObject,
    memory: &ConcurrentMemory<'_>,
    launch: &KernelLaunch<'_>,
    resident: &LaunchMemory,
    progress: &LaunchProgress,
) -> Result<Execution, LaunchFault> {
    let threads = match launch.threads {
        0 => host_threads(),
        threads => u64::from(threads),
    };
    let mut watch = NoObserver;
    let mut work = WorkgroupQueue::new(code, launch);
    let runner = Runner::new(code, memory, launch, resident, &mut watch, progress)?;
    let mut first = ThreadScheduler::new(runner);
    let alone = if threads == 1 { u64::MAX } else { ALONE };
    // A launch that ends within this budget never pays for a second thread.
    if first.run(&work, 0, alone) {
        return first.result();
    }
    let threads = work.spread(threads);
    let results = std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = (1..threads as usize)
            .map(|thread| {
                scope.spawn(move || {
                    let mut watch = NoObserver;
                    match Runner::new(code, memory, launch, resident, &mut watch, progress) {
                        Ok(runner) => {
                            let mut turns = ThreadScheduler::new(runner);
                            turns.run(work, thread, u64::MAX);
                            turns.into_result()
                        }
                        Err(fault) => {
                            work.leave(thread);
                            (Execution::default(), Some((0, fault)))
                        }
                    }
                })
            })
            .collect();
        first.run(work, 0, u64::MAX);
        let mut results = vec![first.into_result()];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                // A panic in a worker is a bug, so it continues here with its own message.
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    let mut all = Execution::default();
    // Workgroup order makes the reported fault independent of the number of threads.
    let mut first: Option<(u64, LaunchFault)> = None;
    for (execution, fault) in results {
        all.add(&execution);
        if let Some(one) = fault
            && first.as_ref().is_none_or(|before| one.0 < before.0)
        {
            first = Some(one);
        }
    }
    match first {
        Some((_, fault)) => Err(fault),
        None => Ok(all),
    }
}

/// Returns the number of threads that the host runs at once.
fn host_threads() -> u64 {
    // This query takes longer than a small launch, so its answer is kept.
    static THREADS: OnceLock<u64> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, |one| one.get() as u64))
}
