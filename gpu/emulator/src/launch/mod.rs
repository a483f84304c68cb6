//! A launch: a kernel with its grid and its arguments, and its result.

mod arguments;
mod initial_registers;
mod launch_memory;
mod legality;
mod progress;
mod thread_scheduler;
mod threads;
mod wave_pool;
mod workgroup;
mod workgroup_queue;

use crate::code_object::LoadedKernel;
use crate::error::LaunchFault;
use crate::execute::ExecutionObserver;
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;
pub(crate) use initial_registers::POISON;
use launch_memory::LaunchMemory;
pub use progress::LaunchProgress;
use thread_scheduler::ThreadScheduler;
use workgroup::Runner;
use workgroup_queue::WorkgroupQueue;

/// A kernel launch.
#[derive(Debug, Clone, Copy)]
pub struct KernelLaunch<'a> {
    /// A kernel of the code object.
    pub kernel: &'a LoadedKernel,
    /// Workgroups in x, y and z.
    pub workgroups: [u32; 3],
    /// Work-items of a workgroup in x, y and z.
    pub workgroup_size: [u32; 3],
    /// Bytes of LDS beyond the kernel's own.
    pub dynamic_lds_bytes: u32,
    /// The argument block in the layout of the kernel's arguments. Missing bytes at its end are
    /// zero, and the emulator fills in hidden arguments.
    pub kernarg: &'a [u8],
    /// Linear IDs (x fastest) of the workgroups to run; None runs all of them.
    pub workgroup_subset: Option<&'a [u32]>,
    /// The largest number of instructions of one wave.
    pub instruction_limit: u64,
    /// The largest number of workgroups that the device holds at a time; 0 for any number. It
    /// matters for workgroups that wait for each other: one that has not begun cannot help the
    /// waiting ones.
    pub resident_workgroups: u32,
    /// The number of host threads; 0 for as many as the host runs at once. A short launch uses
    /// fewer.
    pub threads: u32,
}

impl KernelLaunch<'_> {
    /// Returns the number of workgroups of the whole grid.
    pub(crate) fn total_workgroups(&self) -> u64 {
        product(self.workgroups)
    }

    /// Returns the number of work-items of a workgroup.
    pub(crate) fn workgroup_items(&self) -> u64 {
        product(self.workgroup_size)
    }

    /// Returns the bytes of LDS of a workgroup.
    pub(crate) fn lds_bytes(&self) -> u32 {
        self.kernel.lds_bytes.saturating_add(self.dynamic_lds_bytes)
    }

    /// Returns the number of waves of a workgroup.
    pub(crate) fn workgroup_waves(&self) -> u32 {
        self.workgroup_items()
            .div_ceil(u64::from(self.kernel.wavefront_size)) as u32
    }
}

/// Returns the product, saturated at the largest number; the launch is then refused.
fn product(counts: [u32; 3]) -> u64 {
    counts.into_iter().fold(1, |product: u64, count| {
        product.saturating_mul(count.into())
    })
}

/// The counters of a finished launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Execution {
    /// Number of waves.
    pub waves: u64,
    /// Number of executed instructions, one per wave.
    pub wave_instructions: u64,
    /// Bytes that lanes read from memory (not from LDS or scratch).
    pub bytes_read: u64,
    /// Bytes that lanes wrote to memory.
    pub bytes_written: u64,
    /// Number of executed instructions that AMD specifies only to an error bound:
    /// reciprocal, square root, logarithm, exponential, sine. The emulator's result is correctly
    /// rounded or nearly so. 0 means that the execution was exact.
    pub approximate_instructions: u64,
}

impl Execution {
    /// Adds the counters of `other`.
    pub(crate) fn add(&mut self, other: &Execution) {
        self.waves += other.waves;
        self.wave_instructions += other.wave_instructions;
        self.bytes_read += other.bytes_read;
        self.bytes_written += other.bytes_written;
        self.approximate_instructions += other.approximate_instructions;
    }
}

/// Runs a launch to its end, or to its first fault, on [`KernelLaunch::threads`] threads.
///
/// Workgroups begin in the order of their IDs, or of `launch.workgroup_subset`. The scheduler
/// suspends a workgroup if no wave can run: each has ended, waits at a barrier or sleeps
/// (`s_sleep`). The workgroup must also have read memory since its last suspension. Other
/// workgroups then begin or resume. Workgroups may therefore wait for each other if they sleep
/// meanwhile, up to the resident number. A workgroup that waits without sleep makes progress only
/// through earlier workgroups.
///
/// The number of threads does not affect a kernel without races. If several workgroups fault, the
/// fault of the first one counts. After a fault, memory also contains the earlier writes of later
/// workgroups.
///
/// # Errors
/// Returns a [`LaunchFault`] if the launch does not fit the kernel, or if a wave does something
/// that the device would not survive.
pub fn run(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
) -> Result<Execution, LaunchFault> {
    run_supervised(code, memory, launch, &LaunchProgress::default())
}

/// Does the same as [`run`] while another thread reads `progress`.
///
/// # Errors
/// Returns the errors of [`run`], and [`LaunchFault::Stopped`].
pub fn run_supervised(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    progress: &LaunchProgress,
) -> Result<Execution, LaunchFault> {
    memory.mark_all_defined();
    legality::check(code.isa(), launch)?;
    let resident = LaunchMemory::new(code, memory, launch)?;
    let mut shared = memory.share();
    // An unchanged image serves the next launch, which saves a copy.
    shared.guard(resident.image);
    let result = threads::run(code, &shared, launch, &resident, progress);
    let unharmed = shared.is_unharmed();
    resident.release(code, memory, unharmed);
    result
}

/// Does the same as [`run`] on the calling thread, with an observer.
pub(crate) fn run_observed<W: ExecutionObserver>(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    watch: &mut W,
    progress: &LaunchProgress,
) -> Result<Execution, LaunchFault> {
    legality::check(code.isa(), launch)?;
    let resident = LaunchMemory::new(code, memory, launch)?;
    let mut shared = memory.share();
    shared.guard(resident.image);
    let result =
        Runner::new(code, &shared, launch, &resident, watch, progress).and_then(|runner| {
            let work = WorkgroupQueue::new(code, launch);
            let mut turns = ThreadScheduler::new(runner);
            turns.run(&work, 0, u64::MAX);
            turns.result()
        });
    let unharmed = shared.is_unharmed();
    resident.release(code, memory, unharmed);
    result
}
