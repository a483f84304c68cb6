//! Validation: checks of values from elsewhere, before anything computes with them.
//!
//! An agent, an import and a database row of another program all pass the same checks:
//! [`Trial::check`], [`Finals::check`], [`Provenance::check`]. The caller refuses an invalid
//! value, or reports its row as unreadable.

use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{Finals, Provenance, Role, Status, StudyKey, Timing, Trial, TrialOutcome};

/// A field with a value that no record of ours can have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct Invalid {
    /// The name of the field.
    pub field: &'static str,
    /// The reason.
    pub reason: String,
}

impl Invalid {
    /// Creates the error of this field.
    pub fn new(field: &'static str, reason: impl Into<String>) -> Self {
        Invalid {
            field,
            reason: reason.into(),
        }
    }
}

/// The range of kernel times in microseconds: from a nanosecond, about two cycles of a GPU, to
/// eleven days. Quotients and products of two such times are finite.
const KERNEL_US: RangeInclusive<f64> = 1e-3..=1e12;

/// The range of least kernel times in microseconds. The lower end is the time of a byte at a
/// thousand times the bandwidth of today's memory.
const BOUND_US: RangeInclusive<f64> = 1e-9..=1e12;

/// The largest difference between a time and the median of its samples, as a fraction of the
/// median. Both come from the same numbers, so only another order of additions can differ.
const ROUNDING: f64 = 1e-9;

/// The time from 1970 to the end of the year 9999, the last that RFC 3339 can write.
const LAST: Duration = Duration::from_secs(253_402_300_799);

/// The limit in bytes of all texts of a provenance, and of the names of a search. An index row of
/// PostgreSQL has at most 2,704 bytes.
const IDENTITY_BYTES: usize = 2000;

/// Returns whether RFC 3339 can write a time: from 1970 through the year 9999.
pub fn is_calendar_time(time: SystemTime) -> bool {
    let since = time.duration_since(UNIX_EPOCH);
    since.is_ok_and(|since| since.as_secs() <= LAST.as_secs())
}

/// Checks a name that clients choose and people read in tables and logs: 1 to `most` characters,
/// all of them visible.
///
/// # Errors
///
/// [`Invalid`], with this field.
pub fn check_name(field: &'static str, name: &str, most: usize) -> Result<(), Invalid> {
    let length = name.chars().count();
    let is_short = (1..=most).contains(&length) && !name.trim().is_empty();
    match is_short && name.chars().all(is_visible) {
        true => Ok(()),
        false => {
            let reason = format!("a name must have 1 to {most} visible characters");
            Err(Invalid::new(field, reason))
        }
    }
}

/// Returns whether a character shows in a line of text. Excludes control characters, characters
/// without a width, and those that change the direction of text: with these a name can look like
/// another.
fn is_visible(character: char) -> bool {
    let is_hidden = matches!(
        character,
        '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}'
    );
    !character.is_control() && !is_hidden
}

/// Checks that RFC 3339 can write a time.
fn check_calendar_time(field: &'static str, time: SystemTime) -> Result<(), Invalid> {
    match is_calendar_time(time) {
        true => Ok(()),
        false => Err(Invalid::new(field, "before 1970, or after the year 9999")),
    }
}

fn check_text(field: &'static str, text: &str) -> Result<(), Invalid> {
    // A text of PostgreSQL cannot hold a NUL.
    match text.contains('\0') {
        true => Err(Invalid::new(field, "has a NUL")),
        false => Ok(()),
    }
}

/// Checks the least time that a kernel needs.
///
/// # Errors
///
/// [`Invalid`].
pub fn check_bound(bound_us: Option<f64>) -> Result<(), Invalid> {
    match bound_us {
        Some(bound) if !BOUND_US.contains(&bound) => {
            let reason = format!("{bound} µs is not a possible lower bound of a kernel time");
            Err(Invalid::new("bound_us", reason))
        }
        _ => Ok(()),
    }
}

