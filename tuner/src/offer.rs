//! Offers: the combination of a device and a builder that an agent makes available.

use bench_harness::{Identity, Inputs, timing};
use configgen::{Clock, Device, Problem};
use serde::{Deserialize, Serialize};
use store::Provenance;

use crate::build::Builder;

/// The offer of an agent with a device and a builder for it. Equal offers make the same numbers,
/// so either agent may run a study's trials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// The provenance of the offer's numbers.
    pub provenance: Provenance,
    /// The device's row in the device table.
    device: String,
    /// The best number of candidates for one build.
    pub batch: usize,
}

impl Offer {
    /// Creates the offer of a device and a builder.
    pub fn new(identity: &Identity, builder: &dyn Builder) -> Offer {
        Offer {
            provenance: provenance(identity, builder),
            device: identity.row.name.to_owned(),
            batch: builder.batch(),
        }
    }

    /// Returns the device's row. `None` if this build lacks the device or has another ISA for it.
    pub fn row(&self) -> Option<&'static Device> {
        let row = Device::named(&self.device)?;
        (row.target() == self.provenance.target).then_some(row)
    }

    /// Returns the name of the device's row in the table.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Returns the least time of any kernel on the device in microseconds. `None` if this build
    /// lacks the device.
    pub fn bound_us(&self, problem: &Problem) -> Option<f64> {
        Some(bench_harness::bound_us(problem, self.row()?))
    }

    /// Returns true if every sample of a kernel is the same number.
    pub fn is_exact(&self) -> bool {
        self.provenance.clock == Clock::Modelled
    }
}

/// Returns the provenance of the numbers of this device and builder.
fn provenance(identity: &Identity, builder: &dyn Builder) -> Provenance {
    let (compiler, driver) = (builder.compiler(), &identity.driver);
    Provenance {
        target: identity.row.target(),
        device: identity.name.clone(),
        part: identity.part.clone(),
        driver: driver.name.clone(),
        driver_version: driver.version.clone(),
        runtime_version: driver.runtime_version.clone(),
        kernel_driver_version: driver.kernel_version.clone(),
        model: driver.model.clone(),
        compiler: compiler.name.into_owned(),
        compiler_version: compiler.version,
        linker: compiler.linker,
        generator: builder.generator(),
        generator_version: builder.generator_version(),
        compile_limit_s: builder.limit_s(),
        clock: identity.clock,
        mode: identity.timing_mode.to_owned(),
        // The protocol does not influence times that repeat exactly.
        protocol: match identity.is_exact() {
            true => 0,
            false => timing::VERSION,
        },
        inputs: Inputs::VERSION,
    }
}
