//! The HTTP API, version 1: a handler for each address.

use std::sync::Arc;

use answers::http::{Batch, Best, BestConfiguration, Reply};
use axum::Json;
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use configgen::{Clock, Device, Generator, Problem, Target};
use lookup::{Ranking, Request, Told, all_rankings, provenance};
use serde::Deserialize;
use store::{Catalogue, StoreError, Ties};

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
    let request = request(query, service.catalogue.generators())?;
    let told = answer(&service, &request, is_wished(&headers)?).await?;
    Ok(match told {
        Told::Found(line) => tagged(&headers, line.as_str()),
        Told::Miss(miss) => json(StatusCode::NOT_FOUND, &miss),
    })
}

/// What is answered to a request: from memory, where it is there.
async fn answer(service: &Service, request: &Request, is_wished: bool) -> Result<Told, StoreError> {
    let catalogue = service.catalogue.as_ref();
    let mut told = match service.known.answer(request) {
        Some(told) => told,
        None => Told::from(lookup::look(catalogue, request).await?),
    };
    if let Told::Miss(miss) = &mut told
        && is_wished
    {
        lookup::note(catalogue, request, miss).await;
    }
    Ok(told)
}

/// Questions at once at most.
const QUESTIONS: usize = 1000;

/// The body of many questions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Questions {
    questions: Vec<Question>,
    /// Whether what is not found is to be noted.
    #[serde(default)]
    wish: bool,
}

/// What the parameters of `GET /api/v1/configurations` say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    problem: Option<String>,
    target: Option<String>,
    device: Option<String>,
    generator: Option<String>,
    ties: Option<String>,
}

/// `POST /api/v1/configurations:batch`: the configurations to use, of many questions.
///
/// 200 with an answer to each: what it gets alone, or the error; 400 where the body is not what it should be, 413 where it
/// is too long.
pub(crate) async fn batch(
    State(service): State<Arc<Service>>,
    body: Result<Json<Questions>, JsonRejection>,
) -> Result<Response, ApiError> {
    let Json(Questions { questions, wish }) = body.map_err(ApiError::body)?;
    if questions.len() > QUESTIONS {
        return Err(ApiError::too_many(questions.len(), QUESTIONS));
    }
    let mut answers = Vec::with_capacity(questions.len());
    for question in questions {
        let request = question.request(service.catalogue.generators());
        answers.push(match request {
            Err(error) => Reply::Failure(error.failure()),
            Ok(request) => match answer(&service, &request, wish).await? {
                Told::Found(line) => Reply::Found(line),
                Told::Miss(miss) => Reply::Miss(miss),
            },
        });
    }
    Ok(json(StatusCode::OK, &Batch { answers }))
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
    let question = Question {
        problem,
        target,
        device,
        generator,
        ties,
    };
    question.request(generators)
}

impl Question {
    fn request(self, generators: &[Generator]) -> Result<Request, ApiError> {
        let problem = self.problem.ok_or_else(|| ApiError::missing("problem"))?;
        let target = self.target.ok_or_else(|| ApiError::missing("target"))?;
        let generator = self
            .generator
            .map(|name| Generator::among(generators, &name));
        let generator = generator.transpose();
        let target = target.parse::<&'static Target>();
        let target = target.map_err(|error| ApiError::value("target", error))?;
        Ok(Request {
            problem: problem.parse::<Problem>().map_err(ApiError::problem)?,
            target: Some(target),
            device: self.device,
            generator: generator.map_err(|error| ApiError::value("generator", error))?,
            ties: index_on_ties(self.ties)?,
        })
    }
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
