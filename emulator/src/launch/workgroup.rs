//! Workgroups: their waves run one after the other from barrier to barrier.

use super::registers::{self, POISON};
use super::{Execution, Launch, Progress, Resident, arguments, idle};
use crate::error::{Fault, Place};
use crate::execute::{Access, Device, Stop, Trouble, Watch, Wave, run};
use crate::loaded::CodeObject;
use crate::shared::Shared;

/// Instructions of a wave between two looks at whether the launch is to stop: a fraction of a second.
const SLICE: u64 = 1 << 22;

/// Runs the workgroups of a launch.
pub(super) struct Runner<'a, W> {
    code: &'a CodeObject,
    launch: &'a Launch<'a>,
    resident: &'a Resident,
    device: Device<'a>,
    block: Vec<u8>,
    waves: Vec<Wave>,
    watch: &'a mut W,
    /// The first step.
    entry: usize,
    execution: Execution,
    progress: &'a Progress,
    /// Instructions that a wave of the workgroup may execute.
    limit: u64,
}

/// Where a wave stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    Waiting,
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
        let lds = launch.lds_bytes() as usize;
        Ok(Runner {
            code,
            launch,
            resident,
            device: Device {
                memory,
                most_arrived: 0,
                lds: vec![0; lds],
                instruction_limit: launch.instruction_limit,
                load_address: resident.image.get(),
                bytes_read: 0,
                bytes_written: 0,
                access: Access::new(),
                watched: W::LOOKS_AT_ACCESSES,
            },
            block: arguments::block(launch),
            waves: idle::take(
                launch.workgroup_waves() as usize,
                code.isa(),
                launch.kernel.wavefront_size,
            ),
            watch,
            entry,
            execution: Execution::default(),
            progress,
            limit: launch.instruction_limit,
        })
    }

    /// What the workgroups that have run did.
    pub(super) fn execution(&self) -> Execution {
        Execution {
            bytes_read: self.device.bytes_read,
            bytes_written: self.device.bytes_written,
            ..self.execution
        }
    }

    /// Runs the workgroup with this linear id. A wave that reaches the limit of its instructions may go on for as many
    /// once more if `waits` says that it waited for workgroups before its own, which the wave may wait for too.
    pub(super) fn run(&mut self, linear: u32, waits: &dyn Fn() -> bool) -> Result<(), Fault> {
        if self.progress.is_stopped() {
            return Err(self.stopped());
        }
        let before = self.execution.wave_instructions;
        self.limit = self.launch.instruction_limit;
        self.workgroup(linear, waits)?;
        for wave in &self.waves {
            self.execution.waves += 1;
            self.execution.wave_instructions += wave.executed;
            self.execution.approximate_instructions += wave.approximate;
        }
        let instructions = self.execution.wave_instructions - before;
        self.progress.add(1, instructions);
        Ok(())
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

    fn workgroup(&mut self, linear: u32, waits: &dyn Fn() -> bool) -> Result<(), Fault> {
        let [x, y, _] = self.launch.workgroups;
        let id = [linear % x, linear / x % y, linear / x / y];
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
                id,
                number as u32,
            );
        }
        self.device.most_arrived = 0;
        self.watch.begin(linear, id, &self.waves);
        let mut states = vec![State::Running; self.waves.len()];
        loop {
            let mut again = false;
            for (wave, state) in self.waves.iter_mut().zip(&mut states) {
                if *state != State::Running {
                    continue;
                }
                self.device.instruction_limit = wave.executed.saturating_add(SLICE).min(self.limit);
                match run(&self.code.prepared, wave, &mut self.device, self.watch) {
                    Stop::End => *state = State::Ended,
                    Stop::Barrier => *state = State::Waiting,
                    Stop::Fault(trouble)
                        if matches!(*trouble, Trouble::InstructionLimit(_))
                            && (self.device.instruction_limit < self.limit || waits()) =>
                    {
                        if self.device.instruction_limit == self.limit {
                            self.limit = self.limit.saturating_add(self.launch.instruction_limit);
                        }
                        wave.repeat();
                        again = true;
                        if self.progress.is_stopped() {
                            break;
                        }
                    }
                    Stop::Fault(trouble) => {
                        let place = place(self.code, self.launch, wave, id);
                        return Err(fault(*trouble, place, &self.device, wave));
                    }
                }
            }
            if again {
                if self.progress.is_stopped() {
                    let executed = self.waves.iter().map(|wave| wave.executed).sum();
                    self.progress.add(0, executed);
                    return Err(self.stopped());
                }
                continue;
            }
            let waiting = states
                .iter()
                .filter(|state| **state == State::Waiting)
                .count();
            let ended = states.len() - waiting;
            if waiting == 0 {
                return Ok(());
            }
            // How often every wave has come to the barrier. Waves that have ended count no longer.
            let arrived = (self.waves.iter().zip(&states))
                .filter(|(_, state)| **state == State::Waiting)
                .map(|(wave, _)| wave.arrived)
                .min();
            let arrived = arrived.unwrap_or(0);
            let stuck = !(self.waves.iter().zip(&states))
                .any(|(wave, state)| *state == State::Waiting && wave.waits <= arrived);
            if stuck || ended > 0 && W::MINDS_ENDED_WAVES {
                let wave = self
                    .waves
                    .iter()
                    .zip(&states)
                    .find(|(_, state)| **state == State::Waiting);
                let Some((wave, _)) = wave else { return Ok(()) };
                let fault = Fault::Barrier {
                    place: Box::new(place(self.code, self.launch, wave, id)),
                    waiting: waiting as u32,
                    ended: ended as u32,
                    waves: states.len() as u32,
                };
                if stuck || !self.watch.survives(&fault) {
                    return Err(fault);
                }
            }
            self.watch.barrier();
            for (wave, state) in self.waves.iter().zip(&mut states) {
                if *state == State::Waiting && wave.waits <= arrived {
                    *state = State::Running;
                }
            }
        }
    }
}

impl<W> Drop for Runner<'_, W> {
    fn drop(&mut self) {
        idle::give_back(std::mem::take(&mut self.waves));
    }
}

fn place(code: &CodeObject, launch: &Launch<'_>, wave: &Wave, workgroup: [u32; 3]) -> Place {
    let instruction = code.program.instructions().get(wave.current);
    Place {
        kernel: launch.kernel.name.clone(),
        pc: instruction.map_or(0, |one| one.address),
        instruction: instruction.map_or_else(|| "(no instruction)".into(), |one| one.to_string()),
        workgroup,
        wave: wave.number,
    }
}

fn fault(trouble: Trouble, place: Place, device: &Device<'_>, wave: &Wave) -> Fault {
    let place = Box::new(place);
    match trouble {
        Trouble::Unsupported(reason) => Fault::Unsupported { place, reason },
        Trouble::OutOfBounds {
            lane,
            action,
            address,
            bytes,
        } => Fault::OutOfBounds {
            place,
            lane,
            action,
            address,
            bytes,
            nearest: device.memory.describe(address),
        },
        Trouble::Lds {
            lane,
            offset,
            bytes,
        } => Fault::Lds {
            place,
            lane,
            offset,
            bytes,
            lds_bytes: device.lds.len() as u32,
        },
        Trouble::Scratch {
            lane,
            offset,
            bytes,
        } => Fault::Scratch {
            place,
            lane,
            offset,
            bytes,
            scratch_bytes: wave.scratch_bytes,
        },
        Trouble::Jump(target) => Fault::Jump { place, target },
        Trouble::Trap(id) => Fault::Trap { place, id },
        Trouble::InstructionLimit(limit) => Fault::InstructionLimit { place, limit },
    }
}
