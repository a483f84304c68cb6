//! Configurations: the one to use for a problem, for one question or many.

use std::sync::Arc;

use answers::http::{BatchAnswer, BatchAnswers};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use configgen::Generator;
use lookup::{CachedAnswer, LookupAnswer, LookupRequest, PrintedAnswer, Rung};
use schemars::JsonSchema;
use serde::Deserialize;
use store::StoreError;
use utoipa::IntoParams;

use crate::body::JsonBody;
use crate::entity_tag::{EntityTag, tagged};
use crate::error_responses::{BodyErrors, CommonErrors};
use crate::json_response::json;
use crate::parameters::{self, RawQuery, parameters};
use crate::staleness::Staleness;
use crate::{ApiError, ServiceState};

/// The header that records a question without an exact answer as a wish, for later tuning.
const WISH: HeaderName = HeaderName::from_static("wavetune-wish");

/// Returns the configuration to use.
///
/// The answer is the JSON of `wavetune lookup`. If this exact problem was not tuned, a lower rung
/// of the ladder answers, and the answer names it. With a header, the service records the
/// question as a wish.
#[utoipa::path(
    get,
    path = "/api/v1/configurations",
    params(
        Question,
        ("Wavetune-Wish" = Option<String>, Header, nullable = false, pattern = "^yes$", description = "`yes` records a wish if there is no exact answer"),
        ("If-None-Match" = Option<String>, Header, nullable = false, description = "The entity tags of the client's cached answers"),
    ),
    responses(
        (status = 200, description = "The configuration to use", body = ref("#/components/schemas/LookupAnswer"),
            headers(("ETag" = String, description = "The entity tag of the answer"))),
        (status = 304, description = "The client's cached answer is current"),
        (status = 404, description = "No requested rung has a configuration", body = ref("#/components/schemas/LookupAnswer")),
        CommonErrors,
    ),
)]
pub(crate) async fn configurations(
    State(service): State<Arc<ServiceState>>,
    asked: axum::extract::Request,
) -> Result<Response, ApiError> {
    // An extractor would copy the headers.
    let (asked, _) = asked.into_parts();
    let question = question(RawQuery(asked.uri.query().map(str::to_owned)))?;
    let request = question.request(service.catalogue.generators())?;
    let is_wished = is_wished(&asked.headers)?;
    let staleness = Staleness::of_memory(&service).await?;
    let told = answer(&service, &question, &request, is_wished).await?;
    let line = match told {
        CachedAnswer::Exact(line) => line,
        CachedAnswer::Other(miss @ LookupAnswer::None(_)) => {
            return Ok(staleness.told(json(StatusCode::NOT_FOUND, &miss)));
        }
        CachedAnswer::Other(answer) => PrintedAnswer::of(&answer),
    };
    let tag = EntityTag::new(line.digest());
    let answer = tagged(&asked.headers, "application/json", tag, || {
        [line.as_str(), "\n"].concat()
    });
    Ok(staleness.told(answer))
}

/// Explains an answer: lists all candidates for it in the order of preference.
///
/// For each device, generator and clock only the newest versions count. The list comes from the
/// database, and records no wish.
#[utoipa::path(
    get,
    path = "/api/v1/rankings",
    params(Question),
    responses(
        (status = 200, description = "The candidates; the first is the answer", body = ref("#/components/schemas/Candidates")),
        CommonErrors,
    ),
)]
pub(crate) async fn rankings(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let request = question(query)?.request(service.catalogue.generators())?;
    let found = lookup::candidates(service.catalogue.as_ref(), &request).await?;
    Ok(json(StatusCode::OK, &found))
}

/// Returns the answer to a question. Records a wish if there is no exact answer and the client
/// asked for that.
async fn answer(
    service: &ServiceState,
    question: &Question,
    request: &LookupRequest,
    is_wished: bool,
) -> Result<CachedAnswer, StoreError> {
    let written = question.problem.as_deref().unwrap_or_default();
    let mut told = service.told(request, written).await?;
    if let CachedAnswer::Other(answer) = &mut told
        && is_wished
        && lookup::note(service.catalogue.as_ref(), request, answer).await
    {
        service.metrics.wish();
    }
    Ok(told)
}

/// Most questions in one request.
const QUESTIONS: usize = 1000;

/// The body of a request with many questions.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Questions {
    /// The questions.
    #[schemars(length(max = QUESTIONS))]
    questions: Vec<Question>,
    /// True to record questions without an exact answer as wishes, for later tuning.
    #[serde(default)]
    wish: bool,
}

