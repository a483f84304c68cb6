//! Marks: which statements a line of a text is of, written at its end while the text is made and taken off it afterwards.

/// What begins the marks of a line: no text that is printed has it.
const MARK: char = '\u{1}';

/// A text, and of each line the numbers of its statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkedText {
    pub(crate) text: String,
    pub(crate) marks: Vec<Vec<u32>>,
}

/// The marks of a line of these statements.
pub(crate) fn marks(statements: impl IntoIterator<Item = u32>) -> String {
    let statements = statements.into_iter();
    statements.map(|number| format!("{MARK}{number}")).collect()
}

/// A line without its marks, and what they say.
pub(crate) fn split(line: &str) -> (&str, Vec<u32>) {
    let mut parts = line.split(MARK);
    let text = parts.next().unwrap_or_default();
    (
        text,
        parts.filter_map(|number| number.parse().ok()).collect(),
    )
}

impl MarkedText {
    /// The text without its marks.
    pub(crate) fn new(marked: &str) -> MarkedText {
        let (mut text, mut marks) = (String::new(), Vec::new());
        for line in marked.lines() {
            let (line, statements) = split(line);
            text += line;
            text.push('\n');
            marks.push(statements);
        }
        MarkedText { text, marks }
    }
}
