//! Trials of one study or of all, a page at a time or as a stream of lines.

use std::sync::Arc;

use answers::records::{LeftOutTrials, ListedTrials};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::TryStreamExt as _;
use futures_util::stream::{self, Stream, StreamExt as _};
use store::{
    Cursor, FailureKind, ListPage, Page, Role, Status, StoreError, TrialFilter, TrialRecord,
    TrialSort, Unreadable,
};
use tracing::error;
use utoipa::IntoParams;

use super::studies::meant;
use crate::content_negotiation::accepts;
use crate::error_responses::{CommonErrors, NotFoundErrors};
use crate::json_response::json;
use crate::parameters::{self, RawQuery, named, parameters};
use crate::{ApiError, ServiceState};

/// The media type of a stream with a line of JSON for each trial.
const LINES: &str = "application/x-ndjson";

/// The orders of a study's trials, by name.
const SORTS: [(TrialSort, &str); 3] = [
    (TrialSort::Ordinal, "ordinal"),
    (TrialSort::Time, "time"),
    (TrialSort::Compiled, "compile"),
];

/// Hexadecimal digits of the hash of a configuration.
const HASH: usize = 64;

/// A filter of trials: all given conditions must hold.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
struct Filter {
    /// Only with this verdict.
    #[param(pattern = "^(right|tie|wrong|failed|timed)$")]
    status: Option<String>,
    /// Only with this failure, such as `crash` or `abandoned`.
    failure: Option<String>,
    /// Only with this role.
    #[param(pattern = "^(default|candidate)$")]
    role: Option<String>,
    /// Only with at least this time in microseconds.
    #[param(value_type = Option<f64>)]
    least_us: Option<String>,
    /// Only with at most this time in microseconds.
    #[param(value_type = Option<f64>)]
    most_us: Option<String>,
    /// Only configurations with a hash that begins with this.
    #[param(pattern = "^[0-9a-f]{1,64}$")]
    hash: Option<String>,
}

impl Filter {
    /// Creates a filter from the parameters, in the order of the fields.
    fn of(values: [Option<String>; 6]) -> Filter {
        let [status, failure, role, least_us, most_us, hash] = values;
        Filter {
            status,
            failure,
            role,
            least_us,
            most_us,
            hash,
        }
    }

    fn read(self) -> Result<TrialFilter, ApiError> {
        let status = |text: String| named("status", &text, &Status::ALL, Status::name);
        let failure = |text: String| named("failure", &text, &FailureKind::ALL, FailureKind::name);
        let role = |text: String| named("role", &text, &Role::ALL, Role::name);
        Ok(TrialFilter {
            status: self.status.map(status).transpose()?,
            failure: self.failure.map(failure).transpose()?,
            role: self.role.map(role).transpose()?,
            least_us: self.least_us.map(|us| time("least_us", &us)).transpose()?,
            most_us: self.most_us.map(|us| time("most_us", &us)).transpose()?,
            hash: self.hash.map(hash).transpose()?,
        })
    }
}

fn time(parameter: &'static str, text: &str) -> Result<f64, ApiError> {
    // `parse` accepts NaN, and no comparison with it holds.
    let time = text.parse().ok().filter(|time: &f64| time.is_finite());
    time.ok_or_else(|| ApiError::value(parameter, "a time must be a number of microseconds"))
}

fn hash(text: String) -> Result<String, ApiError> {
    // Hashes are stored in lower case, and the filter compares text.
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    match (1..=HASH).contains(&text.len()) && text.chars().all(is_digit) {
        true => Ok(text),
        false => Err(ApiError::value(
            "hash",
            "a hash prefix must be 1 to 64 digits of 0-9 and a-f",
        )),
    }
}

