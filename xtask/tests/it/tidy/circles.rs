//! Circular imports between the modules of a folder.
//!
//! A folder's module counts with all modules below it, as its reader sees it. So a circle of
//! files through several folders belongs to the folder that holds them all.

use std::collections::{BTreeMap, BTreeSet};

use crate::tidy::imports::Module;

/// The imports between the modules of each folder.
pub(crate) struct Folders(BTreeMap<Module, Arrows>);

/// Importer and imported module, with a file as an example.
pub(crate) type Arrows = BTreeMap<(String, String), String>;

/// The modules of a circle, and their folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Circle {
    pub(crate) folder: String,
    /// Their names, separated by spaces, in alphabetical order.
    pub(crate) members: String,
}

impl Folders {
    pub(crate) fn new(imports: &BTreeSet<(Module, Module)>) -> Folders {
        let mut folders: BTreeMap<Module, Arrows> = BTreeMap::new();
        for (from, to) in imports {
            let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            let arrow = (from[common].clone(), to[common].clone());
            let example = format!("{} imports {}", from.join("::"), to.join("::"));
            let arrows = folders.entry(from[..common].to_vec()).or_default();
            arrows.entry(arrow).or_insert(example);
        }
        Folders(folders)
    }

    /// Returns the imports between the crate's modules of the first level.
    pub(crate) fn top(&self) -> Arrows {
        self.0.get(&Vec::new()).cloned().unwrap_or_default()
    }

    /// Returns all circles, with an example of each of their imports.
    pub(crate) fn circles(&self) -> BTreeMap<Circle, Vec<String>> {
        let mut circles = BTreeMap::new();
        for (folder, arrows) in &self.0 {
            let mut names: BTreeSet<&String> = arrows.keys().map(|(from, _)| from).collect();
            while let Some(name) = names.pop_first() {
                let after = reached(arrows, name, |(from, to)| (from, to));
                let before = reached(arrows, name, |(from, to)| (to, from));
                let members: BTreeSet<&String> = after.intersection(&before).copied().collect();
                if members.is_empty() {
                    continue;
                }
                names.retain(|name| !members.contains(name));
                let inside = arrows
                    .iter()
                    .filter(|((from, to), _)| members.contains(from) && members.contains(to));
                let members: Vec<&str> = members.iter().map(|name| name.as_str()).collect();
                let circle = Circle {
                    folder: folder.join("::"),
                    members: members.join(" "),
                };
                circles.insert(circle, inside.map(|(_, example)| example.clone()).collect());
            }
        }
        circles
    }
}

/// Returns all modules that `start` imports, directly or not. `start` is among them only if it is
/// in a circle.
fn reached<'a>(
    arrows: &'a Arrows,
    start: &'a String,
    ends: impl Fn(&'a (String, String)) -> (&'a String, &'a String),
) -> BTreeSet<&'a String> {
    let mut found = BTreeSet::new();
    let mut open = vec![start];
    while let Some(name) = open.pop() {
        for (from, to) in arrows.keys().map(&ends) {
            if from == name && found.insert(to) {
                open.push(to);
            }
        }
    }
    found
}
