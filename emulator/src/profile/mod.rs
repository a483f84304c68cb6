//! What a sample of workgroups did, as the time model needs it.
//!
//! A *trace* is the timeline of one wave without times: instructions issued, memory accesses with the cache lines
//! that they touch, waits and barriers. The sample is *runs* of neighbouring workgroups, so that lines which
//! neighbours share are seen to be shared; workgroups that differ are told apart by *kind* (see `sample`). The
//! profile knows nothing of a device.

mod arrivals;
mod bank_conflicts;
mod cache_lines;
mod recorder;
mod sample;
mod sampler;
#[cfg(test)]
pub(crate) mod tests;
mod trace;
mod undo;

use crate::error::LaunchFault;
use crate::launch::{Execution, KernelLaunch};
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;
pub use arrivals::Arrivals;
pub(crate) use cache_lines::{AccessLines, ColdShares};
use sampler::Sampler;
#[cfg(test)]
pub(crate) use trace::WaveTrace;
pub(crate) use trace::{Issue, Piece, TraceEvent, WorkgroupTrace};
use undo::Undo;

/// Events of all traces of a sample (16 bytes each).
const EVENT_LIMIT: u64 = 400_000;

/// The behaviour of a launch, learnt from a sample of its workgroups.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Workgroups of the launch.
    pub workgroups: u64,
    /// Waves of a workgroup.
    pub waves_per_workgroup: u32,
    /// Lanes of a wave.
    pub lanes: u32,
    /// Vector registers per lane of a wave, of both kinds.
    pub vgprs: u32,
    /// Bytes of LDS of a workgroup.
    pub lds_bytes: u32,
    /// The waves of a workgroup are spread over the pair of compute units that share an LDS (RDNA's WGP mode).
    pub spans_units: bool,
    /// What the sample did. If it was recorded among the other workgroups, their bytes are not told apart, and are left out.
    pub execution: Execution,
    /// Instructions of the vector unit that its waves executed, one per wave.
    pub vector_instructions: u64,
    /// Workgroups of the sample that did different work, told apart by instructions and accesses.
    pub kinds: u32,
    /// One counter for loads and stores (gfx9): they are waited for together.
    pub(crate) joint_counter: bool,
    /// Lines that memory moves per cold line of the traces.
    pub(crate) cold_shares: ColdShares,
    /// Atomic operations of the launch on the line that has most of them.
    pub(crate) hottest_line: f64,
    /// The sampled workgroups.
    pub(crate) traces: Vec<WorkgroupTrace>,
}

/// Runs about `sample` workgroups of the launch and records what they do: pairs of neighbours, spread evenly over
/// the launch, and more where they differ.
///
/// Each runs alone. If it waits for another one, or counts itself in memory as those do that wait, the launch is run as a whole, and
/// then each workgroup of the sample as the last one to arrive: it finds what the others left. The profile of those that do more
/// counts. If a workgroup waits all the same, the sample is recorded while the whole launch runs.
///
/// `launch.only` is ignored. Memory is as it was before, even after a fault.
///
/// # Errors
/// As [`run`](crate::run).
pub fn profile(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    sample: u32,
) -> Result<Profile, LaunchFault> {
    profile_within(code, memory, launch, sample, EVENT_LIMIT)
}

/// As [`profile`], with so many events at most.
fn profile_within(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    sample: u32,
    events: u64,
) -> Result<Profile, LaunchFault> {
    let sampler = sampler(code, launch, sample, events);
    let undefined = memory.take_undefined();
    let profile = sampler.profile(memory);
    memory.give_back_undefined(undefined);
    profile
}

/// As [`profile`], of a kernel whose caller knows what the last workgroup to arrive reads: the launch is not run as a whole.
///
/// # Errors
/// As [`run`](crate::run).
pub fn profile_last(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    sample: u32,
    arrivals: Arrivals,
) -> Result<Profile, LaunchFault> {
    let sampler = sampler(code, launch, sample, EVENT_LIMIT);
    let undefined = memory.take_undefined();
    let profile = sampler.last(memory, arrivals, Undo::default());
    memory.give_back_undefined(undefined);
    profile
}

fn sampler<'a>(
    code: &'a CodeObject,
    launch: &KernelLaunch<'a>,
    sample: u32,
    events: u64,
) -> Sampler<'a> {
    let launch = KernelLaunch {
        workgroup_subset: None,
        ..*launch
    };
    Sampler {
        code,
        launch,
        sample,
        events,
    }
}

impl Profile {
    /// Instructions of the waves of a workgroup, on average over the launch.
    fn work(&self) -> f64 {
        let work = |trace: &WorkgroupTrace| trace.share * trace.work().executed as f64;
        self.traces.iter().map(work).sum()
    }
}
