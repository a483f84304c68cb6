//! The reasons of verdicts, in words.

use crate::gate::{CandidateVerdict, VerdictReason};

/// Returns the reason for a verdict, in words.
pub(crate) fn reason(verdict: &CandidateVerdict) -> String {
    let word = |is_bound: bool, word: &'static str| if is_bound { word } else { "" };
    let before = format!(
        "{}{:.2} us",
        word(verdict.before.is_bound, "more than "),
        verdict.before.us
    );
    let after = format!(
        "{}{:.2} us",
        word(verdict.after.is_bound, "about "),
        verdict.after.us
    );
    let place = match verdict.is_with_others {
        false => "where it stands",
        true => "where it and the kernels beside it stand",
    };
    match &verdict.reason {
        VerdictReason::Faster => format!("{after} instead of {before}"),
        VerdictReason::NotFaster => {
            format!("left alone: the module would take {after} instead of {before} {place}")
        }
        VerdictReason::GainTooSmall => format!(
            "left alone: the module would take {after} instead of {before} {place}, a gain of less \
             than 0.5 %"
        ),
        VerdictReason::NotBelowBound => format!(
            "left alone: the module would take {after} {place}, and its time without it is only \
             known to be {before}"
        ),
        VerdictReason::SlowerCall { call } => {
            format!("left alone: {call} would take {after} instead of {before} {place}")
        }
        VerdictReason::SlowerElsewhere => format!(
            "left alone: {after} instead of {before} {place}, but the whole module would take longer"
        ),
        VerdictReason::BetterWithout => format!(
            "left alone: beside the kernels that stay, the module would take {after} instead of \
             {before} where they stand"
        ),
        VerdictReason::SlowerModule => format!(
            "left alone: the fastest compiled module with it takes {after} instead of {before}"
        ),
        VerdictReason::NoFastModule => {
            "left alone: no compiled module with it is known to be as fast in each call as without \
             kernels"
                .to_owned()
        }
        VerdictReason::NotTogether => {
            "left alone: the kernels that it interacts with are faster, and the module has no time \
             with all of them"
                .to_owned()
        }
        VerdictReason::OtherIsFaster => "another kernel of the problem is faster here".to_owned(),
        VerdictReason::RivalIsFaster => {
            "left alone: the module is as fast or faster with other kernels for its operations"
                .to_owned()
        }
        VerdictReason::OperationsTaken => "other kernels take its operations".to_owned(),
        VerdictReason::NotPlaced => "iree-compile places it nowhere in the module".to_owned(),
        VerdictReason::NotLaunched => "no profiled call of the module launches it".to_owned(),
        VerdictReason::NotCompiled { message } => {
            format!("left alone: the module does not compile with it: {message}")
        }
        VerdictReason::Untimed { message } => format!("left alone, because {message}"),
        VerdictReason::NoPlainModule => {
            "iree-compile does not compile the module without kernels".to_owned()
        }
    }
}
