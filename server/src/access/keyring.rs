//! The keyring: the tokens of the database, in memory.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use store::{AccessToken, Grant, StoreError, TokenHash, TokenScope, Tokens};
use tracing::{debug, warn};

use super::rate_limit::{TokenLimits, TokenRateLimiter};
use crate::ApiError;

/// Largest age of a token in memory for anything but reading, because it may have been revoked
/// since. A database that restarts is back before. For reading the operator may allow more.
const BELIEVED: Duration = Duration::from_secs(10);

/// All tokens.
pub(crate) struct Keyring {
    tokens: Arc<dyn Tokens>,
    allowed: TokenLimits,
    /// Largest age of a token in memory.
    max_age: Duration,
    held: RwLock<KeyringSnapshot>,
}

/// A valid token from the keyring.
#[derive(Debug, Clone)]
pub(super) struct VerifiedToken {
    holder: Arc<Holder>,
    /// The time at which the database was read.
    read: Instant,
}

/// The holder of a token.
#[derive(Debug)]
pub(super) struct Holder {
    pub(super) grant: Grant,
    pub(super) allowance: Arc<TokenRateLimiter>,
    pub(super) open_studies: u64,
}

/// The tokens of the last read, and its time.
///
/// A lookup by hash may take a time that depends on the hash. That reveals nothing: an attacker
/// cannot choose the hash of a guessed token, so common bits of two hashes do not help.
#[derive(Default)]
struct KeyringSnapshot {
    holders: HashMap<TokenHash, Arc<Holder>>,
    read: Option<Instant>,
}

impl Keyring {
    pub(super) fn new(tokens: Arc<dyn Tokens>, allowed: TokenLimits, max_stale: Duration) -> Self {
        Keyring {
            tokens,
            allowed,
            // Reading and writing share one snapshot; `VerifiedToken::holder` applies the shorter
            // age.
            max_age: max_stale.max(BELIEVED),
            held: RwLock::default(),
        }
    }

    /// Reads the database. If that fails, the tokens in memory stay, and age.
    pub(super) async fn look(&self) {
        // Logged for debugging only: while the database is away, each read fails, twice a second.
        if let Err(error) = self.read().await {
            debug!(%error, "the tokens cannot be read");
        }
    }

    async fn read(&self) -> Result<(), StoreError> {
        // The time before the query: its result may be that old.
        let read = Instant::now();
        let known = self.tokens.tokens().await?;
        if !known.unreadable.is_none() {
            warn!(unreadable = %known.unreadable, "tokens are left out");
        }
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let holders = known.rows.into_iter().map(|grant| {
            // The rate limiter outlasts a reload, or each reload would refill it.
            let before = held.holders.get(&grant.hash);
            let allowance = before.map(|before| Arc::clone(&before.allowance));
            let allowance =
                allowance.unwrap_or_else(|| Arc::new(TokenRateLimiter::new(self.allowed)));
            let open_studies = self.allowed.open_studies;
            let holder = Holder {
                grant,
                allowance,
                open_studies,
            };
            (holder.grant.hash, Arc::new(holder))
        });
        *held = KeyringSnapshot {
            holders: holders.collect(),
            read: Some(read),
        };
        Ok(())
    }

    /// Finds a token, if it is valid.
    pub(super) fn find(&self, token: &AccessToken) -> Result<VerifiedToken, ApiError> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.find(token, Instant::now(), SystemTime::now(), self.max_age)
    }
}

impl VerifiedToken {
    pub(super) fn grant(&self) -> &Grant {
        &self.holder.grant
    }

    /// Returns the holder, for an operation that needs this scope.
    pub(super) fn holder(self, scope: TokenScope, now: Instant) -> Result<Arc<Holder>, ApiError> {
        let age = now.saturating_duration_since(self.read);
        match scope == TokenScope::Read || age <= BELIEVED {
            true => Ok(self.holder),
            false => Err(ApiError::tokens_unknown()),
        }
    }
}

