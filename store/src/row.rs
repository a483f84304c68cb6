//! Rows of the database to the types of the interface, and back.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use configgen::{Generator, Problem, Target};

use crate::{
    Clock, Coverage, FailureKind, Outcome, Provenance, Role, Status, StoreError, Timing, Trial,
    UnreadableRow, Wish, Wished,
};

/// Unix milliseconds. A clock that stands before 1970 counts as 1970.
pub(crate) fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn time_of(millis: i64) -> SystemTime {
    let since = Duration::from_millis(u64::try_from(millis).unwrap_or(0));
    UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
}

/// A JSON array of ids, in which form SQLite takes a list as one parameter.
pub(crate) fn json_array(ids: impl Iterator<Item = i64>) -> String {
    let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
    format!("[{}]", ids.join(","))
}

/// Where a value stands, to say that it cannot be read.
struct Place {
    table: &'static str,
    id: i64,
}

impl Place {
    fn error(&self, column: &'static str, reason: impl ToString) -> UnreadableRow {
        UnreadableRow {
            table: self.table,
            id: self.id,
            column,
            reason: reason.to_string(),
        }
    }

    fn parse<T>(&self, column: &'static str, text: &str) -> Result<T, UnreadableRow>
    where
        T: std::str::FromStr<Err: ToString>,
    {
        text.parse()
            .map_err(|error: T::Err| self.error(column, error))
    }

    fn generator(&self, name: &str, known: &[Generator]) -> Result<Generator, UnreadableRow> {
        Generator::among(known, name).map_err(|error| self.error("generator", error))
    }

    fn named<T: Copy>(
        &self,
        column: &'static str,
        text: &str,
        all: &[T],
        name: fn(T) -> &'static str,
    ) -> Result<T, UnreadableRow> {
        let found = all.iter().copied().find(|&value| name(value) == text);
        found.ok_or_else(|| self.error(column, format_args!("unknown value {text:?}")))
    }
}

/// What a ranking needs of a row of `study`.
pub(crate) struct StudyRow {
    pub(crate) id: i64,
    pub(crate) problem: String,
    pub(crate) target: String,
    pub(crate) device: String,
    pub(crate) generator: String,
    pub(crate) clock: String,
    pub(crate) timing: String,
    pub(crate) driver: String,
    pub(crate) compiler: String,
    pub(crate) compiler_version: String,
    pub(crate) generator_version: String,
    pub(crate) bound_us: Option<f64>,
    pub(crate) opened_ms: i64,
}

/// The columns that, with the provenance, tell one ranking from another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankingKey {
    pub(crate) problem: Problem,
    pub(crate) target: &'static Target,
    pub(crate) device: String,
    pub(crate) generator: Generator,
    pub(crate) clock: Clock,
}

impl StudyRow {
    pub(crate) fn key(&self, known: &[Generator]) -> Result<RankingKey, UnreadableRow> {
        let place = Place {
            table: "study",
            id: self.id,
        };
        Ok(RankingKey {
            problem: place.parse("problem", &self.problem)?,
            target: place.parse("target", &self.target)?,
            device: self.device.clone(),
            generator: place.generator(&self.generator, known)?,
            clock: place.parse("clock", &self.clock)?,
        })
    }

    pub(crate) fn provenance(&self) -> Provenance {
        Provenance {
            timing: self.timing.clone(),
            driver: self.driver.clone(),
            compiler: self.compiler.clone(),
            compiler_version: self.compiler_version.clone(),
            generator_version: self.generator_version.clone(),
        }
    }
}

/// A row of `trial`, without the hash.
pub(crate) struct TrialRow {
    pub(crate) id: i64,
    pub(crate) study_id: i64,
    pub(crate) ordinal: i64,
    pub(crate) role: String,
    pub(crate) configuration: Option<String>,
    pub(crate) status: String,
    pub(crate) failure: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) time_us: Option<f64>,
    pub(crate) samples_us: Option<String>,
    pub(crate) protocol: Option<String>,
    pub(crate) input_seed: i64,
    pub(crate) compile_ms: Option<f64>,
    pub(crate) started_ms: i64,
    pub(crate) ended_ms: i64,
}

impl TrialRow {
    /// The row to insert; its id is for the database to give.
    pub(crate) fn new(study_id: i64, trial: &Trial) -> Result<Self, StoreError> {
        let ordinal = trial.ordinal;
        let reject = |reason: String| StoreError::Trial { ordinal, reason };
        let timing = trial.outcome.timing();
        if let Some(timing) = timing {
            check_timing(timing).map_err(reject)?;
        }
        let json = |error: serde_json::Error| reject(error.to_string());
        let samples = timing.map(|timing| serde_json::to_string(&timing.samples_us));
        let configuration = trial.configuration.as_ref().map(serde_json::to_string);
        let owned = |name: &'static str| name.to_owned();
        Ok(TrialRow {
            id: 0,
            study_id,
            ordinal: i64::from(ordinal),
            role: owned(trial.role.name()),
            configuration: configuration.transpose().map_err(json)?,
            status: owned(trial.outcome.status().name()),
            failure: trial.outcome.failure().map(|kind| owned(kind.name())),
            message: trial.outcome.message().map(str::to_owned),
            time_us: timing.map(|timing| timing.time_us),
            samples_us: samples.transpose().map_err(json)?,
            protocol: timing.and_then(|timing| timing.protocol.clone()),
            input_seed: trial.input_seed.cast_signed(),
            compile_ms: trial.compile_ms,
            started_ms: millis(trial.started),
            ended_ms: millis(trial.ended),
        })
    }

