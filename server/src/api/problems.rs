//! Problems with results.

use std::sync::Arc;

use answers::problems::{KnownProblem, Problems, StudyContext};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lookup::{ProblemFilter, TriedProblem};

use crate::error_responses::CommonErrors;
use crate::json_response::json;
use crate::parameters::{self, RawQuery, parameters};
use crate::staleness::Staleness;
use crate::{ApiError, ServiceState};

/// Lists the problems with results, by their text.
#[utoipa::path(
    get,
    path = "/api/v1/problems",
    params(
        ("target" = Option<String>, Query, description = "Only problems that were tried for this instruction set", example = "gfx942"),
        ("device" = Option<String>, Query, description = "Only problems that were tried on the device of this name"),
        ("generator" = Option<String>, Query, description = "Only problems that were tried with kernels of this generator"),
        ("operation" = Option<String>, Query, description = "Only problems of this operation, such as `arg_compare`"),
        ("element" = Option<String>, Query, description = "Only problems with elements of this type, such as `f32`"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "The largest number of problems in the answer; 100 by default"),
        ("cursor" = Option<String>, Query, description = "The start of the page: `next` of the answer before"),
    ),
    responses((status = 200, description = "A page of the list", body = ref("#/components/schemas/Problems")), CommonErrors),
)]
pub(crate) async fn problems(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let names = [
        "target",
        "device",
        "generator",
        "operation",
        "element",
        "limit",
        "cursor",
    ];
    let [target, device, generator, operation, element, limit, cursor] = parameters(query, names)?;
    let like = ProblemFilter {
        target: target.as_deref().map(parameters::target).transpose()?,
        device,
        generator: parameters::generator(generator, service.catalogue.generators())?,
        operation,
        element: element.as_deref().map(parameters::element).transpose()?,
    };
    let limit = parameters::limit(limit)?;
    let staleness = Staleness::of_memory(&service).await?;
    let known = service.known.problems(&like, cursor.as_deref(), limit);
    // Memory is empty until the first read of the database.
    let known = known.ok_or_else(ApiError::not_yet)?;
    let answer = Problems {
        problems: known.rows.iter().map(problem).collect(),
        next: known.next,
        unreadable: known.unreadable,
    };
    Ok(staleness.told(json(StatusCode::OK, &answer)))
}

fn problem(tried: &TriedProblem) -> KnownProblem {
    let place = |place: &lookup::TriedContext| StudyContext {
        target: place.target.name,
        device: place.device.to_string(),
        generator: place.generator,
    };
    KnownProblem {
        problem: tried.problem.clone(),
        operation: tried.operation,
        element: tried.element.name(),
        tried: tried.places.iter().map(place).collect(),
    }
}