/// Lists the trials of a study.
///
/// With `Accept: application/x-ndjson` the answer is a stream of all trials after the cursor, a
/// line for each. If some could not be read, the last line is a LeftOut.
#[utoipa::path(
    get,
    path = "/api/v1/studies/{id}/trials",
    params(
        ("id" = i64, Path, description = "The number of the study"),
        Filter,
        ("sort" = Option<String>, Query, pattern = "^(ordinal|time|compile)$",
            description = "The order of the trials; `ordinal` by default. A sort by a time lists only trials that have one"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "The largest number of trials in the page; 100 by default"),
        ("cursor" = Option<String>, Query, description = "The start of the page: `next` of the answer before"),
    ),
    responses(
        (status = 200, description = "A page of trials, or lines with one Trial each", content(
            (ref("#/components/schemas/ListedTrials") = "application/json"),
            (String = "application/x-ndjson"),
        )),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn of_study(
    State(service): State<Arc<ServiceState>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let names = [
        "status", "failure", "role", "least_us", "most_us", "hash", "sort", "limit", "cursor",
    ];
    let [filter @ .., sort, limit, cursor] = parameters(query, names)?;
    let sort = sort.map_or(Ok(TrialSort::default()), |text| self::sort(&text))?;
    let asked = TrialQuery::new(filter, limit, cursor, &headers)?;
    let (id, is_run) = meant(&service, &id).await?;
    let found = service.records.find_study(id).await?;
    // A run that has not begun has no trials, and no study either.
    if !is_run && found.rows.is_empty() && found.unreadable.is_none() {
        return Err(ApiError::no_study(id));
    }
    let which = asked.which.clone();
    let read = move |page| {
        let (service, which) = (Arc::clone(&service), which.clone());
        async move { service.records.list_trials(id, &which, sort, page).await }
    };
    asked.answer(read).await
}

/// Returns a trial of a study.
#[utoipa::path(
    get,
    path = "/api/v1/studies/{id}/trials/{ordinal}",
    params(
        ("id" = i64, Path, description = "The number of the study"),
        ("ordinal" = u32, Path, description = "The ordinal of the trial within the study"),
    ),
    responses(
        (status = 200, description = "The trial", body = ref("#/components/schemas/Trial")),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn of_place(
    State(service): State<Arc<ServiceState>>,
    Path((id, ordinal)): Path<(String, String)>,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let [] = parameters(query, [])?;
    let (id, _) = meant(&service, &id).await?;
    let ordinal: u32 =
        (ordinal.parse()).map_err(|_| ApiError::value("ordinal", "the ordinal of a trial"))?;
    let page = Page {
        // A cursor names the last row before the page.
        after: Some(Cursor::Ordinal(i64::from(ordinal) - 1)),
        limit: 1,
    };
    let (all, by_ordinal) = (TrialFilter::default(), TrialSort::default());
    let listed = service.records.list_trials(id, &all, by_ordinal, page);
    let listed = listed.await?;
    if let Some(record) = listed.rows.into_iter().next() {
        // The query returns the next trial if there is none with this ordinal.
        if record.trial.ordinal == ordinal {
            return Ok(json(StatusCode::OK, &lookup::trial(record)));
        }
    } else if !listed.unreadable.is_none() {
        return Err(ApiError::nothing(listed.unreadable.to_string()));
    }
    Err(ApiError::no_trial(id, ordinal))
}

/// Lists the trials of all studies.
///
/// They are ordered by study and ordinal. An order by time does not exist, since times of several
/// devices and clocks are no ranking. `failure=abandoned` lists the trials that no agent
/// finished. `Accept: application/x-ndjson` has the same effect as for one study.
#[utoipa::path(
    get,
    path = "/api/v1/trials",
    params(
        Filter,
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 1000, description = "The largest number of trials in the page; 100 by default"),
        ("cursor" = Option<String>, Query, description = "The start of the page: `next` of the answer before"),
    ),
    responses(
        (status = 200, description = "A page of trials, or lines with one Trial each", content(
            (ref("#/components/schemas/ListedTrials") = "application/json"),
            (String = "application/x-ndjson"),
        )),
        CommonErrors,
    ),
)]
pub(crate) async fn of_all(
    State(service): State<Arc<ServiceState>>,
    headers: HeaderMap,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let names = [
        "status", "failure", "role", "least_us", "most_us", "hash", "limit", "cursor",
    ];
    let [filter @ .., limit, cursor] = parameters(query, names)?;
    let asked = TrialQuery::new(filter, limit, cursor, &headers)?;
    let which = asked.which.clone();
    let read = move |page| {
        let (service, which) = (Arc::clone(&service), which.clone());
        async move { service.records.list_all_trials(&which, page).await }
    };
    asked.answer(read).await
}

