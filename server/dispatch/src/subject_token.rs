//! Subject tokens: words of NATS subjects, consumer names and headers.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Most characters of a token. Three tokens and an urgency are the name of a consumer, which is
/// also that of a directory. The server allows 255 characters (`JSMaxNameLen` in its
/// `server/jetstream_api.go`).
const MOST: usize = 80;

/// The characters that are encoded. Dots divide subjects, and `*`, `>`, `/` and blanks are
/// invalid in names. An encoded character begins with `=`, because nats-server 2.9 formats a `%`
/// in the name of a consumer.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// A text as a word of a subject: different texts give different tokens.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubjectToken(String);

/// The fault of a text that is no token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubjectTokenError {
    /// It is empty.
    #[error("a name may not be empty")]
    Empty,
    /// It is too long.
    #[error("a name may have at most {MOST} characters, and this one has {0} after encoding")]
    TooLong(usize),
}

impl SubjectToken {
    /// Wraps a token from a subject.
    pub(crate) fn from_engine(text: &str) -> SubjectToken {
        SubjectToken(text.to_owned())
    }

    /// Returns the encoded token.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SubjectToken {
    type Err = SubjectTokenError;

    fn from_str(text: &str) -> Result<Self, SubjectTokenError> {
        // An encoded text is at least as long as the text: a text of gigabytes is refused before
        // it is encoded.
        if text.len() > MOST {
            return Err(SubjectTokenError::TooLong(text.len()));
        }
        let token = utf8_percent_encode(text, ENCODED).to_string();
        let token = token.replace('%', "=");
        match token.len() {
            0 => Err(SubjectTokenError::Empty),
            1..=MOST => Ok(Self(token)),
            length => Err(SubjectTokenError::TooLong(length)),
        }
    }
}

impl fmt::Display for SubjectToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SubjectToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, SubjectToken};

    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let token = text
            .parse::<SubjectToken>()
            .map_err(|error| error.to_string());
        let token = token.as_ref().map(SubjectToken::as_str);
        assert_eq!(token.map_err(String::as_str), expected);
    }

    #[test]
    fn texts_become_words_of_subjects() {
        check("mi300x", Ok("mi300x"));
        check("emulated:mi300x", Ok("emulated=3Ami300x"));
        check("a.b", Ok("a=2Eb"));
        check("a=2Eb", Ok("a=3D2Eb"));
        check("a%2Eb", Ok("a=252Eb"));
        check("*", Ok("=2A"));
        check(">", Ok("=3E"));
        check("../x", Ok("=2E=2E=2Fx"));
        check("a b\r\nc\0", Ok("a=20b=0D=0Ac=00"));
        check("ü", Ok("=C3=BC"));
        check("study-7_b", Ok("study-7_b"));
    }

    #[test]
    fn invalid_subject_tokens() {
        check("", Err("a name may not be empty"));
        check(&"a".repeat(MOST), Ok(&"a".repeat(MOST)));
        let long = "a name may have at most 80 characters, and this one has 81 after encoding";
        check(&"a".repeat(MOST + 1), Err(long));
        check(&".".repeat(27), Err(long));
    }
}
