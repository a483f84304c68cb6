//! Tests of the cost of a modelled launch: at most 50 ms for the default kernel of any usual
//! problem. Needs libLLVM.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use bench_harness::{EmulatedDevice, KernelDevice as _};
use codegen::cache::Cache;
use codegen::native::Native;
use configgen::{Problem, Target, native_default};
use testing::{Failed, Trial};

use crate::shapes;
use crate::tried::launch;

const MOST: Duration = Duration::from_millis(50);

pub(crate) fn trials() -> Vec<Trial> {
    let native = Native::load(Cache::of_environment()).map_err(|error| error.to_string());
    let native: &'static Result<Native, String> = Box::leak(Box::new(native));
    let name = "launches_are_modelled_in_50_ms";
    vec![match native {
        Ok(native) => Trial::test(name, || {
            shapes::PROBLEMS
                .into_iter()
                .try_for_each(|it| model(native, it))
        }),
        Err(reason) => Trial::test(name, move || Err(reason.into()))
            .with_kind(reason)
            .with_ignored_flag(std::env::var_os("CI").is_none()),
    }]
}

/// Returns the processor time of this thread, because the machine may be busy. On systems other
/// than Linux, it is the time of day.
fn now() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    // Linux brings the count up to date at a tick and at a yield.
    std::thread::yield_now();
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat");
    let nanoseconds = statistics
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok());
    match nanoseconds {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => START.get_or_init(Instant::now).elapsed(),
    }
}

/// Checks the least time of three.
fn model(native: &Native, text: &str) -> Result<(), Failed> {
    let problem: Problem = text.parse()?;
    let target = Target::named("gfx942").ok_or("no such target")?;
    let configuration = match native_default(&problem, target) {
        Ok(configuration) => configuration,
        Err(rejection) => {
            println!("{text}: no native kernel: {rejection}");
            return Ok(());
        }
    };
    let kernel = native
        .compile_batch(target, &[(problem, configuration)])
        .remove(0)?;
    let mut device = EmulatedDevice::named("emulated:mi300x")?;
    let buffers = kernel
        .buffers
        .iter()
        .map(|&bytes| device.allocate(bytes))
        .collect::<Result<Vec<_>, _>>()?;
    let launch = launch(&kernel, &buffers, None);
    let mut least = Duration::MAX;
    let mut modelled = Vec::new();
    for _ in 0..3 {
        let start = now();
        modelled = device.time(&[launch])?.samples_us;
        least = least.min(now() - start);
    }
    println!("{text}: {modelled:.2?} µs, modelled in {least:.1?}");
    if least > MOST {
        return Err(format!("{text}: modelling took {least:?}").into());
    }
    Ok(())
}
