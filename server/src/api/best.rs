//! The best configurations in the database.

use std::sync::Arc;

use answers::http::{Best, BestConfiguration};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use configgen::Clock;
use lookup::{Ranking, all_rankings, provenance};
use store::{Catalogue, Ties};

use crate::error_responses::CommonErrors;
use crate::json_response::json;
use crate::parameters::{self, RawQuery, parameters};
use crate::{ApiError, ServiceState};

/// Converts a ranking to a row, if one of its configurations may be served.
fn best_configuration(ranking: &Ranking) -> Option<BestConfiguration> {
    let (best, made) = (ranking.best.first()?, &ranking.provenance);
    Some(BestConfiguration {
        problem: ranking.problem.clone(),
        target: made.target.name,
        device: made.device.clone(),
        generator: made.generator,
        clock: made.clock,
        configuration: best.configuration.clone(),
        status: best.trial.outcome.status(),
        time_us: best.timing.time_us,
        default_status: ranking.default.as_ref().map(|trial| trial.outcome.status()),
        default_time_us: ranking.default_time_us(),
        speedup: ranking.speedup(),
        bound_us: ranking.bound_us,
        dram_peak_us: lookup::part(&made.device).map(|row| row.dram_peak_us(&ranking.problem)),
        provenance: provenance(ranking, best),
    })
}

/// Returns the best configurations in the catalogue.
pub(crate) async fn best_of(catalogue: &dyn Catalogue, ties: Ties) -> Result<Best, ApiError> {
    // The list has the best configuration only, so a depth of 1 suffices.
    let known = all_rankings(catalogue, ties, 1).await?;
    let rows = known.rows.iter().filter_map(best_configuration);
    // Measured and modelled times are never compared with each other.
    let (measured, modelled) = rows.partition(|row| row.clock == Clock::Measured);
    Ok(Best {
        measured,
        modelled,
        unreadable: known.unreadable,
    })
}

/// Returns the best configuration of every problem, device and generator.
#[utoipa::path(
    get,
    path = "/api/v1/best",
    params(("ties" = Option<String>, Query, pattern = "^(fold|any)$",
        description = "The accepted index on ties: the reference's (`fold`, the default), or `any`")),
    responses(
        (status = 200, description = "The best known configurations, by clock", body = ref("#/components/schemas/Best")),
        CommonErrors,
    ),
)]
pub(crate) async fn best(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [ties] = parameters(query, ["ties"])?;
    let best = best_of(service.catalogue.as_ref(), parameters::ties(ties)?).await?;
    Ok(json(StatusCode::OK, &best))
}
