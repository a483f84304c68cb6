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
        "Each parameter is given once at most.";
    UNKNOWN_PARAMETER, BAD_REQUEST, "unknown-parameter", "There is no such parameter":
        "A parameter that is not known is refused, so that none is misspelt unseen. `detail` names those that there are.";
    INVALID_VALUE, BAD_REQUEST, "invalid-value", "A parameter's value is wrong":
        "`detail` says which values the parameter takes.";
    INVALID_PROBLEM, BAD_REQUEST, "invalid-problem", "The problem does not parse":
        "A problem is COMPARATOR:DIMENSIONSxTYPE, such as argmax:4x[32000]xf32. `position` is the character, counted from \
         0, at which it is wrong.";
    INVALID_HEADER, BAD_REQUEST, "invalid-header", "A header's value is wrong":
        "`detail` says what the header may say.";
    INVALID_HOST, BAD_REQUEST, "invalid-host", "A request has one Host header":
        "A request of HTTP/1.1 says once by which name it comes.";
    MALFORMED_BODY, BAD_REQUEST, "malformed-body", "The body is no JSON":
        "The body ends too early, or is something else than JSON.";
    TOO_MANY, BAD_REQUEST, "too-many", "More is asked for than is answered at once":
        "`given` were given and `limit` are answered; ask several times.";
    TOKEN_MISSING, UNAUTHORIZED, "token-missing", "The request shows no token":
        "The service listens where others than its own machine can reach it, and answers who shows a token: Authorization: \
         Bearer TOKEN. `wavetune token create` makes one for its database.";
    TOKEN_INVALID, UNAUTHORIZED, "token-invalid", "The token is not good":
        "It is not whole, is not one of this service's, has expired or was taken back; `detail` says which.";
    SCOPE_MISSING, FORBIDDEN, "scope-missing", "The token is not good for this":
        "Each operation needs a scope, which the description of the API names, and a token has the scopes that it was \
         made with. None includes another.";
    CROSS_SITE, FORBIDDEN, "cross-site", "Pages of other sites are not answered":
        "A browser sent the request for a page that is not this service's.";
    NOT_FOUND, NOT_FOUND, "not-found", "There is nothing at this address":
        "/api/v1/openapi.json lists all addresses.";
    UNKNOWN_STUDY, NOT_FOUND, "unknown-study", "There is no such study":
        "The database has no study with this number, or the service was not asked to carry it on; GET /api/v1/studies lists those \
         that it was, and GET /api/v1/records all.";
    UNKNOWN_TRIAL, NOT_FOUND, "unknown-trial", "There is no such trial":
        "The database has no study with this number, or the study has no trial at this place; GET /api/v1/studies/{id}/trials lists \
         those that it has.";
    NOTHING_KNOWN, NOT_FOUND, "nothing-known", "Nothing is known that could be given":
        "The address is right, and the database has nothing for it; `detail` says what would find something.";
    METHOD_NOT_ALLOWED, METHOD_NOT_ALLOWED, "method-not-allowed", "The address does not take this method":
        "The header Allow of the answer names the methods that it takes.";
    NOT_ACCEPTABLE, NOT_ACCEPTABLE, "not-acceptable", "The answer has no form that is accepted":
        "The header Accept-Encoding of the request refuses the answer as it is (`identity;q=0`, or `*;q=0`), and packed with gzip, too.";
    SLOW_BODY, REQUEST_TIMEOUT, "slow-body", "The body did not come in time":
        "A body has to be there within `limit` seconds.";
    TOO_MANY_STUDIES, CONFLICT, "too-many-studies", "The token has too many open studies":
        "A token may have `limit` studies that wait, run or are paused (`wavetune serve --open-studies 5000`). Cancel some, or submit \
         these when others are done; none of the request was begun.";
    WRONG_STATE, CONFLICT, "wrong-state", "The study's state does not allow it":
        "A study that waits for an agent or runs can be paused, one that waits, runs or is paused can be cancelled, and one that is \
         paused, was cancelled or failed can be resumed. What is under way is neither deleted nor tried again: cancel it first. One that is done has a \
         report.";
    KEY_USED, CONFLICT, "key-used", "The idempotency key was used for something else":
        "A request that is sent again says what it said the first time; another request has another key.";
    NO_LEASE, GONE, "no-lease", "There is no such lease":
        "The lease is not this service's, has ended, or is of other work than it is used for. The agent asks for another.";
    SEVERAL, CONFLICT, "several", "What is known has several answers":
        "`parameter` has to choose among those that `detail` names.";
    MALFORMED_REQUEST, BAD_REQUEST, "malformed-request", "The request is not HTTP":
        "The request has no valid head of HTTP/1.1. The service closes the connection, since nobody knows where the next \
         request would begin.";
    HEAD_TOO_LARGE, REQUEST_HEADER_FIELDS_TOO_LARGE, "head-too-large", "The head of the request is too large":
        "The address and the headers of a request have `limit` bytes at most, and 100 headers.";
    DISK_FULL, INSUFFICIENT_STORAGE, "disk-full", "The disk of the database is full":
        "Nothing can be written until there is room on the disk of the database. Questions are answered all the same.";
    BODY_TOO_LARGE, PAYLOAD_TOO_LARGE, "body-too-large", "The body is too large":
        "A body has `limit` bytes at most; ask several times.";
    UNSUPPORTED_MEDIA_TYPE, UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "The body is not called JSON":
        "A request with a body says Content-Type: application/json. A page of another site cannot have a browser say it.";
    MISDIRECTED, MISDIRECTED_REQUEST, "misdirected", "The service does not go by this name":
        "A request comes by an address, by localhost or by a name that the service was started with.";
    INVALID_BODY, UNPROCESSABLE_ENTITY, "invalid-body", "The body does not say what it should":
        "The body is JSON, but a field is missing, unknown or of another type, or says what cannot be; `detail` says where.";
    PROBLEM_REFUSED, UNPROCESSABLE_ENTITY, "problem-refused", "The generator does not take the problem":
        "`rule` is the rule that the problem breaks, or the configuration that is known of it, where one does; `detail` has \
         the numbers.";
    INVALID_NEWS, UNPROCESSABLE_ENTITY, "invalid-news", "What an agent says cannot be":
        "An agent tells the trials that its lease asks for, as they were asked for.";
    TOO_FAST, TOO_MANY_REQUESTS, "too-fast", "The token has asked for enough for now":
        "A token may ask so often in a second, and so much at once. Retry-After says in how many seconds the same request may \
         be answered. Many configurations can be asked for by one request.";
    TOO_MANY_FAILURES, TOO_MANY_REQUESTS, "too-many-failures", "Too many requests from this address were refused":
        "So many requests of an address in a minute may show a bad token, or none where one is needed to change something \
         (`--auth-failures-per-minute`). Good tokens are let in all the same. Retry-After says when the next is looked at.";
    DATABASE, INTERNAL_SERVER_ERROR, "database", "The database failed":
        "The service cannot read its database; `detail` says what to do about it, and so does the log.";
    FAULT, INTERNAL_SERVER_ERROR, "fault", "The service made a mistake":
        "This is never the request's fault. The log has the cause, under the request's X-Request-Id.";
    DATABASE_UNAVAILABLE, SERVICE_UNAVAILABLE, "database-unavailable", "The database is not there now":
        "It is locked, busy, was moved away, or something else is in its place; `detail` says which. The same request may be \
         answered later.";
    STUDIES_UNAVAILABLE, SERVICE_UNAVAILABLE, "studies-unavailable", "Studies cannot be run now":
        "The database cannot be written, or the queue is not heard of; `detail` says which. Configurations are answered all the \
         same.";
    TOOLS_MISSING, NOT_IMPLEMENTED, "tools-missing", "The service cannot build kernels":
        "What builds kernels is not on the service's machine; `detail` says what is missing and what installs it there. \
         Everything else is answered.";
    NOT_YET, SERVICE_UNAVAILABLE, "not-yet", "The database is still being read":
        "The service has begun a moment ago, or its database was replaced; the same request is answered soon.";
    TOO_MANY_WAIT, SERVICE_UNAVAILABLE, "too-many-wait", "Too many clients wait":
        "An agent that waits for work and a client that follows a study keep a connection each. Half of the connections \
         (`--max-connections`) may be such, and fewer if the system allows fewer open files (`ulimit -n`).";
    OVERLOADED, SERVICE_UNAVAILABLE, "overloaded", "The service is busy":
        "As many requests as the service handles at the same time are under way, and the queue is full or the turn of this \
         one did not come in time. Retry-After says in how many seconds to ask again.";
    TIMEOUT, SERVICE_UNAVAILABLE, "timeout", "There was no answer in time":
        "The service gave up after `limit` seconds; the same request may be answered later.";
}

impl ProblemKind {
    /// Returns its address.
    pub(crate) fn address(&self) -> String {
        format!("/problems/{}", self.name)
    }
}
