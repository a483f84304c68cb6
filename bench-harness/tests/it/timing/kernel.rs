//! A kernel on a simulated device, as the protocol sees it.

use std::convert::Infallible;
use std::time::Duration;

use bench_harness::timing::{Mode, Sampler};

use crate::timing::noise::Simulated;

/// What a sample takes beside its launches: the host waits.
const BESIDE_US: f64 = 20.0;

/// One kernel.
pub(crate) struct Kernel<'a, 'n> {
    pub device: &'a mut Simulated<'n>,
    /// Which it is, for noise that differs.
    pub number: usize,
    /// Its time, in microseconds.
    pub time_us: f64,
    /// What one launch takes beside, however many there are.
    pub floor_us: f64,
    /// The host's clock, in microseconds.
    pub clock_us: f64,
    /// By how much the first launches are slower, and after how many microseconds a third of that is left.
    pub cold: (f64, f64),
}

impl<'a, 'n> Kernel<'a, 'n> {
    /// A warm one, without a floor.
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
