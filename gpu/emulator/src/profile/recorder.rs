//! The recorder: an observer that writes the traces of waves.

use std::sync::Arc;

use super::arrivals::{Arrivals, Visits, counts};
use super::bank_conflicts;
use super::cache_lines::{AccessLines, LineTable, SECTOR_BYTES};
use super::streams::StreamTable;
use super::trace::{Issue, TraceEvent, WaveTrace, WorkgroupTrace};
use super::undo::Undo;
use crate::execute::{
    AccessKind, AccessOperands, ExecutionObserver, InstructionCost, MemoryAccess, PreparedProgram,
    ProgramStep, Region, Wave, WorkgroupContext,
};
use crate::launch::LaunchProgress;

/// The number of repeated loads of one address by one instruction that means a wait for another
/// workgroup.
const PATIENCE: u32 = 4096;

/// The observer that writes the traces of waves.
pub(crate) struct Recorder {
    pub(super) traces: Vec<WorkgroupTrace>,
    /// The ID of each traced workgroup.
    pub(super) ids: Vec<u32>,
    pub(super) lines: LineTable,
    pub(super) streams: StreamTable,
    /// True while a workgroup runs for its streams alone, without a trace.
    pub(super) is_probe: bool,
    /// The largest number of events in a wave's trace.
    pub(super) events_per_wave: usize,
    /// Lanes of a wave.
    pub(super) lanes: u32,
    /// The bytes that the workgroups overwrote.
    pub(super) undo: Undo,
    pub(super) scope: RecordingScope,
    /// True if a workgroup counted in memory and read the count, so its work may depend on
    /// others.
    pub(super) counted: bool,
    /// True if a workgroup waits for the host.
    pub(super) asks_host: bool,
    /// Stops a workgroup that runs alone and waits for another one.
    pub(super) progress: Arc<LaunchProgress>,
    /// True for each step that waits for the result of a product of matrices; empty without
    /// products.
    pub(super) result_waits: Vec<bool>,
    /// The running workgroup.
    workgroup: u32,
    /// The trace of the running workgroup, if it is recorded.
    trace: Option<usize>,
    /// The number of times that it has counted itself in each word.
    visits: Visits,
    /// The last load of each of its waves.
    polls: Vec<Poll>,
}

/// The other workgroups around a recorded one.
pub(super) enum RecordingScope {
    /// No other workgroups.
    Alone,
    /// All others have arrived in each counter.
    Last(Arrivals),
    /// The whole launch runs, and the workgroups with these IDs are recorded.
    Among(Vec<u32>, Arrivals),
}

/// The recorder's state of a suspended workgroup.
pub(crate) struct SuspendedRecording {
    workgroup: u32,
    trace: Option<usize>,
    lines: (u32, u32),
    visits: Visits,
    polls: Vec<Poll>,
}

/// A load that a wave repeats.
#[derive(Clone, Copy, Default)]
struct Poll {
    step: usize,
    address: u64,
    times: u32,
}

impl Recorder {
    pub(super) fn new(events_per_wave: usize, lanes: u32) -> Recorder {
        Recorder {
            traces: Vec::new(),
            ids: Vec::new(),
            lines: LineTable::default(),
            streams: StreamTable::default(),
            is_probe: false,
            workgroup: 0,
            events_per_wave,
            lanes,
            undo: Undo::default(),
            scope: RecordingScope::Alone,
            counted: false,
            asks_host: false,
            progress: Arc::default(),
            result_waits: Vec::new(),
            trace: None,
            visits: Visits::default(),
            polls: Vec::new(),
        }
    }

    /// Returns the overwritten bytes and stops recording them.
    pub(super) fn take_undo(&mut self) -> Undo {
        std::mem::take(&mut self.undo)
    }

    /// Returns the observed arrival counters of a whole launch.
    pub(super) fn take_arrivals(&mut self) -> Arrivals {
        match &mut self.scope {
            RecordingScope::Among(_, arrivals) => std::mem::take(arrivals),
            RecordingScope::Alone | RecordingScope::Last(_) => Arrivals::new(),
        }
    }

    /// Records an access of a wave that runs alone. Endless repetition of one load is a wait for
    /// another workgroup, or for the host.
    fn poll(&mut self, wave: &Wave, device: &WorkgroupContext<'_>, kind: AccessKind) {
        let access = &device.access;
        let address = access.addresses[access.mask.trailing_zeros() as usize & 63];
        let poll = &mut self.polls[wave.number as usize];
        let reads = matches!(
            kind,
            AccessKind::Load | AccessKind::Atomic { returns: true }
        );
        let repeats = reads && (poll.step, poll.address) == (wave.current, address);
        *poll = Poll {
            step: wave.current,
            address,
            times: if repeats { poll.times + 1 } else { 0 },
        };
        // Only the exact count acts, so that a wave that goes on polling stops the launch once.
        if poll.times == PATIENCE {
            match device.memory.is_host(address) {
                true => self.asks_host = true,
                false => self.progress.stop(),
            }
        }
    }
}

impl ExecutionObserver for Recorder {
    const LOOKS_AT_ACCESSES: bool = true;

    type SuspendedState = SuspendedRecording;

    fn suspend(&mut self) -> SuspendedRecording {
        SuspendedRecording {
            workgroup: self.workgroup,
            trace: self.trace,
            lines: self.lines.suspend(),
            visits: std::mem::take(&mut self.visits),
            polls: std::mem::take(&mut self.polls),
        }
    }

    fn resume(&mut self, kept: SuspendedRecording) {
        self.workgroup = kept.workgroup;
        self.trace = kept.trace;
        self.lines.resume(kept.lines);
        self.visits = kept.visits;
        self.polls = kept.polls;
    }

