//! Reads text files that a person wrote and names on the command line.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::bail;

/// Most bytes of such a file: about a million lines of problems.
const MAX_FILE_BYTES: u64 = 32 << 20;

/// Reads a file as text, without a leading byte order mark, which some editors write.
pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    // One byte more than the limit, so that a file of exactly the limit is told from a longer
    // one.
    let read = File::open(path)?
        .take(MAX_FILE_BYTES + 1)
        .read_to_string(&mut text)?;
    if read as u64 > MAX_FILE_BYTES {
        bail!("the file has more than {MAX_FILE_BYTES} bytes");
    }
    Ok(text
        .strip_prefix('\u{feff}')
        .map(str::to_owned)
        .unwrap_or(text))
}
