//! Request middleware: checks, time limit, panics and common headers around each handler.

use std::any::Any;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{self, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::Instrument as _;

use crate::connection_admission::ConnectionSlot;
use crate::request_admission::{Client, RequestSlot};
use crate::request_log::LoggedRequest;
use crate::{ApiError, ServiceState, body, origin_check, response_headers};

/// Answers or refuses a request, and logs it.
pub(crate) async fn guard(
    State(service): State<Arc<ServiceState>>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = service.ids.next(request.headers());
    let asked = LoggedRequest::new(&id, &request);
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map(MatchedPath::as_str);
    let counted = service.metrics.begin(route, request.method());
    let seat = request.extensions().get::<Arc<ConnectionSlot>>();
    let is_guest = seat.is_some_and(|seat| seat.is_guest());
    // Checks of the head come before the queue: a bad request must not take a slot.
    let admitted = origin_check::admit(&service.names, &request);
    let admitted = admitted.and_then(|()| body::admit(request.headers()));
    let place = match admitted {
        Ok(()) => enter(&service, &mut request).await,
        Err(refusal) => Err(refusal),
    };
    let mut response = match place {
        Err(refusal) => refusal.into_response(),
        Ok(place) => {
            let limit = service.limits.answer_time;
            let answer = next.run(request).instrument(asked.span());
            let answered = tokio::time::timeout(limit, answer).await;
            if let Some(place) = place {
                // The handler is done; sending the body needs no slot.
                place.release();
            }
            answered.unwrap_or_else(|_| ApiError::timeout(limit).into_response())
        }
    };
    let headers = response.headers_mut();
    if is_guest {
        // A slot that this connection kept would be another's.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response_headers::complete(headers, id);
    counted.answered(response.status());
    asked.answered(&response);
    response
}

/// Waits for the turn of a request. The slot is also in the request's extensions, for a handler
/// that releases it early. A request without a connection needs none.
async fn enter(
    service: &ServiceState,
    request: &mut Request,
) -> Result<Option<Arc<RequestSlot>>, ApiError> {
    let shown = service.access.shown(request.headers());
    let token = shown.token().map(Client::Token);
    request.extensions_mut().insert(shown);
    let Some(seat) = request.extensions().get::<Arc<ConnectionSlot>>() else {
        return Ok(None);
    };
    if seat.is_guest() {
        return Err(seat.admission().refuse().await);
    }
    let client = token.unwrap_or(seat.client());
    let place = seat.admission().enter(client, seat.pace()).await?;
    seat.begin();
    let place = Arc::new(place);
    request.extensions_mut().insert(Arc::clone(&place));
    Ok(Some(place))
}

/// Answers in place of a handler that panicked.
pub(crate) fn caught(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let said = text.unwrap_or("no message");
    ApiError::fault().because(format!("a handler panicked: {said}"))
}
