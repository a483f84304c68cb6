//! The modelled time of a kernel and its components: the same time that a study gives the kernel.

use answers::stages::{Model, TimeComponent};
use bench_harness::{Bench, BenchOutcome, EmulatedDevice, Inputs, bound_us};
use codegen::CompiledKernel;
use configgen::{Clock, Device, Problem};

/// The limits on a problem's iteration points and input bytes, so that its emulation takes about
/// a second.
const MOST_ELEMENTS: u64 = 1 << 28;
const MOST_BYTES: u64 = 1 << 26;

/// The seed of the inputs.
const SEED: u64 = 0;

/// Verifies and times the kernel in the emulator. Returns `None` if the kernel is wrong or the
/// problem exceeds the limits.
pub(crate) fn model(
    problem: &Problem,
    kernel: &CompiledKernel,
    row: &'static Device,
) -> Option<Model> {
    let bytes = Inputs::bytes_of(problem).ok()?;
    // The limit is checked before the inputs are made, which would take as much memory.
    if bytes > MOST_BYTES || problem.shape.span() > MOST_ELEMENTS {
        return None;
    }
    let name = format!("emulated:{}", row.name);
    let mut device = EmulatedDevice::named(&name).ok()?;
    let inputs = Inputs::new(problem, SEED).ok()?;
    let outcome = Bench::new(&mut device, &inputs)
        .ok()?
        .evaluate(kernel)
        .ok()?;
    // A wrong kernel has no time. A tie or a zero of the other sign is still a correct value.
    let (BenchOutcome::Right(..) | BenchOutcome::SignOfZero(..) | BenchOutcome::Tie(..)) = outcome
    else {
        return None;
    };
    let estimate = device.estimate()?;
    let part = |(name, us)| TimeComponent { name, us };
    Some(Model {
        clock: Clock::Modelled,
        device: name,
        time_us: estimate.time_us,
        bound_us: bound_us(problem, row),
        bottleneck: estimate.bottleneck.name(),
        parts: estimate.breakdown.named().map(part).into(),
    })
}
