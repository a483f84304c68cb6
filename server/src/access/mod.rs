//! Access: each operation needs a scope, and the caller presents a token that has it.
//!
//! A service that listens on loopback alone requires no token by default: local users can read
//! its database as well. `keyring` holds the tokens in memory, so that a request costs no query.
//! `rate_limit` limits each token, `auth_throttle` slows down an address after repeated failures,
//! and `audit` logs changes and their callers.

mod audit;
mod auth_throttle;
mod keyring;
mod rate_limit;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt as _;
use server_fleet::{StudyQuota, Submitter};
use store::{AccessToken, Grant, TokenScope, Tokens};

use crate::ApiError;
use crate::connection_admission::ConnectionSlot;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::request_admission::RequestSlot;
use audit::AuditEntry;
use auth_throttle::AuthThrottle;
use keyring::{Holder, Keyring, VerifiedToken};
use rate_limit::RequestPermit;

pub(crate) use audit::AuditedStudies;
pub use rate_limit::TokenLimits;

/// Pause between two reads of the tokens: a new token, or a revocation, takes effect within this
/// time.
const LOOK_PAUSE: Duration = Duration::from_millis(500);

/// The access that an operation requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredAccess {
    /// None: the answer is public, or says that the service is up.
    Nothing,
    /// A token with this scope.
    Scope(TokenScope),
    /// A token with this scope and a long poll permit: the answer comes late, or goes on for
    /// long.
    Waits(TokenScope),
}

impl RequiredAccess {
    /// Returns the required scope.
    pub(crate) fn scope(self) -> Option<TokenScope> {
        match self {
            RequiredAccess::Nothing => None,
            RequiredAccess::Scope(scope) | RequiredAccess::Waits(scope) => Some(scope),
        }
    }
}

/// Returns true if clients of a listener at this address must present a token: users of other
/// machines can reach it.
pub fn wants_tokens(address: SocketAddr) -> bool {
    // An IPv4 address may come mapped into IPv6.
    !address.ip().to_canonical().is_loopback()
}

/// The policy that admits requests.
pub(crate) enum AccessPolicy {
    /// Admits everybody.
    Open,
    /// Admits the holders of tokens.
    Tokens {
        /// The tokens.
        keyring: Box<Keyring>,
        /// The failed authentications.
        failures: AuthThrottle,
    },
}

/// The token of a request, if it presents one, and its verification.
#[derive(Clone)]
pub(crate) struct PresentedToken(Result<Option<VerifiedToken>, ApiError>);

/// The caller of an operation.
#[derive(Clone)]
enum Caller {
    /// A caller of an operation without a token.
    Anybody,
    /// The holder of a token.
    Holder(Arc<Holder>),
}

impl AccessPolicy {
    /// Creates the policy.
    pub(crate) fn new(
        wants_tokens: bool,
        tokens: Arc<dyn Tokens>,
        allowed: TokenLimits,
        limits: &Limits,
        metrics: &Metrics,
    ) -> Self {
        match wants_tokens {
            true => AccessPolicy::Tokens {
                keyring: Box::new(Keyring::new(tokens, allowed, limits.max_stale)),
                failures: AuthThrottle::new(limits.failures_per_minute, metrics.auth_failures()),
            },
            false => AccessPolicy::Open,
        }
    }

    /// Reads the tokens, if they are required.
    pub(crate) async fn look(&self) {
        if let AccessPolicy::Tokens { keyring, failures } = self {
            failures.forget_old();
            keyring.look().await;
        }
    }

    /// Keeps the tokens in memory up to date. Never ends.
    pub(crate) async fn follow(&self) {
        loop {
            tokio::time::sleep(LOOK_PAUSE).await;
            self.look().await;
        }
    }

