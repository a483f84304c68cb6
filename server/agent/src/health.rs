//! Device health: a device goes into quarantine if it fails, or if its control kernel drifts or
//! is wrong.
//!
//! After a quarantine the device gets one batch. If that fails, too, the next quarantine is twice
//! as long.

use std::time::{Duration, Instant};

use bench_harness::DeviceError;
use server_fleet::wire::{Condition, Quarantine};
use tuner::{DriftStatus, Failure};

/// The first and the longest quarantine.
const QUARANTINES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(600)];

/// Batches in a row with drift until the end. The cause of a single one may be another process of
/// the machine.
const UNSTEADY: u32 = 2;

/// The health of a device, and its quarantine.
#[derive(Debug)]
pub(crate) struct Health {
    device: u32,
    watched: Option<DriftStatus>,
    /// Batches in a row with drift.
    unsteady: u32,
    /// Quarantines since the device was healthy.
    in_a_row: u32,
    quarantine: Option<(String, Instant)>,
}

impl Health {
    pub(crate) fn new(device: usize) -> Health {
        Health {
            device: u32::try_from(device).unwrap_or(u32::MAX),
            watched: None,
            unsteady: 0,
            in_a_row: 0,
            quarantine: None,
        }
    }

    /// Notes the drift status of a batch. Returns the length of the quarantine that begins, if
    /// any.
    pub(crate) fn watched(&mut self, watched: DriftStatus) -> Option<Duration> {
        self.watched = Some(watched);
        match watched {
            DriftStatus::Steady(_) => {
                // One steady batch ends the doubling of quarantines.
                (self.unsteady, self.in_a_row) = (0, 0);
                None
            }
            DriftStatus::Unsteady(control) => {
                self.unsteady += 1;
                if self.unsteady < UNSTEADY {
                    return None;
                }
                let slowdown = control.slowdown;
                Some(self.leave_alone(format!(
                    "the time of its control kernel keeps changing; the last one was {slowdown:.3} times the first"
                )))
            }
            DriftStatus::Wrong => {
                let reason = "its control kernel no longer gives correct results";
                Some(self.leave_alone(reason.to_owned()))
            }
        }
    }

    /// Notes a failed batch. Returns the length of the quarantine that begins, if the device
    /// caused the failure.
    pub(crate) fn failed(&mut self, failure: &Failure) -> Option<Duration> {
        let reason = match failure {
            // These describe the job, not the device.
            Failure::Device(DeviceError::Memory { .. }) | Failure::Job(_) | Failure::Builder(_) => {
                return None;
            }
            Failure::Device(error) => error.to_string(),
            Failure::Environment(message) => message.clone(),
        };
        Some(self.leave_alone(reason))
    }

    /// Notes a successful batch. A device without a control kernel counts as healthy then.
    pub(crate) fn done(&mut self) {
        if self.watched.is_none() {
            self.in_a_row = 0;
        }
    }

    fn leave_alone(&mut self, reason: String) -> Duration {
        let [first, longest] = QUARANTINES;
        // The limit of the shift keeps it within 32 bits; the longest quarantine is reached after
        // 6.
        let pause = first
            .saturating_mul(1 << self.in_a_row.min(16))
            .min(longest);
        self.in_a_row += 1;
        self.unsteady = 0;
        self.quarantine = Some((reason, Instant::now() + pause));
        pause
    }

    /// Returns the remaining time and the reason of the quarantine.
    pub(crate) fn left(&mut self) -> Option<(Duration, &str)> {
        let (_, end) = self.quarantine.as_ref()?;
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            self.quarantine = None;
        }
        let (reason, _) = self.quarantine.as_ref()?;
        Some((left, reason))
    }

    /// Returns the condition in the service's message format.
    pub(crate) fn condition(&mut self) -> Condition {
        let quarantine = self.left().map(|(left, reason)| Quarantine {
            reason: reason.to_owned(),
            left_s: u32::try_from(left.as_secs()).unwrap_or(u32::MAX),
        });
        Condition {
            device: self.device,
            watched: self.watched,
            quarantine,
        }
    }
}

#[cfg(test)]
mod tests {
    use tuner::ControlMeasurement;

    use super::*;

    const CONTROL: ControlMeasurement = ControlMeasurement {
        noise: 0.01,
        slowdown: 1.25,
    };

    /// Checks the quarantines, in seconds, of a sequence of batches.
    ///
    /// The letters: `s`teady, `u`nsteady, `w`rong, `d`one without a control kernel, `f`ails; the
    /// job is too large (`j`), or its inputs are (`m`), or it needs another builder (`b`).
    #[track_caller]
    fn check(story: &str, expected: &[u64]) {
        let mut health = Health::new(3);
        let memory = || DeviceError::Memory {
            bytes: 1,
            message: String::new(),
        };
        let quarantines = story.chars().filter_map(|what| match what {
            's' => health.watched(DriftStatus::Steady(CONTROL)),
            'u' => health.watched(DriftStatus::Unsteady(CONTROL)),
            'w' => health.watched(DriftStatus::Wrong),
            'f' => health.failed(&Failure::Device(DeviceError::Crash("gone".to_owned()))),
            'e' => health.failed(&Failure::Environment("no linker".to_owned())),
            'j' => health.failed(&Failure::Job("large".to_owned())),
            'm' => health.failed(&Failure::Device(memory())),
            'b' => health.failed(&Failure::Builder("iree".to_owned())),
            _ => {
                health.done();
                None
            }
        });
        let quarantines: Vec<u64> = quarantines.map(|pause| pause.as_secs()).collect();
        assert_eq!(quarantines, expected, "{story}");
    }

    #[test]
    fn durations_of_quarantine() {
        check("sdsdsdsd", &[]);
        check("dddd", &[]);
        // A single disturbance may have another cause.
        check("susususus", &[]);
        check("suu", &[10]);
        check("w", &[10]);
        check("f", &[10]);
        check("e", &[10]);
        check("jmbjmbjmb", &[]);
        check("fffffffff", &[10, 20, 40, 80, 160, 320, 600, 600, 600]);
        // The count begins anew after a quarantine.
        check("uuuu", &[10, 20]);
        check("wwswuu", &[10, 20, 10, 20]);
        check("ffdf", &[10, 20, 10]);
        // With a control kernel, a finished batch alone says nothing.
        check("uudwd", &[10, 20]);
    }

    #[test]
    fn reports_to_the_service() {
        let mut health = Health::new(3);
        let well = health.condition();
        assert_eq!(
            (well.device, well.watched, well.quarantine),
            (3, None, None)
        );
        let gone = Failure::Device(DeviceError::Crash("no answer".to_owned()));
        assert_eq!(health.failed(&gone), Some(QUARANTINES[0]));
        let quarantine = health.condition().quarantine.unwrap();
        assert_eq!(quarantine.reason, "the device failed: no answer");
        assert!((8..=10).contains(&quarantine.left_s), "{quarantine:?}");
        let steady = DriftStatus::Steady(CONTROL);
        health.watched(steady);
        assert_eq!(health.condition().watched, Some(steady));
        // It ends by itself, and not through a batch that was under way.
        assert!(health.left().is_some());
        health.quarantine = Some((String::new(), Instant::now()));
        assert_eq!(health.left(), None);
        assert_eq!(health.condition().quarantine, None);
    }
}
