//! The language of names and of prose, measured as `docs/style.md` asks for it.
//!
//! Each measure counts violations. `language.tsv` beside this file holds the budget of each, and a
//! budget only falls: `UPDATE_EXPECT=1` lowers those that a change has undercut.

use std::collections::BTreeMap;

use crate::tidy::{root, texts};

const BUDGETS: &str = "xtask/tests/it/tidy/language.tsv";

/// Words that open a sentence with a free relative, or with a genitive.
const OPENERS: [&str; 11] = [
    "What", "Whatever", "Who", "Whoever", "Whose", "Where", "Wherever", "Which", "Whether", "How",
    "Of",
];
/// Irregular participles, adverbs, pronouns and prepositions. None of them names a type or a module.
const NOT_NOUNS: [&str; 44] = [
    "Told", "Seen", "Held", "Found", "Known", "Given", "Met", "Made", "Kept", "Taken", "Chosen",
    "Left", "Lent", "Sent", "Built", "Bound", "Drawn", "Written", "Broken", "Hidden", "LeftOut",
    "What", "Which", "Who", "Whose", "Where", "Of", "At", "In", "On", "Along", "Around", "Across",
    "Beside", "Both", "Once", "Nothing", "Whole", "Outwards", "Alike", "Alone", "Already", "Same",
    "Other",
];
/// Nouns that end like a participle.
const NOUNS_IN_ED: [&str; 5] = ["Seed", "Speed", "Need", "Feed", "Bed"];
const OPENING: &str = "sentences that open with a free relative";
const PRONOUNS: &str = "relative pronouns";
const LONG: &str = "sentences of more than 25 words";
const NO_NOUNS: &str = "types that are named by no noun";
const SHARED: &str = "types that share their name with three others or more";
const MOST_WORDS: usize = 25;
const MOST_COLUMNS: usize = 100;

/// The kind of an item that a documentation comment stands above.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Item {
    Function,
    Type,
    Other,
}

/// A source file's comments and definitions, without its tests.
#[derive(Default)]
struct Prose {
    /// Documentation comments, each with the item below it.
    docs: Vec<(String, Option<Item>)>,
    /// Names of structs, enums, traits and type aliases.
    types: Vec<String>,
    modules: Vec<String>,
    /// Lines of code.
    code: usize,
    /// Lines of `//` comments.
    reasons: usize,
    /// Comment lines that are too long.
    long_lines: usize,
}

impl Item {
    /// Parses the kind and the name of the item that a line of code begins.
    fn parse(line: &str) -> Option<(Self, String)> {
        let mut words = line.split_whitespace().filter(|word| {
            let is_qualifier = matches!(
                *word,
                "pub" | "async" | "unsafe" | "extern" | "\"C\"" | "default"
            );
            !is_qualifier && !word.starts_with("pub(") && !word.ends_with("super)")
        });
        let keyword = words.next()?;
        let (keyword, name) = match (keyword, words.next()?) {
            ("const", "fn") => ("fn", words.next()?),
            ("const", "unsafe") => ("fn", words.nth(1)?),
            other => other,
        };
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
        let name = name[..end.unwrap_or(name.len())].to_owned();
        let item = match keyword {
            "fn" => Self::Function,
            "struct" | "enum" | "trait" | "type" | "union" => Self::Type,
            "mod" | "const" | "static" => Self::Other,
            _ => return None,
        };
        (!name.is_empty()).then_some((item, name))
    }
}

