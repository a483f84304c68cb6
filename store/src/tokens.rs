//! Issued tokens: the records by which a service authenticates clients.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use crate::{Readable, Scopes, StoreError, TokenHash};

/// The number of a token, as people and the audit log cite it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(pub i64);

/// An issued token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The token's number.
    pub id: TokenId,
    /// The holder's name, for people. Several tokens may have one name.
    pub name: String,
    /// The hash of the token.
    pub hash: TokenHash,
    /// The scopes of the token.
    pub scopes: Scopes,
    /// The time of issue.
    pub created: SystemTime,
    /// The time of expiry.
    pub expires: SystemTime,
    /// The time of revocation.
    pub revoked: Option<SystemTime>,
}

/// A database that keeps the tokens of a service. It never deletes one, so that a number always
/// means the same token.
///
/// Errors of all methods: `Locked`; `ReadOnly` if the method writes; `Displaced`; `Unavailable`;
/// `Database`.
#[async_trait]
pub trait Tokens: Send + Sync {
    /// Stores a token issued now. Limits `lifetime` to a hundred years.
    async fn create_token(
        &self,
        hash: TokenHash,
        name: &str,
        scopes: &Scopes,
        lifetime: Duration,
    ) -> Result<Grant, StoreError>;

    /// Returns all tokens by number, including expired and revoked ones.
    async fn tokens(&self) -> Result<Readable<Grant>, StoreError>;

    /// Revokes a token, and returns whether there is one of this number that was not yet revoked.
    async fn revoke_token(&self, id: TokenId) -> Result<bool, StoreError>;
}