fn sort(text: &str) -> Result<TrialSort, ApiError> {
    let sort = named("sort", text, &SORTS, |(_, name)| name);
    sort.map(|(sort, _)| sort)
}

/// A query for trials.
struct TrialQuery {
    which: TrialFilter,
    page: Page,
    are_lines: bool,
}

impl TrialQuery {
    fn new(
        filter: [Option<String>; 6],
        limit: Option<String>,
        cursor: Option<String>,
        headers: &HeaderMap,
    ) -> Result<TrialQuery, ApiError> {
        let are_lines = accepts(headers, LINES);
        if are_lines && limit.is_some() {
            return Err(ApiError::value(
                "limit",
                "a stream has all trials and no limit; close it when you have enough",
            ));
        }
        // A stream reads pages of its own size, because the client does not see them.
        let limit = match are_lines {
            true => store::STREAMED,
            false => parameters::limit(limit)? as u32,
        };
        let after = cursor.map(|cursor| cursor.parse::<Cursor>()).transpose();
        let after = after.map_err(|error| ApiError::value("cursor", error))?;
        Ok(TrialQuery {
            which: Filter::of(filter).read()?,
            page: Page { after, limit },
            are_lines,
        })
    }

    /// Answers with a page, or with all pages as lines.
    async fn answer<F>(
        self,
        read: impl Fn(Page) -> F + Send + 'static,
    ) -> Result<Response, ApiError>
    where
        F: Future<Output = Result<ListPage<TrialRecord>, StoreError>> + Send + 'static,
    {
        if self.are_lines {
            let pages = store::pages(self.page, read);
            let lines =
                // The status is sent already, so only the log can have the error.
                lines(pages).inspect_err(|error| error!(%error, "a stream of trials ended early"));
            let kind = [(header::CONTENT_TYPE, LINES)];
            return Ok((kind, Body::from_stream(lines)).into_response());
        }
        let listed = read(self.page).await?;
        let answer = ListedTrials {
            trials: listed.rows.into_iter().map(lookup::trial).collect(),
            next: listed.next.map(|next| next.to_string()),
            unreadable: listed.unreadable,
        };
        Ok(json(StatusCode::OK, &answer))
    }
}

/// Converts pages to text, with the unreadable trials of all pages at the end.
fn lines(
    pages: impl Stream<Item = Result<ListPage<TrialRecord>, StoreError>> + Send + 'static,
) -> impl Stream<Item = Result<String, StoreError>> + Send + 'static {
    let begin = (Box::pin(pages), Some(Unreadable::default()));
    stream::try_unfold(begin, |(mut pages, left_out)| async move {
        // None marks that the last line is sent.
        let Some(mut left_out) = left_out else {
            return Ok(None);
        };
        let Some(listed) = pages.next().await.transpose()? else {
            let last = match left_out.is_none() {
                true => String::new(),
                false => {
                    answers::line(&LeftOutTrials {
                        unreadable: left_out,
                    }) + "\n"
                }
            };
            return Ok(Some((last, (pages, None))));
        };
        left_out.join(listed.unreadable);
        let lines = listed
            .rows
            .into_iter()
            .map(|trial| answers::line(&lookup::trial(trial)) + "\n");
        Ok(Some((lines.collect(), (pages, Some(left_out)))))
    })
}
