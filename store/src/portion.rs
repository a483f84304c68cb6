//! Portions: what another database has of a study, to be taken in.
//!
//! A portion is a study with some of its trials and finals, so that one of any size goes from database to database in
//! transactions and requests that are small. It can be written down, and is then checked by who takes it in.

use std::collections::HashSet;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::validation::{Invalid, check_bound, check_study_texts, is_calendar_time};
use crate::{Finals, StudyId, StudyKey, Trial};

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
pub struct ImportSummary {
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

impl Portion {
    /// Whether it can be what a database has, as far as it says so itself.
    ///
    /// # Errors
    ///
    /// What cannot be.
    pub fn check(&self) -> Result<(), String> {
        let said = |wrong: Invalid| wrong.to_string();
        check_study_texts(&self.key).map_err(said)?;
        check_bound(self.bound_us).map_err(said)?;
        if !is_calendar_time(self.first_opened) || !is_calendar_time(self.last_opened) {
            return Err("it was opened before 1970, or after the year 9999".to_owned());
        }
        let mut ordinals = HashSet::new();
        for trial in &self.trials {
            let checked = trial.check();
            checked.map_err(|wrong| format!("trial {}: {wrong}", trial.ordinal))?;
            if !ordinals.insert(trial.ordinal) {
                return Err(format!("trial {} is there twice", trial.ordinal));
            }
        }
        let mut held = HashSet::new();
        for finals in &self.finals {
            let checked = finals.check();
            checked.map_err(|wrong| format!("finals: {wrong}"))?;
            if !held.insert((finals.trials, finals.ties)) {
                return Err("the same finals are there twice".to_owned());
            }
        }
        Ok(())
    }
}
