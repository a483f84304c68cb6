//! The device of a profile: an emulated one, or a GPU beside the emulated one of its kind.

use anyhow::{Context, bail};
use configgen::{Clock, Device};
use iree::TracedGpu;

use super::ProfileArguments;
use crate::device_arguments::ordinal;

/// The device of a profile.
pub(super) struct ProfiledDevice {
    /// The emulated device. For a GPU, it is the one of the same part.
    pub(super) row: &'static Device,
    pub(super) gpu: Option<ProfiledGpu>,
}

/// A GPU that measures.
pub(super) struct ProfiledGpu {
    /// The name, such as `hip:0`.
    pub(super) name: String,
    /// The product's name.
    pub(super) product: String,
    /// The clock of its times: an emulator in the place of a GPU models them.
    pub(super) clock: Clock,
    pub(super) traced: TracedGpu,
}

impl ProfiledDevice {
    /// Opens the device of these arguments.
    pub(super) fn open(arguments: &ProfileArguments) -> anyhow::Result<ProfiledDevice> {
        let name = &arguments.device;
        let Some(ordinal) = ordinal(name)? else {
            let row = bench_harness::emulated_device(name)?;
            return Ok(ProfiledDevice { row, gpu: None });
        };
        if arguments.sandbox.sandbox()?.is_some() {
            bail!("rocprofv3 is not confined: leave out --sandbox with {name}");
        }
        let devices = arguments.library.devices()??;
        let facts = devices.iter().find(|it| it.ordinal == ordinal);
        let facts = facts.with_context(|| {
            format!("{name} is not there; `wavetune devices` lists the GPUs of this machine")
        })?;
        let traced = TracedGpu::find(ordinal, arguments.library.named());
        let traced = traced.with_context(|| {
            format!("a profile on {name} needs rocprofv3 of ROCm 6.2 or later; put it into PATH, or set ROCM_PATH")
        })?;
        Ok(ProfiledDevice {
            row: facts.row()?,
            gpu: Some(ProfiledGpu {
                name: name.clone(),
                product: facts.name.clone(),
                clock: match facts.is_emulated() {
                    true => Clock::Modelled,
                    false => Clock::Measured,
                },
                traced,
            }),
        })
    }

    /// Returns the name, such as `emulated:mi300x` or `hip:0`.
    pub(super) fn name(&self) -> String {
        match &self.gpu {
            Some(gpu) => gpu.name.clone(),
            None => format!("emulated:{}", self.row.name),
        }
    }
}
