//! Marks: the statements that a line of a text belongs to. A printer writes them at the line's
//! end, and [`MarkedText`] removes them afterwards.

/// The character that begins a mark. No printed text contains it.
const MARK: char = '\u{1}';

/// A text, and the numbers of the statements of each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkedText {
    pub(crate) text: String,
    pub(crate) marks: Vec<Vec<u32>>,
}

/// Returns the marks of a line that belongs to these statements.
pub(crate) fn marks(statements: impl IntoIterator<Item = u32>) -> String {
    let statements = statements.into_iter();
    statements.map(|number| format!("{MARK}{number}")).collect()
}

/// Splits a line into its text and the numbers of its marks.
pub(crate) fn split(line: &str) -> (&str, Vec<u32>) {
    let mut parts = line.split(MARK);
    let text = parts.next().unwrap_or_default();
    (
        text,
        parts.filter_map(|number| number.parse().ok()).collect(),
    )
}

impl MarkedText {
    /// Separates a text from its marks.
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
