//! The kinds of problems: a table, which is also the page behind the `type` of a problem.

use axum::http::StatusCode;

/// A kind of problem.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ProblemKind {
    /// The end of its address, `/problems/NAME`.
    pub(crate) name: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) title: &'static str,
    /// Its meaning, for the page.
    pub(crate) meaning: &'static str,
}

/// Defines the constants of a table of kinds.
macro_rules! kinds {
    ($($row:ident, $status:ident, $name:literal, $title:literal: $meaning:literal;)*) => {
        $(pub(crate) const $row: ProblemKind = ProblemKind {
            name: $name,
            status: StatusCode::$status,
            title: $title,
            meaning: $meaning,
        };)*

        /// All kinds.
        pub(crate) const KINDS: &[ProblemKind] = &[$($row),*];
    };
}

kinds! {
    MISSING_PARAMETER, BAD_REQUEST, "missing-parameter", "A parameter is missing":
        "The request needs the parameter, or the field of the question, that `parameter` names.";
    REPEATED_PARAMETER, BAD_REQUEST, "repeated-parameter", "A parameter is given twice":
        "A request may give each parameter only once.";
    UNKNOWN_PARAMETER, BAD_REQUEST, "unknown-parameter", "There is no such parameter":
        "The service refuses unknown parameters, so that no misspelt one is ignored. `detail` names the known ones.";
    INVALID_VALUE, BAD_REQUEST, "invalid-value", "A parameter's value is wrong":
        "`detail` describes the valid values.";
    INVALID_PROBLEM, BAD_REQUEST, "invalid-problem", "The problem does not parse":
        "A problem is COMPARATOR:DIMENSIONSxTYPE, such as argmax:4x[32000]xf32. `position` is the position of the \
         first wrong character, counted from 0.";
    INVALID_HEADER, BAD_REQUEST, "invalid-header", "A header's value is wrong":
        "`detail` describes the valid values.";
    INVALID_HOST, BAD_REQUEST, "invalid-host", "A request has one Host header":
        "A request of HTTP/1.1 must have exactly one Host header.";
    MALFORMED_BODY, BAD_REQUEST, "malformed-body", "The body is not JSON":
        "The body ends too early, or is not JSON.";
    TOO_MANY, BAD_REQUEST, "too-many", "The request asks for too much at once":
        "The request has `given` entries, and the service answers at most `limit`. Send several requests.";
    TOKEN_MISSING, UNAUTHORIZED, "token-missing", "The request has no token":
        "A service that other machines can reach requires a token: Authorization: Bearer TOKEN. \
         `wavetune token create` creates one in the service's database.";
    TOKEN_INVALID, UNAUTHORIZED, "token-invalid", "The token is not valid":
        "The token is incomplete, is not from this service, has expired or was revoked; `detail` says which.";
    SCOPE_MISSING, FORBIDDEN, "scope-missing", "The token lacks a scope":
        "Each operation needs a scope, which the description of the API names. A token has only the scopes that it \
         was created with. No scope includes another.";
    CROSS_SITE, FORBIDDEN, "cross-site", "The request is from a page of another site":
        "A browser sent the request for a page that is not of this service. The service does not answer such \
         requests.";
    NOT_FOUND, NOT_FOUND, "not-found", "There is nothing at this address":
        "/api/v1/openapi.json lists all addresses.";
    UNKNOWN_STUDY, NOT_FOUND, "unknown-study", "There is no such study":
        "The database has no study with this number, or the service was not asked to run it. GET /api/v1/studies \
         lists the studies that the service runs, and GET /api/v1/records lists all.";
    UNKNOWN_TRIAL, NOT_FOUND, "unknown-trial", "There is no such trial":
        "The database has no study with this number, or the study has no trial with this ordinal. GET \
         /api/v1/studies/{id}/trials lists its trials.";
    UNKNOWN_MODEL, NOT_FOUND, "unknown-model", "There is no such model":
        "The database has no model with this ID. GET /api/v1/models lists all.";
    NOTHING_KNOWN, NOT_FOUND, "nothing-known", "The database has no such data":
        "The address is correct, but the database has no data for it. `detail` says what would find some.";
    METHOD_NOT_ALLOWED, METHOD_NOT_ALLOWED, "method-not-allowed", "The address does not take this method":
        "The header Allow of the answer names the methods that it takes.";
    NOT_ACCEPTABLE, NOT_ACCEPTABLE, "not-acceptable", "The answer has no acceptable encoding":
        "The header Accept-Encoding of the request refuses both the plain answer (`identity;q=0`, or `*;q=0`) and \
         gzip.";
    SLOW_BODY, REQUEST_TIMEOUT, "slow-body", "The body did not arrive in time":
        "The whole body must arrive within `limit` seconds.";
    TOO_MANY_STUDIES, CONFLICT, "too-many-studies", "The token has too many open studies":
        "A token may have `limit` open studies, which wait, run or are paused (`wavetune serve --open-studies 5000`). \
         Cancel some, or submit these when others are done. No study of this request has begun.";
    WRONG_STATE, CONFLICT, "wrong-state", "The study's state does not allow it":
        "Pause needs a study that waits for an agent or runs. Cancel needs one that waits, runs or is paused. Resume \
         needs one that is paused, cancelled or failed. A study that is under way cannot be deleted or requeued: \
         cancel it first. Only a study that is done has a report.";
    KEY_USED, CONFLICT, "key-used", "The idempotency key belongs to another request":
        "A repeated request must have the content of the first one. Another request needs another key.";
    NO_LEASE, GONE, "no-lease", "There is no such lease":
        "The lease is not from this service, has ended, or is for other work. The agent must request another.";
    SEVERAL, CONFLICT, "several", "The data has several answers":
        "Choose one with `parameter`; `detail` names the choices.";
    MALFORMED_REQUEST, BAD_REQUEST, "malformed-request", "The request is not HTTP":
        "The request has no valid head of HTTP/1.1. The service closes the connection, because it cannot know the \
         start of the next request.";
    HEAD_TOO_LARGE, REQUEST_HEADER_FIELDS_TOO_LARGE, "head-too-large", "The head of the request is too large":
        "The address and the headers of a request may have at most `limit` bytes and 100 headers.";
    DISK_FULL, INSUFFICIENT_STORAGE, "disk-full", "The disk of the database is full":
        "The service cannot write until the disk of the database has free space. It still answers lookups.";
    BODY_TOO_LARGE, PAYLOAD_TOO_LARGE, "body-too-large", "The body is too large":
        "A body may have at most `limit` bytes. Send several requests.";
    UNSUPPORTED_MEDIA_TYPE, UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "The body's media type is not JSON":
        "A request with a body must have Content-Type: application/json. A page of another site cannot make a browser \
         send it.";
    MISDIRECTED, MISDIRECTED_REQUEST, "misdirected", "The service does not have this host name":
        "The Host header must be an IP address, localhost or a name that the service was started with.";
    INVALID_BODY, UNPROCESSABLE_ENTITY, "invalid-body", "The body has an invalid field":
        "The body is JSON, but a field is missing, unknown, of another type or has an impossible value. `detail` says \
         which.";
    PROBLEM_REFUSED, UNPROCESSABLE_ENTITY, "problem-refused", "The generator does not support the problem":
        "`rule` is the rule that the problem breaks, or that its known configuration breaks, if there is one. \
         `detail` has the numbers.";
    INVALID_NEWS, UNPROCESSABLE_ENTITY, "invalid-news", "The agent's report does not match its lease":
        "An agent must report the trials that its lease asks for, in the form in which it got them.";
    TOO_FAST, TOO_MANY_REQUESTS, "too-fast", "The token's rate limit is exceeded":
        "Each token may send a limited number of requests per second and at once. Retry-After is the number of \
         seconds until the service accepts the request. One request can ask for many configurations.";
    TOO_MANY_FAILURES, TOO_MANY_REQUESTS, "too-many-failures", "Too many requests from this address failed to authenticate":
        "Each address may send a limited number of requests per minute with a bad token, or without a required one \
         (`--auth-failures-per-minute`). Valid tokens are still accepted. Retry-After is the number of seconds until \
         the service checks the next token.";
    DATABASE, INTERNAL_SERVER_ERROR, "database", "The database failed":
        "The service cannot read its database. `detail` and the log give the remedy.";
    FAULT, INTERNAL_SERVER_ERROR, "fault", "The service has a bug":
        "The request is never at fault. The log has the cause, under the request's X-Request-Id.";
    DATABASE_UNAVAILABLE, SERVICE_UNAVAILABLE, "database-unavailable", "The database is not available now":
        "The database is locked, busy or was moved, or another file is in its place; `detail` says which. Retry the \
         request later.";
    STUDIES_UNAVAILABLE, SERVICE_UNAVAILABLE, "studies-unavailable", "The service cannot run studies now":
        "The database is not writable, or the queue is not reachable; `detail` says which. The service still answers \
         lookups.";
    TOOLS_MISSING, NOT_IMPLEMENTED, "tools-missing", "The service lacks tools":
        "The service's machine lacks the tools that build kernels or compile models. `detail` names them and their \
         installation. All other requests work.";
    MODELS_FULL, SERVICE_UNAVAILABLE, "models-full", "Too many models wait":
        "The service compares one model at a time. A limited number of models wait; `detail` has it. Retry-After is the number of \
         seconds until a retry.";
    NOT_YET, SERVICE_UNAVAILABLE, "not-yet", "The service is still reading the database":
        "The service started a moment ago, or its database was replaced. Retry-After is the number of seconds until a \
         retry.";
    TOO_MANY_WAIT, SERVICE_UNAVAILABLE, "too-many-wait", "Too many clients wait":
        "Each agent that waits for work and each client that follows a study keeps a connection. They may use half of \
         the connections (`--max-connections`), and fewer if the system allows fewer open files (`ulimit -n`).";
    OVERLOADED, SERVICE_UNAVAILABLE, "overloaded", "The service is busy":
        "The service handles its largest number of requests. The queue is full, or this request waited too long in \
         it. Retry-After is the number of seconds until a retry.";
    TIMEOUT, SERVICE_UNAVAILABLE, "timeout", "The answer took too long":
        "The service gave up after `limit` seconds. Retry the request later.";
}

impl ProblemKind {
    /// Returns its address.
    pub(crate) fn address(&self) -> String {
        format!("/problems/{}", self.name)
    }
}
