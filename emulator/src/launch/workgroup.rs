//! Workgroups: their waves run one after the other from barrier to barrier.

use super::registers::{self, POISON};
use super::{Execution, Launch, Resident, arguments};
use crate::code_object::CodeObject;
use crate::error::{Fault, Place};
use crate::execute::{Access, Device, Stop, Trouble, Watch, Wave, run};
use crate::memory::Memory;

/// Runs the workgroups of a launch.
pub(super) struct Runner<'a, W> {
    code: &'a CodeObject,
    launch: &'a Launch<'a>,
    resident: &'a Resident,
    device: Device<'a>,
    block: Vec<u8>,
    waves: Vec<Wave>,
    watch: &'a mut W,
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
        memory: &'a mut Memory,
        launch: &'a Launch<'a>,
        resident: &'a Resident,
        watch: &'a mut W,
    ) -> Runner<'a, W> {
        let lds = (launch.lds_bytes()) as usize;
        Runner {
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
            waves: (0..launch.workgroup_waves())
                .map(|_| Wave::new(code.isa(), launch.kernel.wavefront_size))
                .collect(),
            watch,
        }
    }

    pub(super) fn run(mut self, ids: impl Iterator<Item = u32>) -> Result<Execution, Fault> {
        let prepared = self.code.prepared();
        let Some(entry) = prepared.index_of(self.launch.kernel.start()) else {
            return Err(Fault::Launch {
                kernel: self.launch.kernel.name.clone(),
                reason: format!(
                    "no instruction at its entry {:#x}",
                    self.launch.kernel.start()
                ),
            });
        };
        let mut execution = Execution::default();
        for id in ids {
            self.workgroup(entry, id)?;
            for wave in &self.waves {
                execution.waves += 1;
                execution.wave_instructions += wave.executed;
                execution.approximate_instructions += wave.approximate;
            }
        }
        execution.bytes_read = self.device.bytes_read;
        execution.bytes_written = self.device.bytes_written;
        Ok(execution)
    }

    fn workgroup(&mut self, entry: usize, linear: u32) -> Result<(), Fault> {
        let [x, y, _] = self.launch.workgroups;
        let id = [linear % x, linear / x % y, linear / x / y];
        for (byte, poison) in self
            .device
            .lds
            .iter_mut()
            .zip(POISON.to_le_bytes().into_iter().cycle())
        {
            *byte = poison;
        }
        for (number, wave) in self.waves.iter_mut().enumerate() {
            registers::start(
                wave,
                self.launch,
                self.resident,
                &self.block,
                entry,
                id,
                number as u32,
            );
        }
        self.device.most_arrived = 0;
        self.watch.begin(linear, id, &self.waves);
        let mut states = vec![State::Running; self.waves.len()];
        loop {
            for (wave, state) in self.waves.iter_mut().zip(&mut states) {
                if *state != State::Running {
                    continue;
                }
                match run(self.code.prepared(), wave, &mut self.device, self.watch) {
                    Stop::End => *state = State::Ended,
                    Stop::Barrier => *state = State::Waiting,
                    Stop::Fault(trouble) => {
                        let place = place(self.code, self.launch, wave, id);
                        return Err(fault(*trouble, place, &self.device, wave));
                    }
                }
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

fn place(code: &CodeObject, launch: &Launch<'_>, wave: &Wave, workgroup: [u32; 3]) -> Place {
    let instruction = code.program().instructions().get(wave.current);
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
