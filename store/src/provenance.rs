//! Provenance: everything that determines a number, beside the problem and the configuration.

use configgen::{Clock, Generator, RuntimeDevice, Target};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The provenance of a number: device, driver, compiler, generator and way of timing. A ranking
/// never mixes numbers of different provenance. An empty text or a 0 means none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The ISA.
    #[serde(serialize_with = "name_of", deserialize_with = "target_named")]
    pub target: &'static Target,
    /// The device's name, such as `emulated:mi300x`; never empty.
    pub device: String,
    /// The properties that the device reports; none of a device that exists only as a row of our
    /// table.
    pub part: Option<RuntimeDevice>,
    /// The program that ran the kernels: a driver or the emulator; never empty.
    pub driver: String,
    /// The driver's version.
    pub driver_version: String,
    /// The version of the runtime library above the driver.
    pub runtime_version: String,
    /// The version of the operating system's module below the driver.
    pub kernel_driver_version: String,
    /// A hash of the time model and its figures, or of the library that has both; empty if a
    /// clock measures the time.
    pub model: String,
    /// The compiler that made the code objects; never empty.
    pub compiler: String,
    /// The compiler's version.
    pub compiler_version: String,
    /// The linker behind the compiler, with its version, if it is a program of its own.
    pub linker: String,
    /// The generator of the compiler's input.
    pub generator: Generator,
    /// The generator's version.
    pub generator_version: String,
    /// The limit of a compilation in seconds, after which it counts as hung.
    pub compile_limit_s: u32,
    /// The clock that measured the times.
    pub clock: Clock,
    /// The state of the caches before a launch: `cold` or `warm`.
    pub mode: String,
    /// The version of the sampling protocol; 0 if times repeat exactly.
    pub protocol: u32,
    /// The version of the inputs.
    pub inputs: u32,
}

impl Provenance {
    /// Returns the device and driver on one line, as answers print them.
    pub fn driver_line(&self) -> String {
        let mut line = match &self.part {
            Some(part) => format!("{part}; HIP runtime {}, driver ", self.runtime_version),
            None => self.driver.clone(),
        };
        // The part's text ends in "driver ", so the version of the driver may follow it directly.
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

    /// Returns the compiler's version with its linker's.
    pub fn compiler_line(&self) -> String {
        joined(&self.compiler_version, "", &self.linker)
    }

    /// Returns the generator's version with the limit of a compilation.
    pub fn generator_line(&self) -> String {
        let limit = match self.compile_limit_s {
            0 => String::new(),
            seconds => format!("limit {seconds} s"),
        };
        joined(&self.generator_version, "", &limit)
    }

    /// Returns the state of the caches with the versions of protocol and inputs.
    pub fn timing_line(&self) -> String {
        let version = |version: u32| match version {
            0 => String::new(),
            known => known.to_string(),
        };
        let mode = joined(&self.mode, "protocol ", &version(self.protocol));
        joined(&mode, "inputs ", &version(self.inputs))
    }
}

/// Returns `first`, followed by `name` and `second` if `second` is not empty.
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
