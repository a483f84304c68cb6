//! Server-sent events: a reader of the part of the format that the service uses.

use std::io::{self, BufRead};

/// A server-sent event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerSentEvent {
    /// The ID from which a client continues after this event, if it has one.
    pub(crate) id: Option<String>,
    pub(crate) data: String,
}

/// Returns the next event, or none at the end of the stream. An event without its empty line is
/// dropped.
pub(crate) fn next(lines: &mut impl BufRead) -> io::Result<Option<ServerSentEvent>> {
    let mut event = ServerSentEvent::default();
    let mut line = String::new();
    loop {
        line.clear();
        // The service sends a cut-off event again after the next connection.
        if lines.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let text = line.trim_end_matches(['\n', '\r']);
        if text.is_empty() {
            match event.data.is_empty() {
                true => event = ServerSentEvent::default(),
                false => return Ok(Some(event)),
            }
            continue;
        }
        // An empty name is a comment; the reader skips it like an unknown name.
        let (name, value) = text.split_once(':').unwrap_or((text, ""));
        // One space after the colon belongs to the format, and not to the value.
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "id" => event.id = Some(value.to_owned()),
            "data" => {
                if !event.data.is_empty() {
                    event.data.push('\n');
                }
                event.data.push_str(value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the IDs and data of a stream's events.
    #[track_caller]
    fn check(stream: &str, expected: &[(Option<&str>, &str)]) {
        let mut lines = stream.as_bytes();
        let mut found = Vec::new();
        while let Some(event) = next(&mut lines).unwrap() {
            found.push((event.id, event.data));
        }
        let found: Vec<_> = found
            .iter()
            .map(|(id, data)| (id.as_deref(), data.as_str()))
            .collect();
        assert_eq!(found, expected, "{stream:?}");
    }

    #[test]
    fn events_come_out_of_lines() {
        check("", &[]);
        check(
            "event: study\nid: a.3\ndata: {}\n\n",
            &[(Some("a.3"), "{}")],
        );
        check("data: {}\r\n\r\n", &[(None, "{}")]);
        check(":\n\n: alive\n\ndata:1\n\n", &[(None, "1")]);
        check(
            "data: a: b\ndata: c\n\ndata: d\n\n",
            &[(None, "a: b\nc"), (None, "d")],
        );
        check("id: 1\n\ndata: d\n\n", &[(None, "d")]);
        // A stream that breaks off.
        check("data: 1\n\ndata: 2\n", &[(None, "1")]);
        check("data: 1", &[]);
        check("retry: 3\nwhat\n\n", &[]);
    }
}
