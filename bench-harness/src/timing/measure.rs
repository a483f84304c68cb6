//! One kernel's time: warm-up, batch, samples until the median is known well enough.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::device_state::DeviceState;
use super::median::{Interval, median, median_interval, quartiles};
use super::sampler::{Mode, SampleError, Sampler, check};

/// Time that a batch takes at least. The launch floor (4 us on AMD's parts) is then at most 2 % of a sample, whatever
/// the kernel, and so are the ends of events. It is not a limit on one launch below which batches begin: kernels on
/// either side of such a limit would be measured by different rules.
const BATCH_US: f64 = 200.0;
/// Launches in a batch at most: those of a kernel that takes no more than the shortest launch known, 1 us.
const MAX_LAUNCHES: u32 = 200;
/// Launches that say how many make a batch. The least of them counts, because a first one was 1.5 times the median
/// (W6600), and 2 of 3 may be disturbed.
const PROBES: usize = 3;
/// Samples of a window of the warm-up, at least.
const WINDOW: usize = 5;
/// Time of a window, at least: the steps in which clocks are changed take milliseconds, and windows of a short kernel's
/// samples would fit into one.
const WINDOW_TIME: Duration = Duration::from_millis(10);
/// Time of the warm-up, at most: what is not stable then has drift that more warm-up does not end.
const MAX_WARM_UP: Duration = Duration::from_secs(1);

/// When there are samples enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Protocol {
    /// Half the width of the median's interval over the median at which sampling stops.
    pub target: f64,
    /// Samples at least, before the interval is looked at.
    pub min_samples: usize,
    /// Samples at most.
    pub max_samples: usize,
    /// Time for the samples at most, on the host's clock. One sample there always is.
    pub max_time: Duration,
}

impl Protocol {
    /// What every trial of a search is measured with.
    pub const SEARCH: Protocol = Protocol {
        target: 0.005,
        min_samples: 10,
        max_samples: 60,
        max_time: Duration::from_secs(2),
    };
}

/// Confidence of a measurement's interval.
pub const CONFIDENCE: f64 = 0.95;

/// Why sampling stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// The interval is narrow enough.
    Target,
    /// There are as many samples as may be.
    Samples,
    /// The time is over.
    Time,
    /// All samples are the same number, so that there is one.
    Exact,
}

/// The time of one launch of a kernel, and how it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// What the caches held.
    pub mode: Mode,
    /// Launches of each sample.
    pub launches: u32,
    /// Microseconds of one launch that does nothing, where it was measured. It is contained in every sample, divided by
    /// the launches, and nowhere subtracted.
    pub floor_us: Option<f64>,
    /// The samples of the warm-up, in order: microseconds of a batch over its launches, of which it may have had fewer.
    pub warm_up_us: Vec<f64>,
    /// Whether the warm-up ended because times were stable.
    pub stable: bool,
    /// Every sample, in order: microseconds of a batch over its launches; at least one.
    pub samples_us: Vec<f64>,
    /// Interval of the samples' median with [`CONFIDENCE`], in microseconds; none where they are too few.
    pub interval: Option<Interval>,
    /// Why there are no more.
    pub stop: StopReason,
    /// The device before and after all of that; nothing where it does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<DeviceState>,
}

impl Measurement {
    /// That of a kernel whose samples are all the same.
    pub fn exact(mode: Mode, time_us: f64) -> Measurement {
        Measurement {
            mode,
            launches: 1,
            floor_us: None,
            warm_up_us: Vec::new(),
            stable: true,
            samples_us: vec![time_us],
            interval: None,
            stop: StopReason::Exact,
            states: Vec::new(),
        }
    }

    /// The median of the samples, in microseconds.
    pub fn median_us(&self) -> f64 {
        median(&self.samples_us)
    }
}

/// Measures the launch floor of a device: the median, in microseconds, of samples of a single launch. The sampler's
/// kernel does nothing.
///
/// # Errors
/// [`SampleError`].
pub fn floor_us<S: Sampler>(empty: &mut S) -> Result<f64, SampleError<S::Error>> {
    warm_up(empty, 1)?;
    let (samples, ..) = sample(empty, 1, &Protocol::SEARCH)?;
    Ok(median(&samples))
}