    /// Verifies the token in these headers. Ignores it if no token is required.
    pub(crate) fn shown(&self, headers: &HeaderMap) -> PresentedToken {
        let AccessPolicy::Tokens { keyring, .. } = self else {
            return PresentedToken(Ok(None));
        };
        let shown = token(headers).and_then(|token| token.map(|it| keyring.find(&it)).transpose());
        PresentedToken(shown)
    }

    /// Admits the caller with this token, if its scopes suffice.
    fn admit(&self, needs: RequiredAccess, shown: &PresentedToken) -> Result<Caller, ApiError> {
        let (AccessPolicy::Tokens { .. }, Some(scope)) = (self, needs.scope()) else {
            return Ok(Caller::Anybody);
        };
        let found = shown.0.clone()?.ok_or_else(|| ApiError::no_token(scope))?;
        let holder = found.holder(scope, Instant::now())?;
        match holder.grant.scopes.has(scope) {
            true => Ok(Caller::Holder(holder)),
            false => Err(ApiError::no_scope(&holder.grant.name, scope)),
        }
    }

    /// Counts a refusal. Returns another error in its place after too many from the same address.
    fn count_failure(&self, seat: Option<&Arc<ConnectionSlot>>) -> Option<ApiError> {
        match (self, seat) {
            (AccessPolicy::Tokens { failures, .. }, Some(seat)) => {
                failures.count(seat.client()).err()
            }
            _ => None,
        }
    }
}

impl PresentedToken {
    /// Returns the number of the valid token.
    pub(crate) fn token(&self) -> Option<i64> {
        Some(self.grant()?.id.0)
    }

    fn grant(&self) -> Option<&Grant> {
        let found = self.0.as_ref().ok()?.as_ref()?;
        Some(found.grant())
    }

    fn is_nothing(&self) -> bool {
        matches!(self.0, Ok(None))
    }
}

impl Caller {
    /// Counts a request with this access, if it is within the limits.
    fn count(&self, needs: RequiredAccess) -> Result<Option<RequestPermit>, ApiError> {
        match self {
            Caller::Anybody => Ok(None),
            Caller::Holder(holder) => holder.allowance.take(needs).map(Some),
        }
    }

    /// Returns the study quota of the caller; none without a token.
    fn room(&self) -> Option<StudyQuota> {
        match self {
            Caller::Anybody => None,
            Caller::Holder(holder) => Some(StudyQuota {
                submitter: Submitter {
                    token: holder.grant.id.0,
                    name: holder.grant.name.clone(),
                },
                most: holder.open_studies,
            }),
        }
    }
}

/// Returns the token of a request.
fn token(headers: &HeaderMap) -> Result<Option<AccessToken>, ApiError> {
    let shown: Vec<&HeaderValue> = headers.get_all(header::AUTHORIZATION).iter().collect();
    match shown[..] {
        [] => Ok(None),
        [shown] => bearer(shown).map(Some).ok_or_else(ApiError::not_a_token),
        // Two headers are ambiguous: a proxy may check one and the service the other.
        _ => Err(ApiError::not_a_token()),
    }
}

fn bearer(shown: &HeaderValue) -> Option<AccessToken> {
    let (scheme, token) = shown.to_str().ok()?.split_once(' ')?;
    // Schemes ignore case (RFC 9110, 11.1).
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then(|| token.trim().parse().ok())?
}

/// The access check of an operation.
#[derive(Clone)]
pub(crate) struct AccessCheck {
    pub(crate) access: Arc<AccessPolicy>,
    pub(crate) needs: RequiredAccess,
}