impl Prose {
    fn read(text: &str) -> Self {
        let mut prose = Self::default();
        let mut doc = String::new();
        // Unit tests stand at the end of a file.
        let text = text
            .split("\n#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        for line in text.lines() {
            let trimmed = line.trim_start();
            let is_comment = trimmed.starts_with("//");
            prose.long_lines += usize::from(is_comment && line.chars().count() > MOST_COLUMNS);
            if let Some(text) = trimmed.strip_prefix("//!") {
                match prose.docs.last_mut() {
                    Some((module, None)) => *module += &format!("{text}\n"),
                    _ => prose.docs.push((format!("{text}\n"), None)),
                }
            } else if let Some(text) = trimmed.strip_prefix("///") {
                doc += text;
                doc.push('\n');
            } else if is_comment {
                prose.reasons += 1;
            } else if !trimmed.is_empty() && !trimmed.starts_with("#[") {
                prose.code += 1;
                let item = Item::parse(trimmed);
                if !doc.is_empty() {
                    let kind = item.as_ref().map_or(Item::Other, |it| it.0);
                    prose.docs.push((std::mem::take(&mut doc), Some(kind)));
                }
                match item {
                    // A trait names the associated types of its implementations.
                    Some((Item::Type, name)) if line == trimmed || !line.contains(" type ") => {
                        prose.types.push(name);
                    }
                    Some((Item::Other, name)) if trimmed.contains("mod ") => {
                        prose.modules.push(name)
                    }
                    _ => {}
                }
            }
        }
        prose
    }
}

/// The kind of the line before another: indented code follows a blank line or code.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Blank,
    Prose,
    Code,
}

/// Splits prose into sentences: code blocks, tables, headings and links' targets are left out.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    let mut in_code = false;
    let mut before = Before::Blank;
    for line in text.lines() {
        let is_indented = line.starts_with("    ") && before != Before::Prose;
        let line = line.trim();
        before = match line.is_empty() {
            true if before == Before::Code => Before::Code,
            true => Before::Blank,
            false if is_indented => Before::Code,
            false => Before::Prose,
        };
        if line.starts_with("```") {
            in_code = !in_code;
        } else if in_code || before == Before::Code || line.starts_with('|') {
            continue;
        } else if line.is_empty() || line.starts_with('#') {
            paragraphs.push(String::new());
        } else {
            let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
            if item.is_some() {
                paragraphs.push(String::new());
            }
            let paragraph = paragraphs.last_mut().expect("one is there");
            *paragraph += item.unwrap_or(line);
            paragraph.push(' ');
        }
    }
    let ends = |text: &str| -> Vec<String> {
        let mut found = Vec::new();
        let mut start = 0;
        for (at, mark) in text.match_indices(['.', '?', '!', ':']) {
            let next = text[at + mark.len()..].strip_prefix(' ');
            let is_end = next.is_some_and(|rest| {
                rest.trim_start()
                    .chars()
                    .next()
                    .is_none_or(|c| !c.is_lowercase() || mark != ".")
            });
            if is_end && mark != ":" {
                found.push(text[start..=at].trim().to_owned());
                start = at + mark.len();
            }
        }
        found.push(text[start..].trim().to_owned());
        found
    };
    let all = paragraphs.iter().flat_map(|it| ends(it));
    all.filter(|it| it.split_whitespace().count() > 1).collect()
}

/// Returns true for a sentence that begins with a free relative and is no question.
pub(crate) fn opens_badly(sentence: &str) -> bool {
    let first = sentence.split(|c: char| !c.is_alphanumeric()).next();
    let first = first.unwrap_or_default();
    OPENERS.contains(&first) && !sentence.ends_with('?')
}

/// Counts the words of a sentence.
pub(crate) fn word_count(sentence: &str) -> usize {
    sentence.split_whitespace().count()
}

/// Counts relative pronouns.
fn relatives(sentence: &str) -> usize {
    let words: Vec<&str> = sentence.split(|c: char| !c.is_alphanumeric()).collect();
    let is = |word: &&&str| {
        matches!(
            word.to_lowercase().as_str(),
            "who" | "what" | "whose" | "where"
        )
    };
    let of_which = words.windows(2).filter(|it| it == &["of", "which"]).count();
    words.iter().filter(is).count() + of_which
}

