//! The waves of a workgroup: they run one after the other from barrier to barrier.

use super::fault::{fault, place};
use super::{Runner, State, Turn};
use crate::error::Fault;
use crate::execute::{Stop, Trouble, Watch, run};

/// Instructions of a wave between two looks at whether the launch is to stop: a fraction of a second.
const SLICE: u64 = 1 << 22;

impl<W: Watch> Runner<'_, W> {
    /// Runs the waves until all have ended, or none goes on before another workgroup has had its turn.
    pub(super) fn turn(&mut self) -> Result<Turn, Fault> {
        let mut looked = self.device.bytes_read;
        self.wake();
        loop {
            if self.progress.is_stopped() {
                return Err(self.stopped());
            }
            while self.states.contains(&State::Running) {
                if let Some(spent) = self.run_waves()? {
                    return Ok(Turn::Spent(spent));
                }
            }
            if self.states.iter().all(|state| *state == State::Ended) {
                return Ok(Turn::Ended);
            }
            if self.meet()? {
                continue;
            }
            // Who has not looked at memory since sleeps without waiting for anybody.
            if self.device.bytes_read != looked {
                return Ok(Turn::Asleep { moved: false });
            }
            looked = self.device.bytes_read;
            self.wake();
        }
    }

    fn wake(&mut self) {
        for state in &mut self.states {
            if *state == State::Asleep {
                *state = State::Running;
            }
        }
    }

    /// Runs each wave that may run, for a while. Returns the fault of one that has reached the limit of its instructions.
    fn run_waves(&mut self) -> Result<Option<Fault>, Fault> {
        for (wave, state) in self.waves.iter_mut().zip(&mut self.states) {
            if *state != State::Running {
                continue;
            }
            self.device.instruction_limit = wave.executed.saturating_add(SLICE).min(self.limit);
            match run(&self.code.prepared, wave, &mut self.device, self.watch) {
                Stop::End => *state = State::Ended,
                Stop::Barrier => *state = State::Waiting,
                Stop::Sleep => *state = State::Asleep,
                Stop::Fault(trouble) => {
                    let is_limit = matches!(*trouble, Trouble::InstructionLimit(_));
                    let is_slice = is_limit && self.device.instruction_limit < self.limit;
                    if is_limit {
                        wave.repeat();
                    }
                    if !is_slice {
                        let place = place(self.code, self.launch, wave, self.id);
                        let fault = fault(*trouble, place, &self.device, wave);
                        return if is_limit {
                            Ok(Some(fault))
                        } else {
                            Err(fault)
                        };
                    }
                    if self.progress.is_stopped() {
                        return Err(self.stopped());
                    }
                }
            }
        }
        Ok(None)
    }

    /// No wave runs, and not all have ended. Those that wait at a barrier go on, if all have come there that have not ended; returns
    /// whether some do.
    fn meet(&mut self) -> Result<bool, Fault> {
        let count = |of: State| self.states.iter().filter(|state| **state == of).count();
        let (waiting, asleep, ended) = (
            count(State::Waiting),
            count(State::Asleep),
            count(State::Ended),
        );
        // How often every wave has come to the barrier. Waves that have ended count no longer.
        let arrived = (self.waves.iter().zip(&self.states))
            .filter(|(_, state)| **state != State::Ended)
            .map(|(wave, _)| wave.arrived)
            .min();
        let arrived = arrived.unwrap_or(0);
        let mut at_barrier = (self.waves.iter().zip(&self.states))
            .filter(|(_, state)| **state == State::Waiting)
            .map(|(wave, _)| wave);
        let stuck = !at_barrier.clone().any(|wave| wave.waits <= arrived);
        if stuck && asleep > 0 {
            return Ok(false);
        }
        if (stuck || ended > 0 && W::MINDS_ENDED_WAVES)
            && let Some(wave) = at_barrier.next()
        {
            let fault = Fault::Barrier {
                place: Box::new(place(self.code, self.launch, wave, self.id)),
                waiting: waiting as u32,
                ended: ended as u32,
                waves: self.states.len() as u32,
            };
            if stuck || !self.watch.survives(&fault) {
                return Err(fault);
            }
        }
        self.watch.barrier();
        for (wave, state) in self.waves.iter().zip(&mut self.states) {
            if *state == State::Waiting && wave.waits <= arrived {
                *state = State::Running;
            }
        }
        Ok(true)
    }
}
