//! Offers: what a device and a builder together can be asked for.

use bench_harness::{Identity, Inputs, timing};
use configgen::{Clock, Device, Problem};
use serde::{Deserialize, Serialize};
use store::Provenance;

use crate::build::Builder;

/// What one who has a device and a builder for it offers to do. Two who offer the same make the same numbers, so that either
/// may try what a study wants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// What makes the numbers.
    pub provenance: Provenance,
    /// The device's row in our table.
    device: String,
    /// Candidates that are best built at once.
    pub batch: usize,
}

impl Offer {
    /// What these two offer.
    pub fn new(identity: &Identity, builder: &dyn Builder) -> Offer {
        Offer {
            provenance: provenance(identity, builder),
            device: identity.row.name.to_owned(),
            batch: builder.batch(),
        }
    }

    /// The facts of the device; none where this build has no such device, or another ISA for it.
    pub fn row(&self) -> Option<&'static Device> {
        let row = Device::named(&self.device)?;
        (row.target() == self.provenance.target).then_some(row)
    }

    /// Name of the device's row in our table.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Returns the least time of any kernel on its device in microseconds; none where this build has no such device.
    pub fn bound_us(&self, problem: &Problem) -> Option<f64> {
        Some(bench_harness::bound_us(problem, self.row()?))
    }

    /// Whether every sample of a kernel is the same number.
    pub fn is_exact(&self) -> bool {
        self.provenance.clock == Clock::Modelled
    }
}

/// All that makes the numbers of this device and builder.
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
        // Where times repeat exactly there is no protocol in them.
        protocol: match identity.is_exact() {
            true => 0,
            false => timing::VERSION,
        },
        inputs: Inputs::VERSION,
    }
}
