//! Wishes: what was asked for and not found, to be tuned or not.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use answers::wishes::Wishes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use lookup::{CachedAnswer, LookupRequest};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{CountedWish, Wish};

use crate::body::JsonBody;
use crate::error_responses::{BodyErrors, CommonErrors};
use crate::json_response::json;
use crate::parameters::{self, RawQuery, parameters};
use crate::{ApiError, ServiceState};

/// The place of a wish in the list: how often it was asked, when last, and which it is. What was asked most goes first, and
/// among equals what was asked last.
type WishPosition = (Reverse<u64>, Reverse<u64>, String);

/// Digits of the hash that tells wishes of one moment from each other.
const DIGITS: usize = 16;

fn place(
    CountedWish {
        wish, count, last, ..
    }: &CountedWish,
) -> WishPosition {
    let last = last.duration_since(UNIX_EPOCH).unwrap_or_default();
    let hash = blake3::hash(format!("{wish:?}").as_bytes()).to_hex();
    (
        Reverse(*count),
        Reverse(u64::try_from(last.as_millis()).unwrap_or(u64::MAX)),
        hash[..DIGITS].to_owned(),
    )
}

fn cursor((Reverse(count), Reverse(last), hash): &WishPosition) -> String {
    format!("{count}-{last}-{hash}")
}

/// The place that a cursor names.
fn place_of(cursor: &str) -> Result<WishPosition, ApiError> {
    let read = || {
        let mut parts = cursor.splitn(3, '-');
        let count = parts.next()?.parse().ok()?;
        let last = parts.next()?.parse().ok()?;
        let hash = parts.next().filter(|hash| hash.len() == DIGITS)?;
        Some((Reverse(count), Reverse(last), hash.to_owned()))
    };
    read().ok_or_else(|| ApiError::value("cursor", "a cursor is what `next` of an answer says"))
}

/// What was asked for and nothing answers yet.
///
/// What was asked most goes first. One that is asked while the list is read may be met twice, or not at all.
#[utoipa::path(
    get,
    path = "/api/v1/wishes",
    params(
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "The largest number of wishes in the answer; 100 by default"),
        ("cursor" = Option<String>, Query, description = "The start of the page: `next` of the answer before"),
    ),
    responses((status = 200, description = "A page of the list", body = ref("#/components/schemas/Wishes")), CommonErrors),
)]
pub(crate) async fn wishes(
    State(service): State<Arc<ServiceState>>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [limit, cursor] = parameters(query, ["limit", "cursor"])?;
    let limit = parameters::limit(limit)?;
    let after = cursor.as_deref().map(place_of).transpose()?;
    let known = service.catalogue.wishes().await?;
    let mut all: Vec<(WishPosition, &CountedWish)> =
        known.rows.iter().map(|it| (place(it), it)).collect();
    all.retain(|(place, _)| after.as_ref().is_none_or(|after| place > after));
    all.sort_by(|one, other| one.0.cmp(&other.0));
    let mut open: Vec<(WishPosition, &CountedWish)> = Vec::new();
    let mut next = None;
    for (place, wished) in all {
        let request = LookupRequest::from(&wished.wish);
        let written = request.problem.to_string();
        if let CachedAnswer::Exact(_) = service.told(&request, &written).await? {
            continue;
        }
        if open.len() == limit {
            next = open.last().map(|(place, _)| self::cursor(place));
            break;
        }
        open.push((place, wished));
    }
    let wishes = open
        .iter()
        .map(|(_, wished)| lookup::wish(wished))
        .collect();
    let unreadable = known.unreadable;
    Ok(json(
        StatusCode::OK,
        &Wishes {
            wishes,
            next,
            unreadable,
        },
    ))
}

/// Which wish is not to be listed any more.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dismissal {
    /// The problem that was asked for.
    problem: String,
    /// The target that it was asked for.
    target: String,
    /// The device that was insisted on; none where any would do.
    #[serde(default)]
    device: Option<String>,
    /// The generator that was insisted on; none where any would do.
    #[serde(default)]
    generator: Option<String>,
}

/// Takes a wish off the list.
///
/// It is not there afterwards, whether it was or not. Who asks again wishes anew.
#[utoipa::path(
    post,
    path = "/api/v1/wishes:dismiss",
    request_body(content = ref("#/components/schemas/Dismissal"), description = "The wish, as the list has it"),
    responses((status = 204, description = "The wish is no longer on the list"), BodyErrors, CommonErrors),
)]
pub(crate) async fn dismiss(
    State(service): State<Arc<ServiceState>>,
    JsonBody(dismissal): JsonBody<Dismissal>,
) -> Result<StatusCode, ApiError> {
    let catalogue = service.catalogue.as_ref();
    let generators = catalogue.generators();
    let wish = Wish {
        problem: parameters::problem(&dismissal.problem)?,
        target: parameters::target(&dismissal.target)?,
        device: dismissal.device,
        generator: parameters::generator(dismissal.generator, generators)?,
    };
    // One that waits to be written would be there again in a second.
    catalogue.flush_wishes().await?;
    catalogue.end_wish(&wish).await?;
    Ok(StatusCode::NO_CONTENT)
}
