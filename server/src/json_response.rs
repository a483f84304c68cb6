//! Responses with a JSON body.

use answers::AnswerSchema;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Returns a response with this status and the answer as its body.
pub(crate) fn json(status: StatusCode, answer: &impl AnswerSchema) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, answers::line(answer) + "\n").into_response()
}
