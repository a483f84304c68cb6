//! Error responses in the description of the API: each status is described once.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use utoipa::IntoResponses;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

use crate::problem_kind::KINDS;

/// Errors of every operation.
pub(crate) struct CommonErrors;

/// Errors of operations that need a token.
pub(crate) struct TokenErrors;

/// Errors of operations with a body.
pub(crate) struct BodyErrors;

/// Errors of operations on things that may not exist.
pub(crate) struct NotFoundErrors;

/// Errors of operations that depend on a state, or have several answers.
pub(crate) struct ConflictErrors;

/// Errors of operations on leases.
pub(crate) struct LeaseErrors;

/// Errors of operations that build kernels.
pub(crate) struct KernelBuildErrors;

/// Errors of operations that need tools on the service's machine.
pub(crate) struct ToolErrors;

/// Errors of operations with compressed answers.
pub(crate) struct CompressionErrors;

type Responses = BTreeMap<String, RefOr<Response>>;

impl IntoResponses for CommonErrors {
    fn responses() -> Responses {
        problems(&[
            StatusCode::BAD_REQUEST,
            StatusCode::FORBIDDEN,
            StatusCode::PAYLOAD_TOO_LARGE,
            StatusCode::MISDIRECTED_REQUEST,
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            StatusCode::INTERNAL_SERVER_ERROR,
            StatusCode::SERVICE_UNAVAILABLE,
            StatusCode::INSUFFICIENT_STORAGE,
        ])
    }
}

impl IntoResponses for TokenErrors {
    fn responses() -> Responses {
        problems(&[StatusCode::UNAUTHORIZED, StatusCode::TOO_MANY_REQUESTS])
    }
}

impl IntoResponses for BodyErrors {
    fn responses() -> Responses {
        problems(&[
            StatusCode::REQUEST_TIMEOUT,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            StatusCode::UNPROCESSABLE_ENTITY,
        ])
    }
}

impl IntoResponses for NotFoundErrors {
    fn responses() -> Responses {
        problems(&[StatusCode::NOT_FOUND])
    }
}

impl IntoResponses for ConflictErrors {
    fn responses() -> Responses {
        problems(&[StatusCode::CONFLICT])
    }
}

impl IntoResponses for LeaseErrors {
    fn responses() -> Responses {
        problems(&[StatusCode::GONE])
    }
}

impl IntoResponses for KernelBuildErrors {
    fn responses() -> Responses {
        problems(&[
            StatusCode::UNPROCESSABLE_ENTITY,
            StatusCode::NOT_IMPLEMENTED,
        ])
    }
}

impl IntoResponses for ToolErrors {
    fn responses() -> Responses {
        problems(&[StatusCode::NOT_IMPLEMENTED])
    }
}

impl IntoResponses for CompressionErrors {
    fn responses() -> Responses {
        problems(&[StatusCode::NOT_ACCEPTABLE])
    }
}

/// Returns a reference to the description of each status.
fn problems(statuses: &[StatusCode]) -> Responses {
    let problem = |status: &StatusCode| {
        let described = Ref::from_response_name(name(*status));
        (status.as_str().to_owned(), RefOr::Ref(described))
    };
    statuses.iter().map(problem).collect()
}

fn name(status: StatusCode) -> String {
    format!("problem-{}", status.as_str())
}

/// Returns the description of each status of a problem by its name: the titles of its kinds.
pub(crate) fn described() -> BTreeMap<String, Response> {
    let statuses: BTreeSet<StatusCode> = KINDS.iter().map(|kind| kind.status).collect();
    let describe = |status| {
        let kinds = KINDS.iter().filter(|kind| kind.status == status);
        let titles: BTreeSet<&str> = kinds.map(|kind| kind.title).collect();
        let titles = titles.into_iter().collect::<Vec<_>>().join("; ");
        let details = Content::new(Some(Ref::new("#/components/schemas/ProblemDetails")));
        let response = ResponseBuilder::new()
            .description(titles)
            .content("application/problem+json", details);
        (name(status), response.build())
    };
    statuses.into_iter().map(describe).collect()
}
