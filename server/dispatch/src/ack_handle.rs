//! The ack handle of a delivery, and its sealed form for clients that the service does not trust.
//!
//! An ack handle of JetStream is a subject: a client that could forge one could publish on any
//! subject. So an agent gets it sealed, together with data that the service binds to it. The seal
//! has a tag of both under a key that the replicas share. The content is not secret, but only the
//! service can make a valid seal.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Acknowledges, renews or gives back a delivery. Every replica of the service can use it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AckHandle(String);

impl AckHandle {
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text was not sealed with this key, or changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "not an acknowledgement handle of this service, or signed with a key that it no longer has"
)]
pub struct InvalidSeal;

/// The key that seals and opens ack handles.
#[derive(Clone)]
pub struct SealingKey([u8; blake3::KEY_LEN]);

/// The context of the derived key: other uses of the secret have keys of their own.
const CONTEXT: &str = "dispatch 2026-11 receipt of a delivery";

/// Longest text that is opened. The subject of a delivery has at most four names of 255
/// characters and five numbers.
const MOST_TEXT: usize = 8192;

impl SealingKey {
    /// Derives the key from a secret of the service. It must have at least 32 random bytes, or an
    /// attacker can guess it.
    pub fn from_secret(secret: &[u8]) -> Self {
        Self(blake3::derive_key(CONTEXT, secret))
    }

    /// Seals an ack handle with bound data of at most some thousand bytes. Everybody can read
    /// both, and nobody can change them.
    pub fn seal(&self, receipt: &AckHandle, bound: &[u8]) -> String {
        // The length comes first, so that no other split of the bytes has the same tag.
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&(bound.len() as u64).to_le_bytes());
        bytes.extend_from_slice(bound);
        bytes.extend_from_slice(receipt.0.as_bytes());
        let tag = blake3::keyed_hash(&self.0, &bytes);
        bytes.extend_from_slice(tag.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Opens a seal: returns the ack handle and the bound data.
    ///
    /// # Errors
    ///
    /// A bit of the text has changed, or another key sealed it.
    pub fn open(&self, text: &str) -> Result<(AckHandle, Vec<u8>), InvalidSeal> {
        if text.len() > MOST_TEXT {
            return Err(InvalidSeal);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidSeal)?;
        let (bytes, tag) = bytes
            .split_last_chunk::<{ blake3::OUT_LEN }>()
            .ok_or(InvalidSeal)?;
        // `blake3::Hash` compares in constant time, so timing reveals nothing about the tag.
        if blake3::keyed_hash(&self.0, bytes) != blake3::Hash::from_bytes(*tag) {
            return Err(InvalidSeal);
        }
        let (length, bytes) = bytes.split_first_chunk::<8>().ok_or(InvalidSeal)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| InvalidSeal)?;
        let (bound, receipt) = bytes.split_at_checked(length).ok_or(InvalidSeal)?;
        let receipt = String::from_utf8(receipt.to_vec()).map_err(|_| InvalidSeal)?;
        Ok((AckHandle(receipt), bound.to_vec()))
    }
}

// No bytes are printed: a log must not contain key material.
impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey")
    }
}

#[cfg(test)]
mod tests {
    use super::{AckHandle, InvalidSeal, SealingKey};

    fn key() -> SealingKey {
        SealingKey::from_secret(&[7; 32])
    }

    fn receipt() -> AckHandle {
        AckHandle::new("$JS.ACK.WAVETUNE_WORK.measure-mi300x-urgent.1.2.3.4.5".to_owned())
    }

    #[track_caller]
    fn check(receipt: &str, bound: &[u8]) {
        let receipt = AckHandle::new(receipt.to_owned());
        let sealed = key().seal(&receipt, bound);
        assert_eq!(key().open(&sealed), Ok((receipt, bound.to_vec())));
    }

    #[test]
    fn sealed_handles_are_opened() {
        check("", b"");
        check("1", b"");
        check("", b"bound");
        check("$JS.ACK.a.b.1.2.3.4.5", &[0, 255, 10, 13]);
        check(&"x".repeat(2000), &[1; 3000]);
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let sealed = key().seal(&receipt(), b"study 7, agent 3");
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut bytes = sealed.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(text) = String::from_utf8(bytes) else {
                    continue;
                };
                assert_eq!(
                    key().open(&text),
                    Err(InvalidSeal),
                    "bit {bit} of character {at}"
                );
            }
        }
    }

    /// Checks also characters of the text with unused bits.
    #[test]
    fn no_other_character_stands_for_one() {
        for length in 0..3 {
            let sealed = key().seal(&receipt(), &vec![9; length]);
            for at in 0..sealed.len() {
                for other in (0..128_u8).map(char::from) {
                    let mut text = sealed.clone();
                    text.replace_range(at..=at, &other.to_string());
                    assert!(
                        text == sealed || key().open(&text) == Err(InvalidSeal),
                        "{other:?} at {at}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_bound_value_cannot_be_exchanged() {
        let whole = key().seal(&AckHandle::new("ab".to_owned()), b"c");
        let other = key().seal(&AckHandle::new("b".to_owned()), b"ca");
        assert_ne!(whole, other);
    }

    #[track_caller]
    fn refuse(text: &str) {
        assert_eq!(key().open(text), Err(InvalidSeal), "{text:.40}");
    }

    #[test]
    fn foreign_handles_are_refused() {
        let sealed = key().seal(&receipt(), b"bound");
        refuse("");
        refuse("a");
        refuse("not base64!");
        refuse(&sealed[1..]);
        refuse(&sealed[..sealed.len() - 1]);
        refuse(&format!("{sealed}="));
        refuse(&format!("{sealed}AAAA"));
        refuse(&format!(" {sealed}"));
        refuse(&"A".repeat(1_000_000));
        refuse(&SealingKey::from_secret(&[8; 32]).seal(&receipt(), b"bound"));
        // A hash without a key, and one with the secret in place of the derived key.
        let other = SealingKey([7; 32]);
        refuse(&other.seal(&receipt(), b"bound"));
    }

    #[test]
    fn a_key_is_not_printed() {
        assert_eq!(format!("{:?}", key()), "SealingKey");
    }
}
