//! What may be answered in place of what was asked, for the description of the API: a problem of each status, described once.

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

/// The place of a response for each status.
fn problems(statuses: &[StatusCode]) -> Responses {
    let problem = |status: &StatusCode| {
        let place = Ref::from_response_name(name(*status));
        (status.as_str().to_owned(), place.into())
    };
    statuses.iter().map(problem).collect()
}

/// The responses themselves, by name: what they say once for all operations.
pub(crate) fn all() -> Responses {
    let statuses: BTreeSet<StatusCode> = KINDS.iter().map(|kind| kind.status).collect();
    let all = statuses.into_iter();
    all.map(|status| (name(status), problem(status).into()))
        .collect()
}

/// A status in the form of a name, such as `NotFound`.
fn name(status: StatusCode) -> String {
    status
        .canonical_reason()
        .unwrap_or_default()
        .replace(' ', "")
}

/// A problem with this status, which says what the kinds with it are.
fn problem(status: StatusCode) -> Response {
    let kinds = KINDS.iter().filter(|kind| kind.status == status);
    let titles: BTreeSet<&str> = kinds.map(|kind| kind.title).collect();
    let titles = titles.into_iter().collect::<Vec<_>>().join("; ");
    let details = Content::new(Some(Ref::new("#/components/schemas/ProblemDetails")));
    ResponseBuilder::new()
        .description(titles)
        .content("application/problem+json", details)
        .build()
}
