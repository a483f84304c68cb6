//! The request for a comparison of a model, as the database of a service keeps it.

use configgen::{Device, Target};
use serde::{Deserialize, Serialize};

/// A part of every ID. Change it with the form of comparisons, so that no client reads an old one.
const FORMAT: &str = "model comparison 1";

/// The digits of an ID.
const DIGITS: usize = 32;

/// A request without its module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparisonRequest {
    /// The client's name of the model.
    pub name: Option<String>,
    /// The instruction set.
    pub target: String,
    /// The device, such as `emulated:mi300x`.
    pub device: String,
    /// The range of dynamic sizes.
    pub counts: String,
    /// The options of iree-compile.
    pub options: Vec<String>,
    /// The version of iree-compile.
    pub compiler: String,
}

impl ComparisonRequest {
    /// Returns the ID: a hash of all that decides the result, except tuned kernels.
    pub fn id(&self, module: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        // The name is for people. Tuned kernels change with the database, so that a model with
        // this ID may be compared again.
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
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("its keys are text")
    }

    /// Parses the text.
    ///
    /// # Errors
    ///
    /// The reason, for people.
    pub fn parse(text: &str) -> Result<ComparisonRequest, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// Returns the target and the device.
    ///
    /// # Errors
    ///
    /// The name that this build does not know.
    pub fn device(&self) -> Result<(&'static Target, &'static Device), String> {
        let target = self.target.parse::<&'static Target>();
        let device = bench_harness::emulated_device(&self.device);
        Ok((
            target.map_err(|error| error.to_string())?,
            device.map_err(|error| error.to_string())?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> ComparisonRequest {
        ComparisonRequest {
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
        let changes: [fn(&mut ComparisonRequest); 6] = [
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
        let unnamed = ComparisonRequest {
            name: None,
            ..request()
        };
        assert_eq!(unnamed.id("module"), id);
        assert_eq!(ComparisonRequest::parse(&request().text()), Ok(request()));
    }
}
