//! What may be answered in place of what was asked, for the description of the API: a problem of each status.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use utoipa::IntoResponses;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

use crate::kind::KINDS;

/// Wherever it was asked.
pub(crate) struct Refused;

/// Where a body was to be read.
pub(crate) struct BodyRefused;

/// Where a thing may not be there.
pub(crate) struct Missing;

/// Where a thing may be in another state, or have several answers.
pub(crate) struct Conflicting;

/// Where a lease may have ended.
pub(crate) struct Ended;

type Responses = BTreeMap<String, RefOr<Response>>;

impl IntoResponses for Refused {
    fn responses() -> Responses {
        problems(&[
            StatusCode::BAD_REQUEST,
            StatusCode::FORBIDDEN,
            StatusCode::PAYLOAD_TOO_LARGE,
            StatusCode::MISDIRECTED_REQUEST,
            StatusCode::INTERNAL_SERVER_ERROR,
            StatusCode::SERVICE_UNAVAILABLE,
        ])
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

/// A response for each status, which says what the kinds with this status are.
fn problems(statuses: &[StatusCode]) -> Responses {
    let problem = |status: &StatusCode| {
        let kinds = KINDS.iter().filter(|kind| kind.status == *status);
        let titles: BTreeSet<&str> = kinds.map(|kind| kind.title).collect();
        let titles = titles.into_iter().collect::<Vec<_>>().join("; ");
        let details = Content::new(Some(Ref::new("#/components/schemas/ProblemDetails")));
        let response = ResponseBuilder::new()
            .description(titles)
            .content("application/problem+json", details);
        (status.as_str().to_owned(), response.build().into())
    };
    statuses.iter().map(problem).collect()
}
