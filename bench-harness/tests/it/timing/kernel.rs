//! A kernel on a simulated device, as a sampler.

use std::convert::Infallible;
use std::time::Duration;

use bench_harness::timing::{Mode, Sampler};

use crate::timing::noise::Simulated;

/// The overhead of a sample besides its launches, in microseconds: the host waits.
const BESIDE_US: f64 = 20.0;

/// One kernel.
pub(crate) struct Kernel<'a, 'n> {
    pub device: &'a mut Simulated<'n>,
    /// The kernel's number, for noise that differs between kernels.
    pub number: usize,
    /// The kernel's time in microseconds.
    pub time_us: f64,
    /// The constant overhead of a batch, in microseconds.
    pub floor_us: f64,
    /// The host's clock in microseconds.
    pub clock_us: f64,
    /// The initial slowdown as a fraction, and the time in microseconds after which a third of it
    /// is left.
    pub cold: (f64, f64),
}

impl<'a, 'n> Kernel<'a, 'n> {
    /// Creates a warm kernel without a floor.
    pub(crate) fn new(
        device: &'a mut Simulated<'n>,
        number: usize,
        time_us: f64,
    ) -> Kernel<'a, 'n> {
        Kernel {
            device,
            number,
            time_us,
            floor_us: 0.0,
            clock_us: 0.0,
            cold: (0.0, 1.0),
        }
    }
}

impl Sampler for Kernel<'_, '_> {
    type Error = Infallible;

    fn mode(&self) -> Mode {
        Mode::Warm
    }

    fn sample(&mut self, launches: u32) -> Result<f64, Infallible> {
        let (part, decay) = self.cold;
        let slower = 1.0 + part * (-self.clock_us / decay).exp();
        let each = self.device.sample(self.number, self.time_us);
        let time = self.floor_us + f64::from(launches) * each * slower;
        self.clock_us += time + BESIDE_US;
        Ok(time)
    }

    fn now(&self) -> Duration {
        Duration::from_secs_f64(self.clock_us * 1e-6)
    }
}
