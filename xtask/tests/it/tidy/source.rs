//! The words of a Rust source without its comments, strings and tests.
//!
//! It is no parser: it splits a compiling file well enough to find imports and declarations.

/// A source as words: identifiers and numbers, `::`, single other characters, and `"` with the
/// text of a string.
pub(crate) struct Source<'a> {
    pub(crate) words: Vec<&'a str>,
    /// The modules in their own files that only tests use, by name or by `#[path]`.
    pub(crate) test_modules: Vec<TestModule>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum TestModule {
    Name(String),
    Path(String),
}

impl Source<'_> {
    pub(crate) fn new(text: &str) -> Source<'_> {
        let mut source = Source {
            words: Vec::new(),
            test_modules: Vec::new(),
        };
        let words = words(text);
        let mut at = 0;
        while at < words.len() {
            if words[at..].starts_with(&["#", "[", "cfg", "(", "test", ")", "]"]) {
                let end = item(&words, at);
                source.test_modules.extend(module(&words[at..end]));
                at = end;
            } else {
                source.words.push(words[at]);
                at += 1;
            }
        }
        source
    }
}

/// Returns the module that a `mod name;` declares.
fn module(item: &[&str]) -> Option<TestModule> {
    let name = item.iter().position(|word| *word == "mod")? + 1;
    if *item.get(name + 1)? != ";" {
        return None;
    }
    let path = item.iter().find_map(|word| word.strip_prefix('"'));
    Some(match path {
        Some(path) => TestModule::Path(path.to_owned()),
        None => TestModule::Name(item[name].to_owned()),
    })
}

/// Returns the end of the item that begins with the attributes at `at`.
fn item(words: &[&str], mut at: usize) -> usize {
    let mut depth = 0;
    let mut in_attribute = false;
    while at < words.len() {
        match words[at] {
            "#" if depth == 0 => in_attribute = true,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth -= 1;
                if depth == 0 && words[at] == "}" {
                    let ends = words.get(at + 1).is_some_and(|word| *word == ";");
                    return at + 1 + usize::from(ends);
                }
                in_attribute &= depth > 0;
            }
            ";" if depth == 0 && !in_attribute => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if let Some((content, length)) = string(rest) {
            words.push(content);
            length
        } else if first == '\'' {
            character(rest)
        } else {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let word = match rest {
                _ if is_word(first) => &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())],
                _ if rest.starts_with("::") => "::",
                _ => &rest[..first.len_utf8()],
            };
            words.push(word);
            word.len()
        };
        rest = &rest[length..];
    }
    words
}

/// Returns the length of the comment at the beginning of `text`; comments nest.
fn comment(text: &str) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        let (step, change) = match rest {
            [b'/', b'*', ..] => (2, 1),
            [b'*', b'/', ..] => (2, -1),
            _ => (1, 0),
        };
        at += step;
        depth += change;
        if depth == 0 {
            break;
        }
    }
    at
}

/// Returns the string literal at the beginning of `text`, from its quote to its last character,
/// and the whole literal's length.
fn string(text: &str) -> Option<(&str, usize)> {
    let start = text.strip_prefix(['b', 'c']).unwrap_or(text);
    let raw = start.strip_prefix('r');
    let hashed = raw.unwrap_or(start);
    let begin = hashed.trim_start_matches('#');
    let hashes = hashed.len() - begin.len();
    let content = begin.strip_prefix('"')?;
    if raw.is_none() && hashes > 0 {
        return None;
    }
    let end = if raw.is_some() {
        content.find(&format!("\"{}", "#".repeat(hashes)))
    } else {
        let mut escaped = false;
        content.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })
    };
    let end = end.unwrap_or(content.len());
    let before = text.len() - content.len();
    let length = (before + end + 1 + hashes).min(text.len());
    Some((&text[before - 1..before + end], length))
}

/// Returns the length of the character literal at the beginning of `text`, or of a lifetime's
/// quote.
fn character(text: &str) -> usize {
    let inner = &text[1..];
    if let Some(escape) = inner.strip_prefix('\\') {
        let first = escape.chars().next().map_or(0, char::len_utf8);
        return escape[first..]
            .find('\'')
            .map_or(text.len(), |end| 2 + first + end + 1);
    }
    let first = inner.chars().next().map_or(0, char::len_utf8);
    if inner[first..].starts_with('\'') {
        first + 2
    } else {
        1
    }
}

#[test]
fn comments_strings_and_tests_are_left_out() {
    #[track_caller]
    fn check(text: &str, words: &str, test_modules: &[TestModule]) {
        let source = Source::new(text);
        assert_eq!(source.words.join(" "), words);
        assert_eq!(source.test_modules, test_modules);
    }
    check("a::b // c\n/* d /* e */ f */g", "a :: b g", &[]);
    check(
        r##"x("a\"b", r#"c"d"#, '"', 'e', '\'', b"f")"##,
        r#"x ( "a\"b , "c"d , , , , "f )"#,
        &[],
    );
    check(
        "fn f<'a>(x: &'a str) {}",
        "fn f < a > ( x : & a str ) { }",
        &[],
    );
    check(
        "#[cfg(test)]\nmod tests { use crate::x; }\nfn g() {}",
        "fn g ( ) { }",
        &[],
    );
    check(
        "#[cfg(test)]\nmod tests;\nmod b;",
        "mod b ;",
        &[TestModule::Name("tests".into())],
    );
    check(
        "#[cfg(test)]\n#[path = \"a/b_tests.rs\"]\nmod tests;",
        "",
        &[TestModule::Path("a/b_tests.rs".into())],
    );
    check("#[cfg(test)]\nuse a::{b, c};\nd", "d", &[]);
}