/// Checks the time of a kernel and that of its compilation, if they are given.
///
/// # Errors
///
/// [`Invalid`].
pub fn check_times(time_us: Option<f64>, compile_ms: Option<f64>) -> Result<(), Invalid> {
    if let Some(us) = time_us {
        check_kernel_us("time_us", us)?;
    }
    match compile_ms {
        Some(time) if !(time.is_finite() && time >= 0.0) => {
            let reason = format!("{time} ms is not finite, or less than 0");
            Err(Invalid::new("compile_ms", reason))
        }
        _ => Ok(()),
    }
}

impl Trial {
    /// Checks the conditions of every trial, from any writer.
    ///
    /// # Errors
    ///
    /// The first field that is [`Invalid`].
    pub fn check(&self) -> Result<(), Invalid> {
        if self.role == Role::Candidate && self.configuration.is_none() {
            let reason = "a candidate without a configuration";
            return Err(Invalid::new("configuration", reason));
        }
        // Speedups are relative to the default, so it has a verdict.
        if self.role == Role::Default && self.outcome.status() == Status::Timed {
            return Err(Invalid::new("status", "a default that is not verified"));
        }
        if let Some(timing) = self.outcome.timing() {
            timing.check()?;
        }
        if let Some(error) = self.error {
            check_error(error, &self.outcome)?;
        }
        check_times(None, self.compile_ms)?;
        check_calendar_time("started", self.started)?;
        check_calendar_time("ended", self.ended)
    }
}

impl Timing {
    fn check(&self) -> Result<(), Invalid> {
        for us in &self.samples_us {
            check_kernel_us("samples_us", *us)?;
        }
        check_kernel_us("time_us", self.time_us)?;
        let Some(median) = median(&self.samples_us) else {
            return Err(Invalid::new("samples_us", "a time without samples"));
        };
        if (self.time_us - median).abs() > ROUNDING * median {
            let reason = format!(
                "{} µs is not the median of its samples, {median} µs",
                self.time_us
            );
            return Err(Invalid::new("time_us", reason));
        }
        let protocol = self.protocol.as_deref().unwrap_or_default();
        check_text("protocol", protocol)
    }
}

fn check_kernel_us(field: &'static str, us: f64) -> Result<(), Invalid> {
    match KERNEL_US.contains(&us) {
        true => Ok(()),
        false => {
            let reason = format!("{us} is not a possible kernel time in microseconds");
            Err(Invalid::new(field, reason))
        }
    }
}

fn check_error(error: f64, outcome: &TrialOutcome) -> Result<(), Invalid> {
    let reason = match outcome.status() {
        Status::Right if (0.0..=1.0).contains(&error) => return Ok(()),
        Status::Right => format!("the error {error} is not a fraction of the allowed bound"),
        status => format!("an error of a {} result", status.name()),
    };
    Err(Invalid::new("error", reason))
}

/// Returns the median of times, or `None` for no times.
fn median(times: &[f64]) -> Option<f64> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(match sorted.len() % 2 {
        1 => upper,
        _ => f64::midpoint(sorted[sorted.len() / 2 - 1], upper),
    })
}

impl Finals {
    /// Checks the conditions of all finals, from any writer.
    ///
    /// # Errors
    ///
    /// The first field that is [`Invalid`].
    pub fn check(&self) -> Result<(), Invalid> {
        if self.trials == 0 {
            return Err(Invalid::new("trials", "finals of no trials"));
        }
        let (low, high) = self.interval;
        let numbers = [("speedup", self.speedup), ("low", low), ("high", high)];
        for (field, number) in numbers {
            if !number.is_finite() {
                return Err(Invalid::new(field, format!("{number} is not finite")));
            }
        }
        if self.speedup <= 0.0 {
            let reason = format!("{} is not positive", self.speedup);
            return Err(Invalid::new("speedup", reason));
        }
        check_text("samples", &self.samples)?;
        check_calendar_time("ended", self.ended)
    }
}

/// A text with the name of its field before it, and after it whether it is required.
type TextField<'a> = (&'static str, &'a str, bool);

