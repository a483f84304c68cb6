//! What the protocol asks of a device: one sample of one kernel.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What the caches hold when a launch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing of the kernel's inputs.
    Cold,
    /// What earlier launches on the same inputs left there.
    Warm,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 2] = [Self::Cold, Self::Warm];

    /// Its name on the command line and in what is stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A kernel on a device, with everything in place to launch it again and again.
///
/// Launches of one sample follow each other in one stream with nothing between them that takes the device's time, and
/// the host waits for the device before a sample begins and after it ended. What a launch needs reset (counters of
/// workgroups that share a row) is reset, outside of the time where the device can do so.
///
/// In [`Mode::Cold`] the device sees to it, before a sample begins, that the last-level cache holds something else:
/// it fills a buffer larger than that cache as the device table has it (not as `l2CacheSize` says, which leaves out
/// AMD's Infinity Cache). Within a batch the launches take in turn copies of the inputs, so many that all but one of
/// them are together larger than that cache. In [`Mode::Warm`] all launches use the same buffers.
pub trait Sampler {
    /// Why a sample could not be taken.
    type Error;

    /// What the caches hold when a launch begins.
    fn mode(&self) -> Mode;

    /// Whether every sample of a kernel is the same number, to the last bit. One is then enough, and nothing is to be
    /// warmed up.
    fn is_exact(&self) -> bool {
        false
    }

    /// Takes one sample: the time of `launches` launches (at least one), in microseconds, from before the first to
    /// after the last, by the device's clock.
    ///
    /// # Errors
    /// The device's own.
    fn sample(&mut self, launches: u32) -> Result<f64, Self::Error>;

    /// The time since any moment that stays the same: the clock of time limits.
    fn now(&self) -> Duration;
}

/// Why there is no measurement.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SampleError<E> {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] E),
    /// The device's clock gave what is no time: zero, less, or no number.
    #[error("the device's clock says that a kernel took {0} us")]
    NotATime(f64),
}

/// A time is positive and finite.
pub(super) fn check<E>(time_us: f64) -> Result<f64, SampleError<E>> {
    if time_us.is_finite() && time_us > 0.0 {
        Ok(time_us)
    } else {
        Err(SampleError::NotATime(time_us))
    }
}
