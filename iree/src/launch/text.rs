//! Searches in a text, by the text around a place.

/// A result with the reason that the text is not understood.
pub(super) type ParseResult<T> = Result<T, String>;

/// Returns the text before and after the only occurrence of `mark`.
pub(super) fn split_once_at<'a>(text: &'a str, mark: &str) -> ParseResult<(&'a str, &'a str)> {
    let mut parts = text.split(mark);
    match (parts.next(), parts.next(), parts.count()) {
        (Some(before), Some(after), 0) => Ok((before, after)),
        (_, None, _) => Err(format!("no {mark:?}")),
        (_, _, more) => Err(format!("{} times {mark:?}", more + 1)),
    }
}

/// Returns the text between the first `start` and the next `end`.
pub(super) fn text_between<'a>(text: &'a str, start: &str, end: &str) -> ParseResult<&'a str> {
    let inner = text
        .split_once(start)
        .and_then(|(_, rest)| rest.split_once(end));
    inner
        .map(|(inner, _)| inner)
        .ok_or_else(|| format!("no {start:?} … {end:?}"))
}
