//! Who may ask what: each operation needs a scope, and who asks shows a token that has it.
//!
//! A service that listens on loopback alone asks for no token, unless it is told to: who is there can read its database as
//! well. `keyring` holds the tokens in memory, so that a request costs no query; `allowance` is how
//! much each may ask; `audit` tells who changed what.

mod allowance;
mod audit;
mod keyring;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use fleet::{Room, Submitter};
use http_body_util::BodyExt as _;
use store::{Scope, Token, Tokens};

use crate::ApiError;
use crate::room::Seat;
use allowance::Counted;
use audit::Attempt;
use keyring::{Holder, Keyring};

pub use allowance::Allowed;
pub(crate) use audit::About;

/// Time between two looks at the database: a token is worth nothing so long after it was taken back, and is known so long
/// after it was made.
const LOOK_PAUSE: Duration = Duration::from_millis(500);

/// What an operation needs of who asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing: it tells what is no secret, or whether the service is there.
    Nothing,
    /// A token with this scope.
    Scope(Scope),
    /// The same, and room among those who wait: its answer comes when there is something to say, or goes on for long.
    Waits(Scope),
}

impl Needs {
    /// The scope of the token that is needed.
    pub(crate) fn scope(self) -> Option<Scope> {
        match self {
            Needs::Nothing => None,
            Needs::Scope(scope) | Needs::Waits(scope) => Some(scope),
        }
    }
}

/// Whether those who reach this address have to show a token: others than the users of this machine can.
pub fn wants_tokens(address: SocketAddr) -> bool {
    !address.ip().to_canonical().is_loopback()
}

/// Who is let in.
pub(crate) enum Access {
    /// Everybody.
    Open,
    /// Who has a token.
    Tokens(Keyring),
}

/// Who asks.
#[derive(Clone)]
enum Caller {
    /// Somebody of whom no token is wanted.
    Anybody,
    /// Who has this token.
    Holder(Arc<Holder>),
}

impl Access {
    /// The access to a service that listens there.
    pub(crate) fn new(wants_tokens: bool, tokens: Arc<dyn Tokens>, allowed: Allowed) -> Self {
        match wants_tokens {
            true => Access::Tokens(Keyring::new(tokens, allowed)),
            false => Access::Open,
        }
    }

    /// Reads the tokens, if they are wanted.
    pub(crate) async fn look(&self) {
        if let Access::Tokens(keyring) = self {
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

    /// Who sends a request with these headers, if it may.
    fn admit(&self, needs: Needs, headers: &HeaderMap) -> Result<Caller, ApiError> {
        let (Access::Tokens(keyring), Some(scope)) = (self, needs.scope()) else {
            return Ok(Caller::Anybody);
        };
        let token = token(headers)?.ok_or_else(|| ApiError::no_token(scope))?;
        let holder = keyring.find(&token)?;
        match holder.grant.scopes.has(scope) {
            true => Ok(Caller::Holder(holder)),
            false => Err(ApiError::no_scope(&holder.grant.name, scope)),
        }
    }
}

impl Caller {
    /// Counts a request that needs this, if it may be answered now.
    fn count(&self, needs: Needs) -> Result<Option<Counted>, ApiError> {
        match self {
            Caller::Anybody => Ok(None),
            Caller::Holder(holder) => holder.allowance.take(needs).map(Some),
        }
    }

    /// The studies that the caller may have open; without a limit where no token is wanted.
    fn room(&self) -> Option<Room> {
        match self {
            Caller::Anybody => None,
            Caller::Holder(holder) => Some(Room {
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
fn token(headers: &HeaderMap) -> Result<Option<Token>, ApiError> {
    let shown: Vec<&HeaderValue> = headers.get_all(header::AUTHORIZATION).iter().collect();
    match shown[..] {
        [] => Ok(None),
        [shown] => bearer(shown).map(Some).ok_or_else(ApiError::not_a_token),
        _ => Err(ApiError::not_a_token()),
    }
}

fn bearer(shown: &HeaderValue) -> Option<Token> {
    let (scheme, token) = shown.to_str().ok()?.split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then(|| token.trim().parse().ok())?
}

/// The way to the handler of an operation.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) access: Arc<Access>,
    pub(crate) needs: Needs,
}

/// Lets a request through that may pass. What changes something is told to the audit log, whether it may or not.
pub(crate) async fn pass(State(door): State<Door>, mut request: Request, next: Next) -> Response {
    let caller = door.access.admit(door.needs, request.headers());
    let attempt = Attempt::new(door.needs, caller.as_ref().ok(), &request);
    let counted = caller.and_then(|caller| {
        if door.needs == Needs::Scope(Scope::Submit)
            && let Some(room) = caller.room()
        {
            request.extensions_mut().insert(room);
        }
        caller.count(door.needs)
    });
    let response = match counted {
        Ok(counted) if matches!(door.needs, Needs::Waits(_)) => wait(request, next, counted).await,
        Ok(_counted) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    if let Some(attempt) = attempt {
        attempt.answered(&response);
    }
    response
}

/// Answers a request that waits. It counts until the answer has gone, and stands among those who wait for as long.
async fn wait(request: Request, next: Next, counted: Option<Counted>) -> Response {
    let seat = request.extensions().get::<Arc<Seat>>();
    let waiting = match seat.map(Seat::wait) {
        Some(None) => return ApiError::too_many_wait().into_response(),
        waiting => waiting.flatten(),
    };
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
        let shown = Token::new([7; 32]);
        let text = shown.reveal();
        #[track_caller]
        fn check(values: &[String], expected: Result<Option<&Token>, ()>) {
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
