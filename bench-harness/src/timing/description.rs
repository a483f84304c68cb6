//! Descriptions of measurements, for people and for the database.

use std::fmt;

use serde::Serialize;

use super::device_state::DeviceState;
use super::finals::Finals;
use super::measure::{Measurement, StopReason};
use super::median::Interval;
use super::sampler::Mode;

/// A measurement without its samples.
#[derive(Serialize)]
struct Description<'a> {
    mode: Mode,
    launches: u32,
    floor_us: Option<f64>,
    warm_up_us: &'a [f64],
    stable: bool,
    interval: Option<Interval>,
    stop: StopReason,
    #[serde(skip_serializing_if = "<[DeviceState]>::is_empty")]
    states: &'a [DeviceState],
}

impl Measurement {
    /// Returns everything but the samples as JSON, which the database stores beside the samples.
    pub fn description(&self) -> String {
        let description = Description {
            mode: self.mode,
            launches: self.launches,
            floor_us: self.floor_us,
            warm_up_us: &self.warm_up_us,
            stable: self.stable,
            interval: self.interval,
            stop: self.stop,
            states: &self.states,
        };
        serde_json::to_string(&description).expect("numbers, lists and names are JSON")
    }
}

impl Finals {
    /// Returns the finals as JSON, which the database stores at a study's end.
    pub fn description(&self) -> String {
        serde_json::to_string(self).expect("numbers, lists and names are JSON")
    }

    /// Parses the output of [`Finals::description`]. Returns `None` if another version wrote it
    /// in a different form.
    pub fn from_description(description: &str) -> Option<Finals> {
        serde_json::from_str(description).ok()
    }
}

impl fmt::Display for Measurement {
    /// Formats the conditions of the measurement as one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let samples = self.samples_us.len();
        if self.stop == StopReason::Exact {
            return write!(f, "{}, every sample is the same", self.mode);
        }
        write!(f, "{}, {} launches a sample", self.mode, self.launches)?;
        if let Some(floor) = self.floor_us {
            write!(f, ", launch floor {floor:.2} us")?;
        }
        let ended = if self.stable { "stable" } else { "not stable" };
        write!(f, ", {ended} after {}", self.warm_up_us.len())?;
        match self.interval {
            None => write!(f, ", {samples} samples")?,
            Some(interval) => {
                let part = 100.0 * interval.half_width() / self.median_us();
                write!(f, ", {samples} samples, median within {part:.2} %")?;
            }
        }
        f.write_str(match self.stop {
            StopReason::Target | StopReason::Exact => "",
            StopReason::Samples => ", no more samples allowed",
            StopReason::Time => ", no more time allowed",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_described() {
        let measurement = Measurement {
            mode: Mode::Cold,
            launches: 12,
            floor_us: Some(4.125),
            warm_up_us: vec![30.5, 20.25],
            stable: true,
            samples_us: vec![19.0, 20.0, 21.0],
            interval: Some(Interval {
                low: 19.0,
                high: 21.0,
            }),
            stop: StopReason::Time,
            states: vec![DeviceState {
                clock_mhz: Some(2100),
                temperature_c: None,
            }],
        };
        assert_eq!(
            measurement.to_string(),
            "cold, 12 launches a sample, launch floor 4.12 us, stable after 2, 3 samples, median within 5.00 %, \
             no more time allowed"
        );
        assert_eq!(
            measurement.description(),
            r#"{"mode":"cold","launches":12,"floor_us":4.125,"warm_up_us":[30.5,20.25],"stable":true,"#.to_owned()
                + r#""interval":{"low":19.0,"high":21.0},"stop":"time","states":[{"clock_mhz":2100,"temperature_c":null}]}"#
        );
        let exact = Measurement::exact(Mode::Cold, 5.0);
        assert_eq!(exact.to_string(), "cold, every sample is the same");
    }
}
