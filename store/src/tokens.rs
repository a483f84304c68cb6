//! Tokens that were given out: what a database keeps of them, so that a service knows whom it answers.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::{Readable, Scopes, StoreError, TokenHash};

/// The number of a token, by which people and the audit log speak of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(pub i64);

/// A token that was given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Its number.
    pub id: TokenId,
    /// Whose it is, for people. Several may have one name.
    pub name: String,
    /// What is kept of the token itself.
    pub hash: TokenHash,
    /// What its holder may ask.
    pub scopes: Scopes,
    /// When it was given out.
    pub created: SystemTime,
    /// From when on it is worth nothing.
    pub expires: SystemTime,
    /// When it was taken back.
    pub revoked: Option<SystemTime>,
}

/// A database in which the tokens of a service are kept. None is ever deleted, so that its number means it for ever.
///
/// Errors of all: `Locked`; `ReadOnly` where it writes; `Displaced`; `Unavailable`; `Database`.
#[async_trait]
pub trait Tokens: Send + Sync {
    /// Notes a token that is given out now; more than a hundred years are a hundred.
    async fn create_token(
        &self,
        hash: TokenHash,
        name: &str,
        scopes: &Scopes,
        lifetime: Duration,
    ) -> Result<Grant, StoreError>;

    /// All tokens by number, also those that have expired or were taken back.
    async fn tokens(&self) -> Result<Readable<Grant>, StoreError>;

    /// Takes a token back, and tells whether there is one of this number that was not yet.
    async fn revoke_token(&self, id: TokenId) -> Result<bool, StoreError>;
}
