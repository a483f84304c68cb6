//! The HTTP API, version 1: a handler for each address.

use std::sync::Arc;

use answers::http::{Best, BestConfiguration};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use configgen::{Clock, Device, Generator, Problem, Target};
use lookup::{Answer, Ranking, Request, Told, all_rankings, provenance};
use store::{Catalogue, Ties};

use crate::error::json;
use crate::parameters::{RawQuery, parameters};
use crate::tag::tagged;
use crate::{ApiError, Service};

/// Asks that a question which nothing answers is noted, to be tuned.
const WISH: HeaderName = HeaderName::from_static("wavetune-wish");

/// `GET /api/v1/configurations?problem=&target=[&device=][&generator=][&ties=]`: the configuration to use.
///
/// 200 with the answer that `wavetune lookup` prints, and 304 for who has it; 404 with the same where nothing is known, which
/// is noted where the header `Wavetune-Wish: yes` asks for it; 400 where a parameter is missing, unknown or wrong.
pub(crate) async fn configurations(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let catalogue = service.catalogue.as_ref();
    let request = request(query, catalogue.generators())?;
    let mut answer = match service.known.answer(&request) {
        Some(Told::Found(line)) => return Ok(tagged(&headers, &line)),
        Some(Told::Miss(miss)) => miss,
        None => lookup::look(catalogue, &request).await?,
    };
    if is_wished(&headers)? {
        lookup::note(catalogue, &request, &mut answer).await;
    }
    Ok(match answer {
        Answer::Exact(_) => tagged(&headers, &answers::line(&answer)),
        Answer::None(_) => json(StatusCode::NOT_FOUND, &answer),
    })
}

/// Whether what is not found is to be noted. A header of our own has to say so: a page of another site can have a browser
/// send any address, and no such header.
fn is_wished(headers: &HeaderMap) -> Result<bool, ApiError> {
    match headers.get(WISH).map(HeaderValue::as_bytes) {
        None => Ok(false),
        Some(b"yes") => Ok(true),
        Some(_) => Err(ApiError::header(WISH.as_str(), "yes")),
    }
}

fn request(query: RawQuery, generators: &[Generator]) -> Result<Request, ApiError> {
    let [problem, target, device, generator, ties] =
        parameters(query, ["problem", "target", "device", "generator", "ties"])?;
    let problem = problem.ok_or_else(|| ApiError::missing("problem"))?;
    let target = target.ok_or_else(|| ApiError::missing("target"))?;
    let generator = generator.map(|name| Generator::among(generators, &name));
    let generator = generator.transpose();
    let target = target.parse::<&'static Target>();
    let target = target.map_err(|error| ApiError::value("target", error))?;
    Ok(Request {
        problem: problem.parse::<Problem>().map_err(ApiError::problem)?,
        target: Some(target),
        device,
        generator: generator.map_err(|error| ApiError::value("generator", error))?,
        ties: index_on_ties(ties)?,
    })
}

/// The value of the parameter `ties`.
fn index_on_ties(ties: Option<String>) -> Result<Ties, ApiError> {
    let ties = ties.map_or(Ok(Ties::default()), |name| name.parse());
    ties.map_err(|error| ApiError::value("ties", error))
}

/// A row of what is known, where something of it may be served.
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
        dram_peak_us: device(&made.device).map(|row| row.dram_peak_us(&ranking.problem)),
        provenance: provenance(ranking, best),
    })
}

/// The part that a device's name ends with, as `emulated:mi300x` does.
fn device(name: &str) -> Option<&'static Device> {
    Device::named(name.rsplit(':').next()?)
}

/// The best of everything that is known.
pub(crate) async fn best_of(catalogue: &dyn Catalogue, ties: Ties) -> Result<Best, ApiError> {
    let known = all_rankings(catalogue, ties, 1).await?;
    let rows = known.rows.iter().filter_map(best_configuration);
    let (measured, modelled) = rows.partition(|row| row.clock == Clock::Measured);
    Ok(Best {
        measured,
        modelled,
        unreadable: known.unreadable,
    })
}

/// `GET /api/v1/best[?ties=]`: the best configuration of every problem, device and generator.
pub(crate) async fn best(
    State(service): State<Arc<Service>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [ties] = parameters(query, ["ties"])?;
    let best = best_of(service.catalogue.as_ref(), index_on_ties(ties)?).await?;
    Ok(json(StatusCode::OK, &best))
}
