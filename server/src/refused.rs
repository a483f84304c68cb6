//! What may be answered in place of what was asked, for the description of the API: a problem of each status, described once.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use utoipa::IntoResponses;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

use crate::kind::KINDS;

/// Wherever it was asked.
pub(crate) struct Refused;

/// Where a token is wanted.
pub(crate) struct TokenRefused;

/// Where a body was to be read.
pub(crate) struct BodyRefused;

/// Where a thing may not be there.
pub(crate) struct Missing;

/// Where a thing may be in another state, or have several answers.
pub(crate) struct Conflicting;

/// Where a lease may have ended.
pub(crate) struct Ended;

/// Where kernels are built.
pub(crate) struct Building;

/// Where an answer may be packed.
pub(crate) struct Packed;

type Responses = BTreeMap<String, RefOr<Response>>;

impl IntoResponses for Refused {
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

impl IntoResponses for TokenRefused {
    fn responses() -> Responses {
        problems(&[StatusCode::UNAUTHORIZED, StatusCode::TOO_MANY_REQUESTS])
    }
}

impl IntoResponses for BodyRefused {
    fn responses() -> Responses {
        problems(&[
            StatusCode::REQUEST_TIMEOUT,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            StatusCode::UNPROCESSABLE_ENTITY,
        ])
    }
}

impl IntoResponses for Missing {
    fn responses() -> Responses {
        problems(&[StatusCode::NOT_FOUND])
    }
}

impl IntoResponses for Conflicting {
    fn responses() -> Responses {
        problems(&[StatusCode::CONFLICT])
    }
}

impl IntoResponses for Ended {
    fn responses() -> Responses {
        problems(&[StatusCode::GONE])
    }
}

impl IntoResponses for Building {
    fn responses() -> Responses {
        problems(&[
            StatusCode::UNPROCESSABLE_ENTITY,
            StatusCode::NOT_IMPLEMENTED,
        ])
    }
}

impl IntoResponses for Packed {
    fn responses() -> Responses {
        problems(&[StatusCode::NOT_ACCEPTABLE])
    }
}

/// A reference to the description of each status.
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

/// The description of each status that a problem has, by its name: what the kinds with this status are.
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
