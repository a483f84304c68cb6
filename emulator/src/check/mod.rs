//! The checker: it looks on while a launch runs and says what is wrong with the kernel.
//!
//! It finds, by [`FindingKind`]:
//! 1. accesses outside of allocations, of LDS and of private memory: such a lane loads 0 or stores nothing. What a
//!    buffer resource keeps out is no bug;
//! 2. bits that were never written and decide an address, a branch or EXEC, or fill all that a lane stores to global
//!    memory. Copies are no bugs: compilers move padding, spill what holds nothing yet and select between values of
//!    which one has none. Bits are followed through registers, LDS, private and global memory;
//! 3. registers that are used while the operation that writes them may be outstanding: a wait is missing. So it is
//!    where a wave reads LDS that another one wrote without a wait before the last barrier, which waits for no
//!    counter, or that a load brings there past the registers;
//! 4. waves of a workgroup that access a byte of LDS without a barrier between them, or write one of global memory;
//! 5. barriers that a wave of the workgroup ended without: the others go on, as on the device;
//! 6. workgroups that write to one byte of global memory;
//! 7. workgroups that read what another one wrote, which was not released to the device before an atomic whose value the
//!    reader got, or which the reader did not acquire: see [`handover`].
//!
//! Waves that write the value that is there already do not race: the result is the same in any order. Workgroups may
//! do so where all lanes of the store have one value, as flags have; lanes with values of their own do work twice
//! which somebody meant to divide. Where both sides used atomics before (the later one with a result), they are taken
//! to be ordered by them. Global memory that is in flight at a barrier is not looked at: within a workgroup, accesses
//! of its waves pass through one cache in order, and compilers do not wait either. Scalar loads of what another workgroup
//! wrote are not looked at.
//!
//! The workgroups run on one thread, so that the findings are always the same.
//!
//! Vocabulary: a bit is *undefined* until something is written to it; a register is *dirty* while it has undefined
//! bits; an *epoch* is the time between two barriers. The checker knows nothing of what instructions compute: see
//! [`probe`].

mod access;
mod data_registers;
mod fast_propagation;
mod finding;
mod global;
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
mod widening;

use std::collections::{HashSet, VecDeque};

use crate::effects::{Class, Effects};
use crate::error::{FaultLocation, LaunchFault};
use crate::execute::{AccessOperands, ExecutionObserver, PreparedProgram, Wave, WorkgroupContext};
use crate::launch::{Execution, KernelLaunch, LaunchProgress, POISON, run_observed};
use crate::loaded_code_object::CodeObject;
use crate::memory::EmulatedMemory;
use finding::Findings;
pub use finding::{Allocation, Finding, FindingKind, FindingMemory, MemorySpace};
use global_writes::GlobalWrites;
use happens_before::HappensBefore;
use in_flight_write::InFlightWrite;
use lds::Lds;
use probe::Probe;
use undefined_registers::{UndefinedLanes, UndefinedRegisters};
use wait_counters::WaitCounters;

/// What came of a checked launch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckReport {
    /// As of [`run`](crate::run): a fault is what ended the launch all the same.
    pub result: Result<Execution, LaunchFault>,
    /// One for each kind and instruction, in the order of their first appearance.
    pub findings: Vec<Finding>,
}

/// Runs a launch as [`run`](crate::run) does and looks for bugs; it goes on after those that the device survives, and
/// after accesses that are out of bounds.
///
/// What the kernel writes counts as written afterwards; see [`Memory::allocate_undefined`].
pub fn check(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
) -> CheckReport {
    check_supervised(code, memory, launch, &LaunchProgress::default())
}

/// As [`check`], while another thread looks at `progress`, which may end the launch.
pub fn check_supervised(
    code: &CodeObject,
    memory: &mut EmulatedMemory,
    launch: &KernelLaunch<'_>,
    progress: &LaunchProgress,
) -> CheckReport {
    let mut checker = Checker::new(code, launch);
    let result = run_observed(code, memory, launch, &mut checker, progress);
    let mut findings = checker.findings.into_list();
    if let Some(lines) = code.contents.lines().filter(|_| !findings.is_empty()) {
        for finding in &mut findings {
            let mut found = lines.find(finding.place.pc).into_iter();
            finding.source = found.next();
            finding.inlined_at = found.collect();
        }
    }
    CheckReport { result, findings }
}

/// What is known of a wave beside its registers' values.
struct WaveState {
    registers: UndefinedRegisters,
    waits: WaitCounters,
    /// For each byte of private memory, the lanes in which it is undefined.
    private: Vec<u64>,
    /// The epochs of its last atomic, and of its last one with a result.
    released: u32,
    acquired: u32,
    /// What it writes to LDS.
    flights: VecDeque<InFlightWrite>,
}

/// Looks on.
struct Checker<'a> {
    code: &'a CodeObject,
    launch: &'a KernelLaunch<'a>,
    effects: &'a Effects,
    findings: Findings,
    waves: Vec<WaveState>,
    lds: Lds,
    writes: GlobalWrites,
    /// Writes to LDS that their wave had not waited for at the last barrier.
    unsettled: Vec<InFlightWrite>,
    handover: HappensBefore,
    probe: Option<Box<Probe>>,
    /// The workgroup that runs.
    workgroup: [u32; 3],
    linear: u32,
    /// Its epoch, and how many there have been of all workgroups.
    epoch: u32,
    epochs: u32,
    /// Workgroups that executed an atomic on global memory, and whether the current one received a result.
    released: HashSet<u32>,
    acquired: bool,
    /// The current instruction accesses memory; its lanes whose address is undefined.
    accesses: bool,
    undefined_address_lanes: u64,
    /// What is to be restored after it.
    kept: Option<[UndefinedLanes; 5]>,
}

/// What is known of a workgroup that is set aside.
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
            findings: Findings::default(),
            waves: Vec::new(),
            lds: Lds::new(),
            writes: GlobalWrites::default(),
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

    /// The instruction that the step `index` executes, for a reader.
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
        let (class, reads, writes) = self.effects.effect(wave.current);
        let state = &mut self.waves[wave.number as usize];
        let registers = &mut state.registers;
        let pending = |&register: &u16| state.waits.is_pending(register);
        let clear = !reads.iter().any(|&register| registers.is_dirty(register))
            && (state.waits.is_idle() || !reads.iter().chain(writes).any(pending));
        match class {
            Class::Compute | Class::Exec | Class::Branch if clear => {}
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
        let exec = wave.exec();
        for &register in writes {
            registers.define(register, exec);
        }
        true
    }

    #[inline(always)]
    fn after(&mut self, _: &PreparedProgram, wave: &mut Wave, _: &mut WorkgroupContext<'_>) {
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

/// What the launch gave a wave is defined; the rest holds the launch's poison. Of the vector registers, that are at most
/// three, with the numbers of the work-items.
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
        // A register that the descriptor asks for may hold any number.
        let undefined = register >= user as usize && wave.scalar_at(register) == POISON;
        registers.set_scalar(register, if undefined { u32::MAX } else { 0 });
    }
    registers.set_scc(true);
}
