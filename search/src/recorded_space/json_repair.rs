//! JSON as Python and interrupted programs write it.

use serde_json::Value;

/// Parses JSON that may contain Python's `NaN` and infinities, and that may end within an object.
/// `NaN` and infinities become null.
pub(super) fn parse(text: &str) -> serde_json::Result<Value> {
    // Most files are plain JSON and need no copy of the text.
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let text = without_python(text);
    match serde_json::from_str(&text) {
        Ok(value) => Ok(value),
        Err(error) if error.is_eof() => closed(&text).ok_or(error),
        Err(_) => Err(error),
    }
}

/// Replaces the numbers of Python that JSON lacks.
fn without_python(text: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    // Every second part between quotes is within a text.
    let mut is_text = false;
    for part in text.split_inclusive('"') {
        match is_text {
            true => replaced.push_str(part),
            false => {
                let numbers = part
                    // The negative one first: "-null" is no JSON.
                    .replace("-Infinity", "null")
                    .replace("Infinity", "null");
                replaced.push_str(&numbers.replace("NaN", "null"));
            }
        }
        let before = part.strip_suffix('"').unwrap_or(part);
        let slashes = before.len() - before.trim_end_matches('\\').len();
        let escapes = if is_text { slashes } else { 0 };
        // An odd number of backslashes escapes the quote.
        if escapes % 2 == 0 {
            is_text = !is_text;
        }
    }
    replaced
}

/// Cuts a text behind its last complete object, and closes the two objects around it.
fn closed(text: &str) -> Option<Value> {
    let mut rest = text;
    // An interrupted entry may contain complete objects of its own.
    for _ in 0..8 {
        let end = rest.rfind('}')?;
        let candidate = format!("{}}}}}", &rest[..=end]);
        if let Ok(value) = serde_json::from_str(&candidate) {
            return Some(value);
        }
        rest = &rest[..end];
    }
    None
}
