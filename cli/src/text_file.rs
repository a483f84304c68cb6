//! Text: a file that a person wrote and names on the command line.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::bail;

/// Bytes that such a file has at most: a million lines of problems.
const MAX_FILE_BYTES: u64 = 32 << 20;

/// The text of a file, without the byte order mark that some editors begin it with.
pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?
        .take(MAX_FILE_BYTES + 1)
        .read_to_string(&mut text)?;
    if read as u64 > MAX_FILE_BYTES {
        bail!("it has more than {MAX_FILE_BYTES} bytes");
    }
    Ok(text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text))
}
