//! Workgroups, one at a time: each begins, has turns, and is set aside between them with all that it has.

mod fault;
mod waves;

use std::hash::{DefaultHasher, Hash, Hasher};

use super::registers::{self, POISON};
use super::{Execution, Launch, Progress, Resident, arguments, idle};
use crate::error::Fault;
use crate::execute::{Access, Device, Watch, Wave};
use crate::loaded::CodeObject;
use crate::shared::Shared;
use fault::place;

/// Runs the workgroups of a launch, one at a time.
pub(super) struct Runner<'a, W: Watch> {
    code: &'a CodeObject,
    launch: &'a Launch<'a>,
    resident: &'a Resident,
    device: Device<'a>,
    block: Vec<u8>,
    waves: Vec<Wave>,
    states: Vec<State>,
    id: [u32; 3],
    /// Instructions that a wave of the workgroup may execute.
    limit: u64,
    /// What workgroups that are over had for themselves, for those that begin.
    spare: Vec<Body>,
    watch: &'a mut W,
    /// The first step.
    entry: usize,
    execution: Execution,
    /// Instructions of all waves, also of those that have not ended.
    executed: u64,
    progress: &'a Progress,
}

/// What a workgroup has for itself.
#[derive(Default)]
struct Body {
    waves: Vec<Wave>,
    states: Vec<State>,
    lds: Vec<u8>,
}

/// A workgroup that is set aside.
pub(super) struct Workgroup<K> {
    id: [u32; 3],
    body: Body,
    most_arrived: u64,
    limit: u64,
    kept: K,
}

/// How the turn of a workgroup ended.
pub(super) enum Turn {
    Ended,
    /// All waves that have not ended wait at a barrier or sleep.
    Asleep {
        /// It changed memory, or looked at the time, which nobody changes.
        moved: bool,
    },
    /// A wave has reached the limit of its instructions, and would go on with more.
    Spent(Fault),
}

/// Where a wave stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    Running,
    Waiting,
    Asleep,
    Ended,
}

impl<'a, W: Watch> Runner<'a, W> {
    pub(super) fn new(
        code: &'a CodeObject,
        memory: &'a Shared<'a>,
        launch: &'a Launch<'a>,
        resident: &'a Resident,
        watch: &'a mut W,
        progress: &'a Progress,
    ) -> Result<Runner<'a, W>, Fault> {
        let start = launch.kernel.start();
        let Some(entry) = code.prepared.index_of(start) else {
            return Err(Fault::Launch {
                kernel: launch.kernel.name.clone(),
                reason: format!("no instruction at its entry {start:#x}"),
            });
        };
        Ok(Runner {
            code,
            launch,
            resident,
            device: Device {
                memory,
                most_arrived: 0,
                lds: Vec::new(),
                instruction_limit: launch.instruction_limit,
                load_address: resident.image.get(),
                bytes_read: 0,
                bytes_written: 0,
                access: Access::new(),
                watched: W::LOOKS_AT_ACCESSES,
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

    fn stopped(&self) -> Fault {
        Fault::Stopped {
            workgroups: self.progress.workgroups(),
            of: match self.launch.only {
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
            self.waves = idle::take(count, self.code.isa(), lanes);
            self.device.lds.resize(self.launch.lds_bytes() as usize, 0);
        }
        let [x, y, _] = self.launch.workgroups;
        self.id = [linear % x, linear / x % y, linear / x / y];
        let (words, rest) = self.device.lds.as_chunks_mut();
        words.fill(POISON.to_le_bytes());
        rest.copy_from_slice(&POISON.to_le_bytes()[..rest.len()]);
        for (number, wave) in self.waves.iter_mut().enumerate() {
            registers::start(
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
        self.states.resize(self.waves.len(), State::Running);
        self.device.most_arrived = 0;
        self.limit = self.launch.instruction_limit;
        self.watch.begin(linear, self.id, &self.waves);
    }

    /// Sets the workgroup aside that has had its turn.
    pub(super) fn set_aside(&mut self) -> Workgroup<W::Kept> {
        let mut body = self.spare.pop().unwrap_or_default();
        self.exchange(&mut body);
        Workgroup {
            id: self.id,
            body,
            most_arrived: self.device.most_arrived,
            limit: self.limit,
            kept: self.watch.set_aside(),
        }
    }

    /// Has a workgroup come back that was set aside.
    pub(super) fn resume(&mut self, workgroup: Workgroup<W::Kept>) {
        let Workgroup {
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

    fn exchange(&mut self, body: &mut Body) {
        std::mem::swap(&mut self.waves, &mut body.waves);
        std::mem::swap(&mut self.states, &mut body.states);
        std::mem::swap(&mut self.device.lds, &mut body.lds);
    }

    /// The state of the workgroup, as a number: it goes on in the same way if it comes to it again while memory stays as it is.
    pub(super) fn state(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let registers = registers::vector_registers(self.launch.kernel);
        for wave in &self.waves {
            wave.hash_state(&registers, &mut hasher);
        }
        (&self.states, &self.device.lds, self.device.most_arrived).hash(&mut hasher);
        hasher.finish()
    }

    /// The fault of a workgroup that sleeps, as nobody gets further of so many that are resident; others have not begun.
    pub(super) fn standstill(
        &self,
        workgroup: &Workgroup<W::Kept>,
        (resident, unbegun): (u64, u64),
    ) -> Fault {
        let Body { waves, states, .. } = &workgroup.body;
        let sleeping = states.iter().position(|state| *state == State::Asleep);
        let wave = &waves[sleeping.unwrap_or(0)];
        Fault::Standstill {
            place: Box::new(place(self.code, self.launch, wave, workgroup.id)),
            resident,
            unbegun,
        }
    }

    /// Runs the workgroup until it ends, sleeps or has no instructions left.
    pub(super) fn go_on(&mut self) -> Result<Turn, Fault> {
        let executed = |waves: &[Wave]| waves.iter().map(|wave| wave.executed).sum::<u64>();
        let deeds = |waves: &[Wave]| waves.iter().map(|wave| wave.deeds).sum::<u64>();
        let before = (executed(&self.waves), deeds(&self.waves));
        let turn = self.turn();
        let executed = executed(&self.waves) - before.0;
        self.executed += executed;
        let ended = matches!(turn, Ok(Turn::Ended));
        self.progress.add(ended.into(), executed);
        match turn {
            Ok(Turn::Ended) => {
                for wave in &self.waves {
                    self.execution.waves += 1;
                    self.execution.wave_instructions += wave.executed;
                    self.execution.approximate_instructions += wave.approximate;
                }
                Ok(Turn::Ended)
            }
            Ok(Turn::Asleep { .. }) => Ok(Turn::Asleep {
                moved: deeds(&self.waves) != before.1,
            }),
            Err(Fault::Stopped { .. }) => Err(self.stopped()),
            other => other,
        }
    }
}

impl<W: Watch> Drop for Runner<'_, W> {
    fn drop(&mut self) {
        idle::give_back(std::mem::take(&mut self.waves));
        for body in std::mem::take(&mut self.spare) {
            idle::give_back(body.waves);
        }
    }
}

impl<K> Workgroup<K> {
    /// Its waves may execute so many instructions more.
    pub(super) fn extend_limit(&mut self, instructions: u64) {
        self.limit = self.limit.saturating_add(instructions);
    }
}
