//! The profile: the behaviour of a sample of workgroups, for the time model.
//!
//! A *trace* is the timeline of one wave without times: issued instructions, memory accesses with
//! their cache lines, waits and barriers. The sample consists of *runs* of neighbouring
//! workgroups, so that shared lines are visible. It distinguishes workgroups with different work
//! by *kind* (see `sample`). The profile does not depend on a device.

mod arrivals;
mod bank_conflicts;
mod cache_lines;
mod matrix_results;
mod recorder;
mod sample;
mod sampler;
mod streams;
#[cfg(test)]
pub(crate) mod tests;
mod trace;
mod undo;
mod unprofiled_launch;

use crate::error::LaunchFault;
use crate::launch::{Execution, KernelLaunch};
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;
pub use arrivals::Arrivals;
pub(crate) use cache_lines::{AccessLines, ColdShares, SECTOR_BYTES};
use sampler::Sampler;
pub(crate) use streams::{LineSharing, StreamGroup};
#[cfg(test)]
pub(crate) use trace::WaveTrace;
pub(crate) use trace::{Issue, Piece, TraceEvent, WorkgroupTrace};
use undo::Undo;
pub use unprofiled_launch::{IssuedInstructions, UnprofiledLaunch};

/// The largest number of events in all traces of a sample (16 bytes each).
const EVENT_LIMIT: u64 = 400_000;

/// The behaviour of a launch, from a sample of its workgroups.
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
    /// True if a workgroup may use the two compute units that share an LDS (RDNA's WGP mode).
    pub spans_units: bool,
    /// The counters of the sample. If it was recorded among other workgroups, its bytes are
    /// unknown and 0.
    pub execution: Execution,
    /// Vector instructions that its waves executed, one per wave.
    pub vector_instructions: u64,
    /// Number of kinds of workgroups in the sample, by instructions and accesses.
    pub kinds: u32,
    /// True if one counter covers loads and stores (gfx9), so that waits cover both.
    pub(crate) joint_counter: bool,
    /// The ratio of moved lines to cold lines of the traces, for instructions that are not affine.
    pub(crate) cold_shares: ColdShares,
    /// The sharing of the lines of affine instructions.
    pub(crate) sharing: LineSharing,
    /// The number of the launch's atomic operations on the line that has most.
    pub(crate) hottest_line: f64,
    /// The sampled workgroups.
    pub(crate) traces: Vec<WorkgroupTrace>,
}

/// Runs about `sample` workgroups of the launch and records their behaviour. The sample is pairs
/// of neighbours, evenly spread, with more workgroups if they differ.
///
/// Each workgroup runs alone first. Some wait for another one, or count themselves in memory as
/// waiting workgroups do. Then the whole launch runs once, and each workgroup of the sample runs
/// as the last one to arrive. It thus reads the results of the others. The profile with more
/// work counts. If a workgroup still waits, the sample is recorded while the whole launch runs.
///
/// `launch.workgroup_subset` is ignored. Memory is unchanged afterwards, even after a fault.
///
/// # Errors
/// Returns the errors of [`run`](crate::run).
pub fn profile(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    sample: u32,
) -> Result<Profile, LaunchFault> {
    profile_or_issued(code, memory, launch, sample).map_err(|unprofiled| unprofiled.fault)
}

/// Does the same as [`profile`]. After a fault it also returns the instructions of the longest
/// wave. They have a [least time](crate::model::issue_bound_us).
///
/// # Errors
/// Returns the errors of [`run`](crate::run) with these instructions.
pub fn profile_or_issued(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    sample: u32,
) -> Result<Profile, UnprofiledLaunch> {
    profile_within(code, memory, launch, sample, EVENT_LIMIT)
}

/// Does the same with at most `events` events.
fn profile_within(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    sample: u32,
    events: u64,
) -> Result<Profile, UnprofiledLaunch> {
    let sampler = sampler(code, launch, sample, events);
    // The sample would mark bytes as written, but memory is restored afterwards.
    let undefined = memory.take_undefined();
    let profile = sampler.profile(memory);
    memory.give_back_undefined(undefined);
    profile
}

/// Profiles a kernel with known arrival counters. The whole launch does not run.
///
/// # Errors
/// Returns the errors of [`run`](crate::run).
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
    /// Returns the mean number of instructions of a workgroup over the launch.
    fn work(&self) -> f64 {
        let work = |trace: &WorkgroupTrace| trace.share * trace.work().executed as f64;
        self.traces.iter().map(work).sum()
    }
}
