//! The output of `wavetune token`.

use schemars::JsonSchema;
use serde::Serialize;

/// A new token.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NewToken {
    /// The token itself. Only its hash is stored.
    // The only copy of the secret: the database has its hash.
    pub token: String,
    /// The number of the token.
    pub id: i64,
    /// The name of the holder.
    pub name: String,
    /// The scopes of the token: `read`, `submit`, `agent`, `admin`.
    pub scopes: Vec<&'static str>,
    /// The time of expiry: RFC 3339, UTC.
    pub expires: String,
}

/// A token that was created earlier.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TokenInfo {
    /// The number of the token.
    pub id: i64,
    /// The name of the holder.
    pub name: String,
    /// The scopes of the token: `read`, `submit`, `agent`, `admin`.
    pub scopes: Vec<&'static str>,
    /// `true` if the token was valid at the time of printing: neither expired nor revoked.
    pub is_good: bool,
    /// The time of creation: RFC 3339, UTC.
    pub created: String,
    /// The time of expiry: RFC 3339, UTC.
    pub expires: String,
    /// The time of revocation: RFC 3339, UTC; `null` if the token was not revoked.
    pub revoked: Option<String>,
}
