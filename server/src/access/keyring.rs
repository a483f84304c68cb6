//! The tokens of the database, in memory.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use store::{Grant, StoreError, Token, TokenHash, Tokens};
use tracing::{debug, warn};

use super::allowance::{Allowance, Allowed};
use crate::ApiError;

/// Age from which on what is in memory is not believed: a token may have been taken back since. A database that is started
/// again is there before.
const BELIEVED: Duration = Duration::from_secs(10);

/// All tokens.
pub(crate) struct Keyring {
    tokens: Arc<dyn Tokens>,
    allowed: Allowed,
    held: RwLock<Held>,
}

/// Who has a token.
#[derive(Debug)]
pub(super) struct Holder {
    pub(super) grant: Grant,
    pub(super) allowance: Arc<Allowance>,
    pub(super) open_studies: u64,
}

/// What was read last, and when.
///
/// A token is found by its hash, in a time that may depend on the hash. That tells nobody anything: who tries tokens cannot
/// choose their hashes, so it makes no difference how many bits of one are like those of another.
#[derive(Default)]
struct Held {
    holders: HashMap<TokenHash, Arc<Holder>>,
    read: Option<Instant>,
}

impl Keyring {
    pub(crate) fn new(tokens: Arc<dyn Tokens>, allowed: Allowed) -> Self {
        Keyring {
            tokens,
            allowed,
            held: RwLock::default(),
        }
    }

    /// Reads the database; where it cannot, what is in memory stays, and grows old.
    pub(super) async fn look(&self) {
        if let Err(error) = self.read().await {
            debug!(%error, "the tokens cannot be read");
        }
    }

    async fn read(&self) -> Result<(), StoreError> {
        // From before it was asked: what it says may be that old.
        let read = Instant::now();
        let known = self.tokens.tokens().await?;
        if !known.unreadable.is_none() {
            warn!(unreadable = %known.unreadable, "tokens are left out");
        }
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let holders = known.rows.into_iter().map(|grant| {
            // What is left of it outlasts a look at the database.
            let before = held.holders.get(&grant.hash);
            let allowance = before.map(|before| Arc::clone(&before.allowance));
            let allowance = allowance.unwrap_or_else(|| Arc::new(Allowance::new(self.allowed)));
            let open_studies = self.allowed.open_studies;
            let holder = Holder {
                grant,
                allowance,
                open_studies,
            };
            (holder.grant.hash, Arc::new(holder))
        });
        *held = Held {
            holders: holders.collect(),
            read: Some(read),
        };
        Ok(())
    }

    /// What a token is good for, if it is good.
    pub(super) fn find(&self, token: &Token) -> Result<Arc<Holder>, ApiError> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        held.find(token, Instant::now(), SystemTime::now())
    }
}

impl Held {
    fn find(
        &self,
        token: &Token,
        now: Instant,
        today: SystemTime,
    ) -> Result<Arc<Holder>, ApiError> {
        let age = self.read.map(|read| now.saturating_duration_since(read));
        if age.is_none_or(|age| age > BELIEVED) {
            return Err(ApiError::tokens_unknown());
        }
        let holder = self.holders.get(&token.hash());
        let holder = holder.ok_or_else(ApiError::unknown_token)?;
        let grant = &holder.grant;
        // Who shows it had it, and may know what became of it.
        if grant.revoked.is_some() {
            return Err(ApiError::revoked(&grant.name));
        }
        if grant.expires <= today {
            return Err(ApiError::expired(&grant.name, grant.expires));
        }
        Ok(Arc::clone(holder))
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use store::TokenId;

    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    fn token() -> Token {
        Token::new([1; 32])
    }

    /// What is said of a token that expires a day after 1970 began, when it is shown then.
    #[track_caller]
    fn check(shown: &Token, revoked: bool, age: Duration, today: Duration, expected: &str) {
        let grant = Grant {
            id: TokenId(1),
            name: "ann".to_owned(),
            hash: token().hash(),
            scopes: "read".parse().unwrap(),
            created: UNIX_EPOCH,
            expires: UNIX_EPOCH + DAY,
            revoked: revoked.then_some(UNIX_EPOCH),
        };
        let allowance = Arc::new(Allowance::new(Allowed::default()));
        let now = Instant::now();
        let held = Held {
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
        let said = match held.find(shown, now + age, UNIX_EPOCH + today) {
            Ok(holder) => holder.grant.name.clone(),
            Err(error) => error.details().kind,
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn a_token_is_good_until_it_expires_or_is_taken_back() {
        let (shown, none, soon) = (token(), Duration::ZERO, Duration::from_nanos(1));
        let invalid = "/problems/token-invalid";
        check(&shown, false, none, none, "ann");
        check(&shown, false, none, DAY - soon, "ann");
        check(&shown, false, none, DAY, invalid);
        check(&shown, false, none, DAY * 40_000, invalid);
        check(&shown, true, none, none, invalid);
        check(&Token::new([2; 32]), false, none, none, invalid);
        check(&shown, false, BELIEVED, none, "ann");
        let old = "/problems/database-unavailable";
        check(&shown, false, BELIEVED + soon, none, old);
        check(&shown, true, BELIEVED + soon, none, old);
    }

    #[test]
    fn nobody_is_let_in_before_the_tokens_are_read() {
        let refused = Held::default().find(&token(), Instant::now(), UNIX_EPOCH);
        let details = refused.unwrap_err().details();
        assert_eq!(details.kind, "/problems/database-unavailable");
    }
}
