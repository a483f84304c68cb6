//! The runner of workgroups, one at a time: each begins, has turns, and is suspended between them
//! with its whole state.

mod fault;
mod waves;

use std::hash::{DefaultHasher, Hash, Hasher};

use super::initial_registers::{self, POISON};
use super::{Execution, KernelLaunch, LaunchMemory, LaunchProgress, arguments, wave_pool};
use crate::concurrent_memory::ConcurrentMemory;
use crate::error::LaunchFault;
use crate::execute::{ExecutionObserver, MemoryAccess, Wave, WorkgroupContext};
use crate::loaded_code_object::CodeObject;
use fault::place;

/// The runner of a launch's workgroups, one at a time.
pub(super) struct Runner<'a, W: ExecutionObserver> {
    code: &'a CodeObject,
    launch: &'a KernelLaunch<'a>,
    resident: &'a LaunchMemory,
    device: WorkgroupContext<'a>,
    block: Vec<u8>,
    waves: Vec<Wave>,
    states: Vec<WaveStatus>,
    id: [u32; 3],
    /// The instruction limit of each wave of the workgroup.
    limit: u64,
    /// Storage of ended workgroups, for new ones.
    spare: Vec<WorkgroupStorage>,
    watch: &'a mut W,
    /// The first step.
    entry: usize,
    execution: Execution,
    /// Instructions of all waves, including running ones.
    executed: u64,
    progress: &'a LaunchProgress,
}

/// The private storage of a workgroup.
#[derive(Default)]
struct WorkgroupStorage {
    waves: Vec<Wave>,
    states: Vec<WaveStatus>,
    lds: Vec<u8>,
}

/// A suspended workgroup.
pub(super) struct SuspendedWorkgroup<K> {
    id: [u32; 3],
    body: WorkgroupStorage,
    most_arrived: u64,
    limit: u64,
    kept: K,
}

/// The end of a workgroup's turn.
pub(super) enum TurnOutcome {
    Ended,
    /// All live waves wait at a barrier or sleep.
    Asleep {
        /// True if it changed memory, or read the time, which always changes.
        moved: bool,
    },
    /// A wave has reached its instruction limit, and would continue with more.
    Spent(LaunchFault),
}

/// The status of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum WaveStatus {
    Running,
    Waiting,
    Asleep,
    Ended,
}