/// Measures a kernel.
///
/// # Errors
/// [`SampleError`].
pub fn measure<S: Sampler>(
    sampler: &mut S,
    protocol: &Protocol,
    floor_us: Option<f64>,
) -> Result<Measurement, SampleError<S::Error>> {
    let mode = sampler.mode();
    if sampler.is_exact() {
        return Ok(Measurement::exact(mode, check(sampler.sample(1)?)?));
    }
    let mut single = f64::INFINITY;
    let mut warm_up_us = Vec::new();
    for _ in 0..PROBES {
        let time = check(sampler.sample(1)?)?;
        warm_up_us.push(time);
        single = single.min(time);
    }
    let warm_up = warm_up(sampler, batch(single))?;
    warm_up_us.extend(&warm_up.samples_us);
    // Warm it is faster, so that a batch is more launches.
    let launches = batch(warm_up.level_us);
    let (samples_us, interval, stop) = sample(sampler, launches, protocol)?;
    Ok(Measurement {
        mode,
        launches,
        floor_us,
        warm_up_us,
        stable: warm_up.stable,
        samples_us,
        interval,
        stop,
        states: Vec::new(),
    })
}

/// Launches of a batch, of which one takes this long.
fn batch(time_us: f64) -> u32 {
    ((BATCH_US / time_us).ceil() as u32).clamp(1, MAX_LAUNCHES)
}

struct WarmUp {
    samples_us: Vec<f64>,
    /// Median of the last window, in microseconds.
    level_us: f64,
    stable: bool,
}

/// Samples until two windows that follow each other agree: the median of the later lies between the quartiles of the
/// earlier. The rule needs no figure of how much a device's times vary, and sees a trend as soon as it exceeds that.
fn warm_up<S: Sampler>(sampler: &mut S, launches: u32) -> Result<WarmUp, SampleError<S::Error>> {
    let start = sampler.now();
    let mut samples_us: Vec<f64> = Vec::new();
    let (mut window, mut window_start) = (0, start);
    let mut earlier: Option<Interval> = None;
    loop {
        samples_us.push(one(sampler, launches)?);
        let now = sampler.now();
        let times = &samples_us[window..];
        let is_whole = times.len() >= WINDOW && now.saturating_sub(window_start) >= WINDOW_TIME;
        let is_over = now.saturating_sub(start) >= MAX_WARM_UP;
        if !is_whole && !is_over {
            continue;
        }
        let level_us = median(times);
        let stable = is_whole && earlier.is_some_and(|earlier| earlier.contains(level_us));
        if stable || is_over {
            return Ok(WarmUp {
                samples_us,
                level_us,
                stable,
            });
        }
        earlier = Some(quartiles(times));
        (window, window_start) = (samples_us.len(), now);
    }
}

type Samples = (Vec<f64>, Option<Interval>, StopReason);

fn sample<S: Sampler>(
    sampler: &mut S,
    launches: u32,
    protocol: &Protocol,
) -> Result<Samples, SampleError<S::Error>> {
    let start = sampler.now();
    let mut samples = Vec::new();
    loop {
        samples.push(one(sampler, launches)?);
        let interval = median_interval(&samples, CONFIDENCE);
        let narrow = interval
            .is_some_and(|interval| interval.half_width() <= protocol.target * median(&samples));
        let stop = if samples.len() >= protocol.min_samples && narrow {
            StopReason::Target
        } else if samples.len() >= protocol.max_samples {
            StopReason::Samples
        } else if sampler.now().saturating_sub(start) >= protocol.max_time {
            StopReason::Time
        } else {
            continue;
        };
        return Ok((samples, interval, stop));
    }
}

/// One sample, in microseconds of a launch.
fn one<S: Sampler>(sampler: &mut S, launches: u32) -> Result<f64, SampleError<S::Error>> {
    Ok(check(sampler.sample(launches)?)? / f64::from(launches))
}
