//! Rows of trials with the columns that charts show.

use std::time::Duration;

use store::{
    FailureKind, Role, Status, TrialPoint, TrialPoints, Unreadable, UnreadableRow, check_times,
};

use super::RowLocation;

/// Some columns of `trial`.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct PointRow {
    pub id: i64,
    pub ordinal: i64,
    pub role: String,
    pub status: String,
    pub failure: Option<String>,
    pub time_us: Option<f64>,
    pub compile_ms: Option<f64>,
    pub took_ms: i64,
    pub configuration: Option<String>,
}

impl PointRow {
    fn point(&self) -> Result<TrialPoint, UnreadableRow> {
        let place = RowLocation {
            table: "trial",
            id: self.id,
        };
        place.guard(|| self.point_at(place))
    }

    fn point_at(&self, place: RowLocation) -> Result<TrialPoint, UnreadableRow> {
        place.checked(check_times(self.time_us, self.compile_ms))?;
        let named = |name| place.named("failure", name, &FailureKind::ALL, FailureKind::name);
        let configuration = self.configuration.as_deref().map(serde_json::from_str);
        let configuration = configuration.transpose();
        Ok(TrialPoint {
            ordinal: place.number("ordinal", self.ordinal)?,
            role: place.named("role", &self.role, &Role::ALL, Role::name)?,
            status: place.named("status", &self.status, &Status::ALL, Status::name)?,
            failure: self.failure.as_deref().map(named).transpose()?,
            time_us: self.time_us,
            compile_ms: self.compile_ms,
            // The clock may have been set back during the trial.
            took: Duration::from_millis(u64::try_from(self.took_ms).unwrap_or(0)),
            configuration: configuration.map_err(|error| place.error("configuration", error))?,
        })
    }
}

/// Returns up to `limit` points from rows that were read up to one beyond it. `trials` is the
/// total.
///
/// Takes long for many rows, so run it on a blocking thread.
pub fn points(mut rows: Vec<PointRow>, limit: u32, trials: i64) -> TrialPoints {
    let limit = limit as usize;
    // The row beyond the limit gives the start of the next page.
    let next = rows.get(limit).map(|row| row.ordinal);
    rows.truncate(limit);
    let mut unreadable = Unreadable::default();
    let read = rows.iter().map(PointRow::point);
    TrialPoints {
        trials: trials.cast_unsigned(),
        rows: read.filter_map(|row| unreadable.note(row)).collect(),
        unreadable,
        next: next.and_then(|ordinal| u32::try_from(ordinal).ok()),
    }
}
