//! Generators: turn a configuration into a kernel.
//!
//! A generator is a value: a name, and rules for the legality and the meaning of configurations
//! ([`Rules`]). Callers ask a [`Generator`] for properties. They compare it with one by name only
//! in code for that generator's kernels. [`Generator::ALL`] lists wavetune's generators. Each has
//! a folder here with its numbered rules, the domain of its space and its default.
//! `tuner::builder` lists the compilers of each generator.

pub mod iree;
pub mod native;
mod rules;

pub use rules::Rules;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::str::FromStr;

use crate::{Configuration, Pipeline, Problem, Rejection, Target};

/// A generator. Legality depends on it, and a best configuration belongs to exactly one.
///
/// Two generators are equal if their names are.
#[derive(Clone, Copy)]
pub struct Generator(&'static dyn Rules);

impl Generator {
    /// wavetune's own code generator, the default.
    pub const NATIVE: Generator = Generator::new(&native::Native);
    /// `iree-compile`.
    pub const IREE: Generator = Generator::new(&iree::Iree);

    /// Every generator of wavetune.
    pub const ALL: [Generator; 2] = [Self::NATIVE, Self::IREE];

    /// Wraps the rules of a generator.
    pub const fn new(rules: &'static dyn Rules) -> Generator {
        Generator(rules)
    }

    /// Returns the generator in `known` with this name.
    ///
    /// # Errors
    ///
    /// Returns an [`UnknownGenerator`] with the known names.
    pub fn among(known: &[Generator], name: &str) -> Result<Generator, UnknownGenerator> {
        let found = known.iter().find(|generator| generator.name() == name);
        // A name comes from the command line or from a file, so the error limits its length.
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

/// Deserializes a member of [`Generator::ALL`] from its name.
impl<'de> serde::Deserialize<'de> for Generator {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Generator, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

/// The error for an unknown generator name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown generator {name:?}; one of {}", known.join(", "))]
pub struct UnknownGenerator {
    /// The first 80 characters of the name.
    pub name: String,
    /// The known names.
    pub known: Vec<&'static str>,
}

/// Parses the name of a member of [`Generator::ALL`].
impl FromStr for Generator {
    type Err = UnknownGenerator;

    fn from_str(name: &str) -> Result<Self, UnknownGenerator> {
        Generator::among(&Generator::ALL, name)
    }
}

/// Checks that `generator` can build `configuration` for `problem` on `target`.
///
/// # Errors
///
/// Returns the first rule that the configuration breaks.
pub fn check(
    problem: &Problem,
    target: &Target,
    generator: Generator,
    configuration: &Configuration,
) -> Result<(), Rejection> {
    generator.check(problem, target, configuration)
}

/// Checks that `generator` accepts `problem` on `target` at all.
///
/// # Errors
///
/// Returns a rule that no configuration can satisfy.
pub fn check_problem(
    problem: &Problem,
    target: &Target,
    generator: Generator,
) -> Result<(), Rejection> {
    generator.check_problem(problem, target)
}

/// Returns the choice of `generator` for `problem` on `target` without a configuration.
///
/// [`Generator::NATIVE`] returns a legal configuration. [`Generator::IREE`] returns IREE's own
/// choice, legal or not.
///
/// # Errors
///
/// Returns a [`Rejection`] if the generator does not accept the problem.
pub fn default_configuration(
    problem: &Problem,
    target: &Target,
    generator: Generator,
) -> Result<Pipeline, Rejection> {
    generator.default_configuration(problem, target)
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
