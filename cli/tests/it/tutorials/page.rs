//! A page: its files, its commands, and the output that it shows.

/// A step of the reader.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A file to save: the second word behind the fence names it.
    File { name: String, text: String },
    /// A command, and the lines of its output on the page.
    Command { line: String, shown: Vec<String> },
}

/// Lists the steps of a page in their order.
pub(crate) fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        let block = lines.by_ref().take_while(|it| *it != "```");
        let block: Vec<&str> = block.collect();
        match info.split_once(' ') {
            Some((_, name)) => steps.push(Step::File {
                name: name.to_owned(),
                text: block.join("\n") + "\n",
            }),
            None if info == "console" => steps.extend(commands(&block)),
            None => {}
        }
    }
    steps
}

fn commands(block: &[&str]) -> Vec<Step> {
    let mut steps = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(line), _) => steps.push(Step::Command {
                line: line.to_owned(),
                shown: Vec::new(),
            }),
            (None, Some(Step::Command { line: begun, .. })) if begun.ends_with('\\') => {
                begun.push('\n');
                begun.push_str(line);
            }
            (None, Some(Step::Command { shown, .. })) => shown.push((*line).to_owned()),
            _ => panic!("{line}: of no command"),
        }
    }
    steps
}

/// Finds the first line of a page that a command did not print in this order.
///
/// `…` matches anything. Times, addresses and hashes may differ, and so may the configuration
/// that a search finds.
pub(crate) fn missing(shown: &[String], printed: &str) -> Option<String> {
    let mut printed = printed.lines().map(plain);
    for line in shown {
        let expected = plain(line);
        let parts: Vec<&str> = expected.split('…').collect();
        if !printed.any(|it| is_like(&it, &parts)) {
            return Some(line.clone());
        }
    }
    None
}

/// Returns true for a line with these parts, and anything between them.
fn is_like(line: &str, parts: &[&str]) -> bool {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return false;
    };
    if parts.len() == 1 {
        return line == *first;
    }
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    for part in &parts[1..parts.len() - 1] {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Returns a line without the parts that differ between machines.
fn plain(line: &str) -> String {
    let words: Vec<String> = line.split_whitespace().map(word).collect();
    let is_found =
        ["default", "best", "faster"].contains(&words.first().map_or("", String::as_str));
    let at = words.iter().position(|it| it == "workgroup");
    match at.filter(|_| is_found) {
        // Another compiler may have another best configuration.
        Some(at) => words[..=at].join(" ") + "…",
        None => words.join(" "),
    }
}

/// Replaces numbers with a point, addresses, hashes and counts of instructions.
fn word(word: &str) -> String {
    let mut plain = String::new();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let mut rest = word;
    while let Some(start) = rest.find(is_part) {
        plain.push_str(&rest[..start]);
        let end = rest[start..]
            .find(|c| !is_part(c))
            .map_or(rest.len(), |it| start + it);
        let part = &rest[start..end];
        let is_hash = part.len() >= 12 && part.bytes().all(|it| it.is_ascii_hexdigit());
        let is_number = part.parse::<f64>().is_ok() && part.contains('.');
        match is_hash || is_number || part.starts_with("0x") {
            true => plain.push('#'),
            false => plain.push_str(part),
        }
        rest = &rest[end..];
    }
    plain + rest
}

#[test]
fn steps_are_read_from_fences() {
    let page = "text\n```cpp a.hip\nint a;\n```\n```console\n$ one\n1\n$ two \\\n  more\n```\n```json\n{}\n```\n";
    let command = |line: &str, shown: &[&str]| Step::Command {
        line: line.to_owned(),
        shown: shown.iter().map(|it| (*it).to_owned()).collect(),
    };
    let file = Step::File {
        name: "a.hip".to_owned(),
        text: "int a;\n".to_owned(),
    };
    assert_eq!(
        steps(page),
        [file, command("one", &["1"]), command("two \\\n  more", &[])]
    );
}

#[test]
fn lines_that_a_page_invents_are_noticed() {
    #[track_caller]
    fn check(shown: &[&str], printed: &str, expected: Option<&str>) {
        let shown: Vec<String> = shown.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(missing(&shown, printed).as_deref(), expected, "{shown:?}");
    }
    check(&[], "a\n", None);
    check(&["a", "…", "c"], "a\nb\nc\n", None);
    check(&["a", "b"], "b\na\n", Some("b"));
    check(
        &["  time 4.33 us, k_0123456789abcdef at 0x12"],
        "time  5.0 us, k_fedcba9876543210 at 0x9",
        None,
    );
    check(&["999 1999"], "999 1998", Some("999 1999"));
    check(&["a … c … e"], "a b c d e", None);
    check(&["a … e"], "a b c d", Some("a … e"));
    check(
        &["best 4.3 µs workgroup [1, 0], …"],
        "best 4.4 µs workgroup [2, 0]",
        None,
    );
    check(&["16 right"], "15 right", Some("16 right"));
}
