//! The checker: it observes a launch and reports bugs of the kernel.
//!
//! It finds, by [`FindingKind`]:
//! 1. Accesses outside allocations, LDS or private memory. Such a lane loads 0 or stores nothing.
//!    The range check of a buffer resource is no bug.
//! 2. Never-written bits that decide an address, a branch or EXEC, or that fill a lane's whole
//!    store to global memory. The checker follows bits through registers, LDS, private and global
//!    memory. Copies are no bugs: compilers move padding, spill empty registers, and select
//!    between a value and an undefined one.
//! 3. Uses of registers while their writer may be outstanding: a wait is missing. The same
//!    applies to LDS. The writer may be another wave that did not wait before the last barrier,
//!    because a barrier waits for no counter. It may also be a load that bypasses the registers.
//! 4. Accesses of two waves of a workgroup to a byte of LDS, or writes to one of global memory,
//!    without a barrier between them.
//! 5. Barriers that a wave of the workgroup never reached before its end. The others continue, as
//!    on the device.
//! 6. Writes of several workgroups to one byte of global memory.
//! 7. Reads of another workgroup's write without a release, an atomic with a result for the
//!    reader, and an acquire: see [`happens_before`]. Writes after another's read without a
//!    connection: see [`global_reads`].
//! 8. Misaligned atomics.
//! 9. Instructions of gfx9 with too few wait states before them: see [`crate::hazards`].
//!
//! Waves that write the present value do not race, because every order has the same result.
//! Workgroups may do so with one value in all lanes, as flags have. Lanes with their own values
//! repeat work that the kernel meant to divide. If both sides used atomics before (the later one
//! with a result), the checker assumes that the atomics order them.
//!
//! The checker ignores global memory in flight at a barrier. The accesses of one workgroup pass
//! through one cache in order, and compilers do not wait either.
//!
//! The workgroups run on one thread, so the findings are always the same.
//!
//! A bit is *undefined* until something is written to it. A register is *dirty* while it has
//! undefined bits. An *epoch* is the time between two barriers. The checker does not know the
//! arithmetic of instructions: see [`probe`].

mod access;
mod data_registers;
mod fast_propagation;
mod finding;
mod global;
mod global_reads;
mod global_writes;
mod happens_before;
mod in_flight_write;
mod instruction_check;
mod lds;
mod local;
mod missing_wait;
mod probe;
mod relative_move;
mod undefined_address;
mod undefined_registers;
mod wait_counters;
mod wait_states;
mod widening;

use std::collections::{HashSet, VecDeque};

use crate::effects::{Class, Effects};
use crate::error::{FaultLocation, LaunchFault};
use crate::execute::{AccessOperands, ExecutionObserver, PreparedProgram, Wave, WorkgroupContext};
use crate::hazards::Hazards;
use crate::launch::{Execution, KernelLaunch, LaunchProgress, POISON, run_observed};
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;
use finding::Findings;
pub use finding::{Allocation, Finding, FindingKind, FindingMemory, MemorySpace};
use global_reads::GlobalReads;
use global_writes::GlobalWrites;
use happens_before::HappensBefore;
use in_flight_write::InFlightWrite;
use lds::Lds;
use probe::Probe;
use undefined_registers::{UndefinedLanes, UndefinedRegisters};
use wait_counters::WaitCounters;

/// The result of a checked launch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// The result of [`run`](crate::run). A fault here ended the launch in spite of the checker.
    pub result: Result<Execution, LaunchFault>,
    /// One finding for each kind and instruction, in the order of first appearance.
    pub findings: Vec<Finding>,
}

/// Runs a launch as [`run`](crate::run) does and looks for bugs. Continues after bugs that the
/// device survives, and after out-of-bounds accesses.
///
/// The bytes that the kernel writes count as written afterwards; see
/// [`EmulatedMemory::allocate_undefined`].
pub fn check(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
) -> CheckReport {
    check_supervised(code, memory, launch, &LaunchProgress::default())
}

/// Does the same as [`check`] while another thread reads `progress` and may end the launch.
pub fn check_supervised(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    progress: &LaunchProgress,
) -> CheckReport {
    let mut checker = Checker::new(code, launch);
    let result = run_observed(code, memory, launch, &mut checker, progress);
    let mut findings = checker.findings.into_list();
    // Debug information is parsed only for findings, because it takes longer than most checks.
    if let Some(lines) = code.contents.lines().filter(|_| !findings.is_empty()) {
        for finding in &mut findings {
            let mut found = lines.find(finding.place.pc).into_iter();
            finding.source = found.next();
            finding.inlined_at = found.collect();
        }
    }
    CheckReport { result, findings }
}

/// The checker's state of a wave, besides the values of its registers.
struct WaveState {
    registers: UndefinedRegisters,
    waits: WaitCounters,
    /// For each byte of private memory, the lanes with an undefined value.
    private: Vec<u64>,
    /// The epoch of its last atomic, and of its last one with a result.
    released: u32,
    acquired: u32,
    /// Its writes to LDS in flight.
    flights: VecDeque<InFlightWrite>,
}

