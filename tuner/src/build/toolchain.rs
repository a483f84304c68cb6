//! Toolchains: what decides, with problem, target and choice, which kernel is built.

use configgen::Generator;
use serde::{Deserialize, Serialize};
use store::Provenance;

use super::Builder;

/// A compiler and what it is given, with their versions. What one of them builds another that is equal would build, too: so it
/// may be built on another machine than the one that has the device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toolchain {
    /// The compiler.
    pub compiler: String,
    /// Its version.
    pub compiler_version: String,
    /// The linker behind it, with its version, where it is a program of its own.
    pub linker: String,
    /// Who makes what the compiler is given.
    pub generator: Generator,
    /// Its version.
    pub generator_version: String,
    /// Seconds after which a compilation counts as hung: what takes too long with one limit need not with another.
    pub compile_limit_s: u32,
}

impl Toolchain {
    /// That of a builder.
    pub fn of(builder: &dyn Builder) -> Toolchain {
        let compiler = builder.compiler();
        Toolchain {
            compiler: compiler.name.into_owned(),
            compiler_version: compiler.version,
            linker: compiler.linker,
            generator: builder.generator(),
            generator_version: builder.generator_version(),
            compile_limit_s: builder.limit_s(),
        }
    }
}

/// That which made the numbers of this provenance.
impl From<&Provenance> for Toolchain {
    fn from(made: &Provenance) -> Toolchain {
        Toolchain {
            compiler: made.compiler.clone(),
            compiler_version: made.compiler_version.clone(),
            linker: made.linker.clone(),
            generator: made.generator,
            generator_version: made.generator_version.clone(),
            compile_limit_s: made.compile_limit_s,
        }
    }
}
