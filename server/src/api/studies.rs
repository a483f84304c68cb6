//! Studies: submission, lists, pause, resumption and cancellation.

use std::sync::Arc;

use answers::runs::{ProgressReport, Run, Runs};
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use configgen::Generator;
use schemars::JsonSchema;
use serde::Deserialize;
use server_fleet::{
    Effort, Fleet, FleetError, Plan, Strategy, StudyQuota, StudyRequest, StudyStatus,
};
use store::{RunState, StudyId};

use crate::access::AuditedStudies;
use crate::body::{JsonBody, NoBody};
use crate::error_responses::{BodyErrors, CommonErrors, ConflictErrors, NotFoundErrors};
use crate::json_response::json;
use crate::parameters::{self, RawQuery, named, parameters};
use crate::{ApiError, ServiceState};

/// Most problems in one request.
const PROBLEMS: usize = 1000;

/// Default number of trials of a study, as in `wavetune tune`.
const BUDGET: u32 = 128;

/// Most characters of an idempotency key.
const KEY: usize = 200;

/// A submission of studies.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubmissionRequest {
    /// The problems, such as `argmax:4x[32000]xf32`: one study for each.
    #[schemars(length(min = 1, max = PROBLEMS))]
    problems: Vec<String>,
    /// The instruction set, such as `gfx942`.
    target: String,
    /// The device; if it is missing, any device of an agent with this instruction set.
    device: Option<String>,
    /// The generator of the kernels; `native` if it is missing.
    generator: Option<String>,
    /// The search strategy: `exhaustive`, `random`, `evolution`, `annealing`, `grey-wolf`, `forest`
    /// or `auto`; `auto` if it is missing.
    strategy: Option<String>,
    /// Most trials of each study, including the default configuration; that of `effort` or 128 if
    /// it is missing.
    #[schemars(range(min = 1))]
    budget: Option<u32>,
    /// The effort, for an early stop: `quick`, `normal`, `thorough` or `exhaustive`. If it is
    /// missing, a study spends its budget.
    #[schemars(regex(pattern = "^(quick|normal|thorough|exhaustive)$"))]
    effort: Option<String>,
    /// Seed of the strategy; 0 if it is missing.
    #[schemars(range(max = i64::MAX))]
    seed: Option<u64>,
    /// The tie-break: `fold` or `any`; `fold` if it is missing.
    #[schemars(regex(pattern = "^(fold|any)$"))]
    ties: Option<String>,
    /// True if it goes before the submitter's other studies.
    #[serde(default)]
    urgent: bool,
}

impl SubmissionRequest {
    fn asked(self, generators: &[Generator]) -> Result<Vec<StudyRequest>, ApiError> {
        let count = self.problems.len();
        if count == 0 {
            return Err(ApiError::value("problems", "name at least one problem"));
        }
        if count > PROBLEMS {
            return Err(ApiError::too_many_problems(count, PROBLEMS));
        }
        let target = parameters::target(&self.target)?;
        let generator = parameters::generator(self.generator, generators)?.unwrap_or_default();
        let strategy = match &self.strategy {
            Some(text) => named("strategy", text, &Strategy::ALL, Strategy::name)?,
            None => Strategy::default(),
        };
        let effort = self.effort.as_deref();
        let effort = effort.map(|text| named("effort", text, &Effort::ALL, Effort::name));
        let effort = effort.transpose()?;
        let budget = self.budget.unwrap_or(effort.map_or(BUDGET, Effort::budget));
        let seed = self.seed.unwrap_or(0);
        // The default configuration is always the first trial.
        if budget == 0 {
            return Err(ApiError::value(
                "budget",
                "a study must have at least 1 trial",
            ));
        }
        // The database stores a signed 64-bit integer.
        if i64::try_from(seed).is_err() {
            let message = format!("a seed may be at most {}", i64::MAX);
            return Err(ApiError::value("seed", message));
        }
        let ties = parameters::ties(self.ties)?;
        let asked = self.problems.iter().map(|problem| {
            Ok(StudyRequest {
                plan: Plan {
                    problem: parameters::problem(problem)?,
                    strategy,
                    seed,
                    budget,
                    effort,
                    ties,
                },
                target,
                device: self.device.clone(),
                generator,
                is_urgent: self.urgent,
            })
        });
        asked.collect()
    }
}

