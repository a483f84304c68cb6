//! The description of a stored model for clients.

use answers::models::{SubmittedModel, stored_json};
use model_profile::ComparisonRequest;
use store::{ModelRecord, UnreadableRow};

/// Describes a model of the database.
pub(crate) fn describe(record: ModelRecord) -> Result<SubmittedModel, UnreadableRow> {
    let number = record.number;
    let unreadable = |column: &'static str| {
        move |reason: String| UnreadableRow {
            table: "submitted_model".into(),
            id: number,
            column: column.into(),
            reason,
        }
    };
    let request = ComparisonRequest::parse(&record.request).map_err(unreadable("request"))?;
    let (target, _) = request.device().map_err(unreadable("request"))?;
    let gain = record.summary.map(stored_json).transpose();
    let gain = gain.map_err(unreadable("summary"))?;
    Ok(SubmittedModel {
        id: record.id,
        name: request.name,
        target: target.name.into(),
        device: request.device,
        counts: request.counts,
        options: request.options,
        compiler: request.compiler,
        state: record.state,
        reason: record.reason,
        profiles: record.profiles,
        gain,
        asked: answers::time_ms(record.asked),
        changed: answers::time_ms(record.changed),
    })
}
