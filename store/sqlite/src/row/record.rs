//! Rows that are told of a study beside its own.

use store::{HeldFinals, Status, UnreadableRow};

use super::{Place, time_of};

/// The trials of a study with one verdict; `id` is one of them.
pub(crate) struct CountRow {
    pub(crate) study_id: i64,
    pub(crate) id: i64,
    pub(crate) status: String,
    pub(crate) trials: i64,
}

impl CountRow {
    pub(crate) fn count(&self) -> Result<(Status, u64), UnreadableRow> {
        let place = Place {
            table: "trial",
            id: self.id,
        };
        let status = place.named("status", &self.status, &Status::ALL, Status::name)?;
        Ok((status, self.trials.cast_unsigned()))
    }
}

/// A row of `final`, without the samples.
pub(crate) struct HeldRow {
    pub(crate) study_id: i64,
    pub(crate) trials: i64,
    pub(crate) winner: i64,
    pub(crate) ties: String,
    pub(crate) speedup: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) ended_ms: i64,
}

impl HeldRow {
    pub(crate) fn held(self) -> Result<HeldFinals, UnreadableRow> {
        let place = Place {
            table: "final",
            id: self.study_id,
        };
        Ok(HeldFinals {
            trials: place.number("trials", self.trials)?,
            winner: place.number("winner", self.winner)?,
            ties: place.parse("ties", &self.ties)?,
            speedup: self.speedup,
            interval: (self.low, self.high),
            ended: time_of(self.ended_ms),
        })
    }
}

/// A row of `worker`.
pub(crate) struct WorkerRow {
    pub(crate) study_id: i64,
    pub(crate) owner: String,
}
