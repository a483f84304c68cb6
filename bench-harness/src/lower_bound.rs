//! The lower bound: the least time that any kernel for a problem can take on a device.

use configgen::{Device, Problem};
use emulator::model;

use crate::machine::machine;

/// Returns the modelled time, in microseconds, of the best kernel that reads and writes so many
/// bytes.
pub fn least_us(read: u64, written: u64, device: &'static Device) -> f64 {
    model::lower_bound_us(read, written, &machine(device))
}

/// Returns the modelled time, in microseconds, of the best kernel that moves only the compulsory
/// bytes: the input once and each result once. No kernel is modelled faster.
///
/// For a problem with an open count, this is the geometric mean over the timed counts, as for
/// times.
pub fn bound_us(problem: &Problem, device: &'static Device) -> f64 {
    problem.mean_over_counts(|problem| {
        let written = problem.output_bytes();
        least_us(problem.compulsory_bytes() - written, written, device)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the bound and the time at the DRAM peak.
    #[track_caller]
    fn check(problem: &str, device: &str, bound: f64, peak: f64) {
        let (problem, device) = (problem.parse().unwrap(), Device::named(device).unwrap());
        let found = [bound_us(&problem, device), device.dram_peak_us(&problem)];
        let near = |(found, expected): (f64, f64)| (found / expected - 1.0).abs() < 1e-3;
        assert!(
            near((found[0], bound)) && near((found[1], peak)),
            "{problem}: {found:?}"
        );
    }

    #[test]
    fn bounds() {
        check("argmax:2x[3]x4xf32", "mi300x", 4.2001, 160.0 / 5.3e6);
        check("argmax:4x[32000]xf32", "mi300x", 4.2677, 512_032.0 / 5.3e6);
        // A HIP kernel that only reads these bytes takes at least 7.28 µs (float4, 8 loads per
        // lane).
        check(
            "argmax:64x[128256]xbf16",
            "mi300x",
            7.2803,
            16_417_280.0 / 5.3e6,
        );
        check(
            "argmax:256x[151936]xf32",
            "mi300x",
            37.9145,
            155_584_512.0 / 5.3e6,
        );
        check("sum:4x[32000]xf32", "mi300x", 4.2677, 512_016.0 / 5.3e6);
        check("argmax:[1000000]xf64", "mi355x", 5.0596, 8_000_012.0 / 8e6);
    }

    #[test]
    fn of_several_counts() {
        let of = |problem: &str| {
            let device = Device::named("mi300x").unwrap();
            bound_us(&problem.parse().unwrap(), device)
        };
        let each = [1, 8, 64, 512].map(|rows| of(&format!("argmax:{rows}x[32000]xf32")));
        let bound = each.iter().product::<f64>().powf(0.25);
        let peak = 128_008.0 / 5.3e6 * 512f64.sqrt();
        check("argmax:?x[32000]xf32", "mi300x", bound, peak);
    }
}
