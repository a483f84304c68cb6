//! What a sample of workgroups did, as the time model needs it.
//!
//! A *trace* is the timeline of one wave without times: instructions issued, memory accesses with the cache lines
//! that they touch, waits and barriers. The sample is *runs* of neighbouring workgroups, so that lines which
//! neighbours share are seen to be shared. The profile knows nothing of a device.

mod lines;
mod share;
#[cfg(test)]
mod tests;

use crate::code_object::CodeObject;
use crate::error::Fault;
use crate::execute::{Device, Prepared, Region, Timing, Watch, Wave};
use crate::launch::{Execution, Launch, run_watched};
use crate::memory::Memory;
pub(crate) use lines::Lines;
use lines::{LineTable, SECTOR_BYTES};

/// Workgroups of a run: the smallest number that shows what neighbours share.
const RUN: u64 = 2;
/// Events of all traces of a sample (12 bytes each). A wave records its part of them; what it does beyond is taken
/// to be as what it did before.
const EVENT_LIMIT: u64 = 4_000_000;

/// The behaviour of a launch, learnt from a sample of its workgroups.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Workgroups of the launch.
    pub workgroups: u64,
    /// Waves of a workgroup.
    pub waves_per_workgroup: u32,
    /// Vector registers that the device allocates per lane of a wave.
    pub vgprs: u32,
    /// Bytes of LDS of a workgroup.
    pub lds_bytes: u32,
    /// What the sample did.
    pub execution: Execution,
    /// Lines that memory moves per cold line of the traces: less than 1 where workgroups share lines.
    pub(crate) cold_share: f64,
    /// The sampled workgroups.
    pub(crate) traces: Vec<WorkgroupTrace>,
}

/// The waves of a workgroup.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkgroupTrace {
    pub(crate) waves: Vec<WaveTrace>,
}

/// The timeline of a wave, or its first part.
#[derive(Debug, Clone, Default)]
pub(crate) struct WaveTrace {
    pub(crate) events: Vec<Event>,
    /// Instructions that `events` stands for.
    pub(crate) recorded: u64,
    /// Instructions that the wave executed.
    pub(crate) executed: u64,
}

impl WaveTrace {
    /// How many times the recorded part is the whole: 1 unless the trace reached its limit.
    pub(crate) fn extension(&self) -> f64 {
        if self.recorded == 0 {
            1.0
        } else {
            self.executed as f64 / self.recorded as f64
        }
    }
}

/// A stretch of a wave's timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// Instructions without memory: vector issue slots, scalar instructions, branches.
    Issue {
        vector: u32,
        scalar: u32,
        branches: u32,
    },
    /// A vector memory instruction.
    Memory {
        lines: Lines,
        load: bool,
    },
    /// A scalar load, cold or not.
    ScalarLoad {
        cold: bool,
    },
    /// An LDS access of so many passes.
    Share {
        passes: u16,
    },
    /// Waits until at most so many memory operations are outstanding (63: any), and LDS and scalar ones (15: any).
    Wait {
        vector: u8,
        share: u8,
    },
    Barrier,
}

/// Runs up to `sample` workgroups of the launch and records what they do: pairs of neighbours, spread evenly over
/// the launch.
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
    profile_within(code, memory, launch, sample, EVENT_LIMIT)
}

/// As [`profile`], with so many events at most.
fn profile_within(
    code: &CodeObject,
    memory: &mut Memory,
    launch: &Launch<'_>,
    sample: u32,
    events: u64,
) -> Result<Profile, Fault> {
    // More workgroups than ids are refused when the launch is checked.
    let total = launch.total_workgroups();
    let ids = sampled(total.min(u64::from(u32::MAX)) as u32, sample.max(1));
    let launch = Launch {
        only: None,
        ..*launch
    };
    let waves = (ids.len() as u64).saturating_mul(launch.workgroup_items().div_ceil(64));
    let mut recorder = Recorder {
        traces: Vec::new(),
        lines: LineTable::default(),
        events_per_wave: (events / waves.max(1)).max(1) as usize,
    };
    let everything = ids.len() as u64 == total;
    memory.define_everything();
    let execution = run_watched(code, memory, &launch, ids.into_iter(), &mut recorder)?;
    Ok(Profile {
        workgroups: total,
        waves_per_workgroup: launch.workgroup_waves(),
        vgprs: launch.kernel.allocated_vgprs,
        lds_bytes: launch.lds_bytes(),
        execution,
        cold_share: recorder.lines.cold_share((!everything).then_some(total)),
        traces: recorder.traces,
    })
}

