//! Errors for the client, as problem details (RFC 9457).

use std::fmt::Display;
use std::time::{Duration, SystemTime};

use answers::http::ProblemDetails;
use axum::extract::rejection::JsonRejection;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use configgen::ProblemError;
use configgen::comparator::ComparatorError;
use kernel_export::ExportRefusal;
use server_fleet::FleetError;
use store::{StoreError, StoreFault, StudyId, TokenScope};

use crate::json_response::json;
use crate::problem_kind::{self, ProblemKind};

/// An error for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    status: StatusCode,
    problem: Box<ProblemDetails>,
    /// A header that a program reads without parsing the problem.
    header: Option<(HeaderName, HeaderValue)>,
}

/// Characters of a client's own text in an error.
pub(crate) const QUOTED: usize = 80;
/// Characters of a parser's message about a body.
const SAID: usize = 300;

impl ApiError {
    pub(crate) fn new(kind: &ProblemKind, detail: impl Into<String>) -> Self {
        ApiError {
            status: kind.status,
            problem: Box::new(ProblemDetails {
                kind: kind.address(),
                title: kind.title,
                status: kind.status.as_u16(),
                detail: detail.into(),
                parameter: None,
                position: None,
                rule: None,
                given: None,
                limit: None,
            }),
            header: None,
        }
    }

    fn of_parameter(kind: &ProblemKind, parameter: &str, detail: String) -> Self {
        let mut told = Self::new(kind, detail);
        // A client's own text must not grow the answer and the log.
        told.problem.parameter = Some(parameter.chars().take(QUOTED).collect());
        told
    }

    pub(crate) fn with_limit(kind: &ProblemKind, limit: u64, detail: String) -> Self {
        let mut told = Self::new(kind, detail);
        told.problem.limit = Some(limit);
        told
    }

    /// Creates an error that a token, or another one, would avoid (RFC 6750, 3).
    fn challenge(kind: &ProblemKind, error: &str, detail: String) -> Self {
        let challenge = format!("Bearer realm=\"wavetune\"{error}");
        let challenge = HeaderValue::from_str(&challenge).expect("words in quotes");
        let mut told = Self::new(kind, detail);
        told.header = Some((header::WWW_AUTHENTICATE, challenge));
        told
    }

    fn invalid_token(detail: String) -> Self {
        let error = ", error=\"invalid_token\"";
        Self::challenge(&problem_kind::TOKEN_INVALID, error, detail)
    }

    pub(crate) fn no_token(scope: TokenScope) -> Self {
        let detail = format!(
            "the request needs a token with the scope {}: send Authorization: Bearer TOKEN; `wavetune token create` \
             creates one in the service's database",
            scope.name()
        );
        Self::challenge(&problem_kind::TOKEN_MISSING, "", detail)
    }

    /// Creates the error for an invalid token. It does not quote the token, which may be a part
    /// of one, or a password.
    pub(crate) fn not_a_token() -> Self {
        let detail = "a request may have one header Authorization: Bearer TOKEN, with the whole token that `wavetune \
                      token create` printed";
        Self::invalid_token(detail.to_owned())
    }

    pub(crate) fn unknown_token() -> Self {
        let detail = "the database of this service has no such token; `wavetune token list` lists its tokens";
        Self::invalid_token(detail.to_owned())
    }

    pub(crate) fn revoked(name: &str) -> Self {
        let name: String = name.chars().take(QUOTED).collect();
        let detail =
            format!("the token of {name:?} was revoked; `wavetune token create` creates another");
        Self::invalid_token(detail)
    }

    pub(crate) fn expired(name: &str, when: SystemTime) -> Self {
        let name: String = name.chars().take(QUOTED).collect();
        let when = answers::time(when);
        let detail = format!(
            "the token of {name:?} expired on {when}; `wavetune token create` creates another"
        );
        Self::invalid_token(detail)
    }

    pub(crate) fn no_scope(name: &str, scope: TokenScope) -> Self {
        let (name, scope): (String, _) = (name.chars().take(QUOTED).collect(), scope.name());
        let error = format!(", error=\"insufficient_scope\", scope=\"{scope}\"");
        let detail = format!(
            "the token of {name:?} lacks the scope {scope}; `wavetune token create` creates one that has it"
        );
        Self::challenge(&problem_kind::SCOPE_MISSING, &error, detail)
    }

    pub(crate) fn later(kind: &ProblemKind, detail: String, seconds: u64) -> Self {
        let mut told = Self::new(kind, detail);
        told.header = Some((header::RETRY_AFTER, HeaderValue::from(seconds)));
        told
    }