/// The observer that checks a launch.
struct Checker<'a> {
    code: &'a CodeObject,
    launch: &'a KernelLaunch<'a>,
    effects: &'a Effects,
    hazards: &'a Hazards,
    findings: Findings,
    waves: Vec<WaveState>,
    lds: Lds,
    writes: GlobalWrites,
    reads: GlobalReads,
    /// Writes to LDS that their wave had not waited for at the last barrier.
    unsettled: Vec<InFlightWrite>,
    handover: HappensBefore,
    probe: Option<Box<Probe>>,
    /// The running workgroup.
    workgroup: [u32; 3],
    linear: u32,
    /// Its epoch, and the number of epochs of all workgroups.
    epoch: u32,
    epochs: u32,
    /// Workgroups with an atomic on global memory; and true if the current one received a result.
    released: HashSet<u32>,
    acquired: bool,
    /// True if the current instruction accesses memory; and its lanes with an undefined address.
    accesses: bool,
    undefined_address_lanes: u64,
    /// The undefined bytes to restore after the instruction.
    kept: Option<[UndefinedLanes; 5]>,
}

/// The checker's state of a suspended workgroup.
struct SuspendedCheck {
    waves: Vec<WaveState>,
    lds: Lds,
    unsettled: Vec<InFlightWrite>,
    handover: happens_before::SuspendedOrder,
    workgroup: [u32; 3],
    linear: u32,
    epoch: u32,
    acquired: bool,
}

impl<'a> Checker<'a> {
    fn new(code: &'a CodeObject, launch: &'a KernelLaunch<'a>) -> Checker<'a> {
        let lanes = launch.kernel.wavefront_size;
        Checker {
            code,
            launch,
            effects: code.effects(lanes),
            hazards: code.hazards(lanes),
            findings: Findings::default(),
            waves: Vec::new(),
            lds: Lds::new(),
            writes: GlobalWrites::default(),
            reads: GlobalReads::default(),
            unsettled: Vec::new(),
            handover: HappensBefore::new(code.isa(), code.effects(lanes).hands_over),
            probe: None,
            workgroup: [0; 3],
            linear: 0,
            epoch: 1,
            epochs: 1,
            released: HashSet::new(),
            acquired: false,
            accesses: false,
            undefined_address_lanes: 0,
            kept: None,
        }
    }

    // Epochs are unique across workgroups, so that equal epochs imply the same workgroup.
    fn next_epoch(&mut self) {
        self.epochs += 1;
        self.epoch = self.epochs;
    }

    fn state(&mut self, wave: &Wave) -> &mut WaveState {
        &mut self.waves[wave.number as usize]
    }

    /// Reports a bug of the wave's current instruction.
    fn report(
        &mut self,
        kind: FindingKind,
        wave: &Wave,
        lane: Option<u32>,
        memory: Option<FindingMemory>,
        reason: impl FnOnce() -> String,
    ) {
        let instruction = self.code.program.instructions().get(wave.current);
        let pc = instruction.map_or(0, |one| one.address);
        let (kernel, workgroup) = (self.launch.kernel, self.workgroup);
        // The description is a closure: only the first of repeated bugs builds its text.
        self.findings.add(kind, pc, || Finding {
            kind,
            place: FaultLocation {
                kernel: kernel.name.clone(),
                pc,
                instruction: instruction.map_or_else(String::new, |one| one.to_string()),
                workgroup,
                wave: wave.number,
            },
            lane,
            memory,
            source: None,
            inlined_at: Vec::new(),
            reason: reason(),
            count: 1,
        });
    }

    /// Returns the text of the instruction of step `index`, for a finding.
    fn describe(&self, index: u32) -> String {
        match self.code.program.instructions().get(index as usize) {
            Some(one) => format!("`{one}` at {:#x}", one.address),
            None => "an instruction that does not exist".into(),
        }
    }
}

impl ExecutionObserver for Checker<'_> {
    const LOOKS_AT_ACCESSES: bool = false;
    const MINDS_ENDED_WAVES: bool = true;
    type SuspendedState = SuspendedCheck;

    fn suspend(&mut self) -> SuspendedCheck {
        SuspendedCheck {
            waves: std::mem::take(&mut self.waves),
            lds: std::mem::replace(&mut self.lds, Lds::new()),
            unsettled: std::mem::take(&mut self.unsettled),
            handover: self.handover.suspend(),
            workgroup: self.workgroup,
            linear: self.linear,
            epoch: self.epoch,
            acquired: self.acquired,
        }
    }

    fn resume(&mut self, kept: SuspendedCheck) {
        self.waves = kept.waves;
        self.lds = kept.lds;
        self.unsettled = kept.unsettled;
        self.handover.resume(kept.handover);
        self.workgroup = kept.workgroup;
        self.linear = kept.linear;
        self.epoch = kept.epoch;
        self.acquired = kept.acquired;
    }

