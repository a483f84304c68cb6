//! Native kernels that a short search would try, with their modelled times.

use std::time::Duration;

use bench_harness::{Buffer, DeviceLaunch, EmulatedDevice, KernelDevice as _};
use codegen::CompiledKernel;
use configgen::{Configuration, Device, Generator, Problem, Space, Target, native_default};
use testing::Failed;

/// The number of configurations of a space besides its starting points.
const OTHERS: u64 = 4;

/// Returns the default, the space's starting points, and others at random.
pub(crate) fn configurations(problem: &Problem, target: &Target) -> Vec<Configuration> {
    let space = Space::new(problem, target, Generator::NATIVE);
    let starts = space
        .start_ranks()
        .into_iter()
        .filter_map(|rank| space.nth(rank));
    let default = native_default(problem, target).ok();
    default
        .into_iter()
        .chain(starts)
        .chain(space.sample(OTHERS, 1))
        .collect()
}

/// Returns the modelled time of a kernel on a device, in microseconds.
pub(crate) fn modelled(kernel: &CompiledKernel, row: &Device) -> Result<f64, Failed> {
    let mut device = EmulatedDevice::named(&format!("emulated:{}", row.name))?;
    let buffers = kernel
        .buffers
        .iter()
        .map(|&bytes| device.allocate(bytes))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(device.time(&[launch(kernel, &buffers, None)])?.samples_us[0])
}

/// Creates a launch without limits, of all workgroups or of some.
pub(crate) fn launch<'a>(
    kernel: &'a CompiledKernel,
    buffers: &'a [Buffer],
    only: Option<&'a [u32]>,
) -> DeviceLaunch<'a> {
    DeviceLaunch {
        kernel,
        buffers,
        index_base: 0,
        instruction_limit: u64::MAX,
        time_limit: Duration::MAX,
        only,
        is_checked: true,
        then: None,
    }
}
