//! Limits on instructions and time, after which a kernel counts as hung.

use std::time::Duration;

use configgen::{Clock, Problem};

use crate::device::Identity;
use crate::lower_bound::bound_us;

/// The instructions that one wave may execute per input element, per element and operation of the
/// fold, and in addition. The slowest legal kernels need less than a third: one wave reduces
/// whole rows, one element at a time. A kernel that hangs ends within seconds.
const INSTRUCTIONS_PER_ELEMENT: u64 = 128;
const INSTRUCTIONS_PER_OPERATION: u64 = 64;
const INSTRUCTIONS_BESIDE: u64 = 1 << 20;

/// Returns the limit on the instructions of one wave.
pub(crate) fn instructions(problem: &Problem) -> u64 {
    let function = problem.function.as_ref();
    let computed = function.map_or(0, |it| it.region().operations().len() as u64);
    let operations = problem.reduction.operations() + computed;
    let each = INSTRUCTIONS_PER_ELEMENT + INSTRUCTIONS_PER_OPERATION * operations;
    INSTRUCTIONS_BESIDE + problem.shape.elements() * each
}

/// The time that a launch may take, in parts.
struct Allowance {
    /// The factor over the lower bound: a slower kernel is not worth the wait.
    over_bound: f64,
    /// The time per element of a row, in µs, for a single lane that reads the row alone. A
    /// comparator that is no order requires such a kernel.
    element_us: f64,
    /// The constant part: clocks that rise, and a first launch that loads the code.
    beside: Duration,
}

/// The allowance of a GPU. A lane that reads elements one by one waits for a latency each time,
/// 0.9 µs on MI300X.
const MEASURED: Allowance = Allowance {
    over_bound: 1e4,
    element_us: 2.0,
    beside: Duration::from_secs(2),
};

/// The allowance of the emulator. It runs at a thousandth of the device's speed or less, on a
/// machine with other load.
const EMULATED: Allowance = Allowance {
    over_bound: 1e6,
    element_us: 50.0,
    beside: Duration::from_secs(5),
};

/// Returns the limit on one launch, in the host's time.
pub(crate) fn time(problem: &Problem, identity: &Identity) -> Duration {
    let allowance = match identity.clock {
        Clock::Measured => MEASURED,
        Clock::Modelled => EMULATED,
    };
    let alone = problem.shape.reduced_size() as f64 * allowance.element_us;
    // One limit serves all launches, so it covers the largest count.
    let largest = problem.at_count(u32::MAX);
    let us = bound_us(&largest, identity.row) * allowance.over_bound + alone;
    allowance.beside + Duration::from_secs_f64(us / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::device::Driver;

    #[track_caller]
    fn check(problem: &str, clock: Clock, seconds: f64) {
        let identity = Identity {
            name: String::new(),
            row: configgen::Device::named("mi300x").unwrap(),
            part: None,
            driver: Driver::default(),
            clock,
            timing_mode: "cold",
        };
        let limit = time(&problem.parse().unwrap(), &identity).as_secs_f64();
        assert!((limit - seconds).abs() < 0.01, "{problem}: {limit} s");
    }

    #[test]
    fn time_limits() {
        check("argmax:4x[32000]xf32", Clock::Measured, 2.0 + 0.042 + 0.064);
        check("argmax:4x[32000]xf32", Clock::Modelled, 5.0 + 4.268 + 1.6);
        check("argmax:[10000000]xf32", Clock::Measured, 2.0 + 0.124 + 20.0);
    }
}