    fn begin(&mut self, linear: u32, id: [u32; 3], waves: &[Wave]) {
        self.linear = linear;
        self.workgroup = id;
        self.acquired = false;
        self.next_epoch();
        self.lds.begin(self.launch.lds_bytes());
        self.unsettled.clear();
        self.handover.begin(linear, waves.len());
        let user = self.launch.kernel.user_registers.count;
        let isa = self.code.isa();
        self.waves.resize_with(waves.len(), || WaveState {
            registers: UndefinedRegisters::new(),
            waits: WaitCounters::new(isa),
            private: Vec::new(),
            released: 0,
            acquired: 0,
            flights: VecDeque::new(),
        });
        for (state, wave) in self.waves.iter_mut().zip(waves) {
            state.waits.clear();
            state.flights.clear();
            state.private.clear();
            // Private memory is undefined at the start of each wave.
            state.private.resize(wave.scratch_bytes as usize, u64::MAX);
            start(&mut state.registers, wave, user);
        }
    }

    #[inline(always)]
    fn before(
        &mut self,
        code: &PreparedProgram,
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
    ) -> bool {
        if !self.hazards.is_empty() {
            self.check_wait_states(wave);
        }
        let (class, reads, writes) = self.effects.effect(wave.current);
        let state = &mut self.waves[wave.number as usize];
        let registers = &mut state.registers;
        let pending = |&register: &u16| state.waits.is_pending(register);
        // This fast path covers most instructions: no dirty register and no outstanding one.
        let clear = !reads.iter().any(|&register| registers.is_dirty(register))
            && (state.waits.is_idle() || !reads.iter().chain(writes).any(pending));
        match class {
            Class::Compute | Class::Exec | Class::Branch | Class::Matrix if clear => {}
            Class::Memory | Class::Lds | Class::ScalarMemory if clear => {
                self.undefined_address_lanes = 0;
                self.accesses = true;
            }
            Class::Nothing => {}
            _ => {
                self.step(code, wave, device);
                return true;
            }
        }
        let lanes = class.written_lanes(wave);
        for &register in writes {
            registers.define(register, lanes);
        }
        true
    }

    #[inline(always)]
    fn after(&mut self, _: &PreparedProgram, wave: &mut Wave, _: &mut WorkgroupContext<'_>) {
        // The issue follows the access, so that an operation does not wait for itself.
        if self.accesses {
            self.accesses = false;
            self.issue(wave);
        }
    }

    fn access(
        &mut self,
        wave: &mut Wave,
        device: &mut WorkgroupContext<'_>,
        moved: &AccessOperands,
    ) -> u64 {
        self.vector_access(wave, device, moved)
    }

    fn transposed(&mut self, wave: &Wave, to: u16, registers: u8, bits: u8) {
        self.transpose_undefined(wave, to, registers, bits);
    }

    fn load_scalars(&mut self, wave: &mut Wave, device: &mut WorkgroupContext<'_>, to: u8) -> bool {
        self.scalar_access(wave, device, to)
    }

    fn barrier(&mut self) {
        self.next_epoch();
        self.lds.barrier();
        self.handover.barrier();
        self.note_unsettled();
    }

    fn survives(&mut self, fault: &LaunchFault) -> bool {
        let LaunchFault::Barrier {
            place,
            waiting,
            ended,
            waves,
        } = fault
        // The device survives only this fault: ended waves do not block a barrier.
        else {
            return false;
        };
        self.findings
            .add(FindingKind::Barrier, place.pc, || Finding {
                kind: FindingKind::Barrier,
                place: FaultLocation::clone(place),
                lane: None,
                memory: None,
                source: None,
                inlined_at: Vec::new(),
                reason: format!(
                    "{waiting} of {waves} waves wait at this barrier; {ended} ended without it"
                ),
                count: 1,
            });
        true
    }
}

/// Marks the registers that the launch initializes as defined, and the rest as undefined. The
/// initial values show the difference: the rest holds the launch's poison. At most three vector
/// registers are initialized, with the work-item numbers.
fn start(registers: &mut UndefinedRegisters, wave: &Wave, user: u32) {
    registers.undefine();
    for register in 0..3 {
        let values = &wave.vector[usize::from(register)].0;
        let poisoned = values.iter().enumerate().fold(0, |mask, (lane, value)| {
            mask | (u64::from(*value == POISON) << lane)
        });
        registers.set_vector(register, u64::MAX, [poisoned; 4]);
    }
    for register in 0..=124 {
        // A register that the descriptor requests may hold any number, even the poison.
        let undefined = register >= user as usize && wave.scalar_at(register) == POISON;
        registers.set_scalar(register, if undefined { u32::MAX } else { 0 });
    }
    registers.set_scc(true);
}