/// Submits a study for each problem.
///
/// Agents carry the studies out. Either all begin or none, even if the answer does not come in
/// time. An existing study continues, such as with a larger budget, and has both numbers. If no
/// agent offers the device, studies wait for one, and the answer has a warning. A client may
/// repeat a request with an idempotency key: it begins nothing twice.
#[utoipa::path(
    post,
    path = "/api/v1/studies",
    request_body(content = ref("#/components/schemas/SubmissionRequest"), description = "The problems to tune, and the settings of the studies"),
    params(("Idempotency-Key" = Option<String>, Header, nullable = false, min_length = 1, max_length = 200,
        description = "A key of this request, different from those of the client's other requests. The service keeps it for a day")),
    responses(
        (status = 201, description = "The studies, in the order of the problems", body = ref("#/components/schemas/Runs")),
        BodyErrors,
        ConflictErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn submit(
    State(service): State<Arc<ServiceState>>,
    headers: HeaderMap,
    room: Option<Extension<StudyQuota>>,
    JsonBody(wanted): JsonBody<SubmissionRequest>,
) -> Result<Response, ApiError> {
    let fleet = service.fleet()?;
    let key = key(&headers)?;
    let asked = wanted.asked(service.catalogue.generators())?;
    let key = key.map(str::to_owned);
    let room = room.map(|Extension(room)| room);
    // A client that goes away cannot stop it between the transaction and the director request.
    let submitting = tokio::spawn(async move { fleet.submit(asked, key.as_deref(), room).await });
    let begun = submitting.await.map_err(|_| ApiError::fault())??;
    let about = AuditedStudies(begun.studies.iter().map(|one| one.study).collect());
    let answer = Runs {
        studies: begun.studies.into_iter().map(describe_run).collect(),
        next: None,
        warning: begun.waits,
        unreadable: store::Unreadable::default(),
    };
    Ok((Extension(about), json(StatusCode::CREATED, &answer)).into_response())
}

fn key(headers: &HeaderMap) -> Result<Option<&str>, ApiError> {
    let Some(key) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    let text = key.to_str().ok();
    let text = text.filter(|key| (1..=KEY).contains(&key.len()));
    match text {
        Some(text) => Ok(Some(text)),
        None => Err(ApiError::header(
            "Idempotency-Key",
            "1 to 200 visible characters",
        )),
    }
}

/// Lists the studies of this service.
#[utoipa::path(
    get,
    path = "/api/v1/studies",
    params(
        ("state" = Option<String>, Query, pattern = "^(waiting|running|paused|cancelled|done|failed)$",
            description = "Only studies in this state"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "The largest number of studies in the page; 100 by default"),
        ("cursor" = Option<String>, Query, description = "The start of the page: `next` of the answer before"),
    ),
    responses(
        (status = 200, description = "A page of studies, by number", body = ref("#/components/schemas/Runs")),
        CommonErrors,
    ),
)]
pub(crate) async fn list(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [state, limit, cursor] = parameters(query, ["state", "limit", "cursor"])?;
    let state = state.map(|text| named("state", &text, &RunState::ALL, RunState::name));
    let state = state.transpose()?;
    let limit = parameters::limit(limit)?;
    let after = cursor.map(|cursor| self::cursor(&cursor)).transpose()?;
    let listed = service.fleet()?.list(state, after, limit as u32).await?;
    // A full page may be the last; then the next one is empty.
    let is_full = listed.rows.len() >= limit;
    let last = listed.rows.last().filter(|_| is_full);
    let answer = Runs {
        next: last.map(|last| last.study.0.to_string()),
        warning: None,
        studies: listed.rows.into_iter().map(describe_run).collect(),
        unreadable: listed.unreadable,
    };
    Ok(json(StatusCode::OK, &answer))
}

fn cursor(text: &str) -> Result<StudyId, ApiError> {
    let number = text.parse().map(StudyId);
    number.map_err(|_| ApiError::value("cursor", "a cursor must be the `next` of an answer"))
}

