//! Limits: after how many instructions, or how much time, a kernel counts as hung.

use std::time::Duration;

use configgen::{Clock, Problem};

use crate::device::Identity;
use crate::lower_bound::bound_us;

/// Instructions that one wave may execute for each element of the input, for each of them and operation of the
/// fold, and beside them. The slowest legal kernels, one wave for whole rows and an element at a time, take less
/// than a third; a kernel that hangs ends within seconds.
const INSTRUCTIONS_PER_ELEMENT: u64 = 128;
const INSTRUCTIONS_PER_OPERATION: u64 = 64;
const INSTRUCTIONS_BESIDE: u64 = 1 << 20;

/// Instructions that one wave may execute.
pub(crate) fn instructions(problem: &Problem) -> u64 {
    let function = problem.function.as_ref();
    let computed = function.map_or(0, |it| it.region().operations().len() as u64);
    let operations = problem.reduction.operations() + computed;
    let each = INSTRUCTIONS_PER_ELEMENT + INSTRUCTIONS_PER_OPERATION * operations;
    INSTRUCTIONS_BESIDE + problem.shape.elements() * each
}

/// What a launch may take in time.
struct Allowance {
    /// Over the bound: a kernel that is so much slower is not worth waiting for.
    over_bound: f64,
    /// For each element of a row that one lane goes through alone, as it must where a comparator orders nothing.
    element_us: f64,
    /// Beside that: clocks that rise, a first launch that loads the code.
    beside: Duration,
}

/// A GPU. A lane that reads one element after the other waits for a latency each time, 0.9 µs on MI300X.
const MEASURED: Allowance = Allowance {
    over_bound: 1e4,
    element_us: 2.0,
    beside: Duration::from_secs(2),
};

/// One that is emulated, at a thousandth of its speed and less, on a machine that does other things too.
const EMULATED: Allowance = Allowance {
    over_bound: 1e6,
    element_us: 50.0,
    beside: Duration::from_secs(5),
};

/// Time that one launch may take, on the host's clock.
pub(crate) fn time(problem: &Problem, identity: &Identity) -> Duration {
    let allowance = match identity.clock {
        Clock::Measured => MEASURED,
        Clock::Modelled => EMULATED,
    };
    let alone = problem.shape.reduced_size() as f64 * allowance.element_us;
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
