//! Wishes: questions without an exact answer, for later tuning.

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

/// The position of a wish in the list: its count, its last time, and a hash. The most frequent
/// goes first, then the most recent.
type WishPosition = (Reverse<u64>, Reverse<u64>, String);

/// Hexadecimal digits of the hash, which orders wishes of equal count and time.
const DIGITS: usize = 16;

fn place(
    CountedWish {
        wish, count, last, ..
    }: &CountedWish,
) -> WishPosition {
    let last = last.duration_since(UNIX_EPOCH).unwrap_or_default();
    // The `Debug` form is part of the cursor: a renamed field invalidates open cursors only.
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

/// Parses a cursor.
fn place_of(cursor: &str) -> Result<WishPosition, ApiError> {
    let read = || {
        let mut parts = cursor.splitn(3, '-');
        let count = parts.next()?.parse().ok()?;
        let last = parts.next()?.parse().ok()?;
        let hash = parts.next().filter(|hash| hash.len() == DIGITS)?;
        Some((Reverse(count), Reverse(last), hash.to_owned()))
    };
    read().ok_or_else(|| ApiError::value("cursor", "a cursor must be the `next` of an answer"))
}

/// Lists the questions that have no exact answer yet.
///
/// The most frequent goes first. A question that a client repeats while the list is read may
/// appear twice, or not at all.
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
    // Positions, not row numbers: new wishes move the rows while a client pages.
    all.retain(|(place, _)| after.as_ref().is_none_or(|after| place > after));
    all.sort_by(|one, other| one.0.cmp(&other.0));
    let mut open: Vec<(WishPosition, &CountedWish)> = Vec::new();
    let mut next = None;
    for (place, wished) in all {
        let request = LookupRequest::from(&wished.wish);
        let written = request.problem.to_string();
        // The problem was tuned after the wish.
        if let CachedAnswer::Exact(_) = service.told(&request, &written).await? {
            continue;
        }
        // One row more than the page shows that there is a next page.
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

/// The wish to remove from the list.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dismissal {
    /// The problem of the wish.
    problem: String,
    /// The target of the wish.
    target: String,
    /// The required device; none if any would do.
    #[serde(default)]
    device: Option<String>,
    /// The required generator; none if any would do.
    #[serde(default)]
    generator: Option<String>,
}

/// Removes a wish from the list.
///
/// Afterwards it is not on the list, even if it never was. A further question records a new wish.
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
    // A buffered wish would be on the list again a second later.
    catalogue.flush_wishes().await?;
    catalogue.end_wish(&wish).await?;
    Ok(StatusCode::NO_CONTENT)
}
