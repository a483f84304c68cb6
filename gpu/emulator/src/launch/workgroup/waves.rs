//! The waves of a workgroup: they run one after the other from barrier to barrier.

use super::fault::{fault, place};
use super::{Runner, TurnOutcome, WaveStatus};
use crate::error::LaunchFault;
use crate::execute::{ExecutionObserver, FaultCause, WaveStop, run};

/// The instructions of a wave between two checks of the stop flag: a fraction of a second.
const SLICE: u64 = 1 << 22;

impl<W: ExecutionObserver> Runner<'_, W> {
    /// Runs the waves until all have ended, or until none proceeds before another workgroup's
    /// turn.
    pub(super) fn turn(&mut self) -> Result<TurnOutcome, LaunchFault> {
        let mut looked = self.device.bytes_read;
        self.wake();
        loop {
            if self.progress.is_stopped() {
                return Err(self.stopped());
            }
            while self.states.contains(&WaveStatus::Running) {
                if let Some(spent) = self.run_waves()? {
                    return Ok(TurnOutcome::Spent(spent));
                }
            }
            if self.states.iter().all(|state| *state == WaveStatus::Ended) {
                return Ok(TurnOutcome::Ended);
            }
            if self.meet()? {
                continue;
            }
            // A wave that sleeps without reading memory waits for no other workgroup.
            // All waves sleep or wait here, so another workgroup must act before they can.
            if self.device.bytes_read != looked {
                return Ok(TurnOutcome::Asleep { moved: false });
            }
            looked = self.device.bytes_read;
            self.wake();
        }
    }

    fn wake(&mut self) {
        for state in &mut self.states {
            if *state == WaveStatus::Asleep {
                *state = WaveStatus::Running;
            }
        }
    }

    /// Runs each runnable wave for a while. Returns the fault of a wave at its instruction limit.
    fn run_waves(&mut self) -> Result<Option<LaunchFault>, LaunchFault> {
        for (wave, state) in self.waves.iter_mut().zip(&mut self.states) {
            if *state != WaveStatus::Running {
                continue;
            }
            self.device.instruction_limit = wave.executed.saturating_add(SLICE).min(self.limit);
            match run(&self.code.prepared, wave, &mut self.device, self.watch) {
                WaveStop::End => *state = WaveStatus::Ended,
                WaveStop::Barrier => *state = WaveStatus::Waiting,
                WaveStop::Sleep => *state = WaveStatus::Asleep,
                WaveStop::Fault(trouble) => {
                    let is_limit = matches!(*trouble, FaultCause::InstructionLimit(_));
                    let is_slice = is_limit && self.device.instruction_limit < self.limit;
                    if is_limit {
                        // The limit stopped the step before its execution, so the next slice must
                        // repeat it.
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

    /// Releases the waves at a barrier if all live waves have reached it; returns true if some
    /// continue. No wave runs at this time.
    fn meet(&mut self) -> Result<bool, LaunchFault> {
        let count = |of: WaveStatus| self.states.iter().filter(|state| **state == of).count();
        let (waiting, asleep, ended) = (
            count(WaveStatus::Waiting),
            count(WaveStatus::Asleep),
            count(WaveStatus::Ended),
        );
        // The number of barriers that every live wave has reached. Ended waves do not count.
        let arrived = (self.waves.iter().zip(&self.states))
            .filter(|(_, state)| **state != WaveStatus::Ended)
            .map(|(wave, _)| wave.arrived)
            .min();
        let arrived = arrived.unwrap_or(0);
        let mut at_barrier = (self.waves.iter().zip(&self.states))
            .filter(|(_, state)| **state == WaveStatus::Waiting)
            .map(|(wave, _)| wave);
        let stuck = !at_barrier.clone().any(|wave| wave.waits <= arrived);
        // A sleeping wave may still come to the barrier after its sleep.
        if stuck && asleep > 0 {
            return Ok(false);
        }
        if (stuck || ended > 0 && W::MINDS_ENDED_WAVES)
            && let Some(wave) = at_barrier.next()
        {
            let fault = LaunchFault::Barrier {
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
            if *state == WaveStatus::Waiting && wave.waits <= arrived {
                *state = WaveStatus::Running;
            }
        }
        Ok(true)
    }
}
