//! A launch: a kernel with its grid and its arguments, and what came of it.

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

/// What to run.
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
    /// The argument block as the kernel's arguments lay it out. What is missing at its end is zero; hidden arguments
    /// are filled in.
    pub kernarg: &'a [u8],
    /// Linear ids (x fastest) of the workgroups to run; None runs all of them.
    pub workgroup_subset: Option<&'a [u32]>,
    /// Most instructions that one wave may execute.
    pub instruction_limit: u64,
    /// Most workgroups that the device holds at a time; 0: any number. It matters where they wait for each other: one
    /// that has not begun does nothing for those that wait for it.
    pub resident_workgroups: u32,
    /// Threads that the workgroups are spread over; 0: as many as the host runs at once. A launch that is over soon
    /// takes fewer.
    pub threads: u32,
}

impl KernelLaunch<'_> {
    /// Workgroups of the whole grid.
    pub(crate) fn total_workgroups(&self) -> u64 {
        product(self.workgroups)
    }

    /// Work-items of a workgroup.
    pub(crate) fn workgroup_items(&self) -> u64 {
        product(self.workgroup_size)
    }

    /// Bytes of LDS of a workgroup.
    pub(crate) fn lds_bytes(&self) -> u32 {
        self.kernel.lds_bytes.saturating_add(self.dynamic_lds_bytes)
    }

    /// Waves of a workgroup.
    pub(crate) fn workgroup_waves(&self) -> u32 {
        self.workgroup_items()
            .div_ceil(u64::from(self.kernel.wavefront_size)) as u32
    }
}

/// The product, or the largest number: then the launch is refused.
fn product(counts: [u32; 3]) -> u64 {
    counts.into_iter().fold(1, |product: u64, count| {
        product.saturating_mul(count.into())
    })
}

/// What a launch did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Execution {
    /// Waves that ran.
    pub waves: u64,
    /// Instructions that they executed, one per wave.
    pub wave_instructions: u64,
    /// Bytes that lanes read from memory (not from LDS or scratch).
    pub bytes_read: u64,
    /// Bytes that lanes wrote to memory.
    pub bytes_written: u64,
    /// Instructions among them whose result AMD gives only to an error bound (reciprocal, square root, logarithm,
    /// exponential, sine): the emulator's result is the correctly rounded or nearly so. 0 means that the execution was
    /// exact.
    pub approximate_instructions: u64,
}

impl Execution {
    /// Counts what `other` did too.
    pub(crate) fn add(&mut self, other: &Execution) {
        self.waves += other.waves;
        self.wave_instructions += other.wave_instructions;
        self.bytes_read += other.bytes_read;
        self.bytes_written += other.bytes_written;
        self.approximate_instructions += other.approximate_instructions;
    }
}

/// Runs a launch to its end, or to its first fault, on [`Launch::threads`] threads.
///
/// Workgroups begin in the order of their ids (or of `launch.only`). One all of whose waves have ended, wait at a barrier
/// or sleep (`s_sleep`) is set aside, if it has looked at memory since it last was, and others begin or go on: so
/// workgroups may wait for each other, as many as are resident, if they sleep while they wait. One that waits without
/// sleep finds those before its own running or done, and no others. Threads change nothing of what a kernel without races
/// does. Of several faults, that of the first workgroup counts. After a fault, memory holds what was written before it,
/// by later workgroups too.
///
/// # Errors
/// [`Fault`]: the launch does not fit the kernel, or a wave did what the device would not survive.
pub fn run(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
) -> Result<Execution, LaunchFault> {
    run_supervised(code, memory, launch, &LaunchProgress::default())
}

/// As [`run`], while another thread looks at `progress`.
///
/// # Errors
/// As [`run`], and [`Fault::Stopped`].
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
    shared.guard(resident.image);
    let result = threads::run(code, &shared, launch, &resident, progress);
    let unharmed = shared.is_unharmed();
    resident.release(code, memory, unharmed);
    result
}

/// As [`run`], on the calling thread, while `watch` looks on.
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