    /// Creates the error for a token over its rate limit.
    pub(crate) fn too_fast(seconds: u64) -> Self {
        let detail = format!("too many requests with this token; retry in {seconds} s");
        Self::later(&problem_kind::TOO_FAST, detail, seconds)
    }

    /// Creates the error for a token with too many concurrent requests.
    pub(crate) fn too_many_at_once() -> Self {
        let detail = "too many requests with this token are open; wait for their answers";
        Self::later(&problem_kind::TOO_FAST, detail.to_owned(), 1)
    }

    pub(crate) fn too_many_wait() -> Self {
        let detail = "too many clients wait for work or follow studies; retry in 5 s, or use another replica";
        Self::later(&problem_kind::TOO_MANY_WAIT, detail.to_owned(), 5)
    }

    /// Creates the error for a token that cannot be verified now.
    pub(crate) fn tokens_unknown() -> Self {
        Self::new(
            &problem_kind::DATABASE_UNAVAILABLE,
            "the tokens cannot be read from the database; retry later",
        )
    }

    pub(crate) fn not_found() -> Self {
        let detail = "there is nothing at this address; /api/v1/openapi.json lists all addresses";
        Self::new(&problem_kind::NOT_FOUND, detail)
    }

    pub(crate) fn method_not_allowed() -> Self {
        let detail = "this address does not take this method; the header Allow names its methods";
        Self::new(&problem_kind::METHOD_NOT_ALLOWED, detail)
    }

    pub(crate) fn host_count(count: usize) -> Self {
        let detail = format!("a request must have one Host header; this one has {count}");
        Self::new(&problem_kind::INVALID_HOST, detail)
    }

    /// Creates the error for an unknown host name.
    pub(crate) fn misdirected(host: &str) -> Self {
        let cut: String = host.chars().take(QUOTED).collect();
        let detail = format!(
            "this service does not have the host name {cut:?}; use its address, or start it with --allowed-host NAME"
        );
        Self::new(&problem_kind::MISDIRECTED, detail)
    }

    pub(crate) fn cross_site() -> Self {
        Self::new(
            &problem_kind::CROSS_SITE,
            "the service does not answer requests from pages of other sites",
        )
    }

    pub(crate) fn timeout(limit: Duration) -> Self {
        let detail = format!("no answer within {} s; retry later", limit.as_secs());
        Self::with_limit(&problem_kind::TIMEOUT, limit.as_secs(), detail)
    }

    /// Creates the error for an empty result, with its reason.
    pub(crate) fn nothing(reason: String) -> Self {
        Self::new(&problem_kind::NOTHING_KNOWN, reason)
    }

    /// Creates the error for a parameter that must choose one of these values.
    pub(crate) fn several(parameter: &str, values: &[String]) -> Self {
        let values = values.join("\", \"");
        let detail = format!("the data has several; choose one with {parameter}: \"{values}\"");
        Self::of_parameter(&problem_kind::SEVERAL, parameter, detail)
    }

    /// Creates the error for a parameter that must confirm this value, with the reason.
    pub(crate) fn to_be_chosen(parameter: &str, value: &str, reason: impl Display) -> Self {
        let detail = format!("{reason}; choose it with {parameter}: \"{value}\"");
        Self::of_parameter(&problem_kind::SEVERAL, parameter, detail)
    }

    pub(crate) fn not_yet() -> Self {
        let detail = "the service is still reading the database; retry in 1 s";
        Self::later(&problem_kind::NOT_YET, detail.to_owned(), 1)
    }

    /// Creates the error for a fault of the service. The log has the cause.
    pub(crate) fn fault() -> Self {
        let detail = "the service has a bug; its log has the cause, under this X-Request-Id";
        Self::new(&problem_kind::FAULT, detail)
    }

    pub(crate) fn missing(parameter: &'static str) -> Self {
        let detail = format!("the parameter {parameter} is missing");
        Self::of_parameter(&problem_kind::MISSING_PARAMETER, parameter, detail)
    }

    pub(crate) fn repeated(parameter: &str) -> Self {
        let detail = format!("the parameter {parameter} is given twice");
        Self::of_parameter(&problem_kind::REPEATED_PARAMETER, parameter, detail)
    }

    pub(crate) fn unknown(parameter: &str, known: &[&str]) -> Self {
        let known = match known {
            [] => "there are none".to_owned(),
            known => format!("one of {}", known.join(", ")),
        };
        let cut: String = parameter.chars().take(QUOTED).collect();
        let detail = format!("unknown parameter {cut:?}; {known}");
        Self::of_parameter(&problem_kind::UNKNOWN_PARAMETER, parameter, detail)
    }

    pub(crate) fn value(parameter: &'static str, error: impl std::fmt::Display) -> Self {
        Self::of_parameter(&problem_kind::INVALID_VALUE, parameter, error.to_string())
    }

