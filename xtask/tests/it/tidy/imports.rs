//! Imports between the modules of a crate: each file is a module.
//!
//! A re-exported name (`pub use`) counts as an import of the module that declares it.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::source::{Source, TestModule};

/// A module's path in its crate; that of the crate itself is empty.
pub(crate) type Module = Vec<String>;

/// The modules of a crate.
#[derive(Default)]
pub(crate) struct Modules(BTreeMap<Module, Names>);

/// The names in a module's source.
#[derive(Default)]
struct Names {
    declared: BTreeSet<String>,
    /// Names from `use`, each with its whole path in the crate.
    used: BTreeMap<String, Module>,
    /// Modules of glob imports.
    globs: Vec<Module>,
    /// All other paths.
    paths: BTreeSet<Module>,
    /// All words: those that a glob brings are imports too.
    words: BTreeSet<String>,
}

/// Most re-exports of a name. More of them form a circle.
const MOST_STEPS: usize = 8;

impl Modules {
    /// Creates the modules of a crate's files (path below `src`, and text).
    pub(crate) fn new(files: &[(String, String)]) -> Modules {
        let mut modules = Modules::default();
        let mut tests = Vec::new();
        let mut sources = Vec::new();
        for (file, text) in files {
            let module = module(file);
            let source = Source::new(text);
            tests.extend(source.test_modules.iter().map(|test| match test {
                TestModule::Name(name) => [module.clone(), vec![name.clone()]].concat(),
                TestModule::Path(path) => {
                    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
                    self::module(format!("{folder}/{path}").trim_start_matches('/'))
                }
            }));
            sources.push((module, source.words));
        }
        sources.retain(|(module, _)| !tests.iter().any(|test| module.starts_with(test)));
        for (module, _) in &sources {
            modules.0.insert(module.clone(), Names::default());
        }
        for (module, words) in sources {
            let names = modules.read(&module, &words);
            modules.0.insert(module, names);
        }
        modules
    }

    /// Returns the pairs of importer and imported module. Leaves out pairs of a module and its
    /// own parents, which know each other anyway.
    pub(crate) fn imports(&self) -> BTreeSet<(Module, Module)> {
        let mut imports = BTreeSet::new();
        for (module, names) in &self.0 {
            let globs = names.globs.iter().flat_map(|glob| {
                let from = self.file(glob);
                let brought = names.words.iter().filter(move |word| {
                    let from = from.and_then(|from| self.0.get(from));
                    from.is_some_and(|from| from.used.contains_key(*word))
                });
                brought.map(|word| [glob.clone(), vec![word.clone()]].concat())
            });
            let plain = names.used.values().chain(&names.globs).chain(&names.paths);
            for path in plain.cloned().chain(globs) {
                if let Some(target) = self.declarer(&path, MOST_STEPS)
                    && !module.starts_with(target)
                    && !target.starts_with(module)
                {
                    imports.insert((module.clone(), target.clone()));
                }
            }
        }
        imports
    }

    /// Returns the module of `path`, or of its longest prefix that is one.
    fn file(&self, path: &[String]) -> Option<&Module> {
        let all = (0..=path.len()).rev();
        let mut known = all.filter_map(|length| self.0.get_key_value(&path[..length]));
        known.next().map(|(module, _)| module)
    }

    /// Returns the module that declares the item of `path`.
    fn declarer(&self, path: &[String], steps: usize) -> Option<&Module> {
        let module = self.file(path)?;
        let names = &self.0[module];
        let Some((name, rest)) = path[module.len()..].split_first() else {
            return Some(module);
        };
        if names.declared.contains(name) || steps == 0 {
            return Some(module);
        }
        if let Some(target) = names.used.get(name) {
            return self.declarer(&[target, rest].concat(), steps - 1);
        }
        let brings = |glob: &&Module| {
            self.file(glob).is_some_and(|from| {
                let from = &self.0[from];
                from.declared.contains(name) || from.used.contains_key(name)
            })
        };
        match names.globs.iter().find(brings) {
            Some(glob) => {
                let path = [glob.as_slice(), std::slice::from_ref(name), rest].concat();
                self.declarer(&path, steps - 1)
            }
            None => Some(module),
        }
    }