    fn begin(&mut self, linear: u32, _: [u32; 3], waves: &[Wave]) {
        self.workgroup = linear;
        self.trace = None;
        self.visits = Visits::default();
        if let RecordingScope::Among(ids, _) = &self.scope
            && !ids.contains(&linear)
        {
            return;
        }
        self.streams.begin(linear);
        self.polls.clear();
        self.polls.resize(waves.len(), Poll::default());
        if self.is_probe {
            return;
        }
        self.trace = Some(self.traces.len());
        self.lines.begin(linear);
        self.ids.push(linear);
        self.traces.push(WorkgroupTrace {
            waves: vec![WaveTrace::default(); waves.len()],
            share: 0.0,
        });
    }

    fn access(
        &mut self,
        _: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        moved: &AccessOperands,
    ) -> u64 {
        if moved.writes() {
            self.undo.note(device.memory, &device.access);
        }
        if counts(&device.access, moved) {
            self.counted |= moved.returns.is_some();
            match &mut self.scope {
                RecordingScope::Alone => {}
                RecordingScope::Last(arrivals) => arrivals.replay(&mut self.visits, device),
                RecordingScope::Among(_, arrivals) => arrivals.observe(&mut self.visits, device),
            }
        }
        device.access.mask
    }

    fn after(
        &mut self,
        code: &PreparedProgram,
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
    ) {
        let access = &device.access;
        let timing = code.timings.get(wave.current);
        if let Some(&InstructionCost::VectorMemory { kind }) = timing
            && matches!(self.scope, RecordingScope::Alone)
            && access.region == Region::Global
        {
            self.poll(wave, device, kind);
        }
        let bytes = |address| device.memory.slot_bytes(address);
        if self.is_probe && access.region == Region::Global {
            if let Some(InstructionCost::VectorMemory { .. }) = timing {
                self.lines.collect(access);
                let parts = self.lines.parts();
                (self.streams).touch(self.workgroup, wave.current, parts, bytes);
            }
            return;
        }
        let traces = self.trace.and_then(|number| self.traces.get_mut(number));
        let Some(trace) = traces.and_then(|trace| trace.waves.get_mut(wave.number as usize)) else {
            return;
        };
        // Instructions of vain waits depend on the schedule of the emulator, not on the kernel.
        trace.executed = wave.executed - trace.spin_instructions;
        // A sleeping wave among others may have waited in vain; the trace removes such turns.
        let is_among = matches!(self.scope, RecordingScope::Among(..));
        if is_among && matches!(code.steps[wave.current], ProgramStep::Sleep) {
            trace.sleep(wave.current, wave.side_effects);
            return;
        }
        let is_vector = matches!(
            timing,
            Some(InstructionCost::Vector { .. } | InstructionCost::Matrix { .. })
        );
        trace.vector += u64::from(is_vector);
        if self.result_waits.get(wave.current) == Some(&true) {
            trace.push(TraceEvent::MatrixResult, self.events_per_wave);
        }
        let event = match timing {
            Some(&InstructionCost::Vector {
                passes,
                double,
                tightness,
            }) => TraceEvent::Issue(Issue {
                vector: passes.into(),
                double: double.into(),
                tightness: tightness.into(),
                ..Issue::default()
            }),
            Some(&InstructionCost::Matrix { cycles, apart }) => {
                TraceEvent::Matrix { cycles, apart }
            }
            Some(InstructionCost::Scalar) => TraceEvent::Issue(Issue {
                scalar: 1,
                ..Issue::default()
            }),
            Some(InstructionCost::Branch) => TraceEvent::Issue(Issue {
                branches: 1,
                ..Issue::default()
            }),
            Some(InstructionCost::VectorMemory { kind }) => match access.region {
                Region::Lds => TraceEvent::Lds {
                    passes: bank_conflicts::passes(access, self.lanes),
                },
                Region::Private => TraceEvent::Memory {
                    lines: private(access, self.lanes),
                    kind: *kind,
                },
                Region::Global => TraceEvent::Memory {
                    lines: trace.access(|| {
                        let lines = self.lines.touch(access, *kind);
                        let parts = self.lines.parts();
                        let stream =
                            (self.streams).touch(self.workgroup, wave.current, parts, bytes);
                        AccessLines { stream, ..lines }
                    }),
                    kind: *kind,
                },
            },
            Some(InstructionCost::ScalarMemory) => TraceEvent::ScalarLoad {
                cold: self.lines.touch_scalar(access),
            },
            Some(InstructionCost::Lds { accesses }) => TraceEvent::Lds {
                // The second address differs by a constant, which rotates the banks, so it needs
                // as many passes.
                passes: bank_conflicts::passes(access, self.lanes)
                    .saturating_mul((*accesses).into()),
            },
            Some(InstructionCost::Wait(wait)) => TraceEvent::Wait(*wait),
            Some(InstructionCost::Barrier) => TraceEvent::Barrier,
            Some(InstructionCost::Free) | None => return,
        };
        trace.push(event, self.events_per_wave);
    }
}

/// Returns the lines of private memory. Lanes interleave it, so the words of an access are
/// adjacent; it is cached.
fn private(access: &MemoryAccess, lanes: u32) -> AccessLines {
    let sectors = (u64::from(access.bytes) * u64::from(lanes)).div_ceil(SECTOR_BYTES) as u16;
    AccessLines {
        sectors,
        near: sectors.div_ceil(2),
        ..AccessLines::default()
    }
}

impl AccessKind {
    /// Returns true if the access changes memory.
    pub(crate) fn writes(self) -> bool {
        self != AccessKind::Load
    }

    /// Returns true if the access reads memory.
    pub(crate) fn reads(self) -> bool {
        self != AccessKind::Store
    }
}
