//! Models: submission of modules in MLIR, lists, results, progress and deletion.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use answers::models::{DeletedModel, JudgedModel, SubmittedModel, SubmittedModels, stored_json};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use configgen::{Device, Target};
use futures_util::stream;
use model_profile::{ComparisonRequest, parse_counts};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{ModelRecord, ModelState, ModelSubmission, Page};
use tokio::time::sleep;

use super::events::ALIVE;
use crate::body::JsonBody;
use crate::error::QUOTED;
use crate::error_responses::{BodyErrors, CommonErrors, NotFoundErrors, ToolErrors};
use crate::json_response::json;
use crate::models::compiler_options;
use crate::models::description::describe;
use crate::parameters::{self, RawQuery, named, parameters};
use crate::{ApiError, ServiceState, problem_kind};

/// The most models that wait. A comparison takes seconds to minutes.
const QUEUE: u32 = 32;

/// The number of seconds after which a refused client may try again.
const RETRY_SECONDS: u64 = 30;

/// The longest name of a model, in characters.
const NAME: usize = 100;

/// The default range of dynamic sizes, as on the command line.
const COUNTS: &str = "1..512";

/// Pause between two looks at a model that a client follows. Any replica may work on it.
const PAUSE: Duration = Duration::from_millis(300);

/// A model to compare with and without tuned kernels.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelRequest {
    /// The module in MLIR, in the form of any front end that iree-compile accepts.
    module: String,
    /// The instruction set, such as `gfx942`.
    target: String,
    /// The emulated device, such as `emulated:mi300x`; if it is missing, the first of the target.
    device: Option<String>,
    /// A name for lists, such as that of the file.
    name: Option<String>,
    /// The range of a dynamic size, such as `1..32`; `1..512` if it is missing.
    counts: Option<String>,
    /// Options of iree-compile, such as `--iree-opt-level=O3`. None may name a file.
    #[serde(default)]
    options: Vec<String>,
}

impl ModelRequest {
    /// Checks the request, and returns it without the module and the compiler.
    fn checked(&self) -> Result<ComparisonRequest, ApiError> {
        if self.module.trim().is_empty() {
            return Err(ApiError::value("module", "the module is empty"));
        }
        // PostgreSQL stores no NUL, and no module in MLIR has one.
        if self.module.contains('\0') {
            return Err(ApiError::value("module", "the module has a NUL character"));
        }
        let name = self.name.as_deref().map(str::trim);
        let name = name.filter(|name| !name.is_empty());
        if name.is_some_and(|it| it.chars().count() > NAME || it.contains(char::is_control)) {
            let message =
                format!("a name has at most {NAME} characters, and no control characters");
            return Err(ApiError::value("name", message));
        }
        let target = parameters::target(&self.target)?;
        let device = device(self.device.as_deref(), target)?;
        let counts = self.counts.as_deref().unwrap_or(COUNTS);
        parse_counts(counts).map_err(|error| ApiError::value("counts", error))?;
        compiler_options::check(&self.options)
            .map_err(|error| ApiError::value("options", error))?;
        Ok(ComparisonRequest {
            name: name.map(str::to_owned),
            target: target.name.to_owned(),
            device: format!("emulated:{}", device.name),
            counts: counts.to_owned(),
            options: self.options.clone(),
            compiler: String::new(),
        })
    }
}

/// Returns the named emulated device, or the first one of the target.
fn device(name: Option<&str>, target: &Target) -> Result<&'static Device, ApiError> {
    let Some(name) = name else {
        let first = bench_harness::emulated_devices().find(|it| it.target() == target);
        let missing = || ApiError::value("target", format!("no emulated device is a {target}"));
        return first.ok_or_else(missing);
    };
    let device = bench_harness::emulated_device(name);
    let device = device.map_err(|error| ApiError::value("device", error))?;
    match device.target() == target {
        true => Ok(device),
        false => {
            let message = format!("{name} is a {}, not a {target}", device.target());
            Err(ApiError::value("device", message))
        }
    }
}