    fn read(&self, module: &Module, words: &[&str]) -> Names {
        let mut names = Names::default();
        // The inline modules around the current place, each with the depth of its braces.
        let mut inside: Vec<(String, usize)> = Vec::new();
        let mut depth = 0;
        let mut at = 0;
        while at < words.len() {
            let word = words[at];
            let next = words.get(at + 1).copied().unwrap_or_default();
            let here = || {
                let inside = inside.iter().map(|(name, _)| name.clone());
                module.iter().cloned().chain(inside).collect::<Module>()
            };
            match word {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    inside.pop_if(|(_, start)| *start == depth);
                }
                "mod" if words.get(at + 2).is_some_and(|word| *word == "{") => {
                    inside.push((next.to_owned(), depth));
                    names.declared.insert(next.to_owned());
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" => {
                    names.declared.insert(next.to_owned());
                }
                "macro_rules" => names
                    .declared
                    .extend(words.get(at + 2).map(|name| (*name).to_owned())),
                // `use<'a>` lists captured lifetimes.
                "use" if next != "<" => {
                    let length = words[at..].iter().position(|word| *word == ";");
                    let end = at + length.unwrap_or(words.len() - at);
                    self.tree(&here(), &[], &words[at + 1..end], &mut names);
                    at = end;
                }
                "in" if at > 1 && words[at - 1] == "(" && words[at - 2] == "pub" => {
                    // A visibility is no import.
                    at += words[at..]
                        .iter()
                        .position(|word| *word == ")")
                        .unwrap_or(0);
                }
                "crate" | "super" | "self" if next == "::" => {
                    let mut path = vec![word.to_owned()];
                    while words.get(at + 1).is_some_and(|word| *word == "::") {
                        at += 2;
                        path.extend(words.get(at).map(|name| (*name).to_owned()));
                    }
                    names.paths.extend(self.whole(&here(), &path));
                }
                _ if names.words.contains(word) => {}
                _ => {
                    names.words.insert(word.to_owned());
                }
            }
            at += 1;
        }
        names
    }

    /// Parses a `use` without its keyword: `a::{b, c as d, e::*}`.
    fn tree(&self, here: &Module, before: &[String], words: &[&str], names: &mut Names) {
        let mut path = before.to_vec();
        let mut at = 0;
        while at < words.len() {
            match words[at] {
                "::" => {}
                "{" => {
                    let (mut depth, mut start) = (0, at + 1);
                    for (index, word) in words.iter().enumerate().skip(at) {
                        depth += usize::from(*word == "{");
                        depth -= usize::from(*word == "}");
                        if *word == "," && depth == 1 || depth == 0 {
                            self.tree(here, &path, &words[start..index], names);
                            start = index + 1;
                        }
                    }
                    return;
                }
                "*" => {
                    names.globs.extend(self.whole(here, &path));
                    return;
                }
                "as" => break,
                word => path.push(word.to_owned()),
            }
            at += 1;
        }
        // `a::{self}`
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let Some(own) = path.last().cloned() else {
            return;
        };
        let name = words.get(at + 1).filter(|_| at < words.len());
        let name = name.map_or(own, |name| (*name).to_owned());
        if let Some(path) = self.whole(here, &path) {
            names.used.insert(name, path);
        }
    }

    /// Returns the path from the crate's root, if it may be one of the crate's.
    fn whole(&self, here: &Module, path: &[String]) -> Option<Module> {
        let first = path.first()?;
        let mut base = match first.as_str() {
            "crate" => Vec::new(),
            "self" | "super" => here.clone(),
            _ => {
                let child = [here.as_slice(), std::slice::from_ref(first)].concat();
                return self.0.contains_key(&child).then(|| [here, path].concat());
            }
        };
        for name in path {
            match name.as_str() {
                "crate" | "self" => {}
                "super" => {
                    base.pop();
                }
                _ => base.push(name.clone()),
            }
        }
        Some(base)
    }
}

/// Returns the module of a file below `src`.
fn module(file: &str) -> Module {
    let mut module: Module = file
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    let last = module.last().map(String::as_str);
    if last == Some("mod") || module.len() == 1 && matches!(last, Some("lib" | "main")) {
        module.pop();
    }
    module
}
