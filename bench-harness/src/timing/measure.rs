//! The measurement of one kernel's time: warm-up, batch size, and samples until the median is
//! precise enough.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::device_state::DeviceState;
use super::median::{Interval, median, median_interval, quartiles};
use super::sampler::{Mode, SampleError, Sampler, check};

/// The minimum time of a batch, in microseconds. It limits the launch floor (4 us on AMD's parts)
/// to 2 % of a sample for every kernel, and the overhead of events likewise. There is no limit on
/// one launch below which batches begin: it would measure kernels on either side by different
/// rules.
const BATCH_US: f64 = 200.0;
/// The maximum number of launches in a batch: that for the shortest known launch, 1 us.
const MAX_LAUNCHES: u32 = 200;
/// The number of single launches that determine the batch size. The least of them counts, because
/// a first one was 1.5 times the median (W6600), and 2 of 3 may be disturbed.
const PROBES: usize = 3;
/// The minimum number of samples in a window of the warm-up.
const WINDOW: usize = 5;
/// The minimum time of a window. Clocks change in steps of milliseconds, and several windows of a
/// short kernel would fit into one step.
const WINDOW_TIME: Duration = Duration::from_millis(10);
/// The maximum time of the warm-up. Later instability is drift that more warm-up does not end.
const MAX_WARM_UP: Duration = Duration::from_secs(1);

/// The rule that ends sampling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Protocol {
    /// The half width of the median's interval, relative to the median, at which sampling stops.
    pub target: f64,
    /// The minimum number of samples before the interval counts.
    pub min_samples: usize,
    /// The maximum number of samples.
    pub max_samples: usize,
    /// The maximum time for the samples, on the host's clock. There is always one sample.
    pub max_time: Duration,
}

impl Protocol {
    /// The protocol for every trial of a search.
    pub const SEARCH: Protocol = Protocol {
        target: 0.005,
        min_samples: 10,
        max_samples: 60,
        max_time: Duration::from_secs(2),
    };
}

/// The confidence of a measurement's interval.
pub const CONFIDENCE: f64 = 0.95;

/// The reason why sampling stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// The interval is narrow enough.
    Target,
    /// The number of samples reached its maximum.
    Samples,
    /// The time is over.
    Time,
    /// All samples are the same number, so one suffices.
    Exact,
}

/// The time of one launch of a kernel, with the details of its measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The contents of the caches.
    pub mode: Mode,
    /// The number of launches of each sample.
    pub launches: u32,
    /// The time of an empty launch in microseconds, if it was measured. Every sample contains it,
    /// divided by the launches; nothing subtracts it.
    pub floor_us: Option<f64>,
    /// The samples of the warm-up, in order: microseconds of a batch over its launches, which may
    /// be fewer than later.
    pub warm_up_us: Vec<f64>,
    /// True if the warm-up ended because times were stable.
    pub stable: bool,
    /// Every sample, in order: microseconds of a batch over its launches; at least one.
    pub samples_us: Vec<f64>,
    /// The interval of the samples' median with [`CONFIDENCE`], in microseconds. `None` if there
    /// are too few samples.
    pub interval: Option<Interval>,
    /// The reason why sampling stopped.
    pub stop: StopReason,
    /// The device's state before and after the measurement. Empty if the device does not report
    /// it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<DeviceState>,
}

impl Measurement {
    /// Creates the measurement of a kernel whose samples are all the same.
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

    /// Returns the median of the samples, in microseconds.
    pub fn median_us(&self) -> f64 {
        median(&self.samples_us)
    }
}

/// Measures the launch floor of a device: the median, in microseconds, of single launches of an
/// empty kernel.
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
    // A warm kernel is faster, so a batch needs more launches.
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

/// Returns the number of launches in a batch, if one takes `time_us` microseconds.
fn batch(time_us: f64) -> u32 {
    ((BATCH_US / time_us).ceil() as u32).clamp(1, MAX_LAUNCHES)
}

struct WarmUp {
    samples_us: Vec<f64>,
    /// The median of the last window, in microseconds.
    level_us: f64,
    stable: bool,
}

/// Takes samples until two successive windows agree: the later median lies between the earlier
/// quartiles. This rule needs no figure for a device's variation, and detects a trend as soon as
/// it exceeds that variation.
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
            // The minimum comes first: an interval of few samples may be narrow by chance.
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

/// Takes one sample, in microseconds per launch.
fn one<S: Sampler>(sampler: &mut S, launches: u32) -> Result<f64, SampleError<S::Error>> {
    Ok(check(sampler.sample(launches)?)? / f64::from(launches))
}
