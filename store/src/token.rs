//! Tokens: secrets by which clients authenticate to a service.
//!
//! A token is 256 random bits. Nobody can guess it, so one SHA-256 without salt protects it as
//! well as a slow hash. Prefix and checksum let secret scanners find a token in files without
//! false positives.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// The number of random bytes.
const RANDOM: usize = 32;

/// The number of bytes of the checksum.
const CHECK: usize = 4;

/// A token in clear text.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl AccessToken {
    /// The prefix of every token.
    pub const PREFIX: &str = "wt_";

    /// Creates a token of these bytes, which must be random.
    pub fn new(random: [u8; RANDOM]) -> Self {
        let secret = format!("{}{}", Self::PREFIX, hexadecimal(&random));
        AccessToken(format!("{secret}{}", check(&secret)))
    }

    /// Returns the text, for a request's header or for the new holder.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash that a database keeps.
    pub fn hash(&self) -> TokenHash {
        TokenHash(Sha256::digest(&self.0).into())
    }
}

/// Hides the token, because other people read debug output.
impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(..)")
    }
}

/// An error for a text that is no token. Omits the text, which may be a truncated token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is not a token: a token is wt_ and 72 hexadecimal digits, and its last 8 digits are a checksum"
)]
pub struct NoToken;

impl FromStr for AccessToken {
    type Err = NoToken;

    fn from_str(text: &str) -> Result<Self, NoToken> {
        let digits = text.strip_prefix(Self::PREFIX).ok_or(NoToken)?;
        // Lower case only, so that a token has one text and thereby one hash.
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() != 2 * (RANDOM + CHECK) || !digits.bytes().all(is_digit) {
            return Err(NoToken);
        }
        let (secret, end) = text.split_at(text.len() - 2 * CHECK);
        match end == check(secret) {
            true => Ok(AccessToken(text.to_owned())),
            false => Err(NoToken),
        }
    }
}

/// The SHA-256 of a token, as a database keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenHash(pub [u8; 32]);

/// Returns the checksum of the rest of a token.
fn check(secret: &str) -> String {
    hexadecimal(&Sha256::digest(secret)[..CHECK])
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed by `printf wt_000102…1f | sha256sum`.
    const TOKEN: &str =
        "wt_000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1fccf4dd6b";

    #[test]
    fn a_token_is_its_bytes_and_their_checksum() {
        let token = AccessToken::new(std::array::from_fn(|byte| byte as u8));
        assert_eq!(token.reveal(), TOKEN);
        assert_eq!(TOKEN.parse(), Ok(token.clone()));
        let hash = hexadecimal(&token.hash().0);
        assert_eq!(
            hash,
            "82fd2c705d66c6ba2cd5906ab4f0fce5a149dbe57539bbfa1ceca2515735cf57"
        );
    }

    #[test]
    fn a_token_is_not_printed() {
        let token: AccessToken = TOKEN.parse().unwrap();
        assert_eq!(format!("{token:?}"), "AccessToken(..)");
        let error = TOKEN[..60].parse::<AccessToken>().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("0001"), "{error}");
    }

    #[test]
    fn truncated_tokens_are_refused() {
        for place in 0..TOKEN.len() {
            let mut changed = TOKEN.to_owned().into_bytes();
            changed[place] = if changed[place] == b'7' { b'8' } else { b'7' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(changed.parse::<AccessToken>(), Err(NoToken), "{changed}");
            assert_eq!(TOKEN[..place].parse::<AccessToken>(), Err(NoToken));
        }
        let upper = TOKEN.to_ascii_uppercase().replacen("WT", "wt", 1);
        for other in [&upper, &format!("{TOKEN}0"), &format!(" {TOKEN}"), "wt_ä"] {
            assert_eq!(other.parse::<AccessToken>(), Err(NoToken), "{other}");
        }
    }
}