/// Submits a model.
///
/// The service compiles the module with plain iree-compile and with the kernels that the database
/// has for it, and profiles both on an emulated device. It keeps the kernels that make the model
/// faster. The same request has the same ID. A model with a result is compared again, because
/// kernels may have been tuned since.
#[utoipa::path(
    post,
    path = "/api/v1/models",
    request_body(content = ref("#/components/schemas/ModelRequest"), description = "The module, and the device to compile it for"),
    responses(
        (status = 202, description = "The model waits for the service, or is under way", body = ref("#/components/schemas/SubmittedModel"),
            headers(("Location" = String, description = "The address of the model"))),
        BodyErrors,
        ToolErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn submit_model(
    State(service): State<Arc<ServiceState>>,
    JsonBody(wanted): JsonBody<ModelRequest>,
) -> Result<Response, ApiError> {
    // Before the tools: the client can mend its request itself.
    let request = wanted.checked()?;
    let request = ComparisonRequest {
        compiler: compiler_version(&service).await?,
        ..request
    };
    let id = request.id(&wanted.module);
    let submission = ModelSubmission {
        id: &id,
        request: &request.text(),
        module: &wanted.module,
        most_queued: QUEUE,
    };
    // The database checks the limit, because replicas share the queue.
    if !service.models.submit_model(submission).await? {
        return Err(full());
    }
    // The worker of this replica need not wait for its next look.
    service.model_worker.wake();
    let model = described(&service, &id).await?;
    let address = HeaderValue::from_str(&format!("/api/v1/models/{id}"));
    let address = address.expect("hexadecimal digits");
    let answer = json(StatusCode::ACCEPTED, &model);
    Ok(([(header::LOCATION, address)], answer).into_response())
}

/// Returns the version of iree-compile, or the error for missing tools.
async fn compiler_version(service: &Arc<ServiceState>) -> Result<String, ApiError> {
    let state = Arc::clone(service);
    // The first call starts programs.
    let found = service.turns.next().await.work(move |_| {
        let tools = state.model_tools.get();
        tools.map(|tools| tools.compiler_version().to_owned())
    });
    let found = found.await;
    found.map_err(|missing| ApiError::tools_missing(&missing))
}

/// Lists the models, the last submitted first.
#[utoipa::path(
    get,
    path = "/api/v1/models",
    params(
        ("state" = Option<String>, Query, pattern = "^(queued|compiling|judging|done|failed)$",
            description = "Only models in this state"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "The largest number of models in the page; 100 by default"),
        ("cursor" = Option<String>, Query, description = "The start of the page: `next` of the answer before"),
    ),
    responses(
        (status = 200, description = "A page of models", body = ref("#/components/schemas/SubmittedModels")),
        CommonErrors,
    ),
)]
pub(crate) async fn models(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [state, limit, cursor] = parameters(query, ["state", "limit", "cursor"])?;
    let state = state.map(|text| named("state", &text, &ModelState::ALL, ModelState::name));
    let limit = parameters::limit(limit)?;
    let cursor = cursor.map(|cursor| cursor.parse()).transpose();
    let page = Page {
        after: cursor.map_err(|error| ApiError::value("cursor", error))?,
        limit: limit as u32,
    };
    let listed = service.models.list_models(state.transpose()?, page).await?;
    let mut unreadable = listed.unreadable;
    let models = listed.rows.into_iter().map(describe);
    let answer = SubmittedModels {
        models: models.filter_map(|it| unreadable.note(it)).collect(),
        next: listed.next.map(|next| next.to_string()),
        unreadable,
    };
    Ok(json(StatusCode::OK, &answer))
}

