//! The names of values in a text.

use std::collections::{HashMap, HashSet};

use super::value::{Value, ValueOrigin};

/// The names of values: the given names, and numbers in the order of definition.
#[derive(Debug)]
pub(crate) struct IrNames<'a> {
    given: &'a HashMap<u32, &'static str>,
    names: HashMap<u32, String>,
    taken: HashSet<String>,
    numbers: u32,
}

impl<'a> IrNames<'a> {
    /// Creates an empty table. No defined value gets a name in `taken`.
    pub(crate) fn new(given: &'a HashMap<u32, &'static str>, taken: &[&str]) -> IrNames<'a> {
        IrNames {
            given,
            names: HashMap::new(),
            taken: taken.iter().map(|&name| name.to_owned()).collect(),
            numbers: 0,
        }
    }

    /// Names a value that is defined here. Appends a number if another value has the name.
    pub(crate) fn define(&mut self, value: Value) -> String {
        let ValueOrigin::Defined(id) = value.origin else {
            unreachable!("only what is defined has a name of its own");
        };
        let name = match self.given.get(&id) {
            Some(&given) => {
                // The first value keeps the bare name.
                let mut numbers = 2..;
                let mut name = given.to_owned();
                while self.taken.contains(&name) {
                    name = format!("{given}{}", numbers.next().unwrap_or(0));
                }
                name
            }
            None => {
                self.numbers += 1;
                format!("v{}", self.numbers)
            }
        };
        self.taken.insert(name.clone());
        self.names.insert(id, name.clone());
        name
    }

    /// Returns the name of a defined value.
    pub(crate) fn of(&self, id: u32) -> &str {
        self.names.get(&id).map_or("undefined", String::as_str)
    }

    /// Gives a value the name of another.
    pub(crate) fn alias(&mut self, value: Value, name: String) {
        if let ValueOrigin::Defined(id) = value.origin {
            self.names.insert(id, name);
        }
    }

    /// Returns true if the value has a given name.
    pub(crate) fn is_given(&self, id: u32) -> bool {
        self.given.contains_key(&id)
    }
}