/// The ids of `sample` of `total` workgroups, ascending: runs of neighbours that start at equal distances.
fn sampled(total: u32, sample: u32) -> Vec<u32> {
    let (total, sample) = (u64::from(total), u64::from(sample));
    if sample >= total {
        return (0..total as u32).collect();
    }
    let runs = sample.div_ceil(RUN);
    (0..sample)
        .map(|index| ((index / RUN) * total / runs + index % RUN) as u32)
        .collect()
}

/// Watches waves and writes their traces.
pub(crate) struct Recorder {
    traces: Vec<WorkgroupTrace>,
    lines: LineTable,
    /// Most events of a wave's trace.
    events_per_wave: usize,
}

impl Watch for Recorder {
    const LOOKS_AT_ACCESSES: bool = true;

    fn begin(&mut self, linear: u32, _: [u32; 3], waves: &[Wave]) {
        self.lines.begin(linear);
        self.traces.push(WorkgroupTrace {
            waves: vec![WaveTrace::default(); waves.len()],
        });
    }

    fn after(&mut self, code: &Prepared, wave: &mut Wave, device: &mut Device<'_>) {
        let access = &device.access;
        let trace = self
            .traces
            .last_mut()
            .and_then(|trace| trace.waves.get_mut(wave.number as usize));
        let Some(trace) = trace else { return };
        trace.executed = wave.executed;
        if trace.events.len() >= self.events_per_wave {
            return;
        }
        trace.recorded = wave.executed;
        let event = match code.timings.get(wave.current) {
            Some(Timing::Vector { passes }) => Event::Issue {
                vector: u32::from(*passes),
                scalar: 0,
                branches: 0,
            },
            Some(Timing::Scalar) => Event::Issue {
                vector: 0,
                scalar: 1,
                branches: 0,
            },
            Some(Timing::Branch) => Event::Issue {
                vector: 0,
                scalar: 0,
                branches: 1,
            },
            Some(Timing::VectorMemory { load }) => match access.region {
                Region::Share => Event::Share {
                    passes: share::passes(access),
                },
                // Private memory is interleaved by lanes: an access is one line per four lanes' words, and cached.
                Region::Private => {
                    let sectors = (u64::from(access.bytes) * 64).div_ceil(SECTOR_BYTES) as u16;
                    Event::Memory {
                        lines: Lines {
                            sectors,
                            near: sectors.div_ceil(2),
                            ..Lines::default()
                        },
                        load: *load,
                    }
                }
                Region::Global => Event::Memory {
                    lines: self.lines.touch(access),
                    load: *load,
                },
            },
            Some(Timing::ScalarMemory) => Event::ScalarLoad {
                cold: self.lines.touch_scalar(access),
            },
            Some(Timing::Share) => Event::Share {
                passes: share::passes(access),
            },
            Some(Timing::Wait { vector, share }) => Event::Wait {
                vector: *vector,
                share: *share,
            },
            Some(Timing::Barrier) => Event::Barrier,
            Some(Timing::Free) | None => return,
        };
        if let (
            Event::Issue {
                vector,
                scalar,
                branches,
            },
            Some(Event::Issue {
                vector: all_vector,
                scalar: all_scalar,
                branches: all_branches,
            }),
        ) = (event, trace.events.last_mut())
        {
            *all_vector += vector;
            *all_scalar += scalar;
            *all_branches += branches;
            return;
        }
        trace.events.push(event);
    }
}