/// Runs an operation if its caller has access. The audit log gets every attempt to change
/// something, and every refused token.
pub(crate) async fn pass(
    State(door): State<AccessCheck>,
    mut request: Request,
    next: Next,
) -> Response {
    let (access, needs) = (&door.access, door.needs);
    // The guard has verified the token already.
    let shown = request.extensions().get::<PresentedToken>();
    let shown = shown.cloned().unwrap_or(PresentedToken(Ok(None)));
    let caller = access.admit(needs, &shown);
    let is_told = audit::is_told(needs, &shown, caller.is_ok());
    let is_failure = is_told && caller.as_ref().is_err_and(ApiError::is_refusal);
    // Count before the audit entry, so that guesses beyond the limit do not fill the log.
    if is_failure && let Some(refusal) = access.count_failure(request.extensions().get()) {
        return refusal.into_response();
    }
    let attempt = is_told.then(|| AuditEntry::new(needs, &shown, caller.is_ok(), &request));
    let counted = caller.and_then(|caller| {
        // The handler of a submission needs the quota of its caller.
        if needs == RequiredAccess::Scope(TokenScope::Submit)
            && let Some(room) = caller.room()
        {
            request.extensions_mut().insert(room);
        }
        caller.count(needs)
    });
    let response = match counted {
        Ok(counted) if matches!(needs, RequiredAccess::Waits(_)) => {
            wait(request, next, counted).await
        }
        Ok(_counted) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    if let Some(attempt) = attempt {
        attempt.answered(&response);
    }
    response
}

/// Answers a long poll. It counts as concurrent and as waiting until the answer is complete.
async fn wait(request: Request, next: Next, counted: Option<RequestPermit>) -> Response {
    let seat = request.extensions().get::<Arc<ConnectionSlot>>();
    let waiting = match seat.map(ConnectionSlot::wait) {
        Some(None) => return ApiError::too_many_wait().into_response(),
        waiting => waiting.flatten(),
    };
    // A long poll frees its request slot: otherwise idle agents would block short requests.
    if let Some(place) = request.extensions().get::<Arc<RequestSlot>>() {
        place.release();
    }
    let held = (counted, waiting);
    let answer = next.run(request).await;
    if HttpBody::size_hint(answer.body()).exact().is_some() {
        // The whole body is there, so nothing waits any more.
        return answer;
    }
    answer.map(|body| {
        // The stream holds the permits until its end.
        Body::new(body.map_frame(move |frame| {
            let _ = &held;
            frame
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_alone_is_open() {
        #[track_caller]
        fn check(address: &str, expected: bool) {
            assert_eq!(wants_tokens(address.parse().unwrap()), expected);
        }
        check("127.0.0.1:1", false);
        check("127.9.9.9:1", false);
        check("[::1]:1", false);
        check("[::ffff:127.0.0.1]:1", false);
        check("0.0.0.0:1", true);
        check("[::]:1", true);
        check("[::ffff:0.0.0.0]:1", true);
        check("192.168.1.7:1", true);
        check("[fe80::1]:1", true);
        check("128.0.0.1:1", true);
    }

    #[test]
    fn a_token_is_shown_once_and_whole() {
        let shown = AccessToken::new([7; 32]);
        let text = shown.reveal();
        #[track_caller]
        fn check(values: &[String], expected: Result<Option<&AccessToken>, ()>) {
            let mut headers = HeaderMap::new();
            for value in values {
                let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
                headers.append(header::AUTHORIZATION, value);
            }
            let read = token(&headers);
            let read = read.as_ref().map(Option::as_ref).map_err(drop);
            assert_eq!(read, expected, "{values:?}");
        }
        check(&[], Ok(None));
        for scheme in ["Bearer", "bearer", "BEARER"] {
            check(&[format!("{scheme} {text}")], Ok(Some(&shown)));
        }
        for other in [
            String::new(),
            "Bearer".to_owned(),
            "Bearer ".to_owned(),
            text.to_owned(),
            format!("Basic {text}"),
            format!("Bearer{text}"),
            format!("Bearer {text}, Bearer {text}"),
            format!("Bearer {}", &text[..74]),
            "Bearer \u{e4}".to_owned(),
        ] {
            check(&[other], Err(()));
        }
        let twice = format!("Bearer {text}");
        check(&[twice.clone(), twice], Err(()));
    }
}