    pub(crate) fn header(name: &str, known: &str) -> Self {
        let detail = format!("the header {name} must be {known:?}");
        Self::new(&problem_kind::INVALID_HEADER, detail)
    }

    pub(crate) fn body(rejection: &JsonRejection) -> Self {
        let kind = match rejection {
            JsonRejection::JsonDataError(_) => &problem_kind::INVALID_BODY,
            JsonRejection::MissingJsonContentType(_) => &problem_kind::UNSUPPORTED_MEDIA_TYPE,
            _ => &problem_kind::MALFORMED_BODY,
        };
        let said: String = rejection.body_text().chars().take(SAID).collect();
        Self::new(kind, said)
    }

    pub(crate) fn body_too_large(limit: usize) -> Self {
        let detail = format!("a body may have at most {limit} bytes; send several requests");
        Self::with_limit(&problem_kind::BODY_TOO_LARGE, limit as u64, detail)
    }

    pub(crate) fn slow_body(limit: Duration) -> Self {
        let detail = format!(
            "the body did not arrive within {} s; send it faster",
            limit.as_secs()
        );
        Self::with_limit(&problem_kind::SLOW_BODY, limit.as_secs(), detail)
    }

    pub(crate) fn too_many(given: usize, limit: usize) -> Self {
        let detail = format!("{given} questions; one request may have at most {limit}");
        let mut told = Self::with_limit(&problem_kind::TOO_MANY, limit as u64, detail);
        told.problem.given = Some(given as u64);
        told
    }

    pub(crate) fn too_many_problems(given: usize, limit: usize) -> Self {
        let detail = format!("{given} problems; at most {limit} are tuned by one request");
        let mut told = Self::with_limit(&problem_kind::TOO_MANY, limit as u64, detail);
        told.problem.given = Some(given as u64);
        told
    }

    pub(crate) fn too_many_kernels(given: usize, limit: usize) -> Self {
        let detail = format!(
            "{given} kernels; at most {limit} are exported by one request: name fewer with problem, or use \
             `wavetune export kernels` where the database is"
        );
        let mut told = Self::with_limit(&problem_kind::TOO_MANY, limit as u64, detail);
        told.problem.given = Some(given as u64);
        told
    }

    /// Creates the error for a problem without a kernel.
    pub(crate) fn refused(refused: &ExportRefusal) -> Self {
        let mut told = Self::of_parameter(
            &problem_kind::PROBLEM_REFUSED,
            "problem",
            refused.to_string(),
        );
        told.problem.rule = Some(refused.rejection.rule);
        told
    }

    pub(crate) fn no_kernel(refused: &answers_explanation::ExplanationRefusal) -> Self {
        let mut told = Self::new(&problem_kind::PROBLEM_REFUSED, refused.to_string());
        told.problem.rule = refused.rule;
        told
    }

    pub(crate) fn tools_missing(missing: &impl std::fmt::Display) -> Self {
        let detail = format!("on the service's machine: {missing}");
        Self::new(&problem_kind::TOOLS_MISSING, detail)
    }

    pub(crate) fn not_json() -> Self {
        let detail = "a request that changes something must have Content-Type: application/json";
        Self::new(&problem_kind::UNSUPPORTED_MEDIA_TYPE, detail)
    }

    pub(crate) fn no_study(id: StudyId) -> Self {
        let detail = format!("there is no study {}", id.0);
        Self::new(&problem_kind::UNKNOWN_STUDY, detail)
    }

    pub(crate) fn no_trial(id: StudyId, ordinal: u32) -> Self {
        let detail = format!("study {} has no trial {ordinal}", id.0);
        Self::new(&problem_kind::UNKNOWN_TRIAL, detail)
    }

    /// Creates the error for a running study that would have to stop first.
    pub(crate) fn under_way(id: StudyId) -> Self {
        let detail = format!(
            "study {0} is not finished; POST /api/v1/studies/{0}/cancel first",
            id.0
        );
        Self::new(&problem_kind::WRONG_STATE, detail)
    }

    pub(crate) fn not_acceptable() -> Self {
        let detail = "Accept-Encoding must allow identity or gzip";
        Self::new(&problem_kind::NOT_ACCEPTABLE, detail)
    }

    pub(crate) fn no_studies() -> Self {
        let detail = "the database cannot be written; make it writable, and restart the service";
        Self::new(&problem_kind::STUDIES_UNAVAILABLE, detail)
    }

    pub(crate) fn problem(error: &ProblemError) -> Self {
        let mut told =
            Self::of_parameter(&problem_kind::INVALID_PROBLEM, "problem", error.to_string());
        told.problem.position = Some(error.position);
        told
    }