impl KeyringSnapshot {
    fn find(
        &self,
        token: &AccessToken,
        now: Instant,
        today: SystemTime,
        max_age: Duration,
    ) -> Result<VerifiedToken, ApiError> {
        let is_believed = |read: &Instant| now.saturating_duration_since(*read) <= max_age;
        let read = self.read.filter(is_believed);
        let read = read.ok_or_else(ApiError::tokens_unknown)?;
        let holder = self.holders.get(&token.hash());
        let holder = holder.ok_or_else(ApiError::unknown_token)?;
        let grant = &holder.grant;
        // The presenter holds the token, so the reason reveals nothing to strangers.
        if grant.revoked.is_some() {
            return Err(ApiError::revoked(&grant.name));
        }
        if grant.expires <= today {
            return Err(ApiError::expired(&grant.name, grant.expires));
        }
        Ok(VerifiedToken {
            holder: Arc::clone(holder),
            read,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use store::TokenId;

    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    fn token() -> AccessToken {
        AccessToken::new([1; 32])
    }

    /// Checks the answers for a token that expires a day after 1970 began, at that time.
    #[track_caller]
    fn check(
        shown: &AccessToken,
        revoked: bool,
        age: Duration,
        today: Duration,
        expected: [&str; 2],
    ) {
        let grant = Grant {
            id: TokenId(1),
            name: "ann".to_owned(),
            hash: token().hash(),
            scopes: "read".parse().unwrap(),
            created: UNIX_EPOCH,
            expires: UNIX_EPOCH + DAY,
            revoked: revoked.then_some(UNIX_EPOCH),
        };
        let allowance = Arc::new(TokenRateLimiter::new(TokenLimits::default()));
        let now = Instant::now();
        let held = KeyringSnapshot {
            holders: HashMap::from([(
                grant.hash,
                Arc::new(Holder {
                    grant,
                    allowance,
                    open_studies: 1,
                }),
            )]),
            read: Some(now),
        };
        let now = now + age;
        let found = held.find(shown, now, UNIX_EPOCH + today, 2 * BELIEVED);
        let said = |scope| match found.clone().and_then(|found| found.holder(scope, now)) {
            Ok(holder) => holder.grant.name.clone(),
            Err(error) => error.details().kind,
        };
        assert_eq!([said(TokenScope::Submit), said(TokenScope::Read)], expected);
    }

    #[test]
    fn a_token_is_good_until_it_expires_or_is_taken_back() {
        let (shown, none, soon) = (token(), Duration::ZERO, Duration::from_nanos(1));
        let (good, invalid) = (["ann"; 2], ["/problems/token-invalid"; 2]);
        check(&shown, false, none, none, good);
        check(&shown, false, none, DAY - soon, good);
        check(&shown, false, none, DAY, invalid);
        check(&shown, false, none, DAY * 40_000, invalid);
        check(&shown, true, none, none, invalid);
        check(&AccessToken::new([2; 32]), false, none, none, invalid);
        check(&shown, false, BELIEVED, none, good);
        let old = "/problems/database-unavailable";
        // It stays valid for reading as long as the operator allows.
        check(&shown, false, BELIEVED + soon, none, [old, "ann"]);
        check(&shown, false, 2 * BELIEVED, none, [old, "ann"]);
        check(&shown, false, 2 * BELIEVED + soon, none, [old; 2]);
        check(&shown, true, BELIEVED + soon, none, invalid);
        check(&shown, true, 2 * BELIEVED + soon, none, [old; 2]);
    }

    #[test]
    fn nobody_is_let_in_before_the_tokens_are_read() {
        let now = Instant::now();
        let refused = KeyringSnapshot::default().find(&token(), now, UNIX_EPOCH, BELIEVED);
        let details = refused.unwrap_err().details();
        assert_eq!(details.kind, "/problems/database-unavailable");
    }
}
