//! Tests of long loops on every device: lanes that each sum their own row take as long as the
//! row, for any number of waves.

use bench_harness::machine;
use configgen::DEVICES;
use emulator::model::{CacheState, Machine, estimate};
use emulator::{EmulatedMemory, KernelLaunch, profile};
use testing::Failed;

use crate::calibration::measure::with_code;

/// The numbers of elements in a row, each twice the one before.
const COUNTS: [u32; 4] = [512, 1024, 2048, 4096];
/// The numbers of work-items of the single workgroup: from one wave to more than the model
/// simulates event by event.
const SIZES: [u32; 4] = [64, 128, 256, 512];
/// The tolerance of a doubled row over twice the last increase, as a fraction. Longer rows move
/// lines from one cache to the next.
const TOLERANCE: f64 = 0.25;

/// Checks that twice the elements add about twice the time, and that more waves are never faster
/// than fewer.
pub(crate) fn long_rows() -> Result<(), Failed> {
    for device in &DEVICES {
        let machine = machine(device);
        let isa = device.target().name;
        let mut fewer = [0.0; COUNTS.len()];
        for size in SIZES {
            let mut times = [0.0; COUNTS.len()];
            for (time, count) in times.iter_mut().zip(COUNTS) {
                *time = time_us(isa, &machine, size, count)?;
            }
            println!("{}, {size} work-items: {times:.1?} µs", device.name);
            let added: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let linear = added
                .windows(2)
                .all(|pair| (pair[1] / pair[0] / 2.0 - 1.0).abs() <= TOLERANCE);
            let ascending = times
                .iter()
                .zip(fewer)
                .all(|(more, less)| *more >= less * 0.99);
            if !linear || !ascending {
                return Err(format!(
                    "{}: {size} work-items take {times:?}, fewer {fewer:?}",
                    device.name
                )
                .into());
            }
            fewer = times;
        }
    }
    Ok(())
}

fn time_us(isa: &str, machine: &Machine, size: u32, count: u32) -> Result<f64, Failed> {
    with_code(isa, |code| {
        let mut memory = EmulatedMemory::new();
        let values = memory.allocate(4 * u64::from(size) * u64::from(count))?;
        let sums = memory.allocate(4 * u64::from(size))?;
        let mut kernarg: Vec<u8> = [values, sums]
            .iter()
            .flat_map(|array| array.get().to_le_bytes())
            .collect();
        kernarg.extend(size.to_le_bytes());
        kernarg.extend(count.to_le_bytes());
        let launch = KernelLaunch {
            kernel: code.kernel("rows").ok_or("no such kernel")?,
            workgroups: [1, 1, 1],
            workgroup_size: [size, 1, 1],
            dynamic_lds_bytes: 0,
            kernarg: &kernarg,
            workgroup_subset: None,
            instruction_limit: 1 << 20,
            resident_workgroups: 0,
            threads: 0,
        };
        let profile = profile(code, &mut memory, &launch, 1)?;
        Ok(estimate(&profile, machine, CacheState::Cold).time_us)
    })
}
