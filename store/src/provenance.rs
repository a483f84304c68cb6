//! Provenance: all that made a number, beside the problem and the configuration.

use configgen::{Clock, Generator, RuntimeDevice, Target};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What made a number. Numbers with different provenance are different numbers, however alike the rest is: they are never
/// in one ranking. An empty text is none, as 0 is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The ISA.
    #[serde(serialize_with = "name_of", deserialize_with = "target_named")]
    pub target: &'static Target,
    /// The device's name, such as `emulated:mi300x`; never empty.
    pub device: String,
    /// What the device says of itself; none of one that is a row of our table and no more.
    pub part: Option<RuntimeDevice>,
    /// Who ran the kernels: a driver, or the emulator; never empty.
    pub driver: String,
    /// Its version.
    pub driver_version: String,
    /// Version of the runtime library above it.
    pub runtime_version: String,
    /// Version of the operating system's module below it.
    pub kernel_driver_version: String,
    /// What tells the time where no clock does: a hash of the time model and its figures, or of the library that has both.
    pub model: String,
    /// The compiler that made the code objects; never empty.
    pub compiler: String,
    /// Its version.
    pub compiler_version: String,
    /// The linker behind it, with its version, where it is a program of its own.
    pub linker: String,
    /// Who made what the compiler was given.
    pub generator: Generator,
    /// Its version.
    pub generator_version: String,
    /// Seconds after which a compilation counts as hung.
    pub compile_limit_s: u32,
    /// Whose time is told.
    pub clock: Clock,
    /// The state of the caches before a launch: `cold` or `warm`.
    pub mode: String,
    /// Version of the protocol of samples; none where times repeat exactly.
    pub protocol: u32,
    /// Version of the inputs.
    pub inputs: u32,
}

impl Provenance {
    /// What ran the kernels, on one line, as answers give it.
    pub fn driver_line(&self) -> String {
        let mut line = match &self.part {
            Some(part) => format!("{part}; HIP runtime {}, driver ", self.runtime_version),
            None => self.driver.clone(),
        };
        if self.part.is_none() && !self.driver_version.is_empty() {
            line.push(' ');
        }
        line += &self.driver_version;
        if !self.kernel_driver_version.is_empty() {
            line += &format!(", amdgpu {}", self.kernel_driver_version);
        }
        if !self.model.is_empty() {
            let what = if self.part.is_some() {
                "library"
            } else {
                "model"
            };
            line += &format!(", {what} {}", self.model);
        }
        line
    }

    /// The compiler's version, with its linker's.
    pub fn compiler_line(&self) -> String {
        joined(&self.compiler_version, "", &self.linker)
    }

    /// The generator's version, with the limit of a compilation.
    pub fn generator_line(&self) -> String {
        let limit = match self.compile_limit_s {
            0 => String::new(),
            seconds => format!("limit {seconds} s"),
        };
        joined(&self.generator_version, "", &limit)
    }

    /// How samples are taken.
    pub fn timing_line(&self) -> String {
        let version = |version: u32| match version {
            0 => String::new(),
            known => known.to_string(),
        };
        let mode = joined(&self.mode, "protocol ", &version(self.protocol));
        joined(&mode, "inputs ", &version(self.inputs))
    }
}

/// `first`, and `second` behind it if there is one.
fn joined(first: &str, name: &str, second: &str) -> String {
    match second {
        "" => first.to_owned(),
        _ => format!("{first}, {name}{second}"),
    }
}

fn name_of<S: Serializer>(target: &&'static Target, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(target.name)
}

fn target_named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static Target, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map_err(serde::de::Error::custom)
}
