//! What a sample of workgroups did, as the time model needs it.
//!
//! A *trace* is the timeline of one wave without times: instructions issued, memory accesses with the cache lines
//! that they touch, waits and barriers. A line is *cold* when the sample touches it for the first time, *near* when
//! the same workgroup touched it before, *far* when another one did. The profile knows nothing of a device.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::code_object::CodeObject;
use crate::error::Fault;
use crate::execute::{Access, Prepared, Region, Timing, Wave};
use crate::launch::{Execution, Launch, run_recorded};
use crate::memory::Memory;

/// Bytes of a line: what L2 and memory exchange on the parts that are modelled.
pub(crate) const LINE_BYTES: u64 = 128;
/// Bytes that the address path of a compute unit takes per cycle.
pub(crate) const SECTOR_BYTES: u64 = 64;
/// Events of a sample after which nothing more is recorded; the totals go on.
const EVENT_LIMIT: usize = 4_000_000;

/// The behaviour of a launch, learnt from a sample of its workgroups.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Workgroups of the launch.
    pub workgroups: u64,
    /// Workgroups that were run.
    pub sampled: u64,
    /// Waves of a workgroup.
    pub waves_per_workgroup: u32,
    /// Vector registers that the device allocates per lane of a wave.
    pub vgprs: u32,
    /// Bytes of LDS of a workgroup.
    pub lds_bytes: u32,
    /// What the sample did.
    pub execution: Execution,
    /// Bytes of distinct lines that the sample read or wrote.
    pub distinct_bytes: u64,
    /// The sampled workgroups.
    pub(crate) traces: Vec<WorkgroupTrace>,
}

/// The waves of a workgroup.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorkgroupTrace {
    pub(crate) waves: Vec<Vec<Event>>,
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

/// The lines of one access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Lines {
    /// Sectors of 64 bytes.
    pub(crate) sectors: u16,
    pub(crate) cold: u16,
    pub(crate) near: u16,
    pub(crate) far: u16,
}

/// Runs up to `sample` workgroups of the launch, spread evenly over it, and records what they do.
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
    let total = launch.total_workgroups();
    let count = u64::from(sample.max(1)).min(total);
    let ids = (0..count).map(|index| (index * total / count.max(1)) as u32);
    let mut recorder = Recorder::default();
    let launch = Launch {
        only: None,
        ..*launch
    };
    let execution = run_recorded(code, memory, &launch, ids, Some(&mut recorder))?;
    Ok(Profile {
        workgroups: total,
        sampled: count,
        waves_per_workgroup: launch.workgroup_waves(),
        vgprs: launch.kernel.allocated_vgprs,
        lds_bytes: launch.lds_bytes(),
        execution,
        distinct_bytes: recorder.lines.len() as u64 * LINE_BYTES,
        traces: recorder.traces,
    })
}

/// Watches waves and writes their traces.
#[derive(Default)]
pub(crate) struct Recorder {
    traces: Vec<WorkgroupTrace>,
    /// The workgroup that touched a line last.
    lines: HashMap<u64, u32, Mixer>,
    events: usize,
}

impl Recorder {
    /// A workgroup of so many waves starts.
    pub(crate) fn begin(&mut self, waves: usize) {
        self.traces.push(WorkgroupTrace {
            waves: vec![Vec::new(); waves],
        });
    }

    /// The wave has executed its current step; `access` is what it accessed, if it did.
    pub(crate) fn record(&mut self, code: &Prepared, wave: &Wave, access: &Access) {
        if self.events >= EVENT_LIMIT {
            return;
        }
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
            Some(Timing::VectorMemory { load, .. }) => match access.region {
                Region::Share => Event::Share {
                    passes: share_passes(access),
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
                    lines: self.touch(access),
                    load: *load,
                },
            },
            Some(Timing::ScalarMemory) => Event::ScalarLoad {
                cold: self.touch(access).cold > 0,
            },
            Some(Timing::Share { .. }) => Event::Share {
                passes: share_passes(access),
            },
            Some(Timing::Wait { vector, share }) => Event::Wait {
                vector: *vector,
                share: *share,
            },
            Some(Timing::Barrier) => Event::Barrier,
            Some(Timing::Free) | None => return,
        };
        let trace = self
            .traces
            .last_mut()
            .and_then(|trace| trace.waves.get_mut(wave.number as usize));
        let Some(events) = trace else { return };
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
        ) = (event, events.last_mut())
        {
            *all_vector += vector;
            *all_scalar += scalar;
            *all_branches += branches;
            return;
        }
        events.push(event);
        self.events += 1;
    }

    /// The lines that an access touches.
    fn touch(&mut self, access: &Access) -> Lines {
        let bytes = u64::from(access.bytes.max(1));
        let mut sectors: Vec<u64> = Vec::with_capacity(64);
        for lane in (0..64).filter(|lane| (access.mask >> lane) & 1 != 0) {
            let first = access.addresses[lane] / SECTOR_BYTES;
            let last = (access.addresses[lane] + bytes - 1) / SECTOR_BYTES;
            for sector in first..=last {
                if sectors.last() != Some(&sector) {
                    sectors.push(sector);
                }
            }
        }
        if !sectors.is_sorted() {
            sectors.sort_unstable();
        }
        sectors.dedup();
        let mut lines = Lines {
            sectors: sectors.len() as u16,
            ..Lines::default()
        };
        let workgroup = self.traces.len() as u32;
        let per_line = LINE_BYTES / SECTOR_BYTES;
        let mut previous = u64::MAX;
        for sector in sectors {
            let line = sector / per_line;
            if line == previous {
                continue;
            }
            previous = line;
            match self.lines.entry(line) {
                Entry::Vacant(place) => {
                    place.insert(workgroup);
                    lines.cold += 1;
                }
                Entry::Occupied(mut place) if *place.get() == workgroup => {
                    place.insert(workgroup);
                    lines.near += 1;
                }
                Entry::Occupied(mut place) => {
                    place.insert(workgroup);
                    lines.far += 1;
                }
            }
        }
        lines
    }
}

/// Passes of an LDS access: 32 banks of 4 bytes; a bank serves one word per pass, and a word serves all its readers.
fn share_passes(access: &Access) -> u16 {
    let words = access.bytes.div_ceil(4).max(1);
    let mut passes = 0u16;
    // Half a wave at a time, word after word.
    for half in [0, 32] {
        for word in 0..words {
            let mut banks: [(u64, u16); 32] = [(u64::MAX, 0); 32];
            for lane in (half..half + 32).filter(|lane| (access.mask >> lane) & 1 != 0) {
                let index = access.addresses[lane] / 4 + u64::from(word);
                let bank = &mut banks[(index % 32) as usize];
                if bank.0 != index {
                    *bank = (index, bank.1 + 1);
                }
            }
            passes += banks.iter().map(|bank| bank.1).max().unwrap_or(0).max(1);
        }
    }
    passes
}

/// A hash of line numbers: they differ in their low bits, which one multiplication spreads.
#[derive(Clone, Copy, Default)]
struct Mixer;

impl std::hash::BuildHasher for Mixer {
    type Hasher = LineHasher;
    fn build_hasher(&self) -> LineHasher {
        LineHasher(0)
    }
}

struct LineHasher(u64);

impl std::hash::Hasher for LineHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        // The odd number next to 2^64 divided by the golden ratio; the high half is as good as the low one.
        let product = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }
}
