//! The sampler: the interface by which the protocol takes one sample of one kernel from a device.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The contents of the caches when a launch begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing of the kernel's inputs.
    Cold,
    /// The contents that earlier launches on the same inputs left.
    Warm,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 2] = [Self::Cold, Self::Warm];

    /// Returns the mode's name on the command line and in stored data.
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

/// A kernel on a device, ready for repeated launches.
///
/// The launches of one sample follow each other in one stream, with nothing between them that
/// takes the device's time. The host waits for the device before and after a sample. The device
/// resets state that a launch needs (counters of workgroups that share a row), outside of the
/// measured time if it can.
///
/// In [`Mode::Cold`], the device evicts the last-level cache before a sample. It fills a buffer
/// larger than that cache, with the size from the device table: `l2CacheSize` excludes AMD's
/// Infinity Cache. Within a batch, launches take turns among copies of the inputs. All copies but
/// one are together larger than that cache. In [`Mode::Warm`], all launches use the same buffers.
pub trait Sampler {
    /// The reason why a sample failed.
    type Error;

    /// Returns the contents of the caches when a launch begins.
    fn mode(&self) -> Mode;

    /// Returns true if every sample of a kernel is the same number, to the last bit. One sample
    /// then suffices, without a warm-up.
    fn is_exact(&self) -> bool {
        false
    }

    /// Takes one sample: the time of `launches` launches (at least one), in microseconds. The
    /// device's clock measures it from before the first to after the last.
    ///
    /// # Errors
    /// The device's own.
    fn sample(&mut self, launches: u32) -> Result<f64, Self::Error>;

    /// Returns the time since a fixed moment, as the clock of time limits.
    fn now(&self) -> Duration;
}

/// The reason why a measurement failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SampleError<E> {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] E),
    /// The device's clock returned zero, a negative number, an infinity or NaN.
    #[error("the device's clock reported an impossible kernel time: {0} us")]
    NotATime(f64),
}

/// Checks that a time is positive and finite.
pub(super) fn check<E>(time_us: f64) -> Result<f64, SampleError<E>> {
    if time_us.is_finite() && time_us > 0.0 {
        Ok(time_us)
    } else {
        Err(SampleError::NotATime(time_us))
    }
}
