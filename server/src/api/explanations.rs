//! Explanations of configurations.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use configgen::{Configuration, Generator};
use explanation::{KernelError, Question, explain, explain_kernel};
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
    /// What is computed, `COMPARATOR:DIMENSIONSxTYPE` with the reduced dimensions in brackets.
    problem: String,
    /// The instruction set that the kernel is built for.
    target: String,
    /// Who makes the kernel: `native` unless another is named.
    generator: Option<String>,
    /// The configuration; the untuned one where there is none.
    #[schemars(with = "Option<answers::ConfigurationSchema>")]
    configuration: Option<Configuration>,
}

/// The body of a request for an explanation with what is built.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KernelExplanationRequest {
    /// What is computed, `COMPARATOR:DIMENSIONSxTYPE` with the reduced dimensions in brackets.
    problem: String,
    /// The instruction set that the kernel is built for.
    target: String,
    /// Who makes the kernel: `native` unless another is named, of which no stages are known.
    generator: Option<String>,
    /// The configuration; the untuned one where there is none.
    #[schemars(with = "Option<answers::ConfigurationSchema>")]
    configuration: Option<Configuration>,
    /// Whose room and time are modelled: a device of the target, such as `emulated:mi300x`; the first one unless one is named.
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

/// What a configuration is, and which lane of its kernel reads which element.
///
/// Of the untuned one where none is given. It needs no compiler. A configuration that is not legal is answered too, with the rule
/// that it breaks.
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
    // Milliseconds, in which nobody else of this thread is to wait.
    let explained = spawn_blocking(move || json(StatusCode::OK, &explain(&question)));
    explained.await.map_err(|_| ApiError::fault())
}

/// The stages of a kernel side by side, with the lines that belong together, and what was built.
///
/// The kernel is built, and run in the emulator where its problem is not too large for that.
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
