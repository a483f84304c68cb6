//! The request of a model as the database keeps it.

use answers::models::SubmittedModel;
use configgen::{Device, Target};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use store::{ModelRecord, UnreadableRow};

/// A part of every ID. Change it with the form of comparisons, so that no client reads an old one.
const FORMAT: &str = "model comparison 1";

/// The digits of an ID.
const DIGITS: usize = 32;

/// A request without its module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredRequest {
    /// The client's name of the model.
    pub(crate) name: Option<String>,
    pub(crate) target: String,
    /// The device, such as `emulated:mi300x`.
    pub(crate) device: String,
    /// The range of dynamic sizes.
    pub(crate) counts: String,
    /// The options of iree-compile.
    pub(crate) options: Vec<String>,
    /// The version of iree-compile.
    pub(crate) compiler: String,
}

impl StoredRequest {
    /// Returns the ID: a hash of all that decides the result, except tuned kernels.
    pub(crate) fn id(&self, module: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        let parts = [
            FORMAT,
            &self.target,
            &self.device,
            &self.counts,
            &self.compiler,
            module,
        ];
        let options = self.options.iter().map(String::as_str);
        for part in parts.into_iter().chain(options) {
            // The length keeps parts apart.
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex()[..DIGITS].to_owned()
    }

    /// Returns the request as text for the database.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).expect("its keys are text")
    }

    /// Parses the text.
    pub(crate) fn parse(text: &str) -> Result<StoredRequest, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// Returns the target and the device, if this build knows both.
    pub(crate) fn device(&self) -> Result<(&'static Target, &'static Device), String> {
        let target = self.target.parse::<&'static Target>();
        let device = bench_harness::emulated_device(&self.device);
        Ok((
            target.map_err(|error| error.to_string())?,
            device.map_err(|error| error.to_string())?,
        ))
    }
}

/// Describes a model of the database.
pub(crate) fn describe(record: ModelRecord) -> Result<SubmittedModel, UnreadableRow> {
    let number = record.number;
    let unreadable = |column: &'static str| {
        move |reason: String| UnreadableRow {
            table: "submitted_model",
            id: number,
            column,
            reason,
        }
    };
    let request = StoredRequest::parse(&record.request).map_err(unreadable("request"))?;
    let (target, _) = request.device().map_err(unreadable("request"))?;
    let gain = record.summary.map(RawValue::from_string).transpose();
    let gain = gain.map_err(|error| unreadable("summary")(error.to_string()))?;
    Ok(SubmittedModel {
        id: record.id,
        name: request.name,
        target: target.name,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> StoredRequest {
        StoredRequest {
            name: Some("step".to_owned()),
            target: "gfx942".to_owned(),
            device: "emulated:mi300x".to_owned(),
            counts: "1..4".to_owned(),
            options: vec![
                "--iree-opt-level=O2".to_owned(),
                "--iree-opt-data-tiling".to_owned(),
            ],
            compiler: "3.13.0".to_owned(),
        }
    }

    #[test]
    fn all_that_decides_the_result_counts() {
        let id = request().id("module");
        assert_eq!(id.len(), DIGITS);
        assert_eq!(request().id("module"), id);
        assert_ne!(request().id("other"), id);
        let changes: [fn(&mut StoredRequest); 6] = [
            |it| it.target = "gfx1100".to_owned(),
            |it| it.device = "emulated:mi325x".to_owned(),
            |it| it.counts = "1..5".to_owned(),
            |it| it.options = vec!["--iree-opt-level=O2--iree-opt-data-tiling".to_owned()],
            |it| it.options.reverse(),
            |it| it.compiler = "3.14.0".to_owned(),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = request();
            change(&mut changed);
            assert_ne!(changed.id("module"), id, "change {number}");
        }
        // The name is for people.
        let unnamed = StoredRequest {
            name: None,
            ..request()
        };
        assert_eq!(unnamed.id("module"), id);
        assert_eq!(StoredRequest::parse(&request().text()), Ok(request()));
    }
}
