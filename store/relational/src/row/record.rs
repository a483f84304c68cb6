//! Rows that belong to a study in other tables.

use std::collections::HashMap;

use store::{HeldFinals, Status, StudyRecord, Unreadable, UnreadableRow};

use super::RowLocation;
use super::finals::FinalColumns;

/// The number of trials of a study with one verdict; `id` is one of them.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct CountRow {
    pub study_id: i64,
    pub id: i64,
    pub status: String,
    pub trials: i64,
}

impl CountRow {
    /// Returns the verdict and its count.
    pub fn count(&self) -> Result<(Status, u64), UnreadableRow> {
        let place = RowLocation {
            table: "trial",
            id: self.id,
        };
        let status = place.named("status", &self.status, &Status::ALL, Status::name)?;
        Ok((status, self.trials.cast_unsigned()))
    }
}

/// A row of `final`, without the samples.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct HeldRow {
    pub study_id: i64,
    pub trials: i64,
    pub winner: i64,
    pub ties: String,
    pub speedup: f64,
    pub low: f64,
    pub high: f64,
    pub ended_ms: i64,
}

impl HeldRow {
    /// Returns the finals.
    pub fn held(self) -> Result<HeldFinals, UnreadableRow> {
        // The checks of finals take all columns. The samples are not read, because they may be
        // megabytes.
        let finals = FinalColumns {
            study_id: self.study_id,
            trials: self.trials,
            winner: self.winner,
            ties: self.ties,
            speedup: self.speedup,
            low: self.low,
            high: self.high,
            samples: String::new(),
            ended_ms: self.ended_ms,
        }
        .finals()?;
        Ok(HeldFinals {
            trials: finals.trials,
            winner: finals.winner,
            ties: finals.ties,
            speedup: finals.speedup,
            interval: finals.interval,
            ended: finals.ended,
        })
    }
}

/// A row of `worker`.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct WorkerRow {
    pub study_id: i64,
    pub owner: String,
}

/// Adds the rows of other tables to studies: counts of trials, the latest finals, and the owners
/// at work.
pub fn complete(
    records: &mut [StudyRecord],
    unreadable: &mut Unreadable,
    counts: Vec<CountRow>,
    finals: Vec<HeldRow>,
    workers: Vec<WorkerRow>,
) {
    let places = records.iter_mut();
    let mut places: HashMap<i64, &mut StudyRecord> =
        places.map(|record| (record.known.id.0, record)).collect();
    for row in counts {
        if let (Some(record), Some((status, trials))) =
            (places.get_mut(&row.study_id), unreadable.note(row.count()))
        {
            record.trials.insert(status, trials);
        }
    }
    for row in finals {
        if let Some(record) = places.get_mut(&row.study_id) {
            record.finals = unreadable.note(row.held());
        }
    }
    for row in workers {
        if let Some(record) = places.get_mut(&row.study_id) {
            record.workers.push(row.owner);
        }
    }
}
