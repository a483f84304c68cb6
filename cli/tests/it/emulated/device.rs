//! An emulated device that records the memory of each timed launch.

use std::borrow::Cow;
use std::ops::Range;

use bench_harness::timing::Measurement;
use bench_harness::{
    Bench, Buffer, DeviceError, DeviceLaunch, EmulatedDevice, Identity, Inputs, KernelDevice,
};
use codegen::CompiledKernel;
use configgen::Problem;
use testing::Failed;

/// A timed launch.
pub(crate) struct Timed {
    pub(crate) kernel: CompiledKernel,
    /// The contents of each buffer before the launch.
    pub(crate) buffers: Vec<Vec<u8>>,
    pub(crate) index_base: i64,
    /// Its modelled time in microseconds.
    pub(crate) time_us: f64,
}

/// Verifies and times a kernel, as a study does.
pub(crate) fn timed(
    problem: &Problem,
    kernel: &CompiledKernel,
    device: &str,
) -> Result<Timed, Failed> {
    let inputs = Inputs::new(problem, 0)?;
    let mut keeping = Keeping {
        device: EmulatedDevice::named(device)?,
        timed: None,
    };
    let outcome = Bench::new(&mut keeping, &inputs)?.evaluate(kernel)?;
    keeping
        .timed
        .ok_or_else(|| format!("{problem}: {outcome:?}").into())
}

struct Keeping {
    device: EmulatedDevice,
    timed: Option<Timed>,
}

impl KernelDevice for Keeping {
    fn identity(&self) -> &Identity {
        self.device.identity()
    }

    fn runs_parts(&self) -> bool {
        self.device.runs_parts()
    }

    fn allocate(&mut self, bytes: u64) -> Result<Buffer, DeviceError> {
        self.device.allocate(bytes)
    }

    fn free(&mut self, buffer: Buffer) {
        self.device.free(buffer);
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.device.write(buffer, offset, bytes)
    }

    fn poison(&mut self, buffer: Buffer, bytes: Range<u64>) -> Result<(), DeviceError> {
        self.device.poison(buffer, bytes)
    }

    fn read(&self, buffer: Buffer, bytes: Range<u64>) -> Result<Cow<'_, [u8]>, DeviceError> {
        self.device.read(buffer, bytes)
    }

    fn launch(&mut self, launch: &DeviceLaunch<'_>) -> Result<(), DeviceError> {
        self.device.launch(launch)
    }

    fn time(&mut self, launches: &[DeviceLaunch<'_>]) -> Result<Measurement, DeviceError> {
        let launch = &launches[0];
        let buffers = launch.buffers.iter().zip(&launch.kernel.buffers);
        let buffers = buffers.map(|(buffer, &bytes)| {
            let held = self.device.read(*buffer, 0..bytes)?;
            Ok(held.into_owned())
        });
        let buffers = buffers.collect::<Result<_, DeviceError>>()?;
        let measured = self.device.time(launches)?;
        self.timed = Some(Timed {
            kernel: launch.kernel.clone(),
            buffers,
            index_base: launch.index_base,
            time_us: measured.samples_us[0],
        });
        Ok(measured)
    }
}