    pub(crate) fn comparator(text: &str, error: &ComparatorError) -> Self {
        let ComparatorError {
            line,
            column,
            message,
        } = error;
        let detail = format!("line {line}, character {column}: {message}");
        let mut told = Self::of_parameter(&problem_kind::INVALID_VALUE, "comparator", detail);
        // The position counts characters of the whole text, from 0.
        let before = text.split_inclusive('\n').take(line.saturating_sub(1));
        let before: usize = before.map(|line| line.chars().count()).sum();
        told.problem.position = Some(before + column.saturating_sub(1));
        told
    }

    /// Returns true if another token could succeed.
    pub(crate) fn is_refusal(&self) -> bool {
        [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&self.status)
    }

    /// Returns the problem details for the client.
    pub(crate) fn details(self) -> ProblemDetails {
        *self.problem
    }

    /// Returns the response, with a cause for the log that the client does not see.
    pub(crate) fn because(self, cause: String) -> Response {
        let mut response = self.into_response();
        response.extensions_mut().insert(Reason(cause));
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match &error.fault {
            // The names of the processes contain machine names, which are not for clients.
            StoreFault::AtWork { study, .. } => {
                let id = study.0;
                let detail =
                    format!("a process works on study {id}; end it first, or wait until it ends");
                Self::new(&problem_kind::WRONG_STATE, detail)
            }
            StoreFault::Cursor(cursor) => Self::value("cursor", cursor),
            StoreFault::Portion(_) | StoreFault::Trial { .. } => {
                Self::new(&problem_kind::INVALID_BODY, error.fault.to_string())
            }
            StoreFault::ReadOnly => {
                Self::new(&problem_kind::STUDIES_UNAVAILABLE, error.to_string())
            }
            _ => Self::new(database(&error), error.to_string()),
        }
    }
}

/// Returns the kind of problem of a database error.
fn database(error: &StoreError) -> &'static ProblemKind {
    match error.fault {
        StoreFault::DiskFull => &problem_kind::DISK_FULL,
        // Another process uses the database, the server is away, or the file is not a wavetune
        // database.
        StoreFault::Locked { .. }
        | StoreFault::Busy { .. }
        | StoreFault::Displaced { .. }
        | StoreFault::Unavailable(_)
        | StoreFault::Insecure(_)
        | StoreFault::Denied(_)
        | StoreFault::NoSuchDatabase
        | StoreFault::Missing
        | StoreFault::Empty
        | StoreFault::Unreadable
        | StoreFault::TooManyFiles
        | StoreFault::NotADatabase
        | StoreFault::Foreign
        | StoreFault::NewerSchema { .. }
        | StoreFault::OlderSchema { .. } => &problem_kind::DATABASE_UNAVAILABLE,
        _ => &problem_kind::DATABASE,
    }
}

impl From<FleetError> for ApiError {
    fn from(error: FleetError) -> Self {
        let kind = match &error {
            FleetError::Unknown(_) => &problem_kind::UNKNOWN_STUDY,
            FleetError::State { .. } => &problem_kind::WRONG_STATE,
            FleetError::NoRoom { .. } => &problem_kind::TOO_MANY_STUDIES,
            FleetError::OtherRequest(_) => &problem_kind::KEY_USED,
            FleetError::NoLease => &problem_kind::NO_LEASE,
            FleetError::Said(_) => &problem_kind::INVALID_NEWS,
            // Neither is the client's fault: the queue is away, or this version cannot run the
            // study.
            FleetError::Queue(_) | FleetError::Unable(_) => &problem_kind::STUDIES_UNAVAILABLE,
            FleetError::Refused { .. } => &problem_kind::PROBLEM_REFUSED,
            FleetError::Store(error) => match error.fault {
                StoreFault::Trial { .. } => &problem_kind::INVALID_NEWS,
                StoreFault::ReadOnly => &problem_kind::STUDIES_UNAVAILABLE,
                _ => database(error),
            },
        };
        let mut told = Self::new(kind, error.to_string());
        if let FleetError::Refused { rule, .. } = &error {
            told.problem.rule = *rule;
        }
        if let FleetError::NoRoom { most, .. } = error {
            told.problem.limit = Some(most);
        }
        told
    }
}

/// The reason of a failed response, for the log.
#[derive(Debug, Clone)]
pub(crate) struct Reason(pub(crate) String);

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let reason = Reason(self.problem.detail.clone());
        let mut response = json(self.status, self.problem.as_ref());
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response.headers_mut().extend(self.header);
        response.extensions_mut().insert(reason);
        response
    }
}

#[cfg(test)]
mod tests;
