//! Rows of finals.

use store::{Finals, UnreadableRow};

use super::RowLocation;

/// A row of `final`.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct FinalColumns {
    pub study_id: i64,
    pub trials: i64,
    pub winner: i64,
    pub ties: String,
    pub speedup: f64,
    pub low: f64,
    pub high: f64,
    pub samples: String,
    pub ended_ms: i64,
}

impl FinalColumns {
    /// Returns the finals.
    ///
    /// # Errors
    ///
    /// The first column that cannot be read.
    pub fn finals(self) -> Result<Finals, UnreadableRow> {
        let place = RowLocation {
            table: "final",
            id: self.study_id,
        };
        let finals = Finals {
            trials: place.number("trials", self.trials)?,
            winner: place.number("winner", self.winner)?,
            ties: place.parse("ties", &self.ties)?,
            speedup: self.speedup,
            interval: (self.low, self.high),
            samples: self.samples,
            ended: place.time("ended", self.ended_ms)?,
        };
        // Another program may have written the row, so it passes the checks of a new one.
        place.checked(finals.check())?;
        Ok(finals)
    }
}
