//! What `wavetune token` prints.

use schemars::JsonSchema;
use serde::Serialize;

/// A token that was made.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct NewToken {
    /// The token itself. It is kept nowhere else.
    pub token: String,
    /// Its number.
    pub id: i64,
    /// Whose it is.
    pub name: String,
    /// What its holder may ask: `read`, `submit`, `agent`, `admin`.
    pub scopes: Vec<&'static str>,
    /// From when on it is worth nothing: RFC 3339, UTC.
    pub expires: String,
}

/// A token that was given out.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TokenInfo {
    /// Its number.
    pub id: i64,
    /// Whose it is.
    pub name: String,
    /// What its holder may ask: `read`, `submit`, `agent`, `admin`.
    pub scopes: Vec<&'static str>,
    /// Whether it was good when this was printed: it has not expired, and was not taken back.
    pub is_good: bool,
    /// When it was made: RFC 3339, UTC.
    pub created: String,
    /// From when on it is worth nothing: RFC 3339, UTC.
    pub expires: String,
    /// When it was taken back: RFC 3339, UTC; none where it was not.
    pub revoked: Option<String>,
}
