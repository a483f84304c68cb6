//! Lowered modules: text without locations, and the locations by line.

use std::collections::HashMap;
use std::path::Path;
use std::str::Lines;

/// A lowered module, with the places in the user's file that its operations come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoweredModule {
    /// The text of the module, without locations.
    pub text: String,
    /// The byte offset of each line's beginning.
    begins: Vec<usize>,
    /// The last location of each line that has one, by the line's number from 1.
    locations: HashMap<usize, String>,
}

/// The beginning of a location behind an operation or a block argument.
const LOCATION: &str = " loc(";

/// The beginning of a line that names a location.
const ALIAS: &str = "#loc";

/// The largest number of characters of a shown location: locations of frontends may contain the
/// whole call stack.
const MAX_SHOWN: usize = 160;

impl LoweredModule {
    /// Separates the locations from the text of a module.
    pub fn of(printed: &str) -> LoweredModule {
        let mut module = LoweredModule::default();
        let mut aliases: HashMap<&str, String> = HashMap::new();
        for line in printed.split_inclusive('\n') {
            if line.starts_with(ALIAS) {
                if let Some((name, location)) = line.trim_end().split_once(" = ") {
                    let inner = location.strip_prefix(LOCATION.trim_start());
                    let inner = inner.and_then(|it| it.strip_suffix(')'));
                    aliases.insert(name, inner.unwrap_or(location).to_owned());
                }
                continue;
            }
            let (text, location) = without_locations(line);
            module.begins.push(module.text.len());
            module.text += &text;
            if let Some(location) = location {
                module.locations.insert(module.begins.len(), location);
            }
        }
        for location in module.locations.values_mut() {
            if let Some(full) = aliases.get(&**location) {
                full.clone_into(location);
            }
        }
        module
    }

    /// Replaces the path of a file in the locations.
    pub(super) fn rename(&mut self, file: &Path, name: &str) {
        let (file, name) = (format!("\"{}\"", file.display()), format!("\"{name}\""));
        for location in self.locations.values_mut() {
            *location = location.replace(&file, &name);
        }
    }

    /// Returns the location of the operation in a line, such as `model.mlir:12:5`. None if the
    /// compiler knows none.
    ///
    /// The location of an operation with regions stands in its last line.
    pub fn location(&self, line: usize) -> Option<String> {
        let of_line = || self.locations.get(&line);
        let found = of_line().filter(|_| !self.opens(line));
        let found = found.or_else(|| self.locations.get(&self.closing(line)?));
        let found = found.or_else(of_line)?;
        (found != "unknown").then(|| shown(found))
    }

    fn line(&self, line: usize) -> &str {
        self.from(line).next().unwrap_or("")
    }

    /// Iterates over the lines from this one on, counted from 1.
    fn from(&self, line: usize) -> Lines<'_> {
        let begin = self.begins.get(line.saturating_sub(1));
        self.text[begin.copied().unwrap_or(self.text.len())..].lines()
    }

    fn opens(&self, line: usize) -> bool {
        self.line(line).ends_with('{')
    }

    /// Returns the line that closes the region which a line opens.
    fn closing(&self, line: usize) -> Option<usize> {
        let indent = |text: &str| text.len() - text.trim_start().len();
        let own = indent(self.line(line));
        let behind = (line + 1..).zip(self.from(line + 1));
        let mut behind = behind.filter(|(_, text)| indent(text) == own);
        let (number, text) = behind.find(|(_, text)| !text.trim_start().starts_with('^'))?;
        text.trim_start().starts_with('}').then_some(number)
    }
}

/// Returns a line without its locations, and the last of them.
fn without_locations(line: &str) -> (String, Option<String>) {
    let mut text = String::new();
    let mut last = None;
    let mut rest = line;
    while let Some(begin) = outside_quotes(rest, LOCATION) {
        let inner = &rest[begin + LOCATION.len()..];
        let Some(end) = closing_parenthesis(inner) else {
            break;
        };
        text += &rest[..begin];
        last = Some(inner[..end].to_owned());
        rest = &inner[end + 1..];
    }
    (text + rest, last)
}

/// Returns the byte offset of a word outside of quoted text.
fn outside_quotes(text: &str, word: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let found = from + text[from..].find(word)?;
        let quote = text[from..found].find('"').map(|it| from + it);
        match quote {
            None => return Some(found),
            Some(quote) => from = quote + 1 + end_of_quote(&text[quote + 1..])?,
        }
    }
}

/// Returns the byte offset behind the quote that ends a quoted text.
fn end_of_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Returns the byte offset of the parenthesis that closes an open one.
fn closing_parenthesis(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' => at += end_of_quote(&text[at + 1..])?,
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

/// Returns a location for people: the first place of a file in it, or else all of it.
fn shown(location: &str) -> String {
    let place = location.match_indices('"').find_map(|(begin, _)| {
        let (file, behind) = location[begin + 1..].split_once('"')?;
        let place = behind.strip_prefix(':')?;
        let end = place.find(|c: char| !c.is_ascii_digit() && c != ':');
        Some(format!("{file}:{}", &place[..end.unwrap_or(place.len())]))
    });
    let whole = || location.chars().take(MAX_SHOWN).collect();
    place.unwrap_or_else(whole)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::LoweredModule;

    const PRINTED: &str = "#map = affine_map<(d0) -> (d0)>
#loc3 = loc(\"jit(f)/sum\"(\"model.py\":7:3))
module {
  util.func public @f(%arg0: tensor<4xf32> loc(\"m.mlir\":2:3)) attributes {note = \"a loc(b\"} {
    %0 = linalg.generic {a = #map} ins(%arg0 : tensor<4xf32>) {
    ^bb0(%in: f32 loc(\"m.mlir\":4:5), %out: f32 loc(unknown)):
      %1 = arith.addf %in, %out : f32 loc(callsite(\"g (x)\"(\"m.mlir\":5:6) at \"m.mlir\":9:9))
      linalg.yield %1 : f32 loc(#loc3)
    } -> tensor<4xf32> loc(\"m.mlir\":4:5)
    util.return loc(unknown)
  } loc(\"m.mlir\":2:3)
} loc(unknown)
";

    #[test]
    fn a_text_has_no_locations() {
        let text = LoweredModule::of(PRINTED).text;
        assert_eq!(text.matches("loc(").count(), 1, "{text}");
        assert!(text.contains("{note = \"a loc(b\"} {"), "{text}");
        assert!(text.contains("^bb0(%in: f32, %out: f32):\n"), "{text}");
        assert_eq!(text.lines().count(), PRINTED.lines().count() - 1);
    }

    #[test]
    fn locations_are_those_of_operations() {
        let printed = PRINTED.replace("\"m.mlir\"", "\"/tmp/x/model\"");
        let mut module = LoweredModule::of(&printed);
        module.rename(Path::new("/tmp/x/model"), "m.mlir");
        let of = |text: &str| {
            let line = module.text.lines().position(|it| it.contains(text));
            module.location(line.unwrap() + 1)
        };
        assert_eq!(of("linalg.generic").as_deref(), Some("m.mlir:4:5"));
        assert_eq!(of("arith.addf").as_deref(), Some("m.mlir:5:6"));
        assert_eq!(of("linalg.yield").as_deref(), Some("model.py:7:3"));
        assert_eq!(of("util.func").as_deref(), Some("m.mlir:2:3"));
        assert_eq!(of("util.return"), None);
    }
}