impl<'a, W: ExecutionObserver> Runner<'a, W> {
    pub(super) fn new(
        code: &'a CodeObject,
        memory: &'a ConcurrentMemory<'a>,
        launch: &'a KernelLaunch<'a>,
        resident: &'a LaunchMemory,
        watch: &'a mut W,
        progress: &'a LaunchProgress,
    ) -> Result<Runner<'a, W>, LaunchFault> {
        let start = launch.kernel.start();
        // The entry may be inside the image but not at a decoded instruction.
        let Some(entry) = code.prepared.index_of(start) else {
            return Err(LaunchFault::Launch {
                kernel: launch.kernel.name.clone(),
                reason: format!("no instruction at its entry {start:#x}"),
            });
        };
        Ok(Runner {
            code,
            launch,
            resident,
            device: WorkgroupContext {
                memory,
                most_arrived: 0,
                lds: Vec::new(),
                instruction_limit: launch.instruction_limit,
                load_address: resident.image.get(),
                bytes_read: 0,
                bytes_written: 0,
                access: MemoryAccess::new(),
                observed: W::LOOKS_AT_ACCESSES,
            },
            block: arguments::block(launch),
            waves: Vec::new(),
            states: Vec::new(),
            id: [0; 3],
            limit: launch.instruction_limit,
            spare: Vec::new(),
            watch,
            entry,
            execution: Execution::default(),
            executed: 0,
            progress,
        })
    }

    /// Returns the counters of the ended workgroups.
    pub(super) fn execution(&self) -> Execution {
        Execution {
            bytes_read: self.device.bytes_read,
            bytes_written: self.device.bytes_written,
            ..self.execution
        }
    }

    /// Returns the number of instructions of all waves so far.
    pub(super) fn executed(&self) -> u64 {
        self.executed
    }

    fn stopped(&self) -> LaunchFault {
        LaunchFault::Stopped {
            workgroups: self.progress.workgroups(),
            of: match self.launch.workgroup_subset {
                Some(ids) => ids.len() as u64,
                None => self.launch.total_workgroups(),
            },
            instructions: self.progress.instructions(),
        }
    }

    /// Begins the workgroup with this linear ID.
    pub(super) fn begin(&mut self, linear: u32) {
        // After the first workgroup, the storage of an ended one serves the next.
        if self.waves.is_empty() {
            let count = self.launch.workgroup_waves() as usize;
            let lanes = self.launch.kernel.wavefront_size;
            self.waves = wave_pool::take(count, self.code.isa(), lanes);
            self.device.lds.resize(self.launch.lds_bytes() as usize, 0);
        }
        let [x, y, _] = self.launch.workgroups;
        self.id = [linear % x, linear / x % y, linear / x / y];
        // Poison in LDS shows reads of unwritten bytes, as the device keeps old content there.
        let (words, rest) = self.device.lds.as_chunks_mut();
        words.fill(POISON.to_le_bytes());
        rest.copy_from_slice(&POISON.to_le_bytes()[..rest.len()]);
        for (number, wave) in self.waves.iter_mut().enumerate() {
            initial_registers::start(
                wave,
                self.launch,
                self.resident,
                &self.block,
                self.entry,
                self.id,
                number as u32,
            );
        }
        self.states.clear();
        self.states.resize(self.waves.len(), WaveStatus::Running);
        self.device.most_arrived = 0;
        self.limit = self.launch.instruction_limit;
        self.watch.begin(linear, self.id, &self.waves);
    }

    /// Suspends the workgroup after its turn.
    pub(super) fn suspend(&mut self) -> SuspendedWorkgroup<W::SuspendedState> {
        let mut body = self.spare.pop().unwrap_or_default();
        self.exchange(&mut body);
        SuspendedWorkgroup {
            id: self.id,
            body,
            most_arrived: self.device.most_arrived,
            limit: self.limit,
            kept: self.watch.suspend(),
        }
    }

    /// Resumes a suspended workgroup.
    pub(super) fn resume(&mut self, workgroup: SuspendedWorkgroup<W::SuspendedState>) {
        let SuspendedWorkgroup {
            id,
            mut body,
            most_arrived,
            limit,
            kept,
        } = workgroup;
        self.exchange(&mut body);
        if !body.waves.is_empty() {
            self.spare.push(body);
        }
        (self.id, self.device.most_arrived, self.limit) = (id, most_arrived, limit);
        self.watch.resume(kept);
    }

    fn exchange(&mut self, body: &mut WorkgroupStorage) {
        std::mem::swap(&mut self.waves, &mut body.waves);
        std::mem::swap(&mut self.states, &mut body.states);
        std::mem::swap(&mut self.device.lds, &mut body.lds);
    }

    /// Returns a hash of the workgroup's state. With the same state and unchanged memory, it
    /// repeats its behaviour.
    pub(super) fn state(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let registers = initial_registers::vector_registers(self.launch.kernel);
        for wave in &self.waves {
            wave.hash_state(&registers, &mut hasher);
        }
        (&self.states, &self.device.lds, self.device.most_arrived).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the standstill fault of a sleeping workgroup. The pair is the number of resident
    /// and of unbegun workgroups.
    pub(super) fn standstill(
        &self,
        workgroup: &SuspendedWorkgroup<W::SuspendedState>,
        (resident, unbegun): (u64, u64),
    ) -> LaunchFault {
        let WorkgroupStorage { waves, states, .. } = &workgroup.body;
        let sleeping = states.iter().position(|state| *state == WaveStatus::Asleep);
        let wave = &waves[sleeping.unwrap_or(0)];
        LaunchFault::Standstill {
            place: Box::new(place(self.code, self.launch, wave, workgroup.id)),
            resident,
            unbegun,
        }
    }

    /// Runs the workgroup until it ends, sleeps or reaches its instruction limit.
    pub(super) fn go_on(&mut self) -> Result<TurnOutcome, LaunchFault> {
        let executed = |waves: &[Wave]| waves.iter().map(|wave| wave.executed).sum::<u64>();
        let deeds = |waves: &[Wave]| waves.iter().map(|wave| wave.side_effects).sum::<u64>();
        let before = (executed(&self.waves), deeds(&self.waves));
        let turn = self.turn();
        let executed = executed(&self.waves) - before.0;
        self.executed += executed;
        let ended = matches!(turn, Ok(TurnOutcome::Ended));
        self.progress.add(ended.into(), executed);
        match turn {
            Ok(TurnOutcome::Ended) => {
                for wave in &self.waves {
                    self.execution.waves += 1;
                    self.execution.wave_instructions += wave.executed;
                    self.execution.approximate_instructions += wave.approximate;
                }
                Ok(TurnOutcome::Ended)
            }
            Ok(TurnOutcome::Asleep { .. }) => Ok(TurnOutcome::Asleep {
                moved: deeds(&self.waves) != before.1,
            }),
            Err(LaunchFault::Stopped { .. }) => Err(self.stopped()),
            other => other,
        }
    }
}

impl<W: ExecutionObserver> Drop for Runner<'_, W> {
    fn drop(&mut self) {
        wave_pool::give_back(std::mem::take(&mut self.waves));
        for body in std::mem::take(&mut self.spare) {
            wave_pool::give_back(body.waves);
        }
    }
}

impl<K> SuspendedWorkgroup<K> {
    /// Extends the instruction limit of its waves.
    pub(super) fn extend_limit(&mut self, instructions: u64) {
        self.limit = self.limit.saturating_add(instructions);
    }
}
