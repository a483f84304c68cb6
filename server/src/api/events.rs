//! Events of a study, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use answers::runs::{RunEvent, TrialNote};
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use server_fleet::{StudyUpdate, TrialSummary};
use store::StudyId;

use super::studies::{number, progress};
use crate::error_responses::{CommonErrors, NotFoundErrors};
use crate::{ApiError, ServiceState};

/// Shortest time between two events of one client: one event combines all changes since the last.
const PAUSE: Duration = Duration::from_millis(100);

/// Time without an event after which the service sends a comment, so that proxies keep the
/// connection open.
pub(crate) const ALIVE: Duration = Duration::from_secs(15);

/// Streams the events of a study.
///
/// Server-sent events of the kind `study`: first the state with all trials, then changes, at most
/// ten times per second. The stream ends with the study. A client with the ID of its last event
/// continues there, also at another replica of the service or after a restart.
#[utoipa::path(
    get,
    path = "/api/v1/studies/{id}/events",
    params(
        ("id" = i64, Path, description = "The number of the study"),
        ("Last-Event-ID" = Option<String>, Header, nullable = false, description = "The last event that the client received"),
    ),
    responses(
        (status = 200, description = "Events with a RunEvent as data", content_type = "text/event-stream", body = ref("#/components/schemas/StreamedEvent")),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn events(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let (fleet, id) = (service.fleet()?, number(&id)?);
    let heard = headers.get("last-event-id");
    // An unreadable ID counts as none, and the stream begins anew.
    let heard = heard.and_then(|id| id.to_str().ok());
    let alive = KeepAlive::new().interval(ALIVE);
    let watch = fleet.watch(id, heard).await?;
    let events = stream::unfold((watch, false), move |(mut watch, is_begun)| async move {
        // The first event comes at once; later ones gather the changes of a pause.
        if is_begun {
            tokio::time::sleep(PAUSE).await;
        }
        let event = event(id, watch.next().await?);
        Some((Ok::<Event, Infallible>(event), (watch, true)))
    });
    Ok(Sse::new(events).keep_alive(alive).into_response())
}

/// Converts an update to an event.
fn event(study: StudyId, news: StudyUpdate) -> Event {
    let data = RunEvent {
        study: study.0,
        state: news.now.state,
        reason: news.now.reason,
        progress: news.now.progress.map(progress),
        trials: news.trials.into_iter().map(note).collect(),
    };
    Event::default()
        .event("study")
        .id(news.id)
        .data(answers::line(&data))
}

fn note(note: TrialSummary) -> TrialNote {
    TrialNote {
        ordinal: note.ordinal,
        role: note.role,
        status: note.status,
        failure: note.failure,
        time_us: note.time_us,
    }
}
