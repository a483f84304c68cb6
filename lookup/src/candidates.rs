//! Why a lookup is answered as it is: all that might have answered, in the order in which it is taken, and what puts each behind
//! the one before.

use answers::lookup::{Candidate, CandidateHandicap, Candidates};
use configgen::Clock;
use store::{Catalogue, StoreError, Ties};

use crate::answer::provenance;
use crate::ladder::LookupRequest;
use crate::merit::is_behind;
use crate::ranking::{Ranking, rankings};

/// The candidates for the answer to `request`, the answer first; none where nothing may be served. What an older compiler or
/// driver gave is history, and no candidate.
///
/// # Errors
///
/// What reading the catalogue returns. Rows that cannot be read are left out, and counted.
pub async fn candidates(
    catalogue: &dyn Catalogue,
    request: &LookupRequest,
) -> Result<Candidates, StoreError> {
    let LookupRequest {
        problem, target, ..
    } = request;
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

/// What puts a ranking behind the one that is taken before it: the first thing in which they differ.
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
