//! The verdict of the gate.

use crate::profiler::ProfiledModule;

/// The reason for a verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictReason {
    /// The changed commands take less time.
    Faster,
    /// The changed commands take as long or longer.
    NotFaster,
    /// The changed commands of one call take longer.
    SlowerCall {
        /// The function and its inputs.
        call: String,
    },
    /// The changed commands take less time, and the whole module takes longer.
    SlowerElsewhere,
    /// The module launches none of its kernels.
    NotPlaced,
    /// The candidates that it interacts with are faster without it.
    BetterWithout,
    /// The same, but the time with it is a lower bound: no module with it was profiled.
    BetterWithoutAtLeast,
    /// The module has no time with it and the candidates that it interacts with.
    NotTogether,
    /// The candidate that can stand in for it, or for which it can stand in, is faster here.
    OtherIsFaster,
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

/// The verdict on a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateVerdict {
    /// True if it stays.
    pub kept: bool,
    /// The reason.
    pub reason: VerdictReason,
    /// The time of the commands that its group changes, in microseconds. It is that of the call
    /// that becomes slower, else of all calls. It is that of the plain module, or of the module
    /// with the candidates that are better without it.
    pub before_us: f64,
    /// Their time with it in place.
    pub after_us: f64,
    /// The number of launches of its kernels, over all profiled calls.
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
