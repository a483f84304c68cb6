//! Who may ask what: each operation needs a scope, and who asks shows a token that has it.
//!
//! A service that listens on loopback alone asks for no token, unless it is told to: who is there can read its database as
//! well. `keyring` holds the tokens in memory, so that a request costs no query; `allowance` is how
//! much each may ask; `failures` slows down who is refused again and again; `audit` tells who changed what.

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
use fleet::{StudyQuota, Submitter};
use http_body_util::BodyExt as _;
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

/// Time between two looks at the database: a token is worth nothing so long after it was taken back, and is known so long
/// after it was made.
const LOOK_PAUSE: Duration = Duration::from_millis(500);

/// What an operation needs of who asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredAccess {
    /// Nothing: it tells what is no secret, or whether the service is there.
    Nothing,
    /// A token with this scope.
    Scope(TokenScope),
    /// The same, and room among those who wait: its answer comes when there is something to say, or goes on for long.
    Waits(TokenScope),
}

impl RequiredAccess {
    /// The scope of the token that is needed.
    pub(crate) fn scope(self) -> Option<TokenScope> {
        match self {
            RequiredAccess::Nothing => None,
            RequiredAccess::Scope(scope) | RequiredAccess::Waits(scope) => Some(scope),
        }
    }
}

/// Whether those who reach this address have to show a token: others than the users of this machine can.
pub fn wants_tokens(address: SocketAddr) -> bool {
    !address.ip().to_canonical().is_loopback()
}

/// Who is let in.
pub(crate) enum AccessPolicy {
    /// Everybody.
    Open,
    /// Who has a token.
    Tokens {
        /// The tokens.
        keyring: Box<Keyring>,
        /// Who was refused.
        failures: AuthThrottle,
    },
}

/// The token that a request shows, if it shows one, and what it is good for.
#[derive(Clone)]
pub(crate) struct PresentedToken(Result<Option<VerifiedToken>, ApiError>);

/// Who asks.
#[derive(Clone)]
enum Caller {
    /// Somebody of whom no token is wanted.
    Anybody,
    /// Who has this token.
    Holder(Arc<Holder>),
}

impl AccessPolicy {
    /// The access to a service that listens there.
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

    /// Reads the tokens, if they are wanted.
    pub(crate) async fn look(&self) {
        if let AccessPolicy::Tokens { keyring, failures } = self {
            failures.forget_old();
            keyring.look().await;
        }
    }

    /// Keeps the tokens in memory those of the database. It does not end.
    pub(crate) async fn follow(&self) {
        loop {
            tokio::time::sleep(LOOK_PAUSE).await;
            self.look().await;
        }
    }

    /// Returns what a request with these headers shows. Where no token is wanted none is looked at.
    pub(crate) fn shown(&self, headers: &HeaderMap) -> PresentedToken {
        let AccessPolicy::Tokens { keyring, .. } = self else {
            return PresentedToken(Ok(None));
        };
        let shown = token(headers).and_then(|token| token.map(|it| keyring.find(&it)).transpose());
        PresentedToken(shown)
    }

    /// Who shows this, if it may have what is needed.
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

    /// Counts a refusal, and returns another in its place if there were too many from the same address.
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
    /// Returns the number of the good token.
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
    /// Counts a request that needs this, if it may be answered now.
    fn count(&self, needs: RequiredAccess) -> Result<Option<RequestPermit>, ApiError> {
        match self {
            Caller::Anybody => Ok(None),
            Caller::Holder(holder) => holder.allowance.take(needs).map(Some),
        }
    }

    /// The studies that the caller may have open; without a limit where no token is wanted.
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

/// The token that a request shows.
fn token(headers: &HeaderMap) -> Result<Option<AccessToken>, ApiError> {
    let shown: Vec<&HeaderValue> = headers.get_all(header::AUTHORIZATION).iter().collect();
    match shown[..] {
        [] => Ok(None),
        [shown] => bearer(shown).map(Some).ok_or_else(ApiError::not_a_token),
        _ => Err(ApiError::not_a_token()),
    }
}

fn bearer(shown: &HeaderValue) -> Option<AccessToken> {
    let (scheme, token) = shown.to_str().ok()?.split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then(|| token.trim().parse().ok())?
}

/// The way to the handler of an operation.
#[derive(Clone)]
pub(crate) struct AccessCheck {
    pub(crate) access: Arc<AccessPolicy>,
    pub(crate) needs: RequiredAccess,
}

/// Lets a request through that may pass. What changes something is told to the audit log, whether it may or not, and so is
/// who shows a token and may not pass.
pub(crate) async fn pass(
    State(door): State<AccessCheck>,
    mut request: Request,
    next: Next,
) -> Response {
    let (access, needs) = (&door.access, door.needs);
    let shown = request.extensions().get::<PresentedToken>();
    let shown = shown.cloned().unwrap_or(PresentedToken(Ok(None)));
    let caller = access.admit(needs, &shown);
    let is_told = audit::is_told(needs, &shown, caller.is_ok());
    let is_failure = is_told && caller.as_ref().is_err_and(ApiError::is_refusal);
    if is_failure && let Some(refusal) = access.count_failure(request.extensions().get()) {
        return refusal.into_response();
    }
    let attempt = is_told.then(|| AuditEntry::new(needs, &shown, caller.is_ok(), &request));
    let counted = caller.and_then(|caller| {
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

/// Answers a request that waits. It counts until the answer has gone, and stands among those who wait for as long.
async fn wait(request: Request, next: Next, counted: Option<RequestPermit>) -> Response {
    let seat = request.extensions().get::<Arc<ConnectionSlot>>();
    let waiting = match seat.map(ConnectionSlot::wait) {
        Some(None) => return ApiError::too_many_wait().into_response(),
        waiting => waiting.flatten(),
    };
    if let Some(place) = request.extensions().get::<Arc<RequestSlot>>() {
        place.release();
    }
    let held = (counted, waiting);
    let answer = next.run(request).await;
    if HttpBody::size_hint(answer.body()).exact().is_some() {
        // All of it is there.
        return answer;
    }
    answer.map(|body| {
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