/// A question for the configuration to use.
#[derive(Deserialize, JsonSchema, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Question {
    /// The problem, `COMPARATOR:DIMENSIONSxTYPE` with the reduced dimensions in brackets.
    #[param(required, example = "argmax:4x[32000]xf32")]
    #[schemars(required)]
    problem: Option<String>,
    /// The instruction set of the kernel.
    #[param(required, example = "gfx942")]
    #[schemars(required)]
    target: Option<String>,
    /// The name of the device. A result from another device of the target is an answer of the
    /// rung `sibling`.
    device: Option<String>,
    /// Only kernels of this generator: `native`, `iree` or another that the service has.
    generator: Option<String>,
    /// The tie-break: `fold`, the default, ranks configurations with another index last; `any`
    /// ignores the index.
    #[param(pattern = "^(fold|any)$")]
    #[schemars(regex(pattern = "^(fold|any)$"))]
    ties: Option<String>,
    /// The lowest rung of the ladder that may answer: `exact`, `sibling`, `neighbour`, `predicted`
    /// or `default`; `default` if it is missing.
    #[param(pattern = "^(exact|sibling|neighbour|predicted|default)$")]
    #[schemars(regex(pattern = "^(exact|sibling|neighbour|predicted|default)$"))]
    at_least: Option<String>,
}

/// Returns the configurations to use for many questions.
///
/// Each entry is the answer that the question gets alone, or a problem.
#[utoipa::path(
    post,
    path = "/api/v1/configurations:batch",
    request_body(content = ref("#/components/schemas/Questions"), description = "At most 1,000 questions"),
    responses(
        (status = 200, description = "One answer for each question", body = ref("#/components/schemas/BatchAnswers")),
        BodyErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn batch(
    State(service): State<Arc<ServiceState>>,
    JsonBody(Questions { questions, wish }): JsonBody<Questions>,
) -> Result<Response, ApiError> {
    if questions.len() > QUESTIONS {
        return Err(ApiError::too_many(questions.len(), QUESTIONS));
    }
    let staleness = Staleness::of_memory(&service).await?;
    let mut answers = Vec::with_capacity(questions.len());
    for question in questions {
        let request = question.request(service.catalogue.generators());
        answers.push(match request {
            // One bad question must not fail the others.
            Err(error) => BatchAnswer::Problem(error.details()),
            Ok(request) => match answer(&service, &question, &request, wish).await? {
                CachedAnswer::Exact(line) => BatchAnswer::Exact(line),
                CachedAnswer::Other(answer) => BatchAnswer::Other(answer),
            },
        });
    }
    Ok(staleness.told(json(StatusCode::OK, &BatchAnswers { answers })))
}

/// Returns true if the client asks to record a wish. It needs a header of our own, because a page
/// of another site can make a browser request any address, but not with that header.
pub(super) fn is_wished(headers: &HeaderMap) -> Result<bool, ApiError> {
    match headers.get(WISH).map(HeaderValue::as_bytes) {
        None => Ok(false),
        Some(b"yes") => Ok(true),
        Some(_) => Err(ApiError::header(WISH.as_str(), "yes")),
    }
}

fn question(query: RawQuery) -> Result<Question, ApiError> {
    let names = [
        "problem",
        "target",
        "device",
        "generator",
        "ties",
        "at_least",
    ];
    let [problem, target, device, generator, ties, at_least] = parameters(query, names)?;
    Ok(Question {
        problem,
        target,
        device,
        generator,
        ties,
        at_least,
    })
}

impl Question {
    fn request(&self, generators: &[Generator]) -> Result<LookupRequest, ApiError> {
        let problem = self.problem.as_deref();
        let problem = problem.ok_or_else(|| ApiError::missing("problem"))?;
        let target = self.target.as_deref();
        let target = target.ok_or_else(|| ApiError::missing("target"))?;
        let target = parameters::target(target)?;
        if let Some(device) = &self.device {
            // A device of another target could never have an answer.
            lookup::check_device(device, Some(target))
                .map_err(|error| ApiError::value("device", error))?;
        }
        Ok(LookupRequest {
            problem: parameters::problem(problem)?,
            target: Some(target),
            device: self.device.clone(),
            generator: parameters::generator(self.generator.clone(), generators)?,
            ties: parameters::ties(self.ties.clone())?,
            at_least: match self.at_least.as_deref() {
                None => Rung::Default,
                Some(name) => parameters::named("at_least", name, &Rung::ALL, Rung::name)?,
            },
        })
    }
}
