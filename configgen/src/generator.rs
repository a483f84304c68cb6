//! Generators: who turns a configuration into a kernel.

use std::fmt;
use std::str::FromStr;

/// A generator. What is legal depends on it, and a best configuration belongs to exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generator {
    /// wavetune's own code generator.
    Native,
    /// `iree-compile`.
    Iree,
}

impl Generator {
    /// Every generator.
    pub const ALL: [Generator; 2] = [Self::Native, Self::Iree];

    /// Its name on the command line, in JSON and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Iree => "iree",
        }
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

/// No generator has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown generator {0:?}; one of native, iree")]
pub struct UnknownGenerator(pub String);

impl FromStr for Generator {
    type Err = UnknownGenerator;

    fn from_str(name: &str) -> Result<Self, UnknownGenerator> {
        let found = Generator::ALL
            .into_iter()
            .find(|generator| generator.name() == name);
        found.ok_or_else(|| UnknownGenerator(name.chars().take(80).collect()))
    }
}
