//! Rows of trials, and of the finals that some of them won.

use std::collections::HashMap;

use configgen::Configuration;
use store::{
    FailureKind, Fastest, KnownFinals, KnownTrial, Readable, Role, Status, StoreFault, StudyId,
    Timing, Trial, TrialOutcome, TrialRecord, UnreadableRow,
};

use super::finals::FinalColumns;
use super::{RowLocation, millis};

/// A row of `trial`, without the hash.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct TrialRow {
    pub id: i64,
    pub study_id: i64,
    pub ordinal: i64,
    pub role: String,
    pub configuration: Option<String>,
    pub status: String,
    pub failure: Option<String>,
    pub message: Option<String>,
    pub time_us: Option<f64>,
    pub samples_us: Option<String>,
    pub protocol: Option<String>,
    pub error: Option<f64>,
    pub input_seed: i64,
    pub compile_ms: Option<f64>,
    pub started_ms: i64,
    pub ended_ms: i64,
    pub has_later: bool,
}

/// Returns the [`TrialRow::configuration_hash`] of a configuration's trials.
pub fn hash_of(configuration: &Configuration) -> String {
    hash_of_text(&serde_json::to_string(configuration).expect("a configuration is JSON"))
}

fn hash_of_text(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

impl TrialRow {
    /// Creates the row to insert. The database assigns its `id`.
    ///
    /// # Errors
    ///
    /// `Trial`, with the reason.
    pub fn new(study: StudyId, trial: &Trial) -> Result<Self, StoreFault> {
        let ordinal = trial.ordinal;
        Self::of(study, trial).map_err(|reason| StoreFault::Trial { ordinal, reason })
    }

    fn of(study: StudyId, trial: &Trial) -> Result<Self, String> {
        trial.check().map_err(|wrong| wrong.to_string())?;
        let timing = trial.outcome.timing();
        let json = |error: serde_json::Error| error.to_string();
        let samples = timing.map(|timing| serde_json::to_string(&timing.samples_us));
        let configuration = trial.configuration.as_ref().map(serde_json::to_string);
        let owned = |name: &'static str| name.to_owned();
        Ok(TrialRow {
            id: 0,
            study_id: study.0,
            ordinal: i64::from(trial.ordinal),
            role: owned(trial.role.name()),
            configuration: configuration.transpose().map_err(json)?,
            status: owned(trial.outcome.status().name()),
            failure: trial.outcome.failure().map(|kind| owned(kind.name())),
            message: trial.outcome.message().map(without_nul),
            time_us: timing.map(|timing| timing.time_us),
            samples_us: samples.transpose().map_err(json)?,
            protocol: timing.and_then(|timing| timing.protocol.clone()),
            error: trial.error,
            // SQL has no unsigned 64-bit column, so a seed keeps its bits as a signed number.
            input_seed: trial.input_seed.cast_signed(),
            compile_ms: trial.compile_ms,
            started_ms: millis(trial.started),
            ended_ms: millis(trial.ended),
            has_later: false,
        })
    }

    /// Returns the BLAKE3 hash of the configuration's text.
    pub fn configuration_hash(&self) -> Option<String> {
        self.configuration.as_deref().map(hash_of_text)
    }

    /// Returns the trial with its study and its number.
    pub fn known(self) -> Result<KnownTrial, UnreadableRow> {
        Ok(KnownTrial {
            study: StudyId(self.study_id),
            recorded: self.id,
            has_later: self.has_later,
            trial: self.trial()?,
        })
    }

    /// Returns the trial with the hash of its configuration.
    pub fn record(self) -> Result<TrialRecord, UnreadableRow> {
        Ok(TrialRecord {
            study: StudyId(self.study_id),
            hash: self.configuration_hash(),
            trial: self.trial()?,
        })
    }

    /// Returns the trial alone.
    pub fn trial(self) -> Result<Trial, UnreadableRow> {
        let place = RowLocation {
            table: "trial",
            id: self.id,
        };
        place.guard(|| self.trial_at(place))
    }

    fn trial_at(self, place: RowLocation) -> Result<Trial, UnreadableRow> {
        let configuration = self.configuration.as_deref().map(serde_json::from_str);
        let configuration = configuration.transpose();
        let trial = Trial {
            ordinal: place.number("ordinal", self.ordinal)?,
            role: place.named("role", &self.role, &Role::ALL, Role::name)?,
            configuration: configuration.map_err(|error| place.error("configuration", error))?,
            outcome: self.outcome(place)?,
            error: self.error,
            input_seed: self.input_seed.cast_unsigned(),
            compile_ms: self.compile_ms,
            started: place.time("started", self.started_ms)?,
            ended: place.time("ended", self.ended_ms)?,
        };
        // Another program may have written the row, so it passes the checks of an agent's result.
        place.checked(trial.check())?;
        Ok(trial)
    }

    fn outcome(&self, place: RowLocation) -> Result<TrialOutcome, UnreadableRow> {
        let message = self.message.clone().unwrap_or_default();
        Ok(
            match place.named("status", &self.status, &Status::ALL, Status::name)? {
                Status::Right => TrialOutcome::Right(self.timing(place)?),
                Status::Tie => TrialOutcome::Tie(self.timing(place)?, message),
                Status::Timed => TrialOutcome::Timed(self.timing(place)?),
                Status::Wrong => TrialOutcome::Wrong(message),
                Status::Failed => {
                    let kind = self.failure.as_deref().unwrap_or_default();
                    let kind =
                        place.named("failure", kind, &FailureKind::ALL, FailureKind::name)?;
                    TrialOutcome::Failed(kind, message)
                }
            },
        )
    }

    fn timing(&self, place: RowLocation) -> Result<Timing, UnreadableRow> {
        let samples = self.samples_us.as_deref().unwrap_or_default();
        let samples = serde_json::from_str(samples);
        let timing = Timing {
            time_us: self
                .time_us
                .ok_or_else(|| place.error("time_us", "is missing"))?,
            samples_us: samples.map_err(|error| place.error("samples_us", error))?,
            protocol: self.protocol.clone(),
        };
        Ok(timing)
    }
}

/// Returns the fastest trials of some studies. `rows` has up to `limit` rows of each.
pub fn fastest(rows: Vec<TrialRow>, limit: u32) -> Fastest {
    let mut counts: HashMap<i64, u32> = HashMap::new();
    // Count before reading: an unreadable row also used up a place of the limit.
    for row in &rows {
        *counts.entry(row.study_id).or_default() += 1;
    }
    let full = counts.into_iter().filter(|&(_, rows)| rows >= limit);
    let more = full.map(|(study, _)| StudyId(study)).collect();
    let read: Readable<KnownTrial> = rows.into_iter().map(TrialRow::known).collect();
    Fastest {
        trials: read.rows,
        more,
        unreadable: read.unreadable,
    }
}

/// Returns the samples of a pruned trial: its time as the only sample.
pub fn pruned_samples(time_us: f64) -> String {
    serde_json::to_string(&[time_us]).expect("numbers are JSON")
}

/// Replaces each NUL by U+FFFD. A compiler or a driver may print any byte, and a text of
/// PostgreSQL holds all but NUL.
pub fn without_nul(message: &str) -> String {
    message.replace('\0', "\u{FFFD}")
}

/// A row of `final`, with that of the trial that won.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct FinalRow {
    pub study_id: i64,
    pub trials: i64,
    pub ties: String,
    pub speedup: f64,
    pub low: f64,
    pub high: f64,
    pub samples: String,
    pub final_ended_ms: i64,
    pub went_on: bool,
    pub id: i64,
    pub ordinal: i64,
    pub role: String,
    pub configuration: Option<String>,
    pub status: String,
    pub failure: Option<String>,
    pub message: Option<String>,
    pub time_us: Option<f64>,
    pub samples_us: Option<String>,
    pub protocol: Option<String>,
    pub error: Option<f64>,
    pub input_seed: i64,
    pub compile_ms: Option<f64>,
    pub started_ms: i64,
    pub ended_ms: i64,
    pub has_later: bool,
}

impl FinalRow {
    /// Returns the finals, with the trial that won.
    pub fn finals(self) -> Result<KnownFinals, UnreadableRow> {
        let winner = TrialRow {
            id: self.id,
            study_id: self.study_id,
            ordinal: self.ordinal,
            role: self.role,
            configuration: self.configuration,
            status: self.status,
            failure: self.failure,
            message: self.message,
            time_us: self.time_us,
            samples_us: self.samples_us,
            protocol: self.protocol,
            error: self.error,
            input_seed: self.input_seed,
            compile_ms: self.compile_ms,
            started_ms: self.started_ms,
            ended_ms: self.ended_ms,
            has_later: self.has_later,
        };
        let winner = winner.known()?;
        Ok(KnownFinals {
            study: winner.study,
            finals: FinalColumns {
                study_id: self.study_id,
                trials: self.trials,
                winner: self.ordinal,
                ties: self.ties,
                speedup: self.speedup,
                low: self.low,
                high: self.high,
                samples: self.samples,
                ended_ms: self.final_ended_ms,
            }
            .finals()?,
            went_on: self.went_on,
            winner,
        })
    }
}
