//! Generators: who turns a configuration into a kernel.
//!
//! A generator is a value: a name, and what its configurations may be and mean, which it says itself ([`Rules`]).
//! Whoever has a [`Generator`] asks it; nobody compares it with one by name, but for what is made for the kernels of
//! one alone. [`Generator::ALL`] lists those that wavetune has, a file each here. What compiles a configuration is no
//! matter of this crate: `tuner::builder` lists who does, for each generator.

mod iree;
mod native;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::str::FromStr;

use crate::space::Contents;
use crate::{Configuration, Pipeline, Problem, Rejection, Target};

/// What a generator says of configurations. Everything is a function of its arguments.
pub trait Rules: fmt::Debug + Sync {
    /// Its name on the command line, in JSON and in the store. No two generators have the same.
    fn name(&self) -> &'static str;

    /// Whether its kernels promise the bits of the fold. Of one that promises less, a kernel that gives another index on
    /// ties is no failure.
    fn promises_fold(&self) -> bool;

    /// Whether a `workgroup` tile that is larger than its dimension means one of the dimension's size.
    fn clamps_tiles(&self) -> bool;

    /// Whether every tile and step has to divide its dimension, as nothing of it is masked.
    fn tiles_divide(&self) -> bool {
        false
    }

    /// Whether it can have several workgroups share a row of `problem`.
    fn shares_rows(&self, _: &Problem) -> bool {
        true
    }

    /// Whether it takes `problem` on `target` at all; see [`crate::check_problem`].
    fn check_problem(&self, problem: &Problem, target: &Target) -> Result<(), Rejection>;

    /// Whether it can build `configuration`; see [`crate::check`].
    fn check(
        &self,
        problem: &Problem,
        target: &Target,
        configuration: &Configuration,
    ) -> Result<(), Rejection>;

    /// What it does when it is given no configuration; see [`crate::default_configuration`].
    fn default_configuration(
        &self,
        problem: &Problem,
        target: &Target,
    ) -> Result<Pipeline, Rejection>;

    /// Why its rules may not be those of this version of its compiler: they were found with others. None where they are, or
    /// where no rule depends on the compiler.
    fn doubt(&self, _compiler_version: &str) -> Option<String> {
        None
    }

    /// Why whoever compiles `problem` does not get the configuration that is best for it, though kernels of it can be tried. None
    /// where they do.
    fn why_unreached(&self, _problem: &Problem) -> Option<&'static str> {
        None
    }

    /// What its space of `problem` holds, a problem that it takes.
    fn space(&self, problem: &Problem, target: &Target) -> Contents;
}

/// A generator. What is legal depends on it, and a best configuration belongs to exactly one. Two are the same if they have
/// the same name.
#[derive(Clone, Copy)]
pub struct Generator(&'static dyn Rules);

impl Generator {
    /// wavetune's own code generator: the one that is meant where none is named.
    pub const NATIVE: Generator = Generator::new(&native::Native);
    /// `iree-compile`.
    pub const IREE: Generator = Generator::new(&iree::Iree);

    /// Every generator that wavetune has.
    pub const ALL: [Generator; 2] = [Self::NATIVE, Self::IREE];

    /// The generator that says this of its configurations.
    pub const fn new(rules: &'static dyn Rules) -> Generator {
        Generator(rules)
    }

    /// The one of `known` that has this name.
    pub fn among(known: &[Generator], name: &str) -> Result<Generator, UnknownGenerator> {
        let found = known.iter().find(|generator| generator.name() == name);
        found.copied().ok_or_else(|| UnknownGenerator {
            name: name.chars().take(80).collect(),
            known: known.iter().map(|generator| generator.name()).collect(),
        })
    }
}

impl Deref for Generator {
    type Target = dyn Rules;

    fn deref(&self) -> &(dyn Rules + 'static) {
        self.0
    }
}

impl Default for Generator {
    fn default() -> Self {
        Self::NATIVE
    }
}

impl PartialEq for Generator {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Generator {}

impl Hash for Generator {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl serde::Serialize for Generator {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One of [`Generator::ALL`], by its name.
impl<'de> serde::Deserialize<'de> for Generator {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Generator, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

/// No generator has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown generator {name:?}; one of {}", known.join(", "))]
pub struct UnknownGenerator {
    /// The name, cut to its first 80 characters.
    pub name: String,
    /// Those that there are.
    pub known: Vec<&'static str>,
}

/// One of [`Generator::ALL`].
impl FromStr for Generator {
    type Err = UnknownGenerator;

    fn from_str(name: &str) -> Result<Self, UnknownGenerator> {
        Generator::among(&Generator::ALL, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_generator() {
        for generator in Generator::ALL {
            assert_eq!(generator.name().parse(), Ok(generator));
            let same_name = |other: &&Generator| other.name() == generator.name();
            assert_eq!(Generator::ALL.iter().filter(same_name).count(), 1);
        }
        let error = "triton".parse::<Generator>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown generator \"triton\"; one of native, iree"
        );
        assert!(Generator::among(&[Generator::IREE], "native").is_err());
    }
}
