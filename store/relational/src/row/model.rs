//! Rows of submitted models.

use store::{ModelRecord, ModelState, UnreadableRow};

use super::RowLocation;

/// A row of `submitted_model`.
#[expect(
    missing_docs,
    reason = "the columns of the schema, which its migrations describe"
)]
pub struct ModelRow {
    pub number: i64,
    pub id: String,
    pub request: String,
    pub state: String,
    pub reason: Option<String>,
    pub profiles: i64,
    pub summary: Option<String>,
    pub asked_ms: i64,
    pub changed_ms: i64,
}

impl ModelRow {
    /// Returns the model.
    pub fn model(self) -> Result<ModelRecord, UnreadableRow> {
        let place = RowLocation {
            table: "submitted_model",
            id: self.number,
        };
        Ok(ModelRecord {
            number: self.number,
            id: self.id,
            request: self.request,
            state: place.named("state", &self.state, &ModelState::ALL, ModelState::name)?,
            reason: self.reason,
            profiles: place.number("profiles", self.profiles)?,
            summary: self.summary,
            asked: place.time("asked", self.asked_ms)?,
            changed: place.time("changed", self.changed_ms)?,
        })
    }
}
