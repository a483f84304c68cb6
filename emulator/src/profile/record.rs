//! The recorder: watches waves and writes their traces.

use super::lds;
use super::lines::{LineTable, Lines, SECTOR_BYTES};
use super::trace::{Event, Issue, WaveTrace, WorkgroupTrace};
use super::undo::Undo;
use crate::execute::{Access, Device, Moved, Prepared, Region, Timing, Traffic, Watch, Wave};
use crate::operation::MemoryOperation;

/// Watches waves and writes their traces.
pub(crate) struct Recorder {
    pub(super) traces: Vec<WorkgroupTrace>,
    /// The id of each.
    pub(super) ids: Vec<u32>,
    pub(super) lines: LineTable,
    /// Most events of a wave's trace.
    pub(super) events_per_wave: usize,
    /// Lanes of a wave.
    pub(super) lanes: u32,
    /// What the workgroups overwrote, where it is to be written back.
    pub(super) undo: Option<Undo>,
}

impl Recorder {
    pub(super) fn new(events_per_wave: usize, lanes: u32) -> Recorder {
        Recorder {
            traces: Vec::new(),
            ids: Vec::new(),
            lines: LineTable::default(),
            events_per_wave,
            lanes,
            undo: None,
        }
    }
}

impl Watch for Recorder {
    const LOOKS_AT_ACCESSES: bool = true;

    // A sample's workgroups run each for itself: there is no other one to bring back.
    type Kept = ();

    fn set_aside(&mut self) {}

    fn resume(&mut self, (): ()) {}

    fn begin(&mut self, linear: u32, _: [u32; 3], waves: &[Wave]) {
        self.lines.begin(linear);
        self.ids.push(linear);
        self.traces.push(WorkgroupTrace {
            waves: vec![WaveTrace::default(); waves.len()],
            share: 0.0,
        });
    }

    fn access(&mut self, _: &mut Wave, device: &mut Device<'_>, moved: &Moved) -> u64 {
        let loads = matches!(
            moved.operation,
            MemoryOperation::Load { .. } | MemoryOperation::LoadPart { .. }
        );
        if let Some(undo) = self.undo.as_mut().filter(|_| !loads) {
            undo.note(device.memory, &device.access);
        }
        device.access.mask
    }

    fn after(&mut self, code: &Prepared, wave: &mut Wave, device: &mut Device<'_>) {
        let access = &device.access;
        let Some(trace) = self
            .traces
            .last_mut()
            .and_then(|trace| trace.waves.get_mut(wave.number as usize))
        else {
            return;
        };
        trace.executed = wave.executed;
        let timing = code.timings.get(wave.current);
        trace.vector += u64::from(matches!(timing, Some(Timing::Vector { .. })));
        let event = match timing {
            Some(&Timing::Vector {
                passes,
                double,
                tightness,
            }) => Event::Issue(Issue {
                vector: passes.into(),
                double: double.into(),
                tightness: tightness.into(),
                ..Issue::default()
            }),
            Some(Timing::Scalar) => Event::Issue(Issue {
                scalar: 1,
                ..Issue::default()
            }),
            Some(Timing::Branch) => Event::Issue(Issue {
                branches: 1,
                ..Issue::default()
            }),
            Some(Timing::VectorMemory { kind }) => match access.region {
                Region::Lds => Event::Lds {
                    passes: lds::passes(access, self.lanes),
                },
                Region::Private => Event::Memory {
                    lines: private(access, self.lanes),
                    kind: *kind,
                },
                Region::Global => Event::Memory {
                    lines: trace.access(|| self.lines.touch(access, *kind)),
                    kind: *kind,
                },
            },
            Some(Timing::ScalarMemory) => Event::ScalarLoad {
                cold: self.lines.touch_scalar(access),
            },
            Some(Timing::Lds { accesses }) => Event::Lds {
                // The second address differs from the first by a constant, which turns the banks: as many passes.
                passes: lds::passes(access, self.lanes).saturating_mul((*accesses).into()),
            },
            Some(Timing::Wait(wait)) => Event::Wait(*wait),
            Some(Timing::Barrier) => Event::Barrier,
            Some(Timing::Free) | None => return,
        };
        trace.push(event, self.events_per_wave);
    }
}

/// Private memory is interleaved by lanes, so the words of an access lie side by side, and it is cached.
fn private(access: &Access, lanes: u32) -> Lines {
    let sectors = (u64::from(access.bytes) * u64::from(lanes)).div_ceil(SECTOR_BYTES) as u16;
    Lines {
        sectors,
        near: sectors.div_ceil(2),
        ..Lines::default()
    }
}

impl Traffic {
    /// Whether memory changes.
    pub(crate) fn writes(self) -> bool {
        self != Traffic::Load
    }

    /// Whether memory is read.
    pub(crate) fn reads(self) -> bool {
        self != Traffic::Store
    }
}
