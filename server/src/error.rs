//! Errors: what a client is told, as JSON `{"error": {"code", "message", "parameter", "position"}}`.

use std::time::Duration;

use answers::Printed;
use answers::http::{Error, Failure};
use axum::extract::rejection::JsonRejection;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use configgen::ProblemError;
use store::{Fault, StoreError};

/// Why a request is not answered as it wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    status: StatusCode,
    error: Error,
}

/// Characters of a client's own text that it gets back.
const QUOTED: usize = 80;

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: String) -> Self {
        ApiError {
            status,
            error: Error {
                code,
                message,
                parameter: None,
                position: None,
            },
        }
    }

    fn of_parameter(code: &'static str, parameter: &str, message: String) -> Self {
        let mut told = Self::new(StatusCode::BAD_REQUEST, code, message);
        told.error.parameter = Some(parameter.chars().take(QUOTED).collect());
        told
    }

    pub(crate) fn not_found() -> Self {
        let known = "there are /, /healthz, /readyz, /api/v1/configurations, /api/v1/configurations:batch and /api/v1/best";
        Self::new(StatusCode::NOT_FOUND, "not_found", known.to_owned())
    }

    pub(crate) fn method_not_allowed() -> Self {
        let message =
            "GET and HEAD are answered, and POST at /api/v1/configurations:batch".to_owned();
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            message,
        )
    }

    pub(crate) fn host_count(count: usize) -> Self {
        let message = format!("a request has one Host header; this one has {count}");
        Self::new(StatusCode::BAD_REQUEST, "invalid_host", message)
    }

    /// The request came by a name that is not known to be the service's.
    pub(crate) fn misdirected(host: &str) -> Self {
        let cut: String = host.chars().take(QUOTED).collect();
        let message = format!(
            "this service does not go by the name {cut:?}; use its address, or start it with --allowed-host NAME"
        );
        Self::new(StatusCode::MISDIRECTED_REQUEST, "misdirected", message)
    }

    /// A page of another site sent the request.
    pub(crate) fn cross_site() -> Self {
        let message = "pages of other sites are not answered here".to_owned();
        Self::new(StatusCode::FORBIDDEN, "cross_site", message)
    }

    pub(crate) fn timeout(limit: Duration) -> Self {
        let message = format!("no answer within {} s", limit.as_secs());
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "timeout", message)
    }

    pub(crate) fn query(message: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_query", message)
    }

    pub(crate) fn missing(parameter: &'static str) -> Self {
        let message = format!("the parameter {parameter} is missing");
        Self::of_parameter("missing_parameter", parameter, message)
    }

    pub(crate) fn repeated(parameter: &str) -> Self {
        let message = format!("the parameter {parameter} is given twice");
        Self::of_parameter("repeated_parameter", parameter, message)
    }

    pub(crate) fn unknown(parameter: &str, known: &[&str]) -> Self {
        let known = match known {
            [] => "there are none".to_owned(),
            known => format!("one of {}", known.join(", ")),
        };
        let cut: String = parameter.chars().take(QUOTED).collect();
        let message = format!("unknown parameter {cut:?}; {known}");
        Self::of_parameter("unknown_parameter", parameter, message)
    }

    pub(crate) fn value(parameter: &'static str, error: impl std::error::Error) -> Self {
        Self::of_parameter("invalid_value", parameter, error.to_string())
    }

    pub(crate) fn header(name: &str, known: &str) -> Self {
        let message = format!("the header {name} may say {known:?} and nothing else");
        Self::new(StatusCode::BAD_REQUEST, "invalid_header", message)
    }

    /// The body of a request is not what it should be.
    pub(crate) fn body(rejection: JsonRejection) -> Self {
        let code = match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => "body_too_large",
            _ => "invalid_body",
        };
        // A client is at fault, whatever the rejection calls it.
        let status = match rejection.status() {
            status if status.is_client_error() => status,
            _ => StatusCode::BAD_REQUEST,
        };
        let message: String = rejection.body_text().chars().take(300).collect();
        Self::new(status, code, message)
    }

    pub(crate) fn too_many(count: usize, most: usize) -> Self {
        let message = format!("{count} questions; at most {most} are answered at once");
        Self::new(StatusCode::BAD_REQUEST, "too_many", message)
    }

    /// What a client is told.
    pub(crate) fn failure(self) -> Failure {
        Failure { error: self.error }
    }

    pub(crate) fn problem(error: ProblemError) -> Self {
        let mut told = Self::of_parameter("invalid_problem", "problem", error.to_string());
        told.error.position = Some(error.position);
        told
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let status = match error.fault {
            Fault::Locked { .. }
            | Fault::Busy { .. }
            | Fault::Displaced { .. }
            | Fault::Unavailable(_)
            | Fault::Missing => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, "store", error.to_string())
    }
}

/// The message of the error that a response is, for the log.
#[derive(Debug, Clone)]
pub(crate) struct Reason(pub(crate) String);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let reason = Reason(self.error.message.clone());
        let mut response = json(self.status, &Failure { error: self.error });
        response.extensions_mut().insert(reason);
        response
    }
}

/// A response whose body is an answer.
pub(crate) fn json(status: StatusCode, answer: &impl Printed) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    let body = answers::line(answer) + "\n";
    (status, kind, body).into_response()
}
