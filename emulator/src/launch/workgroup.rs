//! Workgroups, one at a time: each begins, has turns, and is set aside between them with all that it has.

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

/// Runs the workgroups of a launch, one at a time.
pub(super) struct Runner<'a, W: ExecutionObserver> {
    code: &'a CodeObject,
    launch: &'a KernelLaunch<'a>,
    resident: &'a LaunchMemory,
    device: WorkgroupContext<'a>,
    block: Vec<u8>,
    waves: Vec<Wave>,
    states: Vec<WaveStatus>,
    id: [u32; 3],
    /// Instructions that a wave of the workgroup may execute.
    limit: u64,
    /// What workgroups that are over had for themselves, for those that begin.
    spare: Vec<WorkgroupStorage>,
    watch: &'a mut W,
    /// The first step.
    entry: usize,
    execution: Execution,
    /// Instructions of all waves, also of those that have not ended.
    executed: u64,
    progress: &'a LaunchProgress,
}

/// What a workgroup has for itself.
#[derive(Default)]
struct WorkgroupStorage {
    waves: Vec<Wave>,
    states: Vec<WaveStatus>,
    lds: Vec<u8>,
}

/// A workgroup that is set aside.
pub(super) struct SuspendedWorkgroup<K> {
    id: [u32; 3],
    body: WorkgroupStorage,
    most_arrived: u64,
    limit: u64,
    kept: K,
}

/// How the turn of a workgroup ended.
pub(super) enum TurnOutcome {
    Ended,
    /// All waves that have not ended wait at a barrier or sleep.
    Asleep {
        /// It changed memory, or looked at the time, which nobody changes.
        moved: bool,
    },
    /// A wave has reached the limit of its instructions, and would go on with more.
    Spent(LaunchFault),
}

/// Where a wave stands.
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

    /// What the workgroups that have ended did.
    pub(super) fn execution(&self) -> Execution {
        Execution {
            bytes_read: self.device.bytes_read,
            bytes_written: self.device.bytes_written,
            ..self.execution
        }
    }

    /// Instructions of all waves so far.
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

    /// Has the workgroup with this linear id begin.
    pub(super) fn begin(&mut self, linear: u32) {
        if self.waves.is_empty() {
            let count = self.launch.workgroup_waves() as usize;
            let lanes = self.launch.kernel.wavefront_size;
            self.waves = wave_pool::take(count, self.code.isa(), lanes);
            self.device.lds.resize(self.launch.lds_bytes() as usize, 0);
        }
        let [x, y, _] = self.launch.workgroups;
        self.id = [linear % x, linear / x % y, linear / x / y];
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

    /// Sets the workgroup aside that has had its turn.
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

    /// Has a workgroup come back that was set aside.
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

    /// The state of the workgroup, as a number: it goes on in the same way if it comes to it again while memory stays as it is.
    pub(super) fn state(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let registers = initial_registers::vector_registers(self.launch.kernel);
        for wave in &self.waves {
            wave.hash_state(&registers, &mut hasher);
        }
        (&self.states, &self.device.lds, self.device.most_arrived).hash(&mut hasher);
        hasher.finish()
    }

    /// The fault of a workgroup that sleeps, as nobody gets further of so many that are resident; others have not begun.
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

    /// Runs the workgroup until it ends, sleeps or has no instructions left.
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
    /// Its waves may execute so many instructions more.
    pub(super) fn extend_limit(&mut self, instructions: u64) {
        self.limit = self.limit.saturating_add(instructions);
    }
}
