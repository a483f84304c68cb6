//! Launches without a profile. A wave that reached its limit has issued instructions, and these
//! take a least time.

use thiserror::Error;

use super::recorder::Recorder;
use super::trace::WaveTrace;
use crate::error::LaunchFault;

/// A launch without a profile.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{fault}")]
#[non_exhaustive]
pub struct UnprofiledLaunch {
    /// The fault that ended the sample.
    pub fault: LaunchFault,
    /// The instructions of the longest wave up to its limit. `None` after any other fault, and if
    /// the wave may have waited for another workgroup or for the host.
    pub issued: Option<IssuedInstructions>,
}

/// The instructions that a wave has issued. Instructions of LDS, waits and barriers are not among
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssuedInstructions {
    /// Lanes of the wave.
    pub(crate) lanes: u32,
    /// Passes of the vector unit, and passes at the rate of double precision.
    pub(crate) vector: u64,
    pub(crate) double: u64,
    pub(crate) scalar: u64,
    pub(crate) branches: u64,
    /// Accesses to memory, vector and scalar ones.
    pub(crate) accesses: u64,
}

impl IssuedInstructions {
    pub(super) fn of(wave: &WaveTrace, lanes: u32) -> IssuedInstructions {
        let tally = &wave.tally;
        IssuedInstructions {
            lanes,
            vector: tally.vector,
            double: tally.double,
            scalar: tally.scalar,
            branches: tally.branches,
            accesses: tally.accesses.values().sum::<u64>() + tally.scalar_loads,
        }
    }

    /// Returns those of the longest wave of workgroups that ran alone. `None` if they may wait.
    pub(super) fn of_longest(recorder: &Recorder) -> Option<IssuedInstructions> {
        // A wait repeats instructions as often as the emulator's schedule has it.
        if recorder.counted || recorder.asks_host {
            return None;
        }
        let waves = recorder.traces.iter().flat_map(|it| &it.waves);
        let longest = waves.max_by_key(|wave| wave.executed)?;
        Some(IssuedInstructions::of(longest, recorder.lanes))
    }
}

#[cfg(test)]
mod tests {
    use super::super::trace::{Issue, TraceEvent, WorkgroupTrace};
    use super::*;

    /// Checks the scalar instructions of the longest wave after a change of the recorder.
    #[track_caller]
    fn check(change: impl FnOnce(&mut Recorder), expected: Option<u64>) {
        let mut recorder = Recorder::new(8, 64);
        let scalars = |count: usize| {
            let one = TraceEvent::Issue(Issue {
                scalar: 1,
                ..Issue::default()
            });
            WaveTrace::whole(&vec![one; count])
        };
        recorder.traces.push(WorkgroupTrace {
            waves: vec![scalars(3), scalars(7), scalars(5)],
            share: 0.0,
        });
        change(&mut recorder);
        let longest = IssuedInstructions::of_longest(&recorder);
        assert_eq!(longest.map(|it| it.scalar), expected);
    }

    #[test]
    fn waves_that_may_wait_have_no_bound() {
        check(|_| {}, Some(7));
        check(|it| it.counted = true, None);
        check(|it| it.asks_host = true, None);
        check(|it| it.traces.clear(), None);
    }
}
