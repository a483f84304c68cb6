//! The names of values in a text.

use std::collections::{HashMap, HashSet};

use super::value::{Value, ValueOrigin};

/// The names of values: those that people know, and numbers in the order of definition.
#[derive(Debug)]
pub(crate) struct IrNames<'a> {
    given: &'a HashMap<u32, &'static str>,
    names: HashMap<u32, String>,
    taken: HashSet<String>,
    numbers: u32,
}

impl<'a> IrNames<'a> {
    /// No names yet; nothing that is defined gets one of those that are taken.
    pub(crate) fn new(given: &'a HashMap<u32, &'static str>, taken: &[&str]) -> IrNames<'a> {
        IrNames {
            given,
            names: HashMap::new(),
            taken: taken.iter().map(|&name| name.to_owned()).collect(),
            numbers: 0,
        }
    }

    /// Names a value that is defined here. A name that another value has gets a number.
    pub(crate) fn define(&mut self, value: Value) -> String {
        let ValueOrigin::Defined(id) = value.origin else {
            unreachable!("only what is defined has a name of its own");
        };
        let name = match self.given.get(&id) {
            Some(&given) => {
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

    /// The name of a value that was defined.
    pub(crate) fn of(&self, id: u32) -> &str {
        self.names.get(&id).map_or("undefined", String::as_str)
    }

    /// Says that a value has the name of another.
    pub(crate) fn alias(&mut self, value: Value, name: String) {
        if let ValueOrigin::Defined(id) = value.origin {
            self.names.insert(id, name);
        }
    }

    /// Whether people know it by a name.
    pub(crate) fn is_given(&self, id: u32) -> bool {
        self.given.contains_key(&id)
    }
}