/// Returns a model with its last comparison.
#[utoipa::path(
    get,
    path = "/api/v1/models/{id}",
    params(("id" = String, Path, description = "The ID of the model")),
    responses(
        (status = 200, description = "The model, before and after", body = ref("#/components/schemas/JudgedModel")),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn model(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let model = described(&service, &id).await?;
    let comparison = service.models.model_result(&id).await?;
    let comparison = comparison.map(stored_json).transpose();
    let Ok(comparison) = comparison else {
        let cause = format!("the comparison of model {} is no JSON", model.id);
        return Ok(ApiError::fault().because(cause));
    };
    Ok(json(StatusCode::OK, &JudgedModel { model, comparison }))
}

/// Streams the progress of a model.
///
/// Server-sent events of the kind `model`: first the current state, then each change. The stream
/// ends when the model is done or has failed.
#[utoipa::path(
    get,
    path = "/api/v1/models/{id}/events",
    params(("id" = String, Path, description = "The ID of the model")),
    responses(
        (status = 200, description = "Events with a SubmittedModel as data", content_type = "text/event-stream", body = ref("#/components/schemas/StreamedEvent")),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn model_events(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    // Before the stream, so that a missing model is an error and not an empty stream.
    let first = record(&service, &id).await?;
    let events = stream::unfold((Some(first), None), move |(next, told)| {
        let (service, id) = (Arc::clone(&service), id.clone());
        async move {
            let record = match next {
                Some(record) => record,
                None => changed(&service, &id, told?).await?,
            };
            let told = Some(record.clone()).filter(|it| !it.state.is_final());
            let model = describe(record).ok()?;
            let event = Event::default().event("model").data(answers::line(&model));
            Some((Ok::<Event, Infallible>(event), (None, told)))
        }
    });
    let alive = KeepAlive::new().interval(ALIVE);
    Ok(Sse::new(events).keep_alive(alive).into_response())
}

/// Waits until a model differs from the one that the client knows. Returns `None` if it is
/// deleted, or if the service ends.
async fn changed(service: &ServiceState, id: &str, told: ModelRecord) -> Option<ModelRecord> {
    loop {
        tokio::select! {
            () = sleep(PAUSE) => {}
            () = service.model_worker.ended() => return None,
        }
        // The client of a database that is away comes back by itself.
        let found = service.models.model(id).await.ok()?;
        let record = found.rows.into_iter().next()?;
        if record != told {
            return Some(record);
        }
    }
}

/// Deletes a model with its comparison.
///
/// The service drops the comparison of a model that is under way.
#[utoipa::path(
    delete,
    path = "/api/v1/models/{id}",
    params(("id" = String, Path, description = "The ID of the model")),
    responses(
        (status = 200, description = "The model is deleted", body = ref("#/components/schemas/DeletedModel")),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn delete_model(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    match service.models.delete_model(checked(&id)?).await? {
        true => Ok(json(StatusCode::OK, &DeletedModel { id })),
        false => Err(no_model(&id)),
    }
}

/// Checks the ID of a model in an address.
fn checked(id: &str) -> Result<&str, ApiError> {
    let is_digit = |it: char| matches!(it, '0'..='9' | 'a'..='f');
    match !id.is_empty() && id.chars().all(is_digit) {
        true => Ok(id),
        false => Err(ApiError::value(
            "id",
            "the ID of a model: hexadecimal digits",
        )),
    }
}

fn no_model(id: &str) -> ApiError {
    let id: String = id.chars().take(QUOTED).collect();
    ApiError::new(
        &problem_kind::UNKNOWN_MODEL,
        format!("there is no model {id:?}"),
    )
}

fn full() -> ApiError {
    let detail = format!("{QUEUE} models wait already; retry in {RETRY_SECONDS} s");
    ApiError::later(&problem_kind::MODELS_FULL, detail, RETRY_SECONDS)
}

async fn described(service: &ServiceState, id: &str) -> Result<SubmittedModel, ApiError> {
    let described = describe(record(service, id).await?);
    described.map_err(|row| ApiError::nothing(row.to_string()))
}

async fn record(service: &ServiceState, id: &str) -> Result<ModelRecord, ApiError> {
    let found = service.models.model(checked(id)?).await?;
    let unreadable = found.unreadable;
    let record = found.rows.into_iter().next();
    record.ok_or_else(|| match unreadable.is_none() {
        true => no_model(id),
        false => ApiError::nothing(unreadable.to_string()),
    })
}
