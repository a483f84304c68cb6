//! The HTTP API, version 1: a handler for each address.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use configgen::{Configuration, Device, Generator, Problem, Target};
use lookup::{Answer, Provenance, Ranking, Request, all_rankings};
use serde::Serialize;
use store::{Catalogue, Clock, Status, Ties, Unreadable};

use crate::parameters::{RawQuery, parameters};
use crate::{ApiError, Service};

/// `GET /api/v1/configurations?problem=&target=[&device=][&generator=][&ties=]`: the configuration to use.
///
/// 200 with the answer that `wavetune lookup` prints; 404 with the same where nothing is known; 400 where a parameter
/// is missing, unknown or wrong.
pub(crate) async fn configurations(
    State(service): State<Arc<Service>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let request = request(query, service.catalogue.generators())?;
    let answer = lookup::answer(service.catalogue.as_ref(), &request).await?;
    let status = match answer {
        Answer::Exact(_) => StatusCode::OK,
        Answer::None(_) => StatusCode::NOT_FOUND,
    };
    Ok(json(status, answer.to_json()))
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

/// Everything that is known, the clocks apart.
#[derive(Debug, Serialize)]
pub(crate) struct Best {
    /// Times of real GPUs.
    pub(crate) measured: Vec<BestConfiguration>,
    /// Times of the emulator's model.
    pub(crate) modelled: Vec<BestConfiguration>,
    /// What is known and cannot be read; left out where there is nothing.
    #[serde(skip_serializing_if = "Unreadable::is_none")]
    pub(crate) unreadable: Unreadable,
}

/// The best configuration of a problem on a device by a generator.
#[derive(Debug, Serialize)]
pub(crate) struct BestConfiguration {
    pub(crate) problem: Problem,
    pub(crate) target: &'static str,
    pub(crate) device: String,
    pub(crate) generator: Generator,
    pub(crate) clock: Clock,
    /// The fastest configuration that may be served: of those that are right, where there are such, unless any index on ties
    /// was asked for.
    pub(crate) configuration: Configuration,
    pub(crate) status: Status,
    pub(crate) time_us: f64,
    /// Verdict of the untuned configuration; none where it was not tried.
    pub(crate) default_status: Option<Status>,
    /// Its time; none where it has none or may not be served.
    pub(crate) default_time_us: Option<f64>,
    /// `default_time_us / time_us`.
    pub(crate) speedup: Option<f64>,
    /// Least time that the model gives any kernel.
    pub(crate) bound_us: Option<f64>,
    /// Time of the compulsory bytes at the DRAM peak; none of a device that this build does not know.
    pub(crate) dram_peak_us: Option<f64>,
    pub(crate) provenance: Provenance,
}

impl BestConfiguration {
    fn new(ranking: &Ranking) -> Option<Self> {
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
            provenance: Provenance::new(ranking, best),
        })
    }
}

/// The part that a device's name ends with, as `emulated:mi300x` does.
fn device(name: &str) -> Option<&'static Device> {
    Device::named(name.rsplit(':').next()?)
}

impl Best {
    pub(crate) async fn of(catalogue: &dyn Catalogue, ties: Ties) -> Result<Self, ApiError> {
        let known = all_rankings(catalogue, ties, 1).await?;
        let rows = known.rows.iter().filter_map(BestConfiguration::new);
        let (measured, modelled) = rows.partition(|row| row.clock == Clock::Measured);
        Ok(Best {
            measured,
            modelled,
            unreadable: known.unreadable,
        })
    }
}

/// `GET /api/v1/best[?ties=]`: the best configuration of every problem, device and generator.
pub(crate) async fn best(
    State(service): State<Arc<Service>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [ties] = parameters(query, ["ties"])?;
    let best = Best::of(service.catalogue.as_ref(), index_on_ties(ties)?).await?;
    let text = serde_json::to_string(&best).expect("every key is a string");
    Ok(json(StatusCode::OK, text))
}

fn json(status: StatusCode, line: String) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, format!("{line}\n")).into_response()
}