/// Returns true for a name that is a participle, an adverb, a pronoun or a preposition alone.
fn is_no_noun(name: &str) -> bool {
    let humps = name.chars().filter(|c| c.is_uppercase()).count();
    let ends = |ending: &str| name.len() > ending.len() + 1 && name.ends_with(ending);
    let participle = ends("ed") && !NOUNS_IN_ED.contains(&name);
    NOT_NOUNS.contains(&name) || (humps == 1 && (participle || ends("wards") || ends("ly")))
}

/// The first letter of a module's name becomes large, so that one list serves both.
fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Returns true for the first line of a function's documentation that begins with a verb in the
/// third person.
fn begins_with_a_verb(doc: &str) -> bool {
    let first = doc.split_whitespace().next().unwrap_or_default();
    let is_word = first.chars().all(char::is_alphabetic);
    is_word
        && first.ends_with('s')
        && !matches!(
            first,
            "This" | "Is" | "Has" | "Its" | "As" | "Whose" | "Others"
        )
}

/// The sources and the documents of the product: neither tests nor what other people wrote.
fn product() -> (Vec<(String, Prose)>, Vec<String>) {
    let is_test = |file: &str| {
        let mut parts = file.split('/');
        file.ends_with("_tests.rs")
            || parts.any(|it| {
                matches!(
                    it,
                    "tests" | "tests.rs" | "benches" | "store-contract" | "fuzz"
                )
            })
    };
    let sources = texts(".rs").into_iter().filter(|it| !is_test(&it.0));
    let sources = sources.map(|(file, text)| (file, Prose::read(&text)));
    let documents = texts(".md").into_iter().map(|it| it.1);
    (sources.collect(), documents.collect())
}

/// Counts the violations of each rule, and prints those that style guides compare as ratios.
fn measure() -> BTreeMap<&'static str, usize> {
    let (sources, documents) = product();
    let proses = || sources.iter().map(|it| &it.1);
    let docs: Vec<&(String, Option<Item>)> = proses().flat_map(|it| &it.docs).collect();
    let of_docs: Vec<String> = docs.iter().flat_map(|it| sentences(&it.0)).collect();
    let of_documents: Vec<String> = documents.iter().flat_map(|it| sentences(it)).collect();
    let all = || of_docs.iter().chain(&of_documents);
    let types: Vec<&String> = proses().flat_map(|it| &it.types).collect();
    let modules = proses()
        .flat_map(|it| &it.modules)
        .map(|it| capitalized(it));
    let mut bearers: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &types {
        *bearers.entry(name.as_str()).or_default() += 1;
    }
    let common = bearers.values().filter(|count| **count > 3).sum();
    let functions = docs.iter().filter(|it| it.1 == Some(Item::Function));
    let code: usize = proses().map(|it| it.code).sum();
    let reasons: usize = proses().map(|it| it.reasons).sum();
    // The target of `docs/style.md`: 30 lines of reasons in a thousand lines of code.
    let wanted = code * 30 / 1000;
    let measured = BTreeMap::from([
        (OPENING, all().filter(|it| opens_badly(it)).count()),
        (PRONOUNS, all().map(|it| relatives(it)).sum()),
        (LONG, all().filter(|it| word_count(it) > MOST_WORDS).count()),
        (
            "comment lines of more than 100 columns",
            proses().map(|it| it.long_lines).sum(),
        ),
        (NO_NOUNS, types.iter().filter(|it| is_no_noun(it)).count()),
        (
            "modules that are named by no noun",
            modules.filter(|it| is_no_noun(it)).count(),
        ),
        (SHARED, common),
        (
            "functions whose documentation begins with no verb",
            functions.filter(|it| !begins_with_a_verb(&it.0)).count(),
        ),
        (
            "lines of reasons that are missing",
            wanted.saturating_sub(reasons),
        ),
    ]);
    let count = all().count();
    assert!(count > of_docs.len() && of_docs.len() > 1_000 && types.len() > 100 && code > 10_000);
    println!(
        "{count} sentences, {} types, {reasons} reasons in {code} lines of code",
        types.len()
    );
    for (name, whole) in [
        (OPENING, count),
        (PRONOUNS, count),
        (LONG, count),
        (NO_NOUNS, types.len()),
        (SHARED, types.len()),
    ] {
        let share = 100.0 * measured[name] as f64 / whole as f64;
        println!("{share:>6.1} per hundred: {name}");
    }
    measured
}

