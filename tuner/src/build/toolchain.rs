//! Toolchains: the tools and versions that determine a kernel, given problem, target and choice.

use configgen::Generator;
use serde::{Deserialize, Serialize};
use store::Provenance;

use super::Builder;

/// A compiler and a generator with their versions. Equal toolchains build equal kernels, so a
/// machine without the device may build them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toolchain {
    /// The compiler.
    pub compiler: String,
    /// The compiler's version.
    pub compiler_version: String,
    /// The linker behind it, with its version, if it is a separate program.
    pub linker: String,
    /// The generator of the compiler's input.
    pub generator: Generator,
    /// The generator's version.
    pub generator_version: String,
    /// The seconds after which a compilation counts as hung. A kernel that exceeds one limit may
    /// compile within another.
    pub compile_limit_s: u32,
}

impl Toolchain {
    /// Returns the toolchain of a builder.
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

/// The toolchain that made the numbers of a provenance.
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