    pub(crate) fn configuration_hash(&self) -> Option<String> {
        let text = self.configuration.as_ref()?;
        Some(blake3::hash(text.as_bytes()).to_hex().to_string())
    }

    pub(crate) fn trial(self) -> Result<Trial, UnreadableRow> {
        let place = Place {
            table: "trial",
            id: self.id,
        };
        let configuration = self.configuration.as_deref().map(serde_json::from_str);
        let configuration = configuration.transpose();
        let ordinal = u32::try_from(self.ordinal);
        Ok(Trial {
            ordinal: ordinal.map_err(|error| place.error("ordinal", error))?,
            role: place.named("role", &self.role, &Role::ALL, Role::name)?,
            configuration: configuration.map_err(|error| place.error("configuration", error))?,
            outcome: self.outcome(&place)?,
            input_seed: self.input_seed.cast_unsigned(),
            compile_ms: self.compile_ms,
            started: time_of(self.started_ms),
            ended: time_of(self.ended_ms),
        })
    }

    fn outcome(&self, place: &Place) -> Result<Outcome, UnreadableRow> {
        let message = self.message.clone().unwrap_or_default();
        Ok(
            match place.named("status", &self.status, &Status::ALL, Status::name)? {
                Status::Right => Outcome::Right(self.timing(place)?),
                Status::Tie => Outcome::Tie(self.timing(place)?, message),
                Status::Wrong => Outcome::Wrong(message),
                Status::Failed => {
                    let kind = self.failure.as_deref().unwrap_or_default();
                    let kind =
                        place.named("failure", kind, &FailureKind::ALL, FailureKind::name)?;
                    Outcome::Failed(kind, message)
                }
            },
        )
    }

    fn timing(&self, place: &Place) -> Result<Timing, UnreadableRow> {
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

fn check_timing(timing: &Timing) -> Result<(), String> {
    let is_time = |us: &f64| us.is_finite() && *us > 0.0;
    if timing.samples_us.is_empty() {
        return Err("a time without samples".to_owned());
    }
    let mut times = std::iter::once(&timing.time_us).chain(&timing.samples_us);
    match times.find(|us| !is_time(us)) {
        Some(us) => Err(format!("{us} is not the time of a kernel in microseconds")),
        None => Ok(()),
    }
}

/// A count of trials; `id` is one of the studies that they belong to.
pub(crate) struct CoverageRow {
    pub(crate) id: i64,
    pub(crate) target: String,
    pub(crate) device: String,
    pub(crate) generator: String,
    pub(crate) clock: String,
    pub(crate) status: String,
    pub(crate) trials: i64,
}

impl CoverageRow {
    pub(crate) fn coverage(self, known: &[Generator]) -> Result<Coverage, UnreadableRow> {
        let place = Place {
            table: "study",
            id: self.id,
        };
        Ok(Coverage {
            target: place.parse("target", &self.target)?,
            generator: place.generator(&self.generator, known)?,
            clock: place.parse("clock", &self.clock)?,
            status: place.named("status", &self.status, &Status::ALL, Status::name)?,
            device: self.device,
            trials: self.trials.cast_unsigned(),
        })
    }
}

/// A row of `wish`.
pub(crate) struct WishRow {
    pub(crate) problem: String,
    pub(crate) target: String,
    pub(crate) device: String,
    pub(crate) generator: String,
    pub(crate) count: i64,
    pub(crate) first_ms: i64,
    pub(crate) last_ms: i64,
}

impl WishRow {
    /// `number` is the row's place in the list: the table numbers no rows.
    pub(crate) fn wished(self, number: i64, known: &[Generator]) -> Result<Wished, UnreadableRow> {
        let place = Place {
            table: "wish",
            id: number,
        };
        let generator = Some(self.generator.as_str()).filter(|name| !name.is_empty());
        let generator = generator.map(|name| place.generator(name, known));
        Ok(Wished {
            wish: Wish {
                problem: place.parse("problem", &self.problem)?,
                target: place.parse("target", &self.target)?,
                device: Some(self.device).filter(|name| !name.is_empty()),
                generator: generator.transpose()?,
            },
            count: self.count.cast_unsigned(),
            first: time_of(self.first_ms),
            last: time_of(self.last_ms),
        })
    }
}
