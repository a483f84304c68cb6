//! Text columns of a file that another program may have written.

use sqlx::Decode;
use sqlx::error::BoxDynError;
use sqlx::sqlite::{Sqlite, SqliteValueRef};

/// A text column with each byte sequence that is not UTF-8 replaced by U+FFFD, or NULL.
///
/// SQLite stores any bytes as a text. The driver fails the whole query on one that is not UTF-8,
/// so a single row would cost the answer of all others. With this type the row's own reader sees
/// the replaced text, and refuses it as any other wrong value; `db check` names the column.
#[derive(Debug)]
pub(crate) struct Text(Option<String>);

impl<'r> Decode<'r, Sqlite> for Text {
    fn decode(value: SqliteValueRef<'r>) -> Result<Self, BoxDynError> {
        let bytes = <Option<&[u8]> as Decode<'r, Sqlite>>::decode(value)?;
        let text = bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        Ok(Text(text))
    }
}

impl From<Text> for String {
    fn from(text: Text) -> String {
        text.0.unwrap_or_default()
    }
}

impl From<Text> for Option<String> {
    fn from(text: Text) -> Option<String> {
        text.0
    }
}
