//! The choice for a tuned problem in a spec: the best configuration, or IREE's own default if
//! that is as good.

use configgen::{Generator, Pipeline};
use store::{ANOTHER_INDEX, Status, Ties, Trial};

use lookup::{Ranking, RankingEntry, is_behind, is_served};

/// The pipeline of a problem, with its provenance.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) pipeline: Pipeline,
    pub(super) provenance: String,
}

impl Choice {
    /// Returns the choice for the ranking's problem; `None` if the compiler's own default is best
    /// but unknown.
    pub(super) fn of(ranking: &Ranking, ties: Ties) -> Option<Choice> {
        // The selection has only rankings with a configuration.
        let best = &ranking.best[0];
        match (gains(ranking, ties), &ranking.default) {
            (false, Some(default)) => Some(Choice {
                pipeline: unasked(ranking, default)?,
                provenance: format!(
                    "{}, IREE's own default",
                    timed(ranking, ranking.default_time_us()?, default)
                ),
            }),
            _ => Some(Choice {
                pipeline: Pipeline::VectorDistribute(best.configuration.clone()),
                provenance: provenance_text(ranking, best),
            }),
        }
    }
}

/// Returns time, speedup and trial of a configuration, as text.
pub(super) fn provenance_text(ranking: &Ranking, ranked: &RankingEntry) -> String {
    let time_us = ranked.timing.time_us;
    let default = match ranking.default_time_us() {
        Some(default) => format!("{default:.2} us by default ({:.2}x)", default / time_us),
        None => "no time by default".to_owned(),
    };
    let time = timed(ranking, time_us, &ranked.trial);
    format!(
        "{time}, {default}, trial {} of study {}",
        ranked.trial.ordinal, ranked.study.0
    )
}

/// Returns whether the best configuration beats the default. A correct one beats one with another
/// tie-break, regardless of time, unless the selection accepts any index.
fn gains(ranking: &Ranking, ties: Ties) -> bool {
    let served = |status: &Status| is_served(*status, ranking.provenance.generator);
    let default = ranking.default.as_ref().map(|it| it.outcome.status());
    let best_is_behind = is_behind(ranking.best[0].trial.outcome.status(), ties);
    match default.filter(served).map(|it| is_behind(it, ties)) {
        Some(is_default_behind) if is_default_behind != best_is_behind => is_default_behind,
        // If the default has no time, the configuration is all that is known.
        _ => ranking.speedup().is_none_or(|factor| factor > 1.0),
    }
}

/// Returns the pipeline of IREE's default in its trial.
///
/// Returns `None` if another version's rules apply, or for an open count. Such an entry would
/// also match known counts, for which IREE chooses another pipeline.
fn unasked(ranking: &Ranking, default: &Trial) -> Option<Pipeline> {
    let made = &ranking.provenance;
    let is_open = ranking.problem.shape.counts().is_some();
    if is_open || Generator::IREE.doubt(&made.compiler_version).is_some() {
        return None;
    }
    match &default.configuration {
        Some(configuration) => Some(Pipeline::VectorDistribute(configuration.clone())),
        None => {
            // The trial of a fallback pipeline stores no configuration, so the generator's rules
            // give it again.
            let chosen =
                configgen::default_configuration(&ranking.problem, made.target, made.generator);
            chosen.ok()
        }
    }
}

fn timed(ranking: &Ranking, time_us: f64, trial: &Trial) -> String {
    let on_ties = match trial.outcome.status() {
        Status::Tie => format!(" ({ANOTHER_INDEX})"),
        _ => String::new(),
    };
    let made = &ranking.provenance;
    format!("{time_us:.2} us {} on {}{on_ties}", made.clock, made.device)
}
