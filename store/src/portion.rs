//! Portions: parts of a study that another database imports.
//!
//! A portion is a study with some of its trials and finals. A study of any size moves between
//! databases in small transactions and requests. A portion can be serialized; the importer checks
//! it.

use std::collections::HashSet;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::validation::{Invalid, check_bound, check_study_texts, is_calendar_time};
use crate::{Finals, StudyId, StudyKey, Trial};

/// A study of another database, with some of its trials and finals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Portion {
    /// The study's identity.
    pub key: StudyKey,
    /// The least time in microseconds that any kernel needs; none if the device has no published
    /// figures.
    pub bound_us: Option<f64>,
    /// The first opening of the study.
    pub first_opened: SystemTime,
    /// The last opening of the study.
    pub last_opened: SystemTime,
    /// Some of its trials.
    pub trials: Vec<Trial>,
    /// Some of its finals. Their winners are in the importing database or among the trials.
    pub finals: Vec<Finals>,
}

/// The outcome of an import of a portion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportSummary {
    /// The study's number in the importing database.
    pub study: StudyId,
    /// True if the import created the study.
    pub is_new: bool,
    /// The number of new trials.
    pub added: u64,
    /// The number of trials that replaced another with the same ordinal.
    pub replaced: u64,
    /// The first ordinal at which the importing database keeps another trial than the portion's.
    /// From there on the searches differ, so finals of the other database do not count.
    pub parted: Option<u32>,
    /// The number of new finals.
    pub finals: u64,
}

impl Portion {
    /// Checks that a database could hold this content.
    ///
    /// # Errors
    ///
    /// The first impossible value.
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
            // The importer reads the stored trials once, so it would count a duplicate as new.
            if !ordinals.insert(trial.ordinal) {
                return Err(format!("trial {} occurs twice", trial.ordinal));
            }
        }
        let mut held = HashSet::new();
        for finals in &self.finals {
            let checked = finals.check();
            checked.map_err(|wrong| format!("finals: {wrong}"))?;
            if !held.insert((finals.trials, finals.ties)) {
                return Err("the same finals occur twice".to_owned());
            }
        }
        Ok(())
    }
}
