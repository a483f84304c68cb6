//! The verdict of the gate.

use super::comparison::TimePair;
use crate::profiler::ProfiledModule;

/// The reason for a verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictReason {
    /// The changed commands take less time.
    Faster,
    /// The changed commands take as long or longer.
    NotFaster,
    /// The changed commands take less time, by too small a part of it.
    GainTooSmall,
    /// The commands in place of the changed ones are known to take longer than a time that is
    /// shorter than that with the candidate. Either may be faster.
    NotBelowBound,
    /// The changed commands of one call take longer.
    SlowerCall {
        /// The function and its inputs.
        call: String,
    },
    /// The changed commands take less time, and the whole module takes longer.
    SlowerElsewhere,
    /// The module has none of its kernels.
    NotPlaced,
    /// No profiled call launches its kernels.
    NotLaunched,
    /// Other candidates take its operations.
    OperationsTaken,
    /// The candidates that it interacts with are as fast or faster without it.
    BetterWithout,
    /// The fastest compiled module with it takes longer than the chosen one.
    SlowerModule,
    /// Enough modules were compiled. Each with it has no time, or takes longer than the plain one
    /// in a call.
    NoFastModule,
    /// The module has no time with it and the candidates that it interacts with.
    NotTogether,
    /// The candidate that can stand in for it, or for which it can stand in, is faster here.
    OtherIsFaster,
    /// The plain module does not compile, and it is slower with this candidate than with others
    /// for the same operations.
    RivalIsFaster,
    /// The module does not compile with it.
    NotCompiled {
        /// The compiler's message.
        message: String,
    },
    /// A command that it changes has no time.
    Untimed {
        /// The command's name and the reason.
        message: String,
    },
    /// The plain module does not compile, so there is nothing to compare with.
    NoPlainModule,
}

impl VerdictReason {
    /// Returns true if the reason follows from times.
    pub(super) fn is_of_times(&self) -> bool {
        use VerdictReason::*;
        matches!(
            self,
            Faster
                | NotFaster
                | GainTooSmall
                | NotBelowBound
                | SlowerCall { .. }
                | SlowerElsewhere
                | BetterWithout
                | NotTogether
        )
    }
}

/// A time of a verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct VerdictTime {
    /// The microseconds.
    pub us: f64,
    /// True if the time before is only known to be longer, or if the time after is an estimate.
    pub is_bound: bool,
}

/// The verdict on a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateVerdict {
    /// True if it stays.
    pub kept: bool,
    /// The reason.
    pub reason: VerdictReason,
    /// The time of the commands that it changes, alone or with the candidates that it interacts
    /// with. It is that of the call that becomes slower, else of all calls. It is that of the plain
    /// module, or of the module with the candidates that are better without it.
    pub before: VerdictTime,
    /// Their time with it in place.
    pub after: VerdictTime,
    /// True if `after` is a time with other candidates in place, too.
    pub is_with_others: bool,
    /// The number of launches of its kernels over all profiled calls: of the chosen module if it
    /// stays, else of the module with all candidates.
    pub launches: usize,
}

/// The verdict on all candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct GateVerdict {
    /// One verdict for each candidate, in order.
    pub candidates: Vec<CandidateVerdict>,
    /// The candidates that stay, by position.
    pub kept: Vec<usize>,
    /// The plain module, if it compiles.
    pub plain: Option<ProfiledModule>,
    /// The module with the kept candidates.
    pub chosen: ProfiledModule,
    /// The number of different modules that were compiled and profiled.
    pub profiles: usize,
    /// The number of different modules that were lowered only, for predicted times.
    pub outlines: usize,
}

impl CandidateVerdict {
    /// Creates the verdict on a candidate that stays out, without times.
    pub(super) fn left_out(reason: VerdictReason) -> CandidateVerdict {
        CandidateVerdict {
            kept: false,
            reason,
            before: VerdictTime::default(),
            after: VerdictTime::default(),
            is_with_others: false,
            launches: 0,
        }
    }

    /// Sets the times of the commands that it changes. `is_bound` says that the time after is an
    /// estimate.
    pub(super) fn set_times(&mut self, pair: TimePair, is_bound: bool) {
        self.before = VerdictTime {
            us: pair.before_us,
            is_bound: pair.bounded > 0,
        };
        self.after = VerdictTime {
            us: pair.after_us,
            is_bound,
        };
    }
}