fn budgets() -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(root().join(BUDGETS)).unwrap_or_default();
    let line = |line: &str| {
        let (count, name) = line.split_once('\t')?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

/// The names of types and the prose keep to `docs/style.md` better with each change, never worse.
#[test]
fn the_language_gets_no_worse() {
    let measured = measure();
    let budgets = budgets();
    let lowered = |name: &str, count: usize| budgets.get(name).map_or(count, |it| count.min(*it));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let rows = measured
            .iter()
            .map(|(name, count)| format!("{}\t{name}\n", lowered(name, *count)));
        std::fs::write(root().join(BUDGETS), rows.collect::<String>()).unwrap();
    }
    let budgets = self::budgets();
    let over = measured.iter().filter_map(|(name, count)| {
        let budget = budgets.get(*name).copied().unwrap_or_default();
        (*count > budget)
            .then(|| format!("{name}: {count}, the budget is {budget} (docs/style.md)"))
    });
    crate::tidy::none(over.collect());
}

#[test]
fn sentences_are_told_apart() {
    let text = "One is here. Two, e.g. this, stands there:\n```\nlet a = 1. B\n```\n- A list's item\n- another one\n\n\
                | a | table. Row |\n# Heading\nIs it? It is.\n\n    cargo xtask test. Now\n\n    and then. Code\n\nAn end:\n    here.\n";
    let expected = [
        "One is here.",
        "Two, e.g. this, stands there:",
        "A list's item",
        "another one",
        "Is it?",
        "It is.",
        "An end: here.",
    ];
    assert_eq!(sentences(text), expected);
}

#[test]
fn openers_and_pronouns_are_found() {
    #[track_caller]
    fn check(sentence: &str, opens: bool, count: usize) {
        assert_eq!(
            (opens_badly(sentence), relatives(sentence)),
            (opens, count),
            "{sentence}"
        );
    }
    check("What is stored is a trial.", true, 1);
    check("Where is it?", false, 1);
    check("Of a view nothing is read.", true, 0);
    check("Offers have rows, two of which are whose?", false, 2);
    check("The caller returns the row.", false, 0);
}

#[test]
fn names_that_are_no_nouns_are_found() {
    #[track_caller]
    fn check(name: &str, expected: bool) {
        assert_eq!(is_no_noun(name), expected, "{name}");
    }
    for name in ["Told", "Asked", "Which", "Tried", "Outwards", "Freshly"] {
        check(name, true);
    }
    for name in [
        "Seed",
        "CachedAnswer",
        "TimedKernel",
        "Timing",
        "Row",
        "Red",
    ] {
        check(name, false);
    }
    assert!(is_no_noun(&capitalized("told")));
}

#[test]
fn comments_belong_to_the_items_below_them() {
    let text = "//! A module.\n\n/// Returns one.\n#[inline]\npub(crate) const fn one() -> u8 {\n    // Why: one is least.\n    1\n}\n\
                /// A row.\npub struct Row<T>(T);\nmod told;\n\n#[cfg(test)]\nmod tests {\n    /// A lie\n    struct Asked;\n}\n";
    let prose = Prose::read(text);
    let kinds: Vec<Option<Item>> = prose.docs.iter().map(|it| it.1).collect();
    assert_eq!(kinds, [None, Some(Item::Function), Some(Item::Type)]);
    assert!(begins_with_a_verb(&prose.docs[1].0) && !begins_with_a_verb(&prose.docs[2].0));
    assert_eq!(
        (prose.types.as_slice(), prose.reasons, prose.code),
        (&["Row".to_owned()][..], 1, 5)
    );
    assert_eq!(prose.modules, ["told"]);
}
