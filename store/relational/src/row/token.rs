//! Rows of tokens.

use std::time::Duration;

use store::{Grant, TokenHash, TokenId, UnreadableRow};

use super::RowLocation;

/// The longest lifetime of a token: a hundred years, which fits the times of every dialect.
const MOST: Duration = Duration::from_hours(100 * 8766);

/// Returns the lifetime of a token in milliseconds.
pub fn lifetime_ms(lifetime: Duration) -> i64 {
    i64::try_from(lifetime.min(MOST).as_millis()).expect("a hundred years")
}

/// A row of `token`.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct TokenRow {
    pub id: i64,
    pub name: String,
    pub hash: Vec<u8>,
    pub scopes: String,
    pub created_ms: i64,
    pub expires_ms: i64,
    pub revoked_ms: Option<i64>,
}

impl TokenRow {
    /// Returns the issued token.
    pub fn grant(self) -> Result<Grant, UnreadableRow> {
        let place = RowLocation {
            table: "token",
            id: self.id,
        };
        let bytes = self.hash.len();
        let hash = <[u8; 32]>::try_from(self.hash);
        let hash = hash.map_err(|_| place.error("hash", format_args!("{bytes} bytes, not 32")));
        let revoked = self.revoked_ms.map(|ms| place.time("revoked", ms));
        Ok(Grant {
            id: TokenId(self.id),
            name: self.name,
            hash: TokenHash(hash?),
            scopes: place.parse("scopes", &self.scopes)?,
            created: place.time("created", self.created_ms)?,
            expires: place.time("expires", self.expires_ms)?,
            revoked: revoked.transpose()?,
        })
    }
}
