//! The explanation of an answer: all candidates in their order, and the handicap of each against
//! the one before.

use answers::lookup::{Candidate, CandidateHandicap, Candidates};
use configgen::Clock;
use store::{Catalogue, StoreError, Ties};

use crate::answer::provenance;
use crate::ladder::LookupRequest;
use crate::merit::is_behind;
use crate::ranking::{Ranking, rankings};

/// Returns the candidates for the answer to `request`, the answer first; none if nothing may be
/// served. Results of an older compiler or driver are history and no candidates.
///
/// # Errors
///
/// Any error of reading the catalogue. The result leaves unreadable rows out and counts them.
pub async fn candidates(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
) -> Result<Candidates, StoreError> {
    let LookupRequest {
        problem, target, ..
    } = request;
    // Only the best of each ranking can answer.
    let known = rankings(catalogue, problem, *target, request.ties, 1).await?;
    let admitted = request.admitted(&known.rows);
    let mut before = None;
    let mut candidates = Vec::new();
    for ranking in admitted {
        candidates.extend(candidate(ranking, before, request.ties));
        before = Some(ranking);
    }
    Ok(Candidates {
        candidates,
        unreadable: known.unreadable,
    })
}

fn candidate(ranking: &Ranking, before: Option<&Ranking>, ties: Ties) -> Option<Candidate> {
    let best = ranking.best.first()?;
    Some(Candidate {
        study: best.study.0,
        ordinal: best.trial.ordinal,
        target: ranking.provenance.target.name,
        generator: ranking.provenance.generator,
        status: best.trial.outcome.status(),
        time_us: best.timing.time_us,
        default_time_us: ranking.default_time_us(),
        speedup: ranking.speedup(),
        provenance: provenance(ranking, best),
        behind: before.and_then(|before| behind(ranking, before, ties)),
    })
}

/// Returns the first property by which a ranking is behind the one before it.
fn behind(ranking: &Ranking, before: &Ranking, ties: Ties) -> Option<CandidateHandicap> {
    let (best, first) = (ranking.best.first()?, before.best.first()?);
    let [this, other] = [best, first].map(|it| is_behind(it.trial.outcome.status(), ties));
    let modelled = ranking.provenance.clock == Clock::Modelled;
    Some(if this != other {
        CandidateHandicap::AnotherIndex
    } else if modelled && before.provenance.clock == Clock::Measured {
        CandidateHandicap::Modelled
    } else {
        CandidateHandicap::Slower {
            times: best.timing.time_us / first.timing.time_us,
        }
    })
}
