//! Pages: a reader gets a list of any length in pieces, each from the end of the one before.

use std::fmt;
use std::str::FromStr;

use crate::Unreadable;

/// A position in a list: the sort key of the last row of a page. Only the store that made its
/// text interprets it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cursor {
    /// Behind the study with this [`opened`](crate::KnownStudy::opened) number.
    Opened(i64),
    /// Behind the trial with this ordinal.
    Ordinal(i64),
    /// Behind the trial with this time in microseconds and this ordinal.
    Time(f64, i64),
    /// Behind the trial of this study with this ordinal, in the list of all studies' trials.
    Trial(i64, i64),
    /// Behind the model with this number.
    Model(i64),
    /// Behind the trial with this compilation time in milliseconds and this ordinal.
    Compiled(f64, i64),
}

/// An error for a cursor that no list gave out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a cursor; take the cursor of the previous page")]
pub struct UnknownCursor(pub String);

/// Prints numbers in hexadecimal; a time as its 64 bits.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Opened(opened) => write!(f, "s{opened:x}"),
            Self::Ordinal(ordinal) => write!(f, "o{ordinal:x}"),
            Self::Model(number) => write!(f, "m{number:x}"),
            Self::Trial(study, ordinal) => write!(f, "a{study:x}-{ordinal:x}"),
            Self::Time(time, ordinal) => write!(f, "t{:x}-{ordinal:x}", time.to_bits()),
            Self::Compiled(time, ordinal) => write!(f, "c{:x}-{ordinal:x}", time.to_bits()),
        }
    }
}

impl FromStr for Cursor {
    type Err = UnknownCursor;

    fn from_str(text: &str) -> Result<Self, UnknownCursor> {
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let integer = |text: &str| number(text).map(u64::cast_signed);
        let timed = |text: &str| {
            let (time, ordinal) = text.split_once('-')?;
            // All 64 bits make the round trip exact: a rounded time would repeat or skip rows.
            let time = f64::from_bits(number(time)?);
            // A client may send any bits, and NaN or infinity is no time.
            time.is_finite().then_some((time, integer(ordinal)?))
        };
        let mut characters = text.chars();
        let cursor = match (characters.next(), characters.as_str()) {
            (Some('s'), rest) => integer(rest).map(Self::Opened),
            (Some('o'), rest) => integer(rest).map(Self::Ordinal),
            (Some('m'), rest) => integer(rest).map(Self::Model),
            (Some('a'), rest) => {
                let two = rest.split_once('-');
                two.and_then(|(study, ordinal)| {
                    Some(Self::Trial(integer(study)?, integer(ordinal)?))
                })
            }
            (Some('t'), rest) => timed(rest).map(|(time, ordinal)| Self::Time(time, ordinal)),
            (Some('c'), rest) => timed(rest).map(|(time, ordinal)| Self::Compiled(time, ordinal)),
            _ => None,
        };
        // The error quotes at most 80 characters, because a client sends this text.
        cursor.ok_or_else(|| UnknownCursor(text.chars().take(80).collect()))
    }
}

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Page {
    /// The end of the page before; none for the first page.
    pub after: Option<Cursor>,
    /// The limit of rows.
    pub limit: u32,
}

impl Page {
    /// Returns the first page of a list.
    pub fn first(limit: u32) -> Self {
        Page { after: None, limit }
    }
}

/// The rows of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct ListPage<T> {
    /// The readable rows.
    pub rows: Vec<T>,
    /// The unreadable rows.
    pub unreadable: Unreadable,
    /// The start of the next page; none if this is the last.
    pub next: Option<Cursor>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<Cursor>) {
        let read: Option<Cursor> = text.parse().ok();
        assert_eq!(read, expected, "{text}");
    }

    #[test]
    fn cursors_come_back_as_they_went_out() {
        for cursor in [
            Cursor::Opened(1),
            Cursor::Opened(-7),
            Cursor::Opened(i64::MAX),
            Cursor::Ordinal(0),
            Cursor::Model(3),
            Cursor::Trial(7, 0),
            Cursor::Trial(i64::MAX, -1),
            Cursor::Time(0.1 + 0.2, 12),
            Cursor::Time(f64::MIN_POSITIVE, 0),
            Cursor::Compiled(0.0, i64::from(u32::MAX)),
        ] {
            check(&cursor.to_string(), Some(cursor));
        }
        for text in [
            "",
            "s",
            "x1",
            "1",
            "s1g",
            "t1",
            "t-1",
            "t1-",
            "t7ff8000000000000-1",
            "s11111111111111111",
            "é",
            "o1;",
            "a1",
            "a-1",
            "a1-",
        ] {
            check(text, None);
        }
    }
}
