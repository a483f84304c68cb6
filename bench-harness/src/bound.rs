//! The bound: the least time that any kernel for a problem can take on a device.

use configgen::{Device, Problem};

/// Share of the DRAM peak that is taken as achievable where no measurement was found. The measured parts of the
/// device table reach between 0.74 (RX 7900) and 0.99 (RX 6900 XT) of their peak.
const UNMEASURED_SHARE: f64 = 0.8;

/// The larger of the launch floor and the compulsory bytes over the achievable DRAM bandwidth, in microseconds.
///
/// Compulsory bytes: the input once, each value and index once. A device without a published launch floor has 0.
pub fn bound_us(problem: &Problem, device: &Device) -> f64 {
    let floor = device.launch_floor.map_or(0.0, |figure| figure.value);
    // 1 GB/s is 10^3 bytes a microsecond.
    let stream = problem.compulsory_bytes() as f64 / (achievable_gb_per_s(device) * 1e3);
    floor.max(stream)
}

/// DRAM bandwidth that a kernel with enough bytes in flight reaches, in GB/s.
pub(crate) fn achievable_gb_per_s(device: &Device) -> f64 {
    let fitted = device.saturation.map(|saturation| saturation.bandwidth);
    let measured = fitted.or(device.dram_read.map(|figure| figure.value));
    measured.unwrap_or(device.dram_peak.value * UNMEASURED_SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(problem: &str, device: &str, expected: f64) {
        let bound = bound_us(&problem.parse().unwrap(), Device::named(device).unwrap());
        assert!((bound / expected - 1.0).abs() < 1e-3, "{bound}");
    }

    #[test]
    fn bounds() {
        check("argmax:4x[32000]xf32", "mi300x", 4.2);
        // 256 * 151936 * 4 bytes and 256 pairs of 8 bytes at 4535 GB/s.
        check("argmax:256x[151936]xf32", "mi300x", 155_584_512.0 / 4.535e6);
        check("argmax:[1000000]xf64", "mi355x", 8_000_012.0 / 6.4e6);
    }
}