/// Returns a study.
#[utoipa::path(
    get,
    path = "/api/v1/studies/{id}",
    params(("id" = i64, Path, description = "The number of the study")),
    responses(
        (status = 200, description = "The study, with its progress", body = ref("#/components/schemas/Run")),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn one(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    told(&*service.fleet()?, number(&id)?).await
}

/// Pauses a study.
#[utoipa::path(
    post,
    path = "/api/v1/studies/{id}/pause",
    request_body(content = ref("#/components/schemas/EmptyBody"), description = "An empty object"),
    params(("id" = i64, Path, description = "The number of the study")),
    responses(
        (status = 200, description = "The study is paused", body = ref("#/components/schemas/Run")),
        BodyErrors,
        NotFoundErrors,
        ConflictErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn pause(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
    _: NoBody,
) -> Result<Response, ApiError> {
    let (fleet, id) = (service.fleet()?, number(&id)?);
    fleet.pause(id).await?;
    told(&fleet, id).await
}

/// Resumes a study that was paused or cancelled, or that failed.
#[utoipa::path(
    post,
    path = "/api/v1/studies/{id}/resume",
    request_body(content = ref("#/components/schemas/EmptyBody"), description = "An empty object"),
    params(("id" = i64, Path, description = "The number of the study")),
    responses(
        (status = 200, description = "The study resumes", body = ref("#/components/schemas/Run")),
        BodyErrors,
        NotFoundErrors,
        ConflictErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn resume(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
    _: NoBody,
) -> Result<Response, ApiError> {
    let (fleet, id) = (service.fleet()?, number(&id)?);
    fleet.resume(id).await?;
    told(&fleet, id).await
}

/// Cancels a study; its trials stay.
#[utoipa::path(
    post,
    path = "/api/v1/studies/{id}/cancel",
    request_body(content = ref("#/components/schemas/EmptyBody"), description = "An empty object"),
    params(("id" = i64, Path, description = "The number of the study")),
    responses(
        (status = 200, description = "The study is cancelled", body = ref("#/components/schemas/Run")),
        BodyErrors,
        NotFoundErrors,
        ConflictErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn cancel(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
    _: NoBody,
) -> Result<Response, ApiError> {
    let (fleet, id) = (service.fleet()?, number(&id)?);
    fleet.cancel(id).await?;
    told(&fleet, id).await
}

/// Parses the number of a study in an address.
pub(crate) fn number(id: &str) -> Result<StudyId, ApiError> {
    id.parse()
        .map(StudyId)
        .map_err(|_| ApiError::value("id", "the number of a study"))
}

/// Returns the study of a number in an address, and true if the service was asked to run it. A
/// run that continues as an existing study has both numbers.
pub(crate) async fn meant(service: &ServiceState, id: &str) -> Result<(StudyId, bool), ApiError> {
    let id = number(id)?;
    let Some(fleet) = service.fleet_if_any() else {
        return Ok((id, false));
    };
    match fleet.number(id).await {
        Ok(study) => Ok((study, true)),
        Err(FleetError::Unknown(_)) => Ok((id, false)),
        Err(error) => Err(error.into()),
    }
}

async fn told(fleet: &Fleet, id: StudyId) -> Result<Response, ApiError> {
    Ok(json(StatusCode::OK, &describe_run(fleet.study(id).await?)))
}

/// Returns the answer that describes a study of the service.
pub fn describe_run(listed: StudyStatus) -> Run {
    let (order, plan) = (&listed.order, listed.order.plan());
    Run {
        id: listed.study.0,
        problem: plan.problem.clone(),
        target: order.target().name.into(),
        device: order.device().map(str::to_owned),
        generator: order.generator(),
        clock: order.clock(),
        strategy: plan.strategy.name().into(),
        seed: plan.seed,
        budget: plan.budget,
        ties: plan.ties,
        is_urgent: order.is_urgent(),
        submitter: order.submitter().map(|submitter| submitter.name.clone()),
        state: listed.state,
        reason: listed.reason,
        progress: listed.progress.map(progress),
        asked: answers::time_ms(listed.asked),
        changed: answers::time_ms(listed.changed),
    }
}

pub(crate) fn progress(progress: server_fleet::TuneProgress) -> ProgressReport {
    ProgressReport {
        done: progress.done,
        total: progress.total,
        default_us: progress.default_us,
        best_us: progress.best_us,
        is_in_finals: progress.finals,
    }
}
