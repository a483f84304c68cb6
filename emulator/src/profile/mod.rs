//! What a sample of workgroups did, as the time model needs it.
//!
//! A *trace* is the timeline of one wave without times: instructions issued, memory accesses with the cache lines
//! that they touch, waits and barriers. The sample is *runs* of neighbouring workgroups, so that lines which
//! neighbours share are seen to be shared; workgroups that differ are told apart by *kind* (see `sample`). The
//! profile knows nothing of a device.

mod lds;
mod lines;
mod record;
mod sample;
#[cfg(test)]
pub(crate) mod tests;
mod trace;
mod undo;

use std::collections::HashMap;

use crate::error::Fault;
use crate::isa::Family;
use crate::launch::{Execution, Launch, Progress, run_watched};
use crate::loaded::CodeObject;
use crate::memory::Memory;
pub(crate) use lines::{ColdShares, Lines};
pub(crate) use record::Recorder;
#[cfg(test)]
pub(crate) use trace::WaveTrace;
pub(crate) use trace::{Event, Issue, Piece, WorkgroupTrace};
use undo::Undo;

/// Events of all traces of a sample (16 bytes each), and most of one wave. What a wave does between its first and its
/// last events is taken to be as what it did before.
const EVENT_LIMIT: u64 = 400_000;
const WAVE_LIMIT: u64 = 4096;
/// Instructions after which no more workgroups are run to tell kinds apart.
const SEARCH_LIMIT: u64 = 300_000;

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
    /// What the sample did.
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
/// The workgroups really run: they write to `memory` as in [`run`](crate::run). `launch.only` is ignored.
///
/// # Errors
/// As [`run`](crate::run).
pub fn profile(
    code: &CodeObject,
    memory: &mut Memory,
    launch: &Launch<'_>,
    sample: u32,
) -> Result<Profile, Fault> {
    profile_each(code, memory, launch, sample, &mut |_| {})
}

/// As [`profile`], with `before_each` called before each workgroup: a workgroup of the sample that asks what others of the
/// launch did can be told an answer.
///
/// # Errors
/// As [`run`](crate::run).
pub fn profile_each(
    code: &CodeObject,
    memory: &mut Memory,
    launch: &Launch<'_>,
    sample: u32,
    before_each: &mut dyn FnMut(&mut Memory),
) -> Result<Profile, Fault> {
    profile_within(code, memory, launch, sample, EVENT_LIMIT, before_each)
}

/// As [`profile_each`], with so many events at most.
fn profile_within(
    code: &CodeObject,
    memory: &mut Memory,
    launch: &Launch<'_>,
    sample: u32,
    events: u64,
    before_each: &mut dyn FnMut(&mut Memory),
) -> Result<Profile, Fault> {
    memory.define_everything();
    let mut recorder = recorder(launch, sample, events);
    record(code, memory, launch, sample, &mut recorder, before_each)
}

/// As [`profile`], of a launch that is yet to be run: memory is as it was before, even after a fault.
///
/// # Errors
/// As [`run`](crate::run).
pub fn profile_undone(
    code: &CodeObject,
    memory: &mut Memory,
    launch: &Launch<'_>,
    sample: u32,
) -> Result<Profile, Fault> {
    let undefined = memory.take_undefined();
    let mut recorder = recorder(launch, sample, EVENT_LIMIT);
    recorder.undo = Some(Undo::default());
    let profile = record(code, memory, launch, sample, &mut recorder, &mut |_| {});
    if let Some(undo) = recorder.undo {
        undo.restore(memory);
    }
    memory.give_back_undefined(undefined);
    profile
}

/// Workgroups of the launch, of which there are no more than ids: others are refused when it is checked.
fn total(launch: &Launch<'_>) -> u32 {
    launch.total_workgroups().min(u64::from(u32::MAX)) as u32
}

/// A recorder of so many events at most for so many workgroups.
fn recorder(launch: &Launch<'_>, sample: u32, events: u64) -> Recorder {
    let workgroups = sample::first(total(launch), sample).len() as u64;
    let waves = workgroups.saturating_mul(launch.workgroup_waves().into());
    let kept = (events / waves.max(1)).clamp(8, WAVE_LIMIT);
    Recorder::new(kept as usize, launch.kernel.wavefront_size)
}

/// As [`profile_each`], with what `recorder` sees.
fn record(
    code: &CodeObject,
    memory: &mut Memory,
    launch: &Launch<'_>,
    sample: u32,
    recorder: &mut Recorder,
    before_each: &mut dyn FnMut(&mut Memory),
) -> Result<Profile, Fault> {
    let workgroups = launch.total_workgroups();
    let total = total(launch);
    let mut execution = Execution::default();
    let mut ids = sample::first(total, sample);
    let first = ids.len();
    loop {
        let known = recorder.traces.len();
        for &id in &ids[known..] {
            before_each(memory);
            let launch = Launch {
                only: Some(&[id]),
                ..*launch
            };
            let part = run_watched(code, memory, &launch, recorder, &Progress::default())?;
            execution = sum(execution, part);
        }
        if known == 0 && sample < 2 || execution.wave_instructions > SEARCH_LIMIT {
            break;
        }
        let kinds: Vec<_> = ids
            .iter()
            .zip(&recorder.traces)
            .map(|(id, trace)| (*id, trace.work()))
            .collect();
        match sample::next(&kinds, total, ids.len() - first) {
            Some(id) => ids.push(id),
            None => break,
        }
    }
    let mut traces = std::mem::take(&mut recorder.traces);
    let (ids, lines) = (&recorder.ids, &recorder.lines);
    let vector_instructions = traces
        .iter()
        .flat_map(|trace| &trace.waves)
        .map(|wave| wave.vector)
        .sum();
    let everything = ids.len() as u64 == workgroups;
    let lone = sample::lone(ids, workgroups);
    sample::shares(&mut traces, ids, workgroups);
    let stands_for: HashMap<u32, f64> = ids
        .iter()
        .zip(&traces)
        .map(|(id, trace)| (*id, trace.share))
        .collect();
    let cold_shares = lines.cold_shares((!everything).then_some(workgroups), lone, |id| {
        stands_for.get(&id).copied().unwrap_or_default()
    });
    for trace in traces.iter_mut().flat_map(|trace| &mut trace.waves) {
        trace.finish();
    }
    let mut kinds: Vec<trace::Work> = Vec::new();
    for work in traces.iter().map(WorkgroupTrace::work) {
        if !kinds.iter().any(|known| known.is_like(&work)) {
            kinds.push(work);
        }
    }
    let kernel = launch.kernel;
    Ok(Profile {
        workgroups,
        waves_per_workgroup: launch.workgroup_waves(),
        lanes: kernel.wavefront_size,
        vgprs: kernel.counted_vgprs(),
        lds_bytes: launch.lds_bytes(),
        spans_units: kernel.spans_units,
        execution,
        vector_instructions,
        kinds: kinds.len() as u32,
        joint_counter: code.isa().family() == Family::Gfx9,
        cold_shares,
        hottest_line: lines.hottest(workgroups as f64 / ids.len().max(1) as f64),
        traces,
    })
}

fn sum(one: Execution, other: Execution) -> Execution {
    Execution {
        waves: one.waves + other.waves,
        wave_instructions: one.wave_instructions + other.wave_instructions,
        bytes_read: one.bytes_read + other.bytes_read,
        bytes_written: one.bytes_written + other.bytes_written,
        approximate_instructions: one.approximate_instructions + other.approximate_instructions,
    }
}
