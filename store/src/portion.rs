//! Portions: what another database has of a study, to be taken in.
//!
//! A portion is a study with some of its trials and finals, so that one of any size goes from database to database in
//! transactions and requests that are small. It can be written down, and is then checked by who takes it in.

use std::collections::HashSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::{Finals, Provenance, StudyId, StudyKey, Trial};

/// A study as another database has it, with some of its trials and finals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Portion {
    /// The study.
    pub key: StudyKey,
    /// Least time in microseconds that any kernel needs; none where no figures are published.
    pub bound_us: Option<f64>,
    /// When it was opened first.
    pub first_opened: SystemTime,
    /// When it was opened last.
    pub last_opened: SystemTime,
    /// Some of its trials.
    pub trials: Vec<Trial>,
    /// Some of its finals, whose winners are here already or among the trials.
    pub finals: Vec<Finals>,
}

/// What became of a portion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenIn {
    /// The study's number here.
    pub study: StudyId,
    /// Whether it was not here before.
    pub is_new: bool,
    /// Trials that were not here before.
    pub added: u64,
    /// Trials that took the place of another with the same ordinal.
    pub replaced: u64,
    /// The first ordinal at which another trial stays than the portion has: from there on it is not the same search, and finals
    /// that were held over there decide nothing here.
    pub parted: Option<u32>,
    /// Finals that were not here before.
    pub finals: u64,
}

/// Bytes of all texts of a provenance, and of the names of a search: an index of PostgreSQL takes 2,704.
const NAMED: usize = 2000;

/// Whether a time of day can be told in every dialect: from 1970 until the year 10000.
fn is_told(time: SystemTime) -> bool {
    let last = Duration::from_secs(253_402_300_799);
    time.duration_since(UNIX_EPOCH)
        .is_ok_and(|since| since <= last)
}

impl Portion {
    /// Whether it can be what a database has, as far as it says so itself.
    ///
    /// # Errors
    ///
    /// What cannot be.
    pub fn check(&self) -> Result<(), String> {
        let key = &self.key;
        let mut names = texts(&key.provenance);
        names.extend([&key.strategy, &key.space].map(|text| (text.as_str(), false)));
        let bytes: usize = names.iter().map(|(text, _)| text.len()).sum();
        if bytes > NAMED {
            return Err(format!(
                "its provenance and search have {bytes} bytes of text, more than {NAMED}"
            ));
        }
        let mut is_wanted = names
            .iter()
            .map(|(text, is_wanted)| *is_wanted && text.is_empty());
        if key.strategy.is_empty() || is_wanted.any(|is_missing| is_missing) {
            return Err("a text that says what made its numbers is empty".to_owned());
        }
        if names.iter().any(|(text, _)| text.contains('\0')) {
            return Err("a text has a NUL".to_owned());
        }
        if self.bound_us.is_some_and(|bound| !is_positive(bound)) {
            return Err("its bound is not positive and finite".to_owned());
        }
        if !is_told(self.first_opened) || !is_told(self.last_opened) {
            return Err("it was opened before 1970, or after the year 9999".to_owned());
        }
        let mut ordinals = HashSet::new();
        for trial in &self.trials {
            check_trial(trial).map_err(|wrong| format!("trial {}: {wrong}", trial.ordinal))?;
            if !ordinals.insert(trial.ordinal) {
                return Err(format!("trial {} is there twice", trial.ordinal));
            }
        }
        let mut held = HashSet::new();
        for finals in &self.finals {
            check_finals(finals).map_err(|wrong| format!("finals: {wrong}"))?;
            if !held.insert((finals.trials, finals.ties)) {
                return Err("the same finals are there twice".to_owned());
            }
        }
        Ok(())
    }
}

fn is_positive(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

/// What a trial says beside what [`Ledger::record_trial`](crate::Ledger::record_trial) looks at.
fn check_trial(trial: &Trial) -> Result<(), &'static str> {
    let protocol = trial.outcome.timing().and_then(|it| it.protocol.as_ref());
    if protocol.is_some_and(|protocol| protocol.contains('\0')) {
        return Err("its protocol has a NUL");
    }
    if !is_told(trial.started) || !is_told(trial.ended) {
        return Err("it was made before 1970, or after the year 9999");
    }
    match trial.compile_ms {
        Some(time) if !time.is_finite() || time < 0.0 => {
            Err("its time of compilation is not finite, or less than 0")
        }
        _ => Ok(()),
    }
}

fn check_finals(finals: &Finals) -> Result<(), &'static str> {
    let (low, high) = finals.interval;
    if finals.trials == 0 {
        return Err("there was no trial");
    }
    if !is_positive(finals.speedup) || !low.is_finite() || !high.is_finite() {
        return Err("their speedup is not positive, or not finite");
    }
    if finals.samples.contains('\0') {
        return Err("a text has a NUL");
    }
    match is_told(finals.ended) {
        true => Ok(()),
        false => Err("they ended before 1970, or after the year 9999"),
    }
}

/// The texts of a provenance, and whether each has to say something.
fn texts(made: &Provenance) -> Vec<(&str, bool)> {
    let mut texts = vec![
        (made.device.as_str(), true),
        (&made.driver, true),
        (&made.compiler, true),
        (&made.compiler_version, true),
        (&made.generator_version, true),
        (&made.mode, true),
        (&made.driver_version, false),
        (&made.runtime_version, false),
        (&made.kernel_driver_version, false),
        (&made.model, false),
        (&made.linker, false),
    ];
    if let Some(part) = &made.part {
        texts.extend([(part.name.as_str(), true), (&part.isa, false)]);
    }
    texts
}
