//! Explanations of configurations.

use std::sync::Arc;

use answers_explanation::{KernelError, Question, explain, explain_kernel};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use configgen::{Configuration, Generator};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::task::spawn_blocking;

use crate::body::JsonBody;
use crate::error_responses::{BodyErrors, CommonErrors, KernelBuildErrors};
use crate::json_response::json;
use crate::parameters;
use crate::{ApiError, ServiceState};

/// The body of a request for an explanation.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplanationRequest {
    /// The problem, `COMPARATOR:DIMENSIONSxTYPE` with the reduced dimensions in brackets.
    problem: String,
    /// The instruction set of the kernel.
    target: String,
    /// The generator of the kernel; `native` if it is missing.
    generator: Option<String>,
    /// The configuration; the untuned one if it is missing.
    #[schemars(with = "Option<answers::ConfigurationSchema>")]
    configuration: Option<Configuration>,
}

/// The body of a request for an explanation with the built kernel.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KernelExplanationRequest {
    /// The problem, `COMPARATOR:DIMENSIONSxTYPE` with the reduced dimensions in brackets.
    problem: String,
    /// The instruction set of the kernel.
    target: String,
    /// The generator of the kernel; `native` if it is missing. Other generators have no known
    /// stages.
    generator: Option<String>,
    /// The configuration; the untuned one if it is missing.
    #[schemars(with = "Option<answers::ConfigurationSchema>")]
    configuration: Option<Configuration>,
    /// The device of the resource and time model, such as `emulated:mi300x`; the first one of the
    /// target if it is missing.
    device: Option<String>,
}

impl ExplanationRequest {
    fn question(self, generators: &[Generator]) -> Result<Question, ApiError> {
        Ok(Question {
            problem: parameters::problem(&self.problem)?,
            target: parameters::target(&self.target)?,
            generator: parameters::generator(self.generator, generators)?.unwrap_or_default(),
            configuration: self.configuration,
        })
    }
}

/// Explains a configuration: its attributes, and the elements that each lane reads.
///
/// Without a configuration, the answer explains the untuned one. It needs no compiler. For an
/// illegal configuration the answer also has the broken rule.
#[utoipa::path(
    post,
    path = "/api/v1/explanations",
    request_body(content = ref("#/components/schemas/ExplanationRequest"), description = "The configuration"),
    responses(
        (status = 200, description = "The explanation", body = ref("#/components/schemas/Explanation")),
        BodyErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn explanations(
    State(service): State<Arc<ServiceState>>,
    JsonBody(explained): JsonBody<ExplanationRequest>,
) -> Result<Response, ApiError> {
    let question = explained.question(service.catalogue.generators())?;
    // It takes milliseconds, which would delay the other requests of this thread.
    let explained = spawn_blocking(move || json(StatusCode::OK, &explain(&question)));
    explained.await.map_err(|_| ApiError::fault())
}

/// Explains a kernel: its stages side by side, with the lines that belong together.
///
/// The service builds the kernel, and runs it in the emulator if its problem is small enough.
#[utoipa::path(
    post,
    path = "/api/v1/explanations:kernel",
    request_body(content = ref("#/components/schemas/KernelExplanationRequest"), description = "The configuration"),
    responses(
        (status = 200, description = "The stages of the kernel, and its resources", body = ref("#/components/schemas/ExplainedKernel")),
        KernelBuildErrors,
        BodyErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn kernel(
    State(service): State<Arc<ServiceState>>,
    JsonBody(built): JsonBody<KernelExplanationRequest>,
) -> Result<Response, ApiError> {
    let KernelExplanationRequest {
        problem,
        target,
        generator,
        configuration,
        device,
    } = built;
    let explained = ExplanationRequest {
        problem,
        target,
        generator,
        configuration,
    };
    let question = explained.question(service.catalogue.generators())?;
    // A build keeps a core busy, which must not be one that serves requests.
    let turn = service.turns.next().await;
    let building = Arc::clone(&service);
    let explained = turn.work(move |_| {
        let native = building.toolchain.native();
        native.map(|native| explain_kernel(native, &question, device.as_deref()))
    });
    match explained.await {
        Err(missing) => Err(ApiError::tools_missing(&missing)),
        Ok(Err(KernelError::Refused(refused))) => Err(ApiError::no_kernel(&refused)),
        Ok(Err(error)) => Ok(ApiError::fault().because(error.to_string())),
        Ok(Ok(explained)) => Ok(json(StatusCode::OK, &explained)),
    }
}