/// Checks texts that together identify something: required ones are not empty, and all together
/// are at most 2,000 bytes.
///
/// # Errors
///
/// The first field that is [`Invalid`].
pub fn check_texts(texts: &[TextField<'_>]) -> Result<(), Invalid> {
    let bytes: usize = texts.iter().map(|(_, text, _)| text.len()).sum();
    if bytes > IDENTITY_BYTES {
        let reason = format!("{bytes} bytes of text, more than {IDENTITY_BYTES}");
        return Err(Invalid::new("identity", reason));
    }
    for &(field, text, is_wanted) in texts {
        if is_wanted && text.is_empty() {
            return Err(Invalid::new(field, "is empty"));
        }
        check_text(field, text)?;
    }
    Ok(())
}

/// Checks the texts that identify a study.
pub(crate) fn check_study_texts(key: &StudyKey) -> Result<(), Invalid> {
    let mut texts = key.provenance.texts();
    texts.push(("strategy", &key.strategy, true));
    texts.push(("space", &key.space, false));
    check_texts(&texts)
}

impl Provenance {
    /// Checks the texts of a provenance: required ones are not empty, and all together are at
    /// most 2,000 bytes.
    ///
    /// # Errors
    ///
    /// The first field that is [`Invalid`].
    pub fn check(&self) -> Result<(), Invalid> {
        check_texts(&self.texts())
    }

    fn texts(&self) -> Vec<TextField<'_>> {
        let mut texts = vec![
            ("device", self.device.as_str(), true),
            ("driver", &self.driver, true),
            ("compiler", &self.compiler, true),
            ("compiler_version", &self.compiler_version, true),
            ("generator_version", &self.generator_version, true),
            ("mode", &self.mode, true),
            ("driver_version", &self.driver_version, false),
            ("runtime_version", &self.runtime_version, false),
            ("kernel_driver_version", &self.kernel_driver_version, false),
            ("model", &self.model, false),
            ("linker", &self.linker, false),
        ];
        if let Some(part) = &self.part {
            // A device that reports itself has a name; an empty name in the columns means that it
            // does not.
            texts.push(("part", part.name.as_str(), true));
            texts.push(("part_isa", &part.isa, false));
        }
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_of_name(name: &str, is_good: bool) {
        let checked = check_name("agent", name, 64);
        assert_eq!(checked.is_ok(), is_good, "{name:?}");
    }

    #[test]
    fn names_are_short_and_visible() {
        check_of_name("rack-7/emulated:mi300x", true);
        check_of_name("Ann's machine", true);
        check_of_name("機械", true);
        check_of_name(&"ä".repeat(64), true);
        check_of_name(&"a".repeat(65), false);
        for name in ["", " ", "a\n", "a\tb", "\u{1b}[31mred", "a\0b"] {
            check_of_name(name, false);
        }
        for hidden in ['\u{202E}', '\u{200B}', '\u{2066}', '\u{FEFF}', '\u{E0041}'] {
            check_of_name(&format!("a{hidden}b"), false);
        }
    }

    #[test]
    fn a_default_has_a_verdict() {
        let timing = Timing {
            time_us: 5.0,
            samples_us: vec![5.0],
            protocol: None,
        };
        let trial = |outcome| Trial {
            ordinal: 0,
            role: Role::Default,
            configuration: None,
            outcome,
            error: None,
            input_seed: 0,
            compile_ms: None,
            started: UNIX_EPOCH,
            ended: UNIX_EPOCH,
        };
        assert!(trial(TrialOutcome::Right(timing.clone())).check().is_ok());
        let refused = trial(TrialOutcome::Timed(timing)).check().unwrap_err();
        assert!(refused.to_string().contains("not verified"), "{refused}");
    }

    #[test]
    fn calendar_times_end_with_the_year_9999() {
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        assert!(is_calendar_time(UNIX_EPOCH));
        assert!(is_calendar_time(
            at(253_402_300_799) + Duration::from_millis(999)
        ));
        assert!(!is_calendar_time(at(253_402_300_800)));
        assert!(!is_calendar_time(UNIX_EPOCH - Duration::from_nanos(1)));
    }

    #[track_caller]
    fn check_median(times: &[f64], expected: Option<f64>) {
        assert_eq!(median(times), expected);
    }

    #[test]
    fn medians() {
        check_median(&[], None);
        check_median(&[3.0], Some(3.0));
        check_median(&[4.0, 1.0], Some(2.5));
        check_median(&[9.0, 1.0, 2.0], Some(2.0));
        check_median(&[f64::MAX, f64::MAX], Some(f64::MAX));
    }
}
